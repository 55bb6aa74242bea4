//! Where messages wait, safe from a crash, until the warehouse has them: a separate SQLite file. One
//! thread writes; whatever arrives while it waits for the disk goes into the next commit together, so
//! that many small requests take few trips to the disk (docs/decisions/0013).

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering,
};

use anyhow::Context;
use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::sync::{Notify, mpsc, oneshot};
use uuid::Uuid;

use super::dedup::{Dedup, MessageId};
use super::ledger::Tally;
use super::loader::lanes::Lanes;
pub use super::spool_changes::{Attempt, Change, Range, SetAside};
use super::spool_file::connect;
pub use super::spool_reader::{Group, Wanted};
use super::spool_repair;
use super::spool_slots::{FILE, SLOTS, is_held, slot_folder, try_lock};
use super::spool_writer::{self, Command};
use atrium_core::error::Code;
use atrium_core::folder;
use atrium_core::types::Millis;

/// The format of a group's records and rows; later versions may write others.
pub const FORMAT: i64 = 1;
/// How many bytes may wait in memory for the disk.
const IN_FLIGHT_MAX: u64 = 64 << 20;

/// What a request adds to the spool.
pub struct Entry {
    pub app: Uuid,
    /// When it arrived.
    pub at: Millis,
    pub data: Vec<u8>,
    pub messages: u64,
    pub tally: Tally,
    /// Ids to forget again if the messages cannot be kept.
    pub ids: Vec<MessageId>,
}

#[derive(Debug)]
pub enum SpoolError {
    /// The limit is reached: the warehouse has been down for a long time.
    Full,
    /// The disk does not accept it.
    Failed,
}

/// Figures that can be read without querying the file.
#[derive(Default)]
pub struct Usage {
    pub bytes: AtomicU64,
    pub messages: AtomicI64,
    pub in_flight: AtomicU64,
    pub failing: AtomicBool,
    /// Messages that could not be stored and are kept separately.
    pub set_aside: AtomicI64,
    /// How often in a row loading has failed.
    pub load_failures: AtomicU32,
    /// Apps that are loaded separately because something of theirs failed.
    pub troubled_apps: AtomicUsize,
    /// The code of SQLite's last error, for as long as it fails.
    pub fault: AtomicI32,
    /// How often the file was replaced because of damage.
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
        let sql = "SELECT COUNT(*) FROM set_aside";
        let set_aside = connection.query_row(sql, [], |row| row.get(0))?;
        self.set_aside.store(set_aside, Ordering::Relaxed);
        Ok(())
    }

    /// How many messages are waiting.
    pub fn messages(&self) -> i64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// Why the spool accepts nothing; None if it does.
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
    pub(super) reader: Arc<Mutex<Connection>>,
    /// Which lane is loaded next. Held for the whole turn.
    pub(super) lanes: tokio::sync::Mutex<Lanes>,
    pub(super) file: PathBuf,
    usage: Arc<Usage>,
    dedup: Arc<Dedup>,
    limit: u64,
    /// Notifies when there is something to load.
    pub arrived: Arc<Notify>,
    /// This spool's name among all instances, the same after a restart.
    pub name: String,
    /// Held while the spool is open; the system releases it when the process dies.
    _lock: File,
}

impl Spool {
    /// Opens the first slot in the data folder that no other server holds: after a restart the same one
    /// again, and another one for a second server.
    pub fn open(data_dir: &Path, limit: u64, dedup: &Arc<Dedup>) -> anyhow::Result<Self> {
        for slot in 1..=SLOTS {
            let folder = slot_folder(data_dir, slot);
            folder::make_private(&folder)?;
            if let Some(lock) = try_lock(&folder)? {
                return Self::open_in(&folder, lock, limit, dedup);
            }
        }
        anyhow::bail!("data_dir: {SLOTS} servers already use this folder")
    }

    /// How many processes use this data folder, including the caller's own once it has a spool.
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

    /// Opens spools left behind by servers that no longer run.
    pub fn left_behind(
        data_dir: &Path,
        limit: u64,
        dedup: &Arc<Dedup>,
    ) -> anyhow::Result<Vec<Self>> {
        let mut found = Vec::new();
        for slot in 1..=SLOTS {
            let folder = slot_folder(data_dir, slot);
            if folder.join(FILE).exists()
                && let Some(lock) = try_lock(&folder)?
            {
                match Self::open_in(&folder, lock, limit, dedup) {
                    Ok(spool) if spool.usage.bytes.load(Ordering::Relaxed) > 0 => found.push(spool),
                    Ok(_) => {}
                    // One that cannot be opened does not hold up the others.
                    Err(error) => {
                        tracing::error!(%error, folder = %folder.display(), "a spool cannot be opened");
                    }
                }
            }
        }
        Ok(found)
    }

    fn open_in(folder: &Path, lock: File, limit: u64, dedup: &Arc<Dedup>) -> anyhow::Result<Self> {
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
            dedup.clone(),
        )?;
        Ok(Self {
            commands,
            reader,
            lanes: tokio::sync::Mutex::default(),
            file,
            usage,
            dedup: dedup.clone(),
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

    /// Returns once the entry is on the disk. An empty one waits for everything before it.
    pub async fn append(&self, entry: Entry) -> Result<(), SpoolError> {
        let size = entry.data.len() as u64;
        let keeps = size > 0 || !entry.tally.is_empty();
        let waiting = self.usage.in_flight.fetch_add(size, Ordering::Relaxed);
        if keeps && (self.is_full() || waiting + size > IN_FLIGHT_MAX) {
            self.usage.in_flight.fetch_sub(size, Ordering::Relaxed);
            self.dedup.forget(&entry.ids);
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

    /// Writes a change by the loader, and returns once it is on the disk.
    pub async fn write(&self, change: Change) -> anyhow::Result<()> {
        self.tell(|done| Command::Change { change, done }).await
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

    /// Sets the file aside, and continues with what can be read of it in a new one.
    pub(super) async fn repair(&self, what: String, seen: u64) {
        // A failed repair reports itself.
        let _ = self.tell(|done| Command::Repair { what, seen, done }).await;
    }

    /// Attempts a write if the last one failed. Otherwise a spool that gets no requests, because it
    /// reports that it is not ready, would never recover.
    pub async fn probe(&self) {
        if self.usage.failing.load(Ordering::Relaxed) {
            let nothing = Entry {
                app: Uuid::nil(),
                at: Millis(0),
                data: Vec::new(),
                messages: 0,
                tally: Tally::default(),
                ids: Vec::new(),
            };
            let _ = self.append(nothing).await;
        }
    }

    /// Notes about damage in this spool's folder that is still there.
    pub fn notes(&self) -> Vec<String> {
        self.file.parent().map(spool_repair::notes).unwrap_or_default()
    }
}

/// The spool files in a data folder.
pub fn spool_files(data_dir: &Path) -> Vec<PathBuf> {
    let files = (1..=SLOTS).map(|slot| slot_folder(data_dir, slot).join(FILE));
    files.filter(|file| file.exists()).collect()
}

fn has_attempt(connection: &Connection) -> anyhow::Result<bool> {
    Ok(connection.query_row("SELECT EXISTS (SELECT 1 FROM attempts)", [], |row| row.get(0))?)
}
