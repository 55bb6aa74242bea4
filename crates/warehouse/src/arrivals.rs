//! When each device of an app was there first, whatever was removed since. Kept in memory: devices
//! are numbered from 1 on, so that a list of moments is all it takes, and what later loads tell of a
//! day is read for that day alone.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Mutex as Lock, OwnedMutexGuard};
use uuid::Uuid;

use crate::binary::Rows;
use crate::client::Warehouse;
use crate::error::Error;
use crate::identities::literals;
use crate::pieces::{DAY, QUARTER};
use crate::totals::off_the_runtime;
use crate::versions::Versions;

/// Of so many numbers together, at four bytes each; what was asked about longest ago goes first.
const NUMBERS_MAX: usize = 16 << 20;

/// Of one app.
#[derive(Default)]
struct Arrivals {
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

impl Arrivals {
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

type Kept = Arc<Lock<Arrivals>>;

/// Of all apps that somebody asked about, in the order in which that was.
#[derive(Default)]
pub(crate) struct Known(Mutex<Vec<(Uuid, Kept)>>);

impl Known {
    fn of(&self, app: Uuid) -> Kept {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().position(|(id, _)| *id == app).map(|place| known.remove(place));
        let (_, kept) = found.unwrap_or_default();
        known.push((app, kept.clone()));
        kept
    }

    fn make_room(&self) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // What is being read just now weighs nothing yet.
        let weight = |kept: &Kept| kept.try_lock().map_or(0, |arrivals| arrivals.first.len());
        let mut total: usize = known.iter().map(|(_, kept)| weight(kept)).sum();
        known.retain(|(_, kept)| {
            let goes = total > NUMBERS_MAX;
            total -= if goes { weight(kept) } else { 0 };
            !goes
        });
    }
}

/// Those of each app, while nobody else changes them.
type Held = HashMap<Uuid, OwnedMutexGuard<Arrivals>>;

impl Warehouse {
    /// How many devices came, of each app in each of the buckets that begin at the cuts.
    pub(crate) async fn arrivals(
        &self,
        apps: &[Uuid],
        cuts: &[u32],
        versions: &Versions,
    ) -> Result<Vec<Vec<u64>>, Error> {
        let held = self.held(apps, versions).await?;
        let of_app = |app| {
            let arrivals = held.get(app);
            let counts =
                cuts.windows(2).map(|pair| arrivals.map_or(0, |it| it.between(pair[0], pair[1])));
            counts.collect()
        };
        Ok(apps.iter().map(of_app).collect())
    }

    async fn held(&self, apps: &[Uuid], versions: &Versions) -> Result<Held, Error> {
        // All in the same order: nobody waits for someone who waits for them.
        let mut apps = apps.to_vec();
        apps.sort_unstable();
        apps.dedup();
        let mut held = Held::new();
        for app in apps {
            held.insert(app, self.shelves().arrivals.of(app).lock_owned().await);
        }
        let stale: Vec<(Uuid, u32)> = held
            .iter()
            .filter_map(|(app, arrivals)| Some((*app, arrivals.stale_from(*app, versions)?)))
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
                    && let Some(arrivals) = held.get_mut(app)
                {
                    **arrivals = Arrivals::default();
                }
            }
            read(&answer, &mut held)?;
            for (app, _) in stale {
                if let Some(arrivals) = held.get_mut(&app) {
                    arrivals.as_of = Some(AsOf::new(app, &versions));
                }
            }
            Ok(held)
        })
        .await?;
        self.shelves().arrivals.make_room();
        Ok(held)
    }
}

fn read(answer: &[u8], held: &mut Held) -> Result<(), Error> {
    let mut rows = Rows::new(answer);
    while !rows.is_at_end() {
        let app = rows.uuid()?;
        let (numbers, moments) = (rows.u32s()?, rows.u32s()?);
        if let Some(arrivals) = held.get_mut(&app) {
            for (number, first_seen) in numbers.zip(moments) {
                arrivals.note(number, first_seen / QUARTER);
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
        let mut arrivals = Arrivals::default();
        for (number, quarter) in [(1, 10), (3, 12), (1, 11), (3, 9), (2, 10)] {
            arrivals.note(number, quarter);
        }
        let quarters = [9, 10, 11, 12].map(|it| arrivals.between(it * QUARTER, (it + 1) * QUARTER));
        assert_eq!(quarters, [1, 2, 0, 0]);
    }

    #[test]
    fn only_days_that_changed_are_read_again() {
        let app = Uuid::from_u128(1);
        let mut arrivals = Arrivals::default();
        let mut versions = Versions::default();
        // Before there were versions there may have been devices.
        assert_eq!(arrivals.stale_from(app, &versions), Some(0));
        versions.set_day(app, 5, 1);
        versions.set_day(app, 7, 1);
        arrivals.as_of = Some(AsOf::new(app, &versions));
        assert_eq!(arrivals.stale_from(app, &versions), None);
        versions.set_day(app, 7, 2);
        assert_eq!(arrivals.stale_from(app, &versions), Some(7 * DAY));
        versions.set_day(app, 6, 1);
        assert_eq!(arrivals.stale_from(app, &versions), Some(6 * DAY));
        versions.set_removals(app, 1);
        assert_eq!(arrivals.stale_from(app, &versions), Some(0));
    }

    #[test]
    fn what_was_asked_about_longest_ago_makes_room() {
        let known = Known::default();
        let apps = [1, 2, 3].map(Uuid::from_u128);
        for app in apps {
            known.of(app).try_lock().unwrap().first = vec![0; NUMBERS_MAX / 2];
        }
        known.of(apps[0]);
        known.make_room();
        let left: Vec<Uuid> = known.0.lock().unwrap().iter().map(|(app, _)| *app).collect();
        assert_eq!(left, [apps[2], apps[0]]);
    }
}
