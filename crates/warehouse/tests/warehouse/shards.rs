//! A store on two real servers: what it stores and counts equals plain counting, and its answers equal those
//! of a store on one machine. The two servers start once; every test has its own databases.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use std::time::Duration;

use url::Url;
use uuid::Uuid;
use warehouse::{
    Error, Insert, Kind, Location, LogIdRow, MutationIn, ProfileRow, Warehouse, event_insert,
    log_id_insert, mutation_insert, newest_migration, shard_key, write_log_id, write_mutation,
};

use crate::clickhouse::Shards;
use crate::overall::recount;
use crate::support::{
    BUCKET_MS, Event, START_MS, counted, know, load, make_up, number, own, rows, same, stored,
};

const READY: Duration = Duration::from_secs(60);

/// The URL of a store for one test, on the servers that all tests share.
pub fn url() -> Url {
    static SHARDS: OnceLock<Shards> = OnceLock::new();
    let database = format!("test_{}", Uuid::new_v4().simple());
    SHARDS.get_or_init(|| Shards::start(2)).url(&database).parse().unwrap()
}

pub fn open(url: &Url) -> Warehouse {
    Warehouse::open(Location::Remote { url: url.clone() })
}

pub async fn store() -> Warehouse {
    let store = open(&url());
    store.ready(READY).await.unwrap();
    store
}

fn apps() -> Vec<Uuid> {
    (0..2).map(|_| Uuid::new_v4()).collect()
}

/// Gives some events to users who are on many devices, and so on several shards.
pub fn roam(mut events: Vec<Event>) -> Vec<Event> {
    for (at, event) in events.iter_mut().enumerate().filter(|(at, _)| at % 4 == 0) {
        event.user_id = format!("user {}", 500 + at % 12);
    }
    events
}

/// Adds a change, a profile and a message id for each of these users and devices.
pub async fn add_profiles(store: &Warehouse, app: Uuid, ids: &[(Kind, String)]) {
    let (mut mutations, mut profiles, mut messages) = (Vec::new(), Vec::new(), Vec::new());
    let received = number(store, "SELECT toUnixTimestamp(now()) AS n", &[]).await as u32;
    for (kind, id) in ids {
        let log_id = Uuid::new_v4();
        let mutation = MutationIn {
            app_id: app,
            kind: *kind,
            id,
            time_ms: START_MS,
            log_id,
            operation: "set",
            properties: "{}",
            received_ms: START_MS,
        };
        write_mutation(&mutation, &mut mutations);
        let row = LogIdRow { app_id: app, time_ms: START_MS, log_id, received, batch: 5 };
        write_log_id(&row, &mut messages);
        profiles.push(ProfileRow {
            app_id: app,
            kind: *kind,
            id: id.clone(),
            properties: "{}".to_owned(),
            updated_ms: START_MS,
            last_log_id: log_id,
            deleted: false,
            version: 1,
        });
    }
    store.insert(&mutation_insert(5), mutations.into(), Insert::default()).await.unwrap();
    store.insert(&log_id_insert(), messages.into(), Insert::default()).await.unwrap();
    store.insert_profiles(&profiles).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_lie_where_they_belong_and_are_counted_once() {
    let (store, apps) = (store().await, apps());
    let events = roam(make_up(21, 3_000, &apps));
    load(&store, 1, &events[..2_000]).await.unwrap();
    load(&store, 2, &events[2_000..]).await.unwrap();
    let ids: Vec<(Kind, String)> = (0..20)
        .flat_map(|it| [(Kind::Device, format!("device {it}")), (Kind::User, format!("user {it}"))])
        .collect();
    add_profiles(&store, apps[0], &ids).await;
    same(&stored(&store).await, &counted(&events));

    let shards = store.shards().await.unwrap();
    for (at, shard) in shards.iter().enumerate() {
        for table in ["events", "devices", "identities", "mutations", "profiles", "message_ids"] {
            let key = shard_key(table).unwrap();
            let sql = format!("SELECT count() AS n FROM {table}");
            assert!(number(shard, &sql, &[]).await > 0, "{table} of shard {at}");
            // The shard that the program computes is the one that the statement computes.
            let sql = format!("SELECT countIf({key} % 2 != {at}) AS n FROM {table}");
            assert_eq!(number(shard, &sql, &[]).await, 0, "{table} of shard {at}");
        }
    }
    // Nothing can be stored through the tables over all shards: the row would have no defined place.
    let through = store.execute("INSERT INTO events (app_id) VALUES (generateUUIDv4())", &[]).await;
    assert!(matches!(through, Err(Error::Refused { .. })), "{through:?}");

    // Ids are recognized on whichever shard they are.
    let key = |event: &Event| (event.app, event.time_ms, event.log_id);
    let received = number(&store, "SELECT toUnixTimestamp(now()) AS n", &[]).await as u32;
    let mut body = Vec::new();
    for event in &events[..500] {
        let (app_id, time_ms, log_id) = key(event);
        write_log_id(&LogIdRow { app_id, time_ms, log_id, received, batch: 1 }, &mut body);
    }
    store.insert(&log_id_insert(), body.into(), Insert::default()).await.unwrap();
    let asked: Vec<_> = events[..600].iter().map(key).collect();
    let expected: BTreeSet<_> = events[..500].iter().map(|it| (it.app, it.log_id)).collect();
    let known: BTreeSet<_> = store.known_ids(&asked, 9).await.unwrap().into_iter().collect();
    assert_eq!(known, expected);
    assert_eq!(store.known_ids(&asked, 1).await.unwrap(), []);
    store.raise_fences(&[("loader/0", 7), ("loader/1", 3)]).await.unwrap();
    store.raise_fences(&[("loader/0", 6)]).await.unwrap();
    let fences: BTreeMap<_, _> = store.fences().await.unwrap().into_iter().collect();
    assert_eq!(fences, [("loader/0".to_owned(), 7), ("loader/1".to_owned(), 3)].into());
    assert!(store.about().await.unwrap().1 > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_removed_or_counted_anew_is_so_on_every_shard() {
    let (store, apps) = (store().await, apps());
    let mut events = roam(make_up(22, 2_500, &apps));
    load(&store, 1, &events).await.unwrap();
    add_profiles(&store, apps[0], &[(Kind::User, "user 504".to_owned())]).await;

    // One of the users who were on several devices, which are on different shards.
    own(&mut events);
    let of_user = |event: &Event| event.app == apps[0] && event.person() == "u user 504";
    let count = events.iter().filter(|event| of_user(event)).count();
    let mut on = Vec::new();
    for shard in store.shards().await.unwrap() {
        let sql =
            "SELECT count() AS n FROM users WHERE user_id = 'user 504' AND app_id = {app:UUID}";
        on.push(number(&shard, sql, &[("app", apps[0].into())]).await > 0);
    }
    assert_eq!(on, [true, true], "the test is of no use otherwise");
    assert_eq!(store.erase(apps[0], Kind::User, "user 504").await.unwrap(), count as u64);
    events.retain(|event| !of_user(event));
    let mut expected = counted(&events);
    same(&without_extents(stored(&store).await), &without_extents(expected.clone()));
    for table in ["mutations", "profiles"] {
        let sql = format!("SELECT count() AS n FROM {table}");
        assert_eq!(number(&store, &sql, &[]).await, 0, "{table}");
    }

    // Counts are rebuilt from each shard's own events, including events without numbers: those are looked up
    // on all shards.
    for shard in store.shards().await.unwrap() {
        for sql in [
            "DELETE FROM events_15m WHERE app_id = {app:UUID}",
            "INSERT INTO totals_15m SELECT * FROM totals_15m WHERE app_id = {app:UUID}",
            "ALTER TABLE events UPDATE person_no = 0, device_no = 0 \
             WHERE event = 'sign_up' AND app_id = {app:UUID} SETTINGS mutations_sync = 2",
        ] {
            shard.execute(sql, &[("app", apps[0].into())]).await.unwrap();
        }
    }
    let buckets: Vec<u32> =
        events.iter().filter(|event| event.app == apps[0]).map(Event::bucket).collect();
    store.rebuild(apps[0], &buckets).await.unwrap();
    same(&without_extents(stored(&store).await), &without_extents(expected));

    let cut = START_MS + 8 * BUCKET_MS;
    let old = |event: &Event| event.app == apps[0] && event.time_ms < cut;
    let removed = events.iter().filter(|event| old(event)).count() as u64;
    assert!(store.oldest_before(apps[0], cut).await.unwrap().is_some());
    assert_eq!(store.retain(apps[0], cut).await.unwrap(), removed);
    assert_eq!(store.oldest_before(apps[0], cut).await.unwrap(), None);
    events.retain(|event| !old(event));
    expected = counted(&events);
    same(&without_extents(stored(&store).await), &without_extents(expected));

    store.purge_app(apps[0]).await.unwrap();
    events.retain(|event| event.app != apps[0]);
    same(&stored(&store).await, &counted(&events));
}

/// Without first and last times, which outlive events.
pub fn without_extents(mut counts: crate::support::Counts) -> crate::support::Counts {
    counts.retain(|key, _| !["device ", "user ", "owner "].iter().any(|it| key.starts_with(it)));
    counts
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_shard_is_named_and_a_load_it_cut_is_gone_on_with() {
    let mut shards = Shards::start(2);
    let store = open(&shards.url("atrium").parse().unwrap());
    store.ready(READY).await.unwrap();
    let apps = apps();
    let events = roam(make_up(23, 1_500, &apps));
    load(&store, 1, &events[..500]).await.unwrap();
    know(&store, &events[500..]).await.unwrap();
    shards.shard(1).kill();

    let is_named = |error: &Error| matches!(error, Error::ShardLost { shard: 2, .. });
    let asked = store.count_events(&apps, START_MS, START_MS + 86_400_000).await.unwrap_err();
    assert!(is_named(&asked) && asked.may_pass(), "{asked}");
    let down = |store: &Warehouse| format!("{:?}", store.state());
    assert!(down(&store).contains("shard 2 (127.0.0.2:"), "{}", down(&store));
    let health = store.shard_health().await.unwrap();
    let answers: Vec<bool> = health.iter().map(|shard| shard.asked.is_ok()).collect();
    assert_eq!(answers, [true, false]);
    // One half of a load is stored.
    let late = &events[500..];
    let token = |token| Insert { token: Some(token), ..Insert::default() };
    let cut = store.insert(&event_insert(2), rows(late), token("two")).await.unwrap_err();
    assert!(is_named(&cut), "{cut}");

    shards.shard(1).begin();
    let begun = std::time::Instant::now();
    while store.state() != warehouse::State::Up {
        assert!(begun.elapsed() < READY, "nobody noticed that it is back: {}", down(&store));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    store.end_load(2).await.unwrap();
    let (from, to) = (START_MS, START_MS + 60 * 86_400_000);
    let there = store.stored_of_batch(2, &apps, from, to).await.unwrap();
    let there: BTreeSet<Uuid> = there.into_iter().map(|(_, log_id)| log_id).collect();
    let rest: Vec<Event> =
        late.iter().filter(|event| !there.contains(&event.log_id)).cloned().collect();
    assert!(!there.is_empty() && !rest.is_empty(), "{} of {}", there.len(), late.len());
    store.insert(&event_insert(2), rows(&rest), token("again")).await.unwrap();
    let mut touched = BTreeMap::<Uuid, BTreeSet<u32>>::new();
    for event in late {
        touched.entry(event.app).or_default().insert(event.bucket());
    }
    store.complete(2, &touched).await.unwrap();
    same(&stored(&store).await, &counted(&events));
    // Once more with the same token: the shard recognizes it.
    store.insert(&event_insert(2), rows(&rest), token("again")).await.unwrap();
    same(&stored(&store).await, &counted(&events));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shard_that_missed_a_migration_is_brought_up_to_date() {
    let url = url();
    let store = open(&url);
    // Its tables are those of an earlier version; the other shard has none yet.
    let late = store.shards().await.unwrap().remove(1);
    late.make_tables(5, READY).await.unwrap();
    store.ready(READY).await.unwrap();
    for shard in store.shards().await.unwrap() {
        let sql = "SELECT max(number) AS n FROM schema_migrations";
        assert_eq!(number(&shard, sql, &[]).await, u64::from(newest_migration()));
    }
    let (apps, again) = (apps(), open(&url));
    let events = make_up(24, 300, &apps);
    load(&store, 1, &events).await.unwrap();
    same(&stored(&store).await, &counted(&events));

    // The table over all shards also gets columns that were added later.
    for shard in store.shards().await.unwrap() {
        shard.execute("ALTER TABLE events ADD COLUMN later UInt8", &[]).await.unwrap();
    }
    again.ready(READY).await.unwrap();
    assert_eq!(number(&again, "SELECT count(later) AS n FROM events", &[]).await, 300);

    // A store keeps the shards that it began with.
    let [first, second] = ["127.0.0.1", "127.0.0.2"];
    for (shards, word) in [
        (format!("{second},{first}"), "shard 1 of 2 was shard 2 of 2"),
        (first.to_owned(), "names 1, but the cluster in ClickHouse's own settings has 2 shards"),
    ] {
        let mut other = url.clone();
        other.set_query(Some(&format!("cluster=main&shards={shards}")));
        let error = open(&other).ready(READY).await.unwrap_err();
        assert!(error.to_string().contains(word) && !error.may_pass(), "{error}");
    }
    let mut named = url.clone();
    named.set_query(Some(&format!("cluster=main&shards={first},{second}")));
    open(&named).ready(READY).await.unwrap();
    let mut unknown = url.clone();
    unknown.set_query(Some("cluster=nowhere"));
    let error = open(&unknown).ready(READY).await.unwrap_err();
    assert!(error.to_string().contains("`nowhere`"), "{error}");
    // A store of a single server is not accepted as one of them either.
    let mut single = url.clone();
    single.set_path("/single");
    single.set_query(None);
    open(&single).ready(READY).await.unwrap();
    single.set_query(url.query());
    let error = open(&single).ready(READY).await.unwrap_err();
    assert!(error.to_string().contains("on one server"), "{error}");
}

/// A recount that is done on one shard says nothing about the other.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_counted_anew_is_counted_on_every_shard() {
    let (store, apps) = (store().await, apps());
    load(&store, 1, &make_up(23, 600, &apps)).await.unwrap();
    let shards = store.shards().await.unwrap();
    for shard in &shards {
        for sql in [
            "TRUNCATE TABLE events_1h",
            "INSERT INTO recounts SELECT DISTINCT 'hours', app_id, toYYYYMM(bucket), 0 FROM totals_15m",
        ] {
            shard.execute(sql, &[]).await.unwrap();
        }
    }
    // As after a kill, when only the first shard had answered.
    let done = "INSERT INTO recounts SELECT name, app_id, month, 1 FROM recounts";
    shards[0].execute(done, &[]).await.unwrap();
    let left = store.recounts_left().await.unwrap();
    assert!(left.len() >= apps.len(), "{left:?}");
    assert!(!store.is_everything_counted());
    for part in &left {
        recount(&store, part).await;
    }
    assert_eq!(store.recounts_left().await.unwrap(), []);
    assert!(store.is_everything_counted());
    for (at, shard) in shards.iter().enumerate() {
        let sum = |table: &str| format!("SELECT sum(events) AS n FROM {table}");
        let hours = number(shard, &sum("events_1h"), &[]).await;
        assert!(hours > 0);
        assert_eq!(hours, number(shard, &sum("events_15m"), &[]).await, "shard {at}");
    }
}
