//! Pages, referring sites and visits in plain Rust.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::percent_decode_str;
use uuid::Uuid;
use warehouse::BreakdownValue;

use crate::support::{Counts, Dice, Event};

const HALF_HOUR_MS: i64 = 1_800_000;
const TABLES: [(&str, u32); 4] = [("15m", 900), ("1h", 3_600), ("1d", 86_400), ("1w", 604_800)];

/// The path of a page view. Some paths contain the visitor's id or another person's.
pub fn path(dice: &mut Dice, device: &str, user: &str) -> String {
    let paths = [
        "/".to_owned(),
        "/docs".to_owned(),
        "/docs/start".to_owned(),
        "/pricing?plan=pro".to_owned(),
        String::new(),
        format!("/u/{user}/home"),
        format!("/u/{}/home", user.replace(' ', "%20")),
        format!("/d/{device}?tab=1"),
        "/u/user 1/home".to_owned(),
        "/100%/of%20it".to_owned(),
    ];
    paths[dice.below(paths.len() as u64) as usize].clone()
}

pub fn referrer(dice: &mut Dice) -> &'static str {
    [
        "",
        "unknown",
        "https://www.example.com/a?b",
        "http://example.com:8080/",
        "https://news.example.org/x/y#z",
        "android-app://com.example.mail",
    ][dice.below(6) as usize]
}

/// The page of a page view, with a zero byte before the visitor's own ids.
pub fn page(event: &Event) -> String {
    let ids = [event.user_id.as_str(), event.device_id.as_str()];
    let part = |part: &str| {
        let name = part.split(['?', '#', ';']).next().unwrap();
        let name = percent_decode_str(name).decode_utf8_lossy();
        let is_own = ids.iter().filter(|id| !id.is_empty()).any(|id| {
            name == *id || part == *id || id.len() >= 5 && (part.contains(id) || name.contains(id))
        });
        if is_own { format!("\0{part}") } else { part.to_owned() }
    };
    event.path.split('/').map(part).collect::<Vec<_>>().join("/")
}

pub fn site(event: &Event) -> &'static str {
    match event.referrer {
        "https://www.example.com/a?b" | "http://example.com:8080/" => "example.com",
        "https://news.example.org/x/y#z" => "news.example.org",
        "android-app://com.example.mail" => "com.example.mail",
        _ => "",
    }
}

fn views(events: &[Event]) -> impl Iterator<Item = &Event> {
    events.iter().filter(|event| event.event == "page_view")
}

/// The page views on which visits begin and end: ("entry" or "exit", the event).
pub fn ends(events: &[Event]) -> Vec<(&'static str, &Event)> {
    let mut of_device: BTreeMap<(Uuid, &str), Vec<&Event>> = BTreeMap::new();
    for event in views(events) {
        of_device.entry((event.app, &event.device_id)).or_default().push(event);
    }
    let mut ends = Vec::new();
    for mut views in of_device.into_values() {
        // At the same moment, the first and the last by name.
        views.sort_by_key(|event| (event.time_ms, page(event)));
        for (at, event) in views.iter().enumerate() {
            let is_near = |other: Option<&&Event>| {
                other.is_some_and(|it| (it.time_ms - event.time_ms).abs() <= HALF_HOUR_MS)
            };
            if !is_near(at.checked_sub(1).and_then(|before| views.get(before))) {
                ends.push(("entry", *event));
            }
            if !is_near(views.get(at + 1)) {
                ends.push(("exit", *event));
            }
        }
    }
    ends
}

/// The expected content of the tables of pages.
pub fn count(events: &[Event], sent_by: impl Fn(&Event) -> String, counts: &mut Counts) {
    let mut sets: BTreeMap<String, (u64, BTreeSet<String>)> = BTreeMap::new();
    let mut add = |dimension: &str, event: &Event, value: &str, who: Option<String>| {
        for (table, length) in TABLES {
            let start = event.bucket() / length * length;
            let key = format!("pages {table} {dimension} {} {start} {value}", event.app);
            let entry = sets.entry(key).or_default();
            entry.0 += 1;
            entry.1.extend(who.clone());
        }
    };
    for event in views(events) {
        add("page", event, &page(event), Some(sent_by(event)));
        add("site", event, site(event), Some(sent_by(event)));
    }
    for (dimension, event) in ends(events) {
        add(dimension, event, &page(event), None);
    }
    counts.extend(sets.into_iter().map(|(key, (events, who))| (key, (events, who.len() as u64))));
    for event in views(events) {
        let key = format!("visit {} {} {}", event.app, event.bucket(), event.device_id);
        let time = event.time_ms as u64;
        let entry = counts.entry(key).or_insert((time, time));
        *entry = (entry.0.min(time), entry.1.max(time));
    }
}

/// The statements that read their actual content.
pub fn statements() -> Vec<String> {
    let of_table = |(table, _)| {
        format!(
            "SELECT concat('pages {table} ', dimension, ' ', toString(app_id), ' ', \
                 toString(toUnixTimestamp(bucket)), ' ', value) AS key, \
                 toUInt64(sum(events)) AS a, groupBitmapMerge(people) AS b FROM pages_{table} \
             GROUP BY app_id, dimension, bucket, value HAVING a != 0"
        )
    };
    let visits = "SELECT concat('visit ', toString(app_id), ' ', toString(toUnixTimestamp(bucket)), ' ', \
             any(device_id)) AS key, 1000 * toUInt64(toUnixTimestamp(bucket)) + bitShiftRight(min(first), 44) AS a, \
             1000 * toUInt64(toUnixTimestamp(bucket)) + bitShiftRight(max(last), 44) AS b FROM page_visits_15m \
         INNER JOIN (SELECT DISTINCT device_id, cityHash64(device_id) AS device FROM devices) AS d \
         USING (device) GROUP BY app_id, bucket, device";
    TABLES.into_iter().map(of_table).chain([visits.to_owned()]).collect()
}

/// The number of occurrences, and the people.
type Occurred = (u64, BTreeSet<(Uuid, String)>);

/// The dashboard's lists of pages and sites.
pub fn lists(
    events: &[Event],
    (from, to): (i64, i64),
    most: usize,
    shown: impl Fn(&str, &str) -> String,
) -> Vec<BreakdownValue> {
    let mut lists: BTreeMap<&str, BTreeMap<String, Occurred>> = BTreeMap::new();
    let mut add = |dimension: &'static str, event: &Event, value: &str, counts_person: bool| {
        if event.time_ms < from || event.time_ms >= to {
            return;
        }
        let list = lists.entry(dimension).or_default();
        let (sum, people) = list.entry(shown(dimension, value)).or_default();
        *sum += 1;
        people.extend(counts_person.then(|| (event.app, event.person())));
    };
    for event in views(events) {
        add("page", event, &page(event), true);
        add("site", event, site(event), true);
    }
    // Whether a visit begins or ends with a page view also depends on events outside the range.
    for (dimension, event) in ends(events) {
        add(dimension, event, &page(event), false);
    }
    let mut values = Vec::new();
    for (dimension, list) in lists {
        let mut list: Vec<_> = list.into_iter().collect();
        list.sort_by_key(|(_, (events, _))| Reverse(*events));
        let rest = list.split_off(list.len().min(most));
        let mut tell = |value: String, is_rest, events, people: BTreeSet<(Uuid, String)>| {
            let (dimension, persons) = (dimension.to_owned(), people.len() as u64);
            values.push(BreakdownValue { dimension, value, is_rest, events, persons });
        };
        for (value, (events, people)) in list {
            tell(value, false, events, people);
        }
        if !rest.is_empty() {
            let events = rest.iter().map(|(_, (events, _))| events).sum();
            let people = rest.into_iter().flat_map(|(_, (_, people))| people).collect();
            tell(String::new(), true, events, people);
        }
    }
    values
}
