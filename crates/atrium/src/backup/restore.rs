//! `atrium restore`: creates an instance from an archive, in an empty folder. Everything is compared
//! with the manifest before it is used and after it is stored. The database is restored last: `atrium
//! serve` refuses a folder that has spools or events but no database.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::Args;
use serde::Serialize;

use super::archive::{ArchiveReader, beside};
use super::manifest::{DatabaseKind, EventsKind, Manifest};
use super::progress::{self, Progress};
use super::restore_events;
use atrium_collect::collect::{loading, spool_slots};
use atrium_core::audit;
use atrium_core::config::{Settings, StoreSettings};
use atrium_core::db::integrity::{self, Condition};
use atrium_core::db::{self, Db, pg_tools, snapshot};
use atrium_core::folder;
use atrium_core::keyring::{KEY_FILE, Keyring, MasterKey};

/// More than a database of some gigabytes needs.
const CHECK_LIMIT: Duration = Duration::from_secs(600);

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The archive; for an increment, first the ones it needs and then the increment
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// Describes a finished restore.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub data_dir: PathBuf,
    pub made_at: String,
    pub events: u64,
    /// Messages waiting for the event store; the server loads them.
    pub waiting: i64,
    /// Rows of the metadata database.
    pub rows: i64,
    /// Verified entries of the audit log; None without the key.
    pub audit_entries: Option<u64>,
    pub master_key: KeyState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyState {
    /// It was in the archive.
    Restored,
    /// It was already there, or is a setting.
    Present,
    Missing,
}

/// The archives; the last one is to be restored.
pub(super) struct Archives(Vec<ArchiveReader>);

impl Archives {
    fn open(files: &[PathBuf]) -> anyhow::Result<Self> {
        let archives: Vec<_> =
            files.iter().map(|file| ArchiveReader::open(file)).collect::<Result<_, _>>()?;
        let this = Self(archives);
        let needs = this.target()?.manifest.needs();
        for archive in &this.0 {
            let (file, id) = (archive.file.display(), archive.manifest.id.as_str());
            ensure!(needs.contains(id), "{file} is not part of this restore");
        }
        for id in needs {
            this.by_id(id)?;
        }
        Ok(this)
    }

    fn target(&self) -> anyhow::Result<&ArchiveReader> {
        self.0.last().context("no archive given")
    }

    pub fn by_id(&self, id: &str) -> anyhow::Result<&ArchiveReader> {
        let found = self.0.iter().find(|archive| archive.manifest.id == id);
        found.with_context(|| {
            let all = self.0.last().map(|target| target.file.display().to_string());
            format!("{} is an increment and also needs the archive {id}", all.unwrap_or_default())
        })
    }

    fn verify(&self, progress: &mut Progress) -> anyhow::Result<()> {
        progress.begin("checking the archive", self.0.iter().map(ArchiveReader::bytes).sum());
        self.0.iter().try_for_each(|archive| archive.verify(progress))
    }
}

pub async fn run(settings: Settings, options: &Options) -> anyhow::Result<Report> {
    let archives = Archives::open(&options.files)?;
    let manifest = archives.target()?.manifest.clone();
    let stores = settings.stores.clone();
    refuse_other_stores(&settings, &manifest)?;
    refuse_used(&stores)?;
    let key = look_for_key(&stores, &manifest)?;
    let (archives, mut progress) = tokio::task::spawn_blocking(move || {
        let mut progress = Progress::on_terminal();
        archives.verify(&mut progress)?;
        Ok::<_, anyhow::Error>((archives, progress))
    })
    .await??;
    folder::prepare_data_dir(&stores.data_dir)?;
    let restored = fill(&settings, &archives, &mut progress).await;
    progress.end();
    if restored.is_ok() && key == KeyState::Missing {
        progress::say(&format!(
            "The archive does not contain the master key, which the server needs to start. Put it \
             at {} (mode 600), then run `atrium doctor` to verify the audit log.",
            stores.data_dir.join(KEY_FILE).display()
        ));
    }
    match restored {
        Ok(audit_entries) => Ok(Report {
            data_dir: stores.data_dir,
            made_at: manifest.made_at.clone(),
            events: manifest.events(),
            waiting: manifest.waiting(),
            rows: manifest.database.rows.values().sum(),
            audit_entries,
            master_key: key,
        }),
        Err(error) => {
            empty(&stores, key)?;
            // A database on another server keeps what was already written.
            Err(error.context("the restore failed; the data folder is unchanged"))
        }
    }
}

fn refuse_other_stores(settings: &Settings, manifest: &Manifest) -> anyhow::Result<()> {
    let here = match settings.stores.database_url.starts_with("sqlite:") {
        true => DatabaseKind::Sqlite,
        false => DatabaseKind::Postgres,
    };
    let there = manifest.database.kind;
    ensure!(
        here == there,
        "database_url: it is {}, but the archive is of {}",
        here.name(),
        there.name()
    );
    let kind = manifest.events.as_ref().map(|events| events.kind);
    let (library, on_server) =
        (&settings.events.engine_library, settings.events.warehouse_url.is_some());
    match kind {
        None => Ok(()),
        Some(EventsKind::Rows) if on_server => Ok(()),
        Some(EventsKind::Rows) => {
            bail!(
                "warehouse_url: the archive is of a ClickHouse server and can only be restored to one"
            )
        }
        Some(EventsKind::Parts) if on_server => {
            bail!(
                "warehouse_url: the archive is of an embedded event store and can only be \
                 restored to one"
            )
        }
        Some(EventsKind::Parts) if library.exists() => Ok(()),
        Some(EventsKind::Parts) => bail!(
            "engine_library: {} does not exist, but the archive contains events",
            library.display()
        ),
    }
}

/// Only the master key may be there already.
fn refuse_used(stores: &StoreSettings) -> anyhow::Result<()> {
    let folder = &stores.data_dir;
    if let Some(name) = left_in(folder)?.first() {
        bail!(
            "data_dir: {} is not empty (it contains {name:?}), and nothing is overwritten",
            folder.display()
        )
    }
    if stores.database_url.starts_with("sqlite:") {
        let file = db::sqlite_file(&stores.database_url)?;
        ensure!(!file.exists(), "database_url: {} already exists", file.display());
    }
    Ok(())
}

/// Everything in the folder except the key.
fn left_in(folder: &Path) -> anyhow::Result<Vec<std::ffi::OsString>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.with_context(|| folder.display().to_string())?,
    };
    let names = entries.map(|entry| Ok(entry?.file_name()));
    let names: Vec<_> = names.collect::<std::io::Result<_>>()?;
    Ok(names.into_iter().filter(|name| name != KEY_FILE).collect())
}

/// Refuses the wrong key before anything is made with it.
fn look_for_key(stores: &StoreSettings, manifest: &Manifest) -> anyhow::Result<KeyState> {
    let keys = MasterKey::find(stores)?;
    let wanted = &manifest.master_key.fingerprint;
    if keys.is_empty() {
        return Ok(match manifest.master_key.included {
            true => KeyState::Restored,
            false => KeyState::Missing,
        });
    }
    let found: Vec<_> = keys.iter().map(MasterKey::fingerprint).collect();
    ensure!(
        found.contains(wanted),
        "master_key: the archive is of an instance with a different key (fingerprint {wanted}; \
         this one is {})",
        found.join(", ")
    );
    Ok(KeyState::Present)
}

/// Restores everything. Returns how many entries of the audit log were verified.
async fn fill(
    settings: &Settings,
    archives: &Archives,
    progress: &mut Progress,
) -> anyhow::Result<Option<u64>> {
    let target = archives.target()?;
    let (manifest, stores) = (&target.manifest, &settings.stores);
    if manifest.master_key.included && MasterKey::find(stores)?.is_empty() {
        let file = stores.data_dir.join(KEY_FILE);
        target.unpack(&format!("{KEY_FILE}.zst"), &file)?;
    }
    if let Some(events) = &manifest.events {
        restore_events::restore(settings, events, archives, progress).await?;
    }
    progress.begin("restoring the database", 0);
    restore_spools(&stores.data_dir, target)?;
    restore_database(stores, target).await?;
    let checked = check_database(stores, manifest).await?;
    // So that everything survives a power cut.
    tokio::task::spawn_blocking(rustix::fs::sync).await?;
    Ok(checked)
}

fn restore_spools(data_dir: &Path, target: &ArchiveReader) -> anyhow::Result<()> {
    for spool in &target.manifest.spools {
        ensure!((1..=spool_slots::SLOTS).contains(&spool.slot), "there is no spool {}", spool.slot);
        let folder = spool_slots::slot_folder(data_dir, spool.slot);
        folder::make_private(&folder)?;
        let file = folder.join(spool_slots::FILE);
        target.unpack(&spool.entry, &file)?;
        let (rows, messages) = (snapshot::rows_of(&file)?, loading::waiting_in(&file)?);
        ensure!(
            rows == spool.rows && messages == spool.messages,
            "{} has different rows than were backed up",
            file.display()
        );
    }
    Ok(())
}

async fn restore_database(stores: &StoreSettings, target: &ArchiveReader) -> anyhow::Result<()> {
    let database = &target.manifest.database;
    if database.kind == DatabaseKind::Postgres {
        let file = stores.data_dir.join("database.pgdump");
        target.unpack(&database.entry, &file)?;
        pg_tools::restore(&stores.database_url, &file).await?;
        return Ok(std::fs::remove_file(file)?);
    }
    let file = db::sqlite_file(&stores.database_url)?;
    let draft = beside(&file, ".restoring");
    target.unpack(&database.entry, &draft)?;
    if let Condition::Damaged(what) = integrity::check_file(&draft, CHECK_LIMIT)? {
        bail!("the database is damaged: {what}");
    }
    std::fs::rename(&draft, &file)?;
    Ok(())
}

/// Compares the rows, verifies the audit chains if there is a key, and releases what the instance held
/// at the time of the backup.
async fn check_database(
    stores: &StoreSettings,
    manifest: &Manifest,
) -> anyhow::Result<Option<u64>> {
    let db = Db::open(&stores.database_url).await.context("database_url")?;
    let checked = check(&db, stores, manifest).await;
    db.close().await;
    checked
}

async fn check(
    db: &Db,
    stores: &StoreSettings,
    manifest: &Manifest,
) -> anyhow::Result<Option<u64>> {
    let rows = match manifest.database.kind {
        DatabaseKind::Sqlite => snapshot::rows_of(&db::sqlite_file(&stores.database_url)?)?,
        DatabaseKind::Postgres => pg_tools::rows_of(&mut *db.read().await?).await?,
    };
    if rows != manifest.database.rows {
        let other =
            manifest.database.rows.iter().find(|(table, count)| rows.get(*table) != Some(count));
        let table = other.map_or("a table", |(table, _)| table.as_str());
        bail!("{table} in the database has different rows than were backed up");
    }
    db.migration_state().await?;
    let checked = match MasterKey::find(stores)?.is_empty() {
        true => None,
        false => {
            let keyring = Keyring::look(stores, db).await?;
            let (entries, faults) = audit::verify(&mut *db.read().await?, &keyring).await?;
            if let Some(fault) = faults.first() {
                let (chain, seq, what) = (&fault.chain, fault.seq, fault.what);
                bail!("the audit log fails verification: chain {chain}, entry {seq} {what}");
            }
            Some(entries)
        }
    };
    let mut tx = db.write_uncached().await?;
    sqlx::query("UPDATE leases SET held_until = 0, next_until = 0").execute(&mut *tx).await?;
    tx.commit().await?;
    Ok(checked)
}

/// Undoes an unfinished restore: the folder was empty except for a key.
fn empty(stores: &StoreSettings, key: KeyState) -> anyhow::Result<()> {
    let folder = &stores.data_dir;
    for name in left_in(folder)? {
        let path = folder.join(name);
        match path.is_dir() {
            true => std::fs::remove_dir_all(path)?,
            false => std::fs::remove_file(path)?,
        }
    }
    if key == KeyState::Restored && folder.join(KEY_FILE).exists() {
        std::fs::remove_file(folder.join(KEY_FILE))?;
    }
    if stores.database_url.starts_with("sqlite:") {
        let file = db::sqlite_file(&stores.database_url)?;
        for ending in ["", "-wal", "-shm", ".restoring"] {
            let _ = std::fs::remove_file(beside(&file, ending));
        }
    }
    Ok(())
}
