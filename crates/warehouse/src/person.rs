//! One user or device: when they were seen, and what they did.

use std::time::Duration;

use futures_util::future::try_join3;
use serde::Deserialize;
use uuid::Uuid;

use crate::bounds::{Bounds, LIST};
use crate::client::Warehouse;
use crate::error::Error;
use crate::owners::Whose;
use crate::people::PersonRow;
use crate::rows::Kind;

/// All of an app's events may have to be read. For a person with a hundred thousand different events,
/// the first of those are enough.
const OF_ONE: Bounds = Bounds { time: Duration::from_secs(30), groups: Some(100_000), ..LIST };

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CountOf {
    pub name: String,
    pub events: u64,
}

/// What a user or device did, as far as it is still stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonActivity {
    pub events: u64,
    pub top_events: Vec<CountOf>,
    /// The devices of a user, or the users of a device, the latest first.
    pub together: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct EventOf {
    pub time_ms: i64,
    pub event: String,
    pub log_id: Uuid,
    pub url_path: String,
    pub os: String,
    pub browser: String,
    pub device_type: String,
    /// A JSON object, as text.
    pub properties: String,
    pub user_id: String,
    pub device_id: String,
}

const WITHIN: &str = "app_id = {app:UUID} AND time >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') \
    AND time < fromUnixTimestamp64Milli({to:Int64}, 'UTC')";

/// A condition for the events of a user or device: by the hash, which is fast to compare, and by the id
/// itself. Events of a user's devices before the user signed in are included.
fn events_of_one(kind: Kind, whose: Whose) -> String {
    match kind {
        Kind::Device => "device = cityHash64({id:String}) AND device_id = {id:String}".to_owned(),
        Kind::User => format!(
            "(person = cityHash64('user', {{id:String}}) AND user_id = {{id:String}} OR {})",
            whose.is_of("{app:UUID}", "{id:String}")
        ),
    }
}

impl Warehouse {
    /// When a user or device was first and last seen.
    pub async fn person(&self, app: Uuid, kind: Kind, id: &str) -> Result<PersonRow, Error> {
        let sql = format!(
            "SELECT toUnixTimestamp64Milli(min(toNullable(first_seen))) AS first_ms, \
                toUnixTimestamp64Milli(max(toNullable(last_seen))) AS last_ms, {{id:String}} AS id \
             FROM {} WHERE app_id = {{app:UUID}} AND {} = {{id:String}}",
            kind.table(),
            kind.column()
        );
        let rows: Vec<PersonRow> =
            self.query(&sql, &[("app", app.into()), ("id", id.into())]).await?;
        let unknown = PersonRow { id: id.to_owned(), first_ms: None, last_ms: None };
        Ok(rows.into_iter().next().unwrap_or(unknown))
    }

    /// The range in which events of a user or device can exist, both ends included: a user's start with
    /// those of their devices.
    pub async fn seen_between(
        &self,
        app: Uuid,
        kind: Kind,
        id: &str,
    ) -> Result<Option<(i64, i64)>, Error> {
        #[derive(Deserialize)]
        struct Row {
            first_ms: Option<i64>,
            last_ms: Option<i64>,
        }
        let own = format!(
            "SELECT first_seen, last_seen FROM {} WHERE app_id = {{app:UUID}} AND {} = {{id:String}}",
            kind.table(),
            kind.column()
        );
        let rows = match (kind, self.whose()) {
            (Kind::User, whose @ Whose::Owners) => format!(
                "{own} UNION ALL SELECT first_seen, last_seen FROM devices \
                 WHERE app_id = {{app:UUID}} AND no IN {}",
                whose.devices_of("{app:UUID}", "{id:String}")
            ),
            _ => own,
        };
        let sql = format!(
            "SELECT toUnixTimestamp64Milli(min(toNullable(first_seen))) AS first_ms, \
                toUnixTimestamp64Milli(max(toNullable(last_seen))) AS last_ms FROM ({rows})"
        );
        let rows: Vec<Row> = self.query(&sql, &[("app", app.into()), ("id", id.into())]).await?;
        Ok(rows.first().and_then(|row| Some((row.first_ms?, row.last_ms?))))
    }

    /// What a user or device did between two moments, both included.
    pub async fn doings(
        &self,
        app: Uuid,
        kind: Kind,
        id: &str,
        (from_ms, to_ms): (i64, i64),
    ) -> Result<PersonActivity, Error> {
        let other = match kind {
            Kind::Device => "user_id",
            Kind::User => "device_id",
        };
        let wanted = format!("{WITHIN} AND {}", events_of_one(kind, self.whose()));
        let params = [
            ("app", app.into()),
            ("id", id.into()),
            ("from", from_ms.into()),
            ("to", (to_ms.saturating_add(1)).into()),
        ];
        let all = format!("SELECT '' AS name, count() AS events FROM events WHERE {wanted}");
        let top = format!(
            "SELECT event AS name, count() AS events FROM events WHERE {wanted} \
             GROUP BY event ORDER BY events DESC, name LIMIT 10"
        );
        let together = format!(
            "SELECT {other} AS name, count() AS events FROM events WHERE {wanted} AND {other} != '' \
             GROUP BY {other} ORDER BY max(time) DESC, name LIMIT 20"
        );
        let (all, top_events, together) = try_join3(
            self.query_within::<CountOf>(&OF_ONE, &all, &params),
            self.query_within::<CountOf>(&OF_ONE, &top, &params),
            self.query_within::<CountOf>(&OF_ONE, &together, &params),
        )
        .await?;
        Ok(PersonActivity {
            events: all.first().map_or(0, |row| row.events),
            top_events,
            together: together.into_iter().map(|row| row.name).collect(),
        })
    }

    /// The latest events of a user or device before a moment, newest first, not earlier than `from_ms`.
    pub async fn events_of(
        &self,
        app: Uuid,
        kind: Kind,
        id: &str,
        (from_ms, before_ms): (i64, i64),
        limit: u64,
    ) -> Result<Vec<EventOf>, Error> {
        let sql = format!(
            "SELECT toUnixTimestamp64Milli(time) AS time_ms, event, log_id, url_path, os, browser, \
                device_type, properties, user_id, device_id FROM events WHERE {WITHIN} AND {} \
             ORDER BY toStartOfHour(time) DESC, time DESC, log_id LIMIT {{limit:UInt64}}",
            events_of_one(kind, self.whose())
        );
        let params = [
            ("app", app.into()),
            ("id", id.into()),
            ("from", from_ms.into()),
            ("to", before_ms.into()),
            ("limit", limit.into()),
        ];
        self.query(&sql, &params).await
    }
}
