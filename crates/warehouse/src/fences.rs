//! Fencing numbers: one for each lease, raised when another instance takes over a lease that was not
//! given back.

use std::collections::HashMap;

use bytes::Bytes;
use serde::Deserialize;

use crate::call::Insert;
use crate::client::Warehouse;
use crate::error::Error;

impl Warehouse {
    /// The highest fence of each lease.
    pub async fn fences(&self) -> Result<HashMap<String, i64>, Error> {
        #[derive(Deserialize)]
        struct Row {
            name: String,
            fence: i64,
        }
        let sql = "SELECT name, max(fences.fence) AS fence FROM fences GROUP BY name";
        let rows: Vec<Row> = self.query(sql, &[]).await?;
        Ok(rows.into_iter().map(|row| (row.name, row.fence)).collect())
    }

    pub async fn raise_fences(&self, fences: &[(&str, i64)]) -> Result<(), Error> {
        if fences.is_empty() {
            return Ok(());
        }
        let rows = fences
            .iter()
            .map(|(name, fence)| serde_json::json!({ "name": name, "fence": fence }).to_string());
        let body = rows.collect::<Vec<_>>().join("\n");
        let body = Bytes::from(body);
        let sql = "INSERT INTO fences (name, fence) FORMAT JSONEachRow";
        // Stored on every shard, so that losing one shard loses no fence.
        let insert = |shard: Self| {
            let body = body.clone();
            async move { shard.insert_here(sql, body, Insert::default()).await }
        };
        self.on_every_shard(insert).await.map(drop)
    }
}
