//! Copies a SQLite database into an empty PostgreSQL database of the same schema, while nobody changes
//! it. All columns are TEXT or BIGINT (`migrations/`), so rows travel as lines of PostgreSQL's COPY;
//! the lines read back are compared with those sent.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use bytes::Bytes;
use futures_util::TryStreamExt;
use parking_lot::Mutex;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;
use sha2::{Digest, Sha256};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::sync::mpsc;

use super::moved::{self, Moved, quoted};
use super::transfer_marker::TABLE as MARKER;

/// How long other writers may take to finish.
const BUSY: Duration = Duration::from_secs(60);
const CHUNK: usize = 256 << 10;
const CHUNKS: usize = 8;
/// Leases given away for good end at or after this time.
const FOREVER: i64 = 9_000_000_000_000_000;
/// Each database has its own.
const SCHEMA: &str = "schema_migrations";

/// A SQLite file that nobody else can change while this is held. Other writers fail with "not now"
/// after five seconds; if the holder is killed, the lock goes with it.
pub struct Standstill {
    connection: Arc<Mutex<Connection>>,
}

/// What a table holds, regardless of the order of its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TableSum {
    pub rows: u64,
    #[serde(skip)]
    sum: u128,
}

impl TableSum {
    fn add(&mut self, line: &[u8]) {
        let digest = Sha256::digest(line);
        let mut half = [0; 16];
        half.copy_from_slice(&digest[..16]);
        self.rows += 1;
        self.sum = self.sum.wrapping_add(u128::from_be_bytes(half));
    }
}

impl Standstill {
    /// Waits for the write lock. The holder must still have this many leases by then; from then on
    /// nobody else can take them.
    pub async fn of(file: &Path, (holder, leases): (&str, usize)) -> anyhow::Result<Self> {
        let (file, holder) = (file.to_owned(), holder.to_owned());
        let begin = move || -> anyhow::Result<Connection> {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(&file, flags)?;
            connection.busy_timeout(BUSY)?;
            connection.execute_batch("PRAGMA synchronous = FULL; BEGIN IMMEDIATE")?;
            let held = "SELECT COUNT(*) FROM leases WHERE holder = ?1 AND held_until > \
                        CAST(unixepoch('subsec') * 1000 AS INTEGER)";
            let held: i64 = connection.query_row(held, [&holder], |row| row.get(0))?;
            ensure!(
                usize::try_from(held)? >= leases,
                "other instances resumed loading while waiting for the database"
            );
            Ok(connection)
        };
        let connection = tokio::task::spawn_blocking(begin).await??;
        Ok(Self { connection: Arc::new(Mutex::new(connection)) })
    }

    /// Fills the tables of a PostgreSQL database, completely or not at all.
    pub async fn copy_to(&self, url: &str) -> anyhow::Result<Vec<(String, TableSum)>> {
        let mut target = PgConnection::connect(url).await.context("database")?;
        sqlx::raw_sql("BEGIN").execute(&mut target).await?;
        let tables = tables(&mut target).await?;
        self.refuse_other_tables(&tables)?;
        let references = References::take_away(&mut target).await?;
        let all: Vec<String> = tables.iter().map(|table| quoted(table)).collect();
        execute(&mut target, format!("TRUNCATE {}", all.join(", "))).await?;
        let mut copied = Vec::new();
        for table in tables {
            let columns = columns(&mut target, &table).await?;
            let sent = self.send(&mut target, &table, &columns).await;
            let sent = sent.with_context(|| format!("the table {table}"))?;
            let stored = received(&mut target, &table, &columns).await?;
            ensure!(
                sent == stored,
                "the table {table}: {} rows were sent and {} are stored, or some differ",
                sent.rows,
                stored.rows
            );
            copied.push((table, stored));
        }
        references.put_back(&mut target).await?;
        // Nobody holds a lease in the new database yet.
        let sql = "UPDATE leases SET held_until = 0, next_until = 0 WHERE held_until < $1";
        sqlx::query(sql).bind(FOREVER).execute(&mut target).await?;
        sqlx::raw_sql("COMMIT").execute(&mut target).await?;
        target.close().await?;
        Ok(copied)
    }

    /// Makes the database read-only for good.
    pub async fn seal(self, moved: Moved) -> anyhow::Result<()> {
        let work = move || -> rusqlite::Result<()> {
            let connection = self.connection.lock();
            moved::seal(&connection, &moved)?;
            connection.execute_batch("COMMIT")
        };
        Ok(tokio::task::spawn_blocking(work).await??)
    }

    fn refuse_other_tables(&self, there: &[String]) -> anyhow::Result<()> {
        let mut here = moved::tables(&self.connection.lock())?;
        here.retain(|table| table != SCHEMA);
        if let Some(table) = here.iter().find(|table| !there.contains(table)) {
            bail!("the table {table} of this database does not exist in PostgreSQL's schema");
        }
        ensure!(here.len() == there.len(), "the two databases have different tables");
        Ok(())
    }

    async fn send(
        &self,
        target: &mut PgConnection,
        table: &str,
        columns: &[String],
    ) -> anyhow::Result<TableSum> {
        let (sender, mut lines) = mpsc::channel(CHUNKS);
        let connection = self.connection.clone();
        let sql = format!("SELECT {} FROM {}", columns.join(", "), quoted(table));
        let reading = tokio::task::spawn_blocking(move || read(&connection.lock(), &sql, &sender));
        let copy = format!("COPY {} ({}) FROM STDIN", quoted(table), columns.join(", "));
        let mut copy = target.copy_in_raw(&copy).await?;
        while let Some(chunk) = lines.recv().await {
            copy.send(Bytes::from(chunk)).await?;
        }
        match reading.await? {
            Ok(sum) => {
                copy.finish().await?;
                Ok(sum)
            }
            Err(error) => {
                copy.abort("the rows could not be read").await?;
                Err(error)
            }
        }
    }
}

async fn execute(target: &mut PgConnection, sql: String) -> anyhow::Result<()> {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(target).await?;
    Ok(())
}

async fn tables(target: &mut PgConnection) -> anyhow::Result<Vec<String>> {
    let sql = "SELECT CAST(table_name AS TEXT) FROM information_schema.tables
               WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'
               AND table_name NOT IN ($1, $2) ORDER BY 1";
    Ok(sqlx::query_scalar(sql).bind(SCHEMA).bind(MARKER).fetch_all(target).await?)
}

async fn columns(target: &mut PgConnection, table: &str) -> anyhow::Result<Vec<String>> {
    let sql = "SELECT CAST(column_name AS TEXT) FROM information_schema.columns
               WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position";
    let names: Vec<String> = sqlx::query_scalar(sql).bind(table).fetch_all(target).await?;
    Ok(names.iter().map(|name| quoted(name)).collect())
}

/// The foreign keys. Without them tables can be filled in any order; adding them back checks every row.
struct References(Vec<(String, String, String)>);

impl References {
    async fn take_away(target: &mut PgConnection) -> anyhow::Result<Self> {
        let sql = "SELECT CAST(conrelid::regclass AS TEXT), quote_ident(conname), pg_get_constraintdef(oid)
                   FROM pg_constraint
                   WHERE contype = 'f' AND connamespace = current_schema()::regnamespace";
        let all: Vec<(String, String, String)> =
            sqlx::query_as(sql).fetch_all(&mut *target).await?;
        for (table, name, _) in &all {
            execute(target, format!("ALTER TABLE {table} DROP CONSTRAINT {name}")).await?;
        }
        Ok(Self(all))
    }

    async fn put_back(self, target: &mut PgConnection) -> anyhow::Result<()> {
        for (table, name, definition) in self.0 {
            let sql = format!("ALTER TABLE {table} ADD CONSTRAINT {name} {definition}");
            execute(target, sql)
                .await
                .with_context(|| format!("{table} refers to rows that no longer exist"))?;
        }
        Ok(())
    }
}

/// Reads rows as lines of COPY. Ends early if the receiver is gone, which reports its own error.
fn read(
    connection: &Connection,
    sql: &str,
    to: &mpsc::Sender<Vec<u8>>,
) -> anyhow::Result<TableSum> {
    let mut statement = connection.prepare(sql)?;
    let count = statement.column_count();
    let mut rows = statement.query([])?;
    let (mut sum, mut chunk, mut line) = (TableSum::default(), Vec::new(), Vec::new());
    while let Some(row) = rows.next()? {
        line.clear();
        for at in 0..count {
            if at > 0 {
                line.push(b'\t');
            }
            encode(row.get_ref(at)?, &mut line)?;
        }
        sum.add(&line);
        chunk.extend_from_slice(&line);
        chunk.push(b'\n');
        if chunk.len() >= CHUNK && to.blocking_send(std::mem::take(&mut chunk)).is_err() {
            return Ok(sum);
        }
    }
    if !chunk.is_empty() {
        let _ = to.blocking_send(chunk);
    }
    Ok(sum)
}

/// Encodes a value byte for byte as PostgreSQL does.
fn encode(value: ValueRef<'_>, line: &mut Vec<u8>) -> anyhow::Result<()> {
    match value {
        ValueRef::Null => line.extend_from_slice(b"\\N"),
        ValueRef::Integer(number) => line.extend_from_slice(number.to_string().as_bytes()),
        ValueRef::Text(text) => {
            let text = std::str::from_utf8(text).context("a text that is not UTF-8")?;
            for byte in text.bytes() {
                let escaped = match byte {
                    b'\\' => b'\\',
                    8 => b'b',
                    b'\t' => b't',
                    b'\n' => b'n',
                    11 => b'v',
                    12 => b'f',
                    b'\r' => b'r',
                    0 => bail!("a text with a zero byte"),
                    plain => {
                        line.push(plain);
                        continue;
                    }
                };
                line.extend_from_slice(&[b'\\', escaped]);
            }
        }
        ValueRef::Real(_) | ValueRef::Blob(_) => {
            bail!("a value that is neither a text nor an integer")
        }
    }
    Ok(())
}

/// What the table holds now, summed over the same kind of COPY lines.
async fn received(
    target: &mut PgConnection,
    table: &str,
    columns: &[String],
) -> anyhow::Result<TableSum> {
    let sql = format!("COPY {} ({}) TO STDOUT", quoted(table), columns.join(", "));
    let mut chunks = target.copy_out_raw(&sql).await?;
    let (mut sum, mut rest) = (TableSum::default(), Vec::new());
    while let Some(chunk) = chunks.try_next().await? {
        rest.extend_from_slice(&chunk);
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            sum.add(&rest[..end]);
            rest.drain(..=end);
        }
    }
    ensure!(rest.is_empty(), "the table {table} could not be read back");
    Ok(sum)
}
