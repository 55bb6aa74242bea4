//! When each device of an app was there first, as `first_seen` keeps it.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Mutex as Lock;
use uuid::Uuid;

use crate::buckets::{DAY, QUARTER};
use crate::versions::Versions;

/// Of all apps together, in bytes; what was asked about longest ago goes first.
const BYTES_MAX: usize = 64 << 20;

/// Of one app.
#[derive(Default)]
pub(crate) struct FirstSeen {
    /// As of when this is; None before anything was read.
    pub as_of: Option<AsOf>,
    /// The quarter of an hour of the first event by the number of the device, from 1970 on; 0 where
    /// there is none.
    first: Vec<u32>,
    /// How many came in a quarter of an hour, by the Unix time of its start.
    counts: BTreeMap<u32, u64>,
}

pub(crate) struct AsOf {
    removals: i64,
    days: BTreeMap<u32, i64>,
}

impl AsOf {
    pub fn new(app: Uuid, versions: &Versions) -> Self {
        Self { removals: versions.removals(app), days: versions.days(app, ..).collect() }
    }
}

impl FirstSeen {
    /// How many came between two moments.
    pub fn between(&self, from: u32, to: u32) -> u64 {
        self.counts.range(from..to).map(|(_, count)| count).sum()
    }

    /// The first moment of which not everything is known; None if all is.
    pub fn stale_from(&self, app: Uuid, versions: &Versions) -> Option<u32> {
        let Some(as_of) = &self.as_of else { return Some(0) };
        if as_of.removals != versions.removals(app) {
            return Some(0);
        }
        let mut days = versions.days(app, ..);
        let changed = days.find(|(day, version)| as_of.days.get(day) != Some(version));
        changed.map(|(day, _)| day.saturating_mul(DAY))
    }

    /// How much memory it takes, more or less.
    fn bytes(&self) -> usize {
        const COUNT: usize = 24;
        self.first.capacity() * size_of::<u32>() + self.counts.len() * COUNT
    }

    pub fn note(&mut self, number: u32, quarter: u32) {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        if index >= self.first.len() {
            self.first.resize(index + 1, 0);
        }
        let first = &mut self.first[index];
        if *first != 0 && *first <= quarter {
            return;
        }
        if *first != 0
            && let Some(count) = self.counts.get_mut(&(*first * QUARTER))
        {
            *count -= 1;
        }
        *first = quarter;
        *self.counts.entry(quarter * QUARTER).or_default() += 1;
    }
}

type Kept = Arc<Lock<FirstSeen>>;

/// Of all apps that somebody asked about, in the order in which that was.
#[derive(Default)]
pub(crate) struct FirstSeenCache(Mutex<Vec<(Uuid, Kept)>>);

impl FirstSeenCache {
    pub fn of(&self, app: Uuid) -> Kept {
        let mut known = self.0.lock();
        let found = known.iter().position(|(id, _)| *id == app).map(|place| known.remove(place));
        let (_, kept) = found.unwrap_or_default();
        known.push((app, kept.clone()));
        kept
    }

    pub fn make_room(&self) {
        let mut known = self.0.lock();
        // What is being read just now weighs nothing yet.
        let weight = |kept: &Kept| kept.try_lock().map_or(0, |first_seen| first_seen.bytes());
        let mut total: usize = known.iter().map(|(_, kept)| weight(kept)).sum();
        known.retain(|(_, kept)| {
            let goes = total > BYTES_MAX;
            total -= if goes { weight(kept) } else { 0 };
            !goes
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_came_when_it_was_there_first() {
        let mut first_seen = FirstSeen::default();
        for (number, quarter) in [(1, 10), (3, 12), (1, 11), (3, 9), (2, 10)] {
            first_seen.note(number, quarter);
        }
        let quarters =
            [9, 10, 11, 12].map(|it| first_seen.between(it * QUARTER, (it + 1) * QUARTER));
        assert_eq!(quarters, [1, 2, 0, 0]);
    }

    #[test]
    fn only_days_that_changed_are_read_again() {
        let app = Uuid::from_u128(1);
        let mut first_seen = FirstSeen::default();
        let mut versions = Versions::default();
        // Before there were versions there may have been devices.
        assert_eq!(first_seen.stale_from(app, &versions), Some(0));
        versions.set_day(app, 5, 1);
        versions.set_day(app, 7, 1);
        first_seen.as_of = Some(AsOf::new(app, &versions));
        assert_eq!(first_seen.stale_from(app, &versions), None);
        versions.set_day(app, 7, 2);
        assert_eq!(first_seen.stale_from(app, &versions), Some(7 * DAY));
        versions.set_day(app, 6, 1);
        assert_eq!(first_seen.stale_from(app, &versions), Some(6 * DAY));
        versions.set_removals(app, 1);
        assert_eq!(first_seen.stale_from(app, &versions), Some(0));
    }

    #[test]
    fn what_was_asked_about_longest_ago_makes_room() {
        let known = FirstSeenCache::default();
        let apps = [1, 2, 3].map(Uuid::from_u128);
        for app in apps {
            known.of(app).try_lock().unwrap().first = vec![0; BYTES_MAX / 8];
        }
        known.of(apps[0]);
        known.make_room();
        let left: Vec<Uuid> = known.0.lock().iter().map(|(app, _)| *app).collect();
        assert_eq!(left, [apps[2], apps[0]]);
    }
}
