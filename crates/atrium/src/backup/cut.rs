//! One moment of all stores. While nobody loads, every message that was acknowledged is either in a
//! spool or in the event store with its booking in the database. So loading pauses until each store has
//! fixed its own state, which takes a moment and no copying; the collector goes on taking messages in
//! meanwhile. Only a ClickHouse server cannot fix its state: there the pause lasts until all is read.

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
    /// By the number of its place in the data folder.
    pub spools: Vec<(u32, Snapshot)>,
    pub events: EventsCut,
}

pub enum EventsCut {
    Nothing,
    Parts(Frozen),
    /// Good for as long as nobody loads.
    Rows(Export),
}

pub enum DatabaseCut {
    Sqlite(Snapshot),
    Postgres(PgSnapshot),
}

/// Nobody loads, erases or removes old events for as long as this is held.
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

    /// Returns how long it was.
    pub async fn end(self, atrium: &AppState) -> anyhow::Result<Duration> {
        self.turn.release(atrium).await?;
        Ok(self.begun.elapsed())
    }

    /// Does work that is worth nothing once somebody loads again.
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

/// Loading after a cut.
pub enum Loading {
    GoesOn {
        paused: Duration,
    },
    /// Until everything is read.
    Pauses(Pause),
}

/// Takes all of it, under a name that no other cut has.
pub async fn take(atrium: &AppState, name: &str, source: Source) -> anyhow::Result<(Cut, Loading)> {
    let mut is_newer = atrium.db.migration_state().await?.newer > 0;
    if source != Source::Nothing {
        // Before anything has to wait for it.
        atrium.warehouse.ready(READY).await?;
        is_newer |= atrium.warehouse.is_schema_newer().await?;
    }
    // It would be restored into tables that are not the ones it was made of.
    anyhow::ensure!(
        !is_newer,
        "a newer version of Atrium uses the stores: make the backup with that one"
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

/// Of all servers that use or have used the data folder.
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
