//! Connections that went through a disk fault. A full or read-only disk or an I/O error can leave a
//! connection that refuses everything from then on, even once the disk is fine again. Such a connection
//! is replaced, so that no restart is needed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::any::AnyPoolOptions;
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyPool, Connection};

use crate::error::Result;

/// Fails on a connection that cannot write (one opened while the disk was read-only), and writes
/// nothing. We use `user_version` for nothing else, and setting it needs no table.
const WRITE_NOTHING: &str = "BEGIN IMMEDIATE; PRAGMA user_version = 0; ROLLBACK";

/// Set when a transaction ended without a commit since the writer was last checked. Most did because a
/// handler changed its mind, some because of the disk.
#[derive(Clone, Default)]
pub struct Doubt(Arc<AtomicBool>);

impl Doubt {
    pub fn is_there(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

/// How a transaction ends: in doubt, unless `end_well` is called.
pub struct Ending {
    doubt: Doubt,
    well: bool,
}

impl Ending {
    pub fn of(doubt: &Doubt) -> Self {
        Self { doubt: doubt.clone(), well: false }
    }

    pub fn end_well(mut self) {
        self.well = true;
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        if !self.well {
            self.doubt.0.store(true, Ordering::Relaxed);
        }
    }
}

/// The writer's connection, or a new one if it can no longer write.
pub async fn checked(
    mut connection: PoolConnection<Any>,
    writers: &AnyPool,
) -> Result<PoolConnection<Any>> {
    let Err(error) = sqlx::raw_sql(WRITE_NOTHING).execute(&mut *connection).await else {
        return Ok(connection);
    };
    tracing::warn!(%error, "a broken database connection is being replaced");
    // An error at closing changes nothing.
    let _ = connection.close().await;
    Ok(writers.acquire().await?)
}

/// SQLite rolls back by itself when the disk is full. The driver then cannot roll back again, still
/// believes the transaction is open, and could never begin another on this connection.
pub fn without_left_transactions(options: AnyPoolOptions) -> AnyPoolOptions {
    options.before_acquire(|connection, _| {
        let is_free = !connection.is_in_transaction();
        Box::pin(async move { Ok(is_free) })
    })
}
