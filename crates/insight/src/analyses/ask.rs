//! Queries the event store and builds the answer.

use futures_util::future::{try_join, try_join_all};
use warehouse::analysis::{
    DistributionQuery, FunnelStep, Node, Quantity, RetentionCohort, Side, Trend, TrendMeasure,
    TrendQuery,
};
use warehouse::{Error, Key, Warehouse};

use super::answer::{
    Before, BinFigures, CohortFigures, CohortsOfGroup, ComparedDates, Conversion,
    DistributionFigures, Figures, FormulaFigures, FunnelFigures, GroupValues, LifecycleFigure,
    LifecycleFigures, NodeKind, PathLink, PathNode, PathSide, PathsFigures, Points, PointsOfGroup,
    RetentionFigures, SeriesFigures, StepFigures, StepsOfGroup, TrendFigures,
};
use super::bins;
use super::ready::{
    ComparedPart, DistributionReady, FunnelReady, LifecycleReady, Ready, RetentionReady, TrendReady,
};
use super::times::Buckets;
use crate::workspace::redact;
use atrium_core::types::Millis;

/// The figures that answer a question.
pub async fn figures(store: &Warehouse, ready: &Ready, pii: bool) -> Result<Figures, Error> {
    Ok(match ready {
        Ready::Trend(ready) => Figures::Trend(trend(store, ready, pii).await?),
        Ready::Funnel(ready) => Figures::Funnel(funnel(store, ready, pii).await?),
        Ready::Retention(ready) => Figures::Retention(retention(store, ready, pii).await?),
        Ready::Paths(query) => {
            let paths = store.paths(query).await?;
            let link = |link: warehouse::analysis::Link| PathLink {
                step: link.step,
                source: node(link.source),
                target: node(link.target),
                people: link.people,
            };
            let side = match query.side {
                Side::From => PathSide::From,
                Side::To => PathSide::To,
            };
            let links = paths.links.into_iter().map(link).collect();
            Figures::Paths(PathsFigures { side, people: paths.people, links })
        }
        Ready::Distribution(ready) => Figures::Distribution(distribution(store, ready).await?),
        Ready::Lifecycle(ready) => Figures::Lifecycle(lifecycle(store, ready).await?),
    })
}

/// The values of a group as the caller may see them.
pub fn group_values(keys: Vec<Key>, pages: &[bool], pii: bool) -> GroupValues {
    let other = keys.first() == Some(&Key::Rest);
    let value = |(key, is_page): (Key, &bool)| match key {
        Key::Text(text) => redact(text, *is_page, pii),
        Key::Hidden => (None, true),
        Key::NotSet | Key::Rest => (None, false),
    };
    let (values, redacted) = keys.into_iter().zip(pages).map(value).unzip();
    GroupValues { values, other, redacted }
}

async fn trend(store: &Warehouse, ready: &TrendReady, pii: bool) -> Result<TrendFigures, Error> {
    let count = ready.buckets.times().len();
    let part = ready.before.as_ref().and_then(|before| before.part.as_ref());
    let ask = async |query: &TrendQuery| {
        let own = store.trend(query);
        match part {
            None => Ok((own.await?, None)),
            Some(part) => {
                let (own, before) = try_join(own, before(store, query, part)).await?;
                Ok::<_, Error>((own, Some(before)))
            }
        }
    };
    let found = try_join_all(ready.queries.iter().map(ask)).await?;
    let series: Vec<SeriesFigures> = found
        .into_iter()
        .map(|((whole, groups), before)| {
            let before = before.map(|(before, own)| Before {
                comparable: own.unwrap_or(whole.total),
                points: padded(before, count),
            });
            let group = |group: warehouse::analysis::TrendGroup| PointsOfGroup {
                group: group_values(group.values, &ready.pages, pii),
                points: padded(group.trend, count),
            };
            let groups = groups.into_iter().map(group).collect();
            SeriesFigures { points: padded(whole, count), groups, before }
        })
        .collect();
    let formula = ready.formula.as_ref().map(|formula| {
        let of = |points: &[&Points]| {
            let total: Vec<Option<f64>> = points.iter().map(|one| one.total).collect();
            let at = |place: usize| {
                let values: Vec<Option<f64>> = points.iter().map(|one| one.points[place]).collect();
                formula.of(&values)
            };
            Points { total: formula.of(&total), points: (0..count).map(at).collect() }
        };
        let own: Vec<&Points> = series.iter().map(|one| &one.points).collect();
        let before: Option<Vec<&Before>> = series.iter().map(|one| one.before.as_ref()).collect();
        let before = before.map(|all| {
            let comparable: Vec<Option<f64>> = all.iter().map(|one| one.comparable).collect();
            let points: Vec<&Points> = all.iter().map(|one| &one.points).collect();
            Before { points: of(&points), comparable: formula.of(&comparable) }
        });
        let groups = of_groups(&series, &ready.queries, count);
        let groups = groups.into_iter().map(|(group, points)| {
            let points: Vec<&Points> = points.iter().collect();
            PointsOfGroup { group, points: of(&points) }
        });
        FormulaFigures { points: of(&own), groups: groups.collect(), before }
    });
    let compared = ready.before.as_ref().map(|before| ComparedDates {
        start: before.range.start.to_string(),
        end: before.range.end.to_string(),
    });
    let (times, partial) = (ready.buckets.times(), ready.buckets.partial());
    Ok(TrendFigures { times, partial, series, formula, compared })
}

/// The groups that every series lists, in the order of the first. A group that a series does not list
/// may be among its others, and then its value is unknown.
fn of_groups(
    series: &[SeriesFigures],
    queries: &[TrendQuery],
    count: usize,
) -> Vec<(GroupValues, Vec<Points>)> {
    let mut all: Vec<&GroupValues> = Vec::new();
    for group in series.iter().flat_map(|one| &one.groups).map(|it| &it.group) {
        if !group.other && !all.contains(&group) {
            all.push(group);
        }
    }
    let of_series = |(one, query): (&SeriesFigures, &TrendQuery), group: &GroupValues| {
        let found = one.groups.iter().find(|it| it.group == *group);
        let has_others = one.groups.iter().any(|it| it.group.other);
        let nothing = || {
            let none = query.measure.of_nothing();
            let begun = one.points.points.iter().map(|point| point.and(none));
            Points { total: none, points: begun.take(count).collect() }
        };
        found.map(|it| it.points.clone()).or_else(|| (!has_others).then(nothing))
    };
    let points = |group: &GroupValues| -> Option<Vec<Points>> {
        series.iter().zip(queries).map(|one| of_series(one, group)).collect()
    };
    all.into_iter().filter_map(|group| Some((group.clone(), points(group)?))).collect()
}

/// The period before, and this one's total over the same part if that is not all of it.
async fn before(
    store: &Warehouse,
    query: &TrendQuery,
    part: &ComparedPart,
) -> Result<(Trend, Option<Option<f64>>), Error> {
    let without_groups = |slots| TrendQuery { slots, group_by: Vec::new(), ..query.clone() };
    let (before, _) = store.trend(&without_groups(part.before.clone())).await?;
    let own = match &part.own {
        Some(own) => Some(store.trend(&without_groups(own.clone())).await?.0.total),
        None => None,
    };
    Ok((before, own))
}

/// Adds empty points for times that lie ahead.
fn padded(trend: Trend, count: usize) -> Points {
    let mut points = trend.points;
    points.resize(count, None);
    Points { total: trend.total, points }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn steps(steps: &[FunnelStep]) -> Vec<StepFigures> {
    let seconds = |ms: Option<i64>| ms.map(|ms| ms as f64 / 1_000.0);
    let first = steps.first().map_or(0, |step| step.people);
    let figures = |(place, step): (usize, &FunnelStep)| StepFigures {
        people: step.people,
        from_first: ratio(step.people, first),
        from_previous: place.checked_sub(1).and_then(|it| ratio(step.people, steps[it].people)),
        median_seconds: seconds(step.median_ms),
        p90_seconds: seconds(step.p90_ms),
    };
    steps.iter().enumerate().map(figures).collect()
}

async fn funnel(store: &Warehouse, ready: &FunnelReady, pii: bool) -> Result<FunnelFigures, Error> {
    let FunnelReady { query, buckets, pages } = ready;
    let funnel = store.funnel(query).await?;
    let group = |group: warehouse::analysis::FunnelGroup| StepsOfGroup {
        group: group_values(group.values, pages, pii),
        steps: steps(&group.steps),
    };
    let over_time = funnel.over_time.iter().enumerate().map(|(place, (began, converted))| {
        let end = buckets.cuts[place + 1];
        Conversion {
            time: buckets.cuts[place].0,
            began: *began,
            converted: *converted,
            complete: end.plus(query.window_ms) <= buckets.now,
        }
    });
    Ok(FunnelFigures {
        steps: steps(&funnel.steps),
        groups: funnel.groups.into_iter().map(group).collect(),
        over_time: over_time.collect(),
        spread: bins::spread(&funnel.durations_ms),
    })
}

/// The cohorts, without values for units that are not over.
fn cohorts(found: Vec<RetentionCohort>, units: usize, buckets: &Buckets) -> Vec<CohortFigures> {
    let is_over = |place: usize| buckets.cuts.get(place + 1).is_some_and(|end| *end <= buckets.now);
    let cohort = |(place, cohort): (usize, RetentionCohort)| {
        let unit =
            |unit: usize| cohort.returned.get(unit).copied().filter(|_| is_over(place + unit));
        CohortFigures {
            start: buckets.cuts[place].0,
            size: cohort.size,
            returned: (0..=units).map(unit).collect(),
        }
    };
    found.into_iter().enumerate().map(cohort).collect()
}

fn average(cohorts: &[CohortFigures], units: usize) -> Vec<Option<f64>> {
    let of_unit = |unit: usize| {
        let known = || cohorts.iter().filter_map(|it| Some((it.size, it.returned[unit]?)));
        ratio(known().map(|(_, back)| back).sum(), known().map(|(size, _)| size).sum())
    };
    (0..=units).map(of_unit).collect()
}

async fn retention(
    store: &Warehouse,
    ready: &RetentionReady,
    pii: bool,
) -> Result<RetentionFigures, Error> {
    let RetentionReady { query, buckets, pages } = ready;
    let (whole, groups) = store.retention(query).await?;
    let units = query.units;
    let group = |group: warehouse::analysis::RetentionGroup| {
        let cohorts = cohorts(group.cohorts, units, buckets);
        let average = average(&cohorts, units);
        CohortsOfGroup { group: group_values(group.values, pages, pii), cohorts, average }
    };
    let groups = groups.into_iter().map(group).collect();
    let cohorts = cohorts(whole, units, buckets);
    Ok(RetentionFigures { average: average(&cohorts, units), cohorts, groups })
}

fn node(node: Node) -> PathNode {
    match node {
        Node::Event { name, page } => PathNode { kind: NodeKind::Event, name: Some(name), page },
        Node::Hidden => PathNode { kind: NodeKind::Hidden, name: None, page: None },
        Node::Other => PathNode { kind: NodeKind::Other, name: None, page: None },
    }
}

/// Where bins begin: as given, or chosen by the data.
pub async fn edges(store: &Warehouse, ready: &DistributionReady) -> Result<Vec<f64>, Error> {
    let DistributionQuery { scope, event, of, range, edges } = &ready.query;
    if !ready.free {
        return Ok(edges.clone());
    }
    Ok(match of {
        Quantity::Times => bins::TIMES.to_vec(),
        Quantity::Days(days) => bins::days(days.starts.len()),
        Quantity::Property(property) => {
            let second = |ms: i64| u64::try_from(ms / Millis::SECOND).unwrap_or(0);
            let ask = async |aggregate| {
                let query = TrendQuery {
                    scope: scope.clone(),
                    event: event.clone(),
                    measure: TrendMeasure::Number(aggregate, property.clone()),
                    slots: warehouse::analysis::Slots {
                        starts: vec![second(range.0)],
                        end: second(range.1),
                    },
                    group_by: Vec::new(),
                    by_events: false,
                };
                store.trend(&query).await.map(|(whole, _)| whole.total)
            };
            let (least, most) = try_join(
                ask(warehouse::analysis::Aggregate::Min),
                ask(warehouse::analysis::Aggregate::Max),
            )
            .await?;
            least.zip(most).map_or(vec![0.0], |(least, most)| bins::numbers(least, most))
        }
    })
}

async fn distribution(
    store: &Warehouse,
    ready: &DistributionReady,
) -> Result<DistributionFigures, Error> {
    let edges = edges(store, ready).await?;
    let query = DistributionQuery { edges, ..ready.query.clone() };
    let found = store.distribution(&query).await?;
    let bin = |(place, bin): (usize, &warehouse::analysis::Bin)| BinFigures {
        from: query.edges[place],
        to: query.edges.get(place + 1).copied(),
        people: bin.people,
        events: bin.events,
    };
    Ok(DistributionFigures { bins: found.iter().enumerate().map(bin).collect() })
}

async fn lifecycle(store: &Warehouse, ready: &LifecycleReady) -> Result<LifecycleFigures, Error> {
    let LifecycleReady { query, buckets } = ready;
    let partial = buckets.partial();
    let points = store.lifecycle(query).await?;
    let figure = |(place, point): (usize, warehouse::analysis::LifecyclePoint)| {
        let time = buckets.cuts[place + 1].0;
        LifecycleFigure {
            time,
            new: point.new,
            returning: point.returning,
            resurrected: point.resurrected,
            dormant: (partial != Some(time)).then_some(point.dormant),
        }
    };
    let points: Vec<LifecycleFigure> = points.into_iter().enumerate().map(figure).collect();
    // The unit before the range is not part of the answer.
    let partial = partial.filter(|time| points.iter().any(|point| point.time == *time));
    Ok(LifecycleFigures { partial, points })
}
