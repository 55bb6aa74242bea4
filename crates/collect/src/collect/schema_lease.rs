//! Whoever brings the event store's tables up to date does so under a lease, and knows from the signs of
//! life in the database which servers would suffer.

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
    /// `instance` is what this server is called.
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
        // Once it is lost the rest is left to whoever has it: every statement can be run again.
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

/// What the store said stays what it is; that the database is away may pass.
fn about_us(error: anyhow::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => error,
        Err(error) => Error::Unavailable(format!("its tables are not looked at yet: {error:#}")),
    }
}
