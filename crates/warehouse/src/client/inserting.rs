//! Inserts rows.

use std::time::Duration;

use bytes::Bytes;

use super::Warehouse;
use crate::call::{Call, Insert};
use crate::error::Error;
use crate::placement::Bodies;
use crate::property_sql::PropertyColumn;
use crate::rows::RowInsert;

/// Settings of every INSERT.
const INSERT_SETTINGS: &[(&str, &str)] =
    &[("deduplicate_blocks_in_dependent_materialized_views", "1")];

impl Warehouse {
    /// Stores each row on the shard that it belongs to. After any error a part may be stored: some
    /// shards may have their rows and others not, or a table may have them and one of its views not.
    pub async fn insert(
        &self,
        what: &RowInsert,
        body: Bytes,
        options: Insert<'_>,
    ) -> Result<(), Error> {
        let sql = self.sql_of(what).await;
        if !self.is_cluster() {
            return self.insert_here(sql, body, options).await;
        }
        let bodies = Bodies::split(self.shards().await?.len(), what.format, &body)?;
        self.insert_bodies(sql, bodies, options).await
    }

    /// If the columns are unknown, the rows are inserted without them: they can be filled later.
    async fn sql_of<'a>(&self, what: &'a RowInsert) -> &'a str {
        let Some(filling) = &what.filling_columns else { return &what.sql };
        match self.property_columns().await {
            Ok(columns) if columns.iter().any(PropertyColumn::is_in_use) => filling,
            _ => &what.sql,
        }
    }

    /// Stores rows on this server: `INSERT INTO t (columns) FORMAT RowBinary` and the rows.
    pub(crate) async fn insert_here(
        &self,
        sql: &str,
        body: Bytes,
        options: Insert<'_>,
    ) -> Result<(), Error> {
        let limit = options.timeout.unwrap_or(Duration::from_secs(120));
        let mut call = Call::new(sql, &[], limit);
        call.query_id = options.query_id;
        call.data = Some(body);
        for (name, value) in INSERT_SETTINGS {
            call = call.set(name, value);
        }
        if let Some(token) = options.token {
            call = call.set("insert_deduplication_token", token);
        }
        self.call(call).await.map(drop)
    }
}
