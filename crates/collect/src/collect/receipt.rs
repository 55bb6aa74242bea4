//! What happened to the messages of a request, for its sender and for people watching live.

use serde::Serialize;
use serde_json::value::RawValue;

use super::ledger::Outcome;
use super::live::Watched;
use super::reason::Reason;
use atrium_core::types::Millis;

#[derive(Debug, Default, Serialize)]
pub struct Receipt {
    pub accepted: usize,
    pub duplicate: usize,
    pub rejected: usize,
    pub errors: Vec<Refusal>,
}

#[derive(Debug, Serialize)]
pub struct Refusal {
    pub index: usize,
    pub code: &'static str,
    pub error: &'static str,
    #[serde(skip)]
    pub reason: Reason,
}

impl Receipt {
    /// Shows a request's messages to viewers, each with its outcome. `new` says which of the valid ones
    /// were new.
    pub fn show(&self, watched: &Watched, messages: &[&RawValue], new: &[bool], now: Millis) {
        let mut refused = self.errors.iter().peekable();
        let mut new = new.iter();
        for (index, message) in messages.iter().enumerate() {
            let outcome = match refused.next_if(|refusal| refusal.index == index) {
                Some(refusal) => Outcome::Rejected(refusal.reason),
                None if new.next() == Some(&true) => Outcome::Accepted,
                None => Outcome::Duplicate,
            };
            watched.tell(message, outcome, now);
        }
    }
}
