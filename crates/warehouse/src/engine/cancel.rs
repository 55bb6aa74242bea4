//! Ends statements whose caller hung up. The library gives no handle to a running statement, but it
//! lists what runs, and `KILL QUERY` on another connection ends it within a block of rows. A statement
//! is identified by its connection, whose name is passed as a setting and which runs one statement at a
//! time. A name in the statement's text would not do: the engine lists statements with parameters as it
//! parsed them, without comments.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::chdb::{Chdb, Connection};

/// How soon a statement that keeps running is killed again: one that was just about to start at the
/// first attempt was not listed yet.
const AGAIN: Duration = Duration::from_millis(50);

/// The setting that holds a connection's name. The engine itself does not use it.
pub const CONNECTION_NAME: &str = "log_comment";

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

    /// Ends what runs on a connection. Blocks for some milliseconds.
    fn end(&self, name: &str) {
        let mut held = self.connection.lock();
        if held.is_none() {
            *held = self.chdb.connect(std::slice::from_ref(&self.path_argument)).ok();
        }
        let Some(connection) = held.as_mut() else { return };
        let statement =
            format!("KILL QUERY WHERE Settings['{CONNECTION_NAME}'] = '{name}' ASYNC FORMAT Null");
        if let Err(error) = connection.query(&statement, &[]) {
            tracing::warn!(%error, "a statement could not be canceled");
            *held = None;
        }
    }

    pub fn close(&self) {
        *self.connection.lock() = None;
    }
}

/// Held by the caller of a statement. Dropping it before the statement has ended ends the statement.
pub struct Watch {
    canceller: Canceller,
    state: Arc<State>,
}

/// Held by the thread that runs the statement.
pub struct Watched(Arc<State>);

#[derive(Default)]
struct State {
    unwanted: AtomicBool,
    phase: Mutex<Phase>,
}

#[derive(Default)]
enum Phase {
    #[default]
    Waiting,
    /// On the connection of this name.
    Running(String),
    Ended,
}

impl Watch {
    pub fn over(canceller: Canceller) -> (Self, Watched) {
        let state = Arc::<State>::default();
        (Self { canceller, state: state.clone() }, Watched(state))
    }
}

impl Watched {
    /// The statement begins on this connection.
    pub fn runs_on(&self, name: &str) {
        *self.0.phase.lock() = Phase::Running(name.to_owned());
    }

    /// Whether the caller is gone already.
    pub fn is_unwanted(&self) -> bool {
        self.0.unwanted.load(Ordering::SeqCst)
    }
}

impl Drop for Watched {
    /// Waits for a `KILL QUERY` in progress, which must not hit the next statement of the connection.
    fn drop(&mut self) {
        *self.0.phase.lock() = Phase::Ended;
    }
}

impl State {
    /// Ends the statement if it runs. False once there is nothing more to end.
    fn end(&self, canceller: &Canceller) -> bool {
        let phase = self.phase.lock();
        if let Phase::Running(name) = &*phase {
            canceller.end(name);
        }
        !matches!(*phase, Phase::Ended)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.state.unwanted.store(true, Ordering::SeqCst);
        let (canceller, state) = (self.canceller.clone(), self.state.clone());
        if matches!(*state.phase.lock(), Phase::Ended) {
            return;
        }
        tokio::spawn(async move {
            loop {
                let (canceller, state) = (canceller.clone(), state.clone());
                let goes_on = tokio::task::spawn_blocking(move || state.end(&canceller)).await;
                if !goes_on.unwrap_or(false) {
                    return;
                }
                tokio::time::sleep(AGAIN).await;
            }
        });
    }
}
