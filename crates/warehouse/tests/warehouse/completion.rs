//! After an interrupted load, counts that are missing or doubled are corrected, in every table. On a busy
//! engine that work waits for its turn.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use uuid::Uuid;

use crate::support::{Counts, Event, Store, counted, make_up, number, same, stored};

const SETS: &[&str] = &["totals_30m", "totals_1h", "totals_4h"];

fn touched(events: &[Event]) -> BTreeMap<Uuid, BTreeSet<u32>> {
    let mut touched = BTreeMap::<Uuid, BTreeSet<u32>>::new();
    for event in events {
        touched.entry(event.app).or_default().insert(event.bucket());
    }
    touched
}

/// The people and events in the tables with longer buckets.
async fn in_pieces(store: &Store) -> Vec<u64> {
    let mut sums = Vec::new();
    for table in SETS {
        let sql = format!(
            "SELECT sum(n) AS n FROM (SELECT groupBitmapMerge(people) AS n FROM {table} \
             GROUP BY app_id, bucket)"
        );
        sums.push(number(&store.warehouse, &sql, &[]).await);
    }
    for table in
        ["events_1h", "events_1d", "events_1w", "breakdowns_1h", "breakdowns_1d", "breakdowns_1w"]
            .into_iter()
            .chain(["pages_1h", "pages_1d", "pages_1w"])
    {
        let sql = format!("SELECT toUInt64(sum(events)) AS n FROM {table}");
        sums.push(number(&store.warehouse, &sql, &[]).await);
    }
    sums
}

/// What may be wrong with the counts of one quarter of an hour, of the app in the statement. Whatever is noticed
/// has the quarter counted anew in every table, so each is done to an app of its own: another one cannot have it
/// corrected.
const QUARTERS: &[&str] = &[
    "ALTER TABLE totals_15m DELETE WHERE app_id = {app:UUID} SETTINGS mutations_sync = 2",
    "ALTER TABLE events_15m DELETE WHERE app_id = {app:UUID} SETTINGS mutations_sync = 2",
    "INSERT INTO breakdowns_15m SELECT * FROM breakdowns_15m \
     WHERE app_id = {app:UUID} AND dimension = 'browser'",
    "ALTER TABLE pages_15m DELETE WHERE app_id = {app:UUID} SETTINGS mutations_sync = 2",
    "ALTER TABLE pages_15m DELETE WHERE app_id = {app:UUID} AND dimension = 'exit' \
     SETTINGS mutations_sync = 2",
];

/// What may be wrong beside that, in tables that are compared and corrected one by one.
const OTHERS: &[&[&str]] = &[
    &[
        "TRUNCATE TABLE events_1d",
        "INSERT INTO breakdowns_1w SELECT * FROM breakdowns_1w",
        "TRUNCATE TABLE totals_1h",
        "TRUNCATE TABLE totals_30m",
        "TRUNCATE TABLE totals_4h",
        "TRUNCATE TABLE sessions_15m",
        "TRUNCATE TABLE session_starts",
        "TRUNCATE TABLE users",
        "TRUNCATE TABLE devices",
        // A visit that was taken from one page and given to another: in the 15-minute table but not in the
        // daily one.
        "INSERT INTO pages_1d (app_id, dimension, bucket, value, events) \
         SELECT app_id, 'entry', max(bucket), arrayJoin(['/', '/docs']) AS page, \
             if(page = '/', 1, -1) FROM pages_1d GROUP BY app_id",
    ],
    &["TRUNCATE TABLE page_visits_15m", "TRUNCATE TABLE pages_1h", "TRUNCATE TABLE events_1h"],
    // Nothing is.
    &[],
];

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_broken_load_left_is_completed() {
    let store = Store::open().await;
    let apps: Vec<Uuid> = QUARTERS.iter().map(|_| Uuid::new_v4()).collect();
    let events = make_up(5, 3000, &apps);
    store.insert(1, &events).await;
    let (expected, pieces) = (counted(&events), in_pieces(&store).await);
    for (app, statement) in apps.iter().zip(QUARTERS) {
        store.warehouse.execute(statement, &[("app", (*app).into())]).await.unwrap();
    }
    let spoiled = stored(&store.warehouse).await;
    for app in apps.iter().map(Uuid::to_string) {
        let of_app = |counts: &Counts| -> Counts {
            let own = counts.iter().filter(|(key, _)| key.contains(&app));
            own.map(|(key, count)| (key.clone(), *count)).collect()
        };
        assert!(of_app(&spoiled) != of_app(&expected), "nothing is wrong with it");
    }
    store.warehouse.complete(1, &touched(&events)).await.unwrap();
    same(&stored(&store.warehouse).await, &expected);
    assert_eq!(in_pieces(&store).await, pieces, "after {QUARTERS:?}");
    for statements in OTHERS {
        for statement in *statements {
            store.warehouse.execute(statement, &[]).await.unwrap();
        }
        store.warehouse.complete(1, &touched(&events)).await.unwrap();
        same(&stored(&store.warehouse).await, &expected);
        assert_eq!(in_pieces(&store).await, pieces, "after {statements:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn counting_anew_waits_for_its_turn() {
    let store = Store::open().await;
    let app = Uuid::new_v4();
    let events = make_up(6, 500, &[app]);
    store.insert(1, &events).await;
    store.warehouse.execute("TRUNCATE TABLE events_15m", &[]).await.unwrap();
    // Both of the engine's places for changes are taken, for longer than a statement may wait.
    let busy = || {
        let store = store.warehouse.clone();
        tokio::spawn(async move {
            let sql = "INSERT INTO FUNCTION null('a UInt8') SELECT sleepEachRow(1) FROM numbers(14) \
                       SETTINGS max_block_size = 1";
            store.execute(sql, &[]).await
        })
    };
    let (first, second) = (busy(), busy());
    tokio::time::sleep(Duration::from_millis(500)).await;
    let begun = Instant::now();
    store.warehouse.complete(1, &touched(&events)).await.unwrap();
    assert!(begun.elapsed() > Duration::from_secs(10), "it had to wait: {:?}", begun.elapsed());
    assert!(begun.elapsed() < Duration::from_secs(60), "and got its turn");
    same(&stored(&store.warehouse).await, &counted(&events));
    first.await.unwrap().unwrap();
    second.await.unwrap().unwrap();
}
