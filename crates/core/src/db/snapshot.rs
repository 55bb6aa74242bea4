//! Consistent copies of SQLite files while others keep writing.

use std::collections::BTreeMap;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

const BUSY: Duration = Duration::from_secs(10);

/// A file as of the moment this was made: in WAL mode a reader keeps the state it started with, and
/// writers do not wait for it.
pub struct Snapshot {
    connection: Connection,
}

impl Snapshot {
    pub fn of(file: &Path) -> anyhow::Result<Self> {
        let begin = || -> rusqlite::Result<Connection> {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(file, flags)?;
            connection.busy_timeout(BUSY)?;
            connection.execute_batch("PRAGMA query_only = ON; BEGIN")?;
            // The snapshot begins with the first read, not with BEGIN.
            connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))?;
            Ok(connection)
        };
        let connection = begin().with_context(|| format!("{} cannot be read", file.display()))?;
        Ok(Self { connection })
    }

    /// Writes the copy into a new file.
    pub fn copy_to(&self, file: &Path) -> anyhow::Result<()> {
        let mut options = std::fs::OpenOptions::new();
        options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(file)
            .with_context(|| format!("{} cannot be created", file.display()))?;
        let mut copy = Connection::open(file)?;
        // In one step: the transaction holds the snapshot, so there is nothing to wait for.
        let step = Backup::new(&self.connection, &mut copy)?.step(-1)?;
        if step != StepResult::Done {
            bail!("{} could not be copied: {step:?}", file.display());
        }
        // Everything goes into the one file, whatever journal mode the original has.
        copy.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
        copy.close().map_err(|(_, error)| error)?;
        Ok(())
    }
}

/// The number of rows in each table of a file that nobody else uses.
pub fn rows_of(file: &Path) -> anyhow::Result<BTreeMap<String, i64>> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .with_context(|| format!("{} cannot be opened", file.display()))?;
    let mut names = connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
    )?;
    let names: Vec<String> = names.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    names
        .into_iter()
        .map(|name| {
            let quoted = name.replace('"', "\"\"");
            let sql = format!("SELECT COUNT(*) FROM \"{quoted}\"");
            Ok((name, connection.query_row(&sql, [], |row| row.get(0))?))
        })
        .collect()
}

/// Runs statements on a file that nobody else uses, and leaves no journal beside it.
pub fn change(file: &Path, sql: &str) -> anyhow::Result<()> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .with_context(|| format!("{} cannot be opened", file.display()))?;
    connection.execute_batch(sql)?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_of_the_moment_and_writers_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let (file, copy) = (folder.path().join("a.db"), folder.path().join("b.db"));
        let writer = Connection::open(&file).unwrap();
        writer
            .execute_batch(
                "PRAGMA journal_mode = WAL; CREATE TABLE \"o\"\"dd\" (x); CREATE TABLE t (x);
                 INSERT INTO t VALUES (1), (2);",
            )
            .unwrap();
        let snapshot = Snapshot::of(&file).unwrap();
        writer.execute_batch("INSERT INTO t VALUES (3); DROP TABLE \"o\"\"dd\"").unwrap();
        snapshot.copy_to(&copy).unwrap();
        drop(snapshot);
        let rows = |file| rows_of(file).unwrap().into_iter().collect::<Vec<_>>();
        assert_eq!(rows(&copy), [("o\"dd".to_owned(), 0), ("t".to_owned(), 2)]);
        assert_eq!(rows(&file), [("t".to_owned(), 3)]);
        let mode = std::os::unix::fs::PermissionsExt::mode(
            &std::fs::metadata(&copy).unwrap().permissions(),
        );
        assert_eq!(mode & 0o777, 0o600);
        change(&copy, "DELETE FROM t").unwrap();
        assert_eq!(rows(&copy)[1].1, 0);
        let left = std::fs::read_dir(folder.path()).unwrap().filter(|entry| {
            entry.as_ref().unwrap().file_name().to_str().unwrap().starts_with("b.db-")
        });
        assert_eq!(left.count(), 0, "all of it is in the one file");
        assert!(Snapshot::of(&file).unwrap().copy_to(&copy).is_err(), "nothing is overwritten");
    }
}
