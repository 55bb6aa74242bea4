//! The properties of events with a given name: their names, types and example values.
//!
//! An app may send any number of property names, so this takes steps that are each cheap: choose which
//! of the newest events to read, find their most frequent property names, and then get types and
//! examples of only those.

use serde::Deserialize;
use uuid::Uuid;

use crate::bounds::{Bounds, LIST};
use crate::client::Warehouse;
use crate::error::Error;
use crate::over_limit::PROPERTIES;
use crate::params::Param;
use crate::shown::Shown;

/// How many names are listed, each for the events within the limits and for the others.
const NAMES_MAX: u64 = 1_000;
/// Longer values are not used as examples.
const EXAMPLE_MAX: u64 = 500;

/// How many bytes of properties are read: where they are large, those of fewer events.
const BYTES_MAX: u64 = 8 << 20;
const READ: Bounds = Bounds { memory: 192 << 20, groups: Some(100_000), wide: true, ..LIST };

/// The events to read: the newest with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertySample {
    app: Uuid,
    event: String,
    /// In milliseconds.
    from: i64,
    /// How many of them are within the app's limit of property names, and how many are over it.
    events: [u64; 2],
}

/// A property by its name, and how many of the sampled events carry it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyName {
    pub property: String,
    pub events: u64,
    /// Whether it was seen in an event whose names are all within the app's limit.
    pub within_limit: bool,
    hash: u64,
}

/// A property in the sampled events: one row for each type it had.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PropertyKind {
    pub property: String,
    /// string, number, boolean, list, object or null.
    pub kind: String,
    pub events: u64,
    /// The most frequent values, as JSON.
    pub examples: Vec<String>,
    /// In how many events the value is hidden.
    pub hidden: u64,
}

/// The property names of the sampled events.
#[derive(Debug, Default)]
pub struct PropertyNames {
    /// The most frequent ones, those within the limit first.
    pub names: Vec<PropertyName>,
    /// How many distinct names there were, as far as they could be distinguished.
    pub distinct: u64,
}

impl PropertySample {
    /// How many events the sample has.
    pub fn count(&self) -> u64 {
        self.events.iter().sum()
    }

    fn params(&self) -> Vec<(&'static str, Param)> {
        vec![
            ("app", self.app.into()),
            ("event", self.event.as_str().into()),
            ("from", self.from.into()),
            // A limit, because any number of events may share the first millisecond.
            ("most", self.count().into()),
        ]
    }
}

/// The events of a sample.
const SAMPLED: &str = "app_id = {app:UUID} AND event = {event:String} \
    AND time >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')";

impl Warehouse {
    /// The newest `most` events of a name since a moment, or fewer where their properties are large.
    pub async fn property_sample(
        &self,
        app: Uuid,
        event: &str,
        since: u64,
        most: u64,
    ) -> Result<PropertySample, Error> {
        #[derive(Deserialize)]
        struct Row {
            from: i64,
            within: u64,
            over: u64,
        }
        let sql = format!(
            "SELECT toUnixTimestamp64Milli(min(time)) AS from, \
                countIf(bitAnd(over_limit, {PROPERTIES}) = 0) AS within, count() - within AS over \
             FROM (SELECT time, over_limit, size, sum(size) OVER (ORDER BY time DESC \
                    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS sum \
                FROM (SELECT time, over_limit, length(properties) AS size FROM events \
                    WHERE app_id = {{app:UUID}} AND event = {{event:String}} \
                    AND time >= toDateTime({{since:UInt32}}, 'UTC') \
                    ORDER BY toStartOfHour(time) DESC, time DESC LIMIT {{most:UInt64}})) \
             WHERE sum - size <= {BYTES_MAX}"
        );
        let params = [
            ("app", app.into()),
            ("event", event.into()),
            ("since", since.into()),
            ("most", most.into()),
        ];
        let rows: Vec<Row> = self.query_within(&READ, &sql, &params).await?;
        let (from, events) =
            rows.first().map_or((0, [0, 0]), |row| (row.from, [row.within, row.over]));
        Ok(PropertySample { app, event: event.to_owned(), from, events })
    }

    /// The property names of the sampled events.
    pub async fn property_names(&self, sample: &PropertySample) -> Result<PropertyNames, Error> {
        let mut all = PropertyNames::default();
        // Queried separately, so that names over the limit can never push out those within.
        for (over, _) in (0_u8..).zip(sample.events).filter(|(_, events)| *events > 0) {
            let rows = self.names_of(sample, over).await?;
            all.distinct += rows.first().map_or(0, |row| row.distinct);
            for row in rows {
                all.add(row, over == 0);
            }
        }
        Ok(all)
    }

    async fn names_of(&self, sample: &PropertySample, over: u8) -> Result<Vec<NameRow>, Error> {
        let sql = format!(
            "SELECT property, cityHash64(property) AS hash, count() AS events, \
                count() OVER () AS distinct \
             FROM (SELECT properties FROM events \
                WHERE {SAMPLED} AND (bitAnd(over_limit, {PROPERTIES}) != 0) = {over} \
                LIMIT {{most:UInt64}}) \
             ARRAY JOIN JSONExtractKeys(properties) AS property \
             GROUP BY property ORDER BY events DESC, property LIMIT {NAMES_MAX}"
        );
        self.query_within(&READ, &sql, &sample.params()).await
    }

    /// Types and examples of some properties. With `hide_personal`, hidden values (`shown`) are not used
    /// as examples, and properties whose name is a person's id are left out.
    pub async fn property_kinds(
        &self,
        sample: &PropertySample,
        names: &[PropertyName],
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
             FROM (SELECT properties, user_id, device_id FROM events WHERE {SAMPLED} \
                LIMIT {{most:UInt64}}) \
             ARRAY JOIN arrayFilter(named -> cityHash64(named.1) IN {{hashes:Array(UInt64)}}, \
                JSONExtractKeysAndValuesRaw(properties)) AS pair WHERE NOT {hides_name} \
             GROUP BY property, kind ORDER BY events DESC, property"
        );
        let mut params = sample.params();
        params.push(("hashes", names.iter().map(|name| name.hash).collect::<Vec<_>>().into()));
        self.query_within(&READ, &sql, &params).await
    }
}

#[derive(Deserialize)]
struct NameRow {
    property: String,
    hash: u64,
    events: u64,
    /// The same in every row.
    distinct: u64,
}

impl PropertyNames {
    fn add(&mut self, row: NameRow, within_limit: bool) {
        match self.names.iter_mut().find(|name| name.hash == row.hash) {
            Some(known) => {
                known.events += row.events;
                self.distinct = self.distinct.saturating_sub(1);
            }
            None => self.names.push(PropertyName {
                property: row.property,
                events: row.events,
                within_limit,
                hash: row.hash,
            }),
        }
    }
}
