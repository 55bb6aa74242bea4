//! How much one person or address may send through this instance in a minute. Apps have budgets of their
//! own (`budgets`).

use std::collections::HashMap;
use std::hash::Hash;

use parking_lot::Mutex;
use uuid::Uuid;

use atrium_core::types::Millis;

pub struct Quota<K = Uuid> {
    /// Messages per sender and minute; 0 for no limit.
    limit: u64,
    minute: Mutex<(i64, HashMap<K, u64>)>,
}

impl<K: Eq + Hash> Quota<K> {
    pub fn new(limit: u64) -> Self {
        Self { limit, minute: Mutex::new((0, HashMap::new())) }
    }

    /// Takes this many messages from the sender's minute, or returns the seconds until a new one begins.
    pub fn take(&self, sender: K, messages: u64, now: Millis) -> Result<(), u64> {
        if self.limit == 0 {
            return Ok(());
        }
        let minute = now.0.div_euclid(Millis::MINUTE);
        let mut guard = self.minute.lock();
        let (current, taken) = &mut *guard;
        if *current != minute {
            *current = minute;
            taken.clear();
        }
        let taken = taken.entry(sender).or_default();
        if *taken + messages > self.limit {
            let left = Millis::MINUTE - now.0.rem_euclid(Millis::MINUTE);
            return Err(left.unsigned_abs().div_ceil(1_000));
        }
        *taken += messages;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_app_has_its_own_minute() {
        let quota = Quota::new(10);
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let now = Millis(30_000);
        assert_eq!(quota.take(one, 10, now), Ok(()));
        assert_eq!(quota.take(one, 1, now), Err(30));
        assert_eq!(quota.take(other, 10, now), Ok(()));
        assert_eq!(quota.take(one, 1, now.plus(30_000)), Ok(()));
        assert_eq!(Quota::<Uuid>::new(0).take(one, u64::MAX, now), Ok(()));
    }
}
