//! Restores the event store: creates the tables of the archive's version, puts the parts of each where
//! the engine attaches them from, and compares the rows.

use std::io::Read;
use std::time::Duration;

use anyhow::{Context, ensure};
use bytes::Bytes;
use tokio::sync::mpsc;
use warehouse::{Location, Warehouse};

use super::manifest::{Events, EventsKind, Table, Tables};
use super::progress::Progress;
use super::restore::Archives;
use atrium_core::config::Settings;
use atrium_core::folder;

const START_LIMIT: Duration = Duration::from_secs(60);

/// How much of a stream is buffered.
const PIECE: usize = 1 << 20;
const PIECES: usize = 8;

pub async fn restore(
    settings: &Settings,
    events: &Events,
    archives: &Archives,
    progress: &mut Progress,
) -> anyhow::Result<()> {
    let warehouse = match &settings.events.warehouse_url {
        Some(url) => Warehouse::open(Location::Remote { url: url.clone() }),
        None => {
            let folder = settings.stores.data_dir.join("events");
            folder::make_private(&folder)?;
            Warehouse::open(Location::Embedded {
                folder,
                library: settings.events.engine_library.clone(),
                program: settings.events.engine_program.clone(),
                memory_mb: settings.events.engine_memory_mb,
            })
        }
    };
    let sizes = events.parts().map(|part| Ok(archives.by_id(&part.archive)?.size_of(&part.entry)));
    progress.begin("restoring events", sizes.sum::<anyhow::Result<u64>>()?);
    let filled = match events.kind {
        EventsKind::Parts => attach(&warehouse, events, archives, progress).await,
        EventsKind::Rows => import(&warehouse, events, archives, progress).await,
    };
    warehouse.stop().await;
    filled.context("the event store")
}

async fn attach(
    warehouse: &Warehouse,
    events: &Events,
    archives: &Archives,
    progress: &mut Progress,
) -> anyhow::Result<()> {
    warehouse.make_tables(events.schema, START_LIMIT).await?;
    let folders = warehouse.folders_to_attach_from().await?;
    for (name, table) in &events.tables {
        let folder = folders.get(name).with_context(|| format!("there is no table {name}"))?;
        for part in &table.parts {
            let archive = archives.by_id(&part.archive)?;
            tokio::task::block_in_place(|| {
                archive.unpack_folder(&part.entry, &folder.join(&part.name))
            })?;
            warehouse.attach(name, &part.name).await?;
            progress.add(archive.size_of(&part.entry));
        }
        let rows = warehouse.rows_of_parts(name).await?;
        ensure!(rows == table.rows, "{name} has {rows} rows, but {} were backed up", table.rows);
        compare_apps(warehouse, name, table).await?;
    }
    Ok(warehouse.finish_deletes().await?)
}

async fn import(
    warehouse: &Warehouse,
    events: &Events,
    archives: &Archives,
    progress: &mut Progress,
) -> anyhow::Result<()> {
    let (shards, wanted) = (warehouse.shards().await?, events.shards().count());
    // Rows are placed by the number of shards.
    ensure!(
        shards.len() == wanted,
        "warehouse_url: the archive is of {}, but this is {}",
        servers(wanted),
        servers(shards.len())
    );
    ensure!(warehouse.is_empty().await?, "warehouse_url: the database already has tables");
    warehouse.make_tables(events.schema, START_LIMIT).await?;
    for (shard, tables) in shards.iter().zip(events.shards()) {
        import_shard(shard, tables, archives, progress).await?;
    }
    Ok(())
}

fn servers(count: usize) -> String {
    if count == 1 { "one server".to_owned() } else { format!("a cluster of {count} shards") }
}

async fn import_shard(
    warehouse: &Warehouse,
    tables: &Tables,
    archives: &Archives,
    progress: &mut Progress,
) -> anyhow::Result<()> {
    let views = warehouse.take_views_away().await?;
    for (name, table) in tables {
        for part in &table.parts {
            let (sender, rows) = mpsc::channel(PIECES);
            let archive = archives.by_id(&part.archive)?;
            let reader = archive.read(&part.entry)?;
            let reading = tokio::task::spawn_blocking(move || send(reader, &sender));
            warehouse.import(name, rows).await?;
            reading.await?;
            progress.add(archive.size_of(&part.entry));
        }
    }
    warehouse.put_views_back(&views).await?;
    let found = warehouse.exported_tables().await?;
    for (name, table) in tables {
        let found = found.iter().find(|table| table.name == *name);
        let found = found.with_context(|| format!("there is no table {name}"))?;
        let rows = warehouse.rows_merged(found).await?;
        ensure!(
            rows == table.rows || (found.expires() && rows < table.rows),
            "{name} has {rows} rows, but {} were backed up",
            table.rows
        );
        compare_apps(warehouse, name, table).await?;
    }
    Ok(())
}

/// Stops early if the receiver is gone, which reports the reason itself.
fn send(mut reader: impl Read, to: &mpsc::Sender<std::io::Result<Bytes>>) {
    loop {
        let mut piece = Vec::with_capacity(PIECE);
        let read = reader.by_ref().take(PIECE as u64).read_to_end(&mut piece);
        let piece = match read {
            Ok(0) => return,
            Ok(_) => Ok(Bytes::from(piece)),
            Err(error) => Err(error),
        };
        if to.blocking_send(piece).is_err() {
            return;
        }
    }
}

async fn compare_apps(warehouse: &Warehouse, name: &str, table: &Table) -> anyhow::Result<()> {
    let Some(wanted) = &table.apps else { return Ok(()) };
    let apps = warehouse.rows_of_apps(name).await?;
    for (app, wanted) in wanted {
        let rows = apps.get(app).copied().unwrap_or(0);
        ensure!(
            rows == *wanted,
            "{name} has {rows} rows of the app {app}, but {wanted} were backed up"
        );
    }
    ensure!(apps.len() == wanted.len(), "{name} has rows of apps that were not backed up");
    Ok(())
}
