//! When each device of an app was there first, whatever was removed since. Kept in memory: devices
//! are numbered from 1 on, so that a list of moments is all it takes, and what later loads tell of a
//! day is read for that day alone.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{Mutex as Lock, OwnedMutexGuard};
use uuid::Uuid;

use crate::binary::Rows;
use crate::buckets::{DAY, QUARTER};
use crate::client::Warehouse;
use crate::error::Error;
use crate::identities::literals;
use crate::totals::off_the_runtime;
use crate::versions::Versions;

/// Of so many numbers together, at four bytes each; what was asked about longest ago goes first.
const NUMBERS_MAX: usize = 16 << 20;

/// Of one app.
#[derive(Default)]
struct FirstSeen {
    /// As of when this is; None before anything was read.
    as_of: Option<AsOf>,
    /// The quarter of an hour of the first event by the number of the device, from 1970 on; 0 where
    /// there is none.
    first: Vec<u32>,
    /// How many came in a quarter of an hour, by the Unix time of its start.
    counts: BTreeMap<u32, u64>,
}

struct AsOf {
    removals: i64,
    days: BTreeMap<u32, i64>,
}

impl AsOf {
    fn new(app: Uuid, versions: &Versions) -> Self {
        Self { removals: versions.removals(app), days: versions.days(app, ..).collect() }
    }
}

impl FirstSeen {
    /// How many came between two moments.
    fn between(&self, from: u32, to: u32) -> u64 {
        self.counts.range(from..to).map(|(_, count)| count).sum()
    }

    /// The first moment of which not everything is known; None if all is.
    fn stale_from(&self, app: Uuid, versions: &Versions) -> Option<u32> {
        let Some(as_of) = &self.as_of else { return Some(0) };
        if as_of.removals != versions.removals(app) {
            return Some(0);
        }
        let mut days = versions.days(app, ..);
        let changed = days.find(|(day, version)| as_of.days.get(day) != Some(version));
        changed.map(|(day, _)| day.saturating_mul(DAY))
    }

    fn note(&mut self, number: u32, quarter: u32) {
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
    fn of(&self, app: Uuid) -> Kept {
        let mut known = self.0.lock();
        let found = known.iter().position(|(id, _)| *id == app).map(|place| known.remove(place));
        let (_, kept) = found.unwrap_or_default();
        known.push((app, kept.clone()));
        kept
    }

    fn make_room(&self) {
        let mut known = self.0.lock();
        // What is being read just now weighs nothing yet.
        let weight = |kept: &Kept| kept.try_lock().map_or(0, |first_seen| first_seen.first.len());
        let mut total: usize = known.iter().map(|(_, kept)| weight(kept)).sum();
        known.retain(|(_, kept)| {
            let goes = total > NUMBERS_MAX;
            total -= if goes { weight(kept) } else { 0 };
            !goes
        });
    }
}

/// Those of each app, while nobody else changes them.
type Held = HashMap<Uuid, OwnedMutexGuard<FirstSeen>>;

impl Warehouse {
    /// How many devices came, of each app in each of the buckets that begin at the cuts.
    pub(crate) async fn first_seen(
        &self,
        apps: &[Uuid],
        cuts: &[u32],
        versions: &Versions,
    ) -> Result<Vec<Vec<u64>>, Error> {
        let held = self.held(apps, versions).await?;
        let of_app = |app| {
            let first_seen = held.get(app);
            let counts =
                cuts.windows(2).map(|pair| first_seen.map_or(0, |it| it.between(pair[0], pair[1])));
            counts.collect()
        };
        Ok(apps.iter().map(of_app).collect())
    }

    async fn held(&self, apps: &[Uuid], versions: &Versions) -> Result<Held, Error> {
        // All in the same order, so that there is no deadlock.
        let mut apps = apps.to_vec();
        apps.sort_unstable();
        apps.dedup();
        let mut held = Held::new();
        for app in apps {
            held.insert(app, self.rollup_caches().first_seen.of(app).lock_owned().await);
        }
        let stale: Vec<(Uuid, u32)> = held
            .iter()
            .filter_map(|(app, first_seen)| Some((*app, first_seen.stale_from(*app, versions)?)))
            .collect();
        let Some(from) = stale.iter().map(|(_, from)| *from).min() else { return Ok(held) };
        let sql = format!(
            "SELECT app_id, groupArray(no), groupArray(toUInt32(toUnixTimestamp(first_seen))) \
             FROM devices WHERE app_id IN ({}) AND no > 0 \
                 AND first_seen >= toDateTime({from}, 'UTC') GROUP BY app_id",
            literals(stale.iter().map(|(app, _)| *app))
        );
        let answer = self.binary(&sql).await?;
        let versions = versions.clone();
        let held = off_the_runtime(move || {
            for (app, from) in &stale {
                if *from == 0
                    && let Some(first_seen) = held.get_mut(app)
                {
                    **first_seen = FirstSeen::default();
                }
            }
            read(&answer, &mut held)?;
            for (app, _) in stale {
                if let Some(first_seen) = held.get_mut(&app) {
                    first_seen.as_of = Some(AsOf::new(app, &versions));
                }
            }
            Ok(held)
        })
        .await?;
        self.rollup_caches().first_seen.make_room();
        Ok(held)
    }
}

fn read(answer: &[u8], held: &mut Held) -> Result<(), Error> {
    let mut rows = Rows::new(answer);
    while !rows.is_at_end() {
        let app = rows.uuid()?;
        let (numbers, moments) = (rows.u32s()?, rows.u32s()?);
        if let Some(first_seen) = held.get_mut(&app) {
            for (number, moment) in numbers.zip(moments) {
                first_seen.note(number, moment / QUARTER);
            }
        }
    }
    Ok(())
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
            known.of(app).try_lock().unwrap().first = vec![0; NUMBERS_MAX / 2];
        }
        known.of(apps[0]);
        known.make_room();
        let left: Vec<Uuid> = known.0.lock().iter().map(|(app, _)| *app).collect();
        assert_eq!(left, [apps[2], apps[0]]);
    }
}
