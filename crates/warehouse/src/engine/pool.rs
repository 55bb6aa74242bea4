//! Connections of the engine. A connection is a session, and a session's settings stay: so each one
//! keeps the settings it was opened with, and a statement runs on one that has exactly its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::cancel::{CONNECTION_NAME, Canceller, Watch, Watched};
use super::chdb::{Chdb, Connection};
use super::statement::Statement;

/// How long a statement waits for its turn before it is sent away.
pub const QUEUE_WAIT: Duration = Duration::from_secs(10);
/// How many statements may wait, for each that may run.
const QUEUE_FACTOR: usize = 16;

/// How many sessions wait for a statement with their settings. There are about twenty sorts of them.
const IDLE_MAX: usize = 32;

/// What nobody reads any more.
const UNWANTED: &str = "Code: 394. DB::Exception: the caller hung up";

/// What a statement wants of its session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    pub database: Option<String>,
    /// Sorted by name.
    pub settings: Vec<(String, String)>,
}

/// A connection that can be told from others while a statement runs on it.
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
        // All at once: after `readonly` no other can be set.
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
    /// Too much is waiting already; the statement was not run.
    Busy,
    /// The engine's own words: "Code: N. DB::Exception: …".
    Exception(String),
}

/// As many sessions as may run side by side.
pub struct Pool {
    chdb: Chdb,
    path_argument: String,
    running: Arc<Semaphore>,
    waiting: Semaphore,
    idle: Arc<Mutex<Vec<(Session, NamedConnection)>>>,
    size: usize,
    /// Where a caller who hangs up ends the statement. One that changes something goes on.
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

    /// For statements that are worth nothing without somebody who waits for the answer.
    pub fn ending_with_callers(self) -> Self {
        let canceller = Canceller::new(self.chdb.clone(), self.path_argument.clone());
        Self { canceller: Some(canceller), ..self }
    }

    /// Runs a statement on a session of its wishes, on a thread of its own.
    pub async fn run(&self, statement: Statement) -> Result<(Bytes, u64), Failure> {
        let place = self.waiting.try_acquire().map_err(|_| Failure::Busy)?;
        let turn = tokio::time::timeout(QUEUE_WAIT, self.running.clone().acquire_owned());
        let Ok(Ok(turn)) = turn.await else { return Err(Failure::Busy) };
        drop(place);
        let (chdb, argument, idle) =
            (self.chdb.clone(), self.path_argument.clone(), self.idle.clone());
        let watching = self.canceller.clone().map(Watch::over);
        let (_watch, watched) = watching.unzip();
        // The permit goes along: a statement ends some time after its caller hung up, or not at
        // all, and the next one must not run beside it.
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
            // After a failure the session is not trusted to be what it was.
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

    /// Waits until nothing runs that ran before, whoever gave up on it. False if that takes long.
    pub async fn quiet(&self) -> bool {
        let all = u32::try_from(self.size).unwrap_or(u32::MAX);
        tokio::time::timeout(QUEUE_WAIT, self.running.acquire_many(all)).await.is_ok()
    }

    /// Waits until nothing runs any more, then closes the sessions and lets no statement in.
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

/// An idle session with these settings. If there is none and many are idle, the one that was used
/// longest ago is closed: opening one takes longer than many a statement.
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
