//! Checks whether a SQLite file is intact, within a time limit.

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, bail};
use rusqlite::{Connection, ErrorCode, OpenFlags};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Every page checked within the limit is intact; `whole` says whether that was all of them.
    Sound { whole: bool },
    /// SQLite's own message.
    Damaged(String),
}

/// Checks the file's structure for at most `limit`. Row contents are not checked: SQLite keeps no
/// checksums of them.
pub fn quick_check(connection: &Connection, limit: Duration) -> rusqlite::Result<Condition> {
    let handle = connection.get_interrupt_handle();
    let (done, is_done) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if is_done.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
            handle.interrupt();
        }
    });
    let found = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    drop(done);
    let _ = watch.join();
    match found {
        Ok(text) if text == "ok" => Ok(Condition::Sound { whole: true }),
        Ok(text) => Ok(Condition::Damaged(text.replace('\n', " "))),
        Err(error) if is_damage(&error) => Ok(Condition::Damaged(error.to_string())),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
            Ok(Condition::Sound { whole: false })
        }
        Err(error) => Err(error),
    }
}

/// The same for a file that this process has not opened yet.
pub fn check_file(file: &Path, limit: Duration) -> rusqlite::Result<Condition> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(limit)?;
    quick_check(&connection, limit)
}

/// How long the check of the metadata database may delay the server's start.
const START_LIMIT: Duration = Duration::from_secs(3);

/// An error that names the file, if it is a damaged SQLite database.
pub fn refuse_damaged(url: &str) -> anyhow::Result<()> {
    if !url.starts_with("sqlite:") {
        return Ok(());
    }
    let file = super::sqlite_file(url)?;
    if !file.exists() {
        return Ok(());
    }
    let found = check_file(&file, START_LIMIT)
        .with_context(|| format!("database_url: {} cannot be opened", file.display()))?;
    match found {
        Condition::Sound { .. } => Ok(()),
        Condition::Damaged(what) => bail!(
            "database_url: {} is damaged ({what}). Restore it from a backup, or let `sqlite3 {} \
             .recover` write what can be read into a new file, and check the disk",
            file.display(),
            file.display()
        ),
    }
}

/// Whether an error says that the file is damaged, or not a database at all.
pub fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    fn table(file: &Path) -> Connection {
        let connection = Connection::open(file).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT);
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
                 INSERT INTO t SELECT i, hex(randomblob(200)) FROM n;",
            )
            .unwrap();
        connection
    }

    #[test]
    fn damage_is_seen_and_soundness_too() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.db");
        drop(table(&file));
        assert_eq!(check_file(&file, LIMIT).unwrap(), Condition::Sound { whole: true });
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 8192 * 4096;
        bytes[middle..middle + 64].fill(0xff);
        std::fs::write(&file, &bytes).unwrap();
        assert!(matches!(check_file(&file, LIMIT).unwrap(), Condition::Damaged(_)));
        std::fs::write(&file, b"this is no database, whatever its name says; it is too long")
            .unwrap();
        assert!(matches!(check_file(&file, LIMIT).unwrap(), Condition::Damaged(_)));
    }

    #[test]
    fn a_file_that_is_too_large_is_looked_at_for_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let connection = table(&folder.path().join("a.db"));
        let found = quick_check(&connection, Duration::ZERO).unwrap();
        assert!(matches!(found, Condition::Sound { .. }), "{found:?}");
    }
}
