//! More names and values than get counts of their own: everything is stored, whatever exceeds the limits
//! counts as "other", and every sum stays exact.

use std::collections::{BTreeMap, BTreeSet};

use atrium::collect::{alerts, cardinality};
use atrium::config::RawSettings;
use atrium::erasures;
use serde_json::{Value, json};

use crate::ingest::drain;
use crate::support::sender::event;
use crate::support::world::Team;
use crate::support::{Store, TestServer};

const DAY: i64 = 24 * 60 * 60 * 1_000;

/// In both sizes, with limits low enough for a test to reach.
macro_rules! with_small_limits {
    (async fn $name:ident($server:ident: TestServer) $body:block) => {
        mod $name {
            use super::*;

            async fn run($server: TestServer) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn embedded() {
                run(TestServer::start_with_engine_and(Store::Sqlite, small).await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn remote() {
                run(TestServer::start_with_engine_and(Store::Postgres, small).await).await;
            }
        }
    };
}

fn small(raw: &mut RawSettings) {
    raw.max_event_names = Some(3);
    raw.max_property_names = Some(4);
    raw.max_field_values = Some(2);
    raw.max_pages = Some(2);
}

/// An event, as the plain count sees it.
#[derive(Clone)]
struct Sent {
    event: String,
    os: String,
    user: String,
    properties: Value,
}

fn sent(event: &str, os: &str, user: &str) -> Sent {
    Sent {
        event: event.to_owned(),
        os: os.to_owned(),
        user: user.to_owned(),
        properties: json!({ "plan": "pro" }),
    }
}

/// The app's regular events: two names, one operating system.
fn own() -> Vec<Sent> {
    vec![
        sent("home", "iOS", "anna"),
        sent("home", "iOS", "ben"),
        sent("order", "iOS", "anna"),
        sent("home", "iOS", "anna"),
    ]
}

/// Names and operating systems that differ in every message.
fn flood(prefix: &str, count: usize) -> Vec<Sent> {
    let one = |n: usize| {
        sent(&format!("{prefix} {n}"), &format!("{prefix} os {n}"), &format!("user {}", n % 5))
    };
    (0..count).map(one).collect()
}

async fn send(server: &TestServer, team: &Team, messages: &[Sent]) {
    let key = server.collect_key(team.app_id.as_str()).await;
    let messages: Vec<Value> = messages
        .iter()
        .map(|sent| {
            let mut message = event(server, &sent.event);
            message["data"]["os"] = json!(sent.os);
            message["data"]["user_id"] = json!(sent.user);
            message["data"]["properties"] = sent.properties.clone();
            message
        })
        .collect();
    let answer = server.collect(&key, json!(messages)).await;
    assert_eq!(answer.body["data"]["accepted"], messages.len(), "{answer:?}");
    drain(server).await;
}

/// Moves the clock to a noon, so that no test crosses midnight.
fn noon(server: &TestServer) {
    server.clock.advance(DAY + DAY / 2 - server.atrium.now().0 % DAY);
}

fn today(server: &TestServer) -> String {
    let now = jiff::Timestamp::from_millisecond(server.atrium.now().0).unwrap();
    now.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}

async fn overall(server: &TestServer, team: &Team) -> Value {
    let today = today(server);
    let body = json!({ "start": today, "end": today, "granularity": "day", "timezone": "UTC" });
    let path = format!("/api/v1/orgs/{}/data-overall", team.org_id);
    let answer = team.actor("owner").post(&path, body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["data"].clone()
}

/// Events and users by name; the rest as "other".
type Figures = BTreeMap<String, (u64, u64)>;

fn figures(list: &Value, name: &str) -> Figures {
    let one = |one: &Value| {
        let name = match one["other"].as_bool().unwrap() {
            true => "(other)".to_owned(),
            false => one[name].as_str().unwrap().to_owned(),
        };
        (name, (one["events"].as_u64().unwrap(), one["users"].as_u64().unwrap()))
    };
    list.as_array().unwrap().iter().map(one).collect()
}

/// The expected figures, counted from what was sent, where only these names have counts of their own.
fn counted<'a>(sent: &'a [Sent], of: impl Fn(&'a Sent) -> &'a str, named: &[&str]) -> Figures {
    let mut sums: BTreeMap<String, (u64, BTreeSet<&str>)> = BTreeMap::new();
    for one in sent {
        let name = if named.contains(&of(one)) { of(one) } else { "(other)" };
        let sum = sums.entry(name.to_owned()).or_default();
        sum.0 += 1;
        sum.1.insert(&one.user);
    }
    sums.into_iter().map(|(name, (events, users))| (name, (events, users.len() as u64))).collect()
}

fn sum(figures: &Figures) -> u64 {
    figures.values().map(|(events, _)| events).sum()
}

async fn number(server: &TestServer, sql: &str) -> u64 {
    let rows: Vec<Value> = server.atrium.warehouse.query(sql, &[]).await.unwrap();
    rows[0]["n"].as_u64().unwrap()
}

with_small_limits! {
    async fn what_is_over_a_limit_counts_as_other_everywhere(server: TestServer) {
        noon(&server);
        let team = server.team("one").await;
        // One event has no operating system: that is no value, and never over a limit.
        let all = [own(), flood("x", 30), vec![sent("home", "", "anna")]].concat();
        send(&server, &team, &all).await;
        let owner = team.actor("owner");
        let app = format!("/api/v1/apps/{}", team.app_id);

        // The dashboard: the first three names and two systems have counts of their own.
        let found = overall(&server, &team).await;
        let top = figures(&found["top_events"], "event");
        assert_eq!(top, counted(&all, |it| &it.event, &["home", "order", "x 0"]));
        assert_eq!(found["top_events"][3]["event"], "other", "it is the last one: {found}");
        let os = figures(&found["breakdowns"]["os"], "value");
        assert_eq!(os, counted(&all, |it| &it.os, &["iOS", "x os 0", ""]));
        let stored = number(&server, "SELECT count() AS n FROM events").await;
        assert_eq!((sum(&top), sum(&os), stored), (35, 35, 35));
        assert_eq!(found["totals"]["events"]["value"], 35);
        assert_eq!(found["totals"]["active_users"]["value"], 7);

        // The catalog, and with it the list of events to choose from.
        let list = owner.get(&format!("{app}/events")).await.body["data"].clone();
        let names: BTreeSet<&str> =
            list["items"].as_array().unwrap().iter().map(|it| it["event"].as_str().unwrap()).collect();
        assert_eq!(names, BTreeSet::from(["home", "order", "x 0"]));
        assert_eq!(list["other"], json!({ "events_30d": 29, "users_30d": 5 }), "{list}");
        let values = owner.get(&format!("{app}/explore/values?property=$os")).await.body["data"].clone();
        let expected = json!([{ "value": "iOS", "events": 4 }, { "value": "x os 0", "events": 1 }]);
        assert_eq!((&values["items"], &values["other"]), (&expected, &json!(29)), "{values}");

        // The events are stored as sent: questions find them by their own values.
        let today = today(&server);
        let body = json!({ "event": "x 7", "measure": "events", "start": today, "end": today,
            "timezone": "UTC", "granularity": "day",
            "filters": [{ "property": "$os", "operator": "is", "values": ["x os 7"] }] });
        let found = owner.post(&format!("{app}/explore"), body).await;
        assert_eq!(found.body["data"]["total"], 1.0, "{found:?}");
        let values = owner.get(&format!("{app}/event-properties?event=x%207")).await.body["data"].clone();
        assert_eq!((&values["sampled"], &values["items"][0]["property"]), (&json!(1), &json!("plan")), "{values}");
    }
}

with_small_limits! {
    async fn the_ledger_says_so_beside_its_counters(server: TestServer) {
        noon(&server);
        let team = server.team("one").await;
        let mut all = [own(), flood("x", 10)].concat();
        all[5].properties = json!({ "a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6 });
        send(&server, &team, &all).await;
        let owner = team.actor("owner");
        let ingest = owner.get(&format!("/api/v1/apps/{}/ingest", team.app_id)).await.body["data"].clone();
        assert_eq!(ingest["accepted"], 14, "{ingest}");
        assert_eq!((&ingest["duplicate"], &ingest["rejected"]), (&json!(0), &json!(0)));
        assert_eq!(ingest["reasons"], json!([]));
        let limits: Vec<_> = ingest["over_limit"].as_array().unwrap().iter()
            .map(|it| (it["limit"].as_str().unwrap(), it["max"].as_u64().unwrap(), it["count"].as_u64().unwrap()))
            .collect();
        assert_eq!(limits, [("event_names", 3, 9), ("property_names", 4, 1), ("field_values", 2, 9)]);
        assert_eq!(overall(&server, &team).await["ingest"]["over_limit"], ingest["over_limit"]);

        // The people who look after the app are notified, once a day for each limit.
        let developer = &team.people["developer"].email;
        let mut watch = alerts::Watch::default();
        assert_eq!(watch.look(&server.atrium).await.unwrap(), 3);
        for words in ["event names", "property names", "values of a built-in field"] {
            server.mail_about(developer, words).await;
        }
        send(&server, &team, &flood("y", 10)).await;
        assert_eq!(watch.look(&server.atrium).await.unwrap(), 0, "whichever instance looks");
        server.clock.advance(DAY);
        assert_eq!(watch.look(&server.atrium).await.unwrap(), 0, "all is well again");
        send(&server, &team, &flood("z", 10)).await;
        assert_eq!(watch.look(&server.atrium).await.unwrap(), 2);
    }
}

with_small_limits! {
    async fn a_flood_cannot_take_the_places_of_an_apps_own_names(server: TestServer) {
        noon(&server);
        let team = server.team("one").await;
        send(&server, &team, &own()).await;
        // The next day begins with a flood. Two names and one system of the day before keep their places.
        server.clock.advance(DAY);
        let all = [flood("x", 20), own()].concat();
        send(&server, &team, &all[..20]).await;
        send(&server, &team, &all[20..]).await;
        let found = overall(&server, &team).await;
        let named = ["home", "order", "x 0"];
        assert_eq!(figures(&found["top_events"], "event"), counted(&all, |it| &it.event, &named));
        let named = ["iOS", "x os 0"];
        assert_eq!(figures(&found["breakdowns"]["os"], "value"), counted(&all, |it| &it.os, &named));

        // An instance with an empty memory decides the same.
        let second = server.second_instance_on_same_engine_and(small).await;
        second.clock.advance(server.atrium.now().0 - second.atrium.now().0);
        let more = [flood("late", 2), own()].concat();
        send(&second, &team, &more).await;
        let all = [all, more].concat();
        let found = overall(&second, &team).await;
        let named = ["home", "order", "x 0"];
        assert_eq!(figures(&found["top_events"], "event"), counted(&all, |it| &it.event, &named));

        // Places that were unused for a whole day are free, and a new day adds new ones.
        server.clock.advance(3 * DAY);
        let all = [flood("y", 5), own()].concat();
        send(&server, &team, &all).await;
        let found = overall(&server, &team).await;
        let named = ["home", "order", "y 0"];
        assert_eq!(figures(&found["top_events"], "event"), counted(&all, |it| &it.event, &named));
        assert!(server.count("SELECT COUNT(*) FROM counted_values").await > 0);
        server.clock.advance(20 * DAY);
        assert!(cardinality::sweep(&server.atrium).await.unwrap() > 0);
        assert_eq!(server.count("SELECT COUNT(*) FROM counted_values").await, 0);
    }
}

with_small_limits! {
    async fn pages_and_sites_over_the_limit_are_others(server: TestServer) {
        noon(&server);
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        // The page of any other event is not counted and takes no place.
        let mut other = event(&server, "home");
        other["data"]["url_path"] = json!("/elsewhere");
        let views = (0..9).map(|n| {
            let mut view = event(&server, "page_view");
            view["data"]["url_path"] = json!(format!("/order/{}", n % 5));
            view["data"]["properties"] = json!({ "referrer": format!("https://www.s{}.example/{n}", n % 3) });
            view
        });
        let messages: Vec<Value> = [other].into_iter().chain(views).collect();
        assert_eq!(server.collect(&key, json!(messages)).await.body["data"]["accepted"], 10);
        drain(&server).await;
        let found = overall(&server, &team).await;
        let rows = |list: &str, name: &str| {
            let rows = found["pages"][list].as_array().unwrap().iter();
            json!(rows.map(|row| json!([row[name], row["page_views"], row["other"]])).collect::<Vec<_>>())
        };
        let pages = json!([["/order/0", 2, false], ["/order/1", 2, false], ["other", 5, true]]);
        assert_eq!(rows("top", "page"), pages);
        let sites = json!([["s0.example", 3, false], ["s1.example", 3, false], ["other", 3, true]]);
        assert_eq!(rows("sites", "site"), sites);
        let mut over = found["ingest"]["over_limit"].as_array().unwrap().iter();
        let over = over.find(|it| it["limit"] == "pages").unwrap();
        assert_eq!((&over["max"], &over["count"]), (&json!(2), &json!(6)));
    }
}

with_small_limits! {
    async fn counts_made_anew_say_the_same(server: TestServer) {
        noon(&server);
        let team = server.team("one").await;
        let all = [own(), flood("x", 30)].concat();
        send(&server, &team, &all).await;
        let path = format!("/api/v1/apps/{}/erasures", team.app_id);
        let answer = team.actor("owner").post(&path, json!({ "kind": "user", "subject": "user 3" })).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(erasures::run::run_due(&server.atrium).await.unwrap(), 1);
        let left: Vec<Sent> = all.into_iter().filter(|it| it.user != "user 3").collect();
        let found = overall(&server, &team).await;
        let named = ["home", "order", "x 0"];
        assert_eq!(figures(&found["top_events"], "event"), counted(&left, |it| &it.event, &named));
        let named = ["iOS", "x os 0"];
        assert_eq!(figures(&found["breakdowns"]["os"], "value"), counted(&left, |it| &it.os, &named));
    }
}

with_small_limits! {
    async fn property_names_over_the_limit_are_not_offered(server: TestServer) {
        noon(&server);
        let team = server.team("one").await;
        let with = |event: &str, properties: Value| Sent { properties, ..sent(event, "iOS", "anna") };
        let mut all = vec![with("home", json!({ "plan": "pro", "seats": 3 }))];
        all.extend((0..20).map(|n| {
            let mut properties = json!({ "plan": "free" });
            properties[format!("cart {n}")] = json!(n);
            with("home", properties)
        }));
        send(&server, &team, &all).await;
        let owner = team.actor("owner");
        let path = format!("/api/v1/apps/{}/event-properties?event=", team.app_id);
        let names = |answer: &Value| -> Vec<String> {
            let items = answer["items"].as_array().unwrap().iter();
            items.map(|it| it["property"].as_str().unwrap().to_owned()).collect()
        };
        // Four names have places.
        let found = owner.get(&format!("{path}home")).await.body["data"].clone();
        assert_eq!(names(&found), ["plan", "cart 0", "cart 1", "seats"], "{found}");
        assert_eq!((&found["more"], &found["sampled"]), (&json!(18), &json!(21)));
        assert_eq!(found["items"][0]["share"], 1.0);
        // All events of this name are over the limit; names that have a place are shown nevertheless.
        let later: Vec<Sent> = (0..3).map(|n| {
            let mut properties = json!({ "plan": "free" });
            properties[format!("basket {n}")] = json!(n);
            with("order", properties)
        }).collect();
        send(&server, &team, &later).await;
        let found = owner.get(&format!("{path}order")).await.body["data"].clone();
        assert_eq!((names(&found), &found["more"]), (vec!["plan".to_owned()], &json!(3)), "{found}");
    }
}

with_small_limits! {
    async fn a_purged_app_leaves_nothing_behind(server: TestServer) {
        noon(&server);
        let team = server.team("one").await;
        send(&server, &team, &flood("x", 10)).await;
        assert!(server.count("SELECT COUNT(*) FROM counted_values").await > 0);
        assert!(server.count("SELECT COUNT(*) FROM ingest_over_limit").await > 0);
        let owner = team.actor("owner");
        let path = format!("/api/v1/apps/{}", team.app_id);
        let name = owner.get(&path).await.body["data"]["name"].clone();
        assert_eq!(owner.delete_with(&path, json!({ "name": name })).await.status, 200);
        server.clock.advance(31 * DAY);
        assert_eq!(erasures::purge::run_due(&server.atrium).await.unwrap(), 1);
        assert_eq!(server.count("SELECT COUNT(*) FROM counted_values").await, 0);
        assert_eq!(server.count("SELECT COUNT(*) FROM ingest_over_limit").await, 0);
    }
}
