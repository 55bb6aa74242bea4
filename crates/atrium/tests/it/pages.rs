//! The dashboard's pages, referring sites, and the pages on which visits begin and end.

use std::time::Duration;

use serde_json::{Value, json};

use crate::ingest::drain;
use crate::support::sender::event_at;
use crate::support::world::Team;
use crate::support::{Actor, TestServer, in_either_size};
use atrium::collect::recount;

const MINUTE: i64 = 60_000;

struct View {
    minute: i64,
    device: &'static str,
    user: &'static str,
    path: &'static str,
    referrer: &'static str,
}

fn view(
    minute: i64,
    [device, user]: [&'static str; 2],
    path: &'static str,
    referrer: &'static str,
) -> View {
    View { minute, device, user, path, referrer }
}

const ANNA: [&str; 2] = ["phone-anna-1", "user-anna-31"];
const BEN: [&str; 2] = ["laptop-ben-2", "user-ben-77"];
const NOBODY: [&str; 2] = ["tablet-3", ""];

/// Two visits of Anna, one of Ben and one of a device.
fn story() -> Vec<View> {
    vec![
        view(0, ANNA, "/", "https://www.example.com/a?b"),
        view(5, ANNA, "/u/user-anna-31/home", "https://own.example/"),
        view(40, ANNA, "/pricing", ""),
        view(41, ANNA, "/", ""),
        view(1, BEN, "/u/user-ben-77/home", "https://example.com/c"),
        view(2, BEN, "/to/user-anna-31", "https://user-ben-77.example/"),
        view(3, NOBODY, "/", "unknown"),
    ]
}

async fn send(server: &TestServer, team: &Team, from: i64, views: &[View]) {
    let key = server.collect_key(team.app_id.as_str()).await;
    let message = |view: &View| {
        let mut message = event_at(from + view.minute * MINUTE, "page_view");
        message["data"]["device_id"] = json!(view.device);
        message["data"]["url_path"] = json!(view.path);
        message["data"]["properties"] = json!({ "referrer": view.referrer });
        match view.user {
            "" => drop(message["data"].as_object_mut().unwrap().remove("user_id")),
            user => message["data"]["user_id"] = json!(user),
        }
        message
    };
    let messages: Vec<Value> = views.iter().map(message).collect();
    let answer = server.collect(&key, json!(messages)).await;
    assert_eq!(answer.body["data"]["accepted"], messages.len(), "{answer:?}");
    drain(server).await;
}

fn day_of(at: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(at).unwrap();
    at.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}

async fn pages(actor: &Actor, team: &Team, [start, end]: [i64; 2]) -> Value {
    let body = json!({
        "start": day_of(start), "end": day_of(end), "timezone": "UTC", "parts": ["pages"],
    });
    let answer = actor.post(&format!("/api/v1/orgs/{}/data-overall", team.org_id), body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["data"]["pages"].clone()
}

/// Names and counts, in the order of the answer.
fn rows(list: &Value) -> Value {
    let row = |row: &Value| {
        let name = row.get("page").or(row.get("site")).unwrap();
        match row.get("visits") {
            Some(visits) => json!([name, visits]),
            None => json!([name, row["page_views"], row["users"]]),
        }
    };
    json!(list.as_array().unwrap().iter().map(row).collect::<Vec<_>>())
}

/// Noon yesterday, so that no test crosses midnight.
fn noon(server: &TestServer) -> i64 {
    let day = 24 * 60 * MINUTE;
    server.atrium.now().0 / day * day - day / 2
}

in_either_size! {
    async fn pages_sites_and_visits_are_counted_and_personal_data_is_hidden(server: TestServer) {
        let team = server.team("one").await;
        let at = noon(&server);
        send(&server, &team, at, &story()).await;
        let found = pages(team.actor("owner"), &team, [at, at]).await;
        assert_eq!(found["ready"], true);
        assert_eq!(rows(&found["top"]), json!([
            ["/", 3, 2], ["/pricing", 1, 1], ["/to/user-anna-31", 1, 1],
            ["/u/user-anna-31/home", 1, 1], ["/u/user-ben-77/home", 1, 1],
        ]));
        assert_eq!(rows(&found["sites"]), json!([
            ["", 3, 2], ["example.com", 2, 2], ["own.example", 1, 1], ["user-ben-77.example", 1, 1],
        ]));
        assert_eq!(rows(&found["entries"]), json!([["/", 2], ["/pricing", 1], ["/u/user-ben-77/home", 1]]));
        assert_eq!(rows(&found["exits"]), json!([["/", 2], ["/to/user-anna-31", 1], ["/u/user-anna-31/home", 1]]));

        // A caller who may not see ids gets one page where there were two, and its users are counted once.
        let found = pages(team.actor("analyst"), &team, [at, at]).await;
        assert_eq!(rows(&found["top"]), json!([
            ["/", 3, 2], ["/u/***/home", 2, 2], ["/pricing", 1, 1], ["/to/***", 1, 1],
        ]));
        assert_eq!(rows(&found["sites"]), json!([
            ["", 3, 2], ["example.com", 2, 2], ["***", 1, 1], ["own.example", 1, 1],
        ]));
        assert_eq!(rows(&found["entries"]), json!([["/", 2], ["/pricing", 1], ["/u/***/home", 1]]));
        assert_eq!(rows(&found["exits"]), json!([["/", 2], ["/to/***", 1], ["/u/***/home", 1]]));

        // A late page view joins Anna's visits: one entry and one exit are taken back.
        send(&server, &team, at, &[view(20, ANNA, "/docs", "")]).await;
        let found = pages(team.actor("owner"), &team, [at, at]).await;
        assert_eq!(rows(&found["entries"]), json!([["/", 2], ["/u/user-ben-77/home", 1]]));
        assert_eq!(rows(&found["exits"]), json!([["/", 2], ["/to/user-anna-31", 1]]));

        // A new person sends an event, and their id has been part of a path before.
        send(&server, &team, at, &[view(21, NOBODY, "/of/phone-cleo-9", "")]).await;
        let shown = async |page: &str| {
            let found = pages(team.actor("analyst"), &team, [at, at]).await;
            rows(&found["top"]).as_array().unwrap().iter().any(|row| row[0] == page)
        };
        assert!(shown("/of/phone-cleo-9").await);
        send(&server, &team, server.atrium.now().0, &[view(0, ["phone-cleo-9", ""], "/", "")]).await;
        assert!(shown("/of/***").await && !shown("/of/phone-cleo-9").await);

        let path = format!("/api/v1/orgs/{}/data-overall/export", team.org_id);
        for (table, line) in [
            ("pages", "/,3,2"), ("sites", "example.com,2,2"), ("entry_pages", "/,2"), ("exit_pages", "/to/user-anna-31,1"),
        ] {
            let body = json!({
                "start": day_of(at), "end": day_of(at), "timezone": "UTC", "table": table,
            });
            let file = team.actor("owner").post(&path, body).await;
            assert_eq!(file.status, 200, "{file:?}");
            assert!(file.body.as_str().unwrap().contains(line), "{table}: {file:?}");
        }
    }
}

in_either_size! {
    async fn a_visit_over_midnight_ends_on_the_next_day(server: TestServer) {
        let team = server.team("one").await;
        let midnight = noon(&server) + 12 * 60 * MINUTE - 24 * 60 * MINUTE;
        let (before, after) = ([midnight - MINUTE; 2], [midnight; 2]);
        send(&server, &team, midnight, &[view(-10, ANNA, "/first", "")]).await;
        let owner = team.actor("owner");
        assert_eq!(rows(&pages(owner, &team, before).await["exits"]), json!([["/first", 1]]));
        // The day before changes too, although nothing happened on it.
        send(&server, &team, midnight, &[view(10, ANNA, "/last", "")]).await;
        let (before, after) = (pages(owner, &team, before).await, pages(owner, &team, after).await);
        assert_eq!(rows(&before["entries"]), json!([["/first", 1]]));
        assert_eq!(rows(&before["exits"]), json!([]));
        assert_eq!(rows(&after["entries"]), json!([]));
        assert_eq!(rows(&after["exits"]), json!([["/last", 1]]));
    }
}

in_either_size! {
    async fn pages_of_earlier_events_are_shown_when_they_are_counted(server: TestServer) {
        let team = server.team("one").await;
        let at = noon(&server);
        send(&server, &team, at, &story()).await;
        let shown = pages(team.actor("owner"), &team, [at, at]).await;
        // As if these tables had come with a release just now, and some events since.
        for sql in [
            "TRUNCATE TABLE pages_15m", "TRUNCATE TABLE pages_1h", "TRUNCATE TABLE pages_1w",
            "TRUNCATE TABLE page_visits_15m",
            "INSERT INTO recounts SELECT 'pages', app_id, toYYYYMM(bucket), 0 FROM totals_15m",
        ] {
            server.atrium.warehouse.execute(sql, &[]).await.unwrap();
        }
        let instance = server.second_instance_on_same_engine().await;
        instance.atrium.warehouse.ready(Duration::from_secs(60)).await.unwrap();
        let owner = team.actor("owner").at(&instance.url);
        let found = pages(&owner, &team, [at, at]).await;
        assert_eq!(found, json!({ "ready": false, "top": [], "entries": [], "exits": [], "sites": [] }));
        assert!(recount::run_due(&instance.atrium).await.unwrap() >= 1);
        assert_eq!(pages(&owner, &team, [at, at]).await, shown);
    }
}
