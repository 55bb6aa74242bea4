//! From the collector into the warehouse, with the real engine: what is stored, that it is stored once, and
//! what happens to it later.

use std::time::Duration;

use crate::support::sender::{event, event_at, mutation};
use crate::support::{Store, TestServer, in_both_sizes};
use atrium::collect::loader::{self, Turn};
use atrium::collect::spool::{Attempt, Change, Wanted};
use atrium::collect::{alerts, ledger, record, upkeep};
use atrium::erasures;
use serde_json::{Value, json};
use uuid::Uuid;
use warehouse::{Kind, LogIdRow};

const DAY: i64 = 24 * 60 * 60 * 1_000;

/// Loads everything that waits, with retries as in the server.
pub async fn drain(server: &TestServer) {
    let mut failures = 0;
    loop {
        match loader::turn(&server.atrium, &server.atrium.collector.spool).await {
            Ok(Turn::Idle) => return,
            Ok(Turn::Loaded(_)) => {}
            Ok(Turn::NotMine) => tokio::time::sleep(Duration::from_millis(50)).await,
            Ok(Turn::Failed | Turn::Later(_)) => panic!("something could not be stored"),
            Err(error) => {
                failures += 1;
                assert!(failures < 3, "{error:#}");
            }
        }
    }
}

async fn rows(server: &TestServer, sql: &str) -> Vec<Value> {
    server.atrium.warehouse.query(sql, &[]).await.unwrap()
}

pub async fn number(server: &TestServer, sql: &str) -> i64 {
    rows(server, &format!("SELECT toInt64({sql}) AS n")).await[0]["n"].as_i64().unwrap()
}

pub async fn booked(server: &TestServer, app_id: &atrium::types::Id) -> Vec<(String, i64)> {
    let mut db = server.atrium.db.read().await.unwrap();
    ledger::sums(&mut db, std::slice::from_ref(app_id), "0000", "9999").await.unwrap()
}

fn uuid(id: &atrium::types::Id) -> Uuid {
    id.as_str().parse().unwrap()
}

in_both_sizes! {
    async fn every_field_arrives_as_it_was_sent(server: TestServer) {
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        let mut message = event(&server, "signup");
        message["data"]["timezone_offset"] = json!(5.75);
        message["data"]["properties"] = json!({ "plan": "专业版", "nested": { "a": [1, 2] } });
        assert_eq!(server.collect(&key, json!([message])).await.status, 200);
        drain(&server).await;
        let found = rows(&server, "SELECT *, toUnixTimestamp64Milli(time) AS ms FROM events").await;
        assert_eq!(found.len(), 1);
        let sent = &message["data"];
        for field in [
            "log_id", "event", "device_id", "user_id", "sdk_type", "sdk_version", "timezone_offset",
            "os", "language", "url_path", "device_type", "browser", "browser_version", "user_agent",
            "client_version", "source",
        ] {
            assert_eq!(found[0][field], sent[field], "{field}");
        }
        assert_eq!(found[0]["app_id"], json!(team.app_id));
        assert_eq!(found[0]["ms"], sent["timestamp"]);
        let plan = rows(&server, "SELECT JSONExtractString(properties, 'plan') AS plan FROM events").await;
        assert_eq!(plan[0]["plan"], "专业版");

        // The first figure on the dashboard, and the ledger.
        let owner = team.actor("owner");
        let today = jiff::Timestamp::from_millisecond(server.atrium.now().0).unwrap();
        let today = today.to_zoned(jiff::tz::TimeZone::UTC).date().to_string();
        let body = json!({ "start": today, "end": today, "granularity": "day" });
        let path = format!("/api/v1/orgs/{}/data-overall", team.org_id);
        let overall = owner.post(&path, body.clone()).await;
        assert_eq!(overall.body["data"]["totals"]["events"]["value"], 1, "{overall:?}");
        assert_eq!(overall.body["data"]["ingest"]["accepted"], 1);
        // A member who may not see the app's figures gets zeros.
        let member = team.actor("member").post(&path, body).await;
        assert_eq!(member.body["data"]["totals"]["events"]["value"], 0);
        let ingest = owner.get(&format!("/api/v1/apps/{}/ingest", team.app_id)).await;
        assert_eq!(ingest.body["data"]["accepted"], 1, "{ingest:?}");
        assert!(ingest.body["data"]["last_event_at"].is_string(), "{ingest:?}");
        let app = owner.get(&format!("/api/v1/apps/{}", team.app_id)).await;
        assert_eq!(app.body["data"]["events_24h"], 1, "{app:?}");
    }
}

in_both_sizes! {
    async fn a_duplicate_at_another_instance_is_stored_and_counted_once(server: TestServer) {
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        let second = server.second_instance_on_same_engine().await;
        let message = event(&server, "a");
        let batch = json!([message, event(&server, "b")]);
        for instance in [&server, &second] {
            let answer = instance.collect(&key, batch.clone()).await;
            assert_eq!(answer.body["data"]["accepted"], 2, "neither knows of the other");
        }
        drain(&server).await;
        drain(&second).await;
        // And again on an instance that has nothing in memory.
        let third = server.second_instance_on_same_engine().await;
        assert_eq!(third.collect(&key, json!([message])).await.body["data"]["accepted"], 1);
        drain(&third).await;
        assert_eq!(number(&server, "(SELECT count() FROM events)").await, 2);
        assert_eq!(number(&server, "(SELECT sum(events) FROM totals_15m)").await, 2);
        let expected = vec![("accepted".to_owned(), 2), ("duplicate".to_owned(), 3)];
        assert_eq!(booked(&server, &team.app_id).await, expected);
    }
}

in_both_sizes! {
    async fn an_id_is_its_apps_own(server: TestServer) {
        let (one, two) = (server.team("one").await, server.team("two").await);
        let message = event(&server, "a");
        for app in [&one.app_id, &two.app_id] {
            let key = server.collect_key(app.as_str()).await;
            let answer = server.collect(&key, json!([message])).await;
            assert_eq!(answer.body["data"]["accepted"], 1, "{answer:?}");
            drain(&server).await;
        }
        assert_eq!(number(&server, "(SELECT count() FROM events)").await, 2);
    }
}

in_both_sizes! {
    async fn a_batch_that_was_broken_off_is_completed(server: TestServer) {
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        let spool = &server.atrium.collector.spool;
        let store = &server.atrium.warehouse;
        store.ready(Duration::from_secs(60)).await.unwrap();
        for (round, broken_after) in ["nothing", "ids", "rows"].into_iter().enumerate() {
            let batch: Vec<_> = (0..10).map(|_| event(&server, "a")).collect();
            server.collect(&key, json!(batch)).await;
            let groups = spool.take(Wanted::AllBut(Default::default(), loader::Partitions::ALL), i64::MAX, Default::default()).await.unwrap();
            let number = 7_000 + round as u64;
            let attempt = Attempt { app: groups[0].app, upto: groups[0].seq, batch: number };
            spool.write(Change::Begin(vec![attempt])).await.unwrap();
            let mut records = Vec::new();
            record::decode(&groups[0].data, &mut records).unwrap();
            let (mut ids, mut rows) = (Vec::new(), Vec::new());
            for record in &records {
                let received = u32::try_from(server.atrium.now().0 / 1_000).unwrap();
                let (app_id, time_ms, log_id) = (record.app, record.time_ms, record.log_id);
                let id = LogIdRow { app_id, time_ms, log_id, received, batch: number };
                warehouse::write_log_id(&id, &mut ids);
                rows.extend_from_slice(&groups[0].data[record.row.clone()]);
                warehouse::write_person_ids(1, 1, &mut rows);
            }
            if broken_after != "nothing" {
                store.insert(&warehouse::log_id_insert(), ids.into(), Default::default()).await.unwrap();
            }
            if broken_after == "rows" {
                let sql = warehouse::event_insert(number);
                store.insert(&sql, rows.into(), Default::default()).await.unwrap();
            }
            drain(&server).await;
            let expected = 10 * (round as i64 + 1);
            for sum in ["count() FROM events", "uniqExact(log_id) FROM events",
                "sum(events) FROM totals_15m", "sum(events) FROM events_15m"] {
                let found = self::number(&server, &format!("(SELECT {sum})")).await;
                assert_eq!(found, expected, "after {broken_after}: {sum}");
            }
        }
        assert_eq!(booked(&server, &team.app_id).await, [("accepted".to_owned(), 30)]);
    }
}

in_both_sizes! {
    async fn many_long_names_are_no_obstacle(server: TestServer) {
        let team = server.team("one").await;
        let key = server.access_key(team.actor("owner"), team.app_id.as_str()).await;
        let messages: Vec<_> = (0..600)
            .map(|number| {
                let id = format!("{}{number:03}", "名".repeat(120));
                mutation(&server, "UserMutation", "set", &id, json!({ "n": number }))
            })
            .collect();
        let answer = server.collect_signed(&key, json!(messages)).await;
        assert_eq!(answer.body["data"]["accepted"], 600, "{answer:?}");
        drain(&server).await;
        assert_eq!(number(&server, "(SELECT count() FROM profiles FINAL)").await, 600);
    }
}

in_both_sizes! {
    async fn versions_that_a_stranger_makes_up_share_a_line(server: TestServer) {
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        for _ in 0..2 {
            let messages: Vec<_> = (0..500)
                .map(|_| {
                    let mut message = event(&server, "a");
                    message["data"]["sdk_version"] = json!(Uuid::new_v4().to_string()[..8]);
                    message
                })
                .collect();
            server.collect(&key, json!(messages)).await;
        }
        drain(&server).await;
        let lines = server.count("SELECT COUNT(*) FROM ingest_ledger").await;
        assert!(lines <= 52, "{lines}");
        assert_eq!(booked(&server, &team.app_id).await, [("accepted".to_owned(), 1_000)]);
    }
}

in_both_sizes! {
    async fn everything_that_came_is_in_one_counter(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let key = server.collect_key(app).await;
        let good = event(&server, "a");
        let mut late = event(&server, "a");
        late["data"]["timestamp"] = json!(1);
        server.collect(&key, json!([good, good, late, {}])).await;
        owner.post(&format!("/api/v1/apps/{app}/archive"), json!({})).await;
        server.collect(&key, json!([event(&server, "a"), event(&server, "b")])).await;
        drain(&server).await;
        let expected = [
            ("accepted", 1), ("app_archived", 2), ("bad_message", 1), ("duplicate", 1),
            ("timestamp_out_of_range", 1),
        ];
        let expected: Vec<_> = expected.map(|(name, n)| (name.to_owned(), n)).into();
        assert_eq!(booked(&server, &team.app_id).await, expected);
    }
}

in_both_sizes! {
    async fn mutations_apply_in_the_order_of_their_time(server: TestServer) {
        let team = server.team("one").await;
        let key = server.access_key(team.actor("owner"), team.app_id.as_str()).await;
        let now = server.atrium.now().0;
        let at = |offset: i64, operation: &str, properties: Value| {
            let mut message = mutation(&server, "UserMutation", operation, "user-1", properties);
            message["data"]["timestamp"] = json!(now + offset);
            message
        };
        let profile = async || {
            let ids = ["user-1".to_owned()];
            let store = &server.atrium.warehouse;
            let found = store.profiles(uuid(&team.app_id), Kind::User, &ids).await.unwrap();
            serde_json::from_str::<Value>(&found[0].properties).unwrap()
        };
        let later = at(-1_000, "set", json!({ "plan": "pro" }));
        let batch = json!([later, at(-2_000, "set_once", json!({ "first": "web" })),
            at(-1_500, "increment", json!({ "visits": 2 })), at(-900, "append", json!({ "tags": "a" }))]);
        server.collect_signed(&key, batch.clone()).await;
        drain(&server).await;
        assert_eq!(profile().await, json!({ "plan": "pro", "first": "web", "visits": 2, "tags": ["a"] }));
        // A late change takes its place in time, and a repeated one changes nothing.
        let late = at(-3_000, "set", json!({ "plan": "free", "first": "app" }));
        let second = server.second_instance_on_same_engine().await;
        second.collect_signed(&key, json!([late, batch[2], batch[3]])).await;
        drain(&second).await;
        assert_eq!(profile().await, json!({ "plan": "pro", "first": "app", "visits": 2, "tags": ["a"] }));
        let more = json!([at(-500, "increment", json!({ "visits": 3 })), at(-400, "unset", json!({ "tags": null }))]);
        server.collect_signed(&key, more).await;
        drain(&server).await;
        assert_eq!(profile().await, json!({ "plan": "pro", "first": "app", "visits": 5 }));
        server.collect_signed(&key, json!([at(-300, "delete", json!({}))])).await;
        drain(&server).await;
        assert_eq!(profile().await, json!({}));
    }
}

in_both_sizes! {
    async fn strange_properties_are_kept_as_they_came(server: TestServer) {
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        let strange = [
            r#"{"a":1,"a":2}"#, r#"{"a.b":1,"a":{"b":2}}"#, r#"{"":1}"#, r#"{"a":1e400}"#,
            r#"{"a":123456789012345678901234567890}"#, r#"{"a":"\ud800"}"#, r#"{"a":"\u0000"}"#,
            r#"{"a":[1,"x",{"b":null}]}"#, r#"{"a":{"b":{"c":{"d":{"e":{"f":{"g":1}}}}}}}"#,
            r#"{"\ud800":1}"#, r#"{"a":-0}"#, r#"{"$.x":1,"`":2,"a b":3}"#,
        ];
        let messages: Vec<_> = strange
            .iter()
            .map(|text| {
                let whole = event(&server, "strange").to_string();
                let (head, tail) = whole.split_once(r#""properties":"#).unwrap();
                let end = tail.find('}').unwrap();
                format!(r#"{head}"properties":{text}{}"#, &tail[end + 1..])
            })
            .collect();
        let body = format!(r#"{{"app_key":"{key}","messages":[{}]}}"#, messages.join(","));
        let page = server.anonymous();
        let request = page.request(reqwest::Method::POST, crate::support::sender::PATH).body(body);
        let answer = page.send(request).await;
        let taken = answer.body["data"]["accepted"].as_i64().unwrap();
        assert!(taken >= 10, "{answer:?}");
        drain(&server).await;
        let found = rows(&server, "SELECT properties FROM events").await;
        assert_eq!(found.len(), usize::try_from(taken).unwrap());
        for row in found {
            let kept = row["properties"].as_str().unwrap();
            assert!(strange.contains(&kept), "{kept}");
        }
    }
}

in_both_sizes! {
    async fn one_end_user_is_erased(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let key = server.collect_key(app).await;
        let signer = server.access_key(owner, app).await;
        let of = |user: &str, device: &str| {
            let mut message = event(&server, "a");
            message["data"]["user_id"] = json!(user);
            message["data"]["device_id"] = json!(device);
            message
        };
        server.collect(&key, json!([of("anna", "d1"), of("anna", "d1"), of("ben", "d1"), of("", "d2")])).await;
        let change = mutation(&server, "UserMutation", "set", "anna", json!({ "mail": "a@b.co" }));
        server.collect_signed(&signer, json!([change])).await;
        drain(&server).await;
        let path = format!("/api/v1/apps/{app}/erasures");
        assert_eq!(team.actor("developer").post(&path, json!({})).await.status, 403);
        let answer = owner.post(&path, json!({ "kind": "user", "subject": "anna" })).await;
        assert_eq!((answer.status, &answer.body["data"]["state"]), (200, &json!("pending")), "{answer:?}");
        assert_eq!(erasures::run::run_due(&server.atrium).await.unwrap(), 1);
        let list = owner.get(&path).await.body["data"]["items"][0].clone();
        assert_eq!((&list["state"], &list["events"]), (&json!("done"), &json!(2)), "{list}");
        assert!(!list.to_string().contains("anna"), "{list}");
        assert_eq!(number(&server, "(SELECT count() FROM events)").await, 2);
        assert_eq!(number(&server, "(SELECT sum(events) FROM totals_15m)").await, 2);
        assert_eq!(number(&server, "(SELECT count() FROM mutations)").await, 0);
        assert_eq!(number(&server, "(SELECT count() FROM profiles FINAL)").await, 0);
        let audit = owner.get(&format!("/api/v1/apps/{app}/audit-logs?action=data.")).await;
        assert_eq!(audit.body["data"]["total"], 2, "{audit:?}");
        assert!(!audit.body.to_string().contains("anna"), "whom it was about is gone too");
        // Erasing a device removes everything that it sent.
        owner.post(&path, json!({ "kind": "device", "subject": "d1" })).await;
        assert_eq!(erasures::run::run_due(&server.atrium).await.unwrap(), 1);
        assert_eq!(number(&server, "(SELECT count() FROM events)").await, 1);
    }
}

in_both_sizes! {
    async fn events_go_when_their_time_is_over(server: TestServer) {
        let team = server.team("one").await;
        let other = server.team("two").await;
        let owner = team.actor("owner");
        for app in [&team.app_id, &other.app_id] {
            let key = server.collect_key(app.as_str()).await;
            let now = server.atrium.now().0;
            let batch = json!([event_at(now, "new"), event_at(now - 40 * DAY, "old")]);
            assert_eq!(server.collect(&key, batch).await.status, 200);
        }
        drain(&server).await;
        let path = format!("/api/v1/apps/{}", team.app_id);
        assert_eq!(owner.put(&path, json!({ "retention_days": 0 })).await.status, 422);
        // The preview gives the number of events that will be deleted.
        let org = format!("/api/v1/orgs/{}", team.org_id);
        let goes = async |of: &str, days: i64| {
            let answer = owner.get(&format!("{of}/retention-impact?days={days}")).await;
            (answer.status, answer.body["data"]["events"].as_i64())
        };
        for of in [&path, &org] {
            assert_eq!(goes(of, 30).await, (200, Some(1)));
            assert_eq!(goes(of, 41).await, (200, Some(0)));
            assert_eq!(goes(of, 0).await.0, 422);
        }
        let set = owner.put(&path, json!({ "retention_days": 30 })).await;
        assert_eq!(set.body["data"]["retention_days"], 30, "{set:?}");
        // The team's retention does not apply to an app that has its own.
        assert_eq!((goes(&path, 30).await, goes(&org, 30).await), ((200, Some(1)), (200, Some(0))));
        assert_eq!(upkeep::retain(&server.atrium).await.unwrap(), 1);
        assert_eq!(goes(&path, 30).await, (200, Some(0)));
        assert_eq!(number(&server, "(SELECT count() FROM events)").await, 3);
        assert_eq!(number(&server, "(SELECT sum(events) FROM totals_15m)").await, 3);
        let set = owner.put(&path, json!({ "retention_days": null })).await;
        assert_eq!(set.body["data"]["retention_days"], Value::Null);
        // First-seen times stay: a device that was first seen long ago is not new today.
        assert_eq!(number(&server, "(SELECT uniqExact(app_id) FROM devices)").await, 2);
    }
}

in_both_sizes! {
    async fn old_events_go_a_day_at_a_time(server: TestServer) {
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        let now = server.atrium.now().0;
        let old = [40, 42, 44].map(|days| event_at(now - days * DAY, "old"));
        server.collect(&key, json!(old)).await;
        server.collect(&key, json!([event_at(now, "new")])).await;
        drain(&server).await;
        let set = json!({ "retention_days": 30 });
        team.actor("owner").put(&format!("/api/v1/apps/{}", team.app_id), set).await;
        let turns = "SELECT CAST(COALESCE(SUM(version), 0) AS BIGINT) FROM data_versions WHERE day = 0";
        let before = server.count(turns).await;
        assert_eq!(upkeep::retain(&server.atrium).await.unwrap(), 3);
        assert_eq!(server.count(turns).await - before, 3, "loading had its turn in between");
        for sum in ["(SELECT count() FROM events)", "(SELECT sum(events) FROM events_1w)"] {
            assert_eq!(number(&server, sum).await, 1, "{sum}");
        }
    }
}

in_both_sizes! {
    async fn a_purged_app_takes_its_data_along(server: TestServer) {
        let team = server.team("one").await;
        let other = server.team("two").await;
        for app in [&team.app_id, &other.app_id] {
            let key = server.collect_key(app.as_str()).await;
            server.collect(&key, json!([event(&server, "a")])).await;
        }
        drain(&server).await;
        let key = server.collect_key(team.app_id.as_str()).await;
        server.collect(&key, json!([event(&server, "waits")])).await;
        let owner = team.actor("owner");
        let path = format!("/api/v1/apps/{}", team.app_id);
        let name = owner.get(&path).await.body["data"]["name"].clone();
        assert_eq!(owner.delete_with(&path, json!({ "name": name })).await.status, 200);
        server.clock.advance(31 * DAY);
        assert_eq!(erasures::purge::run_due(&server.atrium).await.unwrap(), 1);
        // Messages that waited in the spool are dropped.
        drain(&server).await;
        assert_eq!(number(&server, "(SELECT count() FROM events)").await, 1);
        assert_eq!(number(&server, "(SELECT uniqExact(app_id) FROM totals_15m)").await, 1);
        assert!(booked(&server, &team.app_id).await.is_empty());
        assert_eq!(booked(&server, &other.app_id).await.len(), 1);
    }
}

in_both_sizes! {
    async fn people_are_notified_when_data_stops_coming_as_it_should(server: TestServer) {
        let team = server.team("one").await;
        let developer = &team.people["developer"].email;
        let key = server.collect_key(team.app_id.as_str()).await;
        let mut watch = alerts::Watch::default();
        assert_eq!(watch.look(&server.atrium).await.unwrap(), 0);
        let bad = Value::Array((0..150).map(|_| json!({})).collect());
        server.collect(&key, bad.clone()).await;
        drain(&server).await;
        assert_eq!(watch.look(&server.atrium).await.unwrap(), 1);
        server.mail_about(developer, "rejected").await;
        // One notification a day, whichever instance notices.
        server.collect(&key, bad).await;
        drain(&server).await;
        assert_eq!(watch.look(&server.atrium).await.unwrap(), 0);

        for back in 2..6 {
            let day = ledger::day_text(i32::try_from(server.atrium.now().0 / DAY).unwrap() - back);
            server
                .run(
                    "INSERT INTO ingest_ledger VALUES ($1, $2, 'Event', 'accepted', '1', 5)",
                    &[team.app_id.as_str(), day.as_str()],
                )
                .await;
        }
        let silent = watch.look(&server.atrium).await.unwrap();
        assert_eq!(silent, 1);
        server.mail_about(developer, "stopped").await;
        assert_eq!(watch.look(&server.atrium).await.unwrap(), 0, "said once");
        server.collect(&key, json!([event(&server, "back")])).await;
        drain(&server).await;
        assert_eq!(watch.look(&server.atrium).await.unwrap(), 0);
        assert_eq!(server.count("SELECT COUNT(*) FROM ingest_alerts WHERE kind = 'silence'").await, 0);
    }
}
