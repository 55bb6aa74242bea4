//! Loading continues whatever anyone sends: apps take turns, messages that cannot be stored are found and set
//! aside, and nothing is lost or doubled on the way.

use std::time::{Duration, Instant};

use crate::ingest::{booked, number};
use crate::support::sender::{event, event_at};
use crate::support::{Store, TestServer, in_both_sizes};
use atrium::collect::ledger::{Outcome, Tally};
use atrium::collect::loader::{self, Turn};
use atrium::collect::message::{Label, MessageType};
use atrium::collect::record::{Record, RecordKind};
use atrium::collect::spool::{Change, Entry, Range, Spool};
use atrium::collect::upkeep;
use atrium::config::{RawSettings, Settings};
use atrium::instance::doctor;
use atrium::jobs;
use atrium::types::Id;
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use uuid::Uuid;
use warehouse::{EventRow, LogIdRow};

const MINUTE: i64 = 60 * 1_000;

fn uuid(id: &Id) -> Uuid {
    id.as_str().parse().unwrap()
}

/// Writes messages to the spool in the collector's format, without going through the collector. `values`
/// gives the event name and the device of each message.
async fn backlog(server: &TestServer, app: &Id, count: usize, values: impl Fn(usize) -> String) {
    let (app, at) = (uuid(app), server.atrium.now());
    let day = i32::try_from(at.0 / (24 * 60 * MINUTE)).unwrap();
    for first in (0..count).step_by(1_000) {
        let (mut data, mut tally) = (Vec::new(), Tally::default());
        let some = first..count.min(first + 1_000);
        for place in some.clone() {
            let (value, log_id) = (values(place), Uuid::new_v4());
            let mut row = Vec::new();
            let event = EventRow {
                app_id: app,
                time_ms: at.0,
                event: &value,
                log_id,
                device_id: "d",
                user_id: "",
                sdk_type: "js",
                sdk_version: "1",
                timezone_offset: 0.0,
                os: &value,
                language: &value,
                url_path: "/",
                device_type: &value,
                browser: &value,
                browser_version: "1",
                user_agent: "",
                client_version: "",
                source: "",
                properties: "{}",
                received_ms: at.0,
            };
            warehouse::write_event(&event, &mut row);
            let record = Record {
                kind: RecordKind::Event,
                app,
                log_id,
                time_ms: at.0,
                day,
                sdk_version: "1".to_owned(),
                subject: String::new(),
                row: 0..row.len(),
                over_limit: 0,
            };
            record.encode(&row, &mut data);
        }
        let label = Label { kind: MessageType::Event, sdk_version: "1".to_owned() };
        tally.add(app, day, &label, Outcome::Accepted, some.len() as i64);
        let messages = some.len() as u64;
        let entry = Entry { app, at, data, messages, tally, ids: Vec::new() };
        server.atrium.collector.spool.append(entry).await.unwrap();
    }
}

/// Moves everything that waits into the spool of a server that is gone.
async fn leave_behind(server: &TestServer) {
    let folder = server.folder().join("spool/2");
    std::fs::create_dir_all(&folder).unwrap();
    let own = Connection::open(server.folder().join("spool/1/spool.db")).unwrap();
    own.execute("VACUUM INTO ?1", [folder.join("spool.db").to_str().unwrap()]).unwrap();
    let left = Connection::open(folder.join("spool.db")).unwrap();
    left.execute("UPDATE meta SET value = lower(hex(randomblob(16)))", []).unwrap();
    let mut apps = left.prepare("SELECT app, MAX(seq) FROM groups GROUP BY app").unwrap();
    let ranges = apps.query_map([], |row| {
        let app = Uuid::from_slice(&row.get::<_, Vec<u8>>(0)?).unwrap();
        Ok(Range { app, after: 0, upto: row.get(1)? })
    });
    let ranges = ranges.unwrap().map(Result::unwrap).collect();
    server.atrium.collector.spool.write(Change::Finish(ranges)).await.unwrap();
}

fn left_file(server: &TestServer) -> Connection {
    Connection::open(server.folder().join("spool/2/spool.db")).unwrap()
}

/// The spool that a newly started server would adopt.
fn adopted(server: &TestServer) -> Option<Spool> {
    server.atrium.collector.left_behind(server.folder()).unwrap().pop()
}

/// Loads the adopted spool like a server that is killed and restarted after every step.
async fn drain_with_restarts(server: &TestServer) -> usize {
    let begun = Instant::now();
    let mut steps = 0;
    while let Some(spool) = adopted(server) {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never ends");
        match loader::turn(&server.atrium, &spool).await.unwrap() {
            Turn::NotMine => tokio::time::sleep(Duration::from_millis(50)).await,
            Turn::Later(wait) => tokio::time::sleep(wait).await,
            _ => steps += 1,
        }
        // A server retries a failing message several times, but only as long as it is not restarted.
        if steps > 20 {
            drain_patiently(server, &spool).await;
        }
    }
    steps
}

/// Loads everything, and waits for messages that are due for another try.
async fn drain_patiently(server: &TestServer, spool: &Spool) {
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never ends");
        match loader::turn(&server.atrium, spool).await.unwrap() {
            Turn::Idle => return,
            Turn::Later(wait) => tokio::time::sleep(wait).await,
            Turn::NotMine => tokio::time::sleep(Duration::from_millis(50)).await,
            Turn::Loaded(_) | Turn::Failed => {}
        }
    }
}

async fn assert_stored(server: &TestServer, expected: i64) {
    for sum in [
        "count() FROM events",
        "uniqExact(log_id) FROM events",
        "sum(events) FROM totals_15m",
        "sum(events) FROM events_15m",
        "sum(events) FROM events_1d",
        "sum(events) FROM events_1w",
        "sum(events) / 4 FROM breakdowns_15m",
        "sum(events) / 4 FROM breakdowns_1h",
    ] {
        assert_eq!(number(server, &format!("(SELECT {sum})")).await, expected, "{sum}");
    }
}

async fn refuse_poison(server: &TestServer, refuse: bool) {
    let store = &server.atrium.warehouse;
    store.ready(Duration::from_secs(60)).await.unwrap();
    let sql = match refuse {
        true => "ALTER TABLE events ADD CONSTRAINT poison CHECK event != 'poison'",
        false => "ALTER TABLE events DROP CONSTRAINT poison",
    };
    store.execute(sql, &[]).await.unwrap();
}

in_both_sizes! {
    async fn a_message_that_cannot_be_stored_is_set_aside_alone(server: TestServer) {
        let (one, two) = (server.team("one").await, server.team("two").await);
        let key = server.collect_key(one.app_id.as_str()).await;
        for group in 0..3 {
            let messages: Vec<_> = (0..50)
                .map(|place| event(&server, if (group, place) == (1, 33) { "poison" } else { "a" }))
                .collect();
            server.collect(&key, json!(messages)).await;
        }
        let other = server.collect_key(two.app_id.as_str()).await;
        let messages: Vec<_> = (0..20).map(|_| event(&server, "b")).collect();
        server.collect(&other, json!(messages)).await;
        refuse_poison(&server, true).await;
        let spool = &server.atrium.collector.spool;
        drain_patiently(&server, spool).await;
        assert_stored(&server, 169).await;
        let expected = vec![("accepted".to_owned(), 149), ("cannot_be_stored".to_owned(), 1)];
        assert_eq!(booked(&server, &one.app_id).await, expected);
        assert_eq!(booked(&server, &two.app_id).await, [("accepted".to_owned(), 20)]);
        assert_eq!(spool.usage().messages(), 0);
        let kept = Connection::open(server.folder().join("spool/1/spool.db")).unwrap();
        let (app, reason, error): (String, String, String) = kept
            .query_row("SELECT app, reason, error FROM set_aside", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .unwrap();
        assert_eq!((app.as_str(), reason.as_str()), (one.app_id.as_str(), "cannot_be_stored"));
        assert!(error.contains("poison"), "{error}");
        // The bad message does not hold up its app's other messages, and the app's pages report it.
        refuse_poison(&server, false).await;
        server.collect(&key, json!([event(&server, "later")])).await;
        drain_patiently(&server, spool).await;
        assert_stored(&server, 170).await;
        let path = format!("/api/v1/apps/{}/ingest", one.app_id);
        let ingest = one.actor("owner").get(&path).await.body["data"].clone();
        assert_eq!(ingest["reasons"][0]["reason"], "cannot_be_stored", "{ingest}");
        let ready = server.anonymous().get("/readyz").await;
        assert_eq!(ready.body["set_aside"], 1, "{ready:?}");
        let settings = Settings::check(server.raw_settings()).unwrap();
        let findings = doctor::examine(&settings).await;
        let spool = findings.iter().find(|finding| finding.what == "spool").unwrap();
        assert!(spool.text.contains("1 could not be stored"), "{spool}");
    }
}

in_both_sizes! {
    async fn restarts_while_a_bad_message_is_looked_for_double_nothing(server: TestServer) {
        let (one, two) = (server.team("one").await, server.team("two").await);
        for (team, name) in [(&one, "poison"), (&two, "fine")] {
            let key = server.collect_key(team.app_id.as_str()).await;
            let messages: Vec<_> =
                (0..40).map(|place| event(&server, if place == 7 { name } else { "a" })).collect();
            server.collect(&key, json!(messages)).await;
        }
        leave_behind(&server).await;
        refuse_poison(&server, true).await;
        let steps = drain_with_restarts(&server).await;
        assert!(steps > 5, "{steps}");
        assert_stored(&server, 79).await;
        let expected = vec![("accepted".to_owned(), 39), ("cannot_be_stored".to_owned(), 1)];
        assert_eq!(booked(&server, &one.app_id).await, expected);
        assert_eq!(booked(&server, &two.app_id).await, [("accepted".to_owned(), 40)]);
        // With the cause removed, nothing is loaded a second time.
        refuse_poison(&server, false).await;
        assert!(adopted(&server).is_none());
        assert_stored(&server, 79).await;
    }
}

/// A crash after a message was set aside and before that was recorded in the ledger.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_set_aside_stays_aside_after_a_crash() {
    let server = TestServer::start(Store::Sqlite).await;
    let team = server.team("one").await;
    let key = server.collect_key(team.app_id.as_str()).await;
    server.collect(&key, json!([event(&server, "poison")])).await;
    leave_behind(&server).await;
    refuse_poison(&server, true).await;
    let spool = adopted(&server).unwrap();
    let begun = Instant::now();
    while left_file(&server).query_row("SELECT COUNT(*) FROM set_aside", [], |r| r.get::<_, i64>(0))
        == Ok(0)
    {
        assert!(begun.elapsed() < Duration::from_secs(30), "it is never set aside");
        if let Turn::Later(wait) = loader::turn(&server.atrium, &spool).await.unwrap() {
            tokio::time::sleep(wait).await;
        }
    }
    assert!(booked(&server, &team.app_id).await.is_empty());
    drop(spool);
    refuse_poison(&server, false).await;
    drain_patiently(&server, &adopted(&server).unwrap()).await;
    assert_eq!(number(&server, "(SELECT count() FROM events)").await, 0);
    assert_eq!(booked(&server, &team.app_id).await, [("cannot_be_stored".to_owned(), 1)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_group_is_set_aside_and_the_rest_is_loaded() {
    let server = TestServer::start(Store::Sqlite).await;
    let (one, two) = (server.team("one").await, server.team("two").await);
    for team in [&one, &one, &two] {
        let key = server.collect_key(team.app_id.as_str()).await;
        server.collect(&key, json!([event(&server, "a"), event(&server, "b")])).await;
    }
    leave_behind(&server).await;
    let damage = "UPDATE groups SET data = substr(data, 1, 40) WHERE seq = (
        SELECT MIN(seq) FROM groups WHERE app = ?1)";
    left_file(&server).execute(damage, [uuid(&one.app_id).as_bytes()]).unwrap();
    drain_patiently(&server, &adopted(&server).unwrap()).await;
    assert_stored(&server, 4).await;
    let expected = vec![("accepted".to_owned(), 2), ("cannot_be_stored".to_owned(), 2)];
    assert_eq!(booked(&server, &one.app_id).await, expected);
    assert_eq!(booked(&server, &two.app_id).await, [("accepted".to_owned(), 2)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_backlog_of_one_app_leaves_room_for_another() {
    let server = TestServer::start(Store::Sqlite).await;
    let (one, two) = (server.team("one").await, server.team("two").await);
    server.atrium.warehouse.ready(Duration::from_secs(60)).await.unwrap();
    backlog(&server, &one.app_id, 310_000, |_| "a".to_owned()).await;
    let key = server.collect_key(two.app_id.as_str()).await;
    server.collect(&key, json!([event(&server, "fresh")])).await;
    let fresh = "(SELECT count() FROM events WHERE event = 'fresh')";
    let spool = &server.atrium.collector.spool;
    for _ in 0..2 {
        assert!(matches!(loader::turn(&server.atrium, spool).await.unwrap(), Turn::Loaded(_)));
    }
    assert_eq!(number(&server, fresh).await, 1);
    assert!(spool.usage().messages() > 0, "the backlog is still there");
}

/// Values with counts of their own cost the store memory. This many at once are too many for such a small
/// engine, and only the app that sends them is slowed down.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tens_of_thousands_of_values_delay_nobody_else() {
    let change = |raw: &mut RawSettings| raw.engine_memory_mb = Some(512);
    let server = TestServer::start_with(Store::Sqlite, change).await;
    let (one, two) = (server.team("one").await, server.team("two").await);
    server.atrium.warehouse.ready(Duration::from_secs(60)).await.unwrap();
    backlog(&server, &one.app_id, 60_000, |place| format!("value-{place}-{}", "x".repeat(80)))
        .await;
    let key = server.collect_key(two.app_id.as_str()).await;
    server.collect(&key, json!([event(&server, "fresh")])).await;
    jobs::start(&server.atrium);
    let begun = Instant::now();
    let fresh = "(SELECT count() FROM events WHERE event = 'fresh')";
    while number(&server, fresh).await == 0 {
        assert!(begun.elapsed() < Duration::from_secs(15), "another app's event waits");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let spool = &server.atrium.collector.spool;
    while spool.usage().messages() > 0 {
        assert!(begun.elapsed() < Duration::from_secs(120), "{} wait", spool.usage().messages());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_stored(&server, 60_001).await;
}

/// A spool as earlier versions wrote it: messages of several apps in one group, and one attempt for all of
/// them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spool_of_an_earlier_version_is_taken_over() {
    let server = TestServer::start(Store::Sqlite).await;
    let (one, two) = (server.team("one").await, server.team("two").await);
    for _ in 0..3 {
        for team in [&one, &two] {
            let key = server.collect_key(team.app_id.as_str()).await;
            server.collect(&key, json!([event(&server, "a"), event(&server, "b"), {}])).await;
        }
    }
    leave_behind(&server).await;
    let records = make_old(&left_file(&server));
    // The first group was begun, and its rows were stored.
    let store = &server.atrium.warehouse;
    store.ready(Duration::from_secs(60)).await.unwrap();
    let (mut ids, mut events) = (Vec::new(), Vec::new());
    for (record, row) in records {
        let received = u32::try_from(server.atrium.now().0 / 1_000).unwrap();
        let (app_id, time_ms, log_id) = (record.app, record.time_ms, record.log_id);
        let id = LogIdRow { app_id, time_ms, log_id, received, batch: 7 };
        warehouse::write_log_id(&id, &mut ids);
        events.extend_from_slice(&row);
        warehouse::write_person_ids(1, 1, &mut events);
    }
    store.insert(&warehouse::log_id_insert(), ids.into(), Default::default()).await.unwrap();
    store.insert(&warehouse::event_insert(7), events.into(), Default::default()).await.unwrap();
    let steps = drain_with_restarts(&server).await;
    assert!(steps >= 2, "{steps}");
    assert_stored(&server, 12).await;
    for team in [&one, &two] {
        let expected = vec![("accepted".to_owned(), 6), ("bad_message".to_owned(), 3)];
        assert_eq!(booked(&server, &team.app_id).await, expected);
    }
}

/// Rewrites a spool in the earlier format, with three groups of two apps each. Returns the messages of the
/// first group.
fn make_old(file: &Connection) -> Vec<(Record, Vec<u8>)> {
    let mut groups =
        file.prepare("SELECT ledger, data, messages FROM groups ORDER BY seq").unwrap();
    let found: Vec<(String, Vec<u8>, i64)> = groups
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    file.execute_batch(
        "DROP TABLE groups; DROP TABLE attempts; DROP TABLE set_aside;
         CREATE TABLE groups (seq INTEGER PRIMARY KEY AUTOINCREMENT, format INTEGER NOT NULL,
            messages INTEGER NOT NULL, ledger TEXT NOT NULL, data BLOB NOT NULL);
         CREATE TABLE attempt (one INTEGER PRIMARY KEY CHECK (one = 1), batch INTEGER NOT NULL,
            upto INTEGER NOT NULL);
         INSERT INTO attempt VALUES (1, 7, 1);",
    )
    .unwrap();
    for pair in found.chunks(2) {
        let ledgers =
            pair.iter().map(|(ledger, ..)| serde_json::from_str::<Value>(ledger).unwrap());
        let lines: Vec<Value> =
            ledgers.flat_map(|ledger| ledger.as_array().unwrap().clone()).collect();
        let data: Vec<u8> = pair.iter().flat_map(|(_, data, _)| data.clone()).collect();
        let messages: i64 = pair.iter().map(|(.., messages)| messages).sum();
        let sql = "INSERT INTO groups (format, messages, ledger, data) VALUES (1, ?1, ?2, ?3)";
        file.execute(sql, params![messages, json!(lines).to_string(), data]).unwrap();
    }
    let data: Vec<u8> = found[..2].iter().flat_map(|(_, data, _)| data.clone()).collect();
    let mut records = Vec::new();
    atrium::collect::record::decode(&data, &mut records).unwrap();
    records.into_iter().map(|record| (record.clone(), data[record.row].to_vec())).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn how_long_messages_wait_is_reported() {
    // Nothing listens there.
    let change =
        |raw: &mut RawSettings| raw.warehouse_url = Some("http://127.0.0.1:9/x".to_owned());
    let server = TestServer::start_with(Store::Sqlite, change).await;
    let (one, two) = (server.team("one").await, server.team("two").await);
    let ready = server.anonymous().get("/readyz").await;
    assert_eq!(ready.body["oldest_waiting_seconds"], Value::Null, "{ready:?}");
    assert_eq!(ready.body["loader"], "ok");
    let key = server.collect_key(one.app_id.as_str()).await;
    server.collect(&key, json!([event(&server, "a")])).await;
    server.clock.advance(3 * MINUTE);
    server.collect(&key, json!([event_at(server.atrium.now().0, "b")])).await;
    let ready = server.anonymous().get("/readyz").await;
    let waited = ready.body["oldest_waiting_seconds"].as_i64().unwrap();
    assert!((180..200).contains(&waited), "{ready:?}");
    assert_eq!((ready.status, &ready.body["loader"]), (200, &json!("degraded")), "{ready:?}");
    upkeep::measure(&server.atrium).await;
    let metrics = http_client::local()
        .get(format!("{}/metrics", server.url))
        .send()
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    let seconds =
        metrics.lines().find_map(|line| line.strip_prefix("atrium_spool_oldest_seconds "));
    assert!(seconds.unwrap().parse::<f64>().unwrap() >= 180.0, "{seconds:?}");
    assert!(metrics.contains("\natrium_loader_degraded 1"), "{metrics}");
    // The console shows the delay to the team whose messages wait, and only to that team.
    for (team, is_late) in [(&one, true), (&two, false)] {
        let path = format!("/api/v1/apps/{}/ingest", team.app_id);
        let ingest = team.actor("owner").get(&path).await;
        assert_eq!(ingest.body["data"]["delay_seconds"].is_i64(), is_late, "{ingest:?}");
        let path = format!("/api/v1/orgs/{}/data-overall", team.org_id);
        let body = json!({ "start": "2026-01-01", "end": "2026-01-02", "parts": ["ingest"] });
        let overall = team.actor("owner").post(&path, body).await;
        let ingest = &overall.body["data"]["ingest"];
        assert_eq!(ingest["delay_seconds"].is_i64(), is_late, "{overall:?}");
    }
}
