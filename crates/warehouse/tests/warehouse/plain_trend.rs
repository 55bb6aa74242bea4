//! Trends in plain Rust.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;
use warehouse::analysis::{Aggregate, Scope, Trend, TrendGroup, TrendMeasure, TrendQuery};
use warehouse::{GROUPS_MAX, Key, Property};

use crate::plain::{Element, elements, is_hidden};
use crate::plain_analyses::{ByValues, chosen, of_events, range, rank, slot};
use crate::support::Event;

/// All values of an event; for two properties, every combination.
fn all_values(event: &Event, properties: &[Property], hide: bool) -> Vec<Vec<Key>> {
    let mut all = vec![Vec::new()];
    for property in properties {
        let mut keys: Vec<Key> = elements(event, property)
            .into_iter()
            .map(|element| match hide && is_hidden(event, &element) {
                true => Key::Hidden,
                false => Key::Text(element.text()),
            })
            .collect();
        if keys.is_empty() {
            keys.push(Key::NotSet);
        }
        all = all
            .iter()
            .flat_map(|before: &Vec<Key>| {
                keys.iter().map(move |key| before.iter().cloned().chain([key.clone()]).collect())
            })
            .collect();
    }
    all
}

/// For each event in the range, the start of its device's session.
fn sessions(events: &[Event], scope: &Scope, (from, to): (i64, i64)) -> BTreeMap<Uuid, i64> {
    let mut devices: BTreeMap<&str, Vec<&Event>> = BTreeMap::new();
    let own = |event: &&Event| event.app == scope.app && (from..to).contains(&event.time_ms);
    for event in events.iter().filter(own) {
        devices.entry(&event.device_id).or_default().push(event);
    }
    let mut begun = BTreeMap::new();
    for of_one in devices.values_mut() {
        of_one.sort_by_key(|event| event.time_ms);
        let (mut start, mut last) = (of_one[0].time_ms, of_one[0].time_ms);
        for event in of_one {
            if event.time_ms - last > 1_800_000 {
                start = event.time_ms;
            }
            last = event.time_ms;
            begun.insert(event.log_id, start);
        }
    }
    begun
}

fn measured(events: &[&Event], query: &TrendQuery, sessions: &BTreeMap<Uuid, i64>) -> Option<f64> {
    let distinct = |what: &dyn Fn(&Event) -> String| {
        events.iter().map(|event| what(event)).collect::<BTreeSet<_>>().len() as f64
    };
    let shown = |event: &Event, property: &Property| -> Vec<Element> {
        let mut elements = elements(event, property);
        elements.retain(|element| !(query.scope.hide_personal && is_hidden(event, element)));
        elements
    };
    match &query.measure {
        TrendMeasure::Events => Some(events.len() as f64),
        TrendMeasure::People => Some(distinct(&Event::person)),
        TrendMeasure::Devices => Some(distinct(&|event| event.device_id.clone())),
        TrendMeasure::Sessions => {
            Some(distinct(&|event| format!("{} {}", event.device_id, sessions[&event.log_id])))
        }
        TrendMeasure::PerPerson if events.is_empty() => None,
        TrendMeasure::PerPerson => Some(events.len() as f64 / distinct(&Event::person)),
        TrendMeasure::Distinct(property) => {
            let all = events.iter().flat_map(|event| shown(event, property));
            let texts = all.map(|element| match element {
                Element::Text(text) => format!("\"{text}"),
                other => other.text(),
            });
            Some(texts.collect::<BTreeSet<_>>().len() as f64)
        }
        TrendMeasure::Number(aggregate, property) => {
            let all = events.iter().flat_map(|event| shown(event, property));
            let mut numbers: Vec<f64> = all.filter_map(|element| element.number()).collect();
            numbers.sort_by(f64::total_cmp);
            let last = numbers.len().checked_sub(1);
            let at = |hundredths: usize| {
                let place = last? as f64 * (hundredths as f64 / 100.0);
                let (below, above) =
                    (numbers[place.floor() as usize], numbers[place.ceil() as usize]);
                Some(below + (above - below) * place.fract())
            };
            match aggregate {
                Aggregate::Sum => Some(numbers.iter().sum()),
                Aggregate::Average => {
                    last.map(|last| numbers.iter().sum::<f64>() / (last + 1) as f64)
                }
                Aggregate::Median => at(50),
                Aggregate::P90 => at(90),
                Aggregate::P95 => at(95),
                Aggregate::P99 => at(99),
                Aggregate::Min => numbers.first().copied(),
                Aggregate::Max => numbers.last().copied(),
            }
        }
    }
}

/// The measure by which the largest groups are found.
fn ranked_by(query: &TrendQuery) -> TrendMeasure {
    match &query.measure {
        _ if query.by_events => TrendMeasure::Events,
        TrendMeasure::People | TrendMeasure::PerPerson => TrendMeasure::People,
        TrendMeasure::Number(Aggregate::Sum, _) => query.measure.clone(),
        _ => TrendMeasure::Events,
    }
}

pub fn trend(events: &[Event], query: &TrendQuery) -> (Trend, Vec<TrendGroup>) {
    let slots = &query.slots;
    let sessions = sessions(events, &query.scope, range(slots));
    let wanted: Vec<&Event> = chosen(events, &query.scope, &query.event, range(slots)).collect();
    let trend = |events: Vec<&Event>| {
        let points = (0..slots.starts.len()).map(|place| {
            let own = events.iter().copied().filter(|event| slot(slots, event.time_ms) == place);
            measured(&own.collect::<Vec<_>>(), query, &sessions)
        });
        Trend { points: points.collect(), total: measured(&events, query, &sessions) }
    };
    let by = &of_events(&query.group_by);
    let values = |event: &Event| all_values(event, by, query.scope.hide_personal);
    let mut of_values: ByValues<Vec<&Event>> = ByValues::new();
    for event in &wanted {
        // An event that has a value twice counts once.
        let own: BTreeMap<_, _> =
            values(event).into_iter().map(|it| (it.iter().map(rank).collect(), it)).collect();
        for (place, values) in own {
            of_values.entry(place).or_insert_with(|| (values, Vec::new())).1.push(event);
        }
    }
    let ranked_by = ranked_by(query);
    let size = |events: &[&Event]| {
        let query = TrendQuery { measure: ranked_by.clone(), ..query.clone() };
        // The last digits of a sum depend on the order of the numbers.
        measured(events, &query, &sessions).unwrap_or_default() as f32
    };
    let mut listed: Vec<(Vec<Key>, f32)> =
        of_values.into_values().map(|(values, events)| (values, size(&events))).collect();
    listed.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let has_rest = listed.len() > GROUPS_MAX;
    listed.truncate(GROUPS_MAX);
    let listed: Vec<Vec<Key>> = listed.into_iter().map(|(values, _)| values).collect();
    let mut groups: Vec<TrendGroup> = Vec::new();
    if !by.is_empty() {
        let own = |is_own: &dyn Fn(&Vec<Key>) -> bool| {
            wanted.iter().copied().filter(|event| values(event).iter().any(is_own)).collect()
        };
        for group in &listed {
            let trend = trend(own(&|values| values == group));
            groups.push(TrendGroup { values: group.clone(), trend });
        }
        let rest = trend(own(&|values| !listed.contains(values)));
        if has_rest && rest != trend(Vec::new()) {
            groups.push(TrendGroup { values: vec![Key::Rest; by.len()], trend: rest });
        }
    }
    (trend(wanted.clone()), groups)
}
