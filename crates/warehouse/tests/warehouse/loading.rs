//! What is stored can be read back, and the rollups agree with counting.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Deserialize;
use uuid::Uuid;
use warehouse::{
    EventRow, Insert, Kind, LogIdRow, MessageKey, MutationIn, ProfileRow, event_insert,
    log_id_insert, mutation_insert, subjects, write_event, write_log_id, write_mutation,
    write_person_ids,
};

use crate::support::{
    BUCKET_MS, Event, START_MS, Store, counted, make_up, number, rows, same, stored,
};

#[tokio::test(flavor = "multi_thread")]
async fn every_column_comes_back() {
    let store = Store::open().await;
    let (app, log_id) = (Uuid::new_v4(), Uuid::new_v4());
    let text = "tab\t nl\n\nback\\slash 'quote' \"double\" 中文 🙂 \0 end; SELECT 1;\r\n\n";
    let row = EventRow {
        app_id: app,
        time_ms: START_MS + 123,
        event: "page_view",
        log_id,
        device_id: text,
        user_id: "u-1",
        sdk_type: "js",
        sdk_version: "0.2.4",
        timezone_offset: -3.5,
        os: "macOS",
        language: "zh-CN",
        url_path: "/a?b=c",
        device_type: "PC",
        browser: "Chrome",
        browser_version: "120.0.1",
        user_agent: "Mozilla/5.0",
        client_version: "25.1",
        source: "web",
        properties: r#"{"a":1,"b":"x"}"#,
        received_ms: START_MS + 456,
    };
    let mut body = Vec::new();
    write_event(&row, &mut body);
    assert_eq!(subjects(&body), Some((text.as_bytes(), "u-1".as_bytes())));
    write_person_ids(7, 8, &mut body);
    store.warehouse.insert(&event_insert(u64::MAX), body.into(), Insert::default()).await.unwrap();

    let sql = "SELECT *, device, person, toUnixTimestamp64Milli(time) AS ms, cityHash64(device_id) AS d, \
               cityHash64('user', user_id) AS p FROM events WHERE device_id = {id:String} AND app_id = {app:UUID}";
    let found: Vec<serde_json::Value> =
        store.warehouse.query(sql, &[("id", text.into()), ("app", app.into())]).await.unwrap();
    assert_eq!(found.len(), 1);
    let found = &found[0];
    let expected = serde_json::json!({
        "app_id": app, "time": "2025-11-10 00:00:00.123", "event": "page_view", "log_id": log_id,
        "device_id": text, "user_id": "u-1", "sdk_type": "js", "sdk_version": "0.2.4",
        "timezone_offset": -3.5, "os": "macOS", "language": "zh-CN", "url_path": "/a?b=c",
        "device_type": "PC", "browser": "Chrome", "browser_version": "120.0.1",
        "user_agent": "Mozilla/5.0", "client_version": "25.1", "source": "web",
        "properties": r#"{"a":1,"b":"x"}"#, "received_at": "2025-11-10 00:00:00.456",
        "batch": u64::MAX, "ms": START_MS + 123, "person_no": 7, "device_no": 8,
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&found[name], value, "{name}");
    }
    assert_eq!(found["device"], found["d"]);
    assert_eq!(found["person"], found["p"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_properties_are_kept_as_they_are() {
    let store = Store::open().await;
    let app = Uuid::new_v4();
    let deep = format!("{}1{}", r#"{"a":"#.repeat(500), "}".repeat(500));
    let wide = format!(
        "{{{}}}",
        (0..5000).map(|n| format!(r#""k{n}":{n}"#)).collect::<Vec<_>>().join(",")
    );
    let hostile = [
        r#"{"a":1,"a":2}"#,
        r#"{"a.b":1,"a":{"b":2}}"#,
        &deep,
        &wide,
        r#"{"n":1e400,"m":123456789012345678901234567890}"#,
        r#"{"x":[1,"a",null,{"b":[]},[[]]]}"#,
        r#"{"nul":"\u0000","lone":"\ud800"}"#,
        r#"{"":{"":1}}"#,
        "{}",
        "not json",
        "",
        "\n\n",
        r#"{"sql":"'); DROP TABLE events;\n\n--"}"#,
    ];
    let mut events = make_up(1, hostile.len(), &[app]);
    for (event, text) in events.iter_mut().zip(hostile) {
        event.properties = text.to_owned();
        // Page views have their properties read when they are counted.
        event.event = "page_view".to_owned();
        event.referrer = "";
    }
    store.insert(1, &events).await;

    #[derive(Deserialize)]
    struct Row {
        log_id: Uuid,
        properties: String,
        a: i64,
    }
    let sql = "SELECT log_id, properties, JSONExtractInt(properties, 'a') AS a FROM events";
    let found: Vec<Row> = store.warehouse.query(sql, &[]).await.unwrap();
    assert_eq!(found.len(), events.len());
    for row in found {
        let event = events.iter().find(|event| event.log_id == row.log_id).unwrap();
        assert_eq!(row.properties, event.properties);
        assert!(row.a <= 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rollups_say_what_counting_says() {
    let store = Store::open().await;
    let apps: Vec<Uuid> = (0..3).map(|_| Uuid::new_v4()).collect();
    let mut all = Vec::new();
    for batch in 0..5 {
        let events = make_up(batch, 2000, &apps);
        store.insert(batch, &events).await;
        all.extend(events);
    }
    let expected = counted(&all);
    same(&stored(&store.warehouse).await, &expected);
    for table in [
        "totals_15m",
        "events_15m",
        "breakdowns_15m",
        "sessions_15m",
        "devices",
        "users",
        "totals_30m",
        "totals_1h",
        "totals_4h",
        "events_1h",
        "events_1d",
        "events_1w",
        "breakdowns_1h",
        "breakdowns_1d",
        "breakdowns_1w",
        "pages_15m",
        "page_visits_15m",
        "pages_1h",
        "pages_1d",
        "pages_1w",
        "session_starts",
    ] {
        store.warehouse.execute(&format!("OPTIMIZE TABLE {table} FINAL"), &[]).await.unwrap();
    }
    same(&stored(&store.warehouse).await, &expected);

    let (from, to) = (START_MS + BUCKET_MS, START_MS + 5 * BUCKET_MS);
    let counts = store.warehouse.count_events(&apps, from, to).await.unwrap();
    let last = store.warehouse.last_event(&apps).await.unwrap();
    for app in &apps {
        let of_app = || all.iter().filter(|event| event.app == *app);
        let inside = of_app().filter(|event| event.time_ms >= from && event.time_ms < to).count();
        assert_eq!(counts[app], inside as u64);
        assert_eq!(last[app], of_app().map(|event| event.time_ms).max().unwrap());
    }
    assert!(store.warehouse.last_event(&[Uuid::new_v4()]).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_makes_a_repeated_batch_count_once() {
    let store = Store::open().await;
    let app = Uuid::new_v4();
    let events = make_up(3, 3000, &[app]);
    for _ in 0..3 {
        let options = Insert { token: Some("batch 3"), ..Insert::default() };
        store.warehouse.insert(&event_insert(3), rows(&events), options).await.unwrap();
    }
    let touched = events.iter().map(Event::bucket).collect();
    store.warehouse.count_sessions(&[(app, touched)].into()).await.unwrap();
    assert_eq!(number(&store.warehouse, "SELECT count() AS n FROM events", &[]).await, 3000);
    same(&stored(&store.warehouse).await, &counted(&events));
}

#[tokio::test(flavor = "multi_thread")]
async fn known_ids_are_found_and_no_others() {
    let store = Store::open().await;
    let (app, other) = (Uuid::new_v4(), Uuid::new_v4());
    let ids: Vec<MessageKey> = (0..30_000).map(|at| (app, at / 7, Uuid::new_v4())).collect();
    let mut body = Vec::new();
    let now = number(&store.warehouse, "SELECT toUnixTimestamp(now()) AS n", &[]).await;
    for (index, (app_id, time_ms, log_id)) in ids[..20_000].iter().copied().enumerate() {
        let batch = if index < 15_000 { 1 } else { 2 };
        write_log_id(&LogIdRow { app_id, time_ms, log_id, received: now as u32, batch }, &mut body);
    }
    assert_eq!(body.len(), 20_000 * 52);
    store.warehouse.insert(&log_id_insert(), body.into(), Insert::default()).await.unwrap();

    let known = async |ids: &[MessageKey], batch| {
        let known = store.warehouse.known_ids(ids, batch).await.unwrap();
        let distinct: BTreeSet<(Uuid, Uuid)> = known.iter().copied().collect();
        assert_eq!(distinct.len(), known.len());
        distinct
    };
    let set =
        |ids: &[MessageKey]| ids.iter().map(|(app, _, id)| (*app, *id)).collect::<BTreeSet<_>>();
    assert_eq!(known(&ids[10_000..], 3).await, set(&ids[10_000..20_000]));
    // A load's own ids are not duplicates.
    assert_eq!(known(&ids[10_000..], 1).await, set(&ids[15_000..20_000]));
    // With another app or another time it is another message.
    let (app, at, id) = ids[0];
    assert!(known(&[(other, at, id), (app, at + 1, id)], 3).await.is_empty());
    // An id stored by an earlier version is recognized by the id alone.
    let old = format!("INSERT INTO log_ids VALUES ('{id}', '{app}', now(), 9)");
    store.warehouse.execute(&old, &[]).await.unwrap();
    assert_eq!(known(&[(app, at + 1, id)], 3).await, set(&ids[..1]));
    assert!(known(&[], 3).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn profiles_and_their_changes() {
    let store = Store::open().await;
    let app = Uuid::new_v4();
    let mut body = Vec::new();
    let ids: Vec<Uuid> = (0..4).map(|_| Uuid::new_v4()).collect();
    // Out of order, and the second one twice.
    for index in [3_usize, 1, 0, 1, 2] {
        let row = MutationIn {
            app_id: app,
            kind: Kind::User,
            id: "it's\n\nme",
            time_ms: START_MS + index as i64,
            log_id: ids[index],
            operation: "set",
            properties: r#"{"a":1}"#,
            received_ms: START_MS,
        };
        write_mutation(&row, &mut body);
    }
    store.warehouse.insert(&mutation_insert(9), body.into(), Insert::default()).await.unwrap();
    let me = ["it's\n\nme".to_owned()];
    let changes = async |kind, after| {
        let found = store.warehouse.mutations_of_many(app, kind, &me, after).await.unwrap();
        found.iter().map(|change| change.mutation.log_id).collect::<Vec<_>>()
    };
    assert_eq!(changes(Kind::User, None).await, ids);
    assert_eq!(changes(Kind::User, Some(START_MS + 1)).await, ids[2..]);
    assert!(changes(Kind::Device, None).await.is_empty());
    let batch = store.warehouse.stored_of_batch(9, &[app], START_MS, START_MS + 3).await.unwrap();
    let expected = ids.iter().map(|id| (app, *id)).collect();
    assert_eq!(batch.into_iter().collect::<BTreeSet<_>>(), expected);

    let profile = |id: &str, version, deleted| ProfileRow {
        app_id: app,
        kind: Kind::Device,
        id: id.to_owned(),
        properties: format!(r#"{{"v":{version}}}"#),
        updated_ms: START_MS + version as i64,
        last_log_id: ids[0],
        deleted,
        version,
    };
    let rows: Vec<ProfileRow> =
        (0..3000).map(|n| profile(&format!("设备 {n}"), 1, false)).collect();
    store.warehouse.insert_profiles(&rows).await.unwrap();
    store.warehouse.insert_profiles(&[profile("设备 7", 2, true)]).await.unwrap();
    let wanted: Vec<String> =
        rows.iter().map(|row| row.id.clone()).chain(["nobody".to_owned()]).collect();
    let found = store.warehouse.profiles(app, Kind::Device, &wanted).await.unwrap();
    assert_eq!(found.len(), 3000);
    assert_eq!(*found.iter().find(|row| row.id == "设备 7").unwrap(), profile("设备 7", 2, true));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_may_bring_the_schema_up_to_date_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let warehouse = warehouse::Warehouse::open(crate::support::at(folder.path(), 1024));
    let wait = Duration::from_secs(60);
    let (one, other) = tokio::join!(warehouse.ready(wait), warehouse.ready(wait));
    one.unwrap();
    other.unwrap();
    let twice = "SELECT count() - uniqExact(number) AS n FROM schema_migrations";
    assert_eq!(number(&warehouse, twice, &[]).await, 0);
    assert!(number(&warehouse, "SELECT max(number) AS n FROM schema_migrations", &[]).await > 5);
    warehouse.stop().await;
}
