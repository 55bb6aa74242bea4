//! Questions that people compose: of one event or any, counted, filtered, grouped, over time.

mod statement;

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::answer::read_rows;
use crate::bounds::{Bounds, LIST};
use crate::call::Call;
use crate::client::Warehouse;
use crate::conditions::{Filter, Property};
use crate::error::Error;
use crate::over_limit::OTHER;
use crate::params::Param;
use crate::shown::PEOPLE_MIN;
use crate::statement::{self as words, HiddenAs, Statement};

/// How many groups are shown; further ones are combined.
pub const GROUPS_MAX: usize = 10;
const VALUES_MAX: u64 = 20;
/// Suggestions come from this many of the newest events, or fewer where events are large.
const VALUES_SAMPLE: u64 = 100_000;
const VALUES: Bounds = Bounds { read: Some(256 << 20), groups: Some(200_000), wide: true, ..LIST };
/// One person's question must not keep others waiting. A question takes up to three statements.
const TIME_LIMIT: Duration = Duration::from_secs(8);
/// The length of the shortest buckets of counts, in seconds.
const QUARTER: u64 = crate::buckets::QUARTER as u64;
const MEMORY_LIMIT: u64 = 512 << 20;
const ROWS_LIMIT: u64 = 500_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    Events,
    Persons,
    Devices,
    EventsPerPerson,
}

#[derive(Clone, Debug)]
pub struct ExploreQuery {
    pub app: Uuid,
    /// Any event, if None.
    pub event: Option<String>,
    pub measure: Measure,
    pub filters: Vec<Filter>,
    pub group_by: Option<Property>,
    /// The Unix times at which the buckets start, and at which the last one ends.
    pub starts: Vec<u64>,
    pub end: u64,
    /// For callers who may not see personal data: values hidden from them are treated as absent
    /// (`shown`).
    pub hide_personal: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    Text(String),
    NotSet,
    /// Values that must not be shown.
    Hidden,
    /// Everything beyond the groups that are shown.
    Rest,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub key: Key,
    pub total: f64,
    /// One for each bucket.
    pub points: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub total: f64,
    /// The largest first, the rest last. A single one if nothing is grouped.
    pub groups: Vec<Group>,
}

/// A value of a property, and how many events carry it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ValueCount {
    pub value: String,
    pub events: u64,
}

/// Values of a property to choose from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// The most frequent first.
    pub values: Vec<ValueCount>,
    /// Whether there are others.
    pub more: bool,
    /// How many of the events read carry a value over the app's limit.
    pub other: u64,
}

#[derive(Deserialize)]
struct GroupRow {
    kind: u8,
    value: String,
    #[serde(flatten)]
    counts: Counts,
    /// Only counted where values are hidden.
    #[serde(default)]
    people: u64,
}

#[derive(Deserialize)]
struct PointRow {
    kind: u8,
    value: String,
    /// 1 in the row that counts a group over all buckets.
    whole: u8,
    slot: u64,
    #[serde(flatten)]
    counts: Counts,
}

#[derive(Default, Deserialize)]
struct Counts {
    events: u64,
    /// Distinct people or devices.
    who: u64,
}

impl Counts {
    fn measure(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Events => self.events as f64,
            Measure::Persons | Measure::Devices => self.who as f64,
            Measure::EventsPerPerson if self.who == 0 => 0.0,
            Measure::EventsPerPerson => self.events as f64 / self.who as f64,
        }
    }
}

impl ExploreQuery {
    fn place(&self, slot: u64) -> Option<usize> {
        self.starts.binary_search(&slot).ok()
    }

    /// The answer if there are no events.
    fn nothing(&self) -> Finding {
        let points = vec![0.0; self.starts.len()];
        let whole = Group { key: Key::NotSet, total: 0.0, points };
        let groups = if self.group_by.is_none() { vec![whole] } else { Vec::new() };
        Finding { total: 0.0, groups }
    }
}

impl Warehouse {
    pub async fn explore(&self, query: &ExploreQuery) -> Result<Finding, Error> {
        if query.starts.is_empty() {
            return Ok(query.nothing());
        }
        if query.group_by.is_none() {
            let groups = self.points(query, &[], HiddenAs::Hidden).await?;
            let Some(group) = groups.into_iter().next() else { return Ok(query.nothing()) };
            return Ok(Finding { total: group.total, groups: vec![group] });
        }
        let (top, hidden_as) = self.top(query).await?;
        let mut groups = self.points(query, &top, hidden_as).await?;
        let place = |group: &Group| top.iter().position(|key| *key == group.key);
        groups.sort_by_key(|group| place(group).unwrap_or(top.len()));
        // Not the sum of the groups: an event with a list is in several of them.
        let total: Vec<Counts> = self.bounded(statement::total(query, self.whose())).await?;
        let total = total.first().map_or(0.0, |counts| counts.measure(query.measure));
        Ok(Finding { total, groups })
    }

    /// The largest groups. Hidden values of too few people are counted as not set: a group of one would
    /// reveal who has something to hide.
    async fn top(&self, query: &ExploreQuery) -> Result<(Vec<Key>, HiddenAs), Error> {
        let mut hidden_as = HiddenAs::Hidden;
        let whose = self.whose();
        let mut top: Vec<GroupRow> = self.bounded(statement::top(query, whose, hidden_as)).await?;
        let is_few = |row: &GroupRow| row.kind == words::HIDDEN && row.people < PEOPLE_MIN;
        if top.iter().any(is_few) {
            hidden_as = HiddenAs::Nothing;
            top = self.bounded(statement::top(query, whose, hidden_as)).await?;
        }
        if query.hide_personal {
            let size = |row: &GroupRow| row.counts.measure(query.measure);
            // A stable order: groups of equal size stay as they were, except for the hidden one.
            let rank = |row: &GroupRow| (row.kind, row.value.clone());
            top.sort_by(|a, b| size(b).total_cmp(&size(a)).then_with(|| rank(a).cmp(&rank(b))));
            top.truncate(GROUPS_MAX);
        }
        Ok((top.into_iter().map(|row| key(row.kind, row.value)).collect(), hidden_as))
    }

    /// The most frequent recent values of a property, among those that contain `search`.
    pub async fn values(
        &self,
        query: &ExploreQuery,
        property: &Property,
        search: &str,
    ) -> Result<Values, Error> {
        #[derive(Deserialize)]
        struct Other {
            events: u64,
        }
        let query = &self.newest(query).await?;
        let mut values: Vec<ValueCount> =
            self.statement_within(&VALUES, statement::values(query, property, search)).await?;
        let more = values.len() as u64 > VALUES_MAX;
        values.truncate(VALUES_MAX as usize);
        let other: Vec<Other> = match property.over_limit_bit() {
            Some(bit) => self.statement_within(&VALUES, statement::over_limit(query, bit)).await?,
            None => Vec::new(),
        };
        Ok(Values { values, more, other: other.first().map_or(0, |other| other.events) })
    }

    /// The same query for the newest part of its range that holds enough events for a sample.
    async fn newest(&self, query: &ExploreQuery) -> Result<ExploreQuery, Error> {
        let mut newest = query.clone();
        let from = query.starts.first().copied().unwrap_or(query.end);
        let event = query.event.as_deref();
        let mut quarters = self.quarters(query.app, event, from / QUARTER * QUARTER).await?;
        if quarters.is_empty() && event.is_some() {
            // The event may be over the limit, without counts of its own.
            quarters = self.quarters(query.app, Some(OTHER), from / QUARTER * QUARTER).await?;
        }
        let mut events = 0;
        let enough = quarters.iter().find(|(_, count)| {
            events += count;
            events >= VALUES_SAMPLE
        });
        if let Some((start, _)) = enough {
            newest.starts = vec![from.max(*start)];
        }
        Ok(newest)
    }

    async fn points(
        &self,
        query: &ExploreQuery,
        top: &[Key],
        hidden_as: HiddenAs,
    ) -> Result<Vec<Group>, Error> {
        let statement = statement::points(query, self.whose(), top, hidden_as);
        let rows: Vec<PointRow> = self.bounded(statement).await?;
        let mut groups: Vec<Group> = Vec::new();
        for row in rows {
            let key = key(row.kind, row.value);
            let group = match groups.iter_mut().find(|group| group.key == key) {
                Some(group) => group,
                None => {
                    let points = vec![0.0; query.starts.len()];
                    groups.push(Group { key, total: 0.0, points });
                    let Some(last) = groups.last_mut() else { continue };
                    last
                }
            };
            let measured = row.counts.measure(query.measure);
            if row.whole == 1 {
                group.total = measured;
            } else if let Some(place) = query.place(row.slot) {
                group.points[place] = measured;
            }
        }
        Ok(groups)
    }

    async fn statement_within<T: DeserializeOwned>(
        &self,
        bounds: &Bounds,
        statement: Statement,
    ) -> Result<Vec<T>, Error> {
        let params: Vec<(&str, Param)> =
            statement.params.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        self.query_within(bounds, &statement.sql, &params).await
    }

    async fn bounded<T: DeserializeOwned>(&self, statement: Statement) -> Result<Vec<T>, Error> {
        let sql = format!("{}\nFORMAT JSONEachRow", statement.sql);
        let params: Vec<(&str, Param)> =
            statement.params.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        let call = Call::new(&sql, &params, self.limit().min(TIME_LIMIT))
            .set("max_memory_usage", MEMORY_LIMIT)
            .set("max_rows_to_read", ROWS_LIMIT)
            .reading();
        read_rows(&self.call(call).await?)
    }
}

fn key(kind: u8, value: String) -> Key {
    match kind {
        words::TEXT => Key::Text(value),
        words::NOT_SET => Key::NotSet,
        words::HIDDEN => Key::Hidden,
        _ => Key::Rest,
    }
}
