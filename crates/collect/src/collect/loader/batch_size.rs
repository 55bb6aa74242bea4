//! How many messages a batch takes: as many as can be stored in a short time. Fixed costs per batch (a
//! distant store, or one that waits for its replicas) are no reason for smaller batches: there would only
//! be more of them.

use std::time::Duration;

/// The maximum size of a batch: enough for the store to work in bulk, little enough for memory.
pub const MESSAGES_MAX: i64 = 150_000;
const MESSAGES_MIN: i64 = 1_000;
/// Target duration of a batch, in seconds. A new message waits for the current batch and is in the next
/// one, so neither may take long.
const BATCH_LASTS: f64 = 1.5;
/// Even on a slow machine, batches of ordinary messages are ten times as large.
const COSTLY: i64 = 10_000;
/// At most this many seconds are attributed to fixed costs: waiting messages come first.
const FIXED_MAX: f64 = 2.0;
/// Fixed costs must be at least this share of a batch's time; below that they may be chance.
const FIXED_SHARE: f64 = 0.6;
/// How much a batch still counts when the next one is stored.
const DECAY: f64 = 0.8;
/// How far sizes must differ for a fit, as a share of their average.
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

/// Sizes and durations of recent batches, as sums in which older batches count less.
#[derive(Default)]
struct Times {
    weight: f64,
    messages: f64,
    seconds: f64,
    squares: f64,
    products: f64,
    /// The estimated fixed cost of a batch in seconds.
    fixed: f64,
}

impl BatchSize {
    pub fn max(&self) -> i64 {
        self.max
    }

    /// Whether even a few messages take long, because of many distinct values or times.
    pub fn is_costly(&self) -> bool {
        self.max < COSTLY
    }

    /// For a batch that failed before anything was sent.
    pub fn shrink(&mut self) {
        self.max = (self.max / 2).max(MESSAGES_MIN);
    }

    /// Adapts the size to the time a batch took.
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
    /// Fits a line through the times by size (linear regression): its start is the fixed cost.
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
        // Batches of one size say nothing about the fixed cost.
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

    /// The size after a number of full batches with these durations.
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
        // The same with a distant store.
        let mut size = BatchSize::default();
        assert!(after(&mut size, 60, |it| 0.2 + it * 1e-3) <= 1_500);
        // Once messages are cheap again, batches are large again.
        assert_eq!(after(&mut size, 60, |it| 0.2 + it * 1e-6), MESSAGES_MAX);
    }

    #[test]
    fn a_store_that_takes_its_time_for_anything_gets_large_batches() {
        let mut size = BatchSize::default();
        for _ in 0..100 {
            assert!(after(&mut size, 1, |it| 1.6 + it * 4e-6) >= MESSAGES_MAX / 2);
        }
        // Small batches usually come first.
        let mut size = BatchSize::default();
        size.took(1_600, Duration::from_millis(1_610));
        assert_eq!(after(&mut size, 20, |it| 1.6 + it * 4e-6), MESSAGES_MAX);
    }
}
