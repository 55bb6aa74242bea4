//! Reads the instance's epoch, which every signed-in request asks for.
//!
//! What this process caches about a session stays valid while the epoch is unchanged, even if another
//! instance or the command line makes a change. On SQLite the epoch is kept in memory: a commit in this
//! process makes the next reader look again, and one in another process is noticed within `LOOK_EVERY`.
//! On PostgreSQL it takes a round trip, shared by all requests that wait at the same moment: the query
//! starts after all of them asked, so its answer is as fresh as if each had asked alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use parking_lot::Mutex;
use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, Connection};
use tokio::sync::{mpsc, oneshot};

use super::BUSY_TIMEOUT;
use crate::error::{Error, Result};

const EPOCH: &str = "SELECT epoch FROM instance";

/// How long another process's commit may go unnoticed on SQLite.
const LOOK_EVERY: Duration = Duration::from_millis(20);

#[derive(Clone)]
pub enum EpochReader {
    InMemory(Arc<LocalReader>),
    Shared(SharedReader),
}

impl EpochReader {
    pub fn sqlite(url: &str) -> anyhow::Result<Self> {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY
            | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX
            | rusqlite::OpenFlags::SQLITE_OPEN_URI;
        let connection = rusqlite::Connection::open_with_flags(super::sqlite_file(url)?, flags)
            .context("the database file cannot be opened for reading")?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        Ok(Self::InMemory(Arc::new(LocalReader {
            commits: AtomicU64::new(0),
            known: Mutex::new(Known { connection, last: None }),
        })))
    }

    pub fn postgres(options: AnyConnectOptions) -> Self {
        Self::Shared(SharedReader::start(options))
    }

    pub async fn read(&self) -> Result<i64> {
        match self {
            Self::InMemory(local) => local.read(Instant::now()).map_err(Error::unavailable),
            Self::Shared(shared) => shared.read().await,
        }
    }

    /// Call after this process committed a change that raised the epoch, never before: an answer made
    /// from the old rows would be kept under the new epoch.
    pub fn committed(&self) {
        if let Self::InMemory(local) = self {
            local.commits.fetch_add(1, Ordering::Release);
        }
    }
}

pub struct LocalReader {
    /// How often this process raised the epoch.
    commits: AtomicU64,
    known: Mutex<Known>,
}

struct Known {
    /// Never writes, so that `PRAGMA data_version` shows every commit of every other connection.
    connection: rusqlite::Connection,
    last: Option<Look>,
}

#[derive(Clone, Copy)]
struct Look {
    at: Instant,
    commits: u64,
    data_version: i64,
    epoch: i64,
}

impl LocalReader {
    fn read(&self, now: Instant) -> rusqlite::Result<i64> {
        let mut known = self.known.lock();
        let Known { connection, last } = &mut *known;
        let commits = self.commits.load(Ordering::Acquire);
        if let Some(last) = last
            && last.commits == commits
            && now.saturating_duration_since(last.at) < LOOK_EVERY
        {
            return Ok(last.epoch);
        }
        // Read the version first: a commit in between is then noticed at the next look.
        let data_version = one_number(connection, "PRAGMA data_version")?;
        let epoch = match last {
            Some(last) if last.data_version == data_version => last.epoch,
            _ => one_number(connection, EPOCH)?,
        };
        *last = Some(Look { at: now, commits, data_version, epoch });
        Ok(epoch)
    }
}

fn one_number(connection: &rusqlite::Connection, query: &str) -> rusqlite::Result<i64> {
    connection.prepare_cached(query)?.query_row([], |row| row.get(0))
}

type Reply = oneshot::Sender<Result<i64, String>>;

#[derive(Clone)]
pub struct SharedReader {
    requests: mpsc::Sender<Reply>,
}

impl SharedReader {
    /// Starts the task that queries the database; it ends with the last reader.
    fn start(options: AnyConnectOptions) -> Self {
        let (requests, mut inbox) = mpsc::channel::<Reply>(4096);
        tokio::spawn(async move {
            let mut connection = None;
            let mut waiting = Vec::new();
            while inbox.recv_many(&mut waiting, 4096).await > 0 {
                let asked =
                    tokio::time::timeout(BUSY_TIMEOUT, query(&options, &mut connection)).await;
                let answer = match asked {
                    Ok(answer) => answer.map_err(|error| error.to_string()),
                    Err(_) => {
                        connection = None;
                        Err("the database did not answer in time".to_owned())
                    }
                };
                for reply in waiting.drain(..) {
                    // A caller that hung up meanwhile needs no answer.
                    let _ = reply.send(answer.clone());
                }
            }
        });
        Self { requests }
    }

    async fn read(&self) -> Result<i64> {
        let (reply, answer) = oneshot::channel();
        let gone = || Error::unavailable(anyhow::anyhow!("the epoch reader is gone"));
        self.requests.send(reply).await.map_err(|_| gone())?;
        answer
            .await
            .map_err(|_| gone())?
            .map_err(|cause| Error::unavailable(anyhow::anyhow!(cause)))
    }
}

/// Keeps its connection between calls; a broken one is replaced once before giving up. The connection
/// is not from the pool, which could not be closed while this one is out.
async fn query(options: &AnyConnectOptions, kept: &mut Option<AnyConnection>) -> sqlx::Result<i64> {
    if let Some(connection) = kept {
        match sqlx::query_scalar(EPOCH).fetch_one(&mut *connection).await {
            Ok(epoch) => return Ok(epoch),
            Err(_) => *kept = None,
        }
    }
    let connection = kept.insert(AnyConnection::connect_with(options).await?);
    sqlx::query_scalar(EPOCH).fetch_one(connection).await
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use sqlx::AnyConnection;

    use super::*;
    use crate::config::sqlite_url;
    use crate::db::Db;

    async fn database(folder: &tempfile::TempDir) -> Db {
        let db = Db::open(&sqlite_url(folder.path()).unwrap()).await.unwrap();
        db.migrate(|| Ok(())).await.unwrap();
        db
    }

    fn reader(db: &Db) -> &LocalReader {
        let EpochReader::InMemory(reader) = &db.epoch else { unreachable!() };
        reader
    }

    /// Plants a fake epoch in memory: a read that returns it did not ask the file.
    fn pretend(db: &Db, epoch: i64) {
        reader(db).known.lock().last.as_mut().unwrap().epoch = epoch;
    }

    async fn epoch_row(connection: &mut AnyConnection) -> i64 {
        sqlx::query_scalar(EPOCH).fetch_one(connection).await.unwrap()
    }

    #[tokio::test]
    async fn a_commit_elsewhere_is_seen_within_the_interval() {
        let folder = tempfile::tempdir().unwrap();
        let db = database(&folder).await;
        // To SQLite, a connection we do not know of counts as another process.
        let other = rusqlite::Connection::open(folder.path().join("atrium.db")).unwrap();
        let mut now = Instant::now();
        let start = reader(&db).read(now).unwrap();
        for round in 1..=200 {
            other.execute("UPDATE instance SET epoch = epoch + 1", []).unwrap();
            if round % 50 == 0 {
                // The WAL starts over, and with it the frame numbers.
                other.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).unwrap();
            }
            let just_before = now + LOOK_EVERY - Duration::from_nanos(1);
            assert_eq!(reader(&db).read(just_before).unwrap(), start + round - 1);
            now += LOOK_EVERY;
            assert_eq!(reader(&db).read(now).unwrap(), start + round);
        }
    }

    #[tokio::test]
    async fn the_row_is_left_alone_while_nothing_is_committed() {
        let folder = tempfile::tempdir().unwrap();
        let db = database(&folder).await;
        let mut now = Instant::now();
        let epoch = reader(&db).read(now).unwrap();
        pretend(&db, -1);
        for _ in 0..10 {
            now += LOOK_EVERY;
            assert_eq!(reader(&db).read(now).unwrap(), -1);
        }
        db.write_relaxed().await.unwrap().commit().await.unwrap();
        assert_eq!(reader(&db).read(now).unwrap(), -1);
        db.write().await.unwrap().commit().await.unwrap();
        assert_eq!(reader(&db).read(now).unwrap(), epoch + 1);
    }

    #[tokio::test]
    async fn what_was_rolled_back_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let db = database(&folder).await;
        let now = Instant::now();
        reader(&db).read(now).unwrap();
        pretend(&db, -1);
        let mut tx = db.write().await.unwrap();
        sqlx::query("UPDATE instance SET epoch = epoch + 1").execute(&mut *tx).await.unwrap();
        drop(tx);
        // The next writer waits until the rollback is done.
        drop(db.write().await.unwrap());
        assert_eq!(reader(&db).commits.load(Ordering::Relaxed), 1, "only the migrations'");
        assert_eq!(reader(&db).read(now).unwrap(), -1);
        assert_eq!(reader(&db).read(now + LOOK_EVERY).unwrap(), -1);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn whoever_committed_sees_it_at_once_among_others() {
        let folder = tempfile::tempdir().unwrap();
        let db = database(&folder).await;
        let start = db.epoch().await.unwrap();
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let db = db.clone();
                tokio::spawn(async move {
                    for _ in 0..25 {
                        let mut tx = db.write().await.unwrap();
                        let mine = epoch_row(&mut tx).await + 1;
                        tx.commit().await.unwrap();
                        assert!(db.epoch().await.unwrap() >= mine);
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(db.epoch().await.unwrap(), start + 8 * 25);
    }

    #[tokio::test]
    async fn a_commit_that_nobody_waited_for_is_seen_within_the_interval() {
        let folder = tempfile::tempdir().unwrap();
        let db = database(&folder).await;
        let mut now = Instant::now();
        let mut outlived = 0;
        for _ in 0..50 {
            let before = reader(&db).read(now).unwrap();
            {
                // The caller hangs up while the database is still committing.
                let mut commit = pin!(db.write().await.unwrap().commit());
                let mut context = Context::from_waker(Waker::noop());
                while epoch_row(&mut db.read().await.unwrap()).await == before {
                    if commit.as_mut().poll(&mut context).is_ready() {
                        break;
                    }
                }
            }
            let row = epoch_row(&mut db.write().await.unwrap()).await;
            outlived += row - before;
            now += LOOK_EVERY;
            assert_eq!(reader(&db).read(now).unwrap(), row);
        }
        assert!(outlived > 0, "no commit outlived its caller");
    }
}
