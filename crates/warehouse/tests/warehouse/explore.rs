//! Questions of the explorer, compared with plain Rust on the same events.

use serde_json::Value;
use uuid::Uuid;
use warehouse::{Column, ExploreQuery, Filter, Finding, Group, Key, Measure, Property, Test};

use crate::deck::Deck;
use crate::plain::evaluate;
use crate::support::{Dice, Event, START_MS, Store, make_up, own};

const VALUES: &[&str] = &[
    "free",
    "pro",
    "团队",
    "3",
    "2.5",
    "0.25",
    "true",
    "it's \"x\"\\",
    "-7",
    "ask jane@example.com",
    "１３８ 0013 8000",
];
const NAMES: &[&str] = &["plan", "seats", "tags", "o.k", "it's \"odd\"", "missing", "n"];

/// A JSON value such as people send.
fn json_value(dice: &mut Dice, depth: u32) -> Value {
    match dice.below(if depth == 0 { 9 } else { 7 }) {
        0 => Value::Null,
        1 => Value::from([-2, -1, 0, 1, 2, 13_800_138_000_i64][dice.below(6) as usize]),
        2 => Value::from([2.5, 0.25, -7.0, 3.0][dice.below(4) as usize]),
        3 => Value::from(dice.below(2) == 0),
        4..=6 => Value::from(VALUES[dice.below(VALUES.len() as u64) as usize]),
        7 => (0..dice.below(4)).map(|_| json_value(dice, 1)).collect(),
        _ => serde_json::json!({ "k": json_value(dice, 1) }),
    }
}

pub fn events(app: Uuid) -> Vec<Event> {
    let mut dice = Dice(4711);
    let mut events = make_up(7, 3_000, &[app]);
    for event in &mut events {
        let mut properties = serde_json::Map::new();
        for name in ["plan", "seats", "tags", "o", "it's \"odd\""] {
            if dice.below(4) > 0 {
                properties.insert(name.to_owned(), json_value(&mut dice, 0));
            }
        }
        properties.insert("n".to_owned(), dice.below(25).into());
        if dice.below(3) == 0 {
            properties.insert("o".to_owned(), serde_json::json!({ "k": dice.below(3) }));
        }
        event.properties = Value::Object(properties).to_string();
    }
    own(&mut events);
    events
}

fn property(deck: &mut Deck) -> Property {
    match deck.below(4) {
        0 => {
            Property::Column([Column::Os, Column::Browser, Column::UserId][deck.below(3) as usize])
        }
        _ => {
            let name = NAMES[deck.below(NAMES.len() as u64) as usize];
            Property::Path(name.split('.').map(str::to_owned).collect())
        }
    }
}

fn filter(deck: &mut Deck) -> Filter {
    let texts = |deck: &mut Deck| {
        let count = 1 + deck.below(3);
        (0..count).map(|_| VALUES[deck.below(VALUES.len() as u64) as usize].to_owned()).collect()
    };
    let bound = deck.below(6) as f64 - 2.0;
    let test = match deck.below(7) {
        0 | 1 => Test::Is(texts(deck)),
        2 => Test::Contains(texts(deck)),
        3 => Test::Above(bound),
        4 => Test::AtLeast(bound),
        5 => [Test::Below(bound), Test::AtMost(bound)][deck.below(2) as usize].clone(),
        _ => Test::Set,
    };
    let negated = deck.below(3) == 0 && matches!(test, Test::Is(_) | Test::Contains(_) | Test::Set);
    Filter { property: property(deck), test, negated }
}

pub fn question(app: Uuid, deck: &mut Deck) -> ExploreQuery {
    let start = START_MS as u64 / 1000 + deck.below(3) * 3_600;
    let width = [900, 3_600, 5_000][deck.below(3) as usize];
    ExploreQuery {
        app,
        event: (deck.below(2) == 0).then(|| "page_view".to_owned()),
        measure: [Measure::Events, Measure::Persons, Measure::Devices, Measure::EventsPerPerson]
            [deck.below(4) as usize],
        filters: (0..deck.below(3)).map(|_| filter(deck)).collect(),
        group_by: (deck.below(3) > 0).then(|| property(deck)),
        starts: (0..6).map(|n| start + n * width).collect(),
        end: start + 6 * width,
        hide_personal: deck.below(2) == 0,
    }
}

/// Forty questions here, in which every measure, test and grouping comes several times; a thousand with
/// `LONG_TESTS=1`.
#[tokio::test(flavor = "multi_thread")]
async fn answers_are_those_of_plain_counting() {
    let questions = if std::env::var_os("LONG_TESTS").is_some() { 1_000 } else { 40 };
    let store = Store::open().await;
    let app = Uuid::new_v4();
    let events = events(app);
    store.insert(1, &events).await;
    store.insert(2, &make_up(8, 500, &[Uuid::new_v4()])).await;
    let mut deck = Deck::new(99);
    let (mut found_any, mut with_rest) = (0, 0);
    for _ in 0..questions {
        let question = question(app, &mut deck);
        let found = store.warehouse.explore(&question).await.unwrap();
        let expected = evaluate(&events, &question);
        assert_eq!(found, expected, "{question:#?}");
        found_any += usize::from(found.total > 0.0);
        with_rest += usize::from(found.groups.iter().any(|group| group.key == Key::Rest));
    }
    let enough = found_any > questions / 3 && with_rest > questions / 30;
    assert!(enough, "{found_any} {with_rest}");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_and_values_are_data_whatever_they_look_like() {
    let store = Store::open().await;
    let app = Uuid::new_v4();
    let strange =
        ["'); DROP TABLE events --", "{p0:String}", "\\", "a\tb\nc", "", "\u{1F600}", "`"];
    let mut all = Vec::new();
    for (number, name) in strange.iter().enumerate() {
        let mut some = make_up(number as u64 + 1, 3, &[app]);
        for event in &mut some {
            event.time_ms = START_MS;
            event.properties = serde_json::json!({ *name: name }).to_string();
        }
        all.append(&mut some);
    }
    store.insert(1, &all).await;
    let start = START_MS as u64 / 1000;
    for name in strange {
        let property = Property::Path(vec![name.to_owned()]);
        let is = Filter {
            property: property.clone(),
            test: Test::Is(vec![name.to_owned()]),
            negated: false,
        };
        let question = ExploreQuery {
            app,
            event: None,
            measure: Measure::Events,
            filters: vec![is],
            group_by: Some(property.clone()),
            starts: vec![start],
            end: start + 900,
            hide_personal: true,
        };
        let found = store.warehouse.explore(&question).await.unwrap();
        let group = Group { key: Key::Text(name.to_owned()), total: 3.0, points: vec![3.0] };
        assert_eq!(found, Finding { total: 3.0, groups: vec![group] }, "{name}");
        let values = store.warehouse.values(&question, &property, "").await.unwrap();
        let values: Vec<_> = values.values.iter().map(|found| found.value.as_str()).collect();
        // An empty text is not suggested.
        assert_eq!(values, if name.is_empty() { vec![] } else { vec![name] });
    }
}
