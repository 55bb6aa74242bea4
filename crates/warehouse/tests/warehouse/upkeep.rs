//! Rebuilt counts, retention, erasure, and the purge of an app.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use uuid::Uuid;
use warehouse::{
    Insert, Kind, LogIdRow, MutationIn, ProfileRow, log_id_insert, mutation_insert, write_log_id,
    write_mutation,
};

use crate::support::{
    BUCKET_MS, Event, START_MS, Store, counted, make_up, number, own, same, stored,
};

/// A store with events of two apps, and those events.
async fn filled() -> (Store, Vec<Uuid>, Vec<Event>) {
    let store = Store::open().await;
    let apps: Vec<Uuid> = (0..2).map(|_| Uuid::new_v4()).collect();
    let events = make_up(11, 4000, &apps);
    store.insert(1, &events[..2000]).await;
    store.insert(2, &events[2000..]).await;
    (store, apps, events)
}

/// Adds something about a device or a user to each of the other tables.
async fn add_profiles(store: &Store, app: Uuid, kind: Kind, id: &str) {
    let log_id = Uuid::new_v4();
    let mutation = MutationIn {
        app_id: app,
        kind,
        id,
        time_ms: START_MS,
        log_id,
        operation: "set",
        properties: "{}",
        received_ms: START_MS,
    };
    let mut body = Vec::new();
    write_mutation(&mutation, &mut body);
    store.warehouse.insert(&mutation_insert(5), body.into(), Insert::default()).await.unwrap();
    let profile = ProfileRow {
        app_id: app,
        kind,
        id: id.to_owned(),
        properties: "{}".to_owned(),
        updated_ms: START_MS,
        last_log_id: log_id,
        deleted: false,
        version: 1,
    };
    store.warehouse.insert_profiles(&[profile]).await.unwrap();
    let mut body = Vec::new();
    let received = number(&store.warehouse, "SELECT toUnixTimestamp(now()) AS n", &[]).await as u32;
    write_log_id(&LogIdRow { app_id: app, time_ms: 0, log_id, received, batch: 1 }, &mut body);
    store.warehouse.insert(&log_id_insert(), body.into(), Insert::default()).await.unwrap();
}

fn buckets(events: &[Event], app: Uuid) -> Vec<u32> {
    events.iter().filter(|event| event.app == app).map(Event::bucket).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn corrupted_counts_are_made_anew() {
    let (store, apps, events) = filled().await;
    let expected = counted(&events);
    let warehouse = &store.warehouse;
    // Doubled, removed, and invented counts.
    warehouse.execute("INSERT INTO totals_15m SELECT * FROM totals_15m", &[]).await.unwrap();
    warehouse.execute("TRUNCATE TABLE events_15m", &[]).await.unwrap();
    warehouse.execute("TRUNCATE TABLE sessions_15m", &[]).await.unwrap();
    warehouse.execute("TRUNCATE TABLE users", &[]).await.unwrap();
    let invent = "INSERT INTO breakdowns_15m (app_id, dimension, bucket, value, events) \
                  SELECT app_id, 'os', bucket, 'Plan 9', 7 FROM totals_15m";
    warehouse.execute(invent, &[]).await.unwrap();
    for app in &apps {
        let buckets = buckets(&events, *app);
        warehouse.rebuild(*app, &buckets).await.unwrap();
        // Once more, as after a crash: nothing is doubled, and nothing is skipped as a repeated block.
        warehouse.rebuild(*app, &buckets).await.unwrap();
    }
    same(&stored(warehouse).await, &expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rebuild_leaves_other_buckets_alone() {
    let (store, apps, events) = filled().await;
    let warehouse = &store.warehouse;
    warehouse.execute("INSERT INTO totals_15m SELECT * FROM totals_15m", &[]).await.unwrap();
    let one = buckets(&events, apps[0])[0];
    warehouse.rebuild(apps[0], &[one]).await.unwrap();
    let (found, expected) = (stored(warehouse).await, counted(&events));
    for (key, value) in &expected {
        if let Some(rest) = key.strip_prefix("total ") {
            let factor = if rest == format!("{} {one}", apps[0]) { 1 } else { 2 };
            assert_eq!(found[key].0, value.0 * factor, "{key}");
        }
    }
}

/// Someone who came now and then over months, and is erased.
#[tokio::test(flavor = "multi_thread")]
async fn buckets_far_apart_are_rebuilt_whatever_their_number() {
    let (store, apps, events) = filled().await;
    let start = u32::try_from(START_MS / 1_000).unwrap();
    let scattered: Vec<u32> = (0..1_800).map(|place| start + place * 3 * 900).collect();
    store.warehouse.rebuild(apps[0], &scattered).await.unwrap();
    same(&stored(&store.warehouse).await, &counted(&events));
}

#[tokio::test(flavor = "multi_thread")]
async fn retention_cuts_at_a_quarter_of_an_hour() {
    let (store, apps, mut events) = filled().await;
    let cut = START_MS + 9 * BUCKET_MS;
    let old = events.iter().filter(|event| event.app == apps[0] && event.time_ms < cut).count();
    let removed = store.warehouse.retain(apps[0], cut + 12_345).await.unwrap();
    assert_eq!(removed, old as u64);
    assert_eq!(store.warehouse.retain(apps[0], cut).await.unwrap(), 0);

    let mut expected = counted(&events);
    expected.retain(|key, _| ["device ", "user ", "owner "].iter().any(|it| key.starts_with(it)));
    events.retain(|event| event.app != apps[0] || event.time_ms >= cut);
    let mut rest = counted(&events);
    // First and last times of devices and users stay.
    rest.append(&mut expected);
    same(&stored(&store.warehouse).await, &rest);
    let count = number(&store.warehouse, "SELECT count() AS n FROM events", &[]).await;
    assert_eq!(count, events.len() as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erased_user_leaves_nothing_and_takes_nobody_along() {
    let (store, apps, mut events) = filled().await;
    let app = apps[0];
    for (kind, id) in [(Kind::User, "user 3"), (Kind::User, "user 4"), (Kind::Device, "device 6")] {
        add_profiles(&store, app, kind, id).await;
    }
    own(&mut events);
    let hit = |event: &Event| event.app == app && event.person() == "u user 3";
    let count = events.iter().filter(|event| hit(event)).count();
    let anonymous = events.iter().filter(|event| hit(event) && event.user_id.is_empty()).count();
    assert!(0 < anonymous && anonymous < count);
    let expected_devices = counted(&events);
    assert_eq!(store.warehouse.erase(app, Kind::User, "user 3").await.unwrap(), count as u64);
    let theirs: BTreeSet<String> =
        events.iter().filter(|event| hit(event)).map(|event| event.device_id.clone()).collect();
    events.retain(|event| !hit(event));
    let is_left = |device: &str| events.iter().any(|it| it.app == app && it.device_id == device);
    assert!(theirs.iter().any(|device| !is_left(device)));
    let mut expected = counted(&events);
    // A device that others used keeps its times; a device with nothing left is removed.
    let gone = |key: &str| {
        theirs.iter().any(|device| key == format!("device {app} {device}") && !is_left(device))
    };
    let devices = expected_devices.into_iter().filter(|(key, _)| key.starts_with("device "));
    expected.extend(devices.filter(|(key, _)| !gone(key)));
    same(&stored(&store.warehouse).await, &expected);
    let users = ["user 3".to_owned(), "user 4".to_owned()];
    let left = store.warehouse.mutations_of_many(app, Kind::User, &users, None).await.unwrap();
    assert_eq!(left.iter().map(|change| change.id.as_str()).collect::<Vec<_>>(), ["user 4"]);
    let ids = ["user 3".to_owned(), "user 4".to_owned()];
    assert_eq!(store.warehouse.profiles(app, Kind::User, &ids).await.unwrap().len(), 1);
    assert_eq!(store.warehouse.erase(app, Kind::User, "user 3").await.unwrap(), 0);
}

/// A delete only masks rows. Waits until no part of these tables has masked rows.
async fn rewritten(store: &Store, tables: &str) {
    let masked = format!(
        "SELECT count() AS n FROM system.parts WHERE database = currentDatabase() AND active \
         AND has_lightweight_delete AND match(table, '^({tables})$')"
    );
    let started = Instant::now();
    while number(&store.warehouse, &masked, &[]).await > 0 {
        assert!(started.elapsed() < Duration::from_secs(30), "masked rows stay");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_erased_is_removed_from_the_disk() {
    let (store, apps, _) = filled().await;
    add_profiles(&store, apps[0], Kind::User, "user 3").await;
    store.warehouse.erase(apps[0], Kind::User, "user 3").await.unwrap();
    let with_ids =
        "events|devices|users|device_owners|identities|mutations|profiles|erasures|pages_.*";
    rewritten(&store, with_ids).await;
    store.warehouse.retain(apps[0], START_MS + 3 * 3_600_000).await.unwrap();
    rewritten(&store, "events|pages_.*").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erasure_that_was_cut_off_is_completed() {
    let (store, apps, mut events) = filled().await;
    let app = apps[1];
    let hit = |event: &Event| event.app == app && event.device_id == "device 8";
    // As after a crash: the note is written, the events are deleted, and the counts are not yet rebuilt.
    let note = "INSERT INTO erasures SELECT DISTINCT app_id, 'device', device_id, \
                toStartOfFifteenMinutes(toDateTime(time, 'UTC')) FROM events \
                WHERE app_id = {app:UUID} AND device_id = 'device 8'";
    store.warehouse.execute(note, &[("app", app.into())]).await.unwrap();
    let delete = "DELETE FROM events WHERE app_id = {app:UUID} AND device_id = 'device 8'";
    store.warehouse.execute(delete, &[("app", app.into())]).await.unwrap();
    assert_eq!(store.warehouse.erase(app, Kind::Device, "device 8").await.unwrap(), 0);
    let before = counted(&events);
    events.retain(|event| !hit(event));
    let mut expected = counted(&events);
    expected.extend(before.into_iter().filter(|(key, _)| key.starts_with("user ")));
    same(&stored(&store.warehouse).await, &expected);
    assert_eq!(number(&store.warehouse, "SELECT count() AS n FROM erasures", &[]).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purged_app_is_gone_from_every_table() {
    let (store, apps, mut events) = filled().await;
    for app in &apps {
        add_profiles(&store, *app, Kind::User, "user 1").await;
    }
    store.warehouse.purge_app(apps[0]).await.unwrap();
    events.retain(|event| event.app == apps[1]);
    same(&stored(&store.warehouse).await, &counted(&events));

    #[derive(serde::Deserialize)]
    struct Table {
        table: String,
    }
    let tables = "SELECT DISTINCT table FROM system.columns \
                  WHERE database = currentDatabase() AND name = 'app_id' AND table NOT LIKE '%_view'";
    let tables: Vec<Table> = store.warehouse.query(tables, &[]).await.unwrap();
    assert!(tables.len() >= 11, "every table is looked at");
    for table in tables {
        let sql = format!("SELECT count() AS n FROM {} WHERE app_id = {{app:UUID}}", table.table);
        assert_eq!(
            number(&store.warehouse, &sql, &[("app", apps[0].into())]).await,
            0,
            "{}",
            table.table
        );
    }
}
