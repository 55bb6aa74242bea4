//! Metrics of this instance's resources: disk, memory, connections, and its leases.

use super::problems::{self, ProblemCode};
use super::{Fleet, heartbeat};
use crate::app::AppState;
use atrium_core::error::Result;
use atrium_core::folder::{self, Room};

/// The purposes of leases; for leases by partition, the word before the slash.
pub const LEASES: [&str; 8] = [
    "loader",
    "erasures",
    "retention",
    "recount",
    "event_schema",
    "backup",
    "property_columns",
    "cohort_sizes",
];

pub async fn measure(atrium: &AppState) -> Result<()> {
    for pool in atrium.db.pool_use() {
        let name = pool.pool;
        metrics::gauge!("atrium_database_connections_max", "pool" => name)
            .set(f64::from(pool.most));
        for (state, count) in [("idle", pool.idle), ("in_use", pool.in_use)] {
            metrics::gauge!("atrium_database_connections", "pool" => name, "state" => state)
                .set(f64::from(count));
        }
    }
    if let Some(Room { free, size }) = room(atrium).await {
        metrics::gauge!("atrium_disk_free_bytes").set(free as f64);
        metrics::gauge!("atrium_disk_bytes").set(size as f64);
    }
    let engine = atrium.warehouse.engine_memory().unwrap_or(0);
    let server = warehouse::resident_bytes(std::process::id()).unwrap_or(0);
    for (process, bytes) in [("server", server), ("engine", engine)] {
        metrics::gauge!("atrium_resident_bytes", "process" => process).set(bytes as f64);
    }
    let fleet = Fleet::read(&mut *atrium.db.read().await?).await?;
    measure_fleet(atrium, &fleet);
    Ok(())
}

fn measure_fleet(atrium: &AppState, fleet: &Fleet) {
    let now = atrium.now();
    let own = heartbeat::id(atrium);
    for kind in LEASES {
        let is_ours = |lease: &&super::store::LeaseRow| {
            lease.work() == kind
                && lease.holder.split('/').next() == Some(own)
                && lease.held_until > now
        };
        let held = fleet.leases.iter().filter(is_ours).count();
        metrics::gauge!("atrium_leases_held", "lease" => kind).set(held as f64);
    }
    let found = problems::find(fleet, now);
    let count = |code| found.iter().filter(|problem| problem.code == code).count() as f64;
    metrics::gauge!("atrium_leases_stuck").set(count(ProblemCode::LeaseStuck));
    let lost = count(ProblemCode::InstanceLost);
    metrics::gauge!("atrium_instances", "state" => "lost").set(lost);
    metrics::gauge!("atrium_instances", "state" => "seen").set(fleet.instances.len() as f64 - lost);
}

pub async fn room(atrium: &AppState) -> Option<Room> {
    let folder = atrium.settings.stores.data_dir.clone();
    tokio::task::spawn_blocking(move || folder::room(&folder)).await.ok().flatten()
}
