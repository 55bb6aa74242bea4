//! Copies a snapshot of all stores into an archive, unaffected by later changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use sha2::{Digest, Sha256};
use warehouse::{Frozen, FrozenTable};

use super::archive::{ArchiveWriter, beside};
use super::cut::{Cut, DatabaseCut, EventsCut};
use super::manifest::{
    Database, DatabaseKind, Events, EventsKind, FIRST_FORMAT, KeyOf, Manifest, Part, Spool, Table,
};
use super::progress::Progress;
use atrium_core::config::StoreSettings;
use atrium_core::db::snapshot::{self, Snapshot};
use atrium_core::folder;
use atrium_core::http::CLIENT_VERSION;
use atrium_core::keyring::{KEY_FILE, MasterKey};
use atrium_core::types::{Entropy, Millis};

/// Everything for an archive besides the snapshot.
pub struct Contents {
    pub id: String,
    pub now: Millis,
    pub work: Work,
    pub key_fingerprint: String,
    /// Where the master key is, if it is to be included.
    pub keys: Option<StoreSettings>,
    /// The manifest of the previous archive, for an increment.
    pub previous: Option<Manifest>,
}

/// A temporary folder next to the archive for copies on their way into it, deleted on drop.
pub struct Work(PathBuf);

impl Work {
    pub fn new(output: &Path) -> anyhow::Result<Self> {
        let this = Self(beside(output, ".work"));
        this.clear();
        folder::make_private(&this.0)?;
        Ok(this)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn clear(&self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.clear();
    }
}

/// A complete archive that does not have its final name yet.
pub struct Filled {
    pub manifest: Manifest,
    writer: ArchiveWriter,
}

impl Filled {
    /// Returns its size.
    pub async fn finish(self) -> anyhow::Result<u64> {
        tokio::task::spawn_blocking(move || self.writer.finish(self.manifest)).await?
    }
}

/// Writes everything into the archive.
pub async fn fill(
    cut: Cut,
    mut writer: ArchiveWriter,
    contents: Contents,
    mut progress: Progress,
) -> anyhow::Result<Filled> {
    let Cut { database, spools, events } = cut;
    let database = database_copy(database, &contents.work).await?;
    let work = move || {
        let (mut manifest, database_file) = (manifest_of(&contents, &database), database.file);
        let mut copies = vec![(manifest.database.entry.clone(), database_file)];
        for (slot, snapshot) in spools {
            if let Some((spool, file)) = spool_copy(slot, &snapshot, &contents.work)? {
                copies.push((spool.entry.clone(), file));
                manifest.spools.push(spool);
            }
        }
        if let Some(stores) = &contents.keys {
            copies.push((format!("{KEY_FILE}.zst"), key_copy(stores, &contents.work)?));
        }
        let mut bytes = 0;
        for (_, file) in &copies {
            bytes += std::fs::metadata(file)?.len();
        }
        let bytes = match &events {
            EventsCut::Nothing => bytes,
            EventsCut::Parts(frozen) => bytes + size(frozen),
            EventsCut::Rows(_) => 0,
        };
        progress.begin("writing the archive", bytes);
        for (entry, file) in copies {
            writer.add_file(&entry, &file, &mut progress)?;
            std::fs::remove_file(file)?;
        }
        manifest.events = match &events {
            EventsCut::Nothing => None,
            EventsCut::Parts(frozen) => {
                Some(add_parts(frozen, &mut writer, &contents, &mut progress)?)
            }
            EventsCut::Rows(export) => {
                Some(export.add_to(&mut writer, &contents.id, &mut progress)?)
            }
        };
        if let Some(events) = &manifest.events {
            manifest.format = events.format();
        }
        progress.end();
        Ok(Filled { manifest, writer })
    };
    tokio::task::spawn_blocking(work).await?
}

struct DatabaseCopy {
    kind: DatabaseKind,
    file: PathBuf,
    rows: BTreeMap<String, i64>,
}

async fn database_copy(cut: DatabaseCut, work: &Work) -> anyhow::Result<DatabaseCopy> {
    match cut {
        DatabaseCut::Sqlite(snapshot) => {
            let file = work.file("database.sqlite");
            let copied = move || -> anyhow::Result<DatabaseCopy> {
                snapshot.copy_to(&file)?;
                let rows = snapshot::rows_of(&file)?;
                Ok(DatabaseCopy { kind: DatabaseKind::Sqlite, file, rows })
            };
            tokio::task::spawn_blocking(copied).await?
        }
        DatabaseCut::Postgres(mut snapshot) => {
            let file = work.file("database.pgdump");
            snapshot.dump(&file).await?;
            let rows = snapshot.rows().await?;
            Ok(DatabaseCopy { kind: DatabaseKind::Postgres, file, rows })
        }
    }
}

fn manifest_of(contents: &Contents, database: &DatabaseCopy) -> Manifest {
    let entry = match database.kind {
        DatabaseKind::Sqlite => "database.sqlite.zst",
        DatabaseKind::Postgres => "database.pgdump.zst",
    };
    Manifest {
        format: FIRST_FORMAT,
        program: CLIENT_VERSION.to_owned(),
        id: contents.id.clone(),
        made_at: contents.now.to_string(),
        since: contents.previous.as_ref().map(|previous| previous.id.clone()),
        master_key: KeyOf {
            fingerprint: contents.key_fingerprint.clone(),
            included: contents.keys.is_some(),
        },
        database: Database {
            kind: database.kind,
            schema: atrium_core::db::newest_migration(),
            entry: entry.to_owned(),
            rows: database.rows.clone(),
        },
        events: None,
        spools: Vec::new(),
        entries: Vec::new(),
    }
}

/// None for an empty spool: every server and every command creates one.
fn spool_copy(
    slot: u32,
    snapshot: &Snapshot,
    work: &Work,
) -> anyhow::Result<Option<(Spool, PathBuf)>> {
    let file = work.file(&format!("spool-{slot}.db"));
    snapshot.copy_to(&file)?;
    let rows = snapshot::rows_of(&file)?;
    if rows.iter().all(|(table, rows)| table == "meta" || *rows == 0) {
        std::fs::remove_file(file)?;
        return Ok(None);
    }
    let messages = atrium_collect::collect::loading::waiting_in(&file)?;
    Ok(Some((Spool { slot, entry: format!("spool/{slot}.db.zst"), rows, messages }, file)))
}

/// Written even if the key is a setting, because a restored instance looks for the file.
fn key_copy(stores: &StoreSettings, work: &Work) -> anyhow::Result<PathBuf> {
    let keys = MasterKey::find(stores)?;
    let file = work.file(KEY_FILE);
    MasterKey::write(&file, &keys.iter().collect::<Vec<_>>(), &Entropy)?;
    Ok(file)
}

fn size(frozen: &Frozen) -> u64 {
    frozen.tables.iter().flat_map(|table| &table.parts).map(|part| part.bytes).sum()
}

fn add_parts(
    frozen: &Frozen,
    writer: &mut ArchiveWriter,
    contents: &Contents,
    progress: &mut Progress,
) -> anyhow::Result<Events> {
    let mut tables = BTreeMap::new();
    for table in &frozen.tables {
        tables.insert(table.name.clone(), add_table(table, writer, contents, progress)?);
    }
    let (kind, schema) = (EventsKind::Parts, frozen.schema);
    Ok(Events { kind, schema, tables, other_shards: Vec::new() })
}

fn add_table(
    table: &FrozenTable,
    writer: &mut ArchiveWriter,
    contents: &Contents,
    progress: &mut Progress,
) -> anyhow::Result<Table> {
    let mut kept = Table { apps: table.apps.clone(), ..Table::default() };
    for part in &table.parts {
        let sums = part.folder.join("checksums.txt");
        let sums = std::fs::read(&sums).with_context(|| sums.display().to_string())?;
        let sum = hex::encode(Sha256::digest(&sums));
        kept.rows += part.rows;
        let before = contents.previous.as_ref();
        if let Some(same) = before.and_then(|before| before.part(&table.name, &part.name, &sum)) {
            progress.add(part.bytes);
            kept.parts.push(same.clone());
            continue;
        }
        let entry = format!("events/{}/{}.tar.zst", table.name, part.name);
        writer.add_folder(&entry, &part.folder, progress)?;
        kept.parts.push(Part {
            name: part.name.clone(),
            rows: part.rows,
            contents: sum,
            entry,
            archive: contents.id.clone(),
        });
    }
    Ok(kept)
}
