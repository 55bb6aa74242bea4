//! The state of loading, for monitoring: how long messages have been waiting, and whether there is a
//! problem that does not fix itself at once.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::Context;
use rusqlite::{Connection, OpenFlags};
use uuid::Uuid;

use super::spool::spool_files;
use super::spool_reader::oldest_of_all;
use crate::collect::state::Collecting;
use atrium_core::types::Millis;

/// This many failures in a row are more than a hiccup.
const FAILURES_DEGRADED: u32 = 3;
/// Loading also counts as degraded if a message has waited longer than this.
pub const WAITING_LONG: i64 = Millis::MINUTE;

pub struct Loading {
    /// The age of the oldest waiting message; None if nothing waits.
    pub oldest_seconds: Option<i64>,
    pub is_degraded: bool,
    /// Apps that are loaded separately because something of theirs failed.
    pub troubled_apps: usize,
    /// Messages that could not be stored and are kept in the spool.
    pub set_aside: i64,
}

/// The state on this instance: others have spools of their own.
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
            tracing::warn!(%error, "could not determine the age of waiting messages");
            None
        }
    }
}

/// The contents of all spools in a folder, whether or not a server uses them.
#[derive(Default)]
pub struct Spooled {
    pub waiting: i64,
    /// When the oldest message arrived.
    pub oldest: Option<i64>,
    pub set_aside: i64,
    /// A file with messages that were set aside.
    pub set_aside_in: PathBuf,
}

/// The number of messages waiting in a spool's file.
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
    // The file is from an earlier version, and nothing more is known until a server opens it.
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
