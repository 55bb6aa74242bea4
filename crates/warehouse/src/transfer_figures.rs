//! Figures to compare a table in two stores by: for each app and day, the number of rows and a checksum
//! over all columns. They do not depend on what has been merged so far.
//!
//! A cluster is compared with a store on one machine. Where each row is on exactly one shard, each shard
//! computes its figures and they add up. Where several shards have a part of a row, such as the people
//! of a quarter of an hour, the parts are joined first, in both stores alike.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use uuid::Uuid;

use crate::call::Call;
use crate::client::Warehouse;
use crate::error::Error;
use crate::location::quoted;
use crate::spread::Spread;
use crate::transfer::{Column, Day, LIMIT, TransferTable};

/// Sets of people are expanded to be compared, so only this many rows at a time.
const ROWS_AT_ONCE: u64 = 1_024;
/// Beyond this, groups that are joined are spilled to disk.
const GROUPS_IN_MEMORY: u64 = 512 << 20;

/// The number of rows of an app's day, and a checksum that changes with any of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figure {
    pub rows: u64,
    pub hash: u64,
}

/// By app and day; the day is empty for tables without days.
pub type Figures = BTreeMap<(Uuid, String), Figure>;

impl Column {
    fn is_set(&self) -> bool {
        self.kind.starts_with("AggregateFunction(groupBitmap,")
    }

    /// Sorted, because small sets are stored in the order they were filled.
    fn hashed(&self) -> String {
        let name = quoted(&self.name);
        if self.is_set() { format!("arraySort(bitmapToArray({name}))") } else { name }
    }

    /// Whether joined rows are grouped by it: true for every column that is not aggregated itself.
    fn is_key(&self) -> bool {
        !self.kind.contains("AggregateFunction(") && !SESSIONS.contains(&self.name.as_str())
    }

    /// The hashed expression for joined rows. None for columns that do not describe the stored data.
    fn joined(&self) -> Option<String> {
        let name = quoted(&self.name);
        if self.is_set() {
            return Some(format!("arraySort(bitmapToArray(groupBitmapMergeState({name})))"));
        }
        if let Some(kind) = self.kind.strip_prefix("SimpleAggregateFunction(") {
            let (function, _) = kind.split_once(',')?;
            return Some(format!("{function}({name})"));
        }
        match self.name.as_str() {
            STARTS => Some(format!("sum({name})")),
            VERSION => None,
            _ => Some(name),
        }
    }
}

/// Session starts of a quarter of an hour. The latest count of each shard is valid, and these add up.
/// How often they were counted does not matter, nor whether a zero was stored.
const STARTS: &str = "starts";
const VERSION: &str = "version";
const SESSIONS: [&str; 2] = [STARTS, VERSION];

impl TransferTable {
    /// The app of a row; the nil UUID in a table about the store itself.
    fn app(&self) -> &'static str {
        if self.has("app_id") { "app_id" } else { "toUUID('00000000-0000-0000-0000-000000000000')" }
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

    fn figures(&self, hashed: &[String], is_final: bool, rest: &str) -> String {
        format!(
            "SELECT its_app AS app, its_day AS day, count() AS rows, sum(its_hash) AS hash FROM (\
             SELECT {} AS its_app, {} AS its_day, cityHash64({}) AS its_hash FROM {}{} \
             WHERE _partition_id = {{partition:String}}{}{rest}) GROUP BY app, day\nFORMAT JSONEachRow",
            self.app(),
            self.day(),
            hashed.join(", "),
            quoted(&self.name),
            if is_final { " FINAL" } else { "" },
            self.wanted()
        )
    }

    fn figures_of_rows(&self) -> String {
        let hashed: Vec<String> = self.columns.iter().map(Column::hashed).collect();
        self.figures(&hashed, self.merges_rows, "")
    }

    fn figures_of_joined_rows(&self) -> String {
        let hashed: Vec<String> = self.columns.iter().filter_map(Column::joined).collect();
        let keys = self.columns.iter().filter(|column| column.is_key());
        let keys: Vec<String> = keys.map(|column| quoted(&column.name)).collect();
        let has_versions = self.has(VERSION);
        let some = match self.name.as_str() {
            _ if has_versions => " HAVING sum(starts) > 0",
            // Visits that were taken back leave no row, or one with a sum of zero.
            name if name.starts_with("pages_") => " HAVING sum(events) != 0",
            _ => "",
        };
        self.figures(&hashed, has_versions, &format!(" GROUP BY {}{some}", keys.join(", ")))
    }
}

impl Warehouse {
    /// The figures of a partition, independent of merges so far and of how rows are spread over shards.
    pub async fn figures(
        &self,
        table: &TransferTable,
        partition: &str,
        since: &str,
    ) -> Result<Figures, Error> {
        let day = Day { table, partition, day: "", since };
        let of_each_shard = async || {
            let sql = &table.figures_of_rows();
            self.on_every_shard(|shard| async move { shard.figures_here(sql, day).await }).await
        };
        match table.spread {
            None => self.figures_here(&table.figures_of_rows(), day).await,
            Some(Spread::Copied) => Ok(same_on_all(of_each_shard().await?)),
            Some(_) if table.is_joined() => {
                self.figures_here(&table.figures_of_joined_rows(), day).await
            }
            Some(_) => Ok(sums(of_each_shard().await?)),
        }
    }

    async fn figures_here(&self, sql: &str, day: Day<'_>) -> Result<Figures, Error> {
        #[derive(Deserialize)]
        struct Row {
            app: Uuid,
            day: String,
            rows: u64,
            hash: u64,
        }
        let mut params = day.params();
        params.retain(|(name, _)| *name != "day");
        let mut call = Call::new(sql, &params, LIMIT).reading();
        if day.table.is_joined() {
            // In the table's order as far as possible, so that little is held in memory.
            call = call
                .set("optimize_aggregation_in_order", 1)
                .set("max_bytes_before_external_group_by", GROUPS_IN_MEMORY);
        }
        if day.table.has_sets() {
            call = call.set("max_block_size", ROWS_AT_ONCE);
        }
        let rows: Vec<Row> = self.rows(call).await?;
        let figure = |row: Row| ((row.app, row.day), Figure { rows: row.rows, hash: row.hash });
        Ok(rows.into_iter().map(figure).collect())
    }
}

fn sums(shards: Vec<Figures>) -> Figures {
    let mut all = Figures::new();
    for (place, figure) in shards.into_iter().flatten() {
        let sum = all.entry(place).or_default();
        sum.rows += figure.rows;
        // Wraps like the store's own sums.
        sum.hash = sum.hash.wrapping_add(figure.hash);
    }
    all
}

/// Figures that are equal on all shards; where one differs, a figure that no data has.
fn same_on_all(shards: Vec<Figures>) -> Figures {
    let places: BTreeSet<_> = shards.iter().flat_map(BTreeMap::keys).cloned().collect();
    let figure = |place: (Uuid, String)| {
        let first = shards.first().and_then(|shard| shard.get(&place)).copied();
        let is_same = shards.iter().all(|shard| shard.get(&place).copied() == first);
        let figure = first.filter(|_| is_same).unwrap_or_default();
        (place, figure)
    };
    places.into_iter().map(figure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_shards_are_one() {
        let shard = |day: &str, rows, hash| {
            Figures::from([((Uuid::nil(), day.to_owned()), Figure { rows, hash })])
        };
        let place = (Uuid::nil(), "a".to_owned());
        let all = sums(vec![shard("a", 2, u64::MAX), shard("a", 3, 5), shard("b", 1, 1)]);
        assert_eq!(all[&place], Figure { rows: 5, hash: 4 });
        assert_eq!(all.len(), 2);
        let same = same_on_all(vec![shard("a", 2, 7), shard("a", 2, 7)]);
        assert_eq!(same, shard("a", 2, 7));
        for other in [shard("a", 2, 8), shard("b", 2, 7), Figures::new()] {
            let found = same_on_all(vec![shard("a", 2, 7), other]);
            assert!(found.values().all(|figure| *figure == Figure::default()), "{found:?}");
        }
    }
}
