//! The collector's metrics of messages and batches. Their handles are kept, because every request is
//! counted.

use std::collections::HashMap;

use metrics::Counter;
use tokio::time::Instant;

use super::ledger::{ACCEPTED, DUPLICATE, Tally};
use super::reason::Reason;

pub const OUTCOMES: [&str; 3] = [ACCEPTED, DUPLICATE, REJECTED];
const REJECTED: &str = "rejected";

/// Why a message may be rejected on arrival. What the store refuses later is set aside instead.
pub fn reasons() -> Vec<&'static str> {
    let refusals = Reason::ALL.iter().filter(|reason| **reason != Reason::CannotBeStored);
    refusals.map(|reason| reason.as_str()).collect()
}

pub struct MessageFigures {
    accepted: Counter,
    duplicate: Counter,
    rejected: Counter,
    by_reason: HashMap<&'static str, Counter>,
}

impl Default for MessageFigures {
    fn default() -> Self {
        let [accepted, duplicate, rejected] = OUTCOMES.map(
            |outcome| metrics::counter!("atrium_collect_messages_total", "outcome" => outcome),
        );
        let of_reason = |reason: &'static str| {
            (reason, metrics::counter!("atrium_collect_rejected_total", "reason" => reason))
        };
        let by_reason = reasons().into_iter().map(of_reason).collect();
        Self { accepted, duplicate, rejected, by_reason }
    }
}

/// What a request adds to the metrics, once it is kept.
pub struct Counted<'a>(Vec<(&'a Counter, u64)>);

impl MessageFigures {
    pub fn of(&self, tally: &Tally) -> Counted<'_> {
        let mut counted = Vec::with_capacity(2);
        for (outcome, count) in tally.outcomes() {
            let count = u64::try_from(count).unwrap_or(0);
            match outcome {
                ACCEPTED => counted.push((&self.accepted, count)),
                DUPLICATE => counted.push((&self.duplicate, count)),
                reason => {
                    counted.push((&self.rejected, count));
                    counted.extend(self.by_reason.get(reason).map(|counter| (counter, count)));
                }
            }
        }
        Counted(counted)
    }
}

impl Counted<'_> {
    pub fn add(self) {
        for (counter, count) in self.0 {
            counter.increment(count);
        }
    }
}

/// When work on a batch began.
pub struct BatchTimer(Instant);

impl Default for BatchTimer {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl BatchTimer {
    pub fn stored(&self) {
        let seconds = self.0.elapsed().as_secs_f64();
        metrics::histogram!("atrium_loader_batch_seconds").record(seconds);
    }
}
