//! Ends statements whose caller hung up. The library gives a running statement no handle, but it
//! lists what runs, and `KILL QUERY` on another connection ends it within a block of rows. So each
//! statement carries a name of its own as a comment in front.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::chdb::{Chdb, Connection};

/// How soon a statement that goes on is told again: one that was only about to begin when it was
/// told first is not on the list yet.
const AGAIN: Duration = Duration::from_millis(50);

/// The connection that ends statements, opened when there is one to end.
#[derive(Clone)]
pub struct Canceller {
    chdb: Chdb,
    path_argument: String,
    connection: Arc<Mutex<Option<Connection>>>,
}

impl Canceller {
    pub fn new(chdb: Chdb, path_argument: String) -> Self {
        Self { chdb, path_argument, connection: Arc::default() }
    }

    /// Tells the engine to end a statement. Blocks for some milliseconds.
    fn end(&self, name: &str) {
        let mut held = self.connection.lock();
        if held.is_none() {
            *held = self.chdb.connect(std::slice::from_ref(&self.path_argument)).ok();
        }
        let Some(connection) = held.as_mut() else { return };
        // Not one that names it, as this statement does, but one that begins with it.
        let statement = format!("KILL QUERY WHERE startsWith(query, '{name}') ASYNC FORMAT Null");
        if let Err(error) = connection.query(&statement, &[]) {
            tracing::warn!(%error, "a statement could not be ended");
            *held = None;
        }
    }

    pub fn close(&self) {
        *self.connection.lock() = None;
    }
}

/// What the caller of a statement holds: when it is dropped before the statement has ended, the
/// statement is ended.
pub struct Watch {
    canceller: Canceller,
    state: Arc<State>,
}

/// What the thread that runs the statement holds.
pub struct Watched(Arc<State>);

struct State {
    name: String,
    unwanted: AtomicBool,
    ended: AtomicBool,
}

impl Watch {
    pub fn over(canceller: Canceller) -> (Self, Watched) {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let state = Arc::new(State {
            name: format!("/* statement {number} */"),
            unwanted: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        });
        (Self { canceller, state: state.clone() }, Watched(state))
    }
}

impl Watched {
    /// The statement under its name.
    pub fn named(&self, text: &str) -> String {
        format!("{} {text}", self.0.name)
    }

    /// Whether the caller is gone already.
    pub fn is_unwanted(&self) -> bool {
        self.0.unwanted.load(Ordering::SeqCst)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.ended.store(true, Ordering::SeqCst);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.state.unwanted.store(true, Ordering::SeqCst);
        if self.state.ended.load(Ordering::SeqCst) {
            return;
        }
        let (canceller, state) = (self.canceller.clone(), self.state.clone());
        tokio::spawn(async move {
            while !state.ended.load(Ordering::SeqCst) {
                let (canceller, state) = (canceller.clone(), state.clone());
                let _ = tokio::task::spawn_blocking(move || canceller.end(&state.name)).await;
                tokio::time::sleep(AGAIN).await;
            }
        });
    }
}
