//! Reads the instance's epoch: the one question that every signed-in request asks.
//!
//! What this process remembers of a session is true as long as the epoch stays the same, also when
//! another instance or the command line changed something. On SQLite the row is a page in memory,
//! and reading it on the spot costs less than handing the question to another thread; and while
//! nobody committed anything, not even that is needed (`Commits`). On PostgreSQL it is a round
//! trip, which all requests that wait at the same moment share: the query starts after all of them
//! asked, so its answer is as true as if each had asked alone.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, Connection};
use tokio::sync::{mpsc, oneshot};

use super::BUSY_TIMEOUT;
use crate::error::{Error, Result};

const EPOCH: &str = "SELECT epoch FROM instance";

#[derive(Clone)]
pub enum EpochReader {
    OnTheSpot(Arc<LocalReader>),
    Shared(SharedReader),
}

impl EpochReader {
    pub fn sqlite(url: &str) -> anyhow::Result<Self> {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY
            | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX
            | rusqlite::OpenFlags::SQLITE_OPEN_URI;
        let file = super::sqlite_file(url)?;
        let connection = rusqlite::Connection::open_with_flags(&file, flags)
            .context("the database file cannot be opened for reading")?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        let commits = Commits::open(&connection, Path::new(&file));
        Ok(Self::OnTheSpot(Arc::new(LocalReader {
            commits,
            known: Mutex::new((connection, None)),
        })))
    }

    pub fn postgres(options: AnyConnectOptions) -> Self {
        Self::Shared(SharedReader::start(options))
    }

    pub async fn read(&self) -> Result<i64> {
        match self {
            Self::OnTheSpot(local) => local.read().map_err(Error::unavailable),
            Self::Shared(shared) => shared.read().await,
        }
    }
}

/// The first copy of the header of SQLite's index of its log (sqlite.org/walformat.html, 2.1): it
/// holds a counter of commits, and a commit is visible to others once it stands there.
type Header = [u8; 48];

/// Where SQLite tells its connections in all processes that one of them committed.
struct Commits(&'static File);

impl Commits {
    fn open(connection: &rusqlite::Connection, database: &Path) -> Option<Self> {
        // Elsewhere a file and its mapping may tell different things.
        if !cfg!(target_os = "linux") {
            return None;
        }
        // The index is there once the database was read.
        connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(())).ok()?;
        let mut index = database.as_os_str().to_owned();
        index.push("-shm");
        // Never closed: closing it would let go of the locks that SQLite holds on the same file.
        Some(Self(Box::leak(Box::new(File::open(Path::new(&index)).ok()?))))
    }

    fn header(&self) -> Option<Header> {
        let mut header = [0; _];
        self.0.read_exact_at(&mut header, 0).ok()?;
        Some(header)
    }
}

pub struct LocalReader {
    commits: Option<Commits>,
    /// The epoch, and the header that was there before it was read.
    known: Mutex<(rusqlite::Connection, Option<(Header, i64)>)>,
}

impl LocalReader {
    fn read(&self) -> rusqlite::Result<i64> {
        let header = self.commits.as_ref().and_then(Commits::header);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (connection, known) = &mut *known;
        if let Some((as_of, epoch)) = known
            && Some(&*as_of) == header.as_ref()
        {
            return Ok(*epoch);
        }
        let epoch = connection.prepare_cached(EPOCH)?.query_row([], |row| row.get(0))?;
        *known = header.map(|header| (header, epoch));
        Ok(epoch)
    }
}

type Reply = oneshot::Sender<Result<i64, String>>;

#[derive(Clone)]
pub struct SharedReader {
    requests: mpsc::Sender<Reply>,
}

impl SharedReader {
    /// Starts the task that asks the database; it ends with the last reader.
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
                    // A caller that hung up in the meantime needs no answer.
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

/// Keeps its connection between calls; a broken one is replaced once before giving up. It is no
/// connection of the pool, which could not be closed while this one is out.
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
    use super::*;

    /// A database with the one table that matters, and a connection that stands for another process.
    fn database(folder: &Path) -> (EpochReader, rusqlite::Connection) {
        let file = folder.join("atrium.db");
        let writer = rusqlite::Connection::open(&file).unwrap();
        writer
            .execute_batch(
                "PRAGMA journal_mode = WAL; CREATE TABLE instance (epoch INTEGER NOT NULL);
                 INSERT INTO instance VALUES (0)",
            )
            .unwrap();
        (EpochReader::sqlite(&format!("sqlite://{}", file.display())).unwrap(), writer)
    }

    #[tokio::test]
    async fn every_commit_is_seen_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let (reader, writer) = database(folder.path());
        for epoch in 1..=500 {
            writer.execute("UPDATE instance SET epoch = ?1", [epoch]).unwrap();
            if epoch % 50 == 0 {
                // The log begins anew, and with it the numbers of its frames.
                writer.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).unwrap();
            }
            assert_eq!(reader.read().await.unwrap(), epoch);
            assert_eq!(reader.read().await.unwrap(), epoch);
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn the_database_is_left_alone_while_nothing_is_committed() {
        let folder = tempfile::tempdir().unwrap();
        let (reader, writer) = database(folder.path());
        assert_eq!(reader.read().await.unwrap(), 0);
        let EpochReader::OnTheSpot(local) = &reader else { unreachable!() };
        // What stands in memory shows whether the file was asked.
        local.known.lock().unwrap().1.as_mut().unwrap().1 = 77;
        assert_eq!(reader.read().await.unwrap(), 77);
        writer.execute("UPDATE instance SET epoch = 1", []).unwrap();
        assert_eq!(reader.read().await.unwrap(), 1);
    }
}
