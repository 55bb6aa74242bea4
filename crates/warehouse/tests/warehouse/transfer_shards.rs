//! A store on one machine is moved to two real shards. Every count equals plain counting afterward, even if
//! the move was killed at the worst moments.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::sync::mpsc;
use uuid::Uuid;
use warehouse::{
    CountedFrom, Day, Figures, Kind, Piece, TransferState, TransferTable, Warehouse, shard_key,
};

use crate::shards::{add_profiles, open, roam, url, without_extents};
use crate::support::{
    BUCKET_MS, Event, START_MS, Store, counted, load, make_up, number, same, stored,
};

const READY: Duration = Duration::from_secs(60);
/// Long before anything in this store.
const SINCE: &str = "2020-01-01";

struct Transfer {
    here: Warehouse,
    there: Warehouse,
    tables: Vec<TransferTable>,
}

type Places = BTreeSet<(Uuid, String)>;

impl Transfer {
    async fn begin(here: &Warehouse, there: &Warehouse) -> Self {
        there.begin_transfer("here", READY).await.unwrap();
        let tables = there.transfer_tables().await.unwrap();
        Self { here: here.clone(), there: there.clone(), tables }
    }

    /// The content of a table in a store, by partition.
    async fn figures(store: &Warehouse, table: &TransferTable) -> BTreeMap<String, Figures> {
        let mut all = BTreeMap::new();
        for partition in store.partitions(&table.name).await.unwrap() {
            let figures = store.figures(table, &partition.id, SINCE).await.unwrap();
            all.insert(partition.id, figures);
        }
        all.retain(|_, figures| !figures.is_empty());
        all
    }

    /// The apps and days in which a table differs, by partition.
    async fn differing(&self, table: &TransferTable) -> BTreeMap<String, Places> {
        let here = Self::figures(&self.here, table).await;
        let there = Self::figures(&self.there, table).await;
        let none = Figures::new();
        let mut all = BTreeMap::new();
        for id in here.keys().chain(there.keys()) {
            let (here, there) = (here.get(id).unwrap_or(&none), there.get(id).unwrap_or(&none));
            let differs = |place: &&(Uuid, String)| here.get(*place) != there.get(*place);
            let places: Places = here.keys().chain(there.keys()).filter(differs).cloned().collect();
            if !places.is_empty() {
                all.insert(id.clone(), places);
            }
        }
        all
    }

    async fn copy_day(&self, day: Day<'_>, shards: std::ops::Range<usize>) {
        let all = self.there.shards().await.unwrap();
        for shard in shards {
            for slice in 0..2 {
                let piece = Piece { slice: (slice, 2), shard: (shard, all.len()) };
                let mut rows = self.here.rows_of_day(day, piece).await.unwrap();
                let (sender, receiver) = mpsc::channel(8);
                let reading = async move {
                    while let Some(piece) = rows.chunk().await.unwrap() {
                        sender.send(Ok(piece)).await.unwrap();
                    }
                };
                let storing = all[shard].import(&day.table.name, receiver);
                let (stored, ()) = tokio::join!(storing, reading);
                stored.unwrap();
            }
        }
    }

    async fn copy(&self) {
        for table in self.tables.iter().filter(|table| table.is_copied()) {
            for (partition, places) in self.differing(table).await {
                let days: BTreeSet<&str> = places.iter().map(|(_, day)| day.as_str()).collect();
                for day in days {
                    let day = Day { table, partition: &partition, day, since: SINCE };
                    self.there.remove_day(day).await.unwrap();
                    self.copy_day(day, 0..2).await;
                }
            }
        }
    }

    /// The apps and days in which one of the tables differs; days as the Unix time of their start.
    async fn days(&self, tables: &[&TransferTable]) -> BTreeMap<Uuid, BTreeSet<u32>> {
        let mut days = BTreeMap::<Uuid, BTreeSet<u32>>::new();
        for table in tables {
            for (app, day) in self.differing(table).await.into_values().flatten() {
                let sql = format!("SELECT toUnixTimestamp(toDateTime('{day}', 'UTC')) AS n");
                let start = number(&self.here, &sql, &[]).await;
                days.entry(app).or_default().insert(start as u32);
            }
        }
        days
    }

    async fn count(&self) {
        let counted =
            |from| self.tables.iter().filter(move |table| table.counted_from() == Some(from));
        let fine: Vec<&TransferTable> = counted(CountedFrom::Events).collect();
        for (app, days) in self.days(&fine).await {
            self.there.count_days(app, &Vec::from_iter(days)).await.unwrap();
        }
        for table in counted(CountedFrom::Quarters) {
            for (app, days) in self.days(&[table]).await {
                self.there.count_longer(table, app, &Vec::from_iter(days)).await.unwrap();
            }
        }
    }

    /// The remaining differences, over everything that is compared.
    async fn left(&self) -> Vec<String> {
        let mut left = Vec::new();
        for table in &self.tables {
            let is_compared = table.is_copied() || table.counted_from().is_some();
            if is_compared && !self.differing(table).await.is_empty() {
                left.push(table.name.clone());
            }
        }
        left
    }
}

/// Two months of two apps, with users on devices of both shards, and with devices whose events are already
/// gone.
async fn source(apps: &[Uuid]) -> (Store, Vec<Event>) {
    let store = Store::open().await;
    let mut events = roam(make_up(41, 2_400, apps));
    // Quarters of an hour on both sides of midnight, with sessions that cross it.
    for (at, event) in events.iter_mut().enumerate().filter(|(at, _)| at % 7 == 0) {
        let midnight = START_MS / 86_400_000 * 86_400_000 + 2 * 86_400_000;
        event.time_ms = midnight + (at as i64 % 40 - 20) * 60_000;
    }
    store.insert(1, &events[..1_400]).await;
    store.insert(2, &events[1_400..]).await;
    let here = &store.warehouse;
    add_profiles(here, apps[0], &[(Kind::User, "user 504".to_owned())]).await;
    add_profiles(here, apps[1], &[(Kind::Device, "device 7".to_owned())]).await;
    here.raise_fences(&[("loader/0", 7), ("loader/1", 3)]).await.unwrap();
    let cut = START_MS + 8 * BUCKET_MS;
    here.retain(apps[0], cut).await.unwrap();
    events.retain(|event| event.app != apps[0] || event.time_ms >= cut);
    (store, events)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_comes_to_shards_that_count_it_themselves() {
    let apps = [Uuid::new_v4(), Uuid::new_v4()];
    let (store, mut events) = source(&apps).await;
    let (here, there) = (&store.warehouse, open(&url()));
    assert_eq!(there.transfer_state().await.unwrap(), TransferState::Empty);
    let wanted = stored(here).await;

    // Killed when one shard had its part of a day, twice over, and the other had none of it.
    let transfer = Transfer::begin(here, &there).await;
    let events_table = transfer.tables.iter().find(|table| table.name == "events").unwrap();
    let (partition, places) = transfer.differing(events_table).await.pop_first().unwrap();
    let (_, day) = places.first().unwrap();
    let day = Day { table: events_table, partition: &partition, day, since: SINCE };
    for _ in 0..2 {
        transfer.copy_day(day, 0..1).await;
    }
    assert_eq!(there.transfer_state().await.unwrap(), TransferState::Begun("here".to_owned()));
    let transfer = Transfer::begin(here, &there).await;
    transfer.copy().await;
    transfer.count().await;
    same(&stored(&there).await, &wanted);
    let shards = there.shards().await.unwrap();
    for (at, shard) in shards.iter().enumerate() {
        for table in ["events", "devices", "identities", "mutations", "profiles", "message_ids"] {
            let key = shard_key(table).unwrap();
            let sql = format!("SELECT countIf({key} % 2 != {at}) AS n FROM {table}");
            assert_eq!(number(shard, &sql, &[]).await, 0, "{table} of shard {at}");
        }
    }

    // In the source one app is purged and the other gets more events, and the counting was killed in the
    // middle: some of it is counted twice, some not at all, and a week differs although its days do not.
    here.purge_app(apps[1]).await.unwrap();
    let mut more = roam(make_up(42, 200, &apps[..1]));
    more.retain(|event| event.time_ms < START_MS + 86_400_000);
    load(here, 3, &more).await.unwrap();
    events.retain(|event| event.app == apps[0]);
    events.extend(more);
    for (shard, sql) in [
        (0, "INSERT INTO totals_15m SELECT * FROM totals_15m"),
        (1, "TRUNCATE TABLE breakdowns_15m"),
        (1, "INSERT INTO events_1w SELECT * FROM events_1w"),
        (1, "TRUNCATE TABLE fences"),
    ] {
        shards[shard].execute(sql, &[]).await.unwrap();
    }
    let transfer = Transfer::begin(here, &there).await;
    transfer.copy().await;
    transfer.count().await;
    assert_eq!(transfer.left().await, Vec::<String>::new());
    same(&without_extents(stored(&there).await), &without_extents(counted(&events)));
    same(&stored(&there).await, &stored(here).await);
    for shard in &shards {
        let sql = "SELECT max(fence) AS n FROM fences WHERE name = 'loader/0'";
        assert_eq!(number(shard, sql, &[]).await, 7);
    }

    there.complete_transfer().await.unwrap();
    there.end_transfer().await.unwrap();
    // From now on it is a store like any other.
    there.ready(READY).await.unwrap();
    let more = roam(make_up(43, 200, &apps[..1]));
    load(&there, 4, &more).await.unwrap();
    events.extend(more);
    same(&without_extents(stored(&there).await), &without_extents(counted(&events)));
}
