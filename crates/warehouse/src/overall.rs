//! The dashboard's questions: counts of many apps over a range that starts and ends at a quarter of an
//! hour. Persons and devices are counted once per app, exactly, as bitmaps of their numbers. Time zones
//! are not known here: the starts of buckets are given as moments.
//!
//! The engine returns buckets of time, which are cached (`rollup_cache`) and joined here: each statement
//! costs it some milliseconds whatever it is about, and most buckets were read before. For large apps
//! (`app_size`) it joins the buckets itself, and answers with counts (`joined`).

mod names;
mod summing;

use std::collections::{BTreeMap, HashMap};
use std::ops::AddAssign;

use futures_util::future::try_join_all;
use uuid::Uuid;

use crate::app_size::BySize;
use crate::buckets::{DAY, HOUR, QUARTER};
use crate::client::Warehouse;
use crate::error::Error;
use crate::runtime::off_the_runtime;
use crate::sessions::around;
use crate::totals::buckets_of;
use crate::versions::Versions;
use summing::Summing;

/// Buckets of a long range are read in several steps, each covering at most this many seconds.
const AT_ONCE: u32 = 100 * DAY;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub events: u64,
    pub page_views: u64,
    pub persons: u64,
    pub devices: u64,
    /// Runs of one device's events within the range, with no gap of more than half an hour. A session
    /// counts in the bucket in which it starts.
    pub sessions: u64,
    /// Devices that had their first event ever.
    pub new_devices: u64,
}

/// Counts of a range: per app as a whole, and per bucket (by its start in milliseconds) summed over the
/// apps. Zero counts are absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overall {
    pub apps: HashMap<Uuid, Counts>,
    /// Per app, for the part of the range that was asked for in addition to the whole.
    pub part: HashMap<Uuid, Counts>,
    pub buckets: BTreeMap<i64, Counts>,
}

/// How often a value occurred, and with how many people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakdownValue {
    pub dimension: String,
    pub value: String,
    /// Whether this is the sum of all values that are not listed.
    pub is_rest: bool,
    pub events: u64,
    pub persons: u64,
}

impl Warehouse {
    /// Counts of the buckets that start at the cuts; the last cut ends the last bucket. If `part_ms` is
    /// given, the part of the range up to there is also counted on its own.
    pub async fn overall(
        &self,
        apps: &[Uuid],
        cuts_ms: &[i64],
        part_ms: Option<i64>,
        versions: &Versions,
    ) -> Result<Overall, Error> {
        let Some(cuts) = moments(apps, cuts_ms) else { return Ok(Overall::default()) };
        let part_end = part_ms.map_or(0, |part_ms| quarter_of(&part_ms));
        let mut attempt = self.attempt(apps, length_of(&cuts)).await?;
        loop {
            let by_size = &attempt.by_size;
            match Box::pin(self.overall_of(by_size, &cuts, part_end, versions)).await {
                Err(error) => attempt.failed(error)?,
                found => return found,
            }
        }
    }

    async fn overall_of(
        &self,
        by_size: &BySize,
        cuts: &[u32],
        part_end: u32,
        versions: &Versions,
    ) -> Result<Overall, Error> {
        let apps = by_size.all();
        let totals = async {
            let owners = self.owners(&by_size.small, versions).await?;
            let mut sums = Summing::new(apps.len(), owners, part_end);
            for cuts in in_turn(cuts) {
                let cuts_with_part = with_cut(cuts, part_end);
                let grid = self.totals(&by_size.small, &cuts_with_part, versions).await?;
                let cuts = cuts.to_vec();
                sums = off_the_runtime(move || Ok(sums.add(&cuts, &grid))).await?;
            }
            Ok(sums)
        };
        let joined = by_size.large.iter().map(|app| {
            let part_end = part_end.min(cuts[cuts.len() - 1]);
            self.joined_totals(*app, cuts, part_end, versions)
        });
        let with_part = with_cut(cuts, part_end);
        let (mut sums, joined, first_seen, open_sessions) = tokio::try_join!(
            totals,
            try_join_all(joined),
            self.first_seen(by_size, &with_part, versions),
            self.open_sessions(&apps, cuts[0], versions)
        )?;
        for (app, joined) in joined.iter().enumerate() {
            sums.add_joined(by_size.small.len() + app, cuts, joined);
        }
        sums.add_first_seen(cuts, &with_part, &first_seen);
        sums.add_open_sessions(cuts, &open_sessions);
        Ok(sums.done(&apps))
    }

    /// Reads what is needed to count two ranges, in one go where possible: a statement about two ranges
    /// costs little more than about one. The buckets are cached for the questions that follow.
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
        let is_short = |cuts: &[u32]| length_of(cuts) <= AT_ONCE;
        if !(is_apart && is_short(first) && is_short(second)) {
            return Ok(());
        }
        let buckets = [buckets_of(first), buckets_of(second)].concat();
        let mut attempt = self.attempt(apps, length_of(first) + length_of(second)).await?;
        // For large apps the store counts each range by itself: they have no buckets to share.
        let small = BySize { small: std::mem::take(&mut attempt.by_size.small), large: Vec::new() };
        let beginnings = vec![around(first[0]), around(second[0])];
        let gathered = Box::pin(async {
            tokio::try_join!(
                self.totals_of(&small.small, buckets, versions),
                self.first_seen(&small, second, versions),
                self.owners(&small.small, versions),
                self.open_sessions_around(apps, beginnings, versions)
            )
        });
        let gathered = gathered.await.map(drop);
        attempt.by_size = small;
        // For the small apps, both ranges together may be too much although each one is not.
        gathered.or_else(|error| attempt.failed(error))
    }
}

/// Cuts as Unix times, rounded down to a quarter of an hour; None if there is nothing to count.
fn moments(apps: &[Uuid], cuts_ms: &[i64]) -> Option<Vec<u32>> {
    let cuts: Vec<u32> = cuts_ms.iter().map(quarter_of).collect();
    (!apps.is_empty() && cuts.first()? < cuts.last()?).then_some(cuts)
}

fn length_of(cuts: &[u32]) -> u32 {
    cuts[cuts.len() - 1] - cuts[0]
}

fn quarter_of(at_ms: &i64) -> u32 {
    u32::try_from(at_ms.div_euclid(1_000)).unwrap_or(0) / QUARTER * QUARTER
}

/// The cuts plus one more, if it lies between them: no bucket crosses it.
fn with_cut(cuts: &[u32], at: u32) -> Vec<u32> {
    let mut cuts = cuts.to_vec();
    let place = cuts.partition_point(|cut| *cut < at);
    if 0 < place && place < cuts.len() && cuts[place] != at {
        cuts.insert(place, at);
    }
    cuts
}

/// Splits the cuts into parts, each of which starts where the one before ends.
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
