//! `atrium move`: moves an instance from SQLite and the embedded event store to PostgreSQL and a
//! ClickHouse server, while its server keeps accepting messages (docs/decisions/0036).
//!
//! `events` copies the differences between the two event stores, and `counts` has the shards of a
//! cluster count them, repeatedly until little is left; then `switch` pauses loading, copies the rest
//! and the database, compares everything and makes the old database refuse changes. `destination` is
//! where it all goes. No state of a move is stored here: an interrupted move is started again, and finds
//! out by comparing what is left to do.

mod comparison;
mod counts;
mod destination;
mod events;
mod switch;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::Args;
use serde::Serialize;

use crate::app::AppState;
use crate::backup::cut::Pause;
use crate::backup::{self, Progress, Source, beside};
use atrium_core::config::{Settings, StoreSettings};
use atrium_core::db::{self, Db, moved};
use atrium_core::keyring::Keyring;
use atrium_core::types::{Clock, Entropy};
use destination::Destination;
use events::Copying;
use warehouse::Warehouse;

const READY: Duration = Duration::from_secs(60);
/// Passes over everything while the server loads; each has less to do than the one before.
const PASSES: usize = 4;
/// At most this many bytes are left to copy while loading is paused.
const SMALL: u64 = 64 << 20;

#[derive(Args, Clone)]
pub struct Options {
    /// The empty PostgreSQL database to move to. The variable keeps it out of the process list, which
    /// everyone on the machine can read
    #[arg(long, env = "ATRIUM_MOVE_DATABASE", value_name = "URL", hide_env_values = true)]
    pub database: Option<String>,

    /// The empty ClickHouse database to move to
    #[arg(long, env = "ATRIUM_MOVE_WAREHOUSE", value_name = "URL", hide_env_values = true)]
    pub warehouse: Option<String>,

    /// The settings file for the server after the move, which has the database_url and warehouse_url to
    /// move to
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,
}

/// Describes a finished move.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub database: String,
    pub warehouse: String,
    /// Rows of the event store, and the events among them; None if only the last step was left to do.
    pub event_rows: Option<u64>,
    pub events: Option<u64>,
    /// Rows of the metadata database.
    pub rows: Option<u64>,
    /// Verified entries of the audit log.
    pub audit_entries: u64,
    /// How long loading into the event store was paused.
    pub paused_ms: u64,
    /// How long changes were refused.
    pub refused_ms: u64,
    /// The file that compares every table by app and day in both stores.
    pub comparison: Option<PathBuf>,
}

/// Moves the instance of these settings, whether or not a server runs on it.
pub async fn run(mut settings: Settings, options: &Options) -> anyhow::Result<Report> {
    let destination = Destination::read(options)?;
    let file = source_of(&settings)?;
    let _lock = backup::lock(&settings.stores.data_dir, "move")?;
    if let Some(moved) = moved::look(&file)? {
        return finish_again(&settings.stores, &destination, &file, &moved).await;
    }
    backup::refuse_other_schema(&settings).await?;
    let source = beside::find(&mut settings).await?;
    let atrium = AppState::start(settings, Clock::default()).await?;
    let done = move_all(&atrium, source, &destination, Progress::on_terminal()).await;
    atrium.warehouse.stop().await;
    atrium.db.close().await;
    done
}

/// The database file of an instance that can be moved.
fn source_of(settings: &Settings) -> anyhow::Result<PathBuf> {
    let url = &settings.stores.database_url;
    ensure!(
        url.starts_with("sqlite:"),
        "database_url: the instance is already on PostgreSQL; only an instance on SQLite can be moved"
    );
    ensure!(
        settings.events.warehouse_url.is_none(),
        "warehouse_url: the events are already on a ClickHouse; only the embedded store can be moved"
    );
    let file = db::sqlite_file(url)?;
    ensure!(file.exists(), "there is no instance to move: {} is missing", file.display());
    Ok(file)
}

/// An id of the instance that does not depend on its folder.
fn id_of(keyring: &Keyring) -> String {
    hex::encode(&keyring.derive("move")[..8])
}

async fn move_all(
    atrium: &AppState,
    source: Source,
    destination: &Destination,
    mut progress: Progress,
) -> anyhow::Result<Report> {
    let id = id_of(&atrium.keyring);
    destination.claim(&id).await?;
    let here = match source {
        Source::Nothing => None,
        _ => {
            atrium.warehouse.ready(READY).await?;
            Some(Warehouse::clone(&atrium.warehouse))
        }
    };
    progress.begin("making the tables", 0);
    destination.events.begin_transfer(&id, READY).await.context("warehouse")?;
    destination.make_tables().await?;
    let mut copying = Copying::begin(here, destination.events.clone()).await?;
    let mut what = "copying events";
    for _ in 0..PASSES {
        if copying.pass(atrium.now(), what, &mut progress).await? < SMALL {
            break;
        }
        what = "copying what has changed since";
    }
    let pause = Pause::begin(atrium, source).await?;
    let done = switch::run(atrium, &pause, destination, copying, &mut progress).await;
    progress.end();
    if done.is_err()
        && let Err(error) = pause.end(atrium).await
    {
        tracing::warn!(%error, "loading continues in half a minute");
    }
    done
}

/// Finishes a move whose data is complete but not yet marked as such.
async fn finish_again(
    stores: &StoreSettings,
    destination: &Destination,
    file: &Path,
    moved: &moved::Moved,
) -> anyhow::Result<Report> {
    let here = Db::open(&stores.database_url).await.context("database_url")?;
    let keyring = Keyring::look(stores, &here).await;
    here.close().await;
    let keyring = std::sync::Arc::new(keyring?);
    if moved.to != destination.shown() || !destination.is_claimed_by(&id_of(&keyring)).await? {
        bail!("{}", moved::in_words(file, moved));
    }
    let audit_entries = destination.check_audit(&keyring).await?;
    destination.finish(Clock::default(), Entropy, keyring).await?;
    switch::say_what_to_do(destination);
    Ok(Report {
        database: destination.database(),
        warehouse: destination.warehouse(),
        event_rows: None,
        events: None,
        rows: None,
        audit_entries,
        paused_ms: 0,
        refused_ms: 0,
        comparison: None,
    })
}
