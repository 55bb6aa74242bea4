//! Copies a store on a server over its HTTP interface, because only the server can reach its files. The
//! rows of every table are exported by partition in ClickHouse's Native format, and imported into an
//! empty store whose views are dropped meanwhile: they would count every row again.

use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use tokio::sync::mpsc;

use crate::answer::RowStream;
use crate::call::Call;
use crate::client::Warehouse;
use crate::error::Error;
use crate::location::quoted;
use crate::params::Param;
use crate::schema::{RECORD_TABLE, SHARD_TABLE};

/// The time limit for one partition of one table.
const LIMIT: Duration = Duration::from_secs(6 * 60 * 60);

/// What a copy needs to know of a table.
#[derive(Clone, Debug, Deserialize)]
pub struct ExportedTable {
    pub name: String,
    engine: String,
    engine_full: String,
    #[serde(default)]
    pub partitions: Vec<String>,
}

impl ExportedTable {
    /// Whether rows expire: there may be fewer after a restore.
    pub fn expires(&self) -> bool {
        self.engine_full.contains(" TTL ")
    }

    /// Whether merges combine rows.
    pub fn merges_rows(&self) -> bool {
        self.engine != "MergeTree"
    }
}

/// A view and the statement that creates it.
#[derive(Deserialize)]
pub struct View {
    pub(crate) name: String,
    pub(crate) create_table_query: String,
}

impl Warehouse {
    /// The tables of one server, except those that record migrations and the shard, with their
    /// partitions.
    pub async fn exported_tables(&self) -> Result<Vec<ExportedTable>, Error> {
        #[derive(Deserialize)]
        struct Partition {
            table: String,
            partition_id: String,
        }
        let sql = "SELECT name, engine, engine_full FROM system.tables \
                   WHERE database = currentDatabase() AND engine LIKE '%MergeTree' \
                   AND name NOT IN ({record:String}, {shard:String}) ORDER BY name";
        let params = [("record", RECORD_TABLE.into()), ("shard", SHARD_TABLE.into())];
        let mut tables: Vec<ExportedTable> = self.query(sql, &params).await?;
        let sql = "SELECT DISTINCT table, partition_id FROM system.parts \
                   WHERE database = currentDatabase() AND active ORDER BY table, partition_id";
        let partitions: Vec<Partition> = self.query(sql, &[]).await?;
        for Partition { table, partition_id } in partitions {
            if let Some(table) = tables.iter_mut().find(|it| it.name == table) {
                table.partitions.push(partition_id);
            }
        }
        Ok(tables)
    }

    /// Streams the rows of one partition.
    pub async fn export(&self, table: &str, partition: &str) -> Result<RowStream, Error> {
        let sql = format!(
            "SELECT * FROM {} WHERE _partition_id = {{partition:String}} FORMAT Native",
            quoted(table)
        );
        let params = [("partition", Param::from(partition))];
        let call = Call::new(&sql, &params, LIMIT).set("readonly", 1);
        self.stream(call.set("max_execution_time", LIMIT.as_secs())).await
    }

    /// How many rows a table has after all merges.
    pub async fn rows_merged(&self, table: &ExportedTable) -> Result<u64, Error> {
        #[derive(Deserialize)]
        struct Row {
            rows: u64,
        }
        let last = if table.merges_rows() { " FINAL" } else { "" };
        let sql = format!("SELECT count() AS rows FROM {}{last}", quoted(&table.name));
        let found: Vec<Row> = self.patient(Duration::from_secs(600)).query(&sql, &[]).await?;
        Ok(found.first().map_or(0, |row| row.rows))
    }

    /// The views with the statements that create them.
    pub(crate) async fn views(&self) -> Result<Vec<View>, Error> {
        let sql = "SELECT name, create_table_query FROM system.tables \
                   WHERE database = currentDatabase() AND engine = 'MaterializedView' ORDER BY name";
        self.query(sql, &[]).await
    }

    /// Drops the views, and returns what is needed to create them again.
    pub async fn take_views_away(&self) -> Result<Vec<View>, Error> {
        let views = self.views().await?;
        for view in &views {
            self.execute(&format!("DROP VIEW {}", quoted(&view.name)), &[]).await?;
        }
        Ok(views)
    }

    pub async fn put_views_back(&self, views: &[View]) -> Result<(), Error> {
        for view in views {
            self.execute(&view.create_table_query, &[]).await?;
        }
        Ok(())
    }

    /// Stores the rows of a table from `export`, as a stream.
    pub async fn import(
        &self,
        table: &str,
        rows: mpsc::Receiver<std::io::Result<Bytes>>,
    ) -> Result<(), Error> {
        let sql = format!("INSERT INTO {} FORMAT Native", quoted(table));
        // Stores the rows unchanged: neither combined on insert nor mistaken for duplicates.
        let call = Call::new(&sql, &[], LIMIT).set("optimize_on_insert", 0).never_a_duplicate();
        let next = |mut rows: mpsc::Receiver<_>| async { Some((rows.recv().await?, rows)) };
        self.send(call, futures_util::stream::unfold(rows, next)).await
    }

    /// Whether the store has no tables yet, on any shard.
    pub async fn is_empty(&self) -> Result<bool, Error> {
        let all = self.on_every_shard(|shard| async move { shard.is_empty_here().await }).await?;
        Ok(all.into_iter().all(|is_empty| is_empty))
    }

    async fn is_empty_here(&self) -> Result<bool, Error> {
        let sql = "SELECT count() FROM system.tables WHERE database = {name:String} FORMAT TSV";
        let params = [("name", Param::from(self.names().database.as_str()))];
        let mut call = Call::new(sql, &params, self.limit()).reading();
        call.in_database = false;
        Ok(self.call(call).await?.trim_ascii() == b"0")
    }
}
