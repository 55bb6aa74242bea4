//! The thread that writes the spool, and the one that keeps its log from growing.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use anyhow::Context;
use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc, oneshot};
use uuid::Uuid;

use super::dedup::Dedup;
use super::ledger::Tally;
use super::spool::{Change, Entry, FORMAT, Usage};
use super::spool_changes::Removed;
use super::spool_file::{Part, STEP, connect, last_seq};
use super::spool_last::{LastFile, LastWritten};
use super::spool_repair;
use atrium_core::db::integrity;

/// Maximum bytes in one commit.
const COMMIT_MAX: usize = 8 << 20;
/// A group of this size gets no more messages: the loader takes groups as a whole.
const GROUP_MAX: usize = 1 << 20;
const GROUP_MESSAGES_MAX: u64 = 1_000;
/// Beyond this size the log is copied into the file, in parallel to writing.
const LOG_WANTED: u64 = 16 << 20;
/// Approximate bytes that a commit writes besides its data.
const COMMIT_COST: u64 = 64 << 10;
/// This many requests in one commit mean heavy traffic. The next commit then waits a moment for more of
/// them, because it costs the same for few as for many.
const CROWD: usize = 64;
const GATHERING: Duration = Duration::from_millis(2);
const BUSY: Duration = Duration::from_secs(10);
const LOG_LOOK: Duration = Duration::from_millis(250);

pub enum Command {
    Append {
        entry: Entry,
        done: oneshot::Sender<bool>,
    },
    Change {
        change: Change,
        done: oneshot::Sender<bool>,
    },
    /// The file was found damaged, by a caller that had seen `seen` repairs before.
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
    dedup: Arc<Dedup>,
    log: Arc<Log>,
    runtime: Option<Handle>,
    /// The number of the last group.
    last: i64,
    file: PathBuf,
    /// What was recorded beside the file.
    noted: LastFile,
    /// The other connections to the file: the loader's, and the one that copies the log.
    beside: [Arc<Mutex<Connection>>; 2],
}

/// SQLite's log of commits: grows until it is copied into the file and started over.
#[derive(Default)]
struct Log {
    written: AtomicU64,
    /// It was copied as far as possible, so the writer has little left to wait for.
    copied: AtomicBool,
}

/// The contents of one commit.
#[derive(Default)]
struct Commit {
    /// Each app's messages separately, in as many groups as they fill.
    apps: HashMap<Uuid, Vec<NewGroup>>,
    bytes: usize,
    messages: u64,
    change: Option<Change>,
    damage: Option<(String, u64)>,
    waiting: Vec<(Entry, oneshot::Sender<bool>)>,
    waiters: Vec<oneshot::Sender<bool>>,
}

/// A group being filled.
struct NewGroup {
    at: i64,
    data: Vec<u8>,
    messages: u64,
    tallies: Vec<Tally>,
}

impl Commit {
    fn add(&mut self, command: Command) {
        match command {
            Command::Append { mut entry, done } => {
                self.bytes += entry.data.len();
                self.messages += entry.messages;
                if !entry.data.is_empty() || !entry.tally.is_empty() {
                    self.gather(&mut entry);
                }
                self.waiting.push((entry, done));
            }
            Command::Change { change, done } => {
                self.change = Some(change);
                self.waiters.push(done);
            }
            Command::Repair { what, seen, done } => {
                self.damage = Some((what, seen));
                self.waiters.push(done);
            }
        }
    }

    fn gather(&mut self, entry: &mut Entry) {
        let data = std::mem::take(&mut entry.data);
        let tally = std::mem::take(&mut entry.tally);
        let of_app = self.apps.entry(entry.app).or_default();
        let has_room = |group: &&mut NewGroup| {
            group.data.len() + data.len() <= GROUP_MAX
                && group.messages + entry.messages <= GROUP_MESSAGES_MAX
        };
        match of_app.last_mut().filter(has_room) {
            Some(group) => {
                group.data.extend_from_slice(&data);
                group.messages += entry.messages;
                group.tallies.push(tally);
            }
            None => {
                let (at, messages, tallies) = (entry.at.0, entry.messages, vec![tally]);
                of_app.push(NewGroup { at, data, messages, tallies });
            }
        }
    }
}

/// How a commit affected the spool's size.
#[derive(Default)]
struct Outcome {
    bytes_in: u64,
    removed: Removed,
}

pub fn start(
    connection: Connection,
    file: &Path,
    reader: Arc<Mutex<Connection>>,
    queue: mpsc::UnboundedReceiver<Command>,
    usage: Arc<Usage>,
    arrived: Arc<Notify>,
    dedup: Arc<Dedup>,
) -> anyhow::Result<()> {
    let log = Arc::new(Log::default());
    let copier = Arc::new(Mutex::new(connect(file)?));
    let copying = (copier.clone(), file.to_owned(), Arc::downgrade(&log));
    let runtime = Handle::try_current().ok();
    let (noted, beside) = (LastFile::open(file), [reader, copier]);
    let (last, file) = (last_seq(&connection)?, file.to_owned());
    let writer = Writer {
        connection,
        queue,
        usage,
        arrived,
        dedup,
        log,
        runtime,
        last,
        file,
        noted,
        beside,
    };
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
            let mut commit = Commit::default();
            commit.add(first);
            // Two changes in one commit would lose their order.
            while commit.bytes < COMMIT_MAX && commit.waiters.is_empty() {
                match self.queue.try_recv() {
                    Ok(command) => commit.add(command),
                    Err(_) => break,
                }
            }
            crowded = commit.waiting.len() >= CROWD;
            self.commit(commit);
            if self.log.copied.swap(false, Ordering::Relaxed) {
                // The next commit starts the log over, unless someone is reading from it right now:
                // nobody is made to wait for readers.
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

    fn commit(&mut self, mut commit: Commit) {
        let size = commit.bytes as u64;
        let is_crowd = commit.waiting.len() >= CROWD;
        let written = self.write_or_heal(&mut commit);
        self.usage.in_flight.fetch_sub(size, Ordering::Relaxed);
        if let Some(outcome) = &written {
            self.note(outcome, i64::try_from(commit.messages).unwrap_or(0));
            self.noted.write(LastWritten { seq: self.last, waiting: self.usage.messages() });
        }
        let kept = written.is_some();
        let mut waiters = commit.waiters;
        for (entry, done) in commit.waiting {
            if !kept {
                self.dedup.forget(&entry.ids);
            }
            waiters.push(done);
        }
        let answer_all = move || {
            for done in waiters {
                // A client that hung up needs no answer.
                let _ = done.send(kept);
            }
        };
        match &self.runtime {
            // Waking many tasks is cheaper from the runtime than from an outside thread.
            Some(runtime) if is_crowd => drop(runtime.spawn(async move { answer_all() })),
            _ => answer_all(),
        }
    }

    /// Updates the shared figures.
    fn note(&self, outcome: &Outcome, messages_in: i64) {
        let Outcome { bytes_in, removed } = outcome;
        let bytes = bytes_in.cast_signed() - removed.bytes;
        self.usage.bytes.fetch_add(bytes.cast_unsigned(), Ordering::Relaxed);
        self.usage.messages.fetch_add(messages_in - removed.messages, Ordering::Relaxed);
        self.usage.set_aside.fetch_sub(removed.set_aside, Ordering::Relaxed);
        self.log.written.fetch_add(bytes_in + COMMIT_COST, Ordering::Relaxed);
        if *bytes_in > 0 {
            self.arrived.notify_one();
        }
    }

    /// Writes a commit. After a failure the next one gets a fresh connection, and a damaged file is set
    /// aside.
    fn write_or_heal(&mut self, commit: &mut Commit) -> Option<Outcome> {
        if let Some((what, seen)) = commit.damage.take()
            && seen == self.usage.repairs.load(Ordering::Relaxed)
        {
            self.repair(&what);
        }
        if self.usage.failing.load(Ordering::Relaxed)
            && let Ok(fresh) = connect(&self.file)
        {
            self.connection = fresh;
        }
        let written = self.write(commit);
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

    /// Nobody else has the file open during this.
    fn repair(&mut self, what: &str) {
        let mut beside = self.beside.each_ref().map(|it| it.lock());
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
            self.last = last_seq(&self.connection)?;
            Ok(self.usage.count(&self.connection)?)
        }();
        self.usage.repairs.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = done {
            let error = format!("{error:#}");
            tracing::error!(error, file = %self.file.display(), "the spool could not be repaired");
        }
        self.log.written.store(0, Ordering::Relaxed);
    }

    fn write(&mut self, commit: &mut Commit) -> anyhow::Result<Outcome> {
        let mut outcome = Outcome::default();
        let idle = commit.apps.is_empty() && commit.change.is_none();
        if idle && !self.usage.failing.load(Ordering::Relaxed) {
            return Ok(outcome);
        }
        let mut last = self.last;
        let tx =
            self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        for (app, groups) in std::mem::take(&mut commit.apps) {
            for NewGroup { at, data, messages, tallies } in groups {
                let tally = Tally::combine(tallies);
                let messages = i64::try_from(messages)?;
                last += STEP;
                let part = Part { format: FORMAT, messages, tally, data };
                outcome.bytes_in += part.insert(&tx, last, app, at)?;
            }
        }
        if idle {
            // Only a write that reaches the disk proves that it accepts writes again.
            tx.execute(
                "INSERT INTO meta (name, value) VALUES ('probe', '1')
                 ON CONFLICT (name) DO UPDATE SET value = value + 1",
                [],
            )?;
        }
        if let Some(change) = &commit.change {
            outcome.removed = change.apply(&tx)?;
        }
        tx.commit()?;
        self.last = last;
        Ok(outcome)
    }
}

/// Copies the log into the file while the writer continues, so that a commit never has to.
fn copy_log(connection: &Mutex<Connection>, file: &Path, log: &Weak<Log>) {
    loop {
        std::thread::sleep(LOG_LOOK);
        // The writer is gone, and so is the server.
        let Some(log) = log.upgrade() else { return };
        let grown = log.written.load(Ordering::Relaxed) > LOG_WANTED;
        if grown && !log.copied.load(Ordering::Relaxed) {
            let mut connection = connection.lock();
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
