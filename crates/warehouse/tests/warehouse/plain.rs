//! Answers to questions about events, computed in plain Rust.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use warehouse::shown::{PEOPLE_MIN, looks_personal, number_looks_personal};
use warehouse::{
    Column, ExploreQuery, Filter, Finding, GROUPS_MAX, Group, Key, Measure, Property, Test,
};

use crate::support::Event;

/// An element of a property's value.
#[derive(Clone)]
pub enum Element {
    Text(String),
    Number(f64, String),
    Composite,
}

impl Element {
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) | Self::Number(_, text) => text.clone(),
            Self::Composite => "{…}".to_owned(),
        }
    }

    /// The number, even if it was sent as text.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number, _) => Some(*number),
            Self::Text(text) => text.parse().ok().filter(|number: &f64| number.is_finite()),
            Self::Composite => None,
        }
    }
}

pub fn elements(event: &Event, property: &Property) -> Vec<Element> {
    let path = match property {
        Property::Column(column) => {
            let text = match column {
                Column::Os => event.os,
                Column::Browser => event.browser,
                Column::UserId => &event.user_id,
                other => panic!("{other:?}"),
            };
            let set = (!text.is_empty()).then(|| Element::Text(text.to_owned()));
            return set.into_iter().collect();
        }
        Property::Path(path) => path,
    };
    let root: Value = serde_json::from_str(&event.properties).unwrap();
    let found = path.iter().try_fold(&root, |value, name| value.as_object()?.get(name));
    let list = match found {
        None => return Vec::new(),
        Some(Value::Array(list)) => list.clone(),
        Some(value) => vec![value.clone()],
    };
    let element = |value: Value| match value {
        Value::Null => None,
        Value::String(text) => Some(Element::Text(text)),
        Value::Bool(flag) => Some(Element::Text(flag.to_string())),
        Value::Number(number) => {
            let number = number.as_f64().unwrap();
            Some(Element::Number(number, number.to_string()))
        }
        Value::Array(_) | Value::Object(_) => Some(Element::Composite),
    };
    list.into_iter().filter_map(element).collect()
}

/// Whether callers without access to personal data do not see this element.
pub fn is_hidden(event: &Event, element: &Element) -> bool {
    let ids = [&event.user_id, &event.device_id];
    let is_id = |text: &str| ids.iter().any(|id| !id.is_empty() && text.contains(id.as_str()));
    match element {
        Element::Text(text) => is_id(text) || looks_personal(text),
        Element::Number(number, _) => number_looks_personal(&format!("{:.0}", number.abs())),
        Element::Composite => false,
    }
}

pub fn passes(event: &Event, filter: &Filter, hide: bool) -> bool {
    let mut elements = elements(event, &filter.property);
    elements.retain(|element| !(hide && is_hidden(event, element)));
    let any = |test: &dyn Fn(&Element) -> bool| elements.iter().any(test);
    let compared = |test: &dyn Fn(f64) -> bool| any(&|e| e.number().is_some_and(test));
    let passed = match &filter.test {
        Test::Set => !elements.is_empty(),
        Test::Is(values) => any(&|element| {
            values.contains(&element.text())
                || matches!(element, Element::Number(n, _)
                    if values.iter().any(|value| value.parse() == Ok(*n)))
        }),
        Test::Contains(values) => any(&|e| values.iter().any(|v| e.text().contains(v.as_str()))),
        Test::Above(bound) => compared(&|number| number > *bound),
        Test::AtLeast(bound) => compared(&|number| number >= *bound),
        Test::Below(bound) => compared(&|number| number < *bound),
        Test::AtMost(bound) => compared(&|number| number <= *bound),
        Test::Since(_) | Test::Before(_) => unreachable!("times have a test of their own"),
    };
    passed != filter.negated
}

/// The order of groups of the same size.
fn rank(key: &Key) -> (u8, String) {
    match key {
        Key::NotSet => (0, String::new()),
        Key::Text(text) => (1, text.clone()),
        Key::Hidden => (2, String::new()),
        Key::Rest => (3, String::new()),
    }
}

fn keys(event: &Event, question: &ExploreQuery, tell_hidden: bool) -> Vec<Key> {
    let Some(property) = &question.group_by else { return vec![Key::NotSet] };
    let mut keys: Vec<Key> = Vec::new();
    for element in elements(event, property) {
        let key = match question.hide_personal && is_hidden(event, &element) {
            true if !tell_hidden => continue,
            true => Key::Hidden,
            false => Key::Text(element.text()),
        };
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    if keys.is_empty() { vec![Key::NotSet] } else { keys }
}

#[derive(Default)]
struct Count {
    events: u64,
    persons: BTreeSet<String>,
    devices: BTreeSet<String>,
}

impl Count {
    fn add(&mut self, event: &Event) {
        self.events += 1;
        self.persons.insert(event.person());
        self.devices.insert(event.device_id.clone());
    }

    fn measure(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Events => self.events as f64,
            Measure::Persons => self.persons.len() as f64,
            Measure::Devices => self.devices.len() as f64,
            Measure::EventsPerPerson if self.persons.is_empty() => 0.0,
            Measure::EventsPerPerson => self.events as f64 / self.persons.len() as f64,
        }
    }
}

pub fn evaluate(events: &[Event], question: &ExploreQuery) -> Finding {
    let slot = |event: &Event| {
        let at = event.time_ms as u64 / 1000;
        let after = question.starts.partition_point(|start| *start <= at);
        (at < question.end && after > 0).then(|| after - 1)
    };
    let wanted: Vec<(usize, &Event)> = events
        .iter()
        .filter(|event| question.event.as_ref().is_none_or(|name| event.event == *name))
        .filter(|event| {
            question.filters.iter().all(|filter| passes(event, filter, question.hide_personal))
        })
        .filter_map(|event| Some((slot(event)?, event)))
        .collect();
    let hidden = |event: &Event| keys(event, question, true).contains(&Key::Hidden);
    let mut who_hides = Count::default();
    wanted.iter().filter(|(_, event)| hidden(event)).for_each(|(_, event)| who_hides.add(event));
    let tell_hidden = who_hides.persons.len() as u64 >= PEOPLE_MIN;
    let keys = |event: &Event| keys(event, question, tell_hidden);
    let mut total = Count::default();
    let mut all: BTreeMap<(u8, String), (Key, Count)> = BTreeMap::new();
    for (_, event) in &wanted {
        total.add(event);
        for key in keys(event) {
            all.entry(rank(&key)).or_insert_with(|| (key, Count::default())).1.add(event);
        }
    }
    let mut top: Vec<(Key, f64)> =
        all.into_values().map(|(key, count)| (key, count.measure(question.measure))).collect();
    top.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| rank(a).cmp(&rank(b))));
    let mut listed: Vec<Key> = top.into_iter().map(|(key, _)| key).collect();
    if listed.len() > GROUPS_MAX {
        listed.truncate(GROUPS_MAX);
        listed.push(Key::Rest);
    }
    let groups = listed.iter().map(|wanted_key| {
        let belongs =
            |key: &Key| key == wanted_key || *wanted_key == Key::Rest && !listed.contains(key);
        let (mut whole, mut points) = (Count::default(), BTreeMap::<usize, Count>::new());
        for (slot, event) in &wanted {
            // Counted once, even if several of its elements are in the rest.
            if keys(event).iter().any(belongs) {
                whole.add(event);
                points.entry(*slot).or_default().add(event);
            }
        }
        let point = |slot| points.get(&slot).map_or(0.0, |count| count.measure(question.measure));
        Group {
            key: wanted_key.clone(),
            total: whole.measure(question.measure),
            points: (0..question.starts.len()).map(point).collect(),
        }
    });
    let mut groups: Vec<Group> = groups.collect();
    if groups.is_empty() && question.group_by.is_none() {
        let points = vec![0.0; question.starts.len()];
        groups.push(Group { key: Key::NotSet, total: 0.0, points });
    }
    Finding { total: total.measure(question.measure), groups }
}
