//! Frequently queried properties get a column of their own, in addition to the JSON text
//! (docs/decisions/0043). Each app can have a few. An empty value in the column means that it was not
//! extracted from the text yet, so rows stored by any release are never wrong: a column is used once all
//! rows of the app have a value in it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::future::try_join_all;
use serde::Deserialize;
use uuid::Uuid;

use crate::call::{Call, Insert};
use crate::client::Warehouse;
use crate::conditions::Property;
use crate::error::Error;
use crate::params::text_literal;
use crate::property_sql::{
    CURRENT, PROPERTY_COLUMNS_MAX, PROPERTY_DEPTH_MAX, PropertyColumn, ReadColumns, is_left,
    is_unread, name, read_from_text,
};

/// How long an instance may use its cached list of columns. A column is not reused for another property
/// until much longer than this after it was dropped (`REST`).
const KNOWN_FOR: Duration = Duration::from_secs(30);
/// How many seconds a dropped column is left alone. After that no question and no insert in progress can
/// still refer to its old property.
const REST: i64 = 3_600;
const LIMIT: Duration = Duration::from_secs(60);

/// Remaining work on a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyColumnWork {
    pub column: PropertyColumn,
    /// The month whose rows are to be updated, as in 202611.
    pub month: u32,
    /// How many rows of all months remain.
    pub rows: u64,
}

impl Warehouse {
    /// All columns of all apps, at most half a minute old.
    pub async fn property_columns(&self) -> Result<Arc<Vec<PropertyColumn>>, Error> {
        let known = &self.known_property_columns().columns;
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

    /// The same store, reading an app's properties from columns where all of its rows have values in
    /// them.
    pub async fn reading_columns(&self, app: Uuid, properties: &[Property]) -> Result<Self, Error> {
        let all = self.property_columns().await?;
        let wanted = all.iter().filter(|column| {
            let path = Property::Path(column.path.clone());
            column.app_id == app && column.is_in_use() && properties.contains(&path)
        });
        let whole = try_join_all(wanted.map(|column| async move {
            Ok::<_, Error>(self.is_whole(column).await?.then_some(column))
        }));
        let whole = whole.await?.into_iter().flatten();
        let columns: ReadColumns =
            whole.map(|column| (column.path.clone(), column.number)).collect();
        Ok(self.with_columns(Arc::new(columns)))
    }

    /// How many columns questions read from.
    pub fn columns_read(&self) -> usize {
        self.columns().len()
    }

    /// Drops the cached list, so that the next question reads it again.
    pub fn forget_property_columns(&self) {
        *self.known_property_columns().columns.lock() = None;
    }

    /// Whether every row has a value in the column. The store is asked once for each version of the data.
    async fn is_whole(&self, column: &PropertyColumn) -> Result<bool, Error> {
        let known = self.known_property_columns();
        if self.versions().is_some_and(|versions| known.is_whole(column, versions)) {
            return Ok(true);
        }
        let is_whole = !self.is_any_unread(column).await?;
        if let (true, Some(versions)) = (is_whole, self.versions()) {
            known.note_whole(column, versions);
        }
        Ok(is_whole)
    }

    /// Whether any row has no value in the column yet. An index answers this, so it is cheap.
    async fn is_any_unread(&self, column: &PropertyColumn) -> Result<bool, Error> {
        let sql = format!(
            "SELECT 1 AS one FROM events WHERE app_id = {{app:UUID}} AND {} LIMIT 1",
            is_unread(column.number)
        );
        let params = [("app", column.app_id.into())];
        let found: Vec<serde_json::Value> = self.without_gate().query(&sql, &params).await?;
        Ok(!found.is_empty())
    }

    /// Assigns a column to a property. None if the app has no column left.
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

    /// Takes a column out of use. It can hold another property once it has been cleared.
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
        // Stored on every shard, because each reads them when it stores rows.
        let insert = |shard: Self| {
            let body = body.clone();
            async move { shard.insert_here(sql, body, Insert::default()).await }
        };
        self.on_every_shard(insert).await?;
        self.forget_property_columns();
        Ok(())
    }

    /// The values still to be extracted or cleared, the latest months first. Columns found to be clear
    /// are marked as free.
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

    /// How many values are still missing in columns that are in use.
    pub async fn property_rows_left(&self) -> Result<u64, Error> {
        let mut rows = 0;
        for column in self.property_columns_now().await?.iter().filter(|it| it.is_in_use()) {
            let months = self.months_with(column, &is_unread(column.number)).await?;
            rows += months.values().sum::<u64>();
        }
        Ok(rows)
    }

    /// A shard may have missed what was written to the others.
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

    /// Starts the work on one month in the background, unless the store is busy with another. Returns
    /// whether it was started.
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
        // Only other shards may have rows to update.
        if !self.months_with(column, &left).await?.contains_key(&month) {
            return Ok(false);
        }
        let names: Vec<String> = column.path.iter().map(|it| text_literal(it)).collect();
        let value = if names.is_empty() { "''".to_owned() } else { read_from_text(&names) };
        // Parts written before the index was added do not have it.
        let sql = format!(
            "ALTER TABLE events (UPDATE {name} = {value} IN PARTITION {month} \
             WHERE app_id = toUUID('{app}') AND {left}), \
             (MATERIALIZE INDEX {name}_unread IN PARTITION {month})"
        );
        let call = Call::new(&sql, &[], LIMIT).set("mutations_sync", 0);
        self.in_turn(call).await.map(|_| true)
    }
}
