//! The queue in front of the warehouse. Every statement that a caller waits for takes a slot while it
//! runs in the store, and waiting callers are served fairly: `schedule.rs` has the rules, this file
//! does the waiting. Cached answers take no slot, and neither does the server's own work (loading,
//! erasing), which therefore never waits behind people's questions.
//!
//! A slot is held for one statement, not for a whole call. A statement that runs waits for nothing but
//! the store, so calls that run several statements at once, or wait for each other's answers, cannot
//! deadlock.

mod figures;
mod schedule;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};

use tokio::sync::oneshot;
use tokio::time::Instant;
use warehouse::{Denied, Gate, Turn};

use figures::Figures;
pub use figures::REASONS as REFUSALS;
use schedule::Schedule;
pub use schedule::{Caller, Class, Limits};

use crate::types::Id;

#[derive(Clone)]
pub struct FairQueue(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    longest_wait: Duration,
    figures: Figures,
}

struct State {
    schedule: Schedule,
    /// Where each waiting ticket receives its slot.
    waiting: HashMap<u64, oneshot::Sender<Slot>>,
    numbers: u64,
}

impl State {
    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }
}

impl FairQueue {
    pub fn new(limits: Limits, longest_wait: Duration) -> Self {
        let schedule = Schedule::new(limits);
        let state = Mutex::new(State { schedule, waiting: HashMap::new(), numbers: 0 });
        Self(Arc::new(Shared { state, longest_wait, figures: Figures::new() }))
    }

    /// The gate for the statements of one call.
    pub fn reader(&self, caller: Caller) -> Arc<Reader> {
        let call = self.0.lock().number();
        Arc::new(Reader { queue: self.clone(), caller, call })
    }

    /// How many statements are running and waiting.
    pub fn counts(&self, class: Class) -> (usize, usize) {
        let state = self.0.lock();
        (state.schedule.running(class), state.schedule.waiting(class))
    }

    /// Roughly how many calls go before the caller's first waiting one; None if it has none waiting.
    pub fn ahead(&self, caller: &Caller) -> Option<usize> {
        self.0.lock().schedule.ahead(caller)
    }

    async fn enter(&self, caller: &Caller, call: u64) -> Result<Slot, Denied> {
        let since = Instant::now();
        let outcome = match self.place(caller, call) {
            Some(mut place) => {
                let granted = tokio::time::timeout(self.0.longest_wait, &mut place.granted).await;
                granted.ok().and_then(Result::ok).ok_or(Denied::WaitedTooLong)
            }
            None => Err(Denied::TooManyWaiting),
        };
        let figures = self.0.figures.of(caller.class);
        match &outcome {
            Ok(_) => figures.wait.record(since.elapsed().as_secs_f64()),
            Err(denied) => figures.refused(*denied).increment(1),
        }
        outcome
    }

    /// A place in the queue; None if the caller has too many.
    fn place(&self, caller: &Caller, call: u64) -> Option<Place> {
        let (grant, granted) = oneshot::channel();
        let mut state = self.0.lock();
        let ticket = state.number();
        if !state.schedule.push(caller, call, ticket) {
            return None;
        }
        state.waiting.insert(ticket, grant);
        drop(state);
        self.serve();
        Some(Place { queue: self.clone(), ticket, granted })
    }

    /// Hands out every free slot.
    fn serve(&self) {
        let mut served = Vec::new();
        let mut state = self.0.lock();
        while let Some((ticket, caller)) = state.schedule.next() {
            let slot = Slot { queue: self.clone(), caller };
            served.push((state.waiting.remove(&ticket), slot));
        }
        self.0.figures.publish(&state.schedule);
        drop(state);
        for (grant, slot) in served {
            // A caller that left meanwhile drops the slot, which frees it.
            if let Some(grant) = grant {
                let _ = grant.send(slot);
            }
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// A place in the queue. Dropping it leaves the queue.
struct Place {
    queue: FairQueue,
    ticket: u64,
    granted: oneshot::Receiver<Slot>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.queue.0.lock();
        if state.waiting.remove(&self.ticket).is_some() {
            state.schedule.withdraw(self.ticket);
            self.queue.0.figures.publish(&state.schedule);
        }
    }
}

/// A statement running in the store. Dropping it lets the next one run.
struct Slot {
    queue: FairQueue,
    caller: Caller,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.queue.0.lock().schedule.finish(&self.caller);
        self.queue.serve();
    }
}

/// The gate for one call of a caller.
pub struct Reader {
    queue: FairQueue,
    caller: Caller,
    call: u64,
}

impl Reader {
    pub fn is_program(&self) -> bool {
        self.caller.class == Class::QueryKey
    }
}

impl Gate for Reader {
    fn enter(&self) -> Pin<Box<dyn Future<Output = Result<Turn, Denied>> + Send + '_>> {
        Box::pin(async {
            let slot = self.queue.enter(&self.caller, self.call).await?;
            Ok(Box::new(slot) as Turn)
        })
    }

    fn priority(&self) -> u8 {
        match self.caller.class {
            Class::Dashboard => 1,
            Class::AdHoc => 2,
            Class::QueryKey => 3,
        }
    }

    fn nice(&self) -> u8 {
        match self.caller.class {
            Class::Dashboard => 0,
            Class::AdHoc => 10,
            Class::QueryKey => 19,
        }
    }
}

impl Caller {
    pub fn person(class: Class, org: &Id, user: &Id) -> Self {
        Self { class, org: org.clone(), who: user.clone(), app: None }
    }

    pub fn program(org: &Id, app: &Id) -> Self {
        let (org, who, app) = (org.clone(), app.clone(), Some(app.clone()));
        Self { class: Class::QueryKey, org, who, app }
    }

    /// The same caller, reading about this app alone.
    #[must_use]
    pub fn in_app(self, app: &Id) -> Self {
        Self { app: Some(app.clone()), ..self }
    }
}
