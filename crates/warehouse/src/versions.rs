//! Versions of the data: what was read from the warehouse is cached for as long as the versions of the
//! days it was made from stay the same.

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeBounds;
use std::sync::atomic::{AtomicI64, Ordering};

use uuid::Uuid;

use crate::buckets::DAY;

/// How often the events of some apps have changed, by UTC day (since 1970), and how often events of any
/// day were removed. These numbers only grow, so equal sums mean equal data.
#[derive(Clone, Debug, Default)]
pub struct Versions {
    apps: HashMap<Uuid, OfApp>,
    stamp: i64,
}

#[derive(Clone, Debug, Default)]
struct OfApp {
    removals: i64,
    days: BTreeMap<u32, i64>,
}

impl Versions {
    /// Versions unlike any others: nothing cached matches them.
    pub fn unknown() -> Self {
        static LAST: AtomicI64 = AtomicI64::new(0);
        Self { stamp: LAST.fetch_sub(1, Ordering::Relaxed) - 1, ..Self::default() }
    }

    pub fn set_day(&mut self, app: Uuid, day: u32, version: i64) {
        self.apps.entry(app).or_default().days.insert(day, version);
    }

    pub fn set_removals(&mut self, app: Uuid, removals: i64) {
        self.apps.entry(app).or_default().removals = removals;
    }

    /// The version of an app's events between two Unix times.
    pub(crate) fn of(&self, app: Uuid, from: u32, to: u32) -> i64 {
        let days = self.days(app, from / DAY..to.div_ceil(DAY)).map(|(_, version)| version);
        self.removals(app) + days.sum::<i64>()
    }

    /// The version of all of an app's events.
    pub(crate) fn of_all(&self, app: Uuid) -> i64 {
        self.of(app, 0, u32::MAX)
    }

    pub(crate) fn removals(&self, app: Uuid) -> i64 {
        // Far from any real sum.
        let stamp = self.stamp.saturating_mul(1 << 40);
        stamp + self.apps.get(&app).map_or(0, |of_app| of_app.removals)
    }

    /// The days of an app that had changes, and how many.
    pub(crate) fn days(
        &self,
        app: Uuid,
        range: impl RangeBounds<u32>,
    ) -> impl Iterator<Item = (u32, i64)> {
        let days = self.apps.get(&app).map(|of_app| of_app.days.range(range));
        days.into_iter().flatten().map(|(day, version)| (*day, *version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_is_as_new_as_the_days_it_touches() {
        let app = Uuid::from_u128(1);
        let mut versions = Versions::default();
        versions.set_day(app, 10, 3);
        versions.set_day(app, 11, 5);
        versions.set_removals(app, 100);
        assert_eq!(versions.of(app, 10 * DAY, 11 * DAY), 103);
        assert_eq!(versions.of(app, 11 * DAY - 900, 11 * DAY + 900), 108);
        assert_eq!(versions.of(app, 12 * DAY, 13 * DAY), 100);
        assert_eq!(versions.of(Uuid::from_u128(2), 0, 20 * DAY), 0);
    }

    #[test]
    fn unknown_is_never_the_same_twice() {
        let app = Uuid::from_u128(1);
        assert_ne!(Versions::unknown().of(app, 0, DAY), Versions::unknown().of(app, 0, DAY));
        assert_ne!(Versions::unknown().of(app, 0, DAY), 0);
    }
}
