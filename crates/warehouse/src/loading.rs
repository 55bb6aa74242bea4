//! What the loader needs beside inserts: the changes of many profiles at once.

use serde::Deserialize;
use uuid::Uuid;

use crate::client::Warehouse;
use crate::error::Error;
use crate::params::Param;
use crate::profiles::{Kind, MutationRow, chunks};

/// A change, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MutationOf {
    pub id: String,
    #[serde(flatten)]
    pub mutation: MutationRow,
}

impl Warehouse {
    /// The changes to these profiles, each one's in the order of their times: all of them, or those
    /// later than a moment.
    pub async fn mutations_of_many(
        &self,
        app: Uuid,
        kind: Kind,
        ids: &[String],
        after_ms: Option<i64>,
    ) -> Result<Vec<MutationOf>, Error> {
        let sql = "SELECT id, toUnixTimestamp64Milli(time) AS time_ms, log_id, operation, properties, \
                   toUnixTimestamp64Milli(received_at) AS received_ms FROM mutations \
                   WHERE app_id = {app:UUID} AND kind = {kind:String} AND id IN {ids:Array(String)} \
                   AND time > fromUnixTimestamp64Milli({after:Int64}, 'UTC') \
                   ORDER BY id, time, log_id LIMIT 1 BY id, log_id";
        let mut found = Vec::new();
        // The ids travel in the address of the request, which servers keep short.
        for ids in chunks(ids) {
            let params = [
                ("app", app.into()),
                ("kind", kind.as_str().into()),
                ("ids", Param::Texts(ids)),
                ("after", after_ms.unwrap_or(0).into()),
            ];
            found.extend(self.query::<MutationOf>(sql, &params).await?);
        }
        Ok(found)
    }
}
