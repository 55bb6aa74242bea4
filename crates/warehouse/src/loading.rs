//! What the loader needs besides inserts: reading the changes of many profiles at once.

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

/// A change, and the id of the profile it changes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MutationOf {
    pub id: String,
    #[serde(flatten)]
    pub mutation: MutationRow,
}

/// How far changes were read: the last change, by its profile, time and message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadUpTo {
    pub id: String,
    pub time_ms: i64,
    pub log_id: Uuid,
}

impl Warehouse {
    /// Like `mutations_of_many`, but at most `limit` at a time, ordered by id: those after `upto`. The
    /// ids must fit into one URL: `chunks_of_ids` ensures that.
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
            // A statement of its own, because the table's order leads straight to the position.
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

    /// The changes to these profiles, those of each profile ordered by time: all of them, or those after
    /// a moment.
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
        // The ids are sent in the URL, which servers limit.
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
