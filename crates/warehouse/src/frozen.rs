//! Copies of the embedded store: a snapshot of its tables, and how it is restored into an empty store.
//!
//! A table is a set of immutable parts. FREEZE hard-links all parts of a table into another folder
//! within milliseconds: whatever the store does with its parts afterwards, the links keep the old ones
//! until that folder is removed (docs/decisions/0034).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use uuid::Uuid;

use crate::call::Call;
use crate::client::Warehouse;
use crate::error::Error;
use crate::location::quoted;
use crate::params::Param;
use crate::schema::{RECORD_TABLE, newest_migration};

const LIMIT: Duration = Duration::from_secs(600);
/// Apps can be deleted at any time, even during a copy. The copy is then tried again.
const TRIES: u32 = 5;
const PREFIX: &str = "atrium_backup_";

/// How many rows each app has in a table.
pub type RowsOfApps = BTreeMap<Uuid, u64>;

/// A snapshot of the tables. Dropping it removes it from the disk.
pub struct Frozen {
    pub tables: Vec<FrozenTable>,
    /// The last migration of the tables.
    pub schema: u32,
    folder: PathBuf,
}

pub struct FrozenTable {
    pub name: String,
    /// In the order they were written.
    pub parts: Vec<FrozenPart>,
    /// Rows by app; only for tables whose merges keep the number of rows.
    pub apps: Option<RowsOfApps>,
}

pub struct FrozenPart {
    pub name: String,
    pub folder: PathBuf,
    /// Includes rows that were deleted but not yet removed.
    pub rows: u64,
    pub bytes: u64,
}

impl Drop for Frozen {
    fn drop(&mut self) {
        if let Err(error) = remove(&self.folder) {
            tracing::warn!(%error, folder = %self.folder.display(), "a copy could not be removed");
        }
    }
}

#[derive(Deserialize)]
struct Table {
    name: String,
    engine: String,
    engine_full: String,
    data_paths: Vec<PathBuf>,
}

impl Table {
    /// Merges of all other tables combine rows, or drop expired ones.
    fn keeps_rows(&self) -> bool {
        self.engine == "MergeTree" && !self.engine_full.contains(" TTL ")
    }

    fn folder(&self) -> Result<&Path, Error> {
        let found = self.data_paths.first().map(PathBuf::as_path);
        found.ok_or_else(|| {
            Error::Unreadable(format!("the table {} has no folder on disk", self.name))
        })
    }
}

impl Warehouse {
    /// Takes a snapshot under a name that no other copy has. The caller keeps loaders from running, and
    /// makes one copy at a time.
    pub async fn freeze(&self, name: &str) -> Result<Frozen, Error> {
        let disk = self.disk().await?;
        let shadow = disk.join("shadow");
        remove_left_copies(&shadow).map_err(about(&shadow))?;
        let tables = self.tables().await?;
        for turn in 0..TRIES {
            let name = format!("{PREFIX}{name}_{turn}");
            let mut frozen = Frozen {
                tables: Vec::new(),
                schema: newest_migration(),
                folder: shadow.join(&name),
            };
            let before = self.rows_of_all(&tables).await?;
            for table in &tables {
                let sql = format!("ALTER TABLE {} FREEZE WITH NAME '{name}'", quoted(&table.name));
                self.call(Call::new(&sql, &[], LIMIT)).await?;
            }
            if before != self.rows_of_all(&tables).await? {
                continue;
            }
            for (table, apps) in tables.iter().zip(before) {
                let below = table.folder()?.strip_prefix(&disk);
                let below = below.map_err(|error| Error::Unreadable(error.to_string()))?;
                let folder = frozen.folder.join(below);
                let parts = parts_in(&folder).map_err(about(&folder))?;
                frozen.tables.push(FrozenTable { name: table.name.clone(), parts, apps });
            }
            return Ok(frozen);
        }
        Err(Error::Unavailable("apps are being removed from it all the time".to_owned()))
    }

    /// All tables except the record of migrations.
    async fn tables(&self) -> Result<Vec<Table>, Error> {
        let sql = "SELECT name, engine, engine_full, data_paths FROM system.tables \
                   WHERE database = currentDatabase() AND engine LIKE '%MergeTree' \
                   AND name != {record:String} ORDER BY name";
        self.query(sql, &[("record", RECORD_TABLE.into())]).await
    }

    async fn disk(&self) -> Result<PathBuf, Error> {
        #[derive(Deserialize)]
        struct Disk {
            path: PathBuf,
        }
        let sql = "SELECT path FROM system.disks WHERE name = 'default'";
        let found: Vec<Disk> = self.query(sql, &[]).await?;
        let disk = found.into_iter().next();
        Ok(disk.ok_or_else(|| Error::Unreadable("the store has no disk".to_owned()))?.path)
    }

    async fn rows_of_all(&self, tables: &[Table]) -> Result<Vec<Option<RowsOfApps>>, Error> {
        let mut all = Vec::new();
        for table in tables {
            all.push(match table.keeps_rows() {
                true => Some(self.rows_of_apps(&table.name).await?),
                false => None,
            });
        }
        Ok(all)
    }

    /// How many rows each app has in a table.
    pub async fn rows_of_apps(&self, table: &str) -> Result<RowsOfApps, Error> {
        #[derive(Deserialize)]
        struct Row {
            app_id: Uuid,
            rows: u64,
        }
        let table = quoted(table);
        let sql = format!("SELECT app_id, count() AS rows FROM {table} GROUP BY app_id");
        let rows: Vec<Row> = self.patient(LIMIT).query(&sql, &[]).await?;
        Ok(rows.into_iter().map(|row| (row.app_id, row.rows)).collect())
    }

    /// The folder of each table from which `attach` takes parts, in a store without rows. Merges are
    /// stopped, so that attached parts stay unchanged until the engine restarts.
    pub async fn folders_to_attach_from(&self) -> Result<BTreeMap<String, PathBuf>, Error> {
        let mut folders = BTreeMap::new();
        for table in self.tables().await? {
            self.execute(&format!("SYSTEM STOP MERGES {}", quoted(&table.name)), &[]).await?;
            folders.insert(table.name.clone(), table.folder()?.join("detached"));
        }
        Ok(folders)
    }

    /// Attaches a part. Views do not see its rows: their tables have parts of their own.
    pub async fn attach(&self, table: &str, part: &str) -> Result<(), Error> {
        let part = part.replace('\\', "\\\\").replace('\'', "\\'");
        let sql = format!("ALTER TABLE {} ATTACH PART '{part}'", quoted(table));
        self.call(Call::new(&sql, &[], LIMIT)).await.map(drop)
    }

    /// Has rows that were deleted but are only masked removed from the disk, in the background. A copy
    /// does not include pending requests of this kind.
    pub async fn finish_deletes(&self) -> Result<(), Error> {
        #[derive(Deserialize)]
        struct Row {
            table: String,
        }
        let sql = "SELECT DISTINCT table FROM system.parts \
                   WHERE database = currentDatabase() AND active AND has_lightweight_delete";
        let tables: Vec<Row> = self.query(sql, &[]).await?;
        for Row { table } in tables {
            self.execute(&format!("SYSTEM START MERGES {}", quoted(&table)), &[]).await?;
            self.wipe(&[&table]).await?;
        }
        Ok(())
    }

    /// How many rows the parts of a table have, including deleted ones.
    pub async fn rows_of_parts(&self, table: &str) -> Result<u64, Error> {
        #[derive(Deserialize)]
        struct Row {
            rows: u64,
        }
        let sql = "SELECT sum(rows) AS rows FROM system.parts \
                   WHERE database = currentDatabase() AND table = {table:String} AND active";
        let found: Vec<Row> = self.query(sql, &[("table", Param::from(table))]).await?;
        Ok(found.first().map_or(0, |row| row.rows))
    }
}

/// Removes what an interrupted copy left behind.
fn remove_left_copies(shadow: &Path) -> std::io::Result<()> {
    let entries = match std::fs::read_dir(shadow) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

fn remove(folder: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The parts in a folder; none where a table is empty.
fn parts_in(folder: &Path) -> std::io::Result<Vec<FrozenPart>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut parts = Vec::new();
    for entry in entries {
        let entry = entry?;
        let folder = entry.path();
        let rows = std::fs::read_to_string(folder.join("count.txt"))?;
        let rows = rows.trim().parse().map_err(std::io::Error::other)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        parts.push(FrozenPart { name, rows, bytes: size_of(&folder)?, folder });
    }
    parts.sort_by_cached_key(|part| order_of(&part.name));
    Ok(parts)
}

fn size_of(folder: &Path) -> std::io::Result<u64> {
    let mut size = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        size += if about.is_dir() { size_of(&entry.path())? } else { about.len() };
    }
    Ok(size)
}

/// A part's name has its partition and the first of the inserts in it: `202611_17_23_2`. The store
/// numbers parts again in this order when they are attached.
fn order_of(name: &str) -> (String, u64) {
    let mut pieces = name.split('_');
    let partition = pieces.next().unwrap_or_default().to_owned();
    let first = pieces.next().and_then(|number| number.parse().ok()).unwrap_or(0);
    (partition, first)
}

fn about(folder: &Path) -> impl Fn(std::io::Error) -> Error {
    let folder = folder.display().to_string();
    move |error| Error::Unavailable(format!("{folder}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_in_the_order_they_were_written() {
        let mut names = ["202611_10_12_1", "202611_9_9_0", "202610_30_30_0", "all_1_1_0"];
        names.sort_by_cached_key(|name| order_of(name));
        assert_eq!(names, ["202610_30_30_0", "202611_9_9_0", "202611_10_12_1", "all_1_1_0"]);
    }
}
