//! Refused requests of people and keys: noted in memory while the request is answered, written to the
//! audit log later by a job (`audit_log/refusals.rs`). Repeating the same request all day adds two
//! entries an hour, and the number of entries per caller is bounded.

use std::collections::HashMap;

use http::Method;
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::caller::{Known, Target, Who};
use crate::client::Client;
use crate::error::Code;
use crate::types::Millis;

/// How many distinct refusals per caller and hour get entries of their own; the rest share one entry.
const PER_CALLER: u32 = 20;
/// The same per organization or app, across all callers.
const PER_TARGET: u32 = 100;
/// Most distinct refusals remembered per hour.
const MOST: usize = 10_000;
/// Entries written in one transaction.
const AT_ONCE: usize = 100;
/// Stands for everything beyond `PER_CALLER` or `PER_TARGET`.
const SEVERAL: &str = "*";

/// A refused request.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub who: Who,
    pub target: Option<Target>,
    pub permission: Option<&'static str>,
    pub code: &'static str,
    /// The route's pattern: a path can hold a token.
    pub route: String,
    pub client: Client,
    pub at: Millis,
    /// How often it was repeated within the hour.
    again: u64,
}

impl Refusal {
    /// Builds a refusal if the answer was one: the caller lacks the permission, or the target is hidden
    /// from them.
    pub fn of(
        known: &Known,
        code: Option<Code>,
        (method, route): (&Method, &str),
        client: Client,
        at: Millis,
    ) -> Option<Self> {
        let (who, code) = (known.who.clone()?, code?);
        let refused = match code {
            Code::Forbidden
            | Code::PersonalData
            | Code::BeyondOwn
            | Code::SecondFactorRequired
            | Code::SsoRequired => true,
            Code::NotFound => known.hidden,
            _ => false,
        };
        refused.then(|| Self {
            who,
            target: known.target.clone(),
            permission: known.permission.map(|permission| permission.code()),
            code: code.as_str(),
            route: format!("{method} {route}"),
            client,
            at,
            again: 0,
        })
    }

    fn key(&self) -> Key {
        (self.who.clone(), self.target.clone(), self.route.clone())
    }

    pub fn details(&self) -> Value {
        let mut details = json!({ "route": self.route, "code": self.code });
        if let Some(permission) = self.permission {
            details["permission"] = permission.into();
        }
        if self.again > 0 {
            details["again"] = self.again.into();
        }
        details
    }
}

type Key = (Who, Option<Target>, String);

#[derive(Default)]
pub struct Refusals(Mutex<Hour>);

/// The current hour's refusals, and those waiting to be written.
#[derive(Default)]
struct Hour {
    number: i64,
    seen: HashMap<Key, Refusal>,
    of_caller: HashMap<Who, u32>,
    of_target: HashMap<Target, u32>,
    due: Vec<Refusal>,
}

impl Refusals {
    pub fn note(&self, refusal: Refusal) {
        self.0.lock().note(refusal);
    }

    /// Takes the next batch to write.
    pub fn take(&self, now: Millis) -> Vec<Refusal> {
        let mut hour = self.0.lock();
        hour.turn(now);
        let count = hour.due.len().min(AT_ONCE);
        hour.due.drain(..count).collect()
    }
}

impl Hour {
    fn note(&mut self, mut refusal: Refusal) {
        self.turn(refusal.at);
        if self.count(&refusal) {
            return;
        }
        let of_caller = self.of_caller.entry(refusal.who.clone()).or_default();
        *of_caller += 1;
        let mut several = *of_caller > PER_CALLER;
        if let Some(target) = refusal.target.clone().filter(|_| !several) {
            let of_target = self.of_target.entry(target).or_default();
            *of_target += 1;
            several = *of_target > PER_TARGET;
        }
        if several {
            (refusal.target, refusal.permission) = (None, None);
            refusal.route = SEVERAL.to_owned();
            if self.count(&refusal) {
                return;
            }
        }
        if self.seen.len() < MOST {
            self.seen.insert(refusal.key(), refusal.clone());
            self.due.push(refusal);
        }
    }

    /// Counts a repeat; false the first time.
    fn count(&mut self, refusal: &Refusal) -> bool {
        match self.seen.get_mut(&refusal.key()) {
            Some(seen) => {
                seen.again += 1;
                seen.at = refusal.at;
                true
            }
            None => false,
        }
    }

    /// Ends an hour that is over: repeated refusals get a second entry with their count.
    fn turn(&mut self, now: Millis) {
        let number = now.0.div_euclid(Millis::HOUR);
        if number == self.number {
            return;
        }
        self.number = number;
        let again = self.seen.drain().map(|(_, refusal)| refusal).filter(|it| it.again > 0);
        let room = MOST.saturating_sub(self.due.len());
        self.due.extend(again.take(room));
        self.of_caller.clear();
        self.of_target.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::types::Id;

    fn refusal(who: u8, target: u8, route: &str, at: i64) -> Refusal {
        Refusal {
            who: Who::User(Id::fixed(who)),
            target: Some(Target::App(Id::fixed(target))),
            permission: Some("app:update"),
            code: "forbidden",
            route: route.to_owned(),
            client: Client { ip: Ipv4Addr::LOCALHOST.into(), user_agent: String::new() },
            at: Millis(at),
            again: 0,
        }
    }

    fn routes(due: &[Refusal]) -> Vec<(&str, u64)> {
        due.iter().map(|refusal| (refusal.route.as_str(), refusal.again)).collect()
    }

    #[test]
    fn the_first_is_written_and_the_others_of_an_hour_are_counted() {
        let refusals = Refusals::default();
        for minute in 0..50 {
            refusals.note(refusal(1, 1, "PUT /a", minute * Millis::MINUTE));
        }
        assert_eq!(routes(&refusals.take(Millis(Millis::HOUR - 1))), [("PUT /a", 0)]);
        assert_eq!(routes(&refusals.take(Millis(Millis::HOUR))), [("PUT /a", 49)]);
        // The next hour starts from zero.
        refusals.note(refusal(1, 1, "PUT /a", Millis::HOUR + 1));
        assert_eq!(routes(&refusals.take(Millis(Millis::HOUR + 2))), [("PUT /a", 0)]);
        assert!(refusals.take(Millis(9 * Millis::HOUR)).is_empty());
    }

    #[test]
    fn one_caller_makes_a_bounded_number_of_entries() {
        let refusals = Refusals::default();
        for number in 0..1_000 {
            refusals.note(refusal(1, 1, &format!("GET /{number}"), 1));
        }
        let due = refusals.take(Millis(2));
        assert_eq!(due.len(), 21);
        assert_eq!((due[20].route.as_str(), &due[20].target), (SEVERAL, &None));
        let later = refusals.take(Millis(Millis::HOUR));
        assert_eq!(routes(&later), [(SEVERAL, 979)]);
    }

    #[test]
    fn many_callers_make_a_bounded_number_in_one_log() {
        let refusals = Refusals::default();
        for who in 0..=255 {
            refusals.note(refusal(who, 1, "GET /a", 1));
        }
        let mut due = refusals.take(Millis(2));
        due.extend(refusals.take(Millis(2)));
        due.extend(refusals.take(Millis(2)));
        let in_log = due.iter().filter(|refusal| refusal.target.is_some()).count();
        assert_eq!((in_log, due.len()), (100, 256));
    }

    #[test]
    fn only_what_may_not_be_done_or_seen_is_a_refusal() {
        let of = |who: Option<Who>, hidden: bool, code: Code| {
            let known = Known { who, hidden, ..Default::default() };
            let client = Client { ip: Ipv4Addr::LOCALHOST.into(), user_agent: String::new() };
            Refusal::of(&known, Some(code), (&Method::GET, "/x"), client, Millis(1)).is_some()
        };
        let someone = || Some(Who::User(Id::fixed(1)));
        assert!(of(someone(), false, Code::Forbidden) && of(someone(), true, Code::NotFound));
        assert!(!of(someone(), false, Code::NotFound), "a role that is not there");
        assert!(!of(someone(), false, Code::ReauthRequired), "a step on the way");
        assert!(!of(someone(), false, Code::Throttled) && !of(None, true, Code::Forbidden));
    }
}
