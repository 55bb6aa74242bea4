//! Which events an app sends, and what they carry.

use serde::Deserialize;
use uuid::Uuid;

use crate::client::Warehouse;
use crate::error::Error;
use crate::params::Param;
use crate::shown::Shown;

/// Names that an app could have by mistake, such as one for each order, end somewhere.
const NAMES_MAX: u64 = 10_000;
const PROPERTIES_MAX: u64 = 1_000;
/// Longer values are no examples.
const EXAMPLE_MAX: u64 = 500;

/// An event's name, and between which quarters of an hour it was seen, by the Unix times they
/// start at.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct EventName {
    pub event: String,
    pub first: u64,
    pub last: u64,
}

/// How often an event happened, and to how many people.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct EventCount {
    pub event: String,
    pub events: u64,
    pub persons: u64,
}

/// When exactly an event happened for the first and the last time.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct EventMoments {
    pub event: String,
    pub first_ms: i64,
    pub last_ms: i64,
}

/// What a property was in some events: one row for each type it came in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PropertyKind {
    pub property: String,
    /// string, number, boolean, list, object or null.
    pub kind: String,
    pub events: u64,
    /// The most frequent values, as JSON.
    pub examples: Vec<String>,
    /// In how many of them the value is not shown.
    pub hidden: u64,
}

impl Warehouse {
    /// The names of all events that are kept.
    pub async fn event_names(&self, app: Uuid) -> Result<Vec<EventName>, Error> {
        let sql = format!(
            "SELECT event, toUnixTimestamp(min(bucket)) AS first, toUnixTimestamp(max(bucket)) AS last \
             FROM events_15m WHERE app_id = {{app:UUID}} GROUP BY event \
             ORDER BY last DESC, event LIMIT {NAMES_MAX}"
        );
        self.query(&sql, &[("app", app.into())]).await
    }

    /// What happened since a moment, which is a multiple of 15 minutes.
    pub async fn event_counts(&self, app: Uuid, since: u64) -> Result<Vec<EventCount>, Error> {
        let sql = format!(
            "SELECT event, sum(events_15m.events) AS events, groupBitmapMerge(events_15m.people) AS persons \
             FROM events_15m WHERE app_id = {{app:UUID}} AND bucket >= toDateTime({{since:UInt32}}, 'UTC') \
             GROUP BY event ORDER BY events DESC, event LIMIT {NAMES_MAX}"
        );
        self.query(&sql, &[("app", app.into()), ("since", since.into())]).await
    }

    /// The exact moments of some events, looked for in the hours that the names say.
    pub async fn event_moments(
        &self,
        app: Uuid,
        names: &[EventName],
    ) -> Result<Vec<EventMoments>, Error> {
        let hour = |moment: u64| moment / 3600 * 3600;
        let hours = names.iter().flat_map(|name| [hour(name.first), hour(name.last)]).collect();
        let events = names.iter().map(|name| name.event.clone()).collect();
        let sql = "SELECT event, toUnixTimestamp64Milli(min(time)) AS first_ms, \
                   toUnixTimestamp64Milli(max(time)) AS last_ms FROM events \
                   WHERE app_id = {app:UUID} AND event IN {events:Array(String)} AND toStartOfHour(time) IN \
                   (SELECT toDateTime(arrayJoin({hours:Array(UInt32)}), 'UTC')) GROUP BY event";
        let params =
            [("app", app.into()), ("events", Param::Texts(events)), ("hours", Param::UInts(hours))];
        self.query(sql, &params).await
    }

    /// How many events of a name there were in each quarter of an hour since a moment, newest first.
    pub async fn event_buckets(
        &self,
        app: Uuid,
        event: &str,
        since: u64,
    ) -> Result<Vec<(u64, u64)>, Error> {
        #[derive(Deserialize)]
        struct Row {
            at: u64,
            count: u64,
        }
        let sql = "SELECT toUnixTimestamp(bucket) AS at, sum(events) AS count FROM events_15m \
                   WHERE app_id = {app:UUID} AND bucket >= toDateTime({since:UInt32}, 'UTC') \
                   AND event = {event:String} GROUP BY bucket ORDER BY bucket DESC";
        let params = [("app", app.into()), ("event", event.into()), ("since", since.into())];
        let rows: Vec<Row> = self.query(sql, &params).await?;
        Ok(rows.into_iter().map(|row| (row.at, row.count)).collect())
    }

    /// What the newest `most` events of a name since a moment carry. With `hide_personal` what is
    /// not shown (`shown`) is no example, and a property called by an id is left out.
    pub async fn property_kinds(
        &self,
        app: Uuid,
        event: &str,
        since: u64,
        most: u64,
        hide_personal: bool,
    ) -> Result<Vec<PropertyKind>, Error> {
        let (hides_name, hides_value) = match hide_personal {
            true => {
                let shown = Shown::of("{app:UUID}");
                (shown.hides_name("pair.1"), shown.hides_json("pair.2", false))
            }
            false => ("0".to_owned(), "0".to_owned()),
        };
        let sql = format!(
            "SELECT pair.1 AS property, multiIf(startsWith(pair.2, '\"'), 'string', \
                startsWith(pair.2, '['), 'list', startsWith(pair.2, '{{'), 'object', \
                pair.2 = 'null', 'null', pair.2 IN ('true', 'false'), 'boolean', 'number') AS kind, \
                count() AS events, \
                topKIf(5)(pair.2, length(pair.2) <= {EXAMPLE_MAX} AND pair.2 != 'null' \
                    AND NOT {hides_value}) AS examples, countIf({hides_value}) AS hidden \
             FROM (SELECT properties, user_id, device_id FROM events WHERE app_id = {{app:UUID}} \
                AND time >= toDateTime({{since:UInt32}}, 'UTC') AND event = {{event:String}} \
                ORDER BY toStartOfHour(time) DESC, time DESC LIMIT {{most:UInt64}}) \
             ARRAY JOIN JSONExtractKeysAndValuesRaw(properties) AS pair WHERE NOT {hides_name} \
             GROUP BY property, kind ORDER BY events DESC, property LIMIT {PROPERTIES_MAX}"
        );
        let params = [
            ("app", app.into()),
            ("event", event.into()),
            ("since", since.into()),
            ("most", most.into()),
        ];
        self.query(&sql, &params).await
    }
}
