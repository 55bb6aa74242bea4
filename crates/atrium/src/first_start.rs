//! Decides whether an instance may look new. If the metadata database is gone, or has lost the end of
//! its log, the next start must not offer a new instance in a folder that was in use: whoever opened the
//! setup link would own it, and messages in the spool would belong to no app.
//!
//! With SQLite, a small file next to the database records its last known state. It is rewritten every
//! few seconds, so the loss of the very last changes may go unnoticed.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::bail;
use serde::{Deserialize, Serialize};

use atrium_collect::collect::spool_slots;
use atrium_core::Core;
use atrium_core::config::StoreSettings;
use atrium_core::db::{self, Dialect};
use atrium_core::keyring::KEY_FILE;
use atrium_tenancy::store::accounts;

const STATE_FILE: &str = "atrium.state";
/// Files that a used data folder contains.
const TRACES: [&str; 6] = [STATE_FILE, KEY_FILE, "spool", "events", "outbox", "assets"];
const HOW_TO_GO_ON: &str = "Restore it from a backup, together with its -wal file if there is \
    one, or run `atrium admin start-anew` to start with an empty database";

/// The state of the database when it was last checked.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
struct State {
    /// The number of changes, which never decreases.
    epoch: i64,
    /// Whether there were any accounts.
    accounts: bool,
}

/// Refuses an empty database in a folder that was in use.
pub fn refuse_lost_database(stores: &StoreSettings) -> anyhow::Result<()> {
    let folder = &stores.data_dir;
    if !stores.database_url.starts_with("sqlite:") {
        let waiting = spool_slots::waiting_in(folder);
        if waiting > 0 {
            bail!(
                "database_url: the database is empty, but {waiting} messages are waiting in {} \
                 for apps of another one. {HOW_TO_GO_ON}",
                folder.join("spool").display()
            );
        }
        return Ok(());
    }
    match traces(folder).as_slice() {
        [] => Ok(()),
        traces => bail!(lost(stores, traces)?),
    }
}

/// Refuses to start if the database file is gone, before anything is created.
pub fn refuse_missing_file(stores: &StoreSettings) -> anyhow::Result<()> {
    if !stores.database_url.starts_with("sqlite:") {
        return Ok(());
    }
    // In this order, because another server starting at the same moment creates the file first.
    let traces = traces(&stores.data_dir);
    if traces.is_empty() || db::sqlite_file(&stores.database_url)?.exists() {
        return Ok(());
    }
    bail!(lost(stores, &traces)?)
}

fn traces(folder: &Path) -> Vec<&'static str> {
    TRACES.into_iter().filter(|name| folder.join(name).exists()).collect()
}

fn lost(stores: &StoreSettings, traces: &[&str]) -> anyhow::Result<String> {
    Ok(format!(
        "database_url: {} is missing or empty, but {} was in use: it holds {}. {HOW_TO_GO_ON}",
        db::sqlite_file(&stores.database_url)?.display(),
        stores.data_dir.display(),
        traces.join(", ")
    ))
}

/// Compares the database with its last known state: refuses one without any account if there were some,
/// and warns about an older one.
pub async fn compare(atrium: &Core) -> anyhow::Result<()> {
    let Some(before) = kept(atrium) else { return Ok(()) };
    let now = state(atrium).await?;
    let file = db::sqlite_file(&atrium.settings.stores.database_url)?;
    if before.accounts && !now.accounts {
        bail!(
            "database_url: {} holds no account, although it had some when the server last ran: \
             its file or its log was lost. {HOW_TO_GO_ON}",
            file.display()
        );
    }
    if now.epoch < before.epoch {
        tracing::error!("{}", older(&file, before, now));
    }
    Ok(())
}

/// For the doctor: the warning if the database is older than its last known state.
pub async fn doctor(folder: &Path, url: &str, db: &db::Db) -> Option<String> {
    let before = read(folder)?;
    let file = db::sqlite_file(url).ok()?;
    let epoch = db.epoch().await.ok()?;
    let now = State { epoch, accounts: true };
    (now.epoch < before.epoch).then(|| older(&file, before, now))
}

fn older(file: &Path, before: State, now: State) -> String {
    format!(
        "{} is older than when the server last ran: at least {} changes are missing. Either a \
         backup was restored, or the end of its log ({}-wal) was lost",
        file.display(),
        before.epoch - now.epoch,
        file.display()
    )
}

/// Records the current state of the database.
pub async fn remember(atrium: &Core) -> anyhow::Result<()> {
    if atrium.db.dialect() != Dialect::Sqlite {
        return Ok(());
    }
    let now = state(atrium).await?;
    let folder = atrium.settings.stores.data_dir.clone();
    tokio::task::spawn_blocking(move || write(&folder, now)).await?
}

/// Deletes the record, for an operator who starts over.
pub fn forget(folder: &Path) -> anyhow::Result<()> {
    match std::fs::remove_file(folder.join(STATE_FILE)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

async fn state(atrium: &Core) -> anyhow::Result<State> {
    let epoch = atrium.db.epoch().await?;
    let accounts = !accounts::awaits_setup(&mut *atrium.db.read().await?).await?;
    Ok(State { epoch, accounts })
}

fn kept(atrium: &Core) -> Option<State> {
    let is_here = atrium.db.dialect() == Dialect::Sqlite;
    is_here.then(|| read(&atrium.settings.stores.data_dir)).flatten()
}

fn read(folder: &Path) -> Option<State> {
    serde_json::from_slice(&std::fs::read(folder.join(STATE_FILE)).ok()?).ok()
}

fn write(folder: &Path, state: State) -> anyhow::Result<()> {
    if read(folder) == Some(state) {
        return Ok(());
    }
    let draft = folder.join(format!("{STATE_FILE}.{}", std::process::id()));
    let mut out =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    out.write_all(&serde_json::to_vec(&state)?)?;
    Ok(std::fs::rename(&draft, folder.join(STATE_FILE))?)
}
