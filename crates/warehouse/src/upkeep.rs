//! Changes to what is stored already: counts made anew, retention, the end of an app.
//!
//! Everything here has taken effect when the call returns, and can be run again after a crash at any
//! point. Counts are made from `events` while nobody adds to it: the caller keeps the app's loader
//! away for the time of the call.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Deserialize;
use uuid::Uuid;

use crate::answer::read_rows;
use crate::call::Call;
use crate::client::Warehouse;
use crate::counting::{COARSE, COUNTS, Coarse, Count, EXTENTS};
use crate::error::Error;
use crate::events::BUCKET_MS;
use crate::params::Param;
use crate::sessions::near;

/// A delete rewrites whole parts; on a large store that takes its time.
pub(crate) const LIMIT: Duration = Duration::from_secs(600);

/// Every table that holds something of an app.
const TABLES: &[&str] = &[
    "events",
    "totals_15m",
    "events_15m",
    "breakdowns_15m",
    "sessions_15m",
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
    "identities",
    "devices",
    "users",
    "device_owners",
    "mutations",
    "profiles",
    "message_ids",
    "log_ids",
    "erasures",
    "property_columns",
];

/// Rows of a table of counts, by bucket. The range is there for the index.
const BUCKETS: &str = "app_id = {app:UUID} \
    AND bucket >= toDateTime({from:UInt32}, 'UTC') AND bucket <= toDateTime({to:UInt32}, 'UTC') \
    AND toUnixTimestamp(bucket) IN {buckets:Array(UInt32)}";

/// The events that they count.
const EVENTS_OF_BUCKETS: &str = "app_id = {app:UUID} \
    AND time >= toDateTime({from:UInt32}, 'UTC') AND time < toDateTime({to:UInt32} + 900, 'UTC') \
    AND toUnixTimestamp(toStartOfFifteenMinutes(toDateTime(time, 'UTC'))) IN {buckets:Array(UInt32)}";

/// Counts from before a moment.
const OLD_COUNTS: &str = "app_id = {app:UUID} AND bucket < toDateTime({cut:Int64}, 'UTC')";

/// Settings of what is counted anew, so that it fits beside everything else: what is too much for
/// memory goes to the disk, and what it fills in turn is filled in small buckets.
const FRUGAL: &[(&str, u64)] = &[
    ("max_threads", 2),
    ("max_bytes_before_external_group_by", 96 << 20),
    ("max_block_size", 16_384),
    ("min_insert_block_size_rows", 65_536),
    ("min_insert_block_size_bytes", 32 << 20),
];

/// As many buckets as go into one statement, by their time: a month holds 2,976.
pub(crate) const BUCKETS_AT_ONCE: usize = 3000;

/// On every shard, each from its own events.
impl Warehouse {
    /// Makes everything that is kept by the quarter of an hour anew from the events, for these
    /// buckets (by the Unix time they start at), and completes the tables of first and last times.
    pub async fn rebuild(&self, app: Uuid, buckets: &[u32]) -> Result<(), Error> {
        self.on_every_shard(|shard| async move { shard.rebuild_here(app, buckets).await })
            .await
            .map(drop)
    }

    /// Removes everything of an app.
    pub async fn purge_app(&self, app: Uuid) -> Result<(), Error> {
        self.on_every_shard(|shard| async move { shard.purge_app_here(app).await }).await.map(drop)
    }

    /// Removes events from before a moment, and their counts, and says how many events. The moment
    /// is moved back to a multiple of 15 minutes.
    pub async fn retain(&self, app: Uuid, before_ms: i64) -> Result<u64, Error> {
        let removed =
            self.on_every_shard(|shard| async move { shard.retain_here(app, before_ms).await });
        Ok(removed.await?.into_iter().sum())
    }
}

impl Warehouse {
    pub(crate) async fn rebuild_here(&self, app: Uuid, buckets: &[u32]) -> Result<(), Error> {
        let mut buckets: Vec<u64> = buckets.iter().map(|bucket| u64::from(*bucket)).collect();
        buckets.sort_unstable();
        buckets.dedup();
        for some in buckets.chunks(BUCKETS_AT_ONCE) {
            let (Some(first), Some(last)) = (some.first(), some.last()) else { continue };
            let params = [
                ("app", Param::from(app)),
                ("from", Param::UInt(*first)),
                ("to", Param::UInt(*last)),
                ("buckets", Param::UInts(some.to_vec())),
            ];
            let are_numbered = self.are_numbered(EVENTS_OF_BUCKETS, &params).await?;
            let fill = |count: &Count| self.fill_from(count, EVENTS_OF_BUCKETS, are_numbered);
            // One after the other: a rebuild must never take more than one of the engine's places
            // for changes, nor the memory of several statements.
            for count in COUNTS {
                self.delete(count.table, BUCKETS, &params).await?;
                self.fill(&fill(count), &params).await?;
            }
            // After those: what they were filled with went on into the longer buckets.
            for coarse in COARSE {
                self.rebuild_pieces(app, coarse, some).await?;
            }
            for extent in EXTENTS {
                self.fill(&fill(extent), &params).await?;
            }
            self.rebuild_sessions(app, some).await?;
        }
        Ok(())
    }

    /// The statement that fills a table from the events that meet a condition.
    pub(crate) async fn fill_of_events(
        &self,
        count: &Count,
        events: &str,
        params: &[(&str, Param)],
    ) -> Result<String, Error> {
        Ok(self.fill_from(count, events, self.are_numbered(events, params).await?))
    }

    /// Whether events carry the numbers of their people. Those of earlier versions carry none, and have
    /// to be looked up among all of the app's.
    async fn are_numbered(&self, events: &str, params: &[(&str, Param)]) -> Result<bool, Error> {
        let unnumbered = format!("{events} AND (person_no = 0 OR device_no = 0)");
        Ok(self.count("events", &unnumbered, params).await? == 0)
    }

    fn fill_from(&self, count: &Count, events: &str, are_numbered: bool) -> String {
        match are_numbered {
            true => count.fill_from_rows(events),
            false => count.fill(events, &self.names().whole("identities")),
        }
    }

    /// Makes the longer buckets anew that these quarters of an hour lie in.
    pub(crate) async fn rebuild_pieces(
        &self,
        app: Uuid,
        coarse: &Coarse,
        quarters: &[u64],
    ) -> Result<(), Error> {
        let buckets = coarse.buckets(quarters);
        let (Some(first), Some(last)) = (buckets.first(), buckets.last()) else { return Ok(()) };
        let params = [
            ("app", Param::from(app)),
            ("from", Param::UInt(*first)),
            ("to", Param::UInt(*last)),
            ("buckets", Param::UInts(buckets.clone())),
        ];
        self.delete(coarse.table, BUCKETS, &params).await?;
        let length = coarse.length;
        let quarters = format!(
            "app_id = {{app:UUID}} AND bucket >= toDateTime({{from:UInt32}}, 'UTC') \
             AND bucket < toDateTime({{to:UInt32}} + {length}, 'UTC') \
             AND intDiv(toUnixTimestamp(bucket), {length}) * {length} IN {{buckets:Array(UInt32)}}"
        );
        self.fill(&coarse.fill(&quarters), &params).await
    }

    /// Counts sessions anew where these quarters of an hour may have changed them. A count whose
    /// events are all gone must go too.
    async fn rebuild_sessions(&self, app: Uuid, quarters: &[u64]) -> Result<(), Error> {
        let touched: BTreeSet<u32> =
            quarters.iter().filter_map(|bucket| u32::try_from(*bucket).ok()).collect();
        let near: Vec<u64> = near(touched.iter().copied()).into_iter().map(u64::from).collect();
        let (Some(first), Some(last)) = (near.first(), near.last()) else { return Ok(()) };
        let params = [
            ("app", Param::from(app)),
            ("from", Param::UInt(*first)),
            ("to", Param::UInt(*last)),
            ("buckets", Param::UInts(near.clone())),
        ];
        self.delete("session_starts", BUCKETS, &params).await?;
        self.count_sessions_here(&BTreeMap::from([(app, touched)])).await
    }

    pub(crate) async fn fill(&self, sql: &str, params: &[(&str, Param)]) -> Result<(), Error> {
        self.fill_as(None, sql, params).await
    }

    /// The same under an id that others can know the statement by.
    pub(crate) async fn fill_as(
        &self,
        query_id: Option<&str>,
        sql: &str,
        params: &[(&str, Param)],
    ) -> Result<(), Error> {
        let mut call = Call::new(sql, params, LIMIT).long();
        call.query_id = query_id;
        for (name, value) in FRUGAL {
            call = call.set(name, value);
        }
        // What was there before was deleted in between.
        self.in_turn(call.never_a_duplicate()).await.map(drop)
    }

    /// Removes rows, if there are any: even a delete that finds nothing is a mutation of every part.
    pub(crate) async fn delete(
        &self,
        table: &str,
        rows: &str,
        params: &[(&str, Param)],
    ) -> Result<u64, Error> {
        let count = self.count(table, rows, params).await?;
        if count > 0 {
            let sql = format!("DELETE FROM {table} WHERE {rows}");
            // 2: on every replica before the answer.
            let call = Call::new(&sql, params, LIMIT)
                .set("lightweight_deletes_sync", 2)
                .set("mutations_sync", 2);
            self.in_turn(call).await?;
        }
        Ok(count)
    }

    async fn count(&self, table: &str, rows: &str, params: &[(&str, Param)]) -> Result<u64, Error> {
        #[derive(Deserialize)]
        struct Row {
            count: u64,
        }
        let sql = format!("SELECT count() AS count FROM {table} WHERE {rows} FORMAT JSONEachRow");
        let answer = self.in_turn(Call::new(&sql, params, LIMIT).reading()).await?;
        let found: Vec<Row> = read_rows(&answer)?;
        Ok(found.first().map_or(0, |row| row.count))
    }

    async fn purge_app_here(&self, app: Uuid) -> Result<(), Error> {
        for table in TABLES {
            self.delete(table, "app_id = {app:UUID}", &[("app", app.into())]).await?;
        }
        self.wipe(TABLES).await
    }

    /// A delete only hides rows until their part is merged, which an old one may never be: this has
    /// the parts rewritten, in the background.
    pub(crate) async fn wipe(&self, tables: &[&str]) -> Result<(), Error> {
        for table in tables {
            let sql = format!("ALTER TABLE {table} APPLY DELETED MASK");
            self.call(Call::new(&sql, &[], LIMIT).set("mutations_sync", 0)).await?;
        }
        Ok(())
    }

    /// The beginning of the first quarter of an hour that `retain` would remove, if there is one.
    pub async fn oldest_before(&self, app: Uuid, before_ms: i64) -> Result<Option<i64>, Error> {
        #[derive(Deserialize)]
        struct Row {
            oldest: i64,
            buckets: u64,
        }
        let cut = before_ms.div_euclid(BUCKET_MS) * BUCKET_MS;
        let params = [("app", Param::from(app)), ("cut", (cut / 1000).into())];
        let sql = format!(
            "SELECT toInt64(toUnixTimestamp(min(bucket))) AS oldest, count() AS buckets \
             FROM totals_15m WHERE {OLD_COUNTS} FORMAT JSONEachRow"
        );
        let answer = self.in_turn(Call::new(&sql, &params, LIMIT).reading()).await?;
        let found: Vec<Row> = read_rows(&answer)?;
        Ok(found.first().filter(|row| row.buckets > 0).map(|row| row.oldest * 1_000))
    }

    async fn retain_here(&self, app: Uuid, before_ms: i64) -> Result<u64, Error> {
        let cut = before_ms.div_euclid(BUCKET_MS) * BUCKET_MS;
        let params = [("app", Param::from(app)), ("cut", (cut / 1000).into())];
        let old = "app_id = {app:UUID} AND time < toDateTime({cut:Int64}, 'UTC')";
        let removed = self.delete("events", old, &params).await?;
        for coarse in COARSE {
            self.delete(coarse.table, OLD_COUNTS, &params).await?;
            // What is left of the bucket that the cut goes through.
            let length = coarse.length;
            let rest = format!(
                "app_id = {{app:UUID}} AND bucket >= toDateTime({{cut:Int64}}, 'UTC') AND bucket < \
                 toDateTime(intDiv({{cut:Int64}} + {length} - 1, {length}) * {length}, 'UTC')"
            );
            self.fill(&coarse.fill(&rest), &params).await?;
        }
        let quarters = COUNTS.iter().map(|count| count.table).filter(|it| *it != "totals_15m");
        for table in quarters.chain(["session_starts"]) {
            self.delete(table, OLD_COUNTS, &params).await?;
        }
        // A session that the cut goes through begins with what is left of it.
        let cut = BTreeSet::from([u32::try_from(cut / 1000).unwrap_or(0)]);
        self.count_sessions_here(&BTreeMap::from([(app, cut)])).await?;
        // Last: by them a call that was cut off is begun again.
        self.delete("totals_15m", OLD_COUNTS, &params).await?;
        if removed > 0 {
            self.wipe(&["events"]).await?;
        }
        Ok(removed)
    }
}
