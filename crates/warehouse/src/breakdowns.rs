//! Events and persons of some apps by event name and by properties of the device, in buckets of time
//! that are joined here.

use std::collections::BTreeMap;
use std::sync::Arc;

use roaring::{MultiOps, RoaringBitmap};
use uuid::Uuid;

use crate::binary::Rows;
use crate::buckets::{Bucket, DAY, HOUR, QUARTER, RollupTable, WEEK, between, statement};
use crate::client::Warehouse;
use crate::error::Error;
use crate::rollup_cache::{Cells, Grid, Name, Owners, Part, RollupCache};
use crate::runtime::off_the_runtime;
use crate::sets::people_in;
use crate::versions::Versions;

/// What a set of tables counts by, and the tables by the length of their buckets.
pub(crate) struct Table {
    /// The columns of the two names.
    pub names: [&'static str; 2],
    pub tables: [RollupTable; 4],
}

const AT_ONCE: u32 = 26 * WEEK;

pub(crate) const EVENTS: Table = Table {
    names: ["event", "''"],
    tables: [
        RollupTable::by_time("events_1w", WEEK),
        RollupTable::by_time("events_1d", DAY),
        RollupTable::by_time("events_1h", HOUR),
        RollupTable::by_time("events_15m", QUARTER),
    ],
};

pub(crate) const BREAKDOWNS: Table = Table {
    names: ["dimension", "value"],
    tables: [
        RollupTable::by_time("breakdowns_1w", WEEK),
        RollupTable::by_time("breakdowns_1d", DAY),
        RollupTable::by_time("breakdowns_1h", HOUR),
        RollupTable::by_time("breakdowns_15m", QUARTER),
    ],
};

pub(crate) const PAGES: Table = Table {
    names: ["dimension", "value"],
    tables: [
        RollupTable::by_time("pages_1w", WEEK),
        RollupTable::by_time("pages_1d", DAY),
        RollupTable::by_time("pages_1h", HOUR),
        RollupTable::by_time("pages_15m", QUARTER),
    ],
};

/// The events with a name in all apps together, and the people of each app.
#[derive(Debug, Default)]
pub(crate) struct Sum {
    pub events: u64,
    /// By the index of the app among those asked about.
    people: BTreeMap<usize, RoaringBitmap>,
}

impl Sum {
    /// A person counts once in each app.
    pub fn persons(&self, owners: &[Arc<Owners>]) -> u64 {
        let none = Owners::default();
        let of_app = |(app, people): (&usize, &RoaringBitmap)| {
            people_in(people, owners.get(*app).map_or(&none, |owners| owners))
        };
        self.people.iter().map(of_app).sum()
    }

    pub fn add(&mut self, other: Self) {
        self.events = self.events.wrapping_add(other.events);
        for (app, people) in other.people {
            *self.people.entry(app).or_default() |= people;
        }
    }
}

pub(crate) type Sums = BTreeMap<Name, Sum>;

impl Warehouse {
    /// The sums of the table between two cuts.
    pub(crate) async fn breakdown_sums(
        &self,
        table: &'static Table,
        cache: &RollupCache<Vec<Part>>,
        apps: &[Uuid],
        cuts: [u32; 2],
        versions: &Versions,
    ) -> Result<Sums, Error> {
        let columns = format!("{}, events, people", table.names.join(", "));
        let read = async |buckets: &[Bucket]| {
            let is_counted = |table: &str| self.schema_state().is_counted(table);
            let sql = statement(&table.tables, is_counted, &columns, apps, buckets);
            let answer = self.binary(&sql).await?;
            let (apps, buckets) = (apps.to_vec(), buckets.to_vec());
            off_the_runtime(move || put_together(&apps, &buckets, &answer)).await
        };
        let mut sums = Sums::new();
        for cuts in in_turn(cuts) {
            let buckets = between(&cuts, table.tables.map(|table| table.length));
            let grid = cache.grid(apps, buckets, versions, read).await?;
            sums = off_the_runtime(move || Ok(add(sums, &grid))).await?;
        }
        Ok(sums)
    }
}

/// Splits a long range into parts that are read one after the other, so that memory is needed for only
/// one at a time. Parts end where weeks do. A range no longer than one part is not cut: it would become
/// two statements, and the second would wait for the first.
fn in_turn([from, to]: [u32; 2]) -> Vec<[u32; 2]> {
    if to.saturating_sub(from) <= AT_ONCE {
        return vec![[from, to]];
    }
    let ends = (from / AT_ONCE + 1..).map(|part| part * AT_ONCE).take_while(|end| *end < to);
    let ends: Vec<u32> = std::iter::once(from).chain(ends).chain([to]).collect();
    ends.windows(2).map(|pair| [pair[0], pair[1]]).collect()
}

fn put_together(
    apps: &[Uuid],
    buckets: &[Bucket],
    answer: &[u8],
) -> Result<Vec<Vec<Vec<Part>>>, Error> {
    let mut cells: Cells<Vec<Part>> = Cells::new(apps, buckets);
    let mut rows = Rows::new(answer);
    while !rows.is_at_end() {
        let (app, at) = (rows.uuid()?, rows.u32()?);
        let name = (rows.text()?.into(), rows.text()?.into());
        let part = Part { name, events: rows.u64()?, people: rows.bitmap()? };
        if let Some(parts) = cells.at(app, at) {
            parts.push(part);
        }
    }
    Ok(cells.contents)
}

fn add(mut sums: Sums, grid: &Grid<Vec<Part>>) -> Sums {
    for (app, buckets) in grid.apps.iter().enumerate() {
        let mut own: BTreeMap<&Name, (u64, Vec<&RoaringBitmap>)> = BTreeMap::new();
        for part in buckets.iter().flat_map(|parts| parts.iter()) {
            let (events, people) = own.entry(&part.name).or_default();
            *events = events.wrapping_add(part.events);
            people.push(&part.people);
        }
        for (name, (events, people)) in own {
            let sum = Sum { events, people: BTreeMap::from([(app, people.union())]) };
            match sums.get_mut(name) {
                Some(known) => known.add(sum),
                None => drop(sums.insert(name.clone(), sum)),
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_range_is_taken_in_parts_that_end_with_weeks() {
        assert_eq!(in_turn([900, 1_800]), [[900, 1_800]]);
        assert_eq!(in_turn([0, AT_ONCE]), [[0, AT_ONCE]]);
        assert_eq!(in_turn([AT_ONCE - 900, AT_ONCE + 900]), [[AT_ONCE - 900, AT_ONCE + 900]]);
        let (from, to) = (AT_ONCE - 900, 2 * AT_ONCE + 900);
        let parts = [[from, AT_ONCE], [AT_ONCE, 2 * AT_ONCE], [2 * AT_ONCE, to]];
        assert_eq!(in_turn([from, to]), parts);
    }
}
