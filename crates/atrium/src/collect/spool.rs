//! Where messages wait, safe from a crash, until the event store has them: a SQLite file of its
//! own. One thread writes; whatever arrives while it waits for the disk goes into the next commit
//! together, so that many small requests cost few trips to the disk (docs/decisions/0013).

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use rusqlite::{Connection, OptionalExtension, params};
use tokio::sync::{Notify, mpsc, oneshot};

use super::ledger::Tally;
use super::recent::{MessageId, Recent};
use super::spool_repair;
use super::spool_slots::{FILE, SLOTS, is_held, slot_folder, try_lock};
use super::spool_writer::{self, Command};
use crate::db::integrity;
use crate::error::Code;
use crate::folder;

pub const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS groups (
        seq      INTEGER PRIMARY KEY AUTOINCREMENT,
        format   INTEGER NOT NULL,
        messages INTEGER NOT NULL,
        ledger   TEXT NOT NULL,
        data     BLOB NOT NULL
    );
    CREATE TABLE IF NOT EXISTS attempt (
        one   INTEGER PRIMARY KEY CHECK (one = 1),
        batch INTEGER NOT NULL,
        upto  INTEGER NOT NULL
    );";

/// How the records and rows of a group are written; a later version may write others.
pub const FORMAT: i64 = 1;
/// What is loaded at once, in bytes: it is held in memory several times over on the way.
const CHUNK_BYTES: usize = 64 << 20;
/// What may wait for the disk in memory at once.
const IN_FLIGHT_MAX: u64 = 64 << 20;

/// What a request leaves behind.
pub struct Entry {
    pub data: Vec<u8>,
    pub messages: u64,
    pub tally: Tally,
    /// To be forgotten again if they cannot be kept.
    pub ids: Vec<MessageId>,
}

#[derive(Debug)]
pub enum SpoolError {
    /// The limit is reached: the event store has been away for long.
    Full,
    /// The disk does not take it.
    Failed,
}

/// Figures that everyone may look at without asking the file.
#[derive(Default)]
pub struct Usage {
    pub bytes: AtomicU64,
    pub messages: AtomicI64,
    pub in_flight: AtomicU64,
    pub failing: AtomicBool,
    /// The code of SQLite's last error, while it fails.
    pub fault: AtomicI32,
    /// How often the file was replaced because it was damaged.
    pub repairs: AtomicU64,
}

impl Usage {
    /// Counts what the file holds.
    pub fn count(&self, connection: &Connection) -> rusqlite::Result<()> {
        let (bytes, messages): (i64, i64) = connection.query_row(
            "SELECT COALESCE(SUM(length(data) + length(ledger)), 0), COALESCE(SUM(messages), 0)
             FROM groups",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        self.bytes.store(u64::try_from(bytes).unwrap_or(0), Ordering::Relaxed);
        self.messages.store(messages, Ordering::Relaxed);
        Ok(())
    }

    /// How many messages wait.
    pub fn messages(&self) -> i64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// Why it takes nothing, while it does not.
    pub fn fault(&self) -> Option<Code> {
        let fault = || match self.fault.load(Ordering::Relaxed) {
            rusqlite::ffi::SQLITE_FULL => Code::DiskFull,
            rusqlite::ffi::SQLITE_READONLY => Code::StorageReadOnly,
            _ => Code::Unavailable,
        };
        self.failing.load(Ordering::Relaxed).then(fault)
    }
}

pub struct Spool {
    commands: mpsc::UnboundedSender<Command>,
    reader: Arc<Mutex<Connection>>,
    file: PathBuf,
    usage: Arc<Usage>,
    recent: Arc<Recent>,
    limit: u64,
    /// Rings when there is something to load.
    pub arrived: Arc<Notify>,
    /// This spool's name among those of other instances, the same after a restart.
    pub name: String,
    /// Held for as long as the spool is open; the system lets go of it when the process dies.
    _lock: File,
}

/// An attempt to load that was begun: everything up to `upto`, under the number `batch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub batch: u64,
    pub upto: i64,
}

/// Groups in the order they came.
#[derive(Default)]
pub struct Chunk {
    pub upto: i64,
    pub groups: Vec<Group>,
}

pub struct Group {
    pub format: i64,
    pub tally: Tally,
    pub data: Vec<u8>,
}

impl Spool {
    /// The first place in the data folder that no other server holds: after a restart the same one
    /// again, for a second server beside this one another.
    pub fn open(data_dir: &Path, limit: u64, recent: &Arc<Recent>) -> anyhow::Result<Self> {
        for slot in 1..=SLOTS {
            let folder = slot_folder(data_dir, slot);
            folder::make_private(&folder)?;
            if let Some(lock) = try_lock(&folder)? {
                return Self::open_in(&folder, lock, limit, recent);
            }
        }
        anyhow::bail!("data_dir: {SLOTS} servers use this folder already")
    }

    /// How many processes use this data folder, the caller's own among them once it has a spool.
    pub fn holders(data_dir: &Path) -> anyhow::Result<usize> {
        let mut holders = 0;
        for slot in 1..=SLOTS {
            let folder = slot_folder(data_dir, slot);
            if is_held(&folder)? {
                holders += 1;
            }
        }
        Ok(holders)
    }

    /// What other servers left behind that are gone now.
    pub fn left_behind(
        data_dir: &Path,
        limit: u64,
        recent: &Arc<Recent>,
    ) -> anyhow::Result<Vec<Self>> {
        let mut found = Vec::new();
        for slot in 1..=SLOTS {
            let folder = slot_folder(data_dir, slot);
            if folder.join(FILE).exists()
                && let Some(lock) = try_lock(&folder)?
            {
                let spool = Self::open_in(&folder, lock, limit, recent)?;
                if spool.usage.bytes.load(Ordering::Relaxed) > 0 {
                    found.push(spool);
                }
            }
        }
        Ok(found)
    }

    fn open_in(
        folder: &Path,
        lock: File,
        limit: u64,
        recent: &Arc<Recent>,
    ) -> anyhow::Result<Self> {
        let file = folder.join(FILE);
        let connection = spool_repair::open(&file)?;
        connection.execute(
            "INSERT INTO meta (name, value) VALUES ('name', lower(hex(randomblob(16))))
             ON CONFLICT DO NOTHING",
            [],
        )?;
        let name =
            connection
                .query_row("SELECT value FROM meta WHERE name = 'name'", [], |row| row.get(0))?;
        let usage = Arc::new(Usage::default());
        usage.count(&connection)?;
        let arrived = Arc::new(Notify::new());
        if usage.messages() > 0 || has_attempt(&connection)? {
            arrived.notify_one();
        }
        let reader = Arc::new(Mutex::new(connect(&file)?));
        let (commands, queue) = mpsc::unbounded_channel();
        spool_writer::start(
            connection,
            &file,
            reader.clone(),
            queue,
            usage.clone(),
            arrived.clone(),
            recent.clone(),
        )?;
        Ok(Self {
            commands,
            reader,
            file,
            usage,
            recent: recent.clone(),
            limit,
            arrived,
            name,
            _lock: lock,
        })
    }

    pub fn usage(&self) -> &Usage {
        &self.usage
    }

    pub fn limit(&self) -> u64 {
        self.limit
    }

    pub fn is_full(&self) -> bool {
        self.usage.bytes.load(Ordering::Relaxed) >= self.limit
    }

    /// Returns once the entry is on the disk. An empty one waits for all that came before it.
    pub async fn append(&self, entry: Entry) -> Result<(), SpoolError> {
        let size = entry.data.len() as u64;
        let keeps = size > 0 || !entry.tally.is_empty();
        let waiting = self.usage.in_flight.fetch_add(size, Ordering::Relaxed);
        if keeps && (self.is_full() || waiting + size > IN_FLIGHT_MAX) {
            self.usage.in_flight.fetch_sub(size, Ordering::Relaxed);
            self.recent.forget(&entry.ids);
            return Err(SpoolError::Full);
        }
        let (done, outcome) = oneshot::channel();
        let sent = self.commands.send(Command::Append { entry, done });
        sent.map_err(|_| {
            self.usage.failing.store(true, Ordering::Relaxed);
            SpoolError::Failed
        })?;
        match outcome.await {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => Err(SpoolError::Failed),
        }
    }

    /// Writes down that everything up to `attempt.upto` is about to be loaded.
    pub async fn begin(&self, attempt: Attempt) -> anyhow::Result<()> {
        self.tell(|done| Command::Begin { attempt, done }).await
    }

    /// Lets go of everything up to there: the event store has it.
    pub async fn finish(&self, upto: i64) -> anyhow::Result<()> {
        self.tell(|done| Command::Finish { upto, done }).await
    }

    async fn tell(
        &self,
        command: impl FnOnce(oneshot::Sender<bool>) -> Command,
    ) -> anyhow::Result<()> {
        let (done, outcome) = oneshot::channel();
        self.commands.send(command(done)).ok().context("the spool's writer is gone")?;
        let written = outcome.await.context("the spool's writer is gone")?;
        anyhow::ensure!(written, "the spool could not be written");
        Ok(())
    }

    /// The attempt that was begun and not finished, if there is one.
    pub async fn attempt(&self) -> anyhow::Result<Option<Attempt>> {
        self.read(|connection| {
            let found = connection
                .query_row("SELECT batch, upto FROM attempt", [], |row| {
                    Ok(Attempt { batch: row.get::<_, i64>(0)?.cast_unsigned(), upto: row.get(1)? })
                })
                .optional()?;
            Ok(found)
        })
        .await
    }

    /// The oldest groups: up to a number of messages, or all those of an attempt.
    pub async fn take(&self, messages_max: i64, upto: Option<i64>) -> anyhow::Result<Chunk> {
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT seq, format, messages, ledger, data FROM groups
                 WHERE seq <= ?1 ORDER BY seq",
            )?;
            let mut rows = statement.query(params![upto.unwrap_or(i64::MAX)])?;
            let (mut chunk, mut messages, mut bytes) = (Chunk::default(), 0_i64, 0_usize);
            while let Some(row) = rows.next()? {
                let count: i64 = row.get(2)?;
                bytes += row.get_ref(3)?.as_str()?.len() + row.get_ref(4)?.as_blob()?.len();
                let full = messages + count > messages_max || bytes > CHUNK_BYTES;
                let enough = upto.is_none() && full;
                if enough && !chunk.groups.is_empty() {
                    break;
                }
                messages += count;
                chunk.upto = row.get(0)?;
                let tally = serde_json::from_str(row.get_ref(3)?.as_str()?)?;
                chunk.groups.push(Group { format: row.get(1)?, tally, data: row.get(4)? });
            }
            Ok(chunk)
        })
        .await
    }

    /// The oldest and the newest group that wait.
    pub async fn first(&self) -> anyhow::Result<Option<i64>> {
        self.read(|found| Ok(found.query_row("SELECT MIN(seq) FROM groups", [], |r| r.get(0))?))
            .await
    }

    pub async fn last(&self) -> anyhow::Result<Option<i64>> {
        self.read(|found| Ok(found.query_row("SELECT MAX(seq) FROM groups", [], |r| r.get(0))?))
            .await
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let (reader, file) = (self.reader.clone(), self.file.clone());
        let seen = self.usage.repairs.load(Ordering::Relaxed);
        let outcome = tokio::task::spawn_blocking(move || {
            let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
            let outcome = work(&reader);
            // A fault of the disk may have left the connection of no use: the next one is fresh.
            if outcome.as_ref().is_err_and(is_sqlite)
                && let Ok(fresh) = connect(&file)
            {
                *reader = fresh;
            }
            outcome
        })
        .await?;
        if let Err(error) = &outcome
            && error.chain().any(|cause| cause.downcast_ref().is_some_and(integrity::is_damage))
        {
            self.repair(format!("{error:#}"), seen).await;
        }
        outcome
    }

    /// For whoever read groups and could not make sense of them: if that is what the error says, the
    /// file is set aside and what can be read of it goes on in a new one.
    pub async fn repair_if_unreadable(&self, error: &anyhow::Error) {
        if error.chain().any(|cause| cause.is::<super::record::Damaged>()) {
            let seen = self.usage.repairs.load(Ordering::Relaxed);
            self.repair(format!("{error:#}"), seen).await;
        }
    }

    async fn repair(&self, what: String, seen: u64) {
        // It says so itself if it cannot.
        let _ = self.tell(|done| Command::Repair { what, seen, done }).await;
    }

    /// Tries a write while the last one failed, so that a spool nobody sends to any more, because it
    /// says that it is not ready, comes back.
    pub async fn probe(&self) {
        if self.usage.failing.load(Ordering::Relaxed) {
            let nothing =
                Entry { data: Vec::new(), messages: 0, tally: Tally::default(), ids: Vec::new() };
            let _ = self.append(nothing).await;
        }
    }

    /// What was found damaged in this spool's folder and still lies there.
    pub fn notes(&self) -> Vec<String> {
        self.file.parent().map(spool_repair::notes).unwrap_or_default()
    }
}

fn is_sqlite(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.is::<rusqlite::Error>())
}

fn has_attempt(connection: &Connection) -> anyhow::Result<bool> {
    Ok(connection.query_row("SELECT EXISTS (SELECT 1 FROM attempt)", [], |row| row.get(0))?)
}

pub fn connect(file: &Path) -> anyhow::Result<Connection> {
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open(file)?;
        connection.busy_timeout(Duration::from_secs(10))?;
        // Large pages, because groups are; every commit reaches the disk before it is answered.
        connection.execute_batch(
            "PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -4096;
             PRAGMA journal_size_limit = 67108864;",
        )?;
        Ok(connection)
    };
    open().with_context(|| format!("{} cannot be opened", file.display()))
}
