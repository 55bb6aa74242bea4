//! Changes to stored data: rebuilding counts, retention, deleting an app.
//!
//! Each change has taken effect when the call returns, and can be repeated after a crash at any point.
//! Counts are made from `events` while nothing is added to it: the caller keeps the app's loader from
//! running during the call.

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

/// A delete rewrites whole parts, which is slow on a large store.
pub(crate) const LIMIT: Duration = Duration::from_secs(600);

/// Every table with rows of apps.
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

/// Counts by page and by referring site, which may contain somebody's id.
pub(crate) const PAGES: &[&str] = &["pages_15m", "pages_1h", "pages_1d", "pages_1w"];

/// Rows of a table of counts, by bucket. The range is there for the index.
const BUCKETS: &str = "app_id = {app:UUID} \
    AND bucket >= toDateTime({from:UInt32}, 'UTC') AND bucket <= toDateTime({to:UInt32}, 'UTC') \
    AND toUnixTimestamp(bucket) IN {buckets:Array(UInt32)}";

/// The parameters of `BUCKETS` and `EVENTS_OF_BUCKETS`. The buckets are in ascending order.
fn buckets_params(app: Uuid, buckets: &[u64]) -> [(&'static str, Param); 4] {
    let bound = |bucket: Option<&u64>| Param::UInt(bucket.copied().unwrap_or(0));
    [
        ("app", app.into()),
        ("from", bound(buckets.first())),
        ("to", bound(buckets.last())),
        ("buckets", Param::UInts(buckets.to_vec())),
    ]
}

/// The events counted in these buckets.
const EVENTS_OF_BUCKETS: &str = "app_id = {app:UUID} \
    AND time >= toDateTime({from:UInt32}, 'UTC') AND time < toDateTime({to:UInt32} + 900, 'UTC') \
    AND toUnixTimestamp(toStartOfFifteenMinutes(toDateTime(time, 'UTC'))) IN {buckets:Array(UInt32)}";

/// Counts from before a moment.
const OLD_COUNTS: &str = "app_id = {app:UUID} AND bucket < toDateTime({cut:Int64}, 'UTC')";

/// Settings of recounts, so that they fit beside everything else: groups that do not fit into memory are
/// spilled to disk, and inserts into views use small blocks.
const FRUGAL: &[(&str, u64)] = &[
    ("max_threads", 2),
    ("max_bytes_before_external_group_by", 96 << 20),
    ("max_block_size", 16_384),
    ("min_insert_block_size_rows", 65_536),
    ("min_insert_block_size_bytes", 32 << 20),
];

/// How many buckets one statement covers, ordered by time: a month has 2,976.
pub(crate) const BUCKETS_AT_ONCE: usize = 3000;

/// These run on every shard, each with its own events.
impl Warehouse {
    /// Rebuilds everything that is kept by the quarter of an hour from the events of these buckets (by
    /// the Unix time at which they start), and completes the tables of first and last times.
    pub async fn rebuild(&self, app: Uuid, buckets: &[u32]) -> Result<(), Error> {
        self.on_every_shard(|shard| async move { shard.rebuild_here(app, buckets).await })
            .await
            .map(drop)
    }

    /// Removes all data of an app.
    pub async fn purge_app(&self, app: Uuid) -> Result<(), Error> {
        self.on_every_shard(|shard| async move { shard.purge_app_here(app).await }).await.map(drop)
    }

    /// Removes events from before a moment, and their counts, and returns how many events that were. The
    /// moment is rounded down to a multiple of 15 minutes.
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
            let params = buckets_params(app, some);
            let are_numbered = self.are_numbered(EVENTS_OF_BUCKETS, &params).await?;
            let fill = |count: &Count| self.fill_from(count, EVENTS_OF_BUCKETS, are_numbered);
            // One after the other: a rebuild must not take more than one of the engine's connections for
            // changes, nor the memory of several statements.
            for count in COUNTS {
                self.delete(count.table, BUCKETS, &params).await?;
                self.fill(&fill(count), &params).await?;
            }
            // After the quarters: their inserts also passed through the views of the longer buckets.
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

    /// Whether all of these events carry person and device numbers. Those stored by early versions do
    /// not, and have to be looked up among all numbers of the app.
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

    /// Rebuilds the longer buckets that contain these quarters of an hour.
    pub(crate) async fn rebuild_pieces(
        &self,
        app: Uuid,
        coarse: &Coarse,
        quarters: &[u64],
    ) -> Result<(), Error> {
        let buckets = coarse.buckets(quarters);
        let params = buckets_params(app, &buckets);
        self.delete(coarse.table, BUCKETS, &params).await?;
        let length = coarse.length;
        let quarters = format!(
            "app_id = {{app:UUID}} AND bucket >= toDateTime({{from:UInt32}}, 'UTC') \
             AND bucket < toDateTime({{to:UInt32}} + {length}, 'UTC') \
             AND intDiv(toUnixTimestamp(bucket), {length}) * {length} IN {{buckets:Array(UInt32)}}"
        );
        self.fill(&coarse.fill(&quarters), &params).await
    }

    /// Recounts sessions that these quarters of an hour may have changed. Counts whose events are all
    /// gone are removed too.
    async fn rebuild_sessions(&self, app: Uuid, quarters: &[u64]) -> Result<(), Error> {
        let touched: BTreeSet<u32> =
            quarters.iter().filter_map(|bucket| u32::try_from(*bucket).ok()).collect();
        let near: Vec<u64> = near(touched.iter().copied()).into_iter().map(u64::from).collect();
        // Scattered quarters have up to three times as many near them.
        for some in near.chunks(BUCKETS_AT_ONCE) {
            let params = buckets_params(app, some);
            self.delete("session_starts", BUCKETS, &params).await?;
        }
        self.count_sessions_here(&BTreeMap::from([(app, touched)])).await
    }

    pub(crate) async fn fill(&self, sql: &str, params: &[(&str, Param)]) -> Result<(), Error> {
        self.fill_as(None, sql, params).await
    }

    /// The same with a query id, by which others can find the statement.
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
        // Equal earlier rows were deleted in between.
        self.in_turn(call.never_a_duplicate()).await.map(drop)
    }

    /// Removes rows, if there are any: even a delete that matches nothing is a mutation of every part.
    pub(crate) async fn delete(
        &self,
        table: &str,
        rows: &str,
        params: &[(&str, Param)],
    ) -> Result<u64, Error> {
        let count = self.count(table, rows, params).await?;
        if count > 0 {
            let sql = format!("DELETE FROM {table} WHERE {rows}");
            // 2: wait for all replicas.
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

    /// A delete only masks rows until their part is merged, which may never happen to an old part: this
    /// rewrites the parts, in the background.
    pub(crate) async fn wipe(&self, tables: &[&str]) -> Result<(), Error> {
        for table in tables {
            let sql = format!("ALTER TABLE {table} APPLY DELETED MASK");
            self.call(Call::new(&sql, &[], LIMIT).set("mutations_sync", 0)).await?;
        }
        Ok(())
    }

    /// The start of the first quarter of an hour that `retain` would remove, if any.
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
            // Refills the bucket that contains the cut with what remains of it.
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
        // A session across the cut now starts with its first remaining event.
        let cut = BTreeSet::from([u32::try_from(cut / 1000).unwrap_or(0)]);
        self.count_sessions_here(&BTreeMap::from([(app, cut)])).await?;
        // Last, because an interrupted call is resumed by these rows.
        self.delete("totals_15m", OLD_COUNTS, &params).await?;
        if removed > 0 {
            self.wipe(&["events"]).await?;
            self.wipe(PAGES).await?;
        }
        Ok(removed)
    }
}
