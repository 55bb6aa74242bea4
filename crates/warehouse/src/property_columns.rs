//! Properties that are asked about often have a column of their own beside the text (docs/decisions/0043).
//! An app has a few of them. A value that is empty was not read from the text yet, so whatever was stored by
//! whomever, nothing is ever wrong: a column is used when all of the app's rows have it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::future::try_join_all;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::call::{Call, Insert};
use crate::client::Warehouse;
use crate::conditions::Property;
use crate::error::Error;
use crate::params::text_literal;

/// How many columns an app has.
pub const PROPERTY_COLUMNS_MAX: u8 = 8;
/// Longer paths have none: the statement that stores events reads as many names of each.
pub const PROPERTY_DEPTH_MAX: usize = 2;
/// How long an instance may go by what it knows. A column is not used for anything else for much longer than
/// this after it went out of use (`REST`).
const KNOWN_FOR: Duration = Duration::from_secs(30);
/// How long a column that went out of use is left alone, in seconds: nobody goes by it after that, neither a
/// question nor rows on their way.
const REST: i64 = 3_600;
const LIMIT: Duration = Duration::from_secs(60);

/// The table as it counts: the newest of each column, if it is clear which.
const CURRENT: &str = "SELECT app_id, number, max(at_version) AS version, \
        argMax(one_path, at_version) AS path, argMax(all_free, at_version) AS is_free, \
        argMax(since, at_version) AS changed \
    FROM (SELECT app_id, number, property_columns.version AS at_version, \
            if(uniqExact(property_columns.path) = 1, any(property_columns.path), []) AS one_path, \
            min(property_columns.is_free) AS all_free, \
            toInt64(toUnixTimestamp(max(property_columns.changed))) AS since \
        FROM property_columns GROUP BY app_id, number, at_version) \
    GROUP BY app_id, number";

/// A column of an app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertyColumn {
    pub app_id: Uuid,
    /// From 1 on.
    pub number: u8,
    version: u32,
    /// Of the property that it holds; empty while it is not in use.
    pub path: Vec<String>,
    /// Whether nothing is in it.
    is_free: u8,
    /// Since when it is so, in Unix time.
    pub changed: i64,
}

impl PropertyColumn {
    pub fn is_in_use(&self) -> bool {
        !self.path.is_empty()
    }
}

/// What is left to be done about a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyColumnWork {
    pub column: PropertyColumn,
    /// The month whose rows are to be changed, as in 202611.
    pub month: u32,
    /// In how many rows of all months it is left.
    pub rows: u64,
}

/// Which columns are known, and since when.
#[derive(Default)]
pub(crate) struct Known(Mutex<Option<(Instant, Arc<Vec<PropertyColumn>>)>>);

/// The columns of an app that can be read instead of the text.
pub(crate) type ReadColumns = HashMap<Vec<String>, u8>;

fn name(number: u8) -> String {
    format!("property_{number}")
}

/// Whether nobody has looked yet, as the table's index has it.
fn is_unread(number: u8) -> String {
    format!("left({}, 1) = ''", name(number))
}

/// The rows that are to be filled, or cleared.
fn is_left(column: &PropertyColumn) -> String {
    match column.is_in_use() {
        true => is_unread(column.number),
        false => format!("{} != ''", name(column.number)),
    }
}

/// What a column holds of a property, as SQL. `names` are those of the path.
fn read_from_text(names: &[String]) -> String {
    let raw = format!("JSONExtractRaw(properties, {})", names.join(", "));
    format!("if(({raw} AS raw) = '', 'null', raw)")
}

/// The columns that an INSERT fills by itself from the rows, which join `paths_of_apps`.
pub(crate) fn filled_columns() -> (String, String) {
    let numbers = 1..=PROPERTY_COLUMNS_MAX;
    let names: Vec<String> = numbers.clone().map(name).collect();
    let value = |number: u8| {
        let read = |depth: usize| {
            let names: Vec<String> = (1..=depth).map(|at| format!("path_{number}[{at}]")).collect();
            format!("JSONExtractRaw(properties, {})", names.join(", "))
        };
        format!(
            "multiIf(empty(path_{number}), '', length(path_{number}) = 1, \
             ifNull(nullIf({}, ''), 'null'), ifNull(nullIf({}, ''), 'null'))",
            read(1),
            read(2)
        )
    };
    (names.join(", "), numbers.map(value).collect::<Vec<_>>().join(", "))
}

/// One row for each app that has columns: the path of each.
pub(crate) fn paths_of_apps() -> String {
    let paths: Vec<String> = (1..=PROPERTY_COLUMNS_MAX)
        .map(|number| format!("anyIf(path, number = {number}) AS path_{number}"))
        .collect();
    format!("(SELECT app_id, {} FROM ({CURRENT}) GROUP BY app_id)", paths.join(", "))
}

impl Warehouse {
    /// All columns of all apps, as of half a minute ago at the earliest.
    pub async fn property_columns(&self) -> Result<Arc<Vec<PropertyColumn>>, Error> {
        let known = &self.known_property_columns().0;
        if let Some((since, columns)) = &*known.lock()
            && since.elapsed() < KNOWN_FOR
        {
            return Ok(columns.clone());
        }
        let asked = Instant::now();
        let columns = Arc::new(self.property_columns_now().await?);
        *known.lock() = Some((asked, columns.clone()));
        Ok(columns)
    }

    async fn property_columns_now(&self) -> Result<Vec<PropertyColumn>, Error> {
        let sql = format!("SELECT * FROM ({CURRENT}) ORDER BY app_id, number");
        self.without_gate().query(&sql, &[]).await
    }

    /// The same store, which reads those of an app's properties from columns that all of its rows have.
    pub async fn reading_columns(&self, app: Uuid, properties: &[Property]) -> Result<Self, Error> {
        let all = self.property_columns().await?;
        let wanted = all.iter().filter(|column| {
            let path = Property::Path(column.path.clone());
            column.app_id == app && column.is_in_use() && properties.contains(&path)
        });
        let whole = try_join_all(wanted.map(|column| async move {
            Ok::<_, Error>((!self.is_any_unread(column).await?).then_some(column))
        }));
        let whole = whole.await?.into_iter().flatten();
        let columns: ReadColumns =
            whole.map(|column| (column.path.clone(), column.number)).collect();
        Ok(self.with_columns(Arc::new(columns)))
    }

    /// From how many columns questions read.
    pub fn columns_read(&self) -> usize {
        self.columns().len()
    }

    /// Looks again at the next question.
    pub fn forget_property_columns(&self) {
        *self.known_property_columns().0.lock() = None;
    }

    /// Whether the text says more than the column. An index tells, so this costs little.
    async fn is_any_unread(&self, column: &PropertyColumn) -> Result<bool, Error> {
        let sql = format!(
            "SELECT 1 AS one FROM events WHERE app_id = {{app:UUID}} AND {} LIMIT 1",
            is_unread(column.number)
        );
        let params = [("app", column.app_id.into())];
        let found: Vec<serde_json::Value> = self.without_gate().query(&sql, &params).await?;
        Ok(!found.is_empty())
    }

    /// Gives a property a column. None where the app has no more.
    pub async fn add_property_column(
        &self,
        app: Uuid,
        path: &[String],
        now: i64,
    ) -> Result<Option<PropertyColumn>, Error> {
        if path.is_empty() || path.len() > PROPERTY_DEPTH_MAX {
            return Ok(None);
        }
        let all = self.property_columns_now().await?;
        let own = || all.iter().filter(|column| column.app_id == app);
        if let Some(known) = own().find(|column| column.path == path) {
            return Ok(Some(known.clone()));
        }
        let free = (1..=PROPERTY_COLUMNS_MAX).find_map(|number| {
            match own().find(|column| column.number == number) {
                None => Some((number, 1)),
                Some(used) => (used.is_free == 1).then_some((number, used.version + 1)),
            }
        });
        let Some((number, version)) = free else { return Ok(None) };
        let (path, is_free) = (path.to_vec(), 0);
        let column = PropertyColumn { app_id: app, number, version, path, is_free, changed: now };
        self.write_property_column(&column).await?;
        Ok(Some(column))
    }

    /// Has a column not be used any more. It can hold something else when it was cleared.
    pub async fn drop_property_column(
        &self,
        column: &PropertyColumn,
        now: i64,
    ) -> Result<(), Error> {
        let version = column.version + 1;
        let unused = PropertyColumn { version, path: Vec::new(), changed: now, ..column.clone() };
        self.write_property_column(&unused).await
    }

    async fn write_property_column(&self, column: &PropertyColumn) -> Result<(), Error> {
        let body = serde_json::to_vec(column).map_err(|e| Error::Unreadable(e.to_string()))?;
        let body = Bytes::from(body);
        let sql = "INSERT INTO property_columns (app_id, number, version, path, is_free, changed) \
                   FORMAT JSONEachRow";
        // Every shard has them: it reads them when it stores rows.
        let insert = |shard: Self| {
            let body = body.clone();
            async move { shard.insert_here(sql, body, Insert::default()).await }
        };
        self.on_every_shard(insert).await?;
        self.forget_property_columns();
        Ok(())
    }

    /// What is left to be read from the text, and to be cleared, the latest months first. Those that are
    /// clear by now are free from here on.
    pub async fn property_column_work(&self, now: i64) -> Result<Vec<PropertyColumnWork>, Error> {
        let mut work = Vec::new();
        let all = self.property_columns_now().await?;
        self.tell_all_shards(&all).await?;
        for column in all {
            let is_resting = column.is_free == 1 || now < column.changed + REST;
            if !column.is_in_use() && is_resting {
                continue;
            }
            match self.months_with(&column, &is_left(&column)).await? {
                months if !months.is_empty() => {
                    let rows = months.values().sum();
                    let month = months.last_key_value().map_or(0, |(month, _)| *month);
                    work.push(PropertyColumnWork { column, month, rows });
                }
                _ if !column.is_in_use() => {
                    let version = column.version + 1;
                    let free =
                        PropertyColumn { version, is_free: 1, changed: now, ..column.clone() };
                    self.write_property_column(&free).await?;
                }
                _ => {}
            }
        }
        Ok(work)
    }

    /// How many values columns in use do not hold yet.
    pub async fn property_rows_left(&self) -> Result<u64, Error> {
        let mut rows = 0;
        for column in self.property_columns_now().await?.iter().filter(|it| it.is_in_use()) {
            let months = self.months_with(column, &is_unread(column.number)).await?;
            rows += months.values().sum::<u64>();
        }
        Ok(rows)
    }

    /// One may have missed what was written to the others.
    async fn tell_all_shards(&self, all: &[PropertyColumn]) -> Result<(), Error> {
        if !self.is_cluster() {
            return Ok(());
        }
        let known = self.on_every_shard(|shard| async move { shard.property_columns_now().await });
        let known = known.await?;
        let is_missing = |column: &&PropertyColumn| known.iter().any(|own| !own.contains(*column));
        for column in all.iter().filter(is_missing) {
            self.write_property_column(column).await?;
        }
        Ok(())
    }

    async fn months_with(
        &self,
        column: &PropertyColumn,
        wanted: &str,
    ) -> Result<BTreeMap<u32, u64>, Error> {
        #[derive(Deserialize)]
        struct Row {
            month: u32,
            rows: u64,
        }
        let sql = format!(
            "SELECT toYYYYMM(time) AS month, count() AS rows FROM events \
             WHERE app_id = {{app:UUID}} AND {wanted} GROUP BY month"
        );
        let rows: Vec<Row> =
            self.patient(LIMIT).query(&sql, &[("app", column.app_id.into())]).await?;
        Ok(rows.into_iter().map(|row| (row.month, row.rows)).collect())
    }

    /// Has the store do a month of it in the background, unless it is busy with another. Says whether it
    /// was begun.
    pub async fn begin_property_column_work(
        &self,
        work: &PropertyColumnWork,
    ) -> Result<bool, Error> {
        let begun = self.on_every_shard(|shard| async move { shard.begin_work_here(work).await });
        Ok(begun.await?.into_iter().any(|begun| begun))
    }

    async fn begin_work_here(&self, work: &PropertyColumnWork) -> Result<bool, Error> {
        #[derive(Deserialize)]
        struct Row {
            running: u64,
        }
        let sql = "SELECT count() AS running FROM system.mutations \
                   WHERE database = currentDatabase() AND table = 'events' AND NOT is_done";
        let running: Vec<Row> = self.query(sql, &[]).await?;
        if running.iter().any(|row| row.running > 0) {
            return Ok(false);
        }
        let (column, month) = (&work.column, work.month);
        let (name, app) = (name(column.number), column.app_id);
        let left = is_left(column);
        // It may be another shard's alone.
        if !self.months_with(column, &left).await?.contains_key(&month) {
            return Ok(false);
        }
        let names: Vec<String> = column.path.iter().map(|it| text_literal(it)).collect();
        let value = if names.is_empty() { "''".to_owned() } else { read_from_text(&names) };
        // Parts from before there was an index have none.
        let sql = format!(
            "ALTER TABLE events (UPDATE {name} = {value} IN PARTITION {month} \
             WHERE app_id = toUUID('{app}') AND {left}), \
             (MATERIALIZE INDEX {name}_unread IN PARTITION {month})"
        );
        let call = Call::new(&sql, &[], LIMIT).set("mutations_sync", 0);
        self.in_turn(call).await.map(|_| true)
    }
}

/// The element list of a property that has a column.
pub(crate) fn column_of(columns: &ReadColumns, path: &[String]) -> Option<String> {
    columns.get(path).map(|number| name(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_end_its_quotes() {
        assert_eq!(
            read_from_text(&[text_literal("it's \\'")]),
            "if((JSONExtractRaw(properties, 'it\\'s \\\\\\'') AS raw) = '', 'null', raw)"
        );
    }
}
