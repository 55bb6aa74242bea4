//! How many messages a batch takes: as many as can be stored in little time. What a batch takes however small
//! it is (a store far away, one that waits for its copies) is no reason for smaller ones: there would only be
//! more of them.

use std::time::Duration;

/// What one batch takes at most: enough for the store to work in bulk, little enough for memory.
pub const MESSAGES_MAX: i64 = 150_000;
const MESSAGES_MIN: i64 = 1_000;
/// A message that has just come waits for the batch before it and is then in the next one: neither
/// may take long.
const BATCH_LASTS: f64 = 1.5;
/// Ordinary messages make batches ten times as large, also on a slow machine.
const COSTLY: i64 = 10_000;
/// More than this is not taken for the way to the store, in seconds: whoever waits comes first.
const FIXED_MAX: f64 = 2.0;
/// Of what a batch takes, so much has to be the way: otherwise it is chance.
const FIXED_SHARE: f64 = 0.6;
/// How much a batch counts for when the next one is stored.
const DECAY: f64 = 0.8;
/// How far sizes have to lie apart to say something, as a share of their average.
const SPREAD_MIN: f64 = 0.1;

pub struct BatchSize {
    max: i64,
    times: Times,
}

impl Default for BatchSize {
    fn default() -> Self {
        Self { max: MESSAGES_MAX, times: Times::default() }
    }
}

/// How many messages batches had lately, and how long they took: sums in which the older count less.
#[derive(Default)]
struct Times {
    weight: f64,
    messages: f64,
    seconds: f64,
    squares: f64,
    products: f64,
    /// What a batch takes however small it is, in seconds, as far as is known.
    fixed: f64,
}

impl BatchSize {
    pub fn max(&self) -> i64 {
        self.max
    }

    /// Whether few messages take long: many different values, or many moments.
    pub fn is_costly(&self) -> bool {
        self.max < COSTLY
    }

    /// A batch failed before anything of it was sent.
    pub fn shrink(&mut self) {
        self.max = (self.max / 2).max(MESSAGES_MIN);
    }

    /// Adapts the size to how long a batch took.
    pub fn took(&mut self, messages: i64, time: Duration) {
        self.times.add(messages as f64, time.as_secs_f64());
        let own = time.as_secs_f64() - self.times.fixed;
        if own > BATCH_LASTS && messages > MESSAGES_MIN {
            self.max = (messages * 3 / 4).clamp(MESSAGES_MIN, self.max);
        } else if own < BATCH_LASTS / 2.0 && messages * 4 >= self.max * 3 {
            self.max = (self.max * 3 / 2).min(MESSAGES_MAX);
        }
    }
}

impl Times {
    /// A line is fitted through the times, by size (linear regression): where it begins is the fixed part.
    fn add(&mut self, messages: f64, seconds: f64) {
        for (sum, value) in [
            (&mut self.weight, 1.0),
            (&mut self.messages, messages),
            (&mut self.seconds, seconds),
            (&mut self.squares, messages * messages),
            (&mut self.products, messages * seconds),
        ] {
            *sum = *sum * DECAY + value;
        }
        let (size, time) = (self.messages / self.weight, self.seconds / self.weight);
        let variance = self.squares / self.weight - size * size;
        // Of batches of one size nobody can tell.
        if variance < (size * SPREAD_MIN).powi(2) {
            return;
        }
        let slope = (self.products / self.weight - size * time) / variance;
        let fixed = time - slope.max(0.0) * size;
        self.fixed = if fixed > time * FIXED_SHARE { fixed.min(FIXED_MAX) } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The size after so many full batches that take what they take.
    fn after(size: &mut BatchSize, batches: usize, seconds: impl Fn(f64) -> f64) -> i64 {
        for _ in 0..batches {
            let time = seconds(size.max() as f64);
            size.took(size.max(), Duration::from_secs_f64(time));
        }
        size.max()
    }

    #[test]
    fn batches_are_as_large_as_their_time_allows() {
        let mut size = BatchSize::default();
        size.took(MESSAGES_MAX, Duration::from_secs(4));
        let less = size.max();
        assert!(less < MESSAGES_MAX);
        size.took(10, Duration::from_millis(10));
        assert_eq!(size.max(), less, "a small one says nothing of large ones");
        size.took(less, Duration::from_millis(10));
        assert!(size.max() > less);
        assert_eq!(after(&mut size, 50, |_| 9.0), MESSAGES_MIN);
        assert!(size.is_costly() && !BatchSize::default().is_costly());
    }

    #[test]
    fn messages_that_cost_much_make_small_batches() {
        let mut size = BatchSize::default();
        let least = |size: &mut BatchSize| (0..40).map(|_| after(size, 1, |it| it * 1e-3)).min();
        after(&mut size, 40, |it| it * 1e-3);
        assert!((1_000..=1_500).contains(&least(&mut size).unwrap()));
        // Also where the store is at some distance.
        let mut size = BatchSize::default();
        assert!(after(&mut size, 60, |it| 0.2 + it * 1e-3) <= 1_500);
        // And when they cost little again, they are large again.
        assert_eq!(after(&mut size, 60, |it| 0.2 + it * 1e-6), MESSAGES_MAX);
    }

    #[test]
    fn a_store_that_takes_its_time_for_anything_gets_large_batches() {
        let mut size = BatchSize::default();
        for _ in 0..100 {
            assert!(after(&mut size, 1, |it| 1.6 + it * 4e-6) >= MESSAGES_MAX / 2);
        }
        // Small ones come first, as a rule.
        let mut size = BatchSize::default();
        size.took(1_600, Duration::from_millis(1_610));
        assert_eq!(after(&mut size, 20, |it| 1.6 + it * 4e-6), MESSAGES_MAX);
    }
}
