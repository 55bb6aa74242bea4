//! What operators want to know about the store.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::client::Warehouse;
use crate::error::Error;

impl Warehouse {
    /// The store's version and the bytes its tables take on disk. For several servers: all their
    /// versions, and the sum.
    pub async fn about(&self) -> Result<(String, i64), Error> {
        let all = self.on_every_shard(|shard| async move { shard.about_here().await }).await?;
        let versions: BTreeSet<&str> = all.iter().map(|(version, _)| version.as_str()).collect();
        let versions: Vec<&str> = versions.into_iter().collect();
        Ok((versions.join(", "), all.iter().map(|(_, bytes)| bytes).sum()))
    }

    async fn about_here(&self) -> Result<(String, i64), Error> {
        #[derive(Deserialize)]
        struct Row {
            version: String,
            bytes: i64,
        }
        let sql = "SELECT version() AS version, toInt64(sum(bytes_on_disk)) AS bytes
                   FROM system.parts WHERE active AND database = currentDatabase()";
        let row = self.query::<Row>(sql, &[]).await?.into_iter().next();
        let row =
            row.ok_or_else(|| Error::Unreadable("it reports nothing about itself".to_owned()))?;
        Ok((row.version, row.bytes))
    }
}
