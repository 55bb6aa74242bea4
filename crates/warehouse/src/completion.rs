//! Completes what is counted from events after a load that was broken off: the events are there, but
//! of the tables that are filled along with them some may be and some may not. What can be checked is
//! checked, and only what is wrong is made anew; what cannot be checked is filled in a way that
//! changes nothing where it was there already.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Deserialize;
use uuid::Uuid;

use crate::call::Call;
use crate::client::Warehouse;
use crate::counting::{COARSE, COUNTS, Coarse, EXTENTS};
use crate::error::Error;
use crate::params::literals;
use crate::sessions::list;

const LIMIT: Duration = Duration::from_secs(300);
/// Apps and quarters of an hour of one statement.
const APPS_AT_ONCE: usize = 200;
const BUCKETS_AT_ONCE: usize = 1_500;
const QUARTER: u32 = 900;

/// An app and the start of one of its buckets.
#[derive(Deserialize)]
struct Place {
    app_id: Uuid,
    at: u32,
}

/// Apps and quarters of an hour, as statements name them.
struct Touched {
    apps: String,
    buckets: Vec<u32>,
}

impl Warehouse {
    /// Makes all counts right that these quarters of an hour (by the Unix time they start at) have a
    /// part in, after events of `batch` were added to them. Nobody else may be loading.
    pub async fn complete(
        &self,
        batch: u64,
        touched: &BTreeMap<Uuid, BTreeSet<u32>>,
    ) -> Result<(), Error> {
        self.on_every_shard(|shard| async move { shard.complete_here(batch, touched).await })
            .await
            .map(drop)
    }

    async fn complete_here(
        &self,
        batch: u64,
        touched: &BTreeMap<Uuid, BTreeSet<u32>>,
    ) -> Result<(), Error> {
        let apps: Vec<Uuid> = touched.keys().copied().collect();
        let buckets: BTreeSet<u32> = touched.values().flatten().copied().collect();
        let buckets: Vec<u32> = buckets.into_iter().collect();
        for apps in apps.chunks(APPS_AT_ONCE) {
            for buckets in buckets.chunks(BUCKETS_AT_ONCE) {
                let apps = literals(apps.iter().copied());
                let some = Touched { apps, buckets: buckets.to_vec() };
                self.complete_counts(&some).await?;
                self.complete_pieces(&some).await?;
                self.complete_sets(batch, &some).await?;
            }
        }
        self.count_sessions_here(touched).await
    }

    /// Every event is counted once by the quarter of an hour.
    async fn complete_counts(&self, touched: &Touched) -> Result<(), Error> {
        for (app, buckets) in by_app(self.places(&uneven_counts(touched)).await?) {
            tracing::info!(%app, buckets = buckets.len(), "counting events anew");
            self.rebuild_here(app, &buckets).await?;
        }
        Ok(())
    }

    /// Longer buckets count the same as the quarters of an hour that they are made of.
    async fn complete_pieces(&self, touched: &Touched) -> Result<(), Error> {
        for coarse in COARSE.iter().filter(|coarse| coarse.counts_events()) {
            let uneven = self.places(&uneven_pieces(touched, coarse)).await?;
            for (app, starts) in by_app(uneven) {
                let starts: Vec<u64> = starts.into_iter().map(u64::from).collect();
                self.rebuild_pieces(app, coarse, &starts).await?;
            }
        }
        Ok(())
    }

    /// Sets of people, and first and last times: to add the same again changes nothing.
    async fn complete_sets(&self, batch: u64, touched: &Touched) -> Result<(), Error> {
        let rows = format!("{} AND batch = {batch}", touched.events());
        let sessions = COUNTS.iter().filter(|count| count.table == "sessions_15m");
        for count in sessions.chain(EXTENTS) {
            self.fill(&count.fill_from_rows(&rows), &[]).await?;
        }
        for coarse in COARSE.iter().filter(|coarse| !coarse.counts_events()) {
            self.fill(&coarse.fill_from_rows(&rows), &[]).await?;
        }
        Ok(())
    }

    async fn places(&self, sql: &str) -> Result<Vec<Place>, Error> {
        let sql = format!("{sql}\nFORMAT JSONEachRow");
        let call = Call::new(&sql, &[], LIMIT).long().reading();
        crate::answer::read_rows(&self.in_turn(call).await?)
    }
}

fn by_app(places: Vec<Place>) -> BTreeMap<Uuid, Vec<u32>> {
    let mut apps = BTreeMap::<Uuid, Vec<u32>>::new();
    for Place { app_id, at } in places {
        apps.entry(app_id).or_default().push(at);
    }
    apps
}

impl Touched {
    /// From the first to the last quarter of an hour, the latter's end excluded.
    fn ends(&self) -> (u32, u32) {
        let first = self.buckets.first().copied().unwrap_or(0);
        (first, self.buckets.last().copied().unwrap_or(0).saturating_add(QUARTER))
    }

    fn events(&self) -> String {
        let Self { apps, buckets } = self;
        let ((from, to), buckets) = (self.ends(), list(buckets));
        format!(
            "app_id IN ({apps}) AND time >= toDateTime({from}, 'UTC') AND time < toDateTime({to}, 'UTC') \
             AND toUnixTimestamp(toStartOfFifteenMinutes(toDateTime(time, 'UTC'))) IN ({buckets})"
        )
    }

    fn counts(&self) -> String {
        let Self { apps, buckets } = self;
        let ((from, to), buckets) = (self.ends(), list(buckets));
        format!(
            "app_id IN ({apps}) AND bucket >= toDateTime({from}, 'UTC') AND bucket < toDateTime({to}, 'UTC') \
             AND toUnixTimestamp(bucket) IN ({buckets})"
        )
    }
}

/// The quarters of an hour whose tables do not say the same as the events. Each event has one line
/// for each of the four dimensions.
fn uneven_counts(touched: &Touched) -> String {
    let (events, counts) = (touched.events(), touched.counts());
    let sum = |table: &str, columns: &str| {
        format!(
            "SELECT app_id, toUnixTimestamp(bucket) AS at, {columns} FROM {table} WHERE {counts} \
             GROUP BY app_id, at"
        )
    };
    format!(
        "SELECT app_id, at FROM (\
         SELECT app_id, toUnixTimestamp(toStartOfFifteenMinutes(toDateTime(time, 'UTC'))) AS at, \
             toInt64(count()) AS a, toInt64(0) AS b, toInt64(0) AS c, toInt64(0) AS d \
         FROM events WHERE {events} GROUP BY app_id, at \
         UNION ALL {} UNION ALL {} UNION ALL {}) \
         GROUP BY app_id, at \
         HAVING sum(a) != sum(b) OR sum(a) != sum(c) OR 4 * sum(a) != sum(d)",
        sum(
            "totals_15m",
            "toInt64(0) AS a, toInt64(sum(events)) AS b, toInt64(0) AS c, toInt64(0) AS d"
        ),
        sum(
            "events_15m",
            "toInt64(0) AS a, toInt64(0) AS b, toInt64(sum(events)) AS c, toInt64(0) AS d"
        ),
        sum(
            "breakdowns_15m",
            "toInt64(0) AS a, toInt64(0) AS b, toInt64(0) AS c, toInt64(sum(events)) AS d"
        ),
    )
}

/// The buckets around these quarters of an hour that do not say the same as their quarters.
fn uneven_pieces(touched: &Touched, coarse: &Coarse) -> String {
    let Coarse { table, fine, length, .. } = coarse;
    let quarters: Vec<u64> = touched.buckets.iter().map(|bucket| u64::from(*bucket)).collect();
    let buckets: Vec<u32> =
        coarse.buckets(&quarters).into_iter().filter_map(|at| u32::try_from(at).ok()).collect();
    let from = buckets.first().copied().unwrap_or(0);
    let to = buckets.last().copied().unwrap_or(0).saturating_add(*length);
    let (apps, buckets) = (&touched.apps, list(&buckets));
    let of = |table: &str, sign: &str| {
        format!(
            "SELECT app_id, intDiv(toUnixTimestamp(bucket), {length}) * {length} AS at, \
                 {sign}toInt64(sum(events)) AS n \
             FROM {table} WHERE app_id IN ({apps}) AND bucket >= toDateTime({from}, 'UTC') \
                 AND bucket < toDateTime({to}, 'UTC') AND at IN ({buckets}) GROUP BY app_id, at"
        )
    };
    format!(
        "SELECT app_id, toUInt32(at) AS at FROM ({} UNION ALL {}) GROUP BY app_id, at HAVING sum(n) != 0",
        of(fine, ""),
        of(table, "-")
    )
}
