//! An engine that is killed in the middle of a load, and how the counts become exact again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use tokio::process::Command;
use uuid::Uuid;
use warehouse::{Error, Warehouse};

use crate::support::{Dice, Event, at, counted, engine_of, load, make_up, number, same, stored};

async fn open(folder: &Path) -> Warehouse {
    let warehouse = Warehouse::open(at(folder, 1024));
    warehouse.ready(Duration::from_secs(60)).await.unwrap();
    warehouse
}

async fn kill_after(folder: &Path, delay: Duration) {
    let pid = engine_of(folder).expect("an engine runs").to_string();
    tokio::time::sleep(delay).await;
    assert!(Command::new("kill").args(["-KILL", &pid]).status().await.unwrap().success());
}

/// What the loader does with a batch in an unknown state: look up which rows are stored, insert the rest, and
/// rebuild the counts.
async fn recover(warehouse: &Warehouse, batch: u64, events: &[Event]) -> Result<(), Error> {
    let mut touched: BTreeMap<Uuid, Vec<u32>> = BTreeMap::new();
    for event in events {
        touched.entry(event.app).or_default().push(event.bucket());
    }
    let apps: Vec<Uuid> = touched.keys().copied().collect();
    let times = || events.iter().map(|event| event.time_ms);
    let (from, to) = (times().min().unwrap(), times().max().unwrap());
    let there = warehouse.stored_of_batch(batch, &apps, from, to).await?;
    let there: BTreeSet<Uuid> = there.into_iter().map(|(_, id)| id).collect();
    let rest: Vec<Event> =
        events.iter().filter(|event| !there.contains(&event.log_id)).cloned().collect();
    if !rest.is_empty() {
        load(warehouse, batch, &rest).await?;
    }
    for (app, buckets) in touched {
        warehouse.rebuild(app, &buckets).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn kills_lose_and_double_nothing() {
    // Up to two kills each. Whole programs are killed by the tests of faults, too.
    let rounds = if std::env::var_os("LONG_TESTS").is_some() { 10 } else { 2 };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let apps: Vec<Uuid> = (0..2).map(|_| Uuid::new_v4()).collect();
    let mut dice = Dice(42);
    let mut all = Vec::new();
    let mut broken = 0;
    let mut warehouse = open(folder).await;
    for batch in 0..rounds {
        let events = make_up(100 + batch, 5000, &apps);
        // Usually in the middle of the load…
        let delay = Duration::from_millis(5 + dice.below(120));
        let loading = load(&warehouse, batch, &events);
        let (outcome, ()) = tokio::join!(loading, kill_after(folder, delay));
        warehouse.stop().await;
        warehouse = open(folder).await;
        if outcome.is_err() {
            broken += 1;
            // …and again in the middle of the recovery.
            let delay = Duration::from_millis(5 + dice.below(400));
            let (outcome, ()) =
                tokio::join!(recover(&warehouse, batch, &events), kill_after(folder, delay));
            warehouse.stop().await;
            warehouse = open(folder).await;
            if outcome.is_err() {
                recover(&warehouse, batch, &events).await.unwrap();
            }
        }
        all.extend(events);
        let count = number(&warehouse, "SELECT count() AS n FROM events", &[]).await;
        assert_eq!(count, all.len() as u64, "after batch {batch}");
    }
    assert!(broken >= rounds / 2, "only {broken} loads were hit");
    same(&stored(&warehouse).await, &counted(&all));
    warehouse.stop().await;
}
