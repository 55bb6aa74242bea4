//! The people behind figures: as many as the figure, and the right ones.

use std::collections::BTreeSet;

use warehouse::analysis::{
    DistributionQuery, FunnelFigure, FunnelQuery, LifecycleQuery, LifecycleState, PathsQuery,
    RetentionFigure, RetentionQuery, TrendMeasure, TrendQuery,
};
use warehouse::{Key, Kind, Warehouse};

use crate::analyses::is_long;
use crate::plain_analyses::{chosen, range};
use crate::support::Event;

/// The first and the last group, which may be that of the rest; all of them with `LONG_TESTS=1`. The people of
/// each group take dozens of slow statements.
fn some<T>(mut groups: Vec<T>) -> Vec<T> {
    if groups.len() > 2 && !is_long() {
        groups.drain(1..groups.len() - 1);
    }
    groups
}

pub async fn are_as_many_as_the_figures_say(
    store: &Warehouse,
    trend: &TrendQuery,
    funnel: &FunnelQuery,
    retention: &RetentionQuery,
) {
    let people = TrendQuery { measure: TrendMeasure::People, ..trend.clone() };
    let (whole, groups) = store.trend(&people).await.unwrap();
    let none = None;
    let groups = some(groups);
    let groups = groups.iter().map(|group| (Some(group.values.clone()), &group.trend));
    for (values, figures) in [(none, &whole)].into_iter().chain(groups) {
        let behind = |within| {
            let values = values.clone();
            let people = &people;
            async move {
                let found = store.trend_people(people, &within, values.as_deref()).await.unwrap();
                Some(found.unwrap().count() as f64)
            }
        };
        assert_eq!(behind(people.slots.clone()).await, figures.total, "{people:#?} {values:?}");
        let place = people.slots.starts.len() / 2;
        assert_eq!(behind(people.slots.only(place).unwrap()).await, figures.points[place]);
    }
    let unknown = vec![Key::Text("nobody's".to_owned()); trend.group_by.len().max(1)];
    if !trend.group_by.is_empty() {
        let found = store.trend_people(&people, &people.slots, Some(&unknown)).await.unwrap();
        assert_eq!(found, None);
    }

    let mut answer = store.funnel(funnel).await.unwrap();
    let groups = some(std::mem::take(&mut answer.groups));
    let groups = groups.iter().map(|group| (Some(group.values.clone()), &group.steps));
    for (group, steps) in [(None, &answer.steps)].into_iter().chain(groups) {
        for step in 0..steps.len() {
            let behind = async |dropped| {
                let figure = FunnelFigure { step, dropped, group: group.clone(), bucket: None };
                store.funnel_people(funnel, &figure).await.unwrap().map(|people| people.count())
            };
            assert_eq!(behind(false).await, Some(steps[step].people), "{funnel:#?} {group:?}");
            let before = step.checked_sub(1).map(|before| steps[before].people);
            assert_eq!(behind(true).await, before.map(|before| before - steps[step].people));
        }
    }
    let last = funnel.steps.len() - 1;
    for (place, (began, made_it)) in answer.over_time.iter().enumerate() {
        let behind = async |step, dropped| {
            let figure = FunnelFigure { step, dropped, group: None, bucket: Some(place) };
            store.funnel_people(funnel, &figure).await.unwrap().map(|people| people.count())
        };
        assert_eq!(behind(0, false).await, Some(*began), "{funnel:#?} {place}");
        assert_eq!(behind(last, false).await, Some(*made_it), "{funnel:#?} {place}");
    }
    let beyond = Some(answer.over_time.len());
    let figure = FunnelFigure { step: 0, dropped: false, group: None, bucket: beyond };
    assert_eq!(store.funnel_people(funnel, &figure).await.unwrap(), None);

    let (whole, groups) = store.retention(retention).await.unwrap();
    let groups = some(groups);
    let groups = groups.iter().map(|group| (Some(group.values.clone()), &group.cohorts));
    for (group, cohorts) in [(None, &whole)].into_iter().chain(groups) {
        let cohort = cohorts.len() / 2;
        let behind = async |unit| {
            let figure = RetentionFigure { cohort, unit, group: group.clone() };
            store.retention_people(retention, &figure).await.unwrap().map(|people| people.count())
        };
        let Some(figures) = cohorts.get(cohort) else { continue };
        assert_eq!(behind(None).await, Some(figures.size), "{retention:#?} {group:?}");
        for (unit, returned) in figures.returned.iter().enumerate() {
            assert_eq!(behind(Some(unit)).await, Some(*returned), "{retention:#?} {group:?}");
        }
        assert_eq!(behind(Some(retention.units + 1)).await, None);
    }
}

pub async fn of_the_others(
    store: &Warehouse,
    lifecycle: &LifecycleQuery,
    distribution: &DistributionQuery,
    paths: &PathsQuery,
) {
    for (place, point) in store.lifecycle(lifecycle).await.unwrap().iter().enumerate() {
        for (state, count) in [
            (LifecycleState::New, point.new),
            (LifecycleState::Returning, point.returning),
            (LifecycleState::Resurrected, point.resurrected),
            (LifecycleState::Dormant, point.dormant),
        ] {
            let found = store.lifecycle_people(lifecycle, place, state).await.unwrap();
            assert_eq!(found.count(), count, "{lifecycle:#?} {state:?}");
        }
    }
    for (place, bin) in store.distribution(distribution).await.unwrap().iter().enumerate() {
        let found = store.distribution_people(distribution, place).await.unwrap();
        assert_eq!(found.count(), bin.people, "{distribution:#?}");
    }
    let answer = store.paths(paths).await.unwrap();
    for link in answer.links.iter().take(4) {
        let source = Some(&link.source);
        let found = store.paths_people(paths, link.step, source, &link.target).await.unwrap();
        assert_eq!(found.count(), link.people, "{paths:#?}");
    }
}

/// Compares their names.
pub async fn are_those_who_did(store: &Warehouse, events: &[Event], trend: &TrendQuery) {
    let expected: BTreeSet<String> =
        chosen(events, &trend.scope, &trend.event, range(&trend.slots))
            .map(Event::person)
            .collect();
    let found = store.trend_people(trend, &trend.slots, None).await.unwrap().unwrap();
    let all = store.people_of(trend.scope.app, &found, 1_000, 0).await.unwrap();
    let name = |kind: Kind, id: &str| match kind {
        Kind::User => format!("u {id}"),
        Kind::Device => format!("d {id}"),
    };
    let names: BTreeSet<String> = all.iter().map(|person| name(person.kind, &person.id)).collect();
    assert_eq!(names, expected, "{trend:#?}");
    assert_eq!(all.len(), expected.len());
    assert!(all.is_sorted_by_key(|person| std::cmp::Reverse(person.last_ms)));
    // One page of them, and one beyond the last.
    let page = store.people_of(trend.scope.app, &found, 2, 1).await.unwrap();
    assert_eq!(page, all.iter().skip(1).take(2).cloned().collect::<Vec<_>>());
}
