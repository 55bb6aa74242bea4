//! The sign of life that every instance writes regularly, with its state.

use std::time::Duration;

use super::store::{self, InstanceRow};
use super::{InstanceState, measure};
use crate::app::AppState;
use atrium_collect::collect::loading;
use atrium_core::error::{Error, Result};
use atrium_core::http::CLIENT_VERSION;
use atrium_core::machine;
use atrium_core::types::Millis;

pub const EVERY: Duration = Duration::from_secs(15);
/// How long a silent instance is remembered.
const REMEMBERED: i64 = Millis::DAY;
/// Long enough for jobs that rarely run.
const RUNS_REMEMBERED: i64 = 90 * Millis::DAY;

/// Writes a sign of life, and deletes instances that have been silent for long.
pub async fn beat(atrium: &AppState) -> Result<()> {
    let has_left = atrium.has_left.lock().await;
    if *has_left {
        return Ok(());
    }
    let state = look(atrium).await;
    let now = atrium.now();
    let row = InstanceRow {
        id: id(atrium).to_owned(),
        version: CLIENT_VERSION.to_owned(),
        started_at: atrium.started_at,
        seen_at: now,
        health: serde_json::to_string(&state).map_err(Error::internal)?,
    };
    let mut tx = atrium.db.write_relaxed().await?;
    store::beat(&mut tx, &row).await?;
    store::forget_instances(&mut tx, now.plus(-REMEMBERED)).await?;
    store::forget_runs(&mut tx, now.plus(-RUNS_REMEMBERED)).await?;
    tx.commit().await
}

/// Removes this instance for good, because one that was stopped is not missing.
pub async fn leave(atrium: &AppState) -> Result<()> {
    let mut has_left = atrium.has_left.lock().await;
    *has_left = true;
    let mut tx = atrium.db.write_relaxed().await?;
    store::leave(&mut tx, id(atrium)).await?;
    tx.commit().await
}

/// The id of this instance, which is also the name of its spool and the holder of its leases.
pub fn id(atrium: &AppState) -> &str {
    &atrium.collector.spool.name
}

async fn look(atrium: &AppState) -> InstanceState {
    let spool = &atrium.collector.spool;
    let loading = loading::look(atrium).await;
    let room = measure::room(atrium).await;
    InstanceState {
        host: machine::host_name(),
        waiting_messages: spool.usage().messages(),
        oldest_waiting_seconds: loading.oldest_seconds,
        set_aside_messages: loading.set_aside,
        spool: match spool.usage().fault() {
            Some(fault) => fault.as_str().to_owned(),
            None if spool.is_full() => "full".to_owned(),
            None => "ok".to_owned(),
        },
        event_store: atrium.warehouse.describe(),
        disk_free_bytes: room.map(|room| room.free),
        disk_bytes: room.map(|room| room.size),
        clock_offset_ms: atrium.clock.ahead(),
    }
}
