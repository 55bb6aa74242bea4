//! Trends: counts of events, people, devices or sessions over time, or aggregates of a property.

use roaring::MultiOps;

use super::Scope;
use super::groups::{Belongs, Grouping, Groups, Rank};
use super::slots::Slots;
use crate::binary::Rows;
use crate::client::Warehouse;
use crate::conditions::{EventChoice, GroupBy, People, Property};
use crate::error::Error;
use crate::explore::Key;
use crate::owners::Whose;
use crate::runtime::off_the_runtime;
use crate::statement::{Statement, number};

#[derive(Clone, Debug)]
pub struct TrendQuery {
    pub scope: Scope,
    pub event: EventChoice,
    pub measure: TrendMeasure,
    pub slots: Slots,
    /// At most two. An event with several values is in the group of each.
    pub group_by: Vec<GroupBy>,
    /// Whether the groups with the most events are the largest, whatever is measured: series of different
    /// measures have the same ones then.
    pub by_events: bool,
}

impl TrendQuery {
    /// What its groups are ranked by: its own value if that adds up. A single event can have the greatest
    /// average or maximum.
    pub(super) fn rank(&self) -> Rank {
        match &self.measure {
            _ if self.by_events => Rank::Events,
            TrendMeasure::People | TrendMeasure::PerPerson => Rank::People,
            TrendMeasure::Number(Aggregate::Sum, property) => Rank::Sum(property.clone()),
            _ => Rank::Events,
        }
    }

    fn grouping(&self) -> Grouping<'_> {
        Grouping { by: &self.group_by, belongs: Belongs::ToEach, rank: self.rank() }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum TrendMeasure {
    Events,
    People,
    Devices,
    Sessions,
    /// Events per person.
    PerPerson,
    /// An aggregate of a property's numbers.
    Number(Aggregate, Property),
    /// Distinct values of a property.
    Distinct(Property),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    Sum,
    Average,
    Median,
    P90,
    P95,
    P99,
    Min,
    Max,
}

impl Aggregate {
    /// Whether it can be computed from the sum and the count of the numbers.
    pub(super) fn is_additive(self) -> bool {
        matches!(self, Self::Sum | Self::Average)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trend {
    /// None if there is nothing to aggregate.
    pub total: Option<f64>,
    /// One for each bucket.
    pub points: Vec<Option<f64>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TrendGroup {
    /// One for each property.
    pub values: Vec<Key>,
    pub trend: Trend,
}

/// The sum of the numbers in `additive`, and their count.
pub(super) const SUM: &str = "(sumArray(amounts) + sumIf(single, isFinite(single)))";
const COUNT: &str = "(countArray(amounts) + countIf(isFinite(single)))";

/// The numbers among the elements of a property.
pub(super) fn numbers_of(elements: &str) -> String {
    format!(
        "arrayMap(n -> assumeNotNull(n), arrayFilter(n -> isFinite(n), arrayMap(e -> {}, {elements})))",
        number("e")
    )
}

/// The numbers of a property to be summed: those of a list as `amounts`, and a single one, the usual
/// case, as `single`. Making a list of each would take as long as everything else.
pub(super) fn additive(this: &mut Statement, property: &Property) -> String {
    if this.shown.is_some() || matches!(property, Property::Column(_)) {
        return format!(
            ", {} AS amounts, nan AS single",
            numbers_of(&this.shown_elements(property))
        );
    }
    let stored = this.stored(property);
    let listed = numbers_of(&format!("JSONExtractArrayRaw({stored})"));
    format!(
        ", if(startsWith({stored}, '['), {listed}, []) AS amounts, \
         ifNull({}, nan) AS single",
        number(&stored)
    )
}

impl TrendMeasure {
    /// The columns of `events` that are needed.
    pub(super) fn columns(&self, this: &mut Statement) -> String {
        match self {
            Self::Events | Self::People | Self::PerPerson => String::new(),
            Self::Devices => ", device_no".to_owned(),
            Self::Sessions => ", device".to_owned(),
            Self::Number(aggregate, property) if aggregate.is_additive() => {
                additive(this, property)
            }
            Self::Number(_, property) => {
                let elements = this.shown_elements(property);
                format!(", {} AS amounts", numbers_of(&elements))
            }
            Self::Distinct(property) => {
                format!(", {} AS amounts", this.shown_elements(property))
            }
        }
    }

    /// The aggregate expression: a nullable number.
    fn aggregate(&self) -> String {
        let of_numbers = |value: &str| format!("if(countArray(amounts) = 0, NULL, {value})");
        let quantile =
            |level| of_numbers(&format!("quantileExactInclusiveArray({level})(amounts)"));
        match self {
            Self::Events => "toNullable(toFloat64(count()))".to_owned(),
            Self::People => "toNullable(toFloat64(groupBitmap(person)))".to_owned(),
            Self::Devices => "toNullable(toFloat64(groupBitmap(device_no)))".to_owned(),
            Self::Sessions => "toNullable(toFloat64(uniqExact(device, session)))".to_owned(),
            Self::PerPerson => "if(count() = 0, NULL, count() / groupBitmap(person))".to_owned(),
            Self::Distinct(_) => "toNullable(toFloat64(uniqExactArray(amounts)))".to_owned(),
            Self::Number(aggregate, _) => match aggregate {
                Aggregate::Sum => format!("toNullable({SUM})"),
                Aggregate::Average => format!("if({COUNT} = 0, NULL, {SUM} / {COUNT})"),
                // Interpolates linearly between the two nearest numbers.
                Aggregate::Median => quantile(0.5),
                Aggregate::P90 => quantile(0.9),
                Aggregate::P95 => quantile(0.95),
                Aggregate::P99 => quantile(0.99),
                Aggregate::Min => of_numbers("minArray(amounts)"),
                Aggregate::Max => of_numbers("maxArray(amounts)"),
            },
        }
    }

    /// Whether it counts people.
    pub(super) fn is_about_people(&self) -> bool {
        matches!(self, Self::People | Self::PerPerson)
    }

    /// The value if there are no events.
    pub fn of_nothing(&self) -> Option<f64> {
        match self {
            Self::PerPerson => None,
            Self::Number(aggregate, _) => (*aggregate == Aggregate::Sum).then_some(0.0),
            _ => Some(0.0),
        }
    }
}

/// Adds the start of each event's session to events of devices, from the sessions of all the device's
/// events within the range: a gap of half an hour cannot fit into a quarter of an hour (`sessions_15m`).
fn with_sessions(this: &mut Statement, query: &TrendQuery, events: &str) -> String {
    let (from, to) = query.slots.range();
    let (from, to) = (this.bind("Int64", from.into()), this.bind("Int64", to.into()));
    format!(
        "(SELECT *, arrayLast(start -> start <= time, starts) AS session FROM {events} AS e \
         ANY LEFT JOIN (SELECT device, arrayMap(one -> one.1, arrayFilter((one, place) -> place = 1 \
                 OR one.1 > addMinutes(spans[place - 1].2, 30), spans, arrayEnumerate(spans))) AS starts \
             FROM (SELECT device, arraySort(groupArray((begins, ends))) AS spans FROM (\
                 SELECT device, bucket, min(first) AS begins, max(last) AS ends FROM sessions_15m \
                 WHERE app_id = {app} AND bucket >= toDateTime(intDiv({from}, 1000), 'UTC') \
                     AND bucket < toDateTime(intDiv({to}, 1000), 'UTC') GROUP BY device, bucket) \
                 GROUP BY device)) AS s USING (device))",
        app = this.app
    )
}

impl Warehouse {
    /// First everything together, then by group, if requested: the largest first, the rest last.
    pub async fn trend(&self, query: &TrendQuery) -> Result<(Trend, Vec<TrendGroup>), Error> {
        if query.slots.starts.is_empty() {
            return Ok((Trend::default(), Vec::new()));
        }
        let is_grouped = !query.group_by.is_empty();
        // The people of all events are counted in other ways.
        if (is_grouped || query.measure != TrendMeasure::People)
            && let Some(found) = self.trend_in_one_pass(query).await?
        {
            return Ok(found);
        }
        if !is_grouped {
            if let Some(people) = self.trend_of_people(query).await? {
                return Ok((people, Vec::new()));
            }
            let whole = self.trends(query, None).await?.pop();
            return Ok((whole.unwrap_or_default(), Vec::new()));
        }
        let (scope, event, range) = (&query.scope, &query.event, query.slots.range());
        let grouping = query.grouping();
        let groups = self.groups(scope, event, range, &grouping);
        let (mut whole, groups) = tokio::try_join!(self.trends(query, None), groups)?;
        let trends = self.trends(query, Some(&groups)).await?;
        Ok((whole.pop().unwrap_or_default(), with_rest(query, &groups, trends)))
    }

    /// How many people there are in each bucket, counted in this process. None if the measure is another
    /// one, or if there are too many.
    async fn trend_of_people(&self, query: &TrendQuery) -> Result<Option<Trend>, Error> {
        let TrendQuery { scope, event, measure, slots, .. } = query;
        if *measure != TrendMeasure::People || !self.joins_here(scope.app).await? {
            return Ok(None);
        }
        let sets = match self.active(scope, event, slots).await {
            Ok(sets) => sets,
            Err(error) if error.is_too_large() => return Ok(None),
            Err(error) => return Err(error),
        };
        let counted = off_the_runtime(move || {
            let points = sets.iter().map(|set| Some(set.len() as f64)).collect();
            let total = Some(sets.iter().union().len() as f64);
            Ok(Trend { total, points })
        });
        counted.await.map(Some)
    }

    /// The people who did the chosen event within these buckets, with these values if given. None if
    /// there is no such group.
    pub async fn trend_people(
        &self,
        query: &TrendQuery,
        within: &Slots,
        values: Option<&[Key]>,
    ) -> Result<Option<People>, Error> {
        let (scope, event) = (&query.scope, &query.event);
        let mut this = scope.statement(self);
        let mut is_in_group = "1".to_owned();
        let mut columns = "1 AS one".to_owned();
        if let Some(values) = values {
            let range = query.slots.range();
            let groups = self.groups(scope, event, range, &query.grouping()).await?;
            let Some(place) = groups.place_of(values) else { return Ok(None) };
            columns = format!("{} AS places", groups.places(&mut this, Belongs::ToEach));
            is_in_group = format!("has(places, {place})");
        }
        let events = scope.events(&mut this, self.whose(), within.range(), &[event], &columns);
        this.sql = format!("SELECT groupBitmapState(person) FROM {events} WHERE {is_in_group}");
        self.one_set(&this).await.map(Some)
    }

    /// One trend for each group, or a single one for everything.
    async fn trends(
        &self,
        query: &TrendQuery,
        groups: Option<&Groups>,
    ) -> Result<Vec<Trend>, Error> {
        let none = query.measure.of_nothing();
        let nothing = Trend { total: none, points: vec![none; query.slots.starts.len()] };
        let mut trends = vec![nothing; groups.map_or(1, Groups::count)];
        let answer = self.analyze(&statement(query, self, groups)).await?;
        let mut rows = Rows::new(&answer);
        while !rows.is_at_end() {
            let (place, whole, start, number) =
                (rows.u8()?, rows.u8()?, rows.u32()?, rows.optional_f64()?);
            let Some(trend) = trends.get_mut(usize::from(place)) else { continue };
            if whole == 1 {
                trend.total = number;
            } else if let Some(bucket) = query.slots.place(start) {
                trend.points[bucket] = number;
            }
        }
        Ok(trends)
    }
}

/// The trends of the groups in order; that of the rest only if it has any values.
pub(super) fn with_rest(
    query: &TrendQuery,
    groups: &Groups,
    trends: Vec<Trend>,
) -> Vec<TrendGroup> {
    let is_any = |trend: &Trend| {
        let none = query.measure.of_nothing();
        trend.total != none || trend.points.iter().any(|point| *point != none)
    };
    let trends = trends.into_iter().enumerate();
    let kept = trends.filter(|(place, trend)| *place < groups.count() - 1 || is_any(trend));
    kept.map(|(place, trend)| TrendGroup { values: groups.values(place), trend }).collect()
}

fn statement(query: &TrendQuery, store: &Warehouse, groups: Option<&Groups>) -> Statement {
    let TrendQuery { scope, event, measure, slots, .. } = query;
    let mut this = scope.statement(store);
    let (range, slot) = (slots.range(), slots.slot(&mut this));
    let rows = if *measure == TrendMeasure::People && groups.is_none() {
        let people = scope.people_by(&mut this, store.whose(), range, &[event], ("slot", &slot));
        format!("(SELECT toUInt8(0) AS place, slot, person FROM {people})")
    } else {
        let places =
            groups.map_or("[toUInt8(0)]".to_owned(), |it| it.places(&mut this, Belongs::ToEach));
        let columns = format!("time, {places} AS places{}", measure.columns(&mut this));
        let whose = if measure.is_about_people() { store.whose() } else { Whose::AsSent };
        let mut events = scope.events(&mut this, whose, range, &[event], &columns);
        if *measure == TrendMeasure::Sessions {
            events = with_sessions(&mut this, query, &events);
        }
        format!("(SELECT *, {slot} AS slot, arrayJoin(places) AS place FROM {events})")
    };
    this.sql = format!(
        "SELECT place, toUInt8(grouping(slot)) AS whole, slot, {} FROM {rows} \
         GROUP BY GROUPING SETS ((place), (place, slot))",
        measure.aggregate()
    );
    this
}
