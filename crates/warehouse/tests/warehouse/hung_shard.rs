//! A shard that is stopped in the middle of its work accepts statements and answers none. The error names it
//! within seconds, and it is not mistaken for a busy one.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use uuid::Uuid;
use warehouse::{Error, Insert, State, Warehouse, event_insert, load_query_id};

use crate::clickhouse::Shards;
use crate::shards::{open, roam};
use crate::support::{Event, START_MS, counted, know, load, make_up, rows, same, stored};

const READY: Duration = Duration::from_secs(60);
/// How long a shard may hang before the error names it, with some extra time for a busy machine.
const NAMED_WITHIN: Duration = Duration::from_secs(16);
/// Much longer than that.
const PATIENT: Duration = Duration::from_secs(120);

/// The time until the second shard was named.
async fn until_named<T: std::fmt::Debug>(work: impl Future<Output = Result<T, Error>>) -> Duration {
    let begun = Instant::now();
    let error = work.await.unwrap_err();
    assert!(matches!(error, Error::ShardLost { shard: 2, .. }) && error.may_pass(), "{error}");
    begun.elapsed()
}

async fn count(store: &Warehouse, apps: &[Uuid]) -> Result<u64, Error> {
    let counts = store.count_events(apps, START_MS, START_MS + 86_400_000).await?;
    Ok(counts.values().sum())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shard_that_hangs_is_named_soon_and_one_that_is_busy_is_waited_for() {
    let mut shards = Shards::start(2);
    let store = open(&shards.url("atrium").parse().unwrap()).patient(PATIENT);
    store.ready(READY).await.unwrap();
    let apps = [Uuid::new_v4(), Uuid::new_v4()];
    let events = roam(make_up(51, 900, &apps));
    load(&store, 1, &events[..500]).await.unwrap();
    let late = &events[500..];
    know(&store, late).await.unwrap();

    shards.shard(1).signal("-STOP");
    let (query_id, into) = (load_query_id(2), event_insert(2));
    let insert = |token: &'static str| Insert {
        token: Some(token),
        query_id: Some(&query_id),
        timeout: Some(PATIENT),
    };
    let first = &store.shards().await.unwrap()[0];
    let busy =
        "SELECT sum(sleepEachRow(1)) FROM numbers(12) SETTINGS max_block_size = 1 FORMAT Null";
    let begun = Instant::now();
    let (asked, cut, waited) = tokio::join!(
        until_named(count(&store, &apps)),
        until_named(store.insert(&into, rows(late), insert("two"))),
        first.execute(busy, &[]),
    );
    waited.unwrap();
    assert!(begun.elapsed() > Duration::from_secs(11), "the other was not busy for long enough");
    assert!(asked < NAMED_WITHIN && cut < NAMED_WITHIN, "{asked:?} and {cut:?}");
    assert!(format!("{:?}", store.state()).contains("shard 2 ("), "{:?}", store.state());
    // From then on no statement waits that long for it.
    let again = until_named(count(&store, &apps)).await;
    assert!(again < Duration::from_secs(6), "{again:?}");

    shards.shard(1).signal("-CONT");
    let back = Instant::now();
    while store.state() != State::Up || store.end_load(2).await.is_err() {
        shards.revive();
        assert!(back.elapsed() < READY, "nobody noticed that it is back: {:?}", store.state());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // Whatever the shard did with the abandoned load is completed, once.
    let there =
        store.stored_of_batch(2, &apps, START_MS, START_MS + 60 * 86_400_000).await.unwrap();
    let there: BTreeSet<Uuid> = there.into_iter().map(|(_, log_id)| log_id).collect();
    let rest: Vec<Event> =
        late.iter().filter(|event| !there.contains(&event.log_id)).cloned().collect();
    store.insert(&into, rows(&rest), insert("again")).await.unwrap();
    let mut touched = BTreeMap::<Uuid, BTreeSet<u32>>::new();
    for event in late {
        touched.entry(event.app).or_default().insert(event.bucket());
    }
    store.complete(2, &touched).await.unwrap();
    same(&stored(&store).await, &counted(&events));
}
