//! `atrium backup` and `atrium restore`: an archive of the database, the event store and the spools as
//! they were at one moment, made while servers run; and a new instance made from it
//! (docs/decisions/0034).
//!
//! `cut` takes a snapshot, `write` copies it into an `archive`, whose `manifest` says what it contains;
//! `restore` reads it. `schedule` is the job that makes backups automatically.

mod archive;
pub(crate) mod beside;
pub(crate) mod cut;
mod export;
mod manifest;
pub(crate) mod progress;
pub mod restore;
mod restore_events;
pub mod schedule;
mod write;

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;
use serde::Serialize;
use serde_json::json;

use crate::app::AppState;
use archive::{ArchiveReader, ArchiveWriter};
use atrium_core::audit::{self, Actor, Event};
use atrium_core::config::Settings;
use atrium_core::db::{self, Db};
use atrium_core::types::{Clock, Millis};
use cut::Loading;
pub use progress::Progress;
use write::Contents;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The archive to create; existing files are not overwritten
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,

    /// An earlier archive: leave out events that are in it or in those it needs. All of them are needed
    /// to restore this one
    #[arg(long, value_name = "FILE")]
    pub since: Option<PathBuf>,

    /// Include the master key. Anyone who has the archive can then read all secrets in it
    #[arg(long)]
    pub include_master_key: bool,
}

/// Describes a finished backup.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub file: PathBuf,
    pub id: String,
    pub bytes: u64,
    pub events: u64,
    /// Messages that waited in spools.
    pub waiting: i64,
    /// Rows of the metadata database.
    pub rows: i64,
    /// How long loading into the event store was paused.
    pub paused_ms: u64,
    pub master_key: bool,
}

/// Makes an archive of the instance with these settings, whether or not a server is running on it.
pub async fn run(mut settings: Settings, options: &Options) -> anyhow::Result<Report> {
    archive::refuse_existing(&options.output)?;
    refuse_other_schema(&settings).await?;
    let source = beside::find(&mut settings).await?;
    let atrium = AppState::start(settings, Clock::default()).await?;
    let by = Actor::operator();
    let made = make(&atrium, options, source, &by, Progress::on_terminal()).await;
    atrium.warehouse.stop().await;
    atrium.db.close().await;
    made
}

/// A backup changes nothing, so it neither creates an instance nor upgrades one.
pub(crate) async fn refuse_other_schema(settings: &Settings) -> anyhow::Result<()> {
    let url = &settings.stores.database_url;
    if url.starts_with("sqlite:") {
        let file = db::sqlite_file(url)?;
        ensure!(file.exists(), "there is no instance here: {} is missing", file.display());
    }
    let db = Db::open(url).await.context("database_url")?;
    let state = db.migration_state().await;
    db.close().await;
    let pending = state?.pending;
    ensure!(
        pending == 0,
        "the database needs {pending} migrations for this version of Atrium: use the server's version"
    );
    Ok(())
}

/// Where the events are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// There are none yet.
    Nothing,
    /// In the engine of a server: this process or another one.
    Engine,
    /// In an engine that runs for the backup alone.
    OwnEngine,
    /// On a ClickHouse server.
    Server,
}

/// Makes an archive of a running instance.
pub async fn make(
    atrium: &AppState,
    options: &Options,
    source: Source,
    by: &Actor,
    mut progress: Progress,
) -> anyhow::Result<Report> {
    let _lock = lock(&atrium.settings.stores.data_dir, "backup")?;
    ensure!(
        options.since.is_none() || source != Source::Server,
        "--since: incremental backups of a ClickHouse server are not supported"
    );
    let previous = options.since.as_deref().map(ArchiveReader::open).transpose()?;
    let now = atrium.now();
    let writer = ArchiveWriter::create(&options.output, u64::try_from(now.0 / Millis::SECOND)?)?;
    let id = hex::encode(atrium.entropy.bytes::<8>());
    progress.begin("fixing the moment", 0);
    let (cut, loading) = cut::take(atrium, &id, source).await?;
    if source == Source::OwnEngine {
        // The snapshot is on disk now, and a server may want to start its own engine.
        atrium.warehouse.stop().await;
    }
    let contents = Contents {
        id: id.clone(),
        now,
        work: write::Work::new(&options.output)?,
        key_fingerprint: atrium.keyring.fingerprint(),
        keys: match options.include_master_key {
            true => Some(atrium.settings.stores.clone()),
            false => None,
        },
        previous: previous.map(|archive| archive.manifest),
    };
    let filling = write::fill(cut, writer, contents, progress);
    let (filled, paused) = match loading {
        Loading::GoesOn { paused } => (filling.await?, paused),
        Loading::Pauses(pause) => {
            let filled = pause.during(atrium, filling).await;
            let paused = pause.end(atrium).await?;
            (filled?, paused)
        }
    };
    let manifest = filled.manifest.clone();
    let bytes = filled.finish().await?;
    note(atrium, by, &id, options.include_master_key).await?;
    Ok(Report {
        file: options.output.clone(),
        id,
        bytes,
        events: manifest.events(),
        waiting: manifest.waiting(),
        rows: manifest.database.rows.values().sum(),
        paused_ms: u64::try_from(paused.as_millis())?,
        master_key: options.include_master_key,
    })
}

/// A copy of everything is recorded in the audit log.
async fn note(atrium: &AppState, by: &Actor, id: &str, with_key: bool) -> anyhow::Result<()> {
    let mut tx = atrium.db.write_uncached().await?;
    let event = Event::without_target("instance.backup", "instance");
    let event = event.with(json!({ "archive": id, "master_key": with_key }));
    audit::append(&mut tx, by, event).await?;
    Ok(tx.commit().await?)
}

/// Only one of each kind may run on a folder at a time, because each removes leftovers of earlier ones.
pub(crate) fn lock(data_dir: &Path, what: &str) -> anyhow::Result<File> {
    let name = data_dir.join(format!("{what}.lock"));
    let mut options = File::options();
    let file = options.write(true).create(true).truncate(false).mode(0o600).open(&name);
    let file = file.with_context(|| format!("{} cannot be created", name.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {
            anyhow::bail!("another {what} of {} is under way", data_dir.display())
        }
        Err(std::fs::TryLockError::Error(error)) => Err(error.into()),
    }
}
