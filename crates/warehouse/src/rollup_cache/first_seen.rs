//! When each device of an app was first seen, for `first_seen`.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::by_app::{AsOf, Weighs};
use crate::buckets::QUARTER;
use crate::versions::Versions;

/// The devices of one app.
#[derive(Default)]
pub(crate) struct FirstSeen {
    /// The versions this was read at; None before anything was read.
    pub as_of: Option<AsOf>,
    /// The quarter of an hour of each device's first event, counted from 1970 and indexed by the
    /// device's number; 0 if there is none.
    first: Vec<u32>,
    /// How many devices were new in a quarter of an hour, by the Unix time of its start.
    counts: BTreeMap<u32, u64>,
}

impl FirstSeen {
    /// How many devices were new between two moments.
    pub fn between(&self, from: u32, to: u32) -> u64 {
        self.counts.range(from..to).map(|(_, count)| count).sum()
    }

    /// The first moment from which data may have changed; None if nothing has.
    pub fn stale_from(&self, app: Uuid, versions: &Versions) -> Option<u32> {
        AsOf::stale_from(self.as_of.as_ref(), app, versions)
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

impl Weighs for FirstSeen {
    fn bytes(&self) -> usize {
        const COUNT: usize = 24;
        self.first.capacity() * size_of::<u32>() + self.counts.len() * COUNT
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
}
