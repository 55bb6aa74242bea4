//! Hands the spool of a dead machine to a running server. The database remembers how much was handed
//! over, so that the machine, should it come back, does not store the same messages again.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use rusqlite::{Connection, OptionalExtension};

use super::spool::{Change, Spool, spool_files};
use super::spool_slots::{FILE, SLOTS, is_held, slot_folder, try_lock};
use crate::collect::state::Collecting;
use atrium_core::db::Db;
use atrium_core::folder;
use atrium_core::types::Millis;

/// The name of a copy until it is complete.
const COPYING: &str = "spool.db.adopting";

pub struct Adopted {
    pub from: PathBuf,
    pub to: PathBuf,
    pub messages: i64,
}

/// Copies the spools in `from` (a data folder, one of its spools, or a spool's file) into free slots of a
/// data folder, where the server finds them within a minute.
pub async fn adopt(
    db: &Db,
    now: Millis,
    data_dir: &Path,
    from: &Path,
) -> anyhow::Result<Vec<Adopted>> {
    let files = files_in(from);
    ensure!(!files.is_empty(), "there is no spool in {}", from.display());
    let own = data_dir.join("spool");
    let mut adopted = Vec::new();
    for file in files {
        let folder = file.parent().unwrap_or(Path::new("."));
        if own.canonicalize().ok().is_some_and(|own| is_within(folder, &own)) {
            bail!("{} is in this server's own data folder", file.display());
        }
        if is_held(folder)? {
            bail!("a server uses {}: stop it first", file.display());
        }
        let copy = copy(data_dir, &file).with_context(|| file.display().to_string())?;
        // Put the copy in place first: if this ends here, messages in both spools are recognized by their
        // ids.
        let mut tx = db.write_uncached().await?;
        sqlx::query(
            "INSERT INTO adopted_spools (name, upto, adopted_at) VALUES ($1, $2, $3)
             ON CONFLICT (name) DO UPDATE SET adopted_at = excluded.adopted_at, upto = CASE
                WHEN adopted_spools.upto > excluded.upto THEN adopted_spools.upto ELSE excluded.upto END",
        )
        .bind(&copy.name)
        .bind(copy.upto)
        .bind(now)
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        adopted.push(Adopted { from: file, to: copy.to, messages: copy.messages });
    }
    Ok(adopted)
}

fn files_in(from: &Path) -> Vec<PathBuf> {
    if from.is_file() {
        return vec![from.to_owned()];
    }
    let file = from.join(FILE);
    if file.is_file() { vec![file] } else { spool_files(from) }
}

fn is_within(folder: &Path, other: &Path) -> bool {
    folder.canonicalize().is_ok_and(|folder| folder.starts_with(other))
}

struct Copied {
    to: PathBuf,
    /// The name of the spool that was copied, and its last group.
    name: String,
    upto: i64,
    messages: i64,
}

fn copy(data_dir: &Path, file: &Path) -> anyhow::Result<Copied> {
    for slot in 1..=SLOTS {
        let folder = slot_folder(data_dir, slot);
        folder::make_private(&folder)?;
        let to = folder.join(FILE);
        // Held until the copy is in place.
        if !to.exists()
            && let Some(_lock) = try_lock(&folder)?
        {
            let part = folder.join(COPYING);
            let copied = copy_to(file, &part);
            if copied.is_err() {
                remove(&part);
            }
            let (name, upto, messages) = copied?;
            std::fs::rename(&part, &to)?;
            std::fs::File::open(&folder)?.sync_all()?;
            return Ok(Copied { to, name, upto, messages });
        }
    }
    bail!(
        "all {SLOTS} places for spools are taken: wait until this server has loaded the spools it \
         adopted"
    )
}

/// Includes what a crash left beside the file. The copy gets a new name, so that it cannot be mistaken
/// for the holder of leases under the old one.
fn copy_to(file: &Path, part: &Path) -> anyhow::Result<(String, i64, i64)> {
    remove(part);
    std::fs::copy(file, part)?;
    let log = beside(file, "-wal");
    if log.exists() {
        std::fs::copy(log, beside(part, "-wal"))?;
    }
    let connection = Connection::open(part)?;
    let damage: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    ensure!(damage == "ok", "the file is damaged ({damage}); start a server on it to repair it");
    let known = "SELECT 1 FROM sqlite_schema WHERE name = 'set_aside'";
    let known: Option<i64> = connection.query_row(known, [], |row| row.get(0)).optional()?;
    ensure!(known.is_some(), "it was left by an earlier version; start this version on it once");
    let name =
        connection.query_row("SELECT value FROM meta WHERE name = 'name'", [], |row| row.get(0))?;
    let (upto, messages) = connection.query_row(
        "SELECT COALESCE(MAX(seq), 0), COALESCE(SUM(messages), 0) FROM groups",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let rename = "UPDATE meta SET value = lower(hex(randomblob(16))) WHERE name = 'name'";
    connection.execute(rename, [])?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    connection.close().map_err(|(_, error)| error)?;
    std::fs::File::open(part)?.sync_all()?;
    remove(&beside(part, "-wal"));
    remove(&beside(part, "-shm"));
    Ok((name, upto, messages))
}

fn beside(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    name.into()
}

fn remove(file: &Path) {
    // It is fine if it does not exist.
    let _ = std::fs::remove_file(file);
}

/// Removes groups from this spool that another server has adopted.
pub async fn drop_adopted(atrium: &Collecting, spool: &Spool) -> anyhow::Result<()> {
    let upto: Option<i64> = sqlx::query_scalar("SELECT upto FROM adopted_spools WHERE name = $1")
        .bind(&spool.name)
        .fetch_optional(&mut *atrium.db.read().await?)
        .await?;
    if let Some(upto) = upto {
        tracing::warn!(
            "another server has adopted the messages that were waiting here: only newer ones are loaded"
        );
        spool.write(Change::DropAdopted { upto }).await?;
    }
    Ok(())
}
