//! A checked question in the form that the event store takes.

use warehouse::analysis::{
    Aggregate, DistributionQuery, FunnelOrder, FunnelQuery, LifecycleQuery, PathsQuery, Quantity,
    RetentionMode, RetentionQuery, Scope, Side, Slots, TrendMeasure, TrendQuery,
};
use warehouse::{Column, EventChoice, GroupBy, Property};

use super::body::{
    Bucket, CountedQuantity, DistributionBody, FunnelBody, LifecycleBody, MeasureBody, MeasureOf,
    Mode, Order, PathsBody, QuantityBody, Question, RetentionBody, TrendBody,
};
use super::check::Check;
use super::formula::{Formula, LENGTH_MAX};
use super::times::Buckets;
use crate::insight::dates::{Dates, seconds};
use crate::insight::elapsed::compared;
use crate::insight::overall::Compare;
use crate::insight::range::{QUARTER, Range, whole_quarter};
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::types::Millis;

const SERIES_MAX: usize = 6;
const STEPS_MAX: usize = 10;
const PATH_STEPS_MAX: i64 = 8;
const BRANCHES_MAX: i64 = 20;
const WINDOW_MAX: i64 = 90 * 24 * 60;
const UNITS_MAX: i64 = 90;
const COHORTS_MAX: usize = 400;
const EDGES_MAX: usize = 50;

pub enum Ready {
    Trend(Box<TrendReady>),
    Funnel(Box<FunnelReady>),
    Retention(Box<RetentionReady>),
    Paths(Box<PathsQuery>),
    Distribution(Box<DistributionReady>),
    Lifecycle(Box<LifecycleReady>),
}

pub struct TrendReady {
    pub queries: Vec<TrendQuery>,
    pub formula: Option<Formula>,
    pub buckets: Buckets,
    pub before: Option<BeforeReady>,
    /// Which properties of the breakdown are pages.
    pub pages: Vec<bool>,
}

/// What a trend is compared with.
pub struct BeforeReady {
    pub range: Range,
    /// None while nothing can be compared.
    pub part: Option<ComparedPart>,
}

pub struct ComparedPart {
    pub before: Slots,
    /// This period up to the end of the compared part; None if that is all of it.
    pub own: Option<Slots>,
}

pub struct FunnelReady {
    pub query: FunnelQuery,
    pub buckets: Buckets,
    pub pages: Vec<bool>,
}

pub struct RetentionReady {
    pub query: RetentionQuery,
    /// The units of the cohorts, followed by those after the last one.
    pub buckets: Buckets,
    pub pages: Vec<bool>,
}

pub struct DistributionReady {
    pub query: DistributionQuery,
    /// Whether bins are chosen by the data.
    pub free: bool,
}

pub struct LifecycleReady {
    pub query: LifecycleQuery,
    pub buckets: Buckets,
}

/// What all kinds of questions have in common.
pub struct Asked<'a, 'b> {
    pub check: &'a mut Check<'b>,
    pub scope: Scope,
    pub dates: Dates,
    pub now: Millis,
}

impl Asked<'_, '_> {
    pub fn ready(&mut self, question: &Question) -> Result<Ready> {
        self.scope.condition = self.check.filters(question.common().filters.as_ref(), "filters");
        match question {
            Question::Trend(body) => self.trend(body),
            Question::Funnel(body) => self.funnel(body),
            Question::Retention(body) => self.retention(body),
            Question::Paths(body) => self.paths(body),
            Question::Distribution(body) => self.distribution(body),
            Question::Lifecycle(body) => self.lifecycle(body),
        }
    }

    fn trend(&mut self, body: &TrendBody) -> Result<Ready> {
        self.check.count("series", body.series.len(), 1, SERIES_MAX);
        let buckets = Buckets::of(&self.dates, body.granularity, self.now)?;
        let breakdown = self.check.breakdown(&body.breakdown);
        let series = body.series.iter().take(SERIES_MAX).enumerate();
        let events: Vec<(EventChoice, TrendMeasure)> = series
            .map(|(index, series)| {
                let field = format!("series[{index}]");
                let event = self.check.event(&series.event, &field);
                (event, self.measure(&series.measure, &format!("{field}.measure")))
            })
            .collect();
        let formula = body.formula.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let formula = formula.map(|text| {
            let formula = Formula::read(text, events.len());
            if formula.is_none() {
                let fault = Fault::new(Code::BadFormula).on("formula");
                self.check.fault(fault.with("max", LENGTH_MAX));
            }
            formula
        });
        self.check.finish()?;
        // A formula is computed for groups that all series list.
        let measures = || events.iter().map(|(_, measure)| measure);
        let by_events = formula.is_some() && measures().any(|it| Some(it) != measures().next());
        let query = |(event, measure)| TrendQuery {
            scope: self.scope.clone(),
            event,
            measure,
            slots: buckets.slots(),
            group_by: breakdown.clone(),
            by_events,
        };
        let queries = events.into_iter().map(query).collect();
        let before = self.before(body.compare.unwrap_or_default(), body.granularity)?;
        let (formula, pages) = (formula.flatten(), pages(&breakdown));
        Ok(Ready::Trend(Box::new(TrendReady { queries, formula, buckets, before, pages })))
    }

    fn before(&self, compare: Compare, granularity: Bucket) -> Result<Option<BeforeReady>> {
        let Dates { range, zone } = &self.dates;
        let before = match compare {
            Compare::None => return Ok(None),
            Compare::PreviousPeriod => range.before(zone),
            Compare::PreviousYear => range.year_before(zone),
        };
        let before =
            before.ok_or_else(|| Error::invalid(vec![Fault::new(Code::BadRange).on("start")]))?;
        let part = compared(range, &before, self.now, zone);
        let part = part
            .map(|part| {
                let cuts = Buckets::of_range(&self.dates, &before, granularity, before.to)?.cuts;
                let begun = cuts[..cuts.len() - 1].iter().copied();
                let begun = begun.filter(|time| *time < part.before_until).map(seconds);
                let slots = Slots { starts: begun.collect(), end: seconds(part.before_until) };
                let own = (part.until < range.to)
                    .then(|| Slots { starts: vec![seconds(range.from)], end: seconds(part.until) });
                Ok::<_, Error>(ComparedPart { before: slots, own })
            })
            .transpose()?;
        Ok(Some(BeforeReady { range: before, part }))
    }

    fn measure(&mut self, body: &MeasureBody, field: &str) -> TrendMeasure {
        let counted = match body.of {
            MeasureOf::Events => Some(TrendMeasure::Events),
            MeasureOf::People => Some(TrendMeasure::People),
            MeasureOf::Devices => Some(TrendMeasure::Devices),
            MeasureOf::Sessions => Some(TrendMeasure::Sessions),
            MeasureOf::PerPerson => Some(TrendMeasure::PerPerson),
            _ => None,
        };
        if let Some(counted) = counted {
            return counted;
        }
        let field = format!("{field}.property");
        let property = self.check.property(body.property.as_deref().unwrap_or_default(), &field);
        let aggregate = match body.of {
            MeasureOf::Sum => Aggregate::Sum,
            MeasureOf::Average => Aggregate::Average,
            MeasureOf::Median => Aggregate::Median,
            MeasureOf::P90 => Aggregate::P90,
            MeasureOf::P95 => Aggregate::P95,
            MeasureOf::P99 => Aggregate::P99,
            MeasureOf::Min => Aggregate::Min,
            MeasureOf::Max => Aggregate::Max,
            _ => return TrendMeasure::Distinct(property),
        };
        if matches!(property, Property::Column(_)) {
            self.check.fault(Fault::new(Code::WrongType).on(field));
        }
        TrendMeasure::Number(aggregate, property)
    }

    /// Allows for clients' clocks being some minutes fast.
    fn until(&self) -> Millis {
        whole_quarter(self.now).plus(QUARTER)
    }

    fn funnel(&mut self, body: &FunnelBody) -> Result<Ready> {
        self.check.count("steps", body.steps.len(), 2, STEPS_MAX);
        self.check.between("window_minutes", body.window_minutes, 1, WINDOW_MAX);
        if body.granularity == Bucket::Minute {
            self.check.fault(Fault::new(Code::WrongType).on("granularity"));
        }
        let buckets = Buckets::of(&self.dates, body.granularity, self.now)?;
        let group_by = self.check.breakdown(&body.breakdown);
        let steps = body.steps.iter().take(STEPS_MAX).enumerate();
        let steps: Vec<EventChoice> =
            steps.map(|(index, step)| self.check.event(step, &format!("steps[{index}]"))).collect();
        let exclude = body.exclude.as_ref().map(|event| self.check.event(event, "exclude"));
        self.check.finish()?;
        let pages = pages(&group_by);
        let query = FunnelQuery {
            scope: self.scope.clone(),
            steps,
            exclude,
            order: match body.order {
                Order::Loose => FunnelOrder::Loose,
                Order::Strict => FunnelOrder::Strict,
            },
            window_ms: body.window_minutes * Millis::MINUTE,
            slots: buckets.slots(),
            until_ms: self.until().0,
            group_by,
        };
        Ok(Ready::Funnel(Box::new(FunnelReady { query, buckets, pages })))
    }

    fn retention(&mut self, body: &RetentionBody) -> Result<Ready> {
        let units = i64::try_from(body.units).unwrap_or(i64::MAX);
        self.check.between("units", units, 1, UNITS_MAX);
        let first = self.check.event(&body.first, "first");
        let returning = self.check.event(&body.returning, "returning");
        let group_by = self.check.breakdown(&body.breakdown);
        self.check.finish()?;
        let Dates { range, zone } = &self.dates;
        let bad = || Error::invalid(vec![Fault::new(Code::BadRange).on("end")]);
        let own = body.unit.widened(range, zone, 0, 0).ok_or_else(bad)?;
        let all = body.unit.widened(range, zone, 0, units).ok_or_else(bad)?;
        let buckets = Buckets::of_range(&self.dates, &all, body.unit.bucket(), self.now)?;
        let slots = buckets.slots();
        let cohorts = slots.starts.partition_point(|start| *start < seconds(own.to));
        if cohorts > COHORTS_MAX {
            let fault = Fault::new(Code::TooManyBuckets).on("unit").with("max", COHORTS_MAX);
            return Err(Error::invalid(vec![fault]));
        }
        let pages = pages(&group_by);
        let query = RetentionQuery {
            scope: self.scope.clone(),
            first,
            first_ever: body.first_ever,
            returning,
            slots,
            cohorts,
            units: body.units,
            mode: match body.mode {
                Mode::Exactly => RetentionMode::Exactly,
                Mode::OnOrAfter => RetentionMode::OnOrAfter,
            },
            group_by,
        };
        Ok(Ready::Retention(Box::new(RetentionReady { query, buckets, pages })))
    }

    /// The part of the range that can have events, in milliseconds.
    fn range(&self) -> (i64, i64) {
        let Range { from, to, .. } = self.dates.range;
        (from.0, self.until().clamp(from, to).0)
    }

    fn paths(&mut self, body: &PathsBody) -> Result<Ready> {
        let (end, side) = match (&body.from, &body.to) {
            (Some(from), None) => (self.check.event(from, "from"), Side::From),
            (None, Some(to)) => (self.check.event(to, "to"), Side::To),
            (_, to) => {
                let field = if to.is_some() { "to" } else { "from" };
                self.check.fault(Fault::new(Code::Required).on(field));
                (EventChoice::default(), Side::From)
            }
        };
        let as_i64 = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        self.check.between("steps", as_i64(body.steps), 1, PATH_STEPS_MAX);
        self.check.between("branches", as_i64(body.branches), 1, BRANCHES_MAX);
        if let Some(window) = body.window_minutes {
            self.check.between("window_minutes", window, 1, WINDOW_MAX);
        }
        let counted = body.events.as_ref().map(|event| self.check.event(event, "events"));
        self.check.finish()?;
        Ok(Ready::Paths(Box::new(PathsQuery {
            scope: self.scope.clone(),
            range: self.range(),
            end,
            side,
            counted: counted.unwrap_or_default(),
            steps: body.steps,
            window_ms: body.window_minutes.map(|minutes| minutes * Millis::MINUTE),
            branches: body.branches,
        })))
    }

    fn distribution(&mut self, body: &DistributionBody) -> Result<Ready> {
        let event = self.check.event(&body.event, "event");
        let of = match &body.of {
            QuantityBody::Counted(CountedQuantity::Times) => Quantity::Times,
            QuantityBody::Counted(CountedQuantity::Days) => {
                let days = Buckets::of(&self.dates, Bucket::Day, self.now)?;
                Quantity::Days(days.slots())
            }
            QuantityBody::Property { property } => {
                let property = self.check.property(property, "of.property");
                if matches!(property, Property::Column(_)) {
                    self.check.fault(Fault::new(Code::WrongType).on("of.property"));
                }
                Quantity::Property(property)
            }
        };
        let edges = body.edges.clone().unwrap_or_default();
        if body.edges.is_some() {
            self.check.count("edges", edges.len(), 1, EDGES_MAX);
        }
        let is_rising = edges.windows(2).all(|pair| pair[0] < pair[1]);
        if !is_rising || edges.iter().any(|edge| !edge.is_finite()) {
            self.check.fault(Fault::new(Code::WrongType).on("edges"));
        }
        self.check.finish()?;
        let (scope, range) = (self.scope.clone(), self.range());
        let query = DistributionQuery { scope, event, of, range, edges };
        Ok(Ready::Distribution(Box::new(DistributionReady { query, free: body.edges.is_none() })))
    }

    fn lifecycle(&mut self, body: &LifecycleBody) -> Result<Ready> {
        let event = body.event.as_ref().map(|event| self.check.event(event, "event"));
        self.check.finish()?;
        let Dates { range, zone } = &self.dates;
        let wide = body.granularity.widened(range, zone, 1, 0);
        let wide =
            wide.ok_or_else(|| Error::invalid(vec![Fault::new(Code::BadRange).on("start")]))?;
        let buckets = Buckets::of_range(&self.dates, &wide, body.granularity.bucket(), self.now)?;
        let query = LifecycleQuery {
            scope: self.scope.clone(),
            event: event.unwrap_or_default(),
            slots: buckets.slots(),
        };
        Ok(Ready::Lifecycle(Box::new(LifecycleReady { query, buckets })))
    }
}

fn pages(breakdown: &[GroupBy]) -> Vec<bool> {
    let is_page = |by: &GroupBy| *by == GroupBy::Event(Property::Column(Column::UrlPath));
    breakdown.iter().map(is_page).collect()
}
