//! What the loader writes into the spool: what it is about to load, what was stored, what was split, and
//! what was set aside.

use anyhow::Context;
use rusqlite::{Connection, params};
use uuid::Uuid;

use super::spool_file::Part;

/// How many messages that could not be stored are kept; the oldest are dropped first.
const SET_ASIDE_ROWS_MAX: i64 = 10_000;
const SET_ASIDE_BYTES_MAX: i64 = 64 << 20;

/// A started attempt to load: an app's groups up to `upto`, under the number `batch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attempt {
    pub app: Uuid,
    pub upto: i64,
    pub batch: u64,
}

/// Groups of an app: those after one number, up to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub app: Uuid,
    pub after: i64,
    pub upto: i64,
}

/// A message or unreadable group that will not be stored.
pub struct SetAside {
    pub app: Uuid,
    pub seq: i64,
    pub log_id: String,
    pub kind: &'static str,
    pub received_at: i64,
    pub set_aside_at: i64,
    pub reason: &'static str,
    pub error: String,
    pub messages: i64,
    pub format: i64,
    pub data: Vec<u8>,
}

pub enum Change {
    /// These are about to be loaded.
    Begin(Vec<Attempt>),
    /// The warehouse has these: removes their groups and attempts.
    Finish(Vec<Range>),
    /// Splits a group in two. The first part gets the number `first_seq` and its own attempt.
    Split { seq: i64, first_seq: i64, batch: u64, first: Part, rest: Part },
    /// Recorded before it is booked and removed, so that a crash in between loses nothing.
    SetAside(SetAside),
    /// Deletes what was set aside before this time.
    Forget { before: i64 },
    /// Removes one group but leaves attempts as they are.
    Remove { seq: i64 },
    /// Another server has adopted all groups up to a number.
    DropAdopted { upto: i64 },
}

/// How a change affected the spool's size.
#[derive(Default)]
pub struct Removed {
    pub bytes: i64,
    pub messages: i64,
    pub set_aside: i64,
}

impl Change {
    pub fn apply(&self, tx: &Connection) -> anyhow::Result<Removed> {
        match self {
            Self::Begin(attempts) => begin(tx, attempts),
            Self::Finish(ranges) => finish(tx, ranges),
            Self::Split { seq, first_seq, batch, first, rest } => {
                split(tx, *seq, (*first_seq, *batch), first, rest)
            }
            Self::SetAside(message) => set_aside(tx, message),
            Self::Forget { before } => forget(tx, *before),
            Self::Remove { seq } => remove(tx, "seq = ?1", params![seq]),
            Self::DropAdopted { upto } => {
                tx.execute("DELETE FROM attempts WHERE upto <= ?1", [upto])?;
                remove(tx, "seq <= ?1", params![upto])
            }
        }
    }
}

fn begin(tx: &Connection, attempts: &[Attempt]) -> anyhow::Result<Removed> {
    let mut insert = tx.prepare_cached(
        "INSERT INTO attempts (app, upto, batch) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET batch = excluded.batch",
    )?;
    for Attempt { app, upto, batch } in attempts {
        insert.execute(params![app.as_bytes(), upto, batch.cast_signed()])?;
    }
    Ok(Removed::default())
}

fn finish(tx: &Connection, ranges: &[Range]) -> anyhow::Result<Removed> {
    let mut removed = Removed::default();
    let mut end = tx.prepare_cached("DELETE FROM attempts WHERE app = ?1 AND upto = ?2")?;
    for Range { app, after, upto } in ranges {
        let groups = params![app.as_bytes(), after, upto];
        let gone = remove(tx, "app = ?1 AND seq > ?2 AND seq <= ?3", groups)?;
        removed.bytes += gone.bytes;
        removed.messages += gone.messages;
        end.execute(params![app.as_bytes(), upto])?;
    }
    Ok(removed)
}

fn remove(
    tx: &Connection,
    which: &str,
    params: &[&dyn rusqlite::ToSql],
) -> anyhow::Result<Removed> {
    let (bytes, messages) = tx
        .prepare_cached(&format!(
            "SELECT COALESCE(SUM(length(data) + length(ledger)), 0), COALESCE(SUM(messages), 0)
             FROM groups WHERE {which}"
        ))?
        .query_row(params, |row| Ok((row.get(0)?, row.get(1)?)))?;
    tx.prepare_cached(&format!("DELETE FROM groups WHERE {which}"))?.execute(params)?;
    Ok(Removed { bytes, messages, set_aside: 0 })
}

fn split(
    tx: &Connection,
    seq: i64,
    (first_seq, batch): (i64, u64),
    first: &Part,
    rest: &Part,
) -> anyhow::Result<Removed> {
    let (app, at): (Vec<u8>, i64) =
        tx.query_row("SELECT app, at FROM groups WHERE seq = ?1", [seq], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let app = Uuid::from_slice(&app).context("the app of a group")?;
    let mut removed = remove(tx, "seq = ?1", params![seq])?;
    for (part, seq) in [(first, first_seq), (rest, seq)] {
        removed.bytes -= part.insert(tx, seq, app, at)?.cast_signed();
        removed.messages -= part.messages;
    }
    begin(tx, &[Attempt { app, upto: first_seq, batch }])?;
    Ok(removed)
}

fn set_aside(tx: &Connection, message: &SetAside) -> anyhow::Result<Removed> {
    let added = tx.execute(
        "INSERT INTO set_aside (app, seq, log_id, kind, received_at, set_aside_at, reason, error,
            messages, format, data)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT DO NOTHING",
        params![
            message.app.hyphenated().to_string(),
            message.seq,
            message.log_id,
            message.kind,
            message.received_at,
            message.set_aside_at,
            message.reason,
            message.error,
            message.messages,
            message.format,
            message.data
        ],
    )?;
    let gone = tx.execute(
        "DELETE FROM set_aside WHERE id IN (
            SELECT id FROM (SELECT id,
                ROW_NUMBER() OVER (ORDER BY id DESC) AS place,
                SUM(length(data)) OVER (ORDER BY id DESC) AS bytes FROM set_aside)
            WHERE place > 1 AND (place > ?1 OR bytes > ?2))",
        [SET_ASIDE_ROWS_MAX, SET_ASIDE_BYTES_MAX],
    )?;
    let change = i64::try_from(added)? - i64::try_from(gone)?;
    Ok(Removed { set_aside: -change, ..Removed::default() })
}

fn forget(tx: &Connection, before: i64) -> anyhow::Result<Removed> {
    let gone = tx.execute("DELETE FROM set_aside WHERE set_aside_at < ?1", [before])?;
    Ok(Removed { set_aside: i64::try_from(gone)?, ..Removed::default() })
}
