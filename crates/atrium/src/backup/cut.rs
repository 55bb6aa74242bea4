//! A consistent snapshot of all stores. While nothing is being loaded, every acknowledged message is
//! either in a spool, or in the event store with its ledger entry in the database. So loading pauses
//! until each store has taken its own snapshot, which is quick and copies nothing; the collector keeps
//! accepting messages meanwhile. Only a ClickHouse server cannot take a snapshot: for it the pause lasts
//! until everything has been read.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use tokio::time::Instant;
use warehouse::Frozen;

use super::Source;
use super::export::Export;
use crate::app::AppState;
use atrium_collect::collect::{loader, spool_slots};
use atrium_core::db::pg_tools::PgSnapshot;
use atrium_core::db::snapshot::Snapshot;
use atrium_core::db::{self, Dialect};
use atrium_core::lease::Lease;

const READY: Duration = Duration::from_secs(60);

pub struct Cut {
    pub database: DatabaseCut,
    /// By the number of the spool's slot in the data folder.
    pub spools: Vec<(u32, Snapshot)>,
    pub events: EventsCut,
}

pub enum EventsCut {
    Nothing,
    Parts(Frozen),
    /// Valid only while nothing is loaded.
    Rows(Export),
}

pub enum DatabaseCut {
    Sqlite(Snapshot),
    Postgres(PgSnapshot),
}

/// While this is held, nothing is loaded, erased or removed by retention.
pub struct Pause {
    turn: Lease,
    begun: Instant,
}

impl Pause {
    pub async fn begin(atrium: &AppState, source: Source) -> anyhow::Result<Self> {
        let turn = loader::keep_all_away(atrium, source != Source::Nothing).await?;
        Ok(Self { turn, begun: Instant::now() })
    }

    pub fn lease(&self) -> &Lease {
        &self.turn
    }

    /// Returns how long the pause was.
    pub async fn end(self, atrium: &AppState) -> anyhow::Result<Duration> {
        self.turn.release(atrium).await?;
        Ok(self.begun.elapsed())
    }

    /// Runs work that is valid only while the pause lasts.
    pub async fn during<T>(
        &self,
        atrium: &AppState,
        work: impl Future<Output = anyhow::Result<T>>,
    ) -> anyhow::Result<T> {
        let done = self.turn.during(atrium, work).await?;
        self.turn.renew(atrium).await?;
        Ok(done)
    }
}

/// What happens to loading after the snapshot.
pub enum Loading {
    GoesOn {
        paused: Duration,
    },
    /// It stays paused until everything is read.
    Pauses(Pause),
}

/// Takes the snapshot, under a name that no other one has.
pub async fn take(atrium: &AppState, name: &str, source: Source) -> anyhow::Result<(Cut, Loading)> {
    let mut is_newer = atrium.db.migration_state().await?.newer > 0;
    if source != Source::Nothing {
        // Before the pause, so that nothing waits for it.
        atrium.warehouse.ready(READY).await?;
        is_newer |= atrium.warehouse.is_schema_newer().await?;
    }
    // Otherwise it would be restored into tables of an older schema.
    anyhow::ensure!(
        !is_newer,
        "a newer version of Atrium uses the stores: make the backup with that version"
    );
    let pause = Pause::begin(atrium, source).await?;
    let cut = pause.during(atrium, take_now(atrium, name, source)).await;
    match cut {
        Ok(cut @ Cut { events: EventsCut::Rows(_), .. }) => Ok((cut, Loading::Pauses(pause))),
        cut => {
            let paused = pause.end(atrium).await?;
            Ok((cut?, Loading::GoesOn { paused }))
        }
    }
}

async fn take_now(atrium: &AppState, name: &str, source: Source) -> anyhow::Result<Cut> {
    let events = match source {
        Source::Nothing => EventsCut::Nothing,
        Source::Engine | Source::OwnEngine => {
            EventsCut::Parts(atrium.warehouse.freeze(name).await?)
        }
        Source::Server => EventsCut::Rows(Export::begin(atrium).await?),
    };
    let stores = &atrium.settings.stores;
    let spools = spools(&stores.data_dir)?;
    let database = match atrium.db.dialect() {
        Dialect::Sqlite => {
            DatabaseCut::Sqlite(Snapshot::of(&db::sqlite_file(&stores.database_url)?)?)
        }
        Dialect::Postgres => {
            let taken = PgSnapshot::of(&stores.database_url).await;
            DatabaseCut::Postgres(taken.context("database_url")?)
        }
    };
    Ok(Cut { database, spools, events })
}

/// Snapshots of the spools of all servers that use or have used the data folder.
fn spools(data_dir: &Path) -> anyhow::Result<Vec<(u32, Snapshot)>> {
    let mut spools = Vec::new();
    for slot in 1..=spool_slots::SLOTS {
        let file = spool_slots::slot_folder(data_dir, slot).join(spool_slots::FILE);
        if file.exists() {
            spools.push((slot, Snapshot::of(&file)?));
        }
    }
    Ok(spools)
}
