//! What those who look after the store want to know.

use serde::Deserialize;

use crate::client::Warehouse;
use crate::error::Error;

impl Warehouse {
    /// Its version, and the bytes that our tables take on its disks.
    pub async fn about(&self) -> Result<(String, i64), Error> {
        #[derive(Deserialize)]
        struct Row {
            version: String,
            bytes: i64,
        }
        let sql = "SELECT version() AS version, toInt64(sum(bytes_on_disk)) AS bytes
                   FROM system.parts WHERE active AND database = currentDatabase()";
        let row = self.query::<Row>(sql, &[]).await?.into_iter().next();
        let row = row.ok_or_else(|| Error::Unreadable("it says nothing of itself".to_owned()))?;
        Ok((row.version, row.bytes))
    }
}
