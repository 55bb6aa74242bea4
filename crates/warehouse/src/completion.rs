//! Completes the counts after an interrupted load: the events are there, but the tables filled along
//! with them may be incomplete. Counts that can be checked are checked, and only wrong ones are rebuilt;
//! the others are filled in a way that changes nothing where rows were already there.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Deserialize;
use uuid::Uuid;

use crate::call::Call;
use crate::client::Warehouse;
use crate::counting::{COARSE, COUNTS, Coarse, EXTENTS, is_extent};
use crate::error::Error;
use crate::params::literals;
use crate::sessions::{list, near, near_before};

const LIMIT: Duration = Duration::from_secs(300);
/// How many apps and quarters of an hour one statement covers.
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
    /// Corrects all counts that involve these quarters of an hour (by the Unix times at which they
    /// start), after events of `batch` were added to them. No other load may be running.
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
        self.count_sessions_here(touched).await?;
        for apps in apps.chunks(APPS_AT_ONCE) {
            for buckets in buckets.chunks(BUCKETS_AT_ONCE) {
                let apps = literals(apps.iter().copied());
                let near = near(near_before(buckets.iter().copied()));
                self.complete_visits(&Touched { apps, buckets: near }).await?;
            }
        }
        Ok(())
    }

    /// Each event must be counted once in its quarter of an hour.
    async fn complete_counts(&self, touched: &Touched) -> Result<(), Error> {
        for (app, buckets) in by_app(self.places(&uneven_counts(touched)).await?) {
            tracing::info!(%app, buckets = buckets.len(), "recounting events");
            self.rebuild_here(app, &buckets).await?;
        }
        Ok(())
    }

    /// Longer buckets must count the same as their quarters of an hour.
    async fn complete_pieces(&self, touched: &Touched) -> Result<(), Error> {
        self.complete_pieces_of(touched, |_| true).await
    }

    /// Correcting visits can change quarters of an hour next to the touched ones, so longer buckets of
    /// pages are compared once more.
    async fn complete_visits(&self, touched: &Touched) -> Result<(), Error> {
        self.complete_pieces_of(touched, |coarse| coarse.fine == "pages_15m").await
    }

    async fn complete_pieces_of(
        &self,
        touched: &Touched,
        is_wanted: impl Fn(&Coarse) -> bool,
    ) -> Result<(), Error> {
        let counting = COARSE.iter().filter(|coarse| coarse.counts_events() && is_wanted(coarse));
        for coarse in counting {
            let uneven = self.places(&uneven_pieces(touched, coarse)).await?;
            for (app, starts) in by_app(uneven) {
                let starts: Vec<u64> = starts.into_iter().map(u64::from).collect();
                self.rebuild_pieces(app, coarse, &starts).await?;
            }
        }
        Ok(())
    }

    /// Sets of people, and first and last times: adding the same rows again changes nothing.
    async fn complete_sets(&self, batch: u64, touched: &Touched) -> Result<(), Error> {
        let rows = format!("{} AND batch = {batch}", touched.events());
        let extents = COUNTS.iter().filter(|count| is_extent(count));
        for count in extents.chain(EXTENTS) {
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
    /// From the start of the first quarter of an hour to the end of the last.
    fn ends(&self) -> (u32, u32) {
        let first = self.buckets.first().copied().unwrap_or(0);
        (first, self.buckets.last().copied().unwrap_or(0).saturating_add(QUARTER))
    }

    fn events(&self) -> String {
        let Self { apps, buckets } = self;
        let ((from, to), buckets) = (self.ends(), list(buckets));
        format!(
            "app_id IN ({apps}) AND time >= toDateTime({from}, 'UTC') AND time < toDateTime({to}, \
             'UTC') AND toUnixTimestamp(toStartOfFifteenMinutes(toDateTime(time, 'UTC'))) IN \
             ({buckets})"
        )
    }

    fn counts(&self) -> String {
        let Self { apps, buckets } = self;
        let ((from, to), buckets) = (self.ends(), list(buckets));
        format!(
            "app_id IN ({apps}) AND bucket >= toDateTime({from}, 'UTC') AND bucket < \
             toDateTime({to}, 'UTC') AND toUnixTimestamp(bucket) IN ({buckets})"
        )
    }
}

/// The quarters of an hour whose tables disagree with the events. Each event has one row for each of the
/// four dimensions, and each page view one for its page and one for its site.
fn uneven_counts(touched: &Touched) -> String {
    let (events, counts) = (touched.events(), touched.counts());
    let none = ["0"; 6];
    let columns = |sums: &[(usize, &str)]| {
        let mut columns = none.map(str::to_owned);
        sums.iter().for_each(|(place, sum)| (*sum).clone_into(&mut columns[*place]));
        let columns = columns.iter().zip(["a", "v", "b", "c", "d", "e"]);
        let columns = columns.map(|(sum, name)| format!("toInt64({sum}) AS {name}"));
        columns.collect::<Vec<_>>().join(", ")
    };
    let sum = |table: &str, place: usize, sum: &str| {
        let columns = columns(&[(place, sum)]);
        format!(
            "SELECT app_id, toUnixTimestamp(bucket) AS at, {columns} FROM {table} WHERE {counts} \
             GROUP BY app_id, at"
        )
    };
    format!(
        "SELECT app_id, at FROM (SELECT app_id, \
         toUnixTimestamp(toStartOfFifteenMinutes(toDateTime(time, 'UTC'))) AS at, {} FROM events \
         WHERE {events} GROUP BY app_id, at UNION ALL {} UNION ALL {} UNION ALL {} UNION ALL {}) \
         GROUP BY app_id, at HAVING sum(a) != sum(b) OR sum(a) != sum(c) OR 4 * sum(a) != sum(d) \
         OR 2 * sum(v) != sum(e)",
        columns(&[(0, "count()"), (1, "countIf(event = 'page_view')")]),
        sum("totals_15m", 2, "sum(events)"),
        sum("events_15m", 3, "sum(events)"),
        sum("breakdowns_15m", 4, "sum(events)"),
        sum("pages_15m", 5, "sumIf(events, dimension IN ('page', 'site'))"),
    )
}

/// The buckets that contain these quarters of an hour and disagree with them.
fn uneven_pieces(touched: &Touched, coarse: &Coarse) -> String {
    let Coarse { table, fine, length, .. } = coarse;
    let quarters: Vec<u64> = touched.buckets.iter().map(|bucket| u64::from(*bucket)).collect();
    let buckets: Vec<u32> =
        coarse.buckets(&quarters).into_iter().filter_map(|at| u32::try_from(at).ok()).collect();
    let from = buckets.first().copied().unwrap_or(0);
    let to = buckets.last().copied().unwrap_or(0).saturating_add(*length);
    let (apps, buckets) = (&touched.apps, list(&buckets));
    // A visit taken back from one page is given to another, so pages are weighted to be told apart.
    let weight = match *fine {
        "pages_15m" => " * toInt64(cityHash64(dimension, value) % 1048573 + 1)",
        _ => "",
    };
    let of = |table: &str, sign: &str| {
        format!(
            "SELECT app_id, intDiv(toUnixTimestamp(bucket), {length}) * {length} AS at, \
             {sign}toInt64(sum(events{weight})) AS n FROM {table} WHERE app_id IN ({apps}) AND \
             bucket >= toDateTime({from}, 'UTC') AND bucket < toDateTime({to}, 'UTC') AND at IN \
             ({buckets}) GROUP BY app_id, at"
        )
    };
    format!(
        "SELECT app_id, toUInt32(at) AS at FROM ({} UNION ALL {}) GROUP BY app_id, at HAVING \
         sum(n) != 0",
        of(fine, ""),
        of(table, "-")
    )
}
