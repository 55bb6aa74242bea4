//! The switch from the old stores to the new ones. Loading pauses, the remaining events are copied and
//! everything is compared; then the old database is locked while it is copied, and from its last commit
//! on it refuses changes for good. Until that commit any failure leaves the instance where it was; after
//! it, only the marks that keep servers from starting have to be removed.

use tokio::time::Instant;

use super::destination::Destination;
use super::events::Copying;
use super::{Report, comparison::Comparison};
use crate::app::AppState;
use crate::backup::Progress;
use crate::backup::cut::Pause;
use crate::backup::progress::say;
use atrium_core::db::moved::Moved;
use atrium_core::db::transfer::{Standstill, TableSum};
use atrium_core::db::{self};

pub async fn run(
    atrium: &AppState,
    pause: &Pause,
    destination: &Destination,
    mut copying: Copying,
    progress: &mut Progress,
) -> anyhow::Result<Report> {
    let begun = Instant::now();
    let work = async {
        let now = atrium.now();
        copying.pass(now, "copying the last events", progress).await?;
        progress.begin("comparing events", 0);
        let comparison = copying.compare(now).await?;
        progress.end();
        comparison.judge()?;
        destination.events.complete_transfer().await?;
        Ok(comparison)
    };
    let comparison = pause.during(atrium, work).await?;
    progress.begin("copying the database", 0);
    let refused_since = Instant::now();
    let (audit_entries, tables) = switch_database(atrium, pause, destination).await?;
    let refused_ms = millis(refused_since)?;
    let finished =
        destination.finish(atrium.clock.clone(), atrium.entropy.clone(), atrium.keyring.clone());
    finished.await.map_err(|error| {
        error.context("the instance has moved; run `atrium move` again for the report")
    })?;
    let paused_ms = millis(begun)?;
    let data_dir = &atrium.settings.stores.data_dir;
    let file = comparison.write(data_dir, &tables)?;
    progress.end();
    say_what_to_do(destination);
    Ok(report(destination, &comparison, &tables, (audit_entries, paused_ms, refused_ms), file))
}

/// Everything between the last change in the old database and the first in the new one.
async fn switch_database(
    atrium: &AppState,
    pause: &Pause,
    destination: &Destination,
) -> anyhow::Result<(u64, Vec<(String, TableSum)>)> {
    let file = db::sqlite_file(&atrium.settings.stores.database_url)?;
    let lease = pause.lease();
    let standstill = Standstill::of(&file, (lease.holder(), lease.fences().len())).await?;
    let tables = standstill.copy_to(&destination.database_url).await?;
    let audit_entries = destination.check_audit(&atrium.keyring).await?;
    standstill.seal(Moved { to: destination.shown(), at: atrium.now() }).await?;
    Ok((audit_entries, tables))
}

fn millis(since: Instant) -> anyhow::Result<u64> {
    Ok(u64::try_from(since.elapsed().as_millis())?)
}

fn report(
    destination: &Destination,
    comparison: &Comparison,
    tables: &[(String, TableSum)],
    (audit_entries, paused_ms, refused_ms): (u64, u64, u64),
    file: std::path::PathBuf,
) -> Report {
    Report {
        database: destination.database(),
        warehouse: destination.warehouse(),
        event_rows: Some(comparison.rows()),
        events: Some(comparison.rows_of("events")),
        rows: Some(tables.iter().map(|(_, sum)| sum.rows).sum()),
        audit_entries,
        paused_ms,
        refused_ms,
        comparison: Some(file),
    }
}

pub fn say_what_to_do(destination: &Destination) {
    say(&format!(
        "The instance is now at {}. Set database_url and warehouse_url to its new stores and \
         restart the server on the same data folder. Until then, the running server accepts \
         messages and keeps them for the new one, but refuses changes.",
        destination.shown()
    ));
}
