//! Events, page views, sessions, persons and devices of some apps, by buckets of time.

use uuid::Uuid;

use crate::binary::Rows;
use crate::buckets::{
    Bucket, FOUR_HOURS, HALF_HOUR, HOUR, QUARTER, RollupTable, between, statement, stretches,
};
use crate::client::Warehouse;
use crate::error::Error;
use crate::params::literals;
use crate::rollup_cache::{Cells, Grid, Total};
use crate::runtime::off_the_runtime;
use crate::versions::Versions;

/// The tables, and how long their buckets are. In most time zones days are made of whole hours, and in
/// all but three of half hours.
pub(crate) const TABLES: [RollupTable; 4] = [
    RollupTable::by_time("totals_4h", FOUR_HOURS),
    RollupTable::by_time_of_day("totals_1h", HOUR),
    RollupTable::by_time_of_day("totals_30m", HALF_HOUR),
    RollupTable::by_time("totals_15m", QUARTER),
];

impl Warehouse {
    pub(crate) async fn totals(
        &self,
        apps: &[Uuid],
        cuts: &[u32],
        versions: &Versions,
    ) -> Result<Grid<Total>, Error> {
        self.totals_of(apps, buckets_of(cuts), versions).await
    }

    pub(crate) async fn totals_of(
        &self,
        apps: &[Uuid],
        buckets: Vec<Bucket>,
        versions: &Versions,
    ) -> Result<Grid<Total>, Error> {
        let read = async |buckets: &[Bucket]| {
            let is_counted = |table: &str| self.schema_state().is_counted(table);
            let people = statement(&TABLES, is_counted, "people, machines", apps, buckets);
            let sums = sums(apps, buckets);
            let (sums, people) = tokio::try_join!(self.binary(&sums), self.binary(&people))?;
            let (apps, buckets) = (apps.to_vec(), buckets.to_vec());
            off_the_runtime(move || put_together(&apps, &buckets, &sums, &people)).await
        };
        self.rollup_caches().totals.grid(apps, buckets, versions, read).await
    }
}

pub(crate) fn buckets_of(cuts: &[u32]) -> Vec<Bucket> {
    between(cuts, TABLES.map(|table| table.length))
}

/// Reads quarters of an hour: plain counts are small, and quickly summed here.
pub(crate) fn sums(apps: &[Uuid], buckets: &[Bucket]) -> String {
    let (apps, stretches) = (literals(apps.iter().copied()), stretches(buckets));
    let within = format!("app_id IN ({apps}) AND {stretches}");
    format!(
        "SELECT app_id, toUnixTimestamp(bucket) AS at, events AS all, page_views AS views, \
             toUInt64(0) AS begun \
         FROM totals_15m WHERE {within} \
         UNION ALL SELECT app_id, toUnixTimestamp(bucket), 0, 0, toUInt64(starts) \
         FROM session_starts FINAL WHERE {within}"
    )
}

/// A bucket may have several rows: late events have their own until the engine has merged them.
fn put_together(
    apps: &[Uuid],
    buckets: &[Bucket],
    sums: &[u8],
    people: &[u8],
) -> Result<Vec<Vec<Total>>, Error> {
    let mut cells: Cells<Total> = Cells::new(apps, buckets);
    let mut rows = Rows::new(sums);
    while !rows.is_at_end() {
        let (app, at) = (rows.uuid()?, rows.u32()?);
        let (events, page_views, starts) = (rows.u64()?, rows.u64()?, rows.u64()?);
        if let Some(total) = cells.at(app, at) {
            total.events += events;
            total.page_views += page_views;
            total.starts += starts;
        }
    }
    let mut rows = Rows::new(people);
    while !rows.is_at_end() {
        let (app, at) = (rows.uuid()?, rows.u32()?);
        let (people, machines) = (rows.bitmap()?, rows.bitmap()?);
        if let Some(total) = cells.at(app, at) {
            total.people |= people;
            total.machines |= machines;
        }
    }
    Ok(cells.contents)
}
