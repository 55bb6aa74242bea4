//! Repairs damaged spools. A file found damaged when it is opened or used is set aside under another
//! name, whatever can still be read is copied into a new file, and a note beside it says what happened.
//! The server keeps running (docs/decisions/0024).

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};

use super::record;
use super::spool::FORMAT;
use super::spool_file::{STEP, bring_up_to_date, connect};
use super::spool_last::LastWritten;
use atrium_core::db::integrity::{self, Condition};

/// How long a spool may be checked before it is used: some gigabytes take longer. Damage that is missed
/// shows up when it is read.
const CHECK_LIMIT: Duration = Duration::from_secs(5);
/// Rows that are probed one by one between two damaged places.
const PROBES_MAX: i64 = 500_000;
/// Beyond this many the disk itself is failing, and each repair would only fill it up.
const SET_ASIDE_MAX: u32 = 20;

/// The result of a repair.
#[derive(Debug, Default)]
pub struct Repaired {
    pub set_aside: PathBuf,
    pub groups: u64,
    pub messages: i64,
    /// Groups that existed and could not be read, as far as that is known.
    pub unreadable: u64,
}

/// Opens the file. Sets it aside first if it is damaged.
pub fn open(file: &Path) -> anyhow::Result<Connection> {
    if finish_swap(file)? {
        tracing::warn!("{} was repaired before the server stopped", file.display());
    }
    if let Some(what) = damage(file)? {
        repair(file, &what)?;
    }
    let mut connection = connect(file)?;
    // Before anything is written, because that would overwrite the remains of a damaged log.
    let dropped = notice_dropped_log(file, sequence(&connection))?;
    bring_up_to_date(&mut connection)
        .with_context(|| format!("{} cannot be updated", file.display()))?;
    if let Some(highest) = dropped {
        // New numbers continue after the lost ones.
        raise_sequence(&connection, highest)?;
    }
    Ok(connection)
}

/// What is wrong with the file; None if it is fine.
fn damage(file: &Path) -> anyhow::Result<Option<String>> {
    if !file.exists() {
        return Ok(None);
    }
    let look = || integrity::quick_check(&open_to_read(file)?, CHECK_LIMIT);
    match look() {
        Ok(Condition::Damaged(what)) => Ok(Some(what)),
        Ok(Condition::Sound { .. }) => Ok(None),
        Err(error) if integrity::is_damage(&error) => Ok(Some(error.to_string())),
        Err(error) => Err(error).with_context(|| format!("{} cannot be opened", file.display())),
    }
}

/// Makes a new file of what can be read, replaces the damaged one with it, and leaves a note. A crash at
/// any point leaves either the old file or the new one to continue with.
pub fn repair(file: &Path, what: &str) -> anyhow::Result<Repaired> {
    let number = free_number(file)?;
    let building = beside(file, ".building");
    for left in ["", "-wal", "-shm"] {
        remove(&beside(&building, left))?;
    }
    let mut repaired = salvage(file, &building).context("what the damaged spool still holds")?;
    std::fs::rename(&building, beside(file, ".repaired"))?;
    repaired.set_aside = beside(file, &format!(".damaged-{number}"));
    finish_swap(file)?;
    let waited = match LastWritten::read(file) {
        Some(last) => format!(" of {} that waited", last.waiting),
        None => String::new(),
    };
    let lost = match repaired.unreadable {
        0 => String::new(),
        n => format!(" Groups of messages that could not be read: {n}."),
    };
    let text = format!(
        "{} was damaged ({what}) and is kept as {}. {} messages{waited} were copied to a new \
         file, in {} groups.{lost} Check the disk. When you no longer need the damaged file, \
         remove it together with this note.",
        file.display(),
        repaired.set_aside.display(),
        repaired.messages,
        repaired.groups,
    );
    tracing::error!("{text}");
    leave_note(file, number, &text);
    Ok(repaired)
}

/// Moves a repaired file into place. The log goes first, because SQLite would take a log beside the new
/// file as its own.
fn finish_swap(file: &Path) -> anyhow::Result<bool> {
    let repaired = beside(file, ".repaired");
    if !repaired.exists() {
        return Ok(false);
    }
    let aside = beside(file, &format!(".damaged-{}", free_number(file)?));
    for part in ["-wal", "-shm", ""] {
        let from = beside(file, part);
        if from.exists() {
            std::fs::rename(&from, beside(&aside, part))?;
        }
    }
    std::fs::rename(&repaired, file)?;
    if let Some(folder) = file.parent() {
        std::fs::File::open(folder)?.sync_all()?;
    }
    Ok(true)
}

/// Copies everything that can still be read into a new file.
fn salvage(file: &Path, into: &Path) -> anyhow::Result<Repaired> {
    let mut new = connect(into)?;
    // The file is not used before it is complete, so syncing it at the end is enough.
    new.execute_batch("PRAGMA synchronous = OFF")?;
    let mut repaired = Repaired::default();
    let last = LastWritten::read(file);
    let mut highest = last.map_or(0, |last| last.seq);
    // A file that is not a database at all has nothing to salvage.
    match open_to_read(file) {
        Ok(old) => {
            make_tables(&old, &mut new)?;
            for table in tables(&new)? {
                copy_table(&old, &new, &table, highest, &mut repaired)?;
            }
            highest = highest.max(highest_named(&new)?).max(sequence(&old));
        }
        Err(_) => bring_up_to_date(&mut new)?,
    }
    raise_sequence(&new, highest)?;
    bring_up_to_date(&mut new)?;
    (repaired.groups, repaired.messages) =
        new.query_row("SELECT COUNT(*), COALESCE(SUM(messages), 0) FROM groups", [], |row| {
            Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?))
        })?;
    new.execute_batch("PRAGMA synchronous = FULL")?;
    new.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    new.close().map_err(|(_, error)| error)?;
    std::fs::File::open(into)?.sync_all()?;
    Ok(repaired)
}

/// Opens a file that may be damaged, leaving it and its log as they were found.
fn open_to_read(file: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let old = Connection::open_with_flags(file, flags)?;
    old.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    old.busy_timeout(CHECK_LIMIT)?;
    old.execute_batch("PRAGMA query_only = ON; PRAGMA cell_size_check = ON")?;
    Ok(old)
}

/// Creates the tables of the damaged file, which may be of an earlier version; today's tables if it does
/// not say.
fn make_tables(old: &Connection, new: &mut Connection) -> anyhow::Result<()> {
    let made = || -> rusqlite::Result<Vec<String>> {
        let mut statement = old.prepare(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
             ORDER BY type DESC",
        )?;
        statement.query_map([], |row| row.get(0))?.collect()
    };
    for sql in made().unwrap_or_default() {
        new.execute_batch(&sql)?;
    }
    bring_up_to_date_if_new(new)
}

fn bring_up_to_date_if_new(new: &mut Connection) -> anyhow::Result<()> {
    match tables(new)?.iter().any(|table| table == "groups") {
        true => Ok(()),
        false => bring_up_to_date(new),
    }
}

fn tables(of: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = of.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )?;
    statement.query_map([], |row| row.get(0))?.collect()
}

fn columns(of: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = of.prepare("SELECT name FROM pragma_table_info(?1)")?;
    statement.query_map([table], |row| row.get(0))?.collect()
}

/// Copies the columns that both files have, so that files of other versions can be read too.
fn copy_table(
    old: &Connection,
    new: &Connection,
    table: &str,
    highest: i64,
    repaired: &mut Repaired,
) -> anyhow::Result<()> {
    let Ok(theirs) = columns(old, table) else { return Ok(()) };
    let ours = columns(new, table)?;
    let shared: Vec<_> = ours.into_iter().filter(|name| theirs.contains(name)).collect();
    if shared.is_empty() {
        return Ok(());
    }
    let list = shared.join(", ");
    let marks = vec!["?"; shared.len()].join(", ");
    let mut insert =
        new.prepare(&format!("INSERT OR IGNORE INTO {table} ({list}) VALUES ({marks})"))?;
    let mut keep = |row: Vec<Value>| -> anyhow::Result<bool> {
        if table == "groups" && !is_readable(&shared, &row) {
            return Ok(false);
        }
        insert.execute(params_from_iter(row))?;
        Ok(true)
    };
    repaired.unreadable += walk(old, table, &list, shared.len(), highest, &mut keep)?;
    Ok(())
}

/// Reads from the front up to the damage, from the back up to it, and the rows in between one by one.
/// Returns how many rows existed but could not be read.
fn walk(
    old: &Connection,
    table: &str,
    list: &str,
    width: usize,
    highest: i64,
    keep: &mut impl FnMut(Vec<Value>) -> anyhow::Result<bool>,
) -> anyhow::Result<u64> {
    let unreadable = Cell::new(0);
    let count = || unreadable.set(unreadable.get() + 1);
    let mut scan = |sql: &str, bound: i64| -> anyhow::Result<(Option<i64>, bool)> {
        let mut last = None;
        let Ok(mut statement) = old.prepare(sql) else { return Ok((last, false)) };
        let Ok(mut rows) = statement.query([bound]) else { return Ok((last, false)) };
        loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => return Ok((last, true)),
                Err(_) => return Ok((last, false)),
            };
            let values: Result<Vec<Value>, _> = (1..=width).map(|at| row.get(at)).collect();
            last = row.get(0).ok();
            if values.is_err() || !keep(values.unwrap_or_default())? {
                count();
            }
        }
    };
    if old.prepare(&format!("SELECT rowid FROM {table}")).is_err() {
        // Small tables with their own keys.
        scan(&format!("SELECT 0, {list} FROM {table} WHERE 0 = ?1"), 0)?;
        return Ok(unreadable.get());
    }
    let select = format!("SELECT rowid, {list} FROM {table}");
    let forward = format!("{select} WHERE rowid > ?1 ORDER BY rowid");
    let (front, whole) = scan(&forward, i64::MIN)?;
    if whole {
        return Ok(unreadable.get());
    }
    let backward = format!("{select} WHERE rowid > ?1 ORDER BY rowid DESC");
    let (back, _) = scan(&backward, front.unwrap_or(0))?;
    let (front, back) = match (front, back) {
        // Neither end can be read, so it is unknown where the rows began.
        (None, None) => return Ok(unreadable.get()),
        (front, back) => (front.unwrap_or(0), back.unwrap_or(highest.saturating_add(1))),
    };
    let one = format!("{select} WHERE rowid = ?1");
    for rowid in between(old, table, front, back) {
        if !scan(&one, rowid)?.1 {
            count();
        }
    }
    Ok(unreadable.get())
}

/// The rows that may lie between two others: those still in the index, and those that follow from how
/// numbers are assigned.
fn between(old: &Connection, table: &str, front: i64, back: i64) -> BTreeSet<i64> {
    let step = if table == "groups"
        && columns(old, table).is_ok_and(|it| it.contains(&"app".to_owned()))
    {
        STEP
    } else {
        1
    };
    let first = (front / step + 1) * step;
    let mut found: BTreeSet<i64> =
        (0..PROBES_MAX).map(|at| first + at * step).take_while(|rowid| *rowid < back).collect();
    if step > 1
        && let Ok(mut named) =
            old.prepare("SELECT rowid FROM groups INDEXED BY groups_by_app ORDER BY app")
        && let Ok(mut rows) = named.query([])
    {
        while let Ok(Some(row)) = rows.next() {
            found.extend(
                row.get::<_, i64>(0).ok().filter(|rowid| (front + 1..back).contains(rowid)),
            );
        }
    }
    found
}

/// Whether the loader could read this group. One in another version's format is not ours to judge.
fn is_readable(columns: &[String], row: &[Value]) -> bool {
    let value =
        |name: &str| columns.iter().position(|known| known == name).and_then(|at| row.get(at));
    let ledger = match value("ledger") {
        Some(Value::Text(text)) => serde_json::from_str::<super::ledger::Tally>(text).is_ok(),
        _ => false,
    };
    let data = match (value("format"), value("data")) {
        (Some(Value::Integer(format)), Some(Value::Blob(data))) if *format == FORMAT => {
            record::decode(data, &mut Vec::new()).is_ok()
        }
        (Some(Value::Integer(_)), Some(Value::Blob(_))) => true,
        _ => false,
    };
    ledger && data
}

/// The highest number in any attempt to load: a later group must get a higher number, or it would be
/// removed when that attempt is finished.
fn highest_named(new: &Connection) -> rusqlite::Result<i64> {
    let mut highest = 0;
    for table in tables(new)? {
        if columns(new, &table)?.iter().any(|name| name == "upto") {
            let sql = format!("SELECT COALESCE(MAX(upto), 0) FROM {table}");
            highest = highest.max(new.query_row(&sql, [], |row| row.get(0))?);
        }
    }
    Ok(highest)
}

/// The number of the last group written, whether or not it is still waiting.
pub fn sequence(of: &Connection) -> i64 {
    let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'groups'";
    let found = of.prepare_cached(sql).and_then(|mut found| found.query_row([], |row| row.get(0)));
    found.unwrap_or(0)
}

fn raise_sequence(new: &Connection, to: i64) -> rusqlite::Result<()> {
    let raised =
        new.execute("UPDATE sqlite_sequence SET seq = MAX(seq, ?1) WHERE name = 'groups'", [to])?;
    if raised == 0 {
        new.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('groups', ?1)", [to])?;
    }
    Ok(())
}

/// SQLite silently drops a log that is missing or has wrong checksums. The file beside the spool records
/// what was written last: if the spool knows less, the difference was dropped. Returns the highest number
/// ever used, if it is not in the file.
fn notice_dropped_log(file: &Path, known: i64) -> anyhow::Result<Option<i64>> {
    let Some(last) = LastWritten::read(file).filter(|last| last.seq > known) else {
        return Ok(None);
    };
    if known == 0 && last.waiting == 0 {
        return Ok(Some(last.seq));
    }
    let number = free_number(file)?;
    let log = beside(file, "-wal");
    let kept = beside(file, &format!(".damaged-{number}-wal"));
    let fate = match std::fs::copy(&log, &kept) {
        Ok(_) => format!("The rest of the log is kept as {}.", kept.display()),
        Err(_) => format!("{} is gone.", log.display()),
    };
    let text = format!(
        "{} lost the end of its log: the last groups of messages (about {}) were written but are \
         missing; those that had not been loaded yet are lost ({} messages were waiting when the \
         last one was written). {fate} Check the disk. When you no longer need this note, remove it.",
        file.display(),
        (last.seq - known).div_euclid(STEP).max(1),
        last.waiting,
    );
    tracing::error!("{text}");
    leave_note(file, number, &text);
    Ok(Some(last.seq))
}

/// The notes that repairs left in a spool's folder, each at least one sentence.
pub fn notes(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|file| {
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.contains(".damaged-") && name.ends_with(".txt")
        })
        .collect();
    files.sort();
    files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect()
}

/// The disk may be the cause of all this: a note that cannot be written is at least logged.
fn leave_note(file: &Path, number: u32, text: &str) {
    let note = beside(file, &format!(".damaged-{number}.txt"));
    if let Err(error) = std::fs::write(&note, format!("{text}\n")) {
        tracing::warn!(%error, file = %note.display(), "the note could not be written");
    }
}

fn free_number(file: &Path) -> anyhow::Result<u32> {
    let is_free = |number: &u32| {
        ["", "-wal", ".txt"]
            .iter()
            .all(|part| !beside(file, &format!(".damaged-{number}{part}")).exists())
    };
    (1..=SET_ASIDE_MAX).find(is_free).with_context(|| {
        format!("{} has already been damaged {SET_ASIDE_MAX} times: check the disk", file.display())
    })
}

fn remove(file: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The path with something appended to its name.
pub fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
