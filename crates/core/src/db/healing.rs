//! Connections that went through a fault of the disk. A full disk, a read-only one or an I/O error
//! can leave a connection behind that refuses everything from then on, also when the disk is well
//! again; such a one is replaced, so that no restart is needed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::any::AnyPoolOptions;
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyPool, Connection};

use crate::error::Result;

/// Fails on a connection that cannot write (it was opened while the disk was read-only), and writes
/// nothing. The number is not used otherwise, and no table has to be there for it.
const WRITE_NOTHING: &str = "BEGIN IMMEDIATE; PRAGMA user_version = 0; ROLLBACK";

/// Whether a transaction ended other than with a commit since the writer was last looked at. Most do
/// so because a handler changed its mind; some because of the disk.
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

/// How a transaction ends: with doubt, unless it is told otherwise.
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

/// The writer's connection, or another in its place if it can no longer write.
pub async fn checked(
    mut connection: PoolConnection<Any>,
    writers: &AnyPool,
) -> Result<PoolConnection<Any>> {
    let Err(error) = sqlx::raw_sql(WRITE_NOTHING).execute(&mut *connection).await else {
        return Ok(connection);
    };
    tracing::warn!(%error, "the database connection is replaced");
    // What it says at its end matters no more than it does.
    let _ = connection.close().await;
    Ok(writers.acquire().await?)
}

/// SQLite undoes a transaction by itself when the disk is full. The driver then cannot undo it a
/// second time, goes on to believe that it is open, and could begin no other on this connection.
pub fn without_left_transactions(options: AnyPoolOptions) -> AnyPoolOptions {
    options.before_acquire(|connection, _| {
        let is_free = !connection.is_in_transaction();
        Box::pin(async move { Ok(is_free) })
    })
}
