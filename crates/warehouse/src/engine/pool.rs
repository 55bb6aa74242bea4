//! Connections to the engine. A connection is a session, whose settings last. So each connection keeps
//! the settings it was opened with, and a statement runs on one that has exactly its settings.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::cancel::{CONNECTION_NAME, Canceller, Watch, Watched};
use super::chdb::{Chdb, Connection};
use super::statement::Statement;

/// How long a statement waits for its turn before it is refused.
pub const QUEUE_WAIT: Duration = Duration::from_secs(10);
/// How many statements may wait for each one that may run.
const QUEUE_FACTOR: usize = 16;

/// How many idle sessions are kept. About twenty different combinations of settings are in use.
const IDLE_MAX: usize = 32;

/// The error of a statement whose caller is gone; nobody reads it.
const UNWANTED: &str = "Code: 394. DB::Exception: the caller hung up";

/// The database and settings that a statement needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    pub database: Option<String>,
    /// Sorted by name.
    pub settings: Vec<(String, String)>,
}

/// A connection with a name, by which its running statement can be killed.
struct NamedConnection {
    name: String,
    connection: Connection,
}

impl NamedConnection {
    /// Opens a connection with a session's database and settings.
    fn open(chdb: &Chdb, path_argument: String, session: &Session) -> Result<Self, String> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("connection {}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let mut connection = chdb.connect(&[path_argument])?;
        if let Some(database) = &session.database {
            connection.query(&format!("USE {}", quote_name(database)), &[])?;
        }
        // All in one statement: after `readonly`, no other setting can be changed.
        let settings = session.settings.iter().map(|(name, value)| (name.as_str(), value));
        let changes: Vec<String> = std::iter::once((CONNECTION_NAME, &name))
            .chain(settings)
            .map(|(name, value)| format!("{} = {}", quote_name(name), quote_text(value)))
            .collect();
        connection.query(&format!("SET {}", changes.join(", ")), &[])?;
        Ok(Self { name, connection })
    }
}

fn quote_name(name: &str) -> String {
    format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
}

pub fn quote_text(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

pub enum Failure {
    /// Too many statements are waiting; this one was not run.
    Busy,
    /// The engine's message: "Code: N. DB::Exception: …".
    Exception(String),
}

/// Sessions of one kind, of which `size` may run at once.
pub struct Pool {
    chdb: Chdb,
    path_argument: String,
    running: Arc<Semaphore>,
    waiting: Semaphore,
    idle: Arc<Mutex<Vec<(Session, NamedConnection)>>>,
    size: usize,
    /// Set if a statement ends when its caller hangs up. Statements that change something keep running.
    canceller: Option<Canceller>,
}

impl Pool {
    pub fn new(chdb: Chdb, path_argument: String, size: usize) -> Self {
        Self {
            chdb,
            path_argument,
            running: Arc::new(Semaphore::new(size)),
            waiting: Semaphore::new(size * QUEUE_FACTOR),
            idle: Arc::default(),
            size,
            canceller: None,
        }
    }

    /// For statements that are useless once nobody waits for the answer.
    pub fn ending_with_callers(self) -> Self {
        let canceller = Canceller::new(self.chdb.clone(), self.path_argument.clone());
        Self { canceller: Some(canceller), ..self }
    }

    /// Runs a statement on a matching session, on its own thread.
    pub async fn run(&self, statement: Statement) -> Result<(Bytes, u64), Failure> {
        let place = self.waiting.try_acquire().map_err(|_| Failure::Busy)?;
        let turn = tokio::time::timeout(QUEUE_WAIT, self.running.clone().acquire_owned());
        let Ok(Ok(turn)) = turn.await else { return Err(Failure::Busy) };
        drop(place);
        let (chdb, argument, idle) =
            (self.chdb.clone(), self.path_argument.clone(), self.idle.clone());
        let watching = self.canceller.clone().map(Watch::over);
        let (_watch, watched) = watching.unzip();
        // The permit moves into the thread: a statement may end long after its caller hung up, or not at
        // all, and the next one must not exceed the limit.
        let work = move || {
            let _turn = turn;
            let Statement { session, text, params, data: _data } = statement;
            if watched.as_ref().is_some_and(Watched::is_unwanted) {
                return Err(UNWANTED.to_owned());
            }
            let mut named = match take(&idle, &session) {
                Some(named) => named,
                None => NamedConnection::open(&chdb, argument, &session)?,
            };
            if let Some(watched) = &watched {
                watched.runs_on(&named.name);
            }
            let outcome = named.connection.query(&text, &params);
            drop(watched);
            // After a failure the state of the session is unknown, so it is dropped.
            if outcome.is_ok() {
                idle.lock().push((session, named));
            }
            outcome
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(outcome) => outcome.map_err(Failure::Exception),
            Err(error) => Err(Failure::Exception(format!("Code: 1001. DB::Exception: {error}"))),
        }
    }

    /// Waits until every statement that runs now has ended, even those whose callers gave up. False if
    /// that takes too long.
    pub async fn quiet(&self) -> bool {
        let all = u32::try_from(self.size).unwrap_or(u32::MAX);
        tokio::time::timeout(QUEUE_WAIT, self.running.acquire_many(all)).await.is_ok()
    }

    /// Waits until no statement runs, then closes the sessions and accepts no more statements.
    pub async fn close(&self) {
        let all = u32::try_from(self.size).unwrap_or(u32::MAX);
        if let Ok(permits) = self.running.acquire_many(all).await {
            permits.forget();
            self.idle.lock().clear();
            if let Some(canceller) = &self.canceller {
                canceller.close();
            }
        }
    }
}

/// An idle session with these settings. If there is none and many are idle, the least recently used one
/// is closed. Sessions are kept because opening one takes longer than many statements.
fn take(
    idle: &Mutex<Vec<(Session, NamedConnection)>>,
    session: &Session,
) -> Option<NamedConnection> {
    let mut idle = idle.lock();
    if let Some(index) = idle.iter().rposition(|(settings, _)| settings == session) {
        return Some(idle.remove(index).1);
    }
    if idle.len() >= IDLE_MAX {
        idle.remove(0);
    }
    None
}
