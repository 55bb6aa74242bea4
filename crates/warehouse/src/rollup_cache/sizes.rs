//! The numbers of people of apps, which may be somewhat out of date, and the sets of apps that are too
//! large together.

use std::time::{Duration, Instant};

use quick_cache::sync::Cache;
use uuid::Uuid;

/// Sizes affect only cost, never correctness. At worst an hour of growth costs memory, and only the
/// bounded amount that one answer takes.
const GOOD_FOR: Duration = Duration::from_secs(3600);
const APPS: usize = 10_000;
const CROWDS: usize = 1_000;

pub(crate) struct AppSizes {
    people: Cache<Uuid, (Instant, u32)>,
    /// Apps whose sets were too large for one answer, and the shortest range in seconds for which that
    /// happened.
    crowds: Cache<Box<[Uuid]>, (Instant, u32)>,
    /// Held while sizes are being queried.
    pub asking: tokio::sync::Mutex<()>,
}

impl Default for AppSizes {
    fn default() -> Self {
        let (people, crowds) = (Cache::new(APPS), Cache::new(CROWDS));
        Self { people, crowds, asking: tokio::sync::Mutex::default() }
    }
}

impl AppSizes {
    pub fn people_of(&self, app: Uuid) -> Option<u32> {
        self.people.get(&app).and_then(still_good)
    }

    pub fn note_people(&self, app: Uuid, people: u32) {
        self.people.insert(app, (Instant::now(), people));
    }

    /// Whether an answer about these apps over a range no longer than this was recently too large.
    pub fn is_crowd(&self, apps: &[Uuid], seconds: u32) -> bool {
        let known = self.crowds.get(apps).and_then(still_good);
        known.is_some_and(|shortest| shortest <= seconds)
    }

    pub fn note_crowd(&self, apps: &[Uuid], seconds: u32) {
        let known = self.crowds.get(apps).and_then(still_good);
        let shortest = known.map_or(seconds, |known| known.min(seconds));
        self.crowds.insert(apps.into(), (Instant::now(), shortest));
    }
}

fn still_good((since, what): (Instant, u32)) -> Option<u32> {
    (since.elapsed() < GOOD_FOR).then_some(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_is_one_over_as_long_a_time_or_a_longer_one() {
        let sizes = AppSizes::default();
        let apps = [1, 2].map(Uuid::from_u128);
        assert!(!sizes.is_crowd(&apps, 900));
        sizes.note_crowd(&apps, 9_000);
        sizes.note_crowd(&apps, 18_000);
        let found = [8_100, 9_000, 18_000].map(|seconds| sizes.is_crowd(&apps, seconds));
        assert_eq!(found, [false, true, true]);
        assert!(!sizes.is_crowd(&apps[..1], 18_000));
    }

    #[test]
    fn what_is_known_is_good_for_a_while() {
        assert_eq!(still_good((Instant::now(), 7)), Some(7));
        let earlier = Instant::now().checked_sub(GOOD_FOR);
        assert_eq!(earlier.map(|since| still_good((since, 7))), Some(None));
    }
}
