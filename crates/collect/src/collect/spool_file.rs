//! The spool's file: its tables, and the migration of files from earlier versions.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use uuid::Uuid;

use super::ledger::Tally;
use super::record::{self, Record};
use super::spool::FORMAT;

/// The distance between the numbers of two groups. It exceeds the number of messages in a group, so that
/// the parts of a split group fit between it and the previous one.
pub const STEP: i64 = 1 << 20;
/// Maximum bytes moved in one transaction of the migration.
const MOVED_AT_ONCE: usize = 32 << 20;

/// A group holds messages of one app. An attempt covers an app's groups up to a number, starting after
/// the app's previous attempt. `set_aside` holds what could not be stored.
const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS groups (
        seq      INTEGER PRIMARY KEY AUTOINCREMENT,
        app      BLOB NOT NULL,
        at       INTEGER NOT NULL,
        format   INTEGER NOT NULL,
        messages INTEGER NOT NULL,
        ledger   TEXT NOT NULL,
        data     BLOB NOT NULL
    );
    CREATE INDEX IF NOT EXISTS groups_by_app ON groups (app);
    CREATE TABLE IF NOT EXISTS attempts (
        app   BLOB NOT NULL,
        upto  INTEGER NOT NULL,
        batch INTEGER NOT NULL,
        PRIMARY KEY (app, upto)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS set_aside (
        id           INTEGER PRIMARY KEY AUTOINCREMENT,
        app          TEXT NOT NULL,
        seq          INTEGER NOT NULL,
        log_id       TEXT NOT NULL,
        kind         TEXT NOT NULL,
        received_at  INTEGER NOT NULL,
        set_aside_at INTEGER NOT NULL,
        reason       TEXT NOT NULL,
        error        TEXT NOT NULL,
        messages     INTEGER NOT NULL,
        format       INTEGER NOT NULL,
        data         BLOB NOT NULL,
        UNIQUE (app, seq)
    );";

pub fn connect(file: &Path) -> anyhow::Result<Connection> {
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open(file)?;
        connection.busy_timeout(Duration::from_secs(10))?;
        // Large pages, because groups are large; every commit reaches the disk before the answer.
        connection.execute_batch(
            "PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -4096;
             PRAGMA journal_size_limit = 67108864;",
        )?;
        Ok(connection)
    };
    open().with_context(|| format!("{} cannot be opened", file.display()))
}

/// Creates the tables, and migrates data of an earlier version, whose groups held messages of several
/// apps.
pub fn bring_up_to_date(connection: &mut Connection) -> anyhow::Result<()> {
    if has_table(connection, "groups")? && !has_column(connection, "groups", "app")? {
        connection.execute_batch("ALTER TABLE groups RENAME TO groups_of_many")?;
    }
    connection.execute_batch(SCHEMA)?;
    if has_table(connection, "groups_of_many")? {
        while move_some(connection)? {}
        connection.execute_batch(
            "BEGIN IMMEDIATE; DROP TABLE groups_of_many; DROP TABLE IF EXISTS attempt; COMMIT",
        )?;
    }
    Ok(())
}

fn has_table(connection: &Connection, name: &str) -> anyhow::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1)";
    Ok(connection.query_row(sql, [name], |row| row.get(0))?)
}

fn has_column(connection: &Connection, table: &str, name: &str) -> anyhow::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2)";
    Ok(connection.query_row(sql, [table, name], |row| row.get(0))?)
}

/// Moves the oldest groups of an earlier version, splitting each by app. Returns whether there were any.
fn move_some(connection: &mut Connection) -> anyhow::Result<bool> {
    let tx = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let begun = begun_before(&tx)?;
    let mut moved = Vec::new();
    {
        let mut statement = tx.prepare(
            "SELECT seq, format, messages, ledger, data FROM groups_of_many ORDER BY seq",
        )?;
        let mut rows = statement.query([])?;
        let mut bytes = 0;
        let mut last = last_seq(&tx)?;
        while let Some(row) = rows.next()? {
            let (seq, format): (i64, i64) = (row.get(0)?, row.get(1)?);
            let ledger: Tally = serde_json::from_str(row.get_ref(3)?.as_str()?)?;
            let data = row.get_ref(4)?.as_blob()?;
            bytes += data.len();
            let count: i64 = row.get(2)?;
            for (app, part) in parts(format, count, ledger, data) {
                last += STEP;
                part.insert(&tx, last, app, 0)?;
                if let Some((batch, _)) = begun.filter(|(_, upto)| seq <= *upto) {
                    let mut before =
                        tx.prepare_cached("DELETE FROM attempts WHERE app = ?1 AND batch = ?2")?;
                    before.execute(params![app.as_bytes(), batch])?;
                    let mut begin = tx.prepare_cached(
                        "INSERT INTO attempts (app, upto, batch) VALUES (?1, ?2, ?3)",
                    )?;
                    begin.execute(params![app.as_bytes(), last, batch])?;
                }
            }
            moved.push(seq);
            if bytes > MOVED_AT_ONCE {
                break;
            }
        }
    }
    if let Some(upto) = moved.last() {
        tx.execute("DELETE FROM groups_of_many WHERE seq <= ?1", [upto])?;
    }
    tx.commit()?;
    Ok(!moved.is_empty())
}

/// The attempt of an earlier version: all groups up to a number, under one batch.
fn begun_before(tx: &Transaction<'_>) -> anyhow::Result<Option<(i64, i64)>> {
    if !has_table(tx, "attempt")? {
        return Ok(None);
    }
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    Ok(tx.query_row("SELECT batch, upto FROM attempt", [], read).optional()?)
}

/// The highest group number ever used.
pub fn last_seq(connection: &Connection) -> anyhow::Result<i64> {
    let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'groups'";
    Ok(connection.query_row(sql, [], |row| row.get(0)).optional()?.unwrap_or(0))
}

/// The contents of a group.
#[derive(Default)]
pub struct Part {
    pub format: i64,
    pub messages: i64,
    pub tally: Tally,
    pub data: Vec<u8>,
}

impl Part {
    /// Writes the group, and returns its size.
    pub fn insert(
        &self,
        connection: &Connection,
        seq: i64,
        app: Uuid,
        at: i64,
    ) -> anyhow::Result<u64> {
        let ledger = serde_json::to_string(&self.tally)?;
        let mut insert = connection.prepare_cached(
            "INSERT INTO groups (seq, app, at, format, messages, ledger, data)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        let app = app.as_bytes();
        insert.execute(params![seq, app, at, self.format, self.messages, ledger, self.data])?;
        Ok((ledger.len() + self.data.len()) as u64)
    }
}

/// Splits a group by app. An unreadable one stays in one piece, under no app: the loader will find it
/// unreadable too.
fn parts(format: i64, messages: i64, ledger: Tally, data: &[u8]) -> BTreeMap<Uuid, Part> {
    let mut records = Vec::new();
    if format != FORMAT || record::decode(data, &mut records).is_err() {
        let whole = Part { format, messages, tally: ledger, data: data.to_vec() };
        return BTreeMap::from([(Uuid::nil(), whole)]);
    }
    let new = || Part { format, ..Part::default() };
    let mut parts = BTreeMap::<Uuid, Part>::new();
    for record in &records {
        let part = parts.entry(record.app).or_insert_with(new);
        Record::encode(record, data, &mut part.data);
        part.messages += 1;
    }
    for (app, tally) in ledger.by_app() {
        parts.entry(app).or_insert_with(new).tally = tally;
    }
    parts
}
