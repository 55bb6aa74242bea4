//! The metadata database as the collector sees it. While it is down, earlier answers stay valid for a
//! configured time: messages of recently seen keys are accepted and wait in the spool.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::collect::state::Collecting;
use atrium_core::db::Dialect;
use atrium_core::error::{Code, Error, Result};

/// How long a request waits for a database that may be down.
const PATIENCE: Duration = Duration::from_secs(1);
/// While it is down, one request at a time checks it, and the others do not wait for that.
const LOOK_EVERY: Duration = Duration::from_secs(1);

const RETRY_SECONDS: u64 = 5;

#[derive(Default)]
pub struct Outage(Mutex<Option<Away>>);

#[derive(Clone, Copy)]
struct Away {
    since: Instant,
    asked: Instant,
}

/// The time for which knowledge about keys and apps is valid.
pub enum AsOf {
    Epoch(i64),
    /// The database is down, and any earlier answer counts.
    Outage,
}

impl Outage {
    /// How long the database has been down.
    pub fn lasts(&self) -> Option<Duration> {
        self.0.lock().map(|away| away.since.elapsed())
    }

    /// None if this caller should check the database.
    fn known(&self) -> Option<Away> {
        let mut away = self.0.lock();
        let known = away.as_mut().filter(|away| away.asked.elapsed() < LOOK_EVERY).copied();
        if let (None, Some(away)) = (known, away.as_mut()) {
            away.asked = Instant::now();
        }
        known
    }

    fn begin(&self) -> Away {
        let now = Instant::now();
        let mut away = self.0.lock();
        if away.is_none() {
            tracing::error!("the database is away; messages of known keys are still accepted");
        }
        let since = away.map_or(now, |away| away.since);
        *away.insert(Away { since, asked: now })
    }

    fn end(&self) {
        if let Some(away) = self.0.lock().take() {
            let seconds = away.since.elapsed().as_secs();
            tracing::info!(seconds, "the database is back");
        }
    }
}

/// Fails if the database has been down for longer than the settings allow.
pub async fn as_of(atrium: &Collecting) -> Result<AsOf> {
    let outage = &atrium.collector.outage;
    let longest = atrium.settings.events.collect_without_database;
    // For SQLite this does not apply: a file that cannot be read is not an outage, and a spool beside it
    // would not help.
    if atrium.db.dialect() == Dialect::Sqlite || longest.is_zero() {
        return atrium.db.epoch().await.map(AsOf::Epoch);
    }
    let away = match outage.known() {
        Some(away) => away,
        None => match tokio::time::timeout(PATIENCE, atrium.db.epoch()).await {
            Ok(Ok(epoch)) => {
                outage.end();
                return Ok(AsOf::Epoch(epoch));
            }
            Ok(Err(_)) | Err(_) => outage.begin(),
        },
    };
    if away.since.elapsed() < longest { Ok(AsOf::Outage) } else { Err(no_answer()) }
}

/// A key not seen here recently may or may not be valid. The outage is logged once, not for each request.
pub fn no_answer() -> Error {
    Error::busy(Code::Unavailable, RETRY_SECONDS)
}
