//! Moves a store into another one: its tables and partitions, and the rows of each day, which replace
//! those in the target (docs/decisions/0036). `transfer_figures` has the figures that the two are
//! compared by, and `transfer_shards` what happens to a table in a cluster.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use crate::answer::RowStream;
use crate::call::Call;
use crate::client::Warehouse;
use crate::error::Error;
use crate::location::quoted;
use crate::params::Param;
use crate::schema::{RECORD_TABLE, SHARD_TABLE, TRANSFER_TABLE};
use crate::spread::Spread;

/// The time limit of one statement about one partition.
pub(crate) const LIMIT: Duration = Duration::from_secs(60 * 60);
/// The embedded engine holds an answer in memory until it is sent.
const SLICE_BYTES: u64 = 32 << 20;
/// Columns that can determine a row's day; the first that a table has is used.
const DAYS: [&str; 3] = ["bucket", "received", "time"];

/// What a transfer needs to know of a table.
#[derive(Clone, Debug)]
pub struct TransferTable {
    pub name: String,
    pub(crate) merges_rows: bool,
    expires: bool,
    sorting_key: String,
    pub(crate) columns: Vec<Column>,
    /// How it is distributed to the shards, if the target is a cluster.
    pub(crate) spread: Option<Spread>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Column {
    table: String,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
}

impl TransferTable {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    /// The column that determines a row's day; None if the table is transferred as a whole.
    pub(crate) fn day_column(&self) -> Option<&'static str> {
        DAYS.into_iter().find(|name| self.has(name))
    }

    /// Selects the rows that are compared. Ids about to expire may be gone from one store before the
    /// other.
    pub(crate) fn wanted(&self) -> &'static str {
        match self.expires && self.has("received") {
            true => " AND toDate(received) >= {since:Date}",
            false => "",
        }
    }
}

/// A partition of a table at a moment. The hashes of its parts change exactly when their content does;
/// part names also change with a delete in another partition.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Partition {
    table: String,
    pub id: String,
    pub parts: Vec<String>,
    rows: u64,
    pub bytes: u64,
}

impl Partition {
    /// In how many slices this many of its rows are read.
    fn slices(&self, rows: u64) -> u64 {
        let bytes = self.bytes.checked_div(self.rows).unwrap_or(0).saturating_mul(rows);
        bytes.div_ceil(SLICE_BYTES).max(1)
    }
}

/// The rows of one day, or of a whole partition where there are no days.
#[derive(Clone, Copy, Debug)]
pub struct Day<'a> {
    pub table: &'a TransferTable,
    pub partition: &'a str,
    pub day: &'a str,
    /// The first day whose ids are kept.
    pub since: &'a str,
}

impl Day<'_> {
    fn filter(&self) -> String {
        let day = match self.table.day_column() {
            Some(column) => format!(" AND toDate({column}) = {{day:Date}}"),
            None => String::new(),
        };
        format!("_partition_id = {{partition:String}}{day}{}", self.table.wanted())
    }

    pub(crate) fn params(&self) -> Vec<(&'static str, Param)> {
        let mut params = vec![("partition", Param::from(self.partition))];
        if self.table.day_column().is_some() {
            params.push(("day", Param::from(self.day)));
        }
        if !self.table.wanted().is_empty() {
            params.push(("since", Param::from(self.since)));
        }
        params
    }
}

/// One of the pieces in which the rows of a day are read, for one of the target's shards.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Its index, and how many slices there are.
    pub slice: (u64, u64),
    pub shard: (usize, usize),
}

impl Piece {
    fn filter(&self, table: &TransferTable) -> String {
        let ((slice, slices), (shard, shards)) = (self.slice, self.shard);
        let mut filter = match slices {
            1 => String::new(),
            _ => format!(" AND cityHash64({}) % {slices} = {slice}", table.sorting_key),
        };
        if let (Some(Spread::Split(key)), true) = (table.spread, shards > 1) {
            filter.push_str(&format!(" AND {key} % {shards} = {shard}"));
        }
        filter
    }
}

impl Warehouse {
    /// Every table, in the same order for all stores. In a cluster they include how they are distributed
    /// to its shards.
    pub async fn transfer_tables(&self) -> Result<Vec<TransferTable>, Error> {
        if !self.is_cluster() {
            return self.transfer_tables_here().await;
        }
        let all =
            self.on_every_shard(|shard| async move { shard.transfer_tables_here().await }).await?;
        let mut tables = all.into_iter().next().unwrap_or_default();
        tables.retain(|table| table.name != SHARD_TABLE);
        for table in &mut tables {
            table.spread = Some(Spread::of(&table.name)?);
        }
        Ok(tables)
    }

    async fn transfer_tables_here(&self) -> Result<Vec<TransferTable>, Error> {
        #[derive(Deserialize)]
        struct Row {
            name: String,
            engine: String,
            engine_full: String,
            sorting_key: String,
        }
        let sql = "SELECT name, engine, engine_full, sorting_key FROM system.tables \
                   WHERE database = currentDatabase() AND engine LIKE '%MergeTree' \
                   AND name NOT IN ({record:String}, {state:String}) ORDER BY name";
        let params = [("record", RECORD_TABLE.into()), ("state", TRANSFER_TABLE.into())];
        let tables: Vec<Row> = self.query(sql, &params).await?;
        // Columns computed from others are left out and computed again.
        let sql = "SELECT table, name, type FROM system.columns \
                   WHERE database = currentDatabase() AND default_kind NOT IN ('MATERIALIZED', 'ALIAS') \
                   ORDER BY table, position";
        let columns: Vec<Column> = self.query(sql, &[]).await?;
        Ok(tables
            .into_iter()
            .map(|row| TransferTable {
                merges_rows: row.engine != "MergeTree",
                expires: row.engine_full.contains(" TTL "),
                sorting_key: row.sorting_key,
                columns: columns.iter().filter(|it| it.table == row.name).cloned().collect(),
                name: row.name,
                spread: None,
            })
            .collect())
    }

    /// The non-empty partitions of a table, on all shards.
    pub async fn partitions(&self, table: &str) -> Result<Vec<Partition>, Error> {
        let all =
            self.on_every_shard(|shard| async move { shard.partitions_here(table).await }).await?;
        let mut joined = BTreeMap::<String, Partition>::new();
        for (shard, partition) in all
            .into_iter()
            .enumerate()
            .flat_map(|(at, some)| some.into_iter().map(move |it| (at, it)))
        {
            // Parts with the same name on other shards are different parts.
            let parts = partition.parts.iter().map(|part| format!("{shard} {part}"));
            let whole = joined.entry(partition.id.clone()).or_insert_with(|| Partition {
                parts: Vec::new(),
                rows: 0,
                bytes: 0,
                ..partition.clone()
            });
            whole.parts.extend(parts);
            whole.rows += partition.rows;
            whole.bytes += partition.bytes;
        }
        Ok(joined.into_values().collect())
    }

    async fn partitions_here(&self, table: &str) -> Result<Vec<Partition>, Error> {
        let sql = "SELECT table, partition_id AS id, arraySort(groupArray(hash_of_all_files)) AS parts, \
                   sum(rows) AS rows, sum(data_uncompressed_bytes) AS bytes FROM system.parts \
                   WHERE database = currentDatabase() AND table = {table:String} AND active \
                   GROUP BY table, id ORDER BY id";
        let found: Vec<Partition> = self.query(sql, &[("table", table.into())]).await?;
        Ok(found.into_iter().filter(|partition| partition.rows > 0).collect())
    }

    /// In how many slices the rows of a day that go to one of the shards are read, one after the other.
    pub async fn slices(
        &self,
        day: Day<'_>,
        partition: &Partition,
        shards: usize,
    ) -> Result<u64, Error> {
        #[derive(Deserialize)]
        struct Row {
            rows: u64,
        }
        let sql = format!(
            "SELECT count() AS rows FROM {} WHERE {}",
            quoted(&day.table.name),
            day.filter()
        );
        let rows: Vec<Row> = self.patient(LIMIT).query(&sql, &day.params()).await?;
        let rows = rows.first().map_or(0, |row| row.rows);
        Ok(partition.slices(match day.table.spread {
            Some(Spread::Split(_)) => rows.div_ceil(shards as u64),
            _ => rows,
        }))
    }

    /// Streams the rows of a piece unchanged, in the format that `import` takes.
    pub async fn rows_of_day(&self, day: Day<'_>, piece: Piece) -> Result<RowStream, Error> {
        let sql = format!(
            "SELECT * FROM {} WHERE {}{} FORMAT Native",
            quoted(&day.table.name),
            day.filter(),
            piece.filter(day.table)
        );
        let params = day.params();
        let call = Call::new(&sql, &params, LIMIT).set("readonly", 1);
        self.stream(call.set("max_execution_time", LIMIT.as_secs())).await
    }

    /// Removes the rows of a day, from every shard.
    pub async fn remove_day(&self, day: Day<'_>) -> Result<(), Error> {
        self.on_every_shard(|shard| async move { shard.remove_day_here(day).await }).await.map(drop)
    }

    async fn remove_day_here(&self, day: Day<'_>) -> Result<(), Error> {
        let table = quoted(&day.table.name);
        let Some(column) = day.table.day_column() else {
            let sql = format!("TRUNCATE TABLE {table}");
            return self.call(Call::new(&sql, &[], LIMIT)).await.map(drop);
        };
        let partition = day.partition.replace('\\', "\\\\").replace('\'', "\\'");
        let sql = format!(
            "DELETE FROM {table} IN PARTITION ID '{partition}' \
             WHERE toDate({column}) = {{day:Date}}"
        );
        let params = [("day", Param::from(day.day))];
        let call = Call::new(&sql, &params, LIMIT)
            .set("lightweight_deletes_sync", 2)
            .set("mutations_sync", 2);
        self.call(call).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_read_in_pieces_that_fit_into_memory() {
        let partition = |rows, bytes| Partition {
            table: "events".to_owned(),
            id: "202611".to_owned(),
            parts: Vec::new(),
            rows,
            bytes,
        };
        assert_eq!(partition(0, 0).slices(0), 1);
        assert_eq!(partition(1_000, 1_000_000).slices(10), 1);
        // Two gigabytes, half of them on one day.
        assert_eq!(partition(2_000_000, 2 << 30).slices(1_000_000), 32);
    }
}
