//! What the loader needs beside inserts: the changes of many profiles at once.

use serde::Deserialize;
use uuid::Uuid;

use crate::client::Warehouse;
use crate::error::Error;
use crate::params::Param;
use crate::profiles::{MutationRow, chunks};
use crate::rows::Kind;

fn page_of_mutations(place: &str) -> String {
    format!(
        "SELECT id, toUnixTimestamp64Milli(time) AS time_ms, log_id, operation, properties, \
            toUnixTimestamp64Milli(received_at) AS received_ms FROM mutations \
         WHERE app_id = {{app:UUID}} AND kind = {{kind:String}} AND id IN {{ids:Array(String)}} \
            AND time > fromUnixTimestamp64Milli({{after:Int64}}, 'UTC') {place} \
         ORDER BY id, time, log_id LIMIT 1 BY id, log_id LIMIT {{limit:UInt64}}"
    )
}

/// A change, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MutationOf {
    pub id: String,
    #[serde(flatten)]
    pub mutation: MutationRow,
}

/// How far changes were read: whose they were, and the last one's place among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadUpTo {
    pub id: String,
    pub time_ms: i64,
    pub log_id: Uuid,
}

impl Warehouse {
    /// Like `mutations_of_many`, at most so many at a time, in the order of ids: what comes after
    /// `upto`, and of the one named there only what is left. The ids must be few enough for an
    /// address: `chunks_of_ids` sees to it.
    pub async fn mutations_after(
        &self,
        (app, kind): (Uuid, Kind),
        ids: &[String],
        after_ms: Option<i64>,
        upto: Option<&ReadUpTo>,
        limit: u64,
    ) -> Result<Vec<MutationOf>, Error> {
        let mut found = Vec::new();
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        if let Some(ReadUpTo { id, time_ms, log_id }) = upto {
            ids.retain(|other| other > id);
            // By itself, where the table's order leads straight to the place.
            let params = [
                ("app", app.into()),
                ("kind", kind.as_str().into()),
                ("ids", Param::Texts(vec![id.clone()])),
                ("after", after_ms.unwrap_or(0).max(time_ms - 1).into()),
                ("time", (*time_ms).into()),
                ("log", (*log_id).into()),
                ("limit", limit.into()),
            ];
            let place = "AND (time, log_id) > \
                (fromUnixTimestamp64Milli({time:Int64}, 'UTC'), {log:UUID})";
            found = self.query(&page_of_mutations(place), &params).await?;
        }
        let left = limit.saturating_sub(found.len() as u64);
        if left > 0 && !ids.is_empty() {
            let params = [
                ("app", app.into()),
                ("kind", kind.as_str().into()),
                ("ids", Param::Texts(ids)),
                ("after", after_ms.unwrap_or(0).into()),
                ("limit", left.into()),
            ];
            found.extend(self.query::<MutationOf>(&page_of_mutations(""), &params).await?);
        }
        Ok(found)
    }

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
