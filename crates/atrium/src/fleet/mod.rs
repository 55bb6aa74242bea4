//! The fleet: every instance on this database. Each says in regular intervals how it is
//! (`heartbeat.rs`), and whoever looks after them, `atrium doctor` or the operator's page, judges all
//! of them by the same rules (`problems.rs`).

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

/// How an instance is, in its own words. Another version may know more or less of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct InstanceState {
    /// What its machine or container is called.
    pub host: String,
    /// Messages that wait in its spool for the event store.
    pub waiting_messages: i64,
    /// How long the oldest of them has waited; null where none does.
    pub oldest_waiting_seconds: Option<i64>,
    /// Messages that could not be stored.
    pub set_aside_messages: i64,
    /// `ok`, or why the spool takes nothing.
    pub spool: String,
    /// `ok`, `starting`, `not started`, or `down` and why.
    pub event_store: String,
    /// What is left on the disk of its data folder; null where that is not known.
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
        // One that nobody can read is one of which nothing is known.
        let state = serde_json::from_str(&health).unwrap_or_default();
        Self { id, version, started_at, seen_at, state }
    }
}

/// Everything the database knows about those who work on it.
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

    /// Whose lease it is: holders are called as the instance, or as a part of it.
    pub fn holder(&self, lease: &LeaseRow) -> Option<&Instance> {
        let name = lease.holder.split('/').next().unwrap_or_default();
        self.instances.iter().find(|instance| instance.id == name)
    }
}
