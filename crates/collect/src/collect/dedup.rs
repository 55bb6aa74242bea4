//! The most recent log_ids, to recognize a message that is soon sent again. The loader finds duplicates
//! that this misses or that another instance received: this one only affects the answer to the sender,
//! not what is stored.

use std::collections::HashSet;

use parking_lot::Mutex;
use uuid::Uuid;

/// Two generations of these: about 40 MB when both are full.
const GENERATION: usize = 400_000;

/// Strangers choose the ids, so the hasher must be one whose collisions they cannot predict. Ids are per
/// app: another app may send the same one.
pub type MessageId = (Uuid, Uuid);
type Ids = HashSet<MessageId>;

#[derive(Default)]
struct Generations {
    young: Ids,
    old: Ids,
}

#[derive(Default)]
pub struct Dedup {
    seen: Mutex<Generations>,
}

impl Dedup {
    /// Remembers the new ids, and returns for each whether it was new.
    pub fn remember(&self, ids: &[MessageId]) -> Vec<bool> {
        let mut seen = self.seen.lock();
        if seen.young.len() + ids.len() > GENERATION {
            seen.old = std::mem::take(&mut seen.young);
        }
        ids.iter().map(|id| !seen.old.contains(id) && seen.young.insert(*id)).collect()
    }

    /// Whether all of these are still remembered.
    pub fn knows(&self, ids: &[MessageId]) -> bool {
        if ids.is_empty() {
            return true;
        }
        let seen = self.seen.lock();
        ids.iter().all(|id| seen.young.contains(id) || seen.old.contains(id))
    }

    /// Forgets the ids of messages that could not be kept after all.
    pub fn forget(&self, ids: &[MessageId]) {
        let mut seen = self.seen.lock();
        for id in ids {
            seen.young.remove(id);
            seen.old.remove(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_of_two_is_recognized_until_it_is_taken_back() {
        let dedup = Dedup::default();
        let id = |app, id| (Uuid::from_u128(app), Uuid::from_u128(id));
        let (a, b) = (id(1, 1), id(1, 2));
        assert_eq!(dedup.remember(&[a, b, a]), [true, true, false]);
        assert_eq!(dedup.remember(&[id(2, 1)]), [true], "another app's");
        dedup.forget(&[a]);
        assert_eq!(dedup.remember(&[a, b]), [true, false]);
    }

    #[test]
    fn memory_is_bounded() {
        let dedup = Dedup::default();
        let ids: Vec<_> =
            (0..GENERATION as u128 * 3).map(|id| (Uuid::nil(), Uuid::from_u128(id))).collect();
        for some in ids.chunks(1_000) {
            dedup.remember(some);
        }
        let seen = dedup.seen.lock();
        assert!(seen.young.len() + seen.old.len() <= 2 * GENERATION);
    }
}
