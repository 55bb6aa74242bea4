//! The thread that writes the spool, and the one that keeps its log from growing.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use anyhow::Context;
use rusqlite::{Connection, params};
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc, oneshot};

use super::ledger::Tally;
use super::recent::Recent;
use super::spool::{Attempt, Entry, FORMAT, Usage, connect};
use super::spool_last::{LastFile, LastWritten};
use super::spool_repair;
use crate::db::integrity;

/// What one commit takes at most.
const GROUP_MAX: usize = 8 << 20;
/// Past this size the log is copied into the file, beside the writing.
const LOG_WANTED: u64 = 16 << 20;
/// The pages a commit writes besides its data, about.
const COMMIT_COST: u64 = 64 << 10;
/// So many requests in one commit come from a crowd: the next commit waits a moment for more of them,
/// because its price is the same for few as for many.
const CROWD: usize = 64;
const GATHERING: Duration = Duration::from_millis(2);
const BUSY: Duration = Duration::from_secs(10);
const LOG_LOOK: Duration = Duration::from_millis(250);

pub enum Command {
    Append {
        entry: Entry,
        done: oneshot::Sender<bool>,
    },
    Begin {
        attempt: Attempt,
        done: oneshot::Sender<bool>,
    },
    Finish {
        upto: i64,
        done: oneshot::Sender<bool>,
    },
    /// The file was found damaged, by someone who had seen so many repairs before.
    Repair {
        what: String,
        seen: u64,
        done: oneshot::Sender<bool>,
    },
}

struct Writer {
    connection: Connection,
    queue: mpsc::UnboundedReceiver<Command>,
    usage: Arc<Usage>,
    arrived: Arc<Notify>,
    recent: Arc<Recent>,
    log: Arc<Log>,
    runtime: Option<Handle>,
    file: PathBuf,
    last: LastFile,
    /// The others that have the file open: whoever loads, and whoever copies the log.
    beside: [Arc<Mutex<Connection>>; 2],
}

/// SQLite's log of what was committed: grows until it is copied into the file and begun anew.
#[derive(Default)]
struct Log {
    written: AtomicU64,
    /// It was copied as far as it could be: little is left for the writer to wait for.
    copied: AtomicBool,
}

/// What one commit is made of.
#[derive(Default)]
struct Group {
    data: Vec<u8>,
    messages: u64,
    tallies: Vec<Tally>,
    begun: Option<Attempt>,
    finished: Option<i64>,
    damage: Option<(String, u64)>,
    waiting: Vec<(Entry, oneshot::Sender<bool>)>,
    told: Vec<oneshot::Sender<bool>>,
}

impl Group {
    fn add(&mut self, command: Command) {
        match command {
            Command::Append { mut entry, done } => {
                self.data.append(&mut entry.data);
                self.messages += entry.messages;
                self.tallies.push(std::mem::take(&mut entry.tally));
                self.waiting.push((entry, done));
            }
            Command::Begin { attempt, done } => {
                self.begun = Some(attempt);
                self.told.push(done);
            }
            Command::Finish { upto, done } => {
                self.finished = Some(upto);
                self.told.push(done);
            }
            Command::Repair { what, seen, done } => {
                self.damage = Some((what, seen));
                self.told.push(done);
            }
        }
    }
}

/// What a commit did to the spool's size.
#[derive(Default)]
struct Change {
    bytes_in: u64,
    bytes_out: u64,
    messages_out: i64,
}

pub fn start(
    connection: Connection,
    file: &Path,
    reader: Arc<Mutex<Connection>>,
    queue: mpsc::UnboundedReceiver<Command>,
    usage: Arc<Usage>,
    arrived: Arc<Notify>,
    recent: Arc<Recent>,
) -> anyhow::Result<()> {
    let log = Arc::new(Log::default());
    let copier = Arc::new(Mutex::new(connect(file)?));
    let copying = (copier.clone(), file.to_owned(), Arc::downgrade(&log));
    let runtime = Handle::try_current().ok();
    let (last, beside) = (LastFile::open(file), [reader, copier]);
    let file = file.to_owned();
    let writer =
        Writer { connection, queue, usage, arrived, recent, log, runtime, file, last, beside };
    let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
        std::thread::Builder::new().name(name.to_owned()).spawn(work).context("a thread")
    };
    spawn("spool", Box::new(move || writer.run()))?;
    spawn("spool-log", Box::new(move || copy_log(&copying.0, &copying.1, &copying.2)))?;
    Ok(())
}

impl Writer {
    fn run(mut self) {
        let mut crowded = false;
        while let Some(first) = self.queue.blocking_recv() {
            if crowded {
                std::thread::sleep(GATHERING);
            }
            let mut group = Group::default();
            group.add(first);
            // A group with both a begin and a finish would lose their order.
            while group.data.len() < GROUP_MAX && group.told.is_empty() {
                match self.queue.try_recv() {
                    Ok(command) => group.add(command),
                    Err(_) => break,
                }
            }
            crowded = group.waiting.len() >= CROWD;
            self.commit(group);
            if self.log.copied.swap(false, Ordering::Relaxed) {
                // The next commit begins the log from its start; unless someone reads from it just
                // now, for whom nobody is made to wait.
                let patience = self.connection.busy_timeout(Duration::ZERO);
                let begun =
                    self.connection.query_row("PRAGMA wal_checkpoint(RESTART)", [], |row| {
                        row.get::<_, i64>(0)
                    });
                if patience.is_ok() && begun == Ok(0) {
                    self.log.written.store(0, Ordering::Relaxed);
                }
                let _ = self.connection.busy_timeout(BUSY);
            }
        }
    }

    fn commit(&mut self, mut group: Group) {
        let size = group.data.len() as u64;
        let told_many = group.waiting.len() >= CROWD;
        let written = self.write_or_heal(&mut group);
        self.usage.in_flight.fetch_sub(size, Ordering::Relaxed);
        if let Some(change) = &written {
            self.usage.bytes.fetch_add(change.bytes_in, Ordering::Relaxed);
            self.usage.bytes.fetch_sub(change.bytes_out, Ordering::Relaxed);
            let messages = i64::try_from(group.messages).unwrap_or(0) - change.messages_out;
            self.usage.messages.fetch_add(messages, Ordering::Relaxed);
            self.log.written.fetch_add(change.bytes_in + COMMIT_COST, Ordering::Relaxed);
            if change.bytes_in > 0 {
                self.arrived.notify_one();
            }
            let (seq, waiting) = (spool_repair::sequence(&self.connection), self.usage.messages());
            self.last.write(LastWritten { seq, waiting });
        }
        let kept = written.is_some();
        let mut told = group.told;
        for (entry, done) in group.waiting {
            if !kept {
                self.recent.forget(&entry.ids);
            }
            told.push(done);
        }
        let tell = move || {
            for done in told {
                // Whoever hung up needs no answer.
                let _ = done.send(kept);
            }
        };
        match &self.runtime {
            // To wake many tasks is cheaper from where they run than from a thread outside.
            Some(runtime) if told_many => drop(runtime.spawn(async move { tell() })),
            _ => tell(),
        }
    }

    /// Writes a group. After a failure the next one gets a connection that has seen no fault, and a
    /// damaged file is set aside.
    fn write_or_heal(&mut self, group: &mut Group) -> Option<Change> {
        if let Some((what, seen)) = group.damage.take()
            && seen == self.usage.repairs.load(Ordering::Relaxed)
        {
            self.repair(&what);
        }
        if self.usage.failing.load(Ordering::Relaxed)
            && let Ok(fresh) = connect(&self.file)
        {
            self.connection = fresh;
        }
        let written = self.write(group);
        let Err(error) = &written else {
            self.usage.failing.store(false, Ordering::Relaxed);
            return written.ok();
        };
        tracing::error!(error = format!("{error:#}"), file = %self.file.display(), "the spool could not be written");
        let cause = error.downcast_ref::<rusqlite::Error>();
        let code = cause.and_then(rusqlite::Error::sqlite_error).map_or(0, |it| it.extended_code);
        self.usage.fault.store(code & 0xff, Ordering::Relaxed);
        self.usage.failing.store(true, Ordering::Relaxed);
        if cause.is_some_and(integrity::is_damage) {
            self.repair(&format!("{error:#}"));
        }
        None
    }

    /// Nobody else has the file open meanwhile.
    fn repair(&mut self, what: &str) {
        let mut beside =
            self.beside.each_ref().map(|it| it.lock().unwrap_or_else(PoisonError::into_inner));
        let done = || -> anyhow::Result<()> {
            self.connection = Connection::open_in_memory()?;
            for connection in &mut beside {
                **connection = Connection::open_in_memory()?;
            }
            let repaired = spool_repair::repair(&self.file, what);
            self.connection = connect(&self.file)?;
            for connection in &mut beside {
                **connection = connect(&self.file)?;
            }
            repaired?;
            Ok(self.usage.count(&self.connection)?)
        }();
        self.usage.repairs.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = done {
            let error = format!("{error:#}");
            tracing::error!(error, file = %self.file.display(), "the spool could not be repaired");
        }
        self.log.written.store(0, Ordering::Relaxed);
    }

    fn write(&mut self, group: &mut Group) -> anyhow::Result<Change> {
        let tally = Tally::combine(std::mem::take(&mut group.tallies));
        let mut change = Change::default();
        let nothing = group.data.is_empty() && tally.is_empty();
        let idle = nothing && group.begun.is_none() && group.finished.is_none();
        if idle && !self.usage.failing.load(Ordering::Relaxed) {
            return Ok(change);
        }
        let tx =
            self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        if !nothing {
            let ledger = serde_json::to_string(&tally)?;
            change.bytes_in = (group.data.len() + ledger.len()) as u64;
            tx.prepare_cached(
                "INSERT INTO groups (format, messages, ledger, data) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![
                FORMAT,
                i64::try_from(group.messages)?,
                ledger,
                group.data
            ])?;
        }
        if idle {
            // Only a write that reaches the disk says that it takes writes again.
            tx.execute(
                "INSERT INTO meta (name, value) VALUES ('probe', '1')
                 ON CONFLICT (name) DO UPDATE SET value = value + 1",
                [],
            )?;
        }
        if let Some(attempt) = group.begun {
            tx.execute(
                "INSERT OR REPLACE INTO attempt (one, batch, upto) VALUES (1, ?1, ?2)",
                params![attempt.batch.cast_signed(), attempt.upto],
            )?;
        }
        if let Some(upto) = group.finished {
            (change.bytes_out, change.messages_out) = tx.query_row(
                "SELECT COALESCE(SUM(length(data) + length(ledger)), 0),
                    COALESCE(SUM(messages), 0) FROM groups WHERE seq <= ?1",
                params![upto],
                |row| Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?)),
            )?;
            tx.execute("DELETE FROM groups WHERE seq <= ?1", params![upto])?;
            tx.execute("DELETE FROM attempt", [])?;
        }
        tx.commit()?;
        Ok(change)
    }
}

/// Copies the log into the file while the writer goes on, so that a commit never has to.
fn copy_log(connection: &Mutex<Connection>, file: &Path, log: &Weak<Log>) {
    loop {
        std::thread::sleep(LOG_LOOK);
        // The writer is gone, and so is the server.
        let Some(log) = log.upgrade() else { return };
        let grown = log.written.load(Ordering::Relaxed) > LOG_WANTED;
        if grown && !log.copied.load(Ordering::Relaxed) {
            let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            let done = connection.execute_batch("PRAGMA wal_checkpoint(PASSIVE)");
            log.copied.store(done.is_ok(), Ordering::Relaxed);
            if done.is_err()
                && let Ok(fresh) = connect(file)
            {
                *connection = fresh;
            }
        }
    }
}
