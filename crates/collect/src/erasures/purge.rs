//! Permanently removes deleted apps after thirty days. Every step can be repeated, so a purge interrupted
//! by a crash continues where it was; a lease keeps two instances from doing the same one.

use std::time::Duration;

use serde_json::json;

use crate::collect::state::Collecting;
use crate::collect::{ledger, loader};
use atrium_core::audit::{self, Actor, Event};
use atrium_core::error::{Error, Result};
use atrium_core::types::Millis;
use atrium_tenancy::store::{apps as store, keys};

/// How long the warehouse may take to start.
const READY: Duration = Duration::from_secs(30);
/// Longer than any app takes.
const LEASE: i64 = 10 * Millis::MINUTE;

/// Purges what is due. Returns how many apps were purged.
pub async fn run_due(atrium: &Collecting) -> Result<u64> {
    let now = atrium.now();
    let mut purged = 0;
    loop {
        // From this commit on there is no way back: restoring checks what it set.
        let mut tx = atrium.db.write().await?;
        let due = store::lease_for_purge(&mut tx, now, now.plus(LEASE)).await?;
        tx.commit().await?;
        if due.is_empty() {
            return Ok(purged);
        }
        for app in &due {
            purged += u64::from(purge(atrium, app).await?);
        }
    }
}

async fn purge(atrium: &Collecting, app: &store::PurgeRow) -> Result<bool> {
    atrium.warehouse.ready(READY).await.map_err(Error::unavailable)?;
    // Work that copies or counts stored events keeps others away, and a purge changes events too.
    let turn = loader::keep_away(atrium, app.id.uuid()?).await.map_err(Error::unavailable)?;
    let purged = turn.during(atrium, async { Ok(remove_all(atrium, app).await?) }).await;
    turn.release(atrium).await?;
    purged.map_err(Error::unavailable)
}

async fn remove_all(atrium: &Collecting, app: &store::PurgeRow) -> Result<bool> {
    // Data first: as long as the app's row exists, an interrupted purge is started again.
    atrium.warehouse.purge_app(app.id.uuid()?).await.map_err(Error::unavailable)?;
    let mut tx = atrium.db.write().await?;
    ledger::forget_app(&mut tx, &app.id).await?;
    keys::delete_addresses_of_app(&mut tx, &app.id).await?;
    let gone = store::remove(&mut tx, &app.id).await?;
    if gone {
        let event = Event::new("app.purge", "app", &app.id).in_org(&app.org_id).in_app(&app.id);
        audit::append(&mut tx, &Actor::system(), event.with(json!({ "name": app.name }))).await?;
    }
    tx.commit().await?;
    Ok(gone)
}
