//! Caches of all people or devices of an app, by their numbers. They are read once; when later loads
//! touch a day, only that day is read again.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Mutex as Lock;
use uuid::Uuid;

use crate::buckets::DAY;
use crate::versions::Versions;

/// The limit for all apps together, in bytes; the least recently used go first.
const BYTES_MAX: usize = 64 << 20;

/// The versions of an app's data at the time something was read.
#[derive(Clone)]
pub(crate) struct AsOf {
    removals: i64,
    days: BTreeMap<u32, i64>,
}

impl AsOf {
    pub fn new(app: Uuid, versions: &Versions) -> Self {
        Self { removals: versions.removals(app), days: versions.days(app, ..).collect() }
    }

    /// The first moment from which data may have changed; None if nothing has.
    pub fn stale_from(as_of: Option<&Self>, app: Uuid, versions: &Versions) -> Option<u32> {
        let Some(as_of) = as_of else { return Some(0) };
        if as_of.removals != versions.removals(app) {
            return Some(0);
        }
        let mut days = versions.days(app, ..);
        let changed = days.find(|(day, version)| as_of.days.get(day) != Some(version));
        changed.map(|(day, _)| day.saturating_mul(DAY))
    }
}

pub(crate) trait Weighs: Default {
    /// How much memory it takes, more or less.
    fn bytes(&self) -> usize;
}

type Kept<T> = Arc<Lock<T>>;

/// One value per app, the most recently used last.
#[derive(Default)]
pub(crate) struct ByApp<T>(Mutex<Vec<(Uuid, Kept<T>)>>);

impl<T: Weighs> ByApp<T> {
    pub fn of(&self, app: Uuid) -> Kept<T> {
        let mut known = self.0.lock();
        let found = known.iter().position(|(id, _)| *id == app).map(|place| known.remove(place));
        let (_, kept) = found.unwrap_or_default();
        known.push((app, kept.clone()));
        kept
    }

    pub fn make_room(&self) {
        let mut known = self.0.lock();
        // A value that is being read right now counts as empty.
        let weight = |kept: &Kept<T>| kept.try_lock().map_or(0, |held| held.bytes());
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

    #[derive(Default)]
    struct Bytes(usize);

    impl Weighs for Bytes {
        fn bytes(&self) -> usize {
            self.0
        }
    }

    #[test]
    fn only_days_that_changed_are_read_again() {
        let app = Uuid::from_u128(1);
        let mut versions = Versions::default();
        // Devices may be older than versions.
        assert_eq!(AsOf::stale_from(None, app, &versions), Some(0));
        versions.set_day(app, 5, 1);
        versions.set_day(app, 7, 1);
        let as_of = AsOf::new(app, &versions);
        let stale_from = |versions: &Versions| AsOf::stale_from(Some(&as_of), app, versions);
        assert_eq!(stale_from(&versions), None);
        versions.set_day(app, 7, 2);
        assert_eq!(stale_from(&versions), Some(7 * DAY));
        versions.set_day(app, 6, 1);
        assert_eq!(stale_from(&versions), Some(6 * DAY));
        versions.set_removals(app, 1);
        assert_eq!(stale_from(&versions), Some(0));
    }

    #[test]
    fn what_was_asked_about_longest_ago_makes_room() {
        let known = ByApp::<Bytes>::default();
        let apps = [1, 2, 3].map(Uuid::from_u128);
        for app in apps {
            known.of(app).try_lock().unwrap().0 = BYTES_MAX / 2;
        }
        known.of(apps[0]);
        known.make_room();
        let left: Vec<Uuid> = known.0.lock().iter().map(|(app, _)| *app).collect();
        assert_eq!(left, [apps[2], apps[0]]);
    }
}
