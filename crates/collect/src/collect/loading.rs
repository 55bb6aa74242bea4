//! The state of loading, for monitoring: how long messages have waited, and whether something is
//! wrong that does not mend by itself at once.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::Context;
use rusqlite::{Connection, OpenFlags};
use uuid::Uuid;

use super::spool::spool_files;
use super::spool_reader::oldest_of_all;
use crate::collect::state::Collecting;
use atrium_core::types::Millis;

/// Failures in a row that are more than a hiccup.
const FAILURES_DEGRADED: u32 = 3;
/// A message that has waited longer says the same.
pub const WAITING_LONG: i64 = Millis::MINUTE;

pub struct Loading {
    /// The age of the oldest message that waits; none where nothing does.
    pub oldest_seconds: Option<i64>,
    pub is_degraded: bool,
    /// Apps that are loaded apart from the others, because something of theirs failed.
    pub troubled_apps: usize,
    /// Messages that could not be stored and are kept in the spool.
    pub set_aside: i64,
}

/// On this instance: others have spools of their own.
pub async fn look(atrium: &Collecting) -> Loading {
    let usage = atrium.collector.spool.usage();
    let waited = waited(atrium, None).await;
    let failing = usage.load_failures.load(Ordering::Relaxed) >= FAILURES_DEGRADED;
    let late = waited.is_some_and(|waited| waited > WAITING_LONG);
    Loading {
        oldest_seconds: waited.map(|waited| waited / Millis::SECOND),
        is_degraded: failing || late,
        troubled_apps: usage.troubled_apps.load(Ordering::Relaxed),
        set_aside: usage.set_aside.load(Ordering::Relaxed),
    }
}

/// How many seconds the oldest message of these apps has waited, if that is long.
pub async fn delay(atrium: &Collecting, apps: Vec<Uuid>) -> Option<i64> {
    let waited = waited(atrium, Some(apps)).await?;
    (waited > WAITING_LONG).then_some(waited / Millis::SECOND)
}

async fn waited(atrium: &Collecting, apps: Option<Vec<Uuid>>) -> Option<i64> {
    match atrium.collector.spool.oldest(apps).await {
        Ok(at) => at.map(|at| atrium.now().since(Millis(at)).max(0)),
        Err(error) => {
            tracing::warn!(%error, "the age of what waits is not known");
            None
        }
    }
}

/// What the spools of a folder hold, whether or not a server uses them.
#[derive(Default)]
pub struct Spooled {
    pub waiting: i64,
    /// When the oldest of it came.
    pub oldest: Option<i64>,
    pub set_aside: i64,
    /// A file that holds what was set aside.
    pub set_aside_in: PathBuf,
}

/// Messages that wait in a spool's file.
pub fn waiting_in(file: &Path) -> anyhow::Result<i64> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let sql = "SELECT COALESCE(SUM(messages), 0) FROM groups";
    Ok(connection.query_row(sql, [], |row| row.get(0))?)
}

pub fn examine(data_dir: &Path) -> anyhow::Result<Spooled> {
    let mut spooled = Spooled::default();
    for file in spool_files(data_dir) {
        add(&mut spooled, &file).with_context(|| file.display().to_string())?;
    }
    Ok(spooled)
}

fn add(spooled: &mut Spooled, file: &Path) -> anyhow::Result<()> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let count = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    spooled.waiting += count("SELECT COALESCE(SUM(messages), 0) FROM groups")?;
    // An earlier version has left it, and nothing more is known until a server has opened it.
    if count("SELECT COUNT(*) FROM sqlite_schema WHERE name = 'set_aside'")? == 0 {
        return Ok(());
    }
    let oldest = oldest_of_all(&connection)?;
    spooled.oldest = [spooled.oldest, oldest].into_iter().flatten().min();
    let set_aside = count("SELECT COUNT(*) FROM set_aside")?;
    if set_aside > 0 {
        spooled.set_aside += set_aside;
        spooled.set_aside_in = file.to_owned();
    }
    Ok(())
}
