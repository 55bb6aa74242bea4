//! The collector: carries what applications send from the wire to the warehouse.
//!
//! `receive` reads a request and passes it through a series of steps: authenticate (`callers`,
//! `signature`), admit and charge (`budgets`), validate (`message`), drop duplicates (`dedup`), spool
//! (`spool`). The answer is sent once the spool is on the disk. After that `loader` carries the spool
//! into the warehouse and books the `ledger`. docs/decisions/0013 explains why. Refused messages leave a
//! few `samples`, and people watching an app see its messages `live`.

pub mod alerts;
mod batch;
mod batch_choice;
mod batch_cost;
pub mod body;
pub(crate) mod budgets;
mod callers;
pub mod cardinality;
mod dedup;
pub mod figures;
pub mod fold;
pub(crate) mod lazy_warehouse;
pub mod ledger;
mod limits;
pub mod live;
pub mod loader;
pub mod loading;
pub mod message;
pub mod outage;
pub mod outline;
mod person_ids;
mod profiles;
pub mod quota;
pub mod reason;
mod receipt;
pub mod receive;
pub mod record;
pub mod recount;
pub mod samples;
mod schema_lease;
pub mod signature;
pub mod spool;
pub mod spool_adopt;
mod spool_changes;
mod spool_file;
mod spool_last;
mod spool_reader;
pub(crate) mod spool_repair;
pub mod spool_slots;
mod spool_writer;
pub mod state;
mod text;
pub mod upkeep;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use atrium_core::config::EventSettings;
use budgets::Budgets;
use callers::Callers;
use cardinality::Cardinality;
use dedup::Dedup;
use figures::MessageFigures;
use live::Live;
use loader::fence::Published;
use loader::partitions::Loaders;
use outage::Outage;
use parking_lot::Mutex;
use person_ids::PersonIds;
use samples::Samples;
use signature::Nonces;
use spool::Spool;
use tokio::sync::Semaphore;
use uuid::Uuid;

const UNPACKING_MAX: usize = 32;
const SETTLE_LOOK: Duration = Duration::from_millis(200);
const SETTLE_TRIES: u32 = 150;

/// The collector's in-memory state, and its spool.
pub struct Collector {
    callers: Callers,
    pub outage: Outage,
    nonces: Nonces,
    budgets: Budgets,
    dedup: Arc<Dedup>,
    person_ids: PersonIds,
    loaders: Loaders,
    fences: Published,
    cardinality: Cardinality,
    figures: MessageFigures,
    pub samples: Samples,
    pub live: Arc<Live>,
    /// Limits how many bodies are unpacked at once, each up to eight megabytes.
    pub unpacking: Semaphore,
    /// The batch whose profiles failed, and how often.
    failures: Mutex<(u64, u32)>,
    pub spool: Spool,
}

impl Collector {
    pub fn open(data_dir: &Path, settings: &EventSettings) -> anyhow::Result<Self> {
        let dedup = Arc::new(Dedup::default());
        Ok(Self {
            callers: Callers::default(),
            outage: Outage::default(),
            nonces: Nonces::default(),
            budgets: Budgets::new(settings.budgets),
            spool: Spool::open(data_dir, settings.spool_max, &dedup)?,
            dedup,
            person_ids: PersonIds::default(),
            loaders: Loaders::default(),
            fences: Published::default(),
            cardinality: Cardinality::default(),
            figures: MessageFigures::default(),
            samples: Samples::default(),
            live: Arc::default(),
            failures: Mutex::default(),
            unpacking: Semaphore::new(UNPACKING_MAX),
        })
    }

    /// Counts a failure of a batch, and returns its total.
    fn failures_of(&self, batch: u64) -> u32 {
        let mut failures = self.failures.lock();
        let before = if failures.0 == batch { failures.1 } else { 0 };
        *failures = (batch, before + 1);
        before + 1
    }

    /// Spools of servers that no longer run.
    pub fn left_behind(&self, data_dir: &Path) -> anyhow::Result<Vec<Spool>> {
        Spool::left_behind(data_dir, self.spool.limit(), &self.dedup)
    }

    /// Waits until everything an app has in the spool now has left it.
    pub async fn settle(&self, app: Uuid) -> anyhow::Result<()> {
        let Some((_, last)) = self.spool.ends(app).await? else { return Ok(()) };
        for _ in 0..SETTLE_TRIES {
            if self.spool.ends(app).await?.is_none_or(|(first, _)| first > last) {
                return Ok(());
            }
            self.spool.arrived.notify_one();
            tokio::time::sleep(SETTLE_LOOK).await;
        }
        anyhow::bail!("the event store has not yet stored the waiting messages")
    }
}
