//! A store on its way into another one: what each partition of a table holds, as figures that two
//! stores can be compared by, and the rows of a day, which replace those that the other one has
//! (docs/decisions/0036).

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use uuid::Uuid;

use crate::answer::RowStream;
use crate::call::Call;
use crate::client::Warehouse;
use crate::error::Error;
use crate::location::quoted;
use crate::params::Param;
use crate::schema::RECORD_TABLE;
use crate::transfer_state::STATE_TABLE;

/// For one statement over one partition.
const LIMIT: Duration = Duration::from_secs(60 * 60);
/// The embedded engine holds an answer in memory until it is sent.
const SLICE_BYTES: u64 = 32 << 20;
/// Sets of people are written out to be compared; few of them at a time.
const ROWS_AT_ONCE: u64 = 1_024;
/// The columns that say on which day a row belongs, the first that a table has.
const DAYS: [&str; 3] = ["bucket", "received", "time"];

/// A table as far as a transfer has to know it.
#[derive(Clone, Debug)]
pub struct TransferTable {
    pub name: String,
    merges_rows: bool,
    expires: bool,
    sorting_key: String,
    columns: Vec<Column>,
}

#[derive(Clone, Debug, Deserialize)]
struct Column {
    table: String,
    name: String,
    #[serde(rename = "type")]
    kind: String,
}

impl TransferTable {
    fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    /// Whose a row is; nobody's in a table that is about the store itself.
    fn app(&self) -> &'static str {
        if self.has("app_id") { "app_id" } else { "toUUID('00000000-0000-0000-0000-000000000000')" }
    }

    /// The column that tells a row's day; none where a table is taken as a whole.
    fn day_column(&self) -> Option<&'static str> {
        DAYS.into_iter().find(|name| self.has(name))
    }

    fn day(&self) -> String {
        match self.day_column() {
            Some(column) => format!("toString(toDate({column}))"),
            None => "''".to_owned(),
        }
    }

    fn has_sets(&self) -> bool {
        self.columns.iter().any(Column::is_set)
    }

    fn hash(&self) -> String {
        let columns: Vec<String> = self.columns.iter().map(Column::hashed).collect();
        format!("cityHash64({})", columns.join(", "))
    }

    /// Which rows count. Ids that are forgotten these days are gone from one store before the other.
    fn wanted(&self) -> &'static str {
        match self.expires && self.has("received") {
            true => " AND toDate(received) >= {since:Date}",
            false => "",
        }
    }
}

impl Column {
    fn is_set(&self) -> bool {
        self.kind.starts_with("AggregateFunction(groupBitmap,")
    }

    /// Small sets are kept in the order they were filled.
    fn hashed(&self) -> String {
        let name = quoted(&self.name);
        if self.is_set() { format!("arraySort(bitmapToArray({name}))") } else { name }
    }
}

/// A partition of a table at a moment. The hashes of its parts change whenever what they hold does; their
/// names also change with a delete in another partition.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Partition {
    table: String,
    pub id: String,
    pub parts: Vec<String>,
    rows: u64,
    pub bytes: u64,
}

impl Partition {
    /// In how many pieces so many of its rows are to be read.
    fn slices(&self, rows: u64) -> u64 {
        let bytes = self.bytes.checked_div(self.rows).unwrap_or(0).saturating_mul(rows);
        bytes.div_ceil(SLICE_BYTES).max(1)
    }
}

/// How much an app has of a day, and a sum over all of it that tells every change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figure {
    pub rows: u64,
    pub hash: u64,
}

/// By app and day; the day is empty where a table has none.
pub type Figures = BTreeMap<(Uuid, String), Figure>;

/// The rows of one day, or of a whole partition where there are no days.
#[derive(Clone, Copy, Debug)]
pub struct Day<'a> {
    pub table: &'a TransferTable,
    pub partition: &'a str,
    pub day: &'a str,
    /// The first day of which ids are kept.
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

    fn params(&self) -> Vec<(&'static str, Param)> {
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

impl Warehouse {
    /// Every table that holds something, in one order for all stores.
    pub async fn transfer_tables(&self) -> Result<Vec<TransferTable>, Error> {
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
        let params = [("record", RECORD_TABLE.into()), ("state", STATE_TABLE.into())];
        let tables: Vec<Row> = self.query(sql, &params).await?;
        // What is computed from others is computed again.
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
            })
            .collect())
    }

    /// The partitions of a table that hold something.
    pub async fn partitions(&self, table: &str) -> Result<Vec<Partition>, Error> {
        let sql = "SELECT table, partition_id AS id, arraySort(groupArray(hash_of_all_files)) AS parts, \
                   sum(rows) AS rows, sum(data_uncompressed_bytes) AS bytes FROM system.parts \
                   WHERE database = currentDatabase() AND table = {table:String} AND active \
                   GROUP BY table, id ORDER BY id";
        let found: Vec<Partition> = self.query(sql, &[("table", table.into())]).await?;
        Ok(found.into_iter().filter(|partition| partition.rows > 0).collect())
    }

    /// What a partition holds, whatever has been merged of it so far.
    pub async fn figures(
        &self,
        table: &TransferTable,
        partition: &str,
        since: &str,
    ) -> Result<Figures, Error> {
        #[derive(Deserialize)]
        struct Row {
            app: Uuid,
            day: String,
            rows: u64,
            hash: u64,
        }
        let sql = format!(
            "SELECT its_app AS app, its_day AS day, count() AS rows, sum(its_hash) AS hash FROM (\
             SELECT {} AS its_app, {} AS its_day, {} AS its_hash FROM {}{} \
             WHERE _partition_id = {{partition:String}}{}) GROUP BY app, day\nFORMAT JSONEachRow",
            table.app(),
            table.day(),
            table.hash(),
            quoted(&table.name),
            if table.merges_rows { " FINAL" } else { "" },
            table.wanted()
        );
        let day = Day { table, partition, day: "", since };
        let mut params = day.params();
        params.retain(|(name, _)| *name != "day");
        let mut call = Call::new(&sql, &params, LIMIT).reading();
        if table.has_sets() {
            call = call.set("max_block_size", ROWS_AT_ONCE);
        }
        let rows: Vec<Row> = self.rows(call).await?;
        let figure = |row: Row| ((row.app, row.day), Figure { rows: row.rows, hash: row.hash });
        Ok(rows.into_iter().map(figure).collect())
    }

    /// Of how many pieces a day consists, to be read one after the other.
    pub async fn slices(&self, day: Day<'_>, partition: &Partition) -> Result<u64, Error> {
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
        Ok(partition.slices(rows.first().map_or(0, |row| row.rows)))
    }

    /// The rows of a piece as they are, in the format that `import` takes.
    pub async fn rows_of_day(
        &self,
        day: Day<'_>,
        (slice, slices): (u64, u64),
    ) -> Result<RowStream, Error> {
        let piece = match slices {
            1 => String::new(),
            _ => format!(" AND cityHash64({}) % {slices} = {slice}", day.table.sorting_key),
        };
        let sql = format!(
            "SELECT * FROM {} WHERE {}{piece} FORMAT Native",
            quoted(&day.table.name),
            day.filter()
        );
        let params = day.params();
        let call = Call::new(&sql, &params, LIMIT).set("readonly", 1);
        self.stream(call.set("max_execution_time", LIMIT.as_secs())).await
    }

    /// Removes the rows of a day.
    pub async fn remove_day(&self, day: Day<'_>) -> Result<(), Error> {
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
