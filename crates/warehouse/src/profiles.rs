//! The properties of devices and users: the changes that came in, and the profiles they result in.

use serde::Deserialize;
use uuid::Uuid;

use crate::call::Insert;
use crate::client::Warehouse;
use crate::error::Error;
use crate::identities::Identity;
use crate::params::Param;
use crate::rows::{Kind, put_text, put_uuid};

/// A profile whose properties are longer than this is read without them. Profiles are kept far
/// smaller; larger ones were stored before there was a limit.
pub const PROFILE_READ_MAX: u64 = 256 << 10;

/// What is known about a device or user.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ProfileRow {
    pub app_id: Uuid,
    pub kind: Kind,
    pub id: String,
    /// A JSON object, as text; empty where it is too long to be read.
    pub properties: String,
    /// The time of the last change applied to it, in milliseconds.
    pub updated_ms: i64,
    /// The id of that change; time and id together say how far changes were applied.
    pub last_log_id: Uuid,
    pub deleted: bool,
    /// Among several rows, the one with the highest version counts.
    pub version: u64,
}

/// A change as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MutationRow {
    pub time_ms: i64,
    pub log_id: Uuid,
    pub operation: String,
    /// A JSON object, as text.
    pub properties: String,
    pub received_ms: i64,
}

impl Warehouse {
    /// The profiles that exist for these ids, including deleted ones, which are marked.
    pub async fn profiles(
        &self,
        app: Uuid,
        kind: Kind,
        ids: &[String],
    ) -> Result<Vec<ProfileRow>, Error> {
        let sql = "SELECT app_id, kind, id, \
                   if(length(properties) > {most:UInt64}, '', properties) AS properties, \
                   toUnixTimestamp64Milli(updated_at) AS updated_ms, last_log_id, \
                   toBool(deleted) AS deleted, version FROM profiles FINAL \
                   WHERE app_id = {app:UUID} AND kind = {kind:String} AND id IN {ids:Array(String)}";
        let mut found = Vec::new();
        // The ids are sent in the URL, which servers limit.
        for ids in chunks(ids) {
            let params = [
                ("app", app.into()),
                ("kind", kind.as_str().into()),
                ("ids", Param::Texts(ids)),
                ("most", PROFILE_READ_MAX.into()),
            ];
            found.extend(self.query::<ProfileRow>(sql, &params).await?);
        }
        Ok(found)
    }

    /// Stores profiles; each replaces those of a lower version.
    pub async fn insert_profiles(&self, rows: &[ProfileRow]) -> Result<(), Error> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut bodies = self.bodies().await?;
        for row in rows {
            let identity = Identity::of(row.app_id, row.kind, row.id.as_bytes());
            let body = bodies.at(|| identity.place());
            put_uuid(row.app_id, body);
            put_text(row.kind.as_str(), body);
            put_text(&row.id, body);
            put_text(&row.properties, body);
            body.extend_from_slice(&row.updated_ms.to_le_bytes());
            put_uuid(row.last_log_id, body);
            body.push(row.deleted.into());
            body.extend_from_slice(&row.version.to_le_bytes());
        }
        let sql = "INSERT INTO profiles (app_id, kind, id, properties, updated_at, last_log_id, deleted, version) \
                   FORMAT RowBinary";
        self.insert_bodies(sql, bodies, Insert::default()).await
    }
}

/// Splits a list of ids into chunks of at most 8 KiB, which fit into a URL.
pub fn chunks(ids: &[String]) -> Vec<Vec<String>> {
    const MOST: usize = 8 << 10;
    let mut buckets = Vec::new();
    let mut bucket = Vec::new();
    let mut size = 0;
    for id in ids {
        if size + id.len() > MOST && !bucket.is_empty() {
            buckets.push(std::mem::take(&mut bucket));
            size = 0;
        }
        size += id.len() + 3;
        bucket.push(id.clone());
    }
    if !bucket.is_empty() {
        buckets.push(bucket);
    }
    buckets
}
