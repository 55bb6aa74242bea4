//! Updates the event store's tables under a lease. The instances' heartbeats in the database show which
//! servers would be affected.

use std::time::Duration;

use warehouse::{Changes, Error, SchemaGuard, Servers};

use atrium_core::Core;
use atrium_core::db::{self, Schema};
use atrium_core::lease::Lease;

const NAME: &str = "event_schema";
const LOOK: Duration = Duration::from_millis(200);

pub struct SchemaLease {
    core: Core,
    holder: String,
}

impl SchemaLease {
    /// `instance` is this server's name.
    pub fn new(core: Core, instance: &str) -> Self {
        Self { core, holder: instance.to_owned() }
    }

    async fn change(&self, changes: Changes<'_>) -> anyhow::Result<()> {
        let lease = loop {
            if let Some(lease) = Lease::take(&self.core, NAME, &self.holder).await? {
                break lease;
            }
            tokio::time::sleep(LOOK).await;
        };
        // If the lease is lost, the rest is left to the new holder: every statement can be run again.
        let outcome = lease.during(&self.core, async { Ok(changes.await?) }).await;
        lease.release(&self.core).await?;
        outcome
    }

    async fn below(&self, migration: u32) -> anyhow::Result<Vec<String>> {
        let db = &self.core.db;
        let mut connection = db.read().await?;
        db::running_below(db, &mut connection, Schema::EventStore, migration.into()).await
    }
}

impl SchemaGuard for SchemaLease {
    fn alone<'a>(&'a self, changes: Changes<'a>) -> Changes<'a> {
        Box::pin(async { self.change(changes).await.map_err(about_us) })
    }

    fn running_below(&self, migration: u32) -> Servers<'_> {
        Box::pin(async move { self.below(migration).await.map_err(about_us) })
    }
}

/// The store's own errors stay as they are; a database outage may pass.
fn about_us(error: anyhow::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => error,
        Err(error) => Error::Unavailable(format!("its tables could not be checked yet: {error:#}")),
    }
}
