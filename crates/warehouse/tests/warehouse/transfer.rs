//! The rows of one store copied into another, and the figures that compare the two.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::sync::mpsc;
use uuid::Uuid;
use warehouse::{Day, Figures, Location, Piece, TransferTable, Warehouse};

use crate::support::{Store, make_up, number};

const READY: Duration = Duration::from_secs(60);
/// Long before anything in this store.
const SINCE: &str = "2020-01-01";
const SLICES: u64 = 3;

/// The content of a store, by table and partition.
async fn all(store: &Warehouse) -> BTreeMap<(String, String), Figures> {
    let mut all = BTreeMap::new();
    for table in store.transfer_tables().await.unwrap() {
        for partition in store.partitions(&table.name).await.unwrap() {
            let figures = store.figures(&table, &partition.id, SINCE).await.unwrap();
            all.insert((table.name.clone(), partition.id), figures);
        }
    }
    all
}

async fn copy_day(from: &Warehouse, to: &Warehouse, day: Day<'_>) {
    for slice in 0..SLICES {
        let piece = Piece { slice: (slice, SLICES), shard: (0, 1) };
        let mut rows = from.rows_of_day(day, piece).await.unwrap();
        let (sender, receiver) = mpsc::channel(8);
        let reading = async move {
            while let Some(piece) = rows.chunk().await.unwrap() {
                sender.send(Ok(piece)).await.unwrap();
            }
        };
        let (stored, ()) = tokio::join!(to.import(&day.table.name, receiver), reading);
        stored.unwrap();
    }
}

fn days(figures: &Figures) -> BTreeSet<&str> {
    figures.keys().map(|(_, day)| day.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_holds_the_same_and_every_change_of_it_shows() {
    let store = Store::open().await;
    let apps = [Uuid::new_v4(), Uuid::new_v4()];
    let events = make_up(7, 2000, &apps);
    store.insert(1, &events[..1000]).await;
    store.insert(2, &events[1000..]).await;
    let here = &store.warehouse;
    let mut url = here.shared_url().unwrap();
    url.set_path("/copy");
    let copy = Warehouse::open(Location::Remote { url });
    copy.begin_transfer("here", READY).await.unwrap();
    assert!(all(&copy).await.is_empty());
    let tables = here.transfer_tables().await.unwrap();
    let table =
        |name: &str| -> &TransferTable { tables.iter().find(|table| table.name == name).unwrap() };
    let wanted = all(here).await;
    for ((name, partition), figures) in &wanted {
        for day in days(figures) {
            let day = Day { table: table(name), partition, day, since: SINCE };
            copy_day(here, &copy, day).await;
        }
    }
    assert_eq!(all(&copy).await, wanted);
    assert_eq!(number(&copy, "SELECT count() AS n FROM events", &[]).await, 2000);
    assert_eq!(number(&copy, "SELECT sum(events) AS n FROM totals_15m", &[]).await, 2000);

    // Merging changes nothing.
    for table in &tables {
        copy.execute(&format!("OPTIMIZE TABLE {} FINAL", table.name), &[]).await.unwrap();
    }
    assert_eq!(all(&copy).await, wanted);

    // One character in one row of one app on one day, and one more person in one bucket.
    let changed = &events[17];
    let change = "ALTER TABLE events UPDATE url_path = '/dogs' WHERE log_id = {id:UUID} \
                  SETTINGS mutations_sync = 2";
    copy.execute(change, &[("id", changed.log_id.into())]).await.unwrap();
    let more = "INSERT INTO totals_15m (app_id, bucket, people) SELECT {app:UUID}, \
                toDateTime({bucket:UInt32}, 'UTC'), groupBitmapState(toUInt32(4000000))";
    let bucket = [("app", changed.app.into()), ("bucket", u64::from(changed.bucket()).into())];
    copy.execute(more, &bucket).await.unwrap();
    let found = all(&copy).await;
    let mut differ = Vec::new();
    for (key, figures) in &wanted {
        for (place, figure) in figures {
            if found[key].get(place) != Some(figure) {
                assert_eq!(place.0, changed.app, "{key:?}");
                assert_eq!(found[key][place].rows, figure.rows, "as many rows as before");
                differ.push((key.clone(), place.1.clone()));
            }
        }
    }
    let names: Vec<&str> = differ.iter().map(|((table, _), _)| table.as_str()).collect();
    assert_eq!(names, ["events", "totals_15m"], "{differ:?}");

    // A day that differs is repaired by itself.
    let parts = copy.partitions("events").await.unwrap();
    for ((name, partition), day) in &differ {
        let day = Day { table: table(name), partition, day, since: SINCE };
        copy.remove_day(day).await.unwrap();
        let left = copy.figures(day.table, partition, SINCE).await.unwrap();
        assert!(!days(&left).contains(day.day));
        copy_day(here, &copy, day).await;
    }
    assert_eq!(all(&copy).await, wanted);
    let untouched = |partition: &&warehouse::Partition| partition.id != differ[0].0.1;
    let after = copy.partitions("events").await.unwrap();
    for before in parts.iter().filter(untouched) {
        assert!(after.contains(before), "other partitions keep their parts");
    }
    copy.complete_transfer().await.unwrap();
    copy.end_transfer().await.unwrap();
    // From now on it is a store like any other.
    copy.ready(READY).await.unwrap();
    crate::support::load(&copy, 3, &make_up(8, 100, &apps[..1])).await.unwrap();
    assert_eq!(number(&copy, "SELECT sum(events) AS n FROM totals_15m", &[]).await, 2100);
}
