//! The fleet: every instance on this database. Each regularly reports its state (`heartbeat.rs`), and
//! `atrium doctor` and the operator's page judge all of them by the same rules (`problems.rs`).

pub mod handlers;
pub mod heartbeat;
pub mod measure;
pub mod outdated;
pub mod problems;
pub mod runs;
pub mod store;

use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use utoipa::ToSchema;

use atrium_core::error::Result;
use atrium_core::types::Millis;
use store::{InstanceRow, JobRunRow, LeaseRow};

/// The state of an instance as it reports it. Other versions may report more or less.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct InstanceState {
    /// The name of its machine or container.
    pub host: String,
    /// Messages in its spool waiting for the event store.
    pub waiting_messages: i64,
    /// How long the oldest of them has waited; null if none is waiting.
    pub oldest_waiting_seconds: Option<i64>,
    /// Messages that could not be stored.
    pub set_aside_messages: i64,
    /// `ok`, or why the spool accepts nothing.
    pub spool: String,
    /// `ok`, `starting`, `not started`, or `down` and why.
    pub event_store: String,
    /// Free bytes on the disk of its data folder; null if unknown.
    pub disk_free_bytes: Option<u64>,
    pub disk_bytes: Option<u64>,
    /// How far its clock is ahead of the database's.
    pub clock_offset_ms: i64,
}

pub struct Instance {
    pub id: String,
    pub version: String,
    pub started_at: Millis,
    pub seen_at: Millis,
    pub state: InstanceState,
}

impl From<InstanceRow> for Instance {
    fn from(row: InstanceRow) -> Self {
        let InstanceRow { id, version, started_at, seen_at, health } = row;
        // An unreadable state counts as unknown.
        let state = serde_json::from_str(&health).unwrap_or_default();
        Self { id, version, started_at, seen_at, state }
    }
}

/// Everything the database knows about its instances.
pub struct Fleet {
    pub instances: Vec<Instance>,
    pub leases: Vec<LeaseRow>,
    /// The latest first.
    pub runs: Vec<JobRunRow>,
}

impl Fleet {
    pub async fn read(db: &mut AnyConnection) -> Result<Self> {
        Ok(Self {
            instances: store::instances(db).await?.into_iter().map(Instance::from).collect(),
            leases: store::leases(db).await?,
            runs: store::job_runs(db).await?,
        })
    }

    /// The instance that holds a lease: holders are named after the instance, or after a part of it.
    pub fn holder(&self, lease: &LeaseRow) -> Option<&Instance> {
        let name = lease.holder.split('/').next().unwrap_or_default();
        self.instances.iter().find(|instance| instance.id == name)
    }
}
