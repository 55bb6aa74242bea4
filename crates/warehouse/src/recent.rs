//! The latest events of an app, of all its people.

use serde::Deserialize;
use uuid::Uuid;

use crate::bounds::{Bounds, LIST};
use crate::client::Warehouse;
use crate::error::Error;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RecentEvent {
    /// When the collector accepted it.
    pub received_ms: i64,
    pub event: String,
    pub log_id: Uuid,
    pub url_path: String,
    pub sdk_type: String,
    pub sdk_version: String,
    /// A JSON object, as text.
    pub properties: String,
    pub user_id: String,
    pub device_id: String,
}

/// How far to look back from the latest event. The range is extended while there are too few events: a
/// busy app's day has millions, and a whole range is read to find its latest.
const STRETCHES_MS: [i64; 4] = [10_000, 600_000, 86_400_000, 90 * 86_400_000];

const COLUMNS: &str = "SELECT toUnixTimestamp64Milli(received_at) AS received_ms, event, log_id, \
    url_path, sdk_type, sdk_version, properties, user_id, device_id FROM events";

const RECENT: Bounds = Bounds { wide: true, ..LIST };

impl Warehouse {
    /// The latest events of an app, newest first.
    pub async fn recent_events(&self, app: Uuid, limit: usize) -> Result<Vec<RecentEvent>, Error> {
        let Some(last) = self.last_event(&[app]).await?.remove(&app) else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for stretch in STRETCHES_MS {
            found = self.latest_within(app, last - stretch, last, limit).await?;
            if found.len() >= limit {
                break;
            }
        }
        Ok(found)
    }

    /// Events that were received after a moment and happened within a range: the newest, up to `limit`,
    /// in the order in which they arrived.
    pub async fn received_since(
        &self,
        app: Uuid,
        since_ms: i64,
        (from_ms, to_ms): (i64, i64),
        limit: usize,
    ) -> Result<Vec<RecentEvent>, Error> {
        let sql = format!(
            "{COLUMNS} WHERE app_id = {{app:UUID}} \
                AND time > fromUnixTimestamp64Milli({{from:Int64}}, 'UTC') \
                AND time <= fromUnixTimestamp64Milli({{to:Int64}}, 'UTC') \
                AND received_at > fromUnixTimestamp64Milli({{since:Int64}}, 'UTC') \
             ORDER BY received_at DESC, time DESC, log_id LIMIT {{limit:UInt64}}"
        );
        let params = [
            ("app", app.into()),
            ("from", from_ms.into()),
            ("to", to_ms.into()),
            ("since", since_ms.into()),
            ("limit", u64::try_from(limit).unwrap_or(u64::MAX).into()),
        ];
        let mut found: Vec<RecentEvent> = self.query_within(&RECENT, &sql, &params).await?;
        found.reverse();
        Ok(found)
    }

    async fn latest_within(
        &self,
        app: Uuid,
        from_ms: i64,
        to_ms: i64,
        limit: usize,
    ) -> Result<Vec<RecentEvent>, Error> {
        let sql = format!(
            "{COLUMNS} WHERE app_id = {{app:UUID}} \
                AND time > fromUnixTimestamp64Milli({{from:Int64}}, 'UTC') \
                AND time <= fromUnixTimestamp64Milli({{to:Int64}}, 'UTC') \
             ORDER BY time DESC, log_id LIMIT {{limit:UInt64}}"
        );
        let params = [
            ("app", app.into()),
            ("from", from_ms.into()),
            ("to", to_ms.into()),
            ("limit", u64::try_from(limit).unwrap_or(u64::MAX).into()),
        ];
        self.query_within(&RECENT, &sql, &params).await
    }
}
