//! Analyses in plain Rust: slow, and as close to the wording of the definitions as possible.

use std::collections::{BTreeMap, BTreeSet};

use warehouse::analysis::{
    Bin, DistributionQuery, Funnel, FunnelGroup, FunnelOrder, FunnelQuery, FunnelStep,
    LifecyclePoint, LifecycleQuery, Link, Node, PathsQuery, Quantity, RetentionCohort,
    RetentionGroup, RetentionMode, RetentionQuery, Scope, Side, Slots,
};
use warehouse::{Condition, EventChoice, GROUPS_MAX, GroupBy, Key, Property};

use crate::plain::{elements, is_hidden, passes};
use crate::support::Event;

fn meets(event: &Event, condition: &Condition, hide: bool) -> bool {
    match condition {
        Condition::Test(filter) => passes(event, filter, hide),
        Condition::All(all) => all.iter().all(|part| meets(event, part, hide)),
        Condition::Any(any) => any.iter().any(|part| meets(event, part, hide)),
        // The tests pass only the events of the people concerned.
        Condition::Among(_) | Condition::FromDevice(_) | Condition::Not(_) => true,
    }
}

fn is_chosen(event: &Event, choice: &EventChoice, scope: &Scope) -> bool {
    choice.names.as_ref().is_none_or(|names| names.contains(&event.event))
        && meets(event, &choice.condition, scope.hide_personal)
        && meets(event, &scope.condition, scope.hide_personal)
}

pub fn chosen<'a>(
    events: &'a [Event],
    scope: &Scope,
    choice: &EventChoice,
    (from, to): (i64, i64),
) -> impl Iterator<Item = &'a Event> {
    events.iter().filter(move |event| {
        event.app == scope.app
            && event.time_ms >= from
            && event.time_ms < to
            && is_chosen(event, choice, scope)
    })
}

pub fn range(slots: &Slots) -> (i64, i64) {
    (slots.starts[0] as i64 * 1_000, slots.end as i64 * 1_000)
}

pub fn slot(slots: &Slots, time_ms: i64) -> usize {
    slots.starts.iter().rposition(|start| *start as i64 * 1_000 <= time_ms).unwrap()
}

/// The event properties of a breakdown. `breakdowns` tests those by people, with questions about those
/// people.
pub fn of_events(group_by: &[GroupBy]) -> Vec<Property> {
    let property = |by: &GroupBy| match by {
        GroupBy::Event(property) => property.clone(),
        other => panic!("no property of events: {other:?}"),
    };
    group_by.iter().map(property).collect()
}

/// The first of the event's values.
fn key(event: &Event, property: &Property, hide: bool) -> Key {
    let shown = elements(event, property).into_iter().next();
    match shown {
        None => Key::NotSet,
        Some(element) if hide && is_hidden(event, &element) => Key::Hidden,
        Some(element) => Key::Text(element.text()),
    }
}

pub fn rank(key: &Key) -> (u8, String) {
    match key {
        Key::NotSet => (0, String::new()),
        Key::Text(text) => (1, text.clone()),
        Key::Hidden => (2, String::new()),
        Key::Rest => (3, String::new()),
    }
}

/// The event's values, the first one of each property.
fn values(event: &Event, properties: &[Property], hide: bool) -> Vec<Key> {
    properties.iter().map(|property| key(event, property, hide)).collect()
}

/// What there is of each combination of values, in the order of groups of the same size.
pub type ByValues<T> = BTreeMap<Vec<(u8, String)>, (Vec<Key>, T)>;

/// The groups that are shown separately.
fn groups(
    events: &[Event],
    scope: &Scope,
    choice: &EventChoice,
    range: (i64, i64),
    properties: &[Property],
) -> Vec<Vec<Key>> {
    let mut people: ByValues<BTreeSet<String>> = ByValues::new();
    for event in chosen(events, scope, choice, range) {
        let values = values(event, properties, scope.hide_personal);
        let rank = values.iter().map(rank).collect();
        let entry = people.entry(rank).or_insert_with(|| (values, BTreeSet::new()));
        entry.1.insert(event.person());
    }
    let mut groups: Vec<(Vec<Key>, usize)> =
        people.into_values().map(|(values, people)| (values, people.len())).collect();
    groups.sort_by_key(|(_, people)| std::cmp::Reverse(*people));
    groups.truncate(GROUPS_MAX);
    groups.into_iter().map(|(values, _)| values).collect()
}

/// Events by person.
fn of_each<'a>(events: impl Iterator<Item = &'a Event>) -> BTreeMap<String, Vec<&'a Event>> {
    let mut people: BTreeMap<String, Vec<&Event>> = BTreeMap::new();
    for event in events {
        people.entry(event.person()).or_default().push(event);
    }
    people
}

struct Chain {
    times: Vec<i64>,
    group: usize,
}

/// All ways to complete steps in order, beginning at each place in the list.
fn chains(
    list: &[(i64, u16, usize)],
    query: &FunnelQuery,
    so_far: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
) {
    let step = so_far.len();
    if step == query.steps.len() {
        return;
    }
    let next = so_far.last().map_or(0, |last| last + 1);
    for place in next..list.len() {
        if step > 0 && query.order == FunnelOrder::Strict && place > next {
            break;
        }
        let (at, steps, _) = list[place];
        let start = so_far.first().map_or(at, |first| list[*first].0);
        let fits =
            if step == 0 { at < range(&query.slots).1 } else { at - start <= query.window_ms };
        if steps & (1 << step) == 0 || !fits {
            continue;
        }
        so_far.push(place);
        found.push(so_far.clone());
        chains(list, query, so_far, found);
        so_far.pop();
    }
}

pub fn funnel(events: &[Event], query: &FunnelQuery) -> Funnel {
    let (from, to) = range(&query.slots);
    let whole = (from, (to + query.window_ms + 1).min(query.until_ms).max(from));
    let by = &of_events(&query.group_by);
    let keys =
        (!by.is_empty()).then(|| groups(events, &query.scope, &query.steps[0], (from, to), by));
    let mut all: Vec<Chain> = Vec::new();
    let any = EventChoice::default();
    for of_one in of_each(chosen(events, &query.scope, &any, whole)).values() {
        let excludes = |event: &&Event| {
            query.exclude.as_ref().is_some_and(|choice| is_chosen(event, choice, &query.scope))
        };
        if of_one.iter().any(excludes) {
            continue;
        }
        let mut list: Vec<(i64, u16, usize)> = Vec::new();
        for event in of_one {
            let steps =
                query.steps.iter().enumerate().map(|(step, choice)| {
                    u16::from(is_chosen(event, choice, &query.scope)) << step
                });
            let steps = steps.sum::<u16>();
            let group = match &keys {
                Some(keys) => {
                    let values = values(event, by, query.scope.hide_personal);
                    keys.iter().position(|it| *it == values).unwrap_or(keys.len())
                }
                None => 0,
            };
            if steps > 0 {
                list.push((event.time_ms, steps, group));
            }
        }
        list.sort_unstable();
        let mut found = Vec::new();
        chains(&list, query, &mut Vec::new(), &mut found);
        // The longest chain; of several, the one that ended first; of those, the one of the latest events.
        let best = found.into_iter().max_by_key(|chain| {
            let mut before: Vec<usize> = chain.clone();
            before.reverse();
            (chain.len(), std::cmp::Reverse(before[0]), before)
        });
        if let Some(best) = best {
            let times = best.iter().map(|place| list[*place].0).collect();
            all.push(Chain { times, group: list[best[0]].2 });
        }
    }
    let count = query.steps.len();
    let mut over_time = vec![(0, 0); query.slots.starts.len()];
    let mut durations_ms = Vec::new();
    for chain in &all {
        let cell = &mut over_time[slot(&query.slots, chain.times[0])];
        cell.0 += 1;
        if chain.times.len() == count {
            cell.1 += 1;
            durations_ms.push(chain.times[count - 1] - chain.times[0]);
        }
    }
    durations_ms.sort_unstable();
    let steps = |group: Option<usize>| -> Vec<FunnelStep> {
        let own: Vec<&Chain> =
            all.iter().filter(|chain| group.is_none_or(|group| chain.group == group)).collect();
        let step = |step: usize| {
            let there = own.iter().filter(|chain| chain.times.len() > step);
            let mut took: Vec<i64> = there
                .clone()
                .filter(|_| step > 0)
                .map(|chain| chain.times[step] - chain.times[step - 1])
                .collect();
            took.sort_unstable();
            let people = there.count() as u64;
            FunnelStep { people, median_ms: quantile(&took, 5), p90_ms: quantile(&took, 9) }
        };
        (0..count).map(step).collect()
    };
    let groups = keys.map_or(Vec::new(), |keys| {
        let all = (0..=keys.len()).map(|place| FunnelGroup {
            values: keys.get(place).cloned().unwrap_or(vec![Key::Rest; by.len()]),
            steps: steps(Some(place)),
        });
        all.filter(|group| group.steps[0].people > 0).collect()
    });
    Funnel { steps: steps(None), groups, over_time, durations_ms }
}

/// A quantile in tenths, interpolated between the two nearest numbers and rounded down.
fn quantile(numbers: &[i64], tenths: usize) -> Option<i64> {
    let last = numbers.len().checked_sub(1)?;
    let place = last * tenths / 10;
    let above = numbers[(place + 1).min(last)];
    Some(numbers[place] + (above - numbers[place]) * (last * tenths - place * 10) as i64 / 10)
}

type Sets = Vec<BTreeSet<String>>;

fn active(events: &[Event], scope: &Scope, choice: &EventChoice, slots: &Slots) -> Sets {
    let mut sets = vec![BTreeSet::new(); slots.starts.len()];
    for event in chosen(events, scope, choice, range(slots)) {
        sets[slot(slots, event.time_ms)].insert(event.person());
    }
    sets
}

/// When each person did it first, and with which event.
fn first_times<'a>(
    events: &'a [Event],
    scope: &Scope,
    choice: &EventChoice,
    to: i64,
) -> BTreeMap<String, Vec<&'a Event>> {
    let mut people = of_each(chosen(events, scope, choice, (0, to)));
    for of_one in people.values_mut() {
        let first = of_one.iter().map(|event| event.time_ms).min();
        of_one.retain(|event| Some(event.time_ms) == first);
    }
    people
}

pub fn retention(
    events: &[Event],
    query: &RetentionQuery,
) -> (Vec<RetentionCohort>, Vec<RetentionGroup>) {
    let all = &query.slots;
    let end = all.starts.get(query.cohorts).copied().unwrap_or(all.end);
    let own = Slots { starts: all.starts[..query.cohorts].to_vec(), end };
    let returning = active(events, &query.scope, &query.returning, all);
    let by = &of_events(&query.group_by);
    let keys =
        (!by.is_empty()).then(|| groups(events, &query.scope, &query.first, range(&own), by));
    let place = |event: &Event| match &keys {
        Some(keys) => {
            let values = values(event, by, query.scope.hide_personal);
            keys.iter().position(|it| *it == values).unwrap_or(keys.len())
        }
        None => 0,
    };
    // The members of each cohort, with their group.
    let mut cohorts: Vec<BTreeSet<(String, usize)>> = vec![BTreeSet::new(); query.cohorts];
    if query.first_ever {
        for (person, firsts) in first_times(events, &query.scope, &query.first, range(&own).1) {
            if firsts[0].time_ms >= range(&own).0 {
                let group = firsts.iter().map(|event| place(event)).min().unwrap();
                cohorts[slot(&own, firsts[0].time_ms)].insert((person, group));
            }
        }
    } else {
        for event in chosen(events, &query.scope, &query.first, range(&own)) {
            cohorts[slot(&own, event.time_ms)].insert((event.person(), place(event)));
        }
    }
    let table = |group: Option<usize>| -> Vec<RetentionCohort> {
        let cohort = |(at, members): (usize, &BTreeSet<(String, usize)>)| {
            let members: BTreeSet<&String> = members
                .iter()
                .filter(|(_, of)| group.is_none_or(|group| group == *of))
                .map(|(person, _)| person)
                .collect();
            let last = (at + query.units).min(returning.len() - 1);
            let came = |unit: usize| {
                let later = match query.mode {
                    RetentionMode::Exactly => unit..=unit,
                    RetentionMode::OnOrAfter => unit..=last,
                };
                let is_there =
                    |who: &&&String| later.clone().any(|it| returning[it].contains(**who));
                members.iter().filter(is_there).count() as u64
            };
            let returned = (at..=last).map(came).collect();
            RetentionCohort { size: members.len() as u64, returned }
        };
        cohorts.iter().enumerate().map(cohort).collect()
    };
    let groups = keys.map_or(Vec::new(), |keys| {
        let all = (0..=keys.len()).map(|place| RetentionGroup {
            values: keys.get(place).cloned().unwrap_or(vec![Key::Rest; by.len()]),
            cohorts: table(Some(place)),
        });
        all.filter(|group| group.cohorts.iter().any(|cohort| cohort.size > 0)).collect()
    });
    (table(None), groups)
}

pub fn lifecycle(events: &[Event], query: &LifecycleQuery) -> Vec<LifecyclePoint> {
    let LifecycleQuery { scope, event, slots } = query;
    let active = active(events, scope, event, slots);
    let ever = of_each(chosen(events, scope, event, (0, range(slots).1)));
    let point = |place: usize| {
        let (before, now) = (&active[place - 1], &active[place]);
        let start = slots.starts[place] as i64 * 1_000;
        let was_here = |who: &&String| ever[*who].iter().any(|event| event.time_ms < start);
        LifecyclePoint {
            new: now.iter().filter(|who| !was_here(who)).count() as u64,
            returning: now.iter().filter(|who| before.contains(*who)).count() as u64,
            resurrected: now.iter().filter(|who| !before.contains(*who) && was_here(who)).count()
                as u64,
            dormant: before.iter().filter(|who| !now.contains(*who)).count() as u64,
        }
    };
    (1..slots.starts.len()).map(point).collect()
}

pub fn distribution(events: &[Event], query: &DistributionQuery) -> Vec<Bin> {
    let DistributionQuery { scope, event, of, range, edges } = query;
    let mut bins: Vec<(BTreeSet<String>, u64)> = vec![Default::default(); edges.len()];
    let bin = |amount: f64| edges.iter().rposition(|edge| *edge <= amount);
    let people = of_each(chosen(events, scope, event, *range));
    for (person, of_one) in &people {
        let amount = match of {
            Quantity::Times => of_one.len(),
            Quantity::Days(days) => {
                of_one.iter().map(|event| slot(days, event.time_ms)).collect::<BTreeSet<_>>().len()
            }
            Quantity::Property(property) => {
                for event in of_one {
                    let amounts = elements(event, property).into_iter().filter_map(|element| {
                        let is_shown = !(scope.hide_personal && is_hidden(event, &element));
                        element.number().filter(|_| is_shown).and_then(&bin)
                    });
                    for place in amounts.collect::<BTreeSet<_>>() {
                        bins[place].0.insert(person.clone());
                        bins[place].1 += 1;
                    }
                }
                continue;
            }
        };
        if let Some(place) = bin(amount as f64) {
            bins[place].0.insert(person.clone());
            bins[place].1 += of_one.len() as u64;
        }
    }
    let bin =
        |(people, events): (BTreeSet<String>, u64)| Bin { people: people.len() as u64, events };
    bins.into_iter().map(bin).collect()
}

pub fn paths(events: &[Event], query: &PathsQuery) -> Vec<Link> {
    let node = |event: &Event| match event.event.as_str() {
        "page_view" => (event.event.clone(), Some("/docs".to_owned())),
        _ => (event.event.clone(), None),
    };
    let mut all: BTreeMap<(usize, Named, Named), BTreeSet<String>> = BTreeMap::new();
    type Named = (String, Option<String>);
    let wanted = events.iter().filter(|event| {
        event.app == query.scope.app
            && (query.range.0..query.range.1).contains(&event.time_ms)
            && (is_chosen(event, &query.end, &query.scope)
                || is_chosen(event, &query.counted, &query.scope))
    });
    for (person, mut of_one) in of_each(wanted) {
        let ends = |event: &Event| is_chosen(event, &query.end, &query.scope);
        of_one.sort_by_key(|event| (event.time_ms, node(event), ends(event)));
        if query.side == Side::To {
            of_one.reverse();
        }
        let mut left = &of_one[..];
        while let Some(start) = left.iter().position(|event| ends(event)) {
            left = &left[start..];
            let mut path = vec![node(left[0])];
            let (began, mut last, mut taken) = (left[0].time_ms, left[0].time_ms, 1);
            for event in &left[1..] {
                let too_late = match query.window_ms {
                    Some(window) => (event.time_ms - began).abs() > window,
                    None => (event.time_ms - last).abs() > 1_800_000,
                };
                if path.len() > query.steps || too_late {
                    break;
                }
                taken += 1;
                last = event.time_ms;
                if path.last() != Some(&node(event)) {
                    path.push(node(event));
                }
            }
            left = &left[taken..];
            for (step, pair) in path.windows(2).enumerate() {
                let link = (step + 1, pair[0].clone(), pair[1].clone());
                all.entry(link).or_default().insert(person.clone());
            }
        }
    }
    let most_reached = |step: usize| -> BTreeSet<Named> {
        let mut reached: BTreeMap<&Named, BTreeSet<&String>> = BTreeMap::new();
        for ((at, _, to), people) in all.iter().filter(|((at, ..), _)| *at == step) {
            assert_eq!(*at, step);
            reached.entry(to).or_default().extend(people);
        }
        let mut reached: Vec<_> = reached.into_iter().collect();
        reached.sort_by_key(|(node, people)| (std::cmp::Reverse(people.len()), text(node)));
        reached.into_iter().take(query.branches).map(|(node, _)| node.clone()).collect()
    };
    let text_of = |step: usize, named: &Named| match step == 0 || most_reached(step).contains(named)
    {
        true => Node::Event { name: named.0.clone(), page: named.1.clone() },
        false => Node::Other,
    };
    let mut merged: BTreeMap<(usize, Node, Node), BTreeSet<String>> = BTreeMap::new();
    for ((step, from, to), people) in &all {
        let (near, far) = (text_of(step - 1, from), text_of(*step, to));
        let link = match query.side {
            Side::From => (*step, near, far),
            Side::To => (*step, far, near),
        };
        merged.entry(link).or_default().extend(people.iter().cloned());
    }
    let mut links: Vec<Link> = merged
        .into_iter()
        .map(|((step, source, target), people)| {
            let people = people.len() as u64;
            Link { step, source, target, people }
        })
        .collect();
    links.sort_by_key(|link| (link.step, std::cmp::Reverse(link.people)));
    links
}

fn text((name, page): &(String, Option<String>)) -> String {
    page.as_ref().map_or(name.clone(), |page| format!("{name}\0{page}"))
}
