//! Pages, referring sites and visits, where their rules go beyond those of other counts. `plain_pages`
//! compares them with plain counting together with all other counts, including late events, erasures,
//! retention, large apps and shards.

use std::time::Duration;

use uuid::Uuid;
use warehouse::over_limit::{OTHER, PAGE, SITE};
use warehouse::{
    BreakdownValue, EventRow, Insert, Kind, Versions, Warehouse, event_insert, write_event,
    write_person_ids_over_limit,
};

use crate::overall::{days, recount};
use crate::plain_pages;
use crate::support::{
    BUCKET_MS, Event, START_MS, Store, at, counted, load, make_up, number, own, same,
    small_and_large, stored,
};

const RANGE: (i64, i64) = (START_MS - 40 * 86_400_000, START_MS + 40 * 86_400_000);

async fn ask(
    warehouse: &Warehouse,
    apps: &[Uuid],
    most: usize,
    shown: fn(&str, &str) -> String,
) -> Vec<BreakdownValue> {
    let (from, to) = RANGE;
    warehouse.pages(apps, from, to, most, shown, &Versions::unknown()).await.unwrap()
}

/// Hides every part of a path that is marked as personal.
fn hidden(_: &str, value: &str) -> String {
    value.split('/').map(|part| if part.contains('\0') { "***" } else { part }).collect()
}

fn plain(_: &str, value: &str) -> String {
    value.replace('\0', "")
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_are_shown_as_one_are_counted_as_one() {
    let store = Store::open().await;
    let apps: Vec<Uuid> = (0..2).map(|_| Uuid::new_v4()).collect();
    let mut events = make_up(17, 2_000, &apps);
    own(&mut events);
    store.insert(1, &events).await;
    for warehouse in small_and_large(&store.warehouse) {
        for shown in [hidden, plain] {
            for most in [1, 3, 1_000] {
                let found = ask(&warehouse, &apps, most, shown).await;
                assert_eq!(found, plain_pages::lists(&events, RANGE, most, shown), "{most}");
            }
        }
        let (from, to) = RANGE;
        let names = warehouse.page_names(&apps, from, to, &Versions::unknown()).await.unwrap();
        let own =
            |(dimension, name): &&(String, String)| dimension == "page" && name.contains('\0');
        assert!(names.iter().filter(own).count() > 20, "{names:?}");
    }
}

/// A visit from 23:20 to 00:40, with its page views in any order of arrival.
#[tokio::test(flavor = "multi_thread")]
async fn a_visit_is_one_however_its_page_views_come_in() {
    let app = Uuid::new_v4();
    let midnight = START_MS + 86_400_000;
    let mut views: Vec<Event> = make_up(3, 5, &[app]);
    for (place, view) in (0..).zip(&mut views) {
        view.event = "page_view".to_owned();
        (view.device_id, view.user_id) = ("device 1".to_owned(), String::new());
        view.path = format!("/{place}");
        view.time_ms = midnight + (place - 2) * 20 * 60_000;
    }
    // Half an hour is still one visit, and a millisecond more is another.
    views[4].time_ms = views[3].time_ms + 1_800_000;
    for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3], [0, 4, 1, 3, 2]] {
        let store = Store::open().await;
        for (batch, place) in (1..).zip(order) {
            store.insert(batch, std::slice::from_ref(&views[place])).await;
        }
        let found = ask(&store.warehouse, &[app], 9, plain).await;
        let of = |dimension: &str| -> Vec<(&str, u64)> {
            let own = found.iter().filter(|value| value.dimension == dimension);
            own.map(|value| (value.value.as_str(), value.events)).collect()
        };
        assert_eq!(of("entry"), [("/0", 1)], "{order:?}");
        assert_eq!(of("exit"), [("/4", 1)], "{order:?}");
        same(&stored(&store.warehouse).await, &counted(&views));
        let mut later = views[4].clone();
        (later.log_id, later.time_ms, later.path) =
            (Uuid::new_v4(), later.time_ms + 1_800_001, "/5".to_owned());
        store.insert(9, &[later]).await;
        let found = ask(&store.warehouse, &[app], 9, plain).await;
        let visits = found.iter().filter(|value| value.dimension == "entry");
        assert_eq!(visits.map(|value| value.events).sum::<u64>(), 2);
    }
}

/// Page views at the same moment: the same one is first each time they are counted.
#[tokio::test(flavor = "multi_thread")]
async fn of_one_moment_the_same_page_comes_first_every_time() {
    let store = Store::open().await;
    let app = Uuid::new_v4();
    let mut views = make_up(4, 60, &[app]);
    for view in &mut views {
        view.event = "page_view".to_owned();
        view.time_ms = START_MS + 5;
    }
    let (some, others) = views.split_at(30);
    store.insert(1, some).await;
    store.insert(2, others).await;
    let before = stored(&store.warehouse).await;
    let bucket = u32::try_from(START_MS / BUCKET_MS * 900).unwrap();
    store.warehouse.rebuild(app, &[bucket]).await.unwrap();
    same(&stored(&store.warehouse).await, &before);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_a_version_without_them_are_counted_beside_the_running_system() {
    let store = Store::open().await;
    let apps: Vec<Uuid> = (0..2).map(|_| Uuid::new_v4()).collect();
    // Across the end of a month in the middle of a week, and further.
    let mut events = [days(41, &apps), make_up(42, 800, &apps)].concat();
    events.iter_mut().for_each(|event| event.time_ms += 15 * 86_400_000);
    own(&mut events);
    let (later, sooner) = events.split_at(events.len() / 3);
    store.insert(1, sooner).await;
    for sql in [
        "DROP VIEW pages_15m_view",
        "DROP VIEW pages_1h_view",
        "DROP VIEW pages_1d_view",
        "DROP VIEW pages_1w_view",
        "DROP VIEW page_visits_15m_view",
        "DROP TABLE pages_15m",
        "DROP TABLE pages_1h",
        "DROP TABLE pages_1d",
        "DROP TABLE pages_1w",
        "DROP TABLE page_visits_15m",
        "DELETE FROM schema_migrations WHERE number = 11",
    ] {
        store.warehouse.execute(sql, &[]).await.unwrap();
    }
    store.warehouse.stop().await;
    let again = Warehouse::open(at(store.folder.path(), 1024));
    again.ready(Duration::from_secs(120)).await.unwrap();
    assert!(!again.knows_pages());
    assert_eq!(number(&again, "SELECT count() AS n FROM pages_15m", &[]).await, 0);

    // One part is done, another has begun, and events arrive in between.
    let left = again.recounts_left().await.unwrap();
    assert!(left.len() >= 2 * apps.len(), "two months of each: {left:?}");
    recount(&again, &left[0]).await;
    load(&again, 2, later).await.unwrap();
    for step in &again.recount_steps(&left[1])[..6] {
        again.recount(&left[1], *step).await.unwrap();
    }
    for part in &left[1..] {
        recount(&again, part).await;
    }
    assert_eq!(again.recounts_left().await.unwrap(), []);
    assert!(again.knows_pages());
    same(&stored(&again).await, &counted(&events));
    assert_eq!(ask(&again, &apps, 4, plain).await, plain_pages::lists(&events, RANGE, 4, plain));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_and_sites_over_a_limit_are_counted_together() {
    let store = Store::open().await;
    let app = Uuid::new_v4();
    let mut body = Vec::new();
    for n in 0..40_u32 {
        let (path, referrer) = (format!("/order/{n}"), format!("https://s{n}.example/"));
        let (path, over) = if n % 4 == 0 { ("/", 0) } else { (path.as_str(), PAGE) };
        let row = EventRow {
            app_id: app,
            // Each is a visit of its own.
            time_ms: START_MS + i64::from(n) * 2_000_000,
            event: "page_view",
            log_id: Uuid::new_v4(),
            device_id: "device",
            user_id: "",
            sdk_type: "js",
            sdk_version: "1",
            timezone_offset: 0.0,
            os: "",
            language: "",
            url_path: path,
            device_type: "",
            browser: "",
            browser_version: "",
            user_agent: "",
            client_version: "",
            source: "",
            properties: &serde_json::json!({ "referrer": referrer }).to_string(),
            received_ms: START_MS,
        };
        write_event(&row, &mut body);
        write_person_ids_over_limit(1, 1, over | if n < 30 { SITE } else { 0 }, &mut body);
    }
    let device = warehouse::Identity::of(app, Kind::Device, b"device");
    store.warehouse.add_person_ids(&[(device, 1)], |_| 0).await.unwrap();
    store.warehouse.insert(&event_insert(1), body.into(), Insert::default()).await.unwrap();
    let quarter = |n: i64| u32::try_from((START_MS + n * 2_000_000) / BUCKET_MS * 900).unwrap();
    let touched = (0..40).map(quarter).collect();
    store.warehouse.count_sessions(&[(app, touched)].into()).await.unwrap();
    for warehouse in small_and_large(&store.warehouse) {
        let found = ask(&warehouse, &[app], 20, plain).await;
        assert!(found.iter().all(|value| value.value != OTHER), "{found:?}");
        let of = |dimension: &str| -> Vec<(bool, u64)> {
            let own = found.iter().filter(|value| value.dimension == dimension);
            own.map(|value| (value.is_rest, value.events)).collect()
        };
        for dimension in ["page", "entry", "exit"] {
            assert_eq!(of(dimension), [(false, 10), (true, 30)], "{dimension}");
        }
        let sites = of("site");
        assert_eq!(sites.len(), 11);
        assert_eq!(sites[10], (true, 30));
    }
}
