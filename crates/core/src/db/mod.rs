//! The metadata database: one portable statement per query, on SQLite or PostgreSQL. Knows no resource.
//!
//! Reads take a connection from `read()`. Changes go through `write()`, which is the only way to
//! begin a transaction and hides how the two databases differ there.

mod about;
mod epoch;
mod healing;
pub mod integrity;
mod master_key;
mod migrate;
pub mod moved;
mod name_order;
pub mod page;
pub mod pg_tools;
pub mod snapshot;
pub mod transfer;
pub mod transfer_marker;

use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Once, OnceLock};
use std::time::Duration;

use anyhow::Context;
use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, AnyPool, SqlSafeStr, Transaction};

pub use about::{About, POOLS, PoolUse};
pub use migrate::{MigrationState, Schema, newest as newest_migration, running_below};

use crate::config::DATABASE_CONNECTIONS;
use crate::error::{Error, Result};
use crate::keyring::Keyring;
use crate::types::{Clock, Entropy, Id, Millis};
use epoch::EpochReader;
use healing::{Doubt, Ending};

/// How long a writer waits for another one, in this process or elsewhere.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Sqlite,
    Postgres,
}

#[derive(Clone)]
pub struct Db {
    dialect: Dialect,
    readers: AnyPool,
    /// On SQLite a pool of one: writers queue in order here instead of polling the file lock, where an
    /// unlucky one can starve. On PostgreSQL the same pool as `readers`.
    writers: AnyPool,
    doubt: Doubt,
    epoch: EpochReader,
    tools: Arc<OnceLock<Tools>>,
}

/// What a change needs besides the database: the audit log is written with these.
struct Tools {
    clock: Clock,
    entropy: Entropy,
    keyring: Arc<Keyring>,
}

impl Db {
    /// Gives transactions their clock, ids and keys. Called once, when the keyring is open.
    pub fn equip(&self, clock: Clock, entropy: Entropy, keyring: Arc<Keyring>) {
        let _ = self.tools.set(Tools { clock, entropy, keyring });
    }

    /// Opens the database. `url` is `sqlite:…` or `postgres://…`.
    pub async fn open(url: &str) -> anyhow::Result<Self> {
        Self::open_with(url, DATABASE_CONNECTIONS).await
    }

    /// The same, with at most this many connections on PostgreSQL.
    pub async fn open_with(url: &str, connections: u32) -> anyhow::Result<Self> {
        static DRIVERS: Once = Once::new();
        DRIVERS.call_once(sqlx::any::install_default_drivers);
        let dialect = dialect_of(url)?;
        let options = AnyConnectOptions::from_str(url).context("database_url cannot be read")?;
        let (readers, writers, epoch) = match dialect {
            Dialect::Sqlite => {
                make_private(url)?;
                // The writer goes first: it makes the file and switches it to WAL.
                let writers = sqlite_pool(1).connect_with(options.clone()).await?;
                let cores = std::thread::available_parallelism().map_or(2, usize::from);
                let readers = u32::try_from(cores.clamp(2, 8)).unwrap_or(2);
                let readers = sqlite_pool(readers).connect_with(options).await?;
                (readers, writers, EpochReader::sqlite(url)?)
            }
            Dialect::Postgres => {
                let pool = healing::without_left_transactions(AnyPoolOptions::new())
                    .max_connections(connections)
                    .acquire_timeout(BUSY_TIMEOUT)
                    .connect_with(options.clone())
                    .await?;
                (pool.clone(), pool, EpochReader::postgres(options))
            }
        };
        Ok(Self {
            dialect,
            readers,
            writers,
            doubt: Doubt::default(),
            epoch,
            tools: Arc::default(),
        })
    }

    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// An SQL expression for the database's own time in milliseconds.
    pub fn now_sql(&self) -> &'static str {
        match self.dialect {
            Dialect::Sqlite => "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
            Dialect::Postgres => "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
        }
    }

    pub async fn read(&self) -> Result<PoolConnection<Any>> {
        Ok(self.readers.acquire().await?)
    }

    /// Begins a transaction that may read and then write. Once committed it survives a power failure,
    /// and every instance learns that its caches may be out of date (`epoch`).
    pub async fn write(&self) -> Result<Write> {
        self.begin(WriteKind::Full).await
    }

    /// Like `write`, for rows that no cached answer is made from, such as mails and links.
    pub async fn write_uncached(&self) -> Result<Write> {
        self.begin(WriteKind::Uncached).await
    }

    /// Like `write_uncached`, for rows that nobody would miss after a power failure: counts of failed
    /// attempts, when a session was last seen.
    pub async fn write_relaxed(&self) -> Result<Write> {
        self.begin(WriteKind::Relaxed).await
    }

    /// The counter that `write` raises: an answer made after reading it is valid for as long as it
    /// stays the same. Commits of this process show at once; those of another process at once on
    /// PostgreSQL, within 20 ms on SQLite.
    pub async fn epoch(&self) -> Result<i64> {
        self.epoch.read().await
    }

    /// Brings the schema up to date, one instance at a time. If there is no schema at all, `may_be_new`
    /// says whether that is expected.
    pub async fn migrate(
        &self,
        may_be_new: impl Fn() -> anyhow::Result<()> + Sync,
    ) -> anyhow::Result<usize> {
        migrate::run(self, may_be_new).await
    }

    /// Why this program may no longer use the database, if a newer one has since removed what it needs.
    pub async fn outdated(&self) -> Result<Option<String>> {
        migrate::outdated(&mut *self.read().await?).await
    }

    pub async fn migration_state(&self) -> anyhow::Result<MigrationState> {
        migrate::state(self).await
    }

    /// Whether a write would go through now, without promising anything. After a transaction that did
    /// not end well, it really writes to the disk, so that a full disk is reported for as long as it is
    /// full.
    pub async fn ping(&self) -> Result<()> {
        let doubtful = self.doubt.is_there();
        let mut tx = self.begin(WriteKind::Relaxed).await?;
        sqlx::query("UPDATE instance SET epoch = epoch").execute(&mut *tx).await?;
        if doubtful {
            return tx.commit().await;
        }
        tx.tx.rollback().await?;
        tx.ending.end_well();
        Ok(())
    }

    /// Closes every connection. One that is not returned must not keep the process alive.
    pub async fn close(&self) {
        let closing = async {
            self.writers.close().await;
            self.readers.close().await;
        };
        if tokio::time::timeout(BUSY_TIMEOUT, closing).await.is_err() {
            tracing::warn!("some database connections were still in use at shutdown");
        }
    }

    async fn begin(&self, kind: WriteKind) -> Result<Write> {
        let mut connection = self.writers.acquire().await?;
        if self.dialect == Dialect::Sqlite && self.doubt.take() {
            connection = healing::checked(connection, &self.writers).await?;
        }
        let ending = Ending::of(&self.doubt);
        let tx = match (self.dialect, kind) {
            (Dialect::Sqlite, kind) => {
                let pragma = match kind {
                    WriteKind::Full | WriteKind::Uncached => "PRAGMA synchronous = FULL",
                    WriteKind::Relaxed => "PRAGMA synchronous = NORMAL",
                };
                sqlx::raw_sql(pragma).execute(&mut *connection).await?;
                // A deferred BEGIN fails at once when its read turns into a write while someone else is
                // writing; an immediate one waits its turn.
                Transaction::begin(connection, Some("BEGIN IMMEDIATE".into_sql_str())).await?
            }
            (Dialect::Postgres, kind) => {
                let mut tx = Transaction::begin(connection, None).await?;
                if kind == WriteKind::Relaxed {
                    sqlx::raw_sql("SET LOCAL synchronous_commit TO OFF").execute(&mut *tx).await?;
                }
                tx
            }
        };
        Ok(Write { tx, kind, ending, epoch: self.epoch.clone(), tools: self.tools.clone() })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WriteKind {
    Full,
    Uncached,
    Relaxed,
}

/// A transaction in progress. Dropping it rolls it back.
pub struct Write {
    tx: Transaction<'static, Any>,
    kind: WriteKind,
    ending: Ending,
    epoch: EpochReader,
    tools: Arc<OnceLock<Tools>>,
}

impl Write {
    fn tools(&self) -> Result<&Tools> {
        let tools = self.tools.get();
        tools.ok_or_else(|| {
            Error::internal(anyhow::anyhow!("the database was opened for exclusive use"))
        })
    }

    pub fn now(&self) -> Result<Millis> {
        Ok(self.tools()?.clock.now())
    }

    pub fn new_id(&self) -> Result<Id> {
        let tools = self.tools()?;
        Ok(tools.entropy.id(tools.clock.now()))
    }

    pub fn keyring(&self) -> Result<&Keyring> {
        Ok(&self.tools()?.keyring)
    }

    pub async fn commit(mut self) -> Result<()> {
        if self.kind == WriteKind::Full {
            // Last, so that on PostgreSQL this row is locked only for the commit itself and always
            // after every other lock: this cannot cause a deadlock.
            sqlx::query("UPDATE instance SET epoch = epoch + 1").execute(&mut *self.tx).await?;
        }
        self.tx.commit().await?;
        self.ending.end_well();
        if self.kind == WriteKind::Full {
            self.epoch.committed();
        }
        Ok(())
    }
}

impl Deref for Write {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        &self.tx
    }
}

impl DerefMut for Write {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        &mut self.tx
    }
}

/// Whether a statement failed because a row with the same key exists. On PostgreSQL the transaction
/// cannot be used any further.
pub fn is_unique_violation(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(|error| error.is_unique_violation())
}

fn dialect_of(url: &str) -> anyhow::Result<Dialect> {
    match url.split(':').next() {
        Some("sqlite") => Ok(Dialect::Sqlite),
        Some("postgres" | "postgresql") => Ok(Dialect::Postgres),
        _ => anyhow::bail!("database_url must begin with sqlite: or postgres://"),
    }
}

/// SQLite gives its helper files the permissions of the database file, so that file is made first,
/// readable by us alone, even in a folder that others may read.
fn make_private(url: &str) -> anyhow::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let file = sqlite_file(url)?;
    let made = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file);
    match made {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(error).with_context(|| format!("{} cannot be created", file.display()))
        }
        _ => Ok(()),
    }
}

/// The file behind a `sqlite:` address.
pub fn sqlite_file(url: &str) -> anyhow::Result<PathBuf> {
    let options: sqlx::sqlite::SqliteConnectOptions = url.parse()?;
    Ok(options.get_filename().to_owned())
}

fn sqlite_pool(connections: u32) -> AnyPoolOptions {
    healing::without_left_transactions(AnyPoolOptions::new())
        .max_connections(connections)
        .acquire_timeout(BUSY_TIMEOUT)
        // An embedded connection does not go stale by itself, and the test would cost as much as a
        // query; after a transaction that did not end well, `healing` checks it.
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
        .after_connect(|connection, _| {
            Box::pin(async move {
                for pragma in [
                    "PRAGMA busy_timeout = 5000",
                    "PRAGMA journal_mode = WAL",
                    "PRAGMA synchronous = FULL",
                    "PRAGMA foreign_keys = ON",
                ] {
                    sqlx::raw_sql(pragma).execute(&mut *connection).await?;
                }
                Ok(())
            })
        })
}
