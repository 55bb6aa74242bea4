//! Limits how many messages one person gets, by each vendor's rules. Every instance only counts its own
//! messages; if they exceed a limit together, the vendor refuses.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;

use atrium_core::types::Millis;

/// The window in milliseconds and the messages allowed in it.
pub type Limit = (i64, usize);

/// Above this many people, those whose windows have passed are forgotten.
const PEOPLE_MAX: usize = 1_000;

pub struct RateLimit {
    limits: &'static [Limit],
    sent: Mutex<HashMap<String, VecDeque<Millis>>>,
}

impl RateLimit {
    pub fn new(limits: &'static [Limit]) -> Self {
        Self { limits, sent: Mutex::default() }
    }

    /// Counts a message, or returns when the next one is allowed.
    pub fn take(&self, person: &str, now: Millis) -> Result<(), Millis> {
        let longest = self.limits.iter().map(|(window, _)| *window).max().unwrap_or(0);
        let mut sent = self.sent.lock();
        if sent.len() >= PEOPLE_MAX {
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
        let rate_limit = RateLimit::new(&MINUTELY);
        for second in 0..3 {
            assert_eq!(rate_limit.take("a", Millis(second * 1_000)), Ok(()));
        }
        assert_eq!(rate_limit.take("a", Millis(3_000)), Err(Millis(60_000)));
        assert_eq!(rate_limit.take("b", Millis(3_000)), Ok(()));
        assert_eq!(rate_limit.take("a", Millis(60_000)), Ok(()));
        assert_eq!(rate_limit.take("a", Millis(60_500)), Err(Millis(61_000)));
        assert_eq!(rate_limit.take("a", Millis(61_000)), Ok(()));
        // Five in an hour: the next is allowed when the first is an hour old.
        assert_eq!(rate_limit.take("a", Millis(200_000)), Err(Millis(Millis::HOUR)));
        assert_eq!(rate_limit.take("a", Millis(Millis::HOUR)), Ok(()));
    }
}
