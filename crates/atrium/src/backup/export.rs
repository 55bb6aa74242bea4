//! The events of a ClickHouse server, or of all shards of a cluster: their rows are read over the
//! network, so loading pauses until the last one has arrived.

use std::collections::BTreeMap;

use anyhow::{Context, ensure};
use tokio::runtime::Handle;
use warehouse::{ExportedTable, RowsOfApps, Warehouse};

use super::archive::ArchiveWriter;
use super::manifest::{Events, EventsKind, Part, Table, Tables};
use super::progress::Progress;
use crate::app::AppState;

/// The tables to be read.
pub struct Export {
    shards: Vec<Shard>,
}

/// One server.
struct Shard {
    warehouse: Warehouse,
    tables: Vec<(ExportedTable, Counts)>,
}

#[derive(PartialEq, Eq)]
struct Counts {
    rows: u64,
    apps: Option<RowsOfApps>,
}

async fn count(warehouse: &Warehouse, table: &ExportedTable) -> anyhow::Result<Counts> {
    let apps = match table.merges_rows() || table.expires() {
        true => None,
        false => Some(warehouse.rows_of_apps(&table.name).await?),
    };
    Ok(Counts { rows: warehouse.rows_merged(table).await?, apps })
}

impl Export {
    pub async fn begin(atrium: &AppState) -> anyhow::Result<Self> {
        let mut shards = Vec::new();
        for warehouse in atrium.warehouse.shards().await? {
            let mut tables = Vec::new();
            for table in warehouse.exported_tables().await? {
                let counts = count(&warehouse, &table).await?;
                tables.push((table, counts));
            }
            shards.push(Shard { warehouse, tables });
        }
        Ok(Self { shards })
    }

    /// Reads everything into the archive. Blocks.
    pub fn add_to(
        &self,
        writer: &mut ArchiveWriter,
        id: &str,
        progress: &mut Progress,
    ) -> anyhow::Result<Events> {
        let mut shards = Vec::new();
        for (place, shard) in self.shards.iter().enumerate() {
            let folder = match place {
                0 => "events".to_owned(),
                _ => format!("events/shard{}", place + 1),
            };
            shards.push(shard.add_to(writer, &folder, id, progress)?);
        }
        let mut shards = shards.into_iter();
        let tables = shards.next().context("the cluster has no shards")?;
        let schema = warehouse::newest_migration();
        Ok(Events { kind: EventsKind::Rows, schema, tables, other_shards: shards.collect() })
    }
}

impl Shard {
    fn add_to(
        &self,
        writer: &mut ArchiveWriter,
        folder: &str,
        id: &str,
        progress: &mut Progress,
    ) -> anyhow::Result<Tables> {
        let runtime = Handle::current();
        let mut tables = BTreeMap::new();
        for (table, counts) in &self.tables {
            let mut kept =
                Table { rows: counts.rows, apps: counts.apps.clone(), ..Table::default() };
            for partition in &table.partitions {
                let entry = format!("{folder}/{}/{partition}.native.zst", table.name);
                writer.add(&entry, |out| {
                    let rows = self.warehouse.export(&table.name, partition);
                    let mut rows = runtime.block_on(rows)?;
                    while let Some(chunk) = runtime.block_on(rows.chunk())? {
                        out.write_all(&chunk)?;
                        progress.add(chunk.len() as u64);
                    }
                    Ok(())
                })?;
                kept.parts.push(Part {
                    name: partition.clone(),
                    rows: 0,
                    contents: id.to_owned(),
                    entry,
                    archive: id.to_owned(),
                });
            }
            // An app that was deleted meanwhile is in some tables and not in others.
            let is_same = runtime.block_on(count(&self.warehouse, table))? == *counts;
            ensure!(
                is_same || table.expires(),
                "{} changed while it was being read: make the backup again",
                table.name
            );
            tables.insert(table.name.clone(), kept);
        }
        Ok(tables)
    }
}
