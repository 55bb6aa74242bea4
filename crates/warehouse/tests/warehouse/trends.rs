//! Which groups of a trend are the largest, what counts as a number, and how much is read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;
use warehouse::analysis::{Aggregate, Scope, Slots, Trend, TrendMeasure, TrendQuery};
use warehouse::{Condition, EventChoice, GROUPS_MAX, GroupBy, Key, Property};

use crate::analyses::alike;
use crate::plain_trend;
use crate::support::{Event, START_MS, Store, make_up, small_and_large};

const PRODUCTS: usize = GROUPS_MAX + 2;

fn path(name: &str) -> Property {
    Property::Path(vec![name.to_owned()])
}

fn number(aggregate: Aggregate, name: &str) -> TrendMeasure {
    TrendMeasure::Number(aggregate, path(name))
}

fn hourly(app: Uuid, hours: u64, measure: TrendMeasure) -> TrendQuery {
    let hour = |number: u64| START_MS as u64 / 1_000 + number * 3_600;
    TrendQuery {
        scope: Scope { app, condition: Condition::default(), hide_personal: false },
        event: EventChoice::default(),
        measure,
        slots: Slots { starts: (0..hours).map(hour).collect(), end: hour(hours) },
        group_by: Vec::new(),
        by_events: false,
    }
}

/// The later a product, the fewer people buy it and the more it costs. Each buys the third one nine times.
fn purchases(app: Uuid) -> Vec<Event> {
    let of = |product: usize, person: usize| {
        let properties = format!(
            r#"{{"product":"p{product}","amount":{},"parts":[{product},1]}}"#,
            3_u64.pow(product as u32)
        );
        let times = if product == 2 { 9 } else { 1 };
        make_up(product as u64, times, &[app]).into_iter().map(move |event| Event {
            time_ms: START_MS + person as i64 * 1_000,
            event: "buy".to_owned(),
            device_id: format!("device {person}"),
            user_id: String::new(),
            properties: properties.clone(),
            ..event
        })
    };
    let products = 0..PRODUCTS;
    products.flat_map(|it| (it..PRODUCTS).flat_map(move |person| of(it, person))).collect()
}

#[tokio::test]
async fn the_largest_groups_have_most_of_what_is_measured() {
    let store = Store::open().await;
    let app = Uuid::new_v4();
    let events = purchases(app);
    store.insert(1, &events).await;
    for (measure, by_events, largest) in [
        (TrendMeasure::Events, false, "p2"),
        (TrendMeasure::Devices, false, "p2"),
        (TrendMeasure::People, false, "p0"),
        (TrendMeasure::PerPerson, false, "p0"),
        (number(Aggregate::Sum, "amount"), false, "p11"),
        (number(Aggregate::Sum, "amount"), true, "p2"),
        (TrendMeasure::People, true, "p2"),
        // Values in lists are added up by the store.
        (number(Aggregate::Sum, "parts"), false, "p2"),
        // One event could have the greatest of all.
        (number(Aggregate::Average, "amount"), false, "p2"),
        (number(Aggregate::Max, "amount"), false, "p2"),
        (number(Aggregate::Median, "amount"), false, "p2"),
    ] {
        let query = TrendQuery {
            by_events,
            group_by: vec![GroupBy::Event(path("product"))],
            ..hourly(app, 1, measure)
        };
        let expected = plain_trend::trend(&events, &query);
        for store in small_and_large(&store.warehouse) {
            let answer = store.trend(&query).await.unwrap();
            alike(&answer, &expected, &query);
            let (_, groups) = answer;
            let values = |place: usize| groups[place].values.clone();
            assert_eq!(values(0), [Key::Text(largest.to_owned())], "{query:?}");
            assert_eq!((groups.len(), values(GROUPS_MAX)), (GROUPS_MAX + 1, vec![Key::Rest]));

            // The people of the rest are those of the groups that this trend does not list.
            let listed = |event: &&Event| {
                let product = |it: &str| event.properties.contains(&format!(r#""{it}""#));
                groups.iter().any(|it| matches!(&it.values[0], Key::Text(text) if product(text)))
            };
            let rest: Vec<Event> = events.iter().filter(|it| !listed(it)).cloned().collect();
            let people =
                TrendQuery { measure: TrendMeasure::People, group_by: Vec::new(), ..query.clone() };
            let (Trend { total, .. }, _) = plain_trend::trend(&rest, &people);
            let behind =
                store.trend_people(&query, &query.slots, Some(&[Key::Rest])).await.unwrap();
            assert_eq!(behind.map(|it| it.count() as f64), total, "{query:?}");
        }
    }
}

/// JSON, and the number it stands for.
const SENT: [(&str, Option<f64>); 38] = [
    ("0", Some(0.0)),
    ("1", Some(1.0)),
    ("-0.5", Some(-0.5)),
    ("1.50", Some(1.5)),
    ("1e3", Some(1_000.0)),
    ("0.30000000000000004", Some(0.300_000_000_000_000_04)),
    ("1.7976931348623157e308", Some(f64::MAX)),
    ("9007199254740993", Some(9_007_199_254_740_992.0)),
    ("12345678901234567890", Some(12_345_678_901_234_567_890.0)),
    ("18446744073709551615", Some(18_446_744_073_709_551_615.0)),
    ("-9223372036854775808", Some(-9_223_372_036_854_775_808.0)),
    ("true", None),
    ("false", None),
    ("null", None),
    ("{\"a\":1}", None),
    ("{\"true\":1}", None),
    ("[]", None),
    ("\"\"", None),
    ("\"0\"", Some(0.0)),
    ("\"1\"", Some(1.0)),
    ("\"\\u0031\"", Some(1.0)),
    ("\"00012\"", Some(12.0)),
    ("\"+5\"", Some(5.0)),
    ("\".5\"", Some(0.5)),
    ("\"5.\"", Some(5.0)),
    ("\"1e3\"", Some(1_000.0)),
    ("\" 12\"", None),
    ("\"12 \"", None),
    ("\"12\\n\"", None),
    ("\"12abc\"", None),
    ("\"1,000\"", None),
    ("\"0x10\"", None),
    ("\"１２\"", None),
    ("\"1e\"", None),
    ("\"inf\"", None),
    ("\"nan\"", None),
    ("\"1e400\"", None),
    ("\"true\"", None),
];

#[tokio::test]
async fn a_number_is_one_however_it_was_sent() {
    let store = Store::open().await;
    let app = Uuid::new_v4();
    // With and without a yes or no elsewhere in the event.
    let cases: Vec<(String, Option<f64>)> = ["", r#","ok":true"#, r#","ok":"false""#]
        .iter()
        .flat_map(|other| {
            SENT.map(|(sent, number)| (format!(r#"{{"amount":{sent}{other}}}"#), number))
        })
        .collect();
    let events: Vec<Event> = make_up(1, cases.len(), &[app])
        .into_iter()
        .zip(&cases)
        .enumerate()
        .map(|(hour, (event, (properties, _)))| Event {
            time_ms: START_MS + hour as i64 * 3_600_000,
            properties: properties.clone(),
            referrer: "",
            ..event
        })
        .collect();
    store.insert(1, &events).await;
    for aggregate in [Aggregate::Average, Aggregate::Min, Aggregate::Max, Aggregate::Median] {
        let query = hourly(app, cases.len() as u64, number(aggregate, "amount"));
        for store in small_and_large(&store.warehouse) {
            let (trend, _) = store.trend(&query).await.unwrap();
            assert_eq!(trend.points.len(), cases.len());
            for (found, (sent, expected)) in trend.points.iter().zip(&cases) {
                assert_eq!(found, expected, "{sent} {aggregate:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_question_about_a_day_does_not_read_the_month() {
    let store = Store::open().await;
    let app = Uuid::new_v4();
    // A thousand events for each hour of three days: three marks of the store's index or more.
    let events: Vec<Event> = make_up(1, 72_000, &[app])
        .into_iter()
        .enumerate()
        .map(|(at, event)| Event {
            time_ms: START_MS + at as i64 * 3_600,
            user_id: String::new(),
            ..event
        })
        .collect();
    store.insert(1, &events).await;
    let read = Arc::new(AtomicU64::new(0));
    let counting = store.warehouse.counting_rows(read.clone());
    let query = hourly(app, 1, TrendMeasure::Events);
    let (trend, _) = counting.trend(&query).await.unwrap();
    assert_eq!(trend.total, Some(1_000.0));
    assert!(read.load(Ordering::Relaxed) <= 16_384, "{read:?} rows");
}
