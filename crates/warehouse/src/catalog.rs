//! Which events an app sends. Their properties are in `properties`.

use serde::Deserialize;
use uuid::Uuid;

use crate::bounds::LIST;
use crate::buckets::DAY;
use crate::client::Warehouse;
use crate::error::Error;
use crate::over_limit::{OTHER, OTHER_SQL};
use crate::params::Param;

/// Bounds the list for an app that makes up names by mistake, such as one for each order.
pub const EVENT_NAMES_MAX: usize = 10_000;

/// An event's name, and the first and last quarter of an hour it was seen in, by the Unix times at which
/// they start.
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

impl EventCount {
    /// Whether it stands for all events whose names are over the app's limit.
    pub fn is_other(&self) -> bool {
        self.event == OTHER
    }
}

impl Warehouse {
    /// The names of all events that are still stored and have counts of their own.
    pub async fn event_names(&self, app: Uuid) -> Result<Vec<EventName>, Error> {
        let sql = format!(
            "SELECT event, toUnixTimestamp(min(bucket)) AS first, toUnixTimestamp(max(bucket)) AS last \
             FROM events_15m WHERE app_id = {{app:UUID}} AND event != {OTHER_SQL} GROUP BY event \
             ORDER BY last DESC, event LIMIT {EVENT_NAMES_MAX}"
        );
        self.query_within(&LIST, &sql, &[("app", app.into())]).await
    }

    /// Counts by event since a moment, which is a multiple of 15 minutes. Names over the limit are
    /// counted together, and come first.
    pub async fn event_counts(&self, app: Uuid, since: u64) -> Result<Vec<EventCount>, Error> {
        let day = since.next_multiple_of(u64::from(DAY));
        // Days are few rows; quarters of an hour cover only the part of a day before the first whole
        // one.
        let sql = format!(
            "SELECT event, sum(count) AS events, groupBitmapMerge(who) AS persons FROM (\
                SELECT event, events AS count, people AS who FROM events_1d \
                WHERE app_id = {{app:UUID}} AND bucket >= toDateTime({{day:UInt32}}, 'UTC') \
                UNION ALL SELECT event, events AS count, people AS who FROM events_15m \
                WHERE app_id = {{app:UUID}} AND bucket >= toDateTime({{since:UInt32}}, 'UTC') \
                AND bucket < toDateTime({{day:UInt32}}, 'UTC')) \
             GROUP BY event ORDER BY event = {OTHER_SQL} DESC, events DESC, event LIMIT {EVENT_NAMES_MAX}"
        );
        let params = [("app", app.into()), ("since", since.into()), ("day", day.into())];
        self.query_within(&LIST, &sql, &params).await
    }

    /// The exact first and last moments of some events, searched only within the hours that `names`
    /// gives.
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
        self.query_within(&LIST, sql, &params).await
    }

    /// How many events, of one name or of any, there were in each quarter of an hour since a moment,
    /// newest first. Names over the limit have no counts of their own.
    pub async fn quarters(
        &self,
        app: Uuid,
        event: Option<&str>,
        since: u64,
    ) -> Result<Vec<(u64, u64)>, Error> {
        #[derive(Deserialize)]
        struct Row {
            at: u64,
            count: u64,
        }
        let (table, named) = match event {
            Some(_) => ("events_15m", "AND event = {event:String}"),
            None => ("totals_15m", ""),
        };
        let sql = format!(
            "SELECT toUnixTimestamp(bucket) AS at, sum(events) AS count FROM {table} \
             WHERE app_id = {{app:UUID}} AND bucket >= toDateTime({{since:UInt32}}, 'UTC') {named} \
             GROUP BY bucket ORDER BY bucket DESC"
        );
        let mut params = vec![("app", app.into()), ("since", since.into())];
        params.extend(event.map(|event| ("event", event.into())));
        let rows: Vec<Row> = self.query_within(&LIST, &sql, &params).await?;
        Ok(rows.into_iter().map(|row| (row.at, row.count)).collect())
    }
}
