//! What the dashboard asks: figures of many apps over a range that begins and ends at a quarter of an
//! hour. Persons and devices are counted once per app, exactly, as bitmaps of their numbers. Nothing
//! here knows of time zones: where buckets begin is told as moments.
//!
//! The engine hands out pieces of time, which are kept (`shelf`) and put together here: a statement
//! costs it some milliseconds whatever it is about, and most pieces were read before.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::ops::AddAssign;
use std::sync::Arc;

use bytes::Bytes;
use roaring::{MultiOps, RoaringBitmap};
use uuid::Uuid;

use crate::arrivals::Known;
use crate::catalogue::EventCount;
use crate::client::{Call, Warehouse};
use crate::error::Error;
use crate::over_limit::OTHER;
use crate::pieces::{DAY, HOUR, QUARTER};
use crate::sessions::{UnderWay, around};
use crate::shares::{BREAKDOWNS, EVENTS, Name, Part, Sum};
use crate::shelf::{Grid, Shelf};
use crate::totals::{Total, off_the_runtime, pieces_of};
use crate::versions::Versions;

/// Buckets of a long range are looked at in turn, as many as begin within this many seconds.
const AT_ONCE: u32 = 100 * DAY;

/// What one statement may take. How many names and values have counts of their own is limited, so
/// this is beyond what apps within their limits come to.
const MEMORY_LIMIT: u64 = 512 << 20;
const RESULT_LIMIT: u64 = 256 << 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub events: u64,
    pub page_views: u64,
    pub persons: u64,
    pub devices: u64,
    /// Runs of one device's events within the range, with no gap over half an hour. A session belongs
    /// to the bucket that it begins in.
    pub sessions: u64,
    /// Those that had their first event ever.
    pub new_devices: u64,
}

/// Counts of a range: per app as a whole, and per bucket, by its start in milliseconds, as sums over
/// the apps. What is nothing is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overall {
    pub apps: HashMap<Uuid, Counts>,
    pub buckets: BTreeMap<i64, Counts>,
}

/// How often a value occurred, and with how many people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    pub dimension: String,
    pub value: String,
    /// All values together that are not listed.
    pub is_rest: bool,
    pub events: u64,
    pub persons: u64,
}

/// What is kept of earlier questions.
#[derive(Default)]
pub(crate) struct Shelves {
    pub totals: Shelf<Total>,
    pub events: Shelf<Vec<Part>>,
    pub breakdowns: Shelf<Vec<Part>>,
    pub under_way: Shelf<UnderWay>,
    pub arrivals: Known,
}

impl Warehouse {
    /// Counts of the buckets that begin at the cuts; the last cut ends the last one.
    pub async fn overall(
        &self,
        apps: &[Uuid],
        cuts_ms: &[i64],
        versions: &Versions,
    ) -> Result<Overall, Error> {
        let Some(cuts) = moments(apps, cuts_ms) else { return Ok(Overall::default()) };
        let totals = async {
            let mut sums = Summing::new(apps.len());
            for cuts in in_turn(&cuts) {
                let grid = self.totals(apps, cuts, versions).await?;
                let cuts = cuts.to_vec();
                sums = off_the_runtime(move || Ok(sums.add(&cuts, &grid))).await?;
            }
            Ok(sums)
        };
        let (mut sums, arrivals, under_way) = tokio::try_join!(
            totals,
            self.arrivals(apps, &cuts, versions),
            self.under_way(apps, cuts[0], versions)
        )?;
        sums.add_arrivals(&cuts, &arrivals);
        sums.add_under_way(&cuts, &under_way);
        Ok(sums.done(apps))
    }

    /// Reads what the counts of two ranges are made of, both at once where that can be: a statement
    /// about two costs little more than one about one. The pieces are kept for whoever asks next.
    pub async fn gather(
        &self,
        apps: &[Uuid],
        ranges_ms: [&[i64]; 2],
        versions: &Versions,
    ) -> Result<(), Error> {
        let [Some(one), Some(other)] = ranges_ms.map(|cuts_ms| moments(apps, cuts_ms)) else {
            return Ok(());
        };
        let mut ranges = [one, other];
        ranges.sort_unstable();
        let [first, second] = &ranges;
        let is_apart =
            first[0].saturating_add(HOUR) <= second[0] && first[first.len() - 1] <= second[0];
        let is_short = |cuts: &[u32]| cuts[cuts.len() - 1] - cuts[0] <= AT_ONCE;
        if !(is_apart && is_short(first) && is_short(second)) {
            return Ok(());
        }
        let pieces = [pieces_of(first), pieces_of(second)].concat();
        let beginnings = vec![around(first[0]), around(second[0])];
        tokio::try_join!(
            self.totals_of(apps, pieces, versions),
            self.arrivals(apps, second, versions),
            self.under_way_around(apps, beginnings, versions)
        )?;
        Ok(())
    }

    /// The events that happened most, and how many persons did each. Last, and beyond `most`, those
    /// whose names are over the limits of their apps, together.
    pub async fn top_events(
        &self,
        apps: &[Uuid],
        from_ms: i64,
        to_ms: i64,
        most: usize,
        versions: &Versions,
    ) -> Result<Vec<EventCount>, Error> {
        let Some(cuts) = moments(apps, &[from_ms, to_ms]) else { return Ok(Vec::new()) };
        let shelf = &self.shelves().events;
        let sums = self.shares(&EVENTS, shelf, apps, [cuts[0], cuts[1]], versions).await?;
        let (other, mut all): (Vec<_>, Vec<_>) =
            sums.into_iter().partition(|((event, _), _)| &**event == OTHER);
        // Stable: those of equal number stay in the order of their names.
        all.sort_by_key(|(_, sum)| Reverse(sum.events));
        let count = |((event, _), sum): (Name, Sum)| EventCount {
            event: event.into(),
            events: sum.events,
            persons: sum.persons(),
        };
        Ok(all.into_iter().take(most).chain(other).map(count).collect())
    }

    /// The most frequent values of each dimension, and then what the others come to.
    pub async fn breakdowns(
        &self,
        apps: &[Uuid],
        from_ms: i64,
        to_ms: i64,
        most: usize,
        versions: &Versions,
    ) -> Result<Vec<Share>, Error> {
        let Some(cuts) = moments(apps, &[from_ms, to_ms]) else { return Ok(Vec::new()) };
        let shelf = &self.shelves().breakdowns;
        let sums = self.shares(&BREAKDOWNS, shelf, apps, [cuts[0], cuts[1]], versions).await?;
        let mut dimensions: BTreeMap<Box<str>, Vec<(Box<str>, Sum)>> = BTreeMap::new();
        for ((dimension, value), sum) in sums {
            dimensions.entry(dimension).or_default().push((value, sum));
        }
        let mut shares = Vec::new();
        for (dimension, mut values) in dimensions {
            // What is over the limits of the apps is part of the rest.
            values.sort_by_key(|(value, sum)| (&**value == OTHER, Reverse(sum.events)));
            let named = values.iter().filter(|(value, _)| &**value != OTHER).count();
            let rest = values.split_off(named.min(most));
            let rest = rest.into_iter().map(|(_, sum)| sum).reduce(|mut sum, more| {
                sum.add(more);
                sum
            });
            let shown = values.into_iter().map(|(value, sum)| (value, sum, false));
            let rest = rest.into_iter().map(|sum| (Box::default(), sum, true));
            shares.extend(shown.chain(rest).map(|(value, sum, is_rest)| Share {
                dimension: dimension.clone().into(),
                value: value.into(),
                is_rest,
                events: sum.events,
                persons: sum.persons(),
            }));
        }
        Ok(shares)
    }

    /// Asks a question whose answer is rows to be read as `Rows`.
    pub(crate) async fn binary(&self, sql: &str) -> Result<Bytes, Error> {
        let sql = format!("{sql}\nFORMAT RowBinary");
        // A dashboard asks several at once: each on its own thread is less work than all on all.
        let call = Call::new(&sql, &[], self.limit())
            .long()
            .set("max_threads", 1)
            .set("max_memory_usage", MEMORY_LIMIT)
            .set("max_result_bytes", RESULT_LIMIT);
        self.call(call.reading()).await
    }
}

/// Cuts as Unix times, moved back to a quarter of an hour; None where nothing can be counted.
fn moments(apps: &[Uuid], cuts_ms: &[i64]) -> Option<Vec<u32>> {
    let seconds = |at: &i64| u32::try_from(at.div_euclid(1_000)).unwrap_or(0) / QUARTER * QUARTER;
    let cuts: Vec<u32> = cuts_ms.iter().map(seconds).collect();
    (!apps.is_empty() && cuts.first()? < cuts.last()?).then_some(cuts)
}

/// Parts of the cuts, each of which begins where the one before ends.
fn in_turn(cuts: &[u32]) -> Vec<&[u32]> {
    let (mut parts, mut first) = (Vec::new(), 0);
    while first + 1 < cuts.len() {
        let within = cuts.partition_point(|cut| *cut <= cuts[first].saturating_add(AT_ONCE));
        let last = (within - 1).max(first + 1);
        parts.push(&cuts[first..=last]);
        first = last;
    }
    parts
}

/// Counts that are being added up.
struct Summing {
    apps: Vec<OfApp>,
    buckets: BTreeMap<u32, Counts>,
}

#[derive(Clone, Default)]
struct OfApp {
    counts: Counts,
    people: RoaringBitmap,
    machines: RoaringBitmap,
}

impl Summing {
    fn new(apps: usize) -> Self {
        Self { apps: vec![OfApp::default(); apps], buckets: BTreeMap::new() }
    }

    fn add(mut self, cuts: &[u32], grid: &Grid<Total>) -> Self {
        for (app, totals) in self.apps.iter_mut().zip(&grid.apps) {
            let mut rest = &totals[..];
            let mut at = 0;
            for pair in cuts.windows(2) {
                let length = grid.pieces[at..].partition_point(|piece| piece.start < pair[1]);
                let (own, others) = rest.split_at(length);
                (rest, at) = (others, at + length);
                let people = own.iter().map(|total| &total.people).union();
                let machines = own.iter().map(|total| &total.machines).union();
                let sum = |of: fn(&Total) -> u64| own.iter().map(|total| of(total)).sum::<u64>();
                let counts = Counts {
                    events: sum(|total| total.events),
                    page_views: sum(|total| total.page_views),
                    sessions: sum(|total| total.starts),
                    persons: people.len(),
                    devices: machines.len(),
                    new_devices: 0,
                };
                *self.buckets.entry(pair[0]).or_default() += counts;
                app.counts += counts;
                app.people |= people;
                app.machines |= machines;
            }
        }
        self
    }

    fn add_arrivals(&mut self, cuts: &[u32], arrivals: &[Vec<u64>]) {
        for (app, of_app) in self.apps.iter_mut().zip(arrivals) {
            for (cut, new_devices) in cuts.iter().zip(of_app) {
                let counts = Counts { new_devices: *new_devices, ..Counts::default() };
                *self.buckets.entry(*cut).or_default() += counts;
                app.counts += counts;
            }
        }
    }

    fn add_under_way(&mut self, cuts: &[u32], under_way: &[Arc<UnderWay>]) {
        for (app, going_on) in self.apps.iter_mut().zip(under_way) {
            for (at, sessions) in going_on.by_quarter(cuts[0]) {
                let after = cuts.partition_point(|cut| *cut <= at);
                if after < cuts.len() {
                    let counts = Counts { sessions, ..Counts::default() };
                    *self.buckets.entry(cuts[after - 1]).or_default() += counts;
                    app.counts += counts;
                }
            }
        }
    }

    fn done(self, apps: &[Uuid]) -> Overall {
        let whole = self.apps.into_iter().map(|app| Counts {
            persons: app.people.len(),
            devices: app.machines.len(),
            ..app.counts
        });
        let buckets = self.buckets.into_iter().map(|(at, counts)| (i64::from(at) * 1_000, counts));
        let is_something = |counts: &Counts| *counts != Counts::default();
        Overall {
            apps: apps.iter().copied().zip(whole).filter(|(_, it)| is_something(it)).collect(),
            buckets: buckets.filter(|(_, it)| is_something(it)).collect(),
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Self) {
        self.events += more.events;
        self.page_views += more.page_views;
        self.persons += more.persons;
        self.devices += more.devices;
        self.sessions += more.sessions;
        self.new_devices += more.new_devices;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_range_is_taken_in_parts_that_touch() {
        let cuts: Vec<u32> = (0..=250).map(|at| at * DAY).collect();
        let parts = in_turn(&cuts);
        assert_eq!(parts, [&cuts[..=100], &cuts[100..=200], &cuts[200..]]);
        let long = [0, 2 * AT_ONCE, 3 * AT_ONCE];
        assert_eq!(in_turn(&long), [&long[..2], &long[1..]]);
    }
}
