//! A SQLite database whose instance has moved elsewhere. No program can change it anymore: every table
//! has triggers that refuse. It stays readable, so a server still running on it keeps answering
//! questions and accepting messages.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::types::Millis;

const TABLE: &str = "moved";
const BUSY: Duration = Duration::from_secs(10);

/// Where an instance went, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    pub to: String,
    pub at: Millis,
}

/// Says whether the instance of a file was moved.
pub fn look(file: &Path) -> anyhow::Result<Option<Moved>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let look = || -> rusqlite::Result<Option<Moved>> {
        let connection = Connection::open_with_flags(file, flags)?;
        connection.busy_timeout(BUSY)?;
        let there = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        if connection.query_row(there, [TABLE], |_| Ok(())).optional()?.is_none() {
            return Ok(None);
        }
        let sql = format!("SELECT target, at FROM {TABLE}");
        let read = |row: &rusqlite::Row<'_>| Ok(Moved { to: row.get(0)?, at: Millis(row.get(1)?) });
        connection.query_row(&sql, [], read).map(Some)
    };
    look().with_context(|| format!("{} cannot be read", file.display()))
}

/// Refuses to start on a database that was moved away.
pub fn refuse(url: &str) -> anyhow::Result<()> {
    if !url.starts_with("sqlite:") {
        return Ok(());
    }
    let file = super::sqlite_file(url)?;
    if !file.exists() {
        return Ok(());
    }
    match look(&file)? {
        None => Ok(()),
        Some(moved) => bail!("database_url: {}", in_words(&file, &moved)),
    }
}

pub fn in_words(file: &Path, moved: &Moved) -> String {
    let at = Timestamp::from_millisecond(moved.at.0).map(|at| at.strftime("%F %T UTC").to_string());
    format!(
        "the instance in {} was moved to {} on {}; set database_url and warehouse_url to the \
         values given to `atrium move`",
        file.display(),
        moved.to,
        at.unwrap_or_default()
    )
}

/// Marks the database as moved, within the caller's transaction.
pub(super) fn seal(connection: &Connection, moved: &Moved) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "CREATE TABLE {TABLE} (target TEXT NOT NULL, at BIGINT NOT NULL)"
    ))?;
    let sql = format!("INSERT INTO {TABLE} (target, at) VALUES (?1, ?2)");
    connection.execute(&sql, (&moved.to, moved.at.0))?;
    for table in tables(connection)? {
        let quoted = quoted(&table);
        for change in ["INSERT", "UPDATE", "DELETE"] {
            connection.execute_batch(&format!(
                "CREATE TRIGGER \"moved_{change}_{}\" BEFORE {change} ON {quoted} BEGIN SELECT \
                 RAISE(ABORT, 'this instance was moved to another database'); END",
                table.replace('"', "\"\"")
            ))?;
        }
    }
    Ok(())
}

pub(super) fn tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' \
               AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name";
    connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::sqlite_url;
    use crate::db::Db;
    use crate::error::Code;

    #[tokio::test]
    async fn nothing_can_be_changed_and_everything_read() {
        let folder = tempfile::tempdir().unwrap();
        let url = sqlite_url(folder.path()).unwrap();
        let file = super::super::sqlite_file(&url).unwrap();
        let db = Db::open(&url).await.unwrap();
        db.migrate(|| Ok(())).await.unwrap();
        assert_eq!(look(&file).unwrap(), None);
        refuse(&url).unwrap();
        let connection = Connection::open(&file).unwrap();
        let moved = Moved { to: "db.example/main".to_owned(), at: Millis(1_795_000_000_000) };
        seal(&connection, &moved).unwrap();
        assert_eq!(look(&file).unwrap().as_ref(), Some(&moved));
        let said = refuse(&url).unwrap_err().to_string();
        assert!(said.contains("moved to db.example/main on 2026-11-18 11:06:40 UTC"), "{said}");
        // A server that kept running through the move.
        assert_eq!(db.ping().await.unwrap_err().code(), Some(Code::InstanceMoved));
        let changed = db.write().await.unwrap().commit().await;
        assert_eq!(changed.unwrap_err().code(), Some(Code::InstanceMoved));
        assert!(db.epoch().await.is_ok());
        for table in tables(&connection).unwrap() {
            let sql = format!("INSERT INTO {} DEFAULT VALUES", quoted(&table));
            let said = connection.execute(&sql, []).unwrap_err().to_string();
            assert!(said.contains("this instance was moved"), "{table}: {said}");
        }
    }
}
