//! How many messages one person may get, as the vendors limit it. Kept by each instance for itself:
//! beyond that, the vendor says when it is too much.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use crate::types::Millis;

/// How long, how many.
pub type Limit = (i64, usize);

/// People remembered before those are forgotten whom nothing holds back any more.
const CROWD: usize = 1_000;

pub struct Pace {
    limits: &'static [Limit],
    sent: Mutex<HashMap<String, VecDeque<Millis>>>,
}

impl Pace {
    pub fn new(limits: &'static [Limit]) -> Self {
        Self { limits, sent: Mutex::default() }
    }

    /// Takes a turn, or says when there is one.
    pub fn take(&self, person: &str, now: Millis) -> Result<(), Millis> {
        let longest = self.limits.iter().map(|(window, _)| *window).max().unwrap_or(0);
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        if sent.len() >= CROWD {
            sent.retain(|_, times| times.back().is_some_and(|last| now.since(*last) < longest));
        }
        let times = sent.entry(person.to_owned()).or_default();
        while times.front().is_some_and(|first| now.since(*first) >= longest) {
            times.pop_front();
        }
        for (window, most) in self.limits {
            let Some(at) = times.len().checked_sub(*most).and_then(|index| times.get(index)) else {
                continue;
            };
            if now.since(*at) < *window {
                return Err(at.plus(*window));
            }
        }
        times.push_back(now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTELY: [Limit; 2] = [(Millis::MINUTE, 3), (Millis::HOUR, 5)];

    #[test]
    fn each_person_has_every_limit_for_themselves() {
        let pace = Pace::new(&MINUTELY);
        for second in 0..3 {
            assert_eq!(pace.take("a", Millis(second * 1_000)), Ok(()));
        }
        assert_eq!(pace.take("a", Millis(3_000)), Err(Millis(60_000)));
        assert_eq!(pace.take("b", Millis(3_000)), Ok(()));
        assert_eq!(pace.take("a", Millis(60_000)), Ok(()));
        assert_eq!(pace.take("a", Millis(60_500)), Err(Millis(61_000)));
        assert_eq!(pace.take("a", Millis(61_000)), Ok(()));
        // Five in an hour: the next when the first is an hour old.
        assert_eq!(pace.take("a", Millis(200_000)), Err(Millis(Millis::HOUR)));
        assert_eq!(pace.take("a", Millis(Millis::HOUR)), Ok(()));
    }
}
