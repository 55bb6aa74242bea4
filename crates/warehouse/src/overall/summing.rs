//! Adds up the dashboard's counts from buckets of time.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use roaring::{MultiOps, RoaringBitmap};
use uuid::Uuid;

use super::{Counts, Overall};
use crate::joined::JoinedCounts;
use crate::rollup_cache::{Grid, JoinedTotal, OpenSessions, Owners, Total};
use crate::sets::people_in;

/// Counts that are being added up. For each app, those within the part and those after it are kept
/// separately.
pub(super) struct Summing {
    part_end: u32,
    /// One for each app.
    owners: Vec<Arc<Owners>>,
    part: Vec<Tally>,
    rest: Vec<Tally>,
    /// Counts made by the store for the range and the part; these are final, not sums.
    joined: Vec<[Counts; 2]>,
    buckets: BTreeMap<u32, Counts>,
}

/// Counts with the sets of persons and devices.
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

    fn counts(&self, owners: &Owners) -> Counts {
        let (persons, devices) = (people_in(&self.people, owners), self.machines.len());
        Counts { persons, devices, ..self.counts }
    }
}

impl Summing {
    /// For this many apps; `owners` belong to the first of them.
    pub fn new(apps: usize, mut owners: Vec<Arc<Owners>>, part_end: u32) -> Self {
        let (none, joined) = (vec![Tally::default(); apps], vec![Default::default(); apps]);
        owners.resize_with(apps, Arc::default);
        Self { part_end, owners, part: none.clone(), rest: none, joined, buckets: BTreeMap::new() }
    }

    pub fn add(mut self, cuts: &[u32], grid: &Grid<Total>) -> Self {
        for (app, totals) in grid.apps.iter().enumerate() {
            let mut at = 0;
            for pair in cuts.windows(2) {
                let place = |end: u32| grid.buckets.partition_point(|bucket| bucket.start < end);
                let (end, part_end) = (place(pair[1]), place(self.part_end.min(pair[1])).max(at));
                let early = Tally::of(&totals[at..part_end]);
                let late = Tally::of(&totals[part_end..end]);
                *self.buckets.entry(pair[0]).or_default() += match (at < part_end, part_end < end) {
                    (true, true) => early.clone().and(&late).counts(&self.owners[app]),
                    (true, false) => early.counts(&self.owners[app]),
                    (false, _) => late.counts(&self.owners[app]),
                };
                self.part[app] = std::mem::take(&mut self.part[app]).and(&early);
                self.rest[app] = std::mem::take(&mut self.rest[app]).and(&late);
                at = end;
            }
        }
        self
    }

    /// Adds the counts that the store made of an app.
    pub fn add_joined(&mut self, app: usize, cuts: &[u32], joined: &JoinedCounts) {
        self.joined[app] = [&joined.whole, &joined.part].map(counts_of);
        for (cut, total) in cuts.iter().zip(&joined.buckets) {
            *self.buckets.entry(*cut).or_default() += counts_of(total);
        }
    }

    /// `with_part` are the cuts between which `first_seen` was counted.
    pub fn add_first_seen(&mut self, cuts: &[u32], with_part: &[u32], first_seen: &[Vec<u64>]) {
        for (app, of_app) in first_seen.iter().enumerate() {
            for (at, new_devices) in with_part.iter().zip(of_app) {
                let counts = Counts { new_devices: *new_devices, ..Counts::default() };
                self.add_at(app, cuts, *at, counts);
            }
        }
    }

    pub fn add_open_sessions(&mut self, cuts: &[u32], open_sessions: &[Arc<OpenSessions>]) {
        for (app, going_on) in open_sessions.iter().enumerate() {
            for (at, sessions) in going_on.by_quarter(cuts[0]) {
                self.add_at(app, cuts, at, Counts { sessions, ..Counts::default() });
            }
        }
    }

    /// Adds to the bucket and the part that contain a moment, or to none if it is after the last cut.
    fn add_at(&mut self, app: usize, cuts: &[u32], at: u32, counts: Counts) {
        let after = cuts.partition_point(|cut| *cut <= at);
        if 0 < after && after < cuts.len() {
            *self.buckets.entry(cuts[after - 1]).or_default() += counts;
            let side = if at < self.part_end { &mut self.part } else { &mut self.rest };
            side[app].counts += counts;
        }
    }

    pub fn done(self, apps: &[Uuid]) -> Overall {
        let is_something = |counts: &Counts| *counts != Counts::default();
        let by_app = |tallies: &[Tally], joined: fn(&[Counts; 2]) -> Counts| {
            let tallies = tallies.iter().zip(&self.owners).zip(&self.joined);
            let counts = tallies.map(|((tally, owners), both)| {
                let mut counts = tally.counts(owners);
                counts += joined(both);
                counts
            });
            let counts = apps.iter().copied().zip(counts);
            counts.filter(|(_, counts)| is_something(counts)).collect::<HashMap<Uuid, Counts>>()
        };
        let whole = self.rest.into_iter().zip(&self.part).map(|(rest, part)| rest.and(part));
        let whole = by_app(&whole.collect::<Vec<_>>(), |[whole, _]| *whole);
        let part = by_app(&self.part, |[_, part]| *part);
        let buckets = self.buckets.into_iter().map(|(at, counts)| (i64::from(at) * 1_000, counts));
        let buckets = buckets.filter(|(_, it)| is_something(it)).collect();
        Overall { apps: whole, part, buckets }
    }
}

fn counts_of(total: &Arc<JoinedTotal>) -> Counts {
    let JoinedTotal { events, page_views, starts, persons, devices } = **total;
    Counts { events, page_views, persons, devices, sessions: starts, new_devices: 0 }
}
