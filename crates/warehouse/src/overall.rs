//! What the dashboard asks: figures of many apps over a range that begins and ends at a quarter of an
//! hour. Persons and devices are counted once per app, exactly, as bitmaps of their numbers. Nothing
//! here knows of time zones: where buckets begin is told as moments.
//!
//! The engine hands out buckets of time, which are kept (`rollup_cache`) and put together here: a statement
//! costs it some milliseconds whatever it is about, and most buckets were read before.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::ops::AddAssign;
use std::sync::Arc;

use bytes::Bytes;
use roaring::{MultiOps, RoaringBitmap};
use uuid::Uuid;

use crate::breakdowns::{BREAKDOWNS, EVENTS, Sum};
use crate::buckets::{DAY, HOUR, QUARTER};
use crate::call::Call;
use crate::catalogue::EventCount;
use crate::client::Warehouse;
use crate::error::Error;
use crate::over_limit::OTHER;
use crate::rollup_cache::{Grid, Name, OpenSessions, Total};
use crate::runtime::off_the_runtime;
use crate::sessions::around;
use crate::totals::buckets_of;
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
    /// Per app, of the part of the range that was asked about beside the whole.
    pub part: HashMap<Uuid, Counts>,
    pub buckets: BTreeMap<i64, Counts>,
}

/// How often a value occurred, and with how many people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakdownValue {
    pub dimension: String,
    pub value: String,
    /// All values together that are not listed.
    pub is_rest: bool,
    pub events: u64,
    pub persons: u64,
}

impl Warehouse {
    /// Counts of the buckets that begin at the cuts; the last cut ends the last one. Where `part_ms`
    /// is told, the part of the range up to there is counted beside the whole.
    pub async fn overall(
        &self,
        apps: &[Uuid],
        cuts_ms: &[i64],
        part_ms: Option<i64>,
        versions: &Versions,
    ) -> Result<Overall, Error> {
        let Some(cuts) = moments(apps, cuts_ms) else { return Ok(Overall::default()) };
        let part_end = part_ms.map_or(0, |part_ms| quarter_of(&part_ms));
        let totals = async {
            let mut sums = Summing::new(apps.len(), part_end);
            for cuts in in_turn(&cuts) {
                let grid = self.totals(apps, &with_cut(cuts, part_end), versions).await?;
                let cuts = cuts.to_vec();
                sums = off_the_runtime(move || Ok(sums.add(&cuts, &grid))).await?;
            }
            Ok(sums)
        };
        let with_part = with_cut(&cuts, part_end);
        let (mut sums, first_seen, open_sessions) = tokio::try_join!(
            totals,
            self.first_seen(apps, &with_part, versions),
            self.open_sessions(apps, cuts[0], versions)
        )?;
        sums.add_first_seen(&cuts, &with_part, &first_seen);
        sums.add_open_sessions(&cuts, &open_sessions);
        Ok(sums.done(apps))
    }

    /// Reads what the counts of two ranges are made of, both at once where that can be: a statement
    /// about two costs little more than one about one. The buckets are kept for whoever asks next.
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
        let buckets = [buckets_of(first), buckets_of(second)].concat();
        let beginnings = vec![around(first[0]), around(second[0])];
        tokio::try_join!(
            self.totals_of(apps, buckets, versions),
            self.first_seen(apps, second, versions),
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
        let cache = &self.rollup_caches().events;
        let sums = self.breakdown_sums(&EVENTS, cache, apps, [cuts[0], cuts[1]], versions).await?;
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
    ) -> Result<Vec<BreakdownValue>, Error> {
        let Some(cuts) = moments(apps, &[from_ms, to_ms]) else { return Ok(Vec::new()) };
        let cache = &self.rollup_caches().breakdowns;
        let sums =
            self.breakdown_sums(&BREAKDOWNS, cache, apps, [cuts[0], cuts[1]], versions).await?;
        let mut dimensions: BTreeMap<Box<str>, Vec<(Box<str>, Sum)>> = BTreeMap::new();
        for ((dimension, value), sum) in sums {
            dimensions.entry(dimension).or_default().push((value, sum));
        }
        let mut found = Vec::new();
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
            found.extend(shown.chain(rest).map(|(value, sum, is_rest)| BreakdownValue {
                dimension: dimension.clone().into(),
                value: value.into(),
                is_rest,
                events: sum.events,
                persons: sum.persons(),
            }));
        }
        Ok(found)
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
    let cuts: Vec<u32> = cuts_ms.iter().map(quarter_of).collect();
    (!apps.is_empty() && cuts.first()? < cuts.last()?).then_some(cuts)
}

fn quarter_of(at_ms: &i64) -> u32 {
    u32::try_from(at_ms.div_euclid(1_000)).unwrap_or(0) / QUARTER * QUARTER
}

/// The cuts and one more, if it lies between them: no bucket reaches over it.
fn with_cut(cuts: &[u32], at: u32) -> Vec<u32> {
    let mut cuts = cuts.to_vec();
    let place = cuts.partition_point(|cut| *cut < at);
    if 0 < place && place < cuts.len() && cuts[place] != at {
        cuts.insert(place, at);
    }
    cuts
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

/// Counts that are being added up: of each app those of the part, and those after it.
struct Summing {
    part_end: u32,
    part: Vec<Tally>,
    rest: Vec<Tally>,
    buckets: BTreeMap<u32, Counts>,
}

/// Counts whose persons and devices are known one by one.
#[derive(Clone, Default)]
struct Tally {
    counts: Counts,
    people: RoaringBitmap,
    machines: RoaringBitmap,
}

impl Tally {
    fn of(totals: &[Arc<Total>]) -> Self {
        let sum = |of: fn(&Total) -> u64| totals.iter().map(|total| of(total)).sum::<u64>();
        let counts = Counts {
            events: sum(|total| total.events),
            page_views: sum(|total| total.page_views),
            sessions: sum(|total| total.starts),
            ..Counts::default()
        };
        Self {
            counts,
            people: totals.iter().map(|total| &total.people).union(),
            machines: totals.iter().map(|total| &total.machines).union(),
        }
    }

    fn and(mut self, more: &Self) -> Self {
        self.counts += more.counts;
        self.people |= &more.people;
        self.machines |= &more.machines;
        self
    }

    fn counts(&self) -> Counts {
        Counts { persons: self.people.len(), devices: self.machines.len(), ..self.counts }
    }
}

impl Summing {
    fn new(apps: usize, part_end: u32) -> Self {
        let none = vec![Tally::default(); apps];
        Self { part_end, part: none.clone(), rest: none, buckets: BTreeMap::new() }
    }

    fn add(mut self, cuts: &[u32], grid: &Grid<Total>) -> Self {
        for (app, totals) in grid.apps.iter().enumerate() {
            let mut at = 0;
            for pair in cuts.windows(2) {
                let place = |end: u32| grid.buckets.partition_point(|bucket| bucket.start < end);
                let (end, part_end) = (place(pair[1]), place(self.part_end.min(pair[1])).max(at));
                let early = Tally::of(&totals[at..part_end]);
                let late = Tally::of(&totals[part_end..end]);
                *self.buckets.entry(pair[0]).or_default() += match (at < part_end, part_end < end) {
                    (true, true) => early.clone().and(&late).counts(),
                    (true, false) => early.counts(),
                    (false, _) => late.counts(),
                };
                self.part[app] = std::mem::take(&mut self.part[app]).and(&early);
                self.rest[app] = std::mem::take(&mut self.rest[app]).and(&late);
                at = end;
            }
        }
        self
    }

    /// `with_part` are the cuts that the first_seen are counted between.
    fn add_first_seen(&mut self, cuts: &[u32], with_part: &[u32], first_seen: &[Vec<u64>]) {
        for (app, of_app) in first_seen.iter().enumerate() {
            for (at, new_devices) in with_part.iter().zip(of_app) {
                let counts = Counts { new_devices: *new_devices, ..Counts::default() };
                self.add_at(app, cuts, *at, counts);
            }
        }
    }

    fn add_open_sessions(&mut self, cuts: &[u32], open_sessions: &[Arc<OpenSessions>]) {
        for (app, going_on) in open_sessions.iter().enumerate() {
            for (at, sessions) in going_on.by_quarter(cuts[0]) {
                self.add_at(app, cuts, at, Counts { sessions, ..Counts::default() });
            }
        }
    }

    /// To the bucket, and the part, that a moment lies in; to none if it lies after the last cut.
    fn add_at(&mut self, app: usize, cuts: &[u32], at: u32, counts: Counts) {
        let after = cuts.partition_point(|cut| *cut <= at);
        if 0 < after && after < cuts.len() {
            *self.buckets.entry(cuts[after - 1]).or_default() += counts;
            let side = if at < self.part_end { &mut self.part } else { &mut self.rest };
            side[app].counts += counts;
        }
    }

    fn done(self, apps: &[Uuid]) -> Overall {
        let is_something = |counts: &Counts| *counts != Counts::default();
        let by_app = |tallies: &[Tally]| -> HashMap<Uuid, Counts> {
            let counts = apps.iter().copied().zip(tallies.iter().map(Tally::counts));
            counts.filter(|(_, counts)| is_something(counts)).collect()
        };
        let whole = self.rest.into_iter().zip(&self.part).map(|(rest, part)| rest.and(part));
        let (part, whole) = (by_app(&self.part), whole.collect::<Vec<_>>());
        let buckets = self.buckets.into_iter().map(|(at, counts)| (i64::from(at) * 1_000, counts));
        let buckets = buckets.filter(|(_, it)| is_something(it)).collect();
        Overall { apps: by_app(&whole), part, buckets }
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

    #[test]
    fn a_part_is_cut_off_inside_the_range_alone() {
        let cuts = [4 * HOUR, 8 * HOUR, 12 * HOUR];
        assert_eq!(with_cut(&cuts, 10 * HOUR), [4 * HOUR, 8 * HOUR, 10 * HOUR, 12 * HOUR]);
        for outside in [0, 4 * HOUR, 8 * HOUR, 12 * HOUR, 16 * HOUR] {
            assert_eq!(with_cut(&cuts, outside), cuts);
        }
    }
}
