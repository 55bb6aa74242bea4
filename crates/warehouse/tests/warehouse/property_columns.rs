//! Properties with columns of their own: whatever a column contains, the answers are those of the text.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use uuid::Uuid;
use warehouse::analysis::{Aggregate, Scope, Slots, TrendMeasure, TrendQuery};
use warehouse::{
    Condition, EventChoice, GroupBy, Insert, Key, Property, PropertyColumn, Versions, Warehouse,
    event_insert,
};

use crate::plain_trend;
use crate::shards;
use crate::support::{Event, START_MS, Store, know, load, own, rows};

const HOUR: i64 = 3_600_000;
const NOW: i64 = START_MS / 1_000;
/// How long a column rests after it goes out of use.
const REST: i64 = 3_600;

fn path(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Most have a plan, in various forms; some have none.
fn events(app: Uuid, seed: i64) -> Vec<Event> {
    let mut events: Vec<Event> = (0..60)
        .map(|number: i64| {
            let plan = [
                json!("pro"),
                json!("it's \\ \"free\" 免费"),
                json!(null),
                json!(["pro", "team"]),
                json!(7),
            ];
            let mut properties = json!({
                "pl'an": plan[number as usize % 5],
                "cart": { "total": number * seed, "items": [1, 2] },
            });
            if number % 7 == 0 {
                properties = json!({ "cart": 3 });
            }
            Event {
                app,
                log_id: Uuid::new_v4(),
                // Over three months.
                time_ms: START_MS + (number % 3) * 31 * 24 * HOUR + number * 60_000,
                event: "pay".to_owned(),
                device_id: format!("device {}", number % 11),
                user_id: String::new(),
                owner: String::new(),
                os: "iOS",
                browser: "Safari",
                properties: properties.to_string(),
                path: "/docs".to_owned(),
                referrer: "",
            }
        })
        .collect();
    own(&mut events);
    events
}

fn question(app: Uuid) -> TrendQuery {
    let start = START_MS as u64 / 1_000;
    let days = |days: u64| start + days * 86_400;
    TrendQuery {
        scope: Scope { app, condition: Condition::default(), hide_personal: false },
        event: EventChoice::default(),
        measure: TrendMeasure::Number(Aggregate::Sum, Property::Path(path(&["cart", "total"]))),
        slots: Slots { starts: vec![days(0), days(31), days(62)], end: days(93) },
        group_by: vec![GroupBy::Event(Property::Path(path(&["pl'an"])))],
        by_events: false,
    }
}

/// A store that knows the columns, and how many of the two properties it reads from one.
async fn reading(store: &Warehouse, app: Uuid) -> (Warehouse, usize) {
    let properties = [path(&["pl'an"]), path(&["cart", "total"])].map(Property::Path);
    let store = store.reading_columns(app, &properties).await.unwrap();
    let count = store.columns_read();
    (store, count)
}

async fn answers_are_right(store: &Warehouse, app: Uuid, events: &[Event]) {
    let expected = plain_trend::trend(events, &question(app));
    assert_eq!(store.trend(&question(app)).await.unwrap(), expected);
}

/// Does all the work that is left.
async fn work(store: &Warehouse, now: i64) -> usize {
    let mut steps = 0;
    loop {
        let left = store.property_column_work(now).await.unwrap();
        let Some(first) = left.first() else { return steps };
        // It runs in the background and is not started again until it is done. Asking without a pause would
        // take the time that it needs.
        match store.begin_property_column_work(first).await.unwrap() {
            true => steps += 1,
            false => tokio::time::sleep(Duration::from_millis(50)).await,
        }
        assert!(steps < 50, "{left:?}");
    }
}

/// Returns the app, and the column of the first property.
async fn columns_hold_what_the_text_says(store: &Warehouse) -> (Uuid, PropertyColumn) {
    let (app, other) = (Uuid::new_v4(), Uuid::new_v4());
    let (early, late) = (events(app, 1), events(app, 3));
    let all = [early.clone(), late.clone()].concat();
    load(store, 1, &early).await.unwrap();
    let plan = store.add_property_column(app, &path(&["pl'an"]), NOW).await.unwrap().unwrap();
    let total = path(&["cart", "total"]);
    store.add_property_column(app, &total, NOW).await.unwrap().unwrap();
    let again = store.add_property_column(app, &path(&["pl'an"]), NOW).await.unwrap().unwrap();
    assert_eq!((plan.number, again.number), (1, 1));

    // The column is empty for older rows, so it is not read.
    let (reader, columns) = reading(store, app).await;
    assert_eq!(columns, 0);
    answers_are_right(&reader, app, &early).await;
    // New rows fill it by themselves; rows of apps without columns leave it empty.
    load(store, 2, &late).await.unwrap();
    load(store, 3, &events(other, 1)).await.unwrap();
    let left = store.property_column_work(NOW).await.unwrap();
    assert_eq!(left.iter().map(|it| it.rows).collect::<Vec<_>>(), [60, 60]);
    assert!(work(store, NOW).await >= 6, "three months of two columns");
    let (reader, columns) = reading(store, app).await;
    assert_eq!(columns, 2);
    answers_are_right(&reader, app, &all).await;
    assert_eq!(reading(store, other).await.1, 0);

    // A release that knows nothing of columns stores a row: the text is read again.
    let unaware = events(app, 5);
    know(store, &unaware).await.unwrap();
    let mut insert = event_insert(4);
    insert.leave_columns();
    store.insert(&insert, rows(&unaware), Insert::default()).await.unwrap();
    let all = [all, unaware].concat();
    let (reader, columns) = reading(store, app).await;
    assert_eq!(columns, 0);
    answers_are_right(&reader, app, &all).await;
    work(store, NOW).await;
    assert_eq!(reading(store, app).await.1, 2);
    (app, plan)
}

async fn columns_change_hands(store: &Warehouse, (app, plan): (Uuid, PropertyColumn)) {
    // Whether any row is left is asked again when there may be new ones.
    let as_of = |version| {
        let mut versions = Versions::default();
        versions.set_day(app, 1, version);
        store.as_of(Arc::new(versions))
    };
    assert_eq!(reading(&as_of(1), app).await.1, 2);
    let unaware = events(app, 7);
    know(store, &unaware).await.unwrap();
    let mut insert = event_insert(5);
    insert.leave_columns();
    store.insert(&insert, rows(&unaware), Insert::default()).await.unwrap();
    assert_eq!(reading(&as_of(2), app).await.1, 0);
    work(store, NOW).await;
    assert_eq!(reading(&as_of(2), app).await.1, 2);

    // Out of use: no longer read or filled, but free only after it was cleared, an hour later.
    store.drop_property_column(&plan, NOW).await.unwrap();
    assert_eq!(reading(store, app).await.1, 1);
    let next = store.add_property_column(app, &path(&["other"]), NOW).await.unwrap().unwrap();
    assert_eq!(next.number, 3);
    work(store, NOW + REST - 1).await;
    let next = store.add_property_column(app, &path(&["more"]), NOW).await.unwrap().unwrap();
    assert_eq!(next.number, 4);
    assert!(work(store, NOW + REST).await >= 6, "three months cleared, and three of `more`");
    let reused = store.add_property_column(app, &path(&["cart"]), NOW).await.unwrap().unwrap();
    assert_eq!(reused.number, 1);
    work(store, NOW).await;
    let mut by_cart = question(app);
    let cart = Property::Path(path(&["cart"]));
    by_cart.group_by = vec![GroupBy::Event(cart.clone())];
    let reader = store.reading_columns(app, &[cart]).await.unwrap();
    assert_eq!(reader.columns_read(), 1);
    let (_, groups) = reader.trend(&by_cart).await.unwrap();
    assert_eq!(groups[0].values, [Key::Text("{…}".to_owned())]);
    assert_eq!(groups.len(), 2, "{groups:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn on_one_machine() {
    let store = Store::open().await;
    let made = columns_hold_what_the_text_says(&store.warehouse).await;
    columns_change_hands(&store.warehouse, made).await;
}

/// A shard has the work of a whole store, so the rest of it comes with `LONG_TESTS=1`.
#[tokio::test(flavor = "multi_thread")]
async fn on_shards() {
    let store = shards::store().await;
    let made = columns_hold_what_the_text_says(&store).await;
    if std::env::var_os("LONG_TESTS").is_some() {
        columns_change_hands(&store, made).await;
    }
}

/// A process that was stopped for an hour continues and gives the same column to another property.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_clear_is_not_read() {
    let store = Store::open().await;
    let (store, app) = (&store.warehouse, Uuid::new_v4());
    store.add_property_column(app, &path(&["pl'an"]), NOW).await.unwrap().unwrap();
    load(store, 1, &events(app, 1)).await.unwrap();
    assert_eq!(reading(store, app).await.1, 1);
    let sql = format!(
        "INSERT INTO property_columns (app_id, number, version, path, is_free, changed) \
         VALUES ('{app}', 1, 1, ['cart', 'total'], 0, {NOW})"
    );
    store.execute(&sql, &[]).await.unwrap();
    store.forget_property_columns();
    assert_eq!(reading(store, app).await.1, 0);
    load(store, 2, &events(app, 3)).await.unwrap();
    assert_eq!(work(store, NOW).await, 0);
    assert!(work(store, NOW + REST).await > 0);
    store.add_property_column(app, &path(&["cart", "total"]), NOW).await.unwrap().unwrap();
    work(store, NOW).await;
    assert_eq!(reading(store, app).await.1, 1);
    let all = [events(app, 1), events(app, 3)].concat();
    answers_are_right(&reading(store, app).await.0, app, &all).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_has_a_few() {
    let store = Store::open().await;
    let (store, app) = (&store.warehouse, Uuid::new_v4());
    for number in 0..warehouse::PROPERTY_COLUMNS_MAX {
        let name = path(&[&format!("property {number}")]);
        assert!(store.add_property_column(app, &name, NOW).await.unwrap().is_some());
    }
    assert_eq!(store.add_property_column(app, &path(&["more"]), NOW).await.unwrap(), None);
    assert_eq!(store.add_property_column(app, &path(&["a", "b", "c"]), NOW).await.unwrap(), None);
    store.purge_app(app).await.unwrap();
    store.forget_property_columns();
    assert!(store.property_columns().await.unwrap().is_empty());
}
