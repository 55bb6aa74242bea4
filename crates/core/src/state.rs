//! What every part of the program can reach: settings, database, clock, randomness, keys, and the
//! outbound queues. Built once at start; nothing else is global.

use std::ops::Deref;
use std::sync::Arc;

use anyhow::Context;
use tokio::sync::watch;

use crate::audit::refusals::Refusals;
use crate::clock_sync;
use crate::config::Settings;
use crate::db::{Db, moved, transfer_marker};
use crate::folder;
use crate::keyring::Keyring;
use crate::mail::Transport;
use crate::metrics::Metrics;
use crate::types::{Clock, Entropy, Id, Millis};

#[derive(Clone)]
pub struct Core(Arc<CoreParts>);

pub struct CoreParts {
    pub settings: Settings,
    pub db: Db,
    pub clock: Clock,
    pub entropy: Entropy,
    pub keyring: Arc<Keyring>,
    pub metrics: Metrics,
    /// Refused requests, until they are in the audit log.
    pub refusals: Refusals,
    pub mail: Transport,
    pub outbox: OutboxSignal,
}

/// Wakes the outbox jobs when there is something to send.
#[derive(Default)]
pub struct OutboxSignal(watch::Sender<()>);

impl OutboxSignal {
    /// Call this after the commit.
    pub fn wake(&self) {
        self.0.send_replace(());
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.0.subscribe()
    }
}

impl Deref for Core {
    type Target = CoreParts;

    fn deref(&self) -> &CoreParts {
        &self.0
    }
}

impl Core {
    /// Opens the database, migrates its schema and finds the master key.
    pub async fn open(
        settings: Settings,
        clock: Clock,
        may_be_new: impl Fn() -> anyhow::Result<()> + Sync,
    ) -> anyhow::Result<Self> {
        let entropy = Entropy;
        folder::prepare_data_dir(&settings.stores.data_dir)?;
        let stores = &settings.stores;
        moved::refuse(&stores.database_url)?;
        let db = Db::open_with(&stores.database_url, stores.database_connections);
        let db = db.await.context("database_url")?;
        transfer_marker::refuse(&db).await?;
        let applied = db.migrate(may_be_new).await?;
        if applied > 0 {
            tracing::info!(applied, "the database schema was updated");
        }
        let keyring = Arc::new(Keyring::open(&settings.stores, &db, &entropy).await?);
        db.equip(clock.clone(), entropy.clone(), keyring.clone());
        let mail = Transport::new(&settings.mail, &settings.stores.data_dir)?;
        let core = Self(Arc::new(CoreParts {
            db,
            clock,
            entropy,
            keyring,
            metrics: Metrics::install()?,
            refusals: Refusals::default(),
            mail,
            outbox: OutboxSignal::default(),
            settings,
        }));
        clock_sync::sync(&core.db, &core.clock).await?;
        Ok(core)
    }

    pub fn now(&self) -> Millis {
        self.clock.now()
    }

    pub fn new_id(&self) -> Id {
        self.entropy.id(self.now())
    }
}
