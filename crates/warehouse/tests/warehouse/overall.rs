//! What the dashboard asks, against plain counting of the same events.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use uuid::Uuid;
use warehouse::{Beginnings, Counts, EventCount, Identity, Kind, Overall, Share, Warehouse};

use crate::support::{
    BUCKET_MS, Dice, Event, START_MS, Store, at, counted, make_up, number, same, stored,
};

/// Several apps over eleven days, in sessions of some minutes with pauses around half an hour.
fn days(seed: u64, apps: &[Uuid]) -> Vec<Event> {
    let mut dice = Dice(seed);
    let mut events = Vec::new();
    for _ in 0..900 {
        let mut event = make_up(dice.below(1 << 30) + 1, 1, apps).remove(0);
        event.time_ms = START_MS + dice.below(11 * 86_400_000) as i64;
        for _ in 0..=dice.below(5) {
            event.time_ms += [5_000, 899_999, 1_799_999, 1_800_000, 1_800_001, 2_400_000]
                [dice.below(6) as usize]
                + dice.below(3) as i64;
            event.log_id = Uuid::new_v4();
            event.event = format!("event {}", dice.below(27));
            event.browser = ["Chrome", "Safari", "Edge", ""][dice.below(4) as usize];
            events.push(event.clone());
        }
    }
    events
}

fn person(event: &Event) -> String {
    match event.user_id.as_str() {
        "" => format!("d {}", event.device_id),
        user => format!("u {user}"),
    }
}

/// The events of a range, by app.
fn by_app(events: &[Event], from: i64, to: i64) -> BTreeMap<Uuid, Vec<&Event>> {
    let mut by_app: BTreeMap<Uuid, Vec<&Event>> = BTreeMap::new();
    for event in events.iter().filter(|event| event.time_ms >= from && event.time_ms < to) {
        by_app.entry(event.app).or_default().push(event);
    }
    by_app
}

fn distinct<'a, T: Ord>(events: &[&'a Event], what: impl Fn(&'a Event) -> T) -> u64 {
    events.iter().map(|event| what(event)).collect::<BTreeSet<_>>().len() as u64
}

fn counts(events: &[&Event]) -> Counts {
    Counts {
        events: events.len() as u64,
        page_views: events.iter().filter(|event| event.event == "page_view").count() as u64,
        persons: distinct(events, person),
        devices: distinct(events, |event| event.device_id.as_str()),
    }
}

fn expected(events: &[Event], cuts: &[i64]) -> Overall {
    let (from, to) = (cuts[0], cuts[cuts.len() - 1]);
    let apps = by_app(events, from, to).into_iter().map(|(app, all)| (app, counts(&all))).collect();
    let mut buckets = BTreeMap::new();
    for pair in cuts.windows(2) {
        for all in by_app(events, pair[0], pair[1]).values() {
            let (sum, more) = (buckets.entry(pair[0]).or_insert(Counts::default()), counts(all));
            sum.events += more.events;
            sum.page_views += more.page_views;
            sum.persons += more.persons;
            sum.devices += more.devices;
        }
    }
    Overall { apps, buckets }
}

/// Sums of what began at some moments, by the app and the bucket that each lies in.
fn beginnings(moments: impl IntoIterator<Item = (Uuid, i64)>, cuts: &[i64]) -> Beginnings {
    let mut sums = Beginnings::default();
    for (app, at) in moments {
        let after = cuts.partition_point(|cut| *cut <= at);
        if after > 0 && after < cuts.len() {
            *sums.apps.entry(app).or_default() += 1;
            *sums.buckets.entry(cuts[after - 1]).or_default() += 1;
        }
    }
    sums
}

fn sessions(events: &[Event], cuts: &[i64]) -> Beginnings {
    let mut times: BTreeMap<(Uuid, &str), Vec<i64>> = BTreeMap::new();
    for (app, events) in by_app(events, cuts[0], cuts[cuts.len() - 1]) {
        for event in events {
            times.entry((app, &event.device_id)).or_default().push(event.time_ms);
        }
    }
    let mut starts = Vec::new();
    for ((app, _), mut times) in times {
        times.sort_unstable();
        starts.push((app, times[0]));
        let gaps = times.windows(2).filter(|pair| pair[1] - pair[0] > 1_800_000);
        starts.extend(gaps.map(|pair| (app, pair[1])));
    }
    beginnings(starts, cuts)
}

fn new_devices(events: &[Event], cuts: &[i64]) -> Beginnings {
    let mut first: BTreeMap<(Uuid, &str), i64> = BTreeMap::new();
    for event in events {
        let first = first.entry((event.app, &event.device_id)).or_insert(event.time_ms);
        *first = event.time_ms.min(*first);
    }
    beginnings(first.into_iter().map(|((app, _), first)| (app, first)), cuts)
}

fn top(events: &[Event], from: i64, to: i64, most: usize) -> Vec<EventCount> {
    let mut sums: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for all in by_app(events, from, to).values() {
        let names: BTreeSet<&str> = all.iter().map(|event| event.event.as_str()).collect();
        for name in names {
            let of_name: Vec<_> = all.iter().copied().filter(|it| it.event == name).collect();
            let sum = sums.entry(name.to_owned()).or_default();
            *sum = (sum.0 + of_name.len() as u64, sum.1 + distinct(&of_name, person));
        }
    }
    let mut top: Vec<_> = sums
        .into_iter()
        .map(|(event, (events, persons))| EventCount { event, events, persons })
        .collect();
    top.sort_by_key(|top| std::cmp::Reverse(top.events));
    top.truncate(most);
    top
}

fn shares(events: &[Event], from: i64, to: i64, most: usize) -> Vec<Share> {
    let all: Vec<&Event> = by_app(events, from, to).into_values().flatten().collect();
    let mut shares = Vec::new();
    let mut dimensions = ["os", "browser", "device_type", "language"];
    dimensions.sort_unstable();
    for dimension in dimensions {
        let value = |event: &Event| match dimension {
            "os" => event.os,
            "browser" => event.browser,
            "device_type" => "PC",
            _ => "en-US",
        };
        let mut sizes: BTreeMap<&str, u64> = BTreeMap::new();
        for event in &all {
            *sizes.entry(value(event)).or_default() += 1;
        }
        let mut order: Vec<_> = sizes.into_iter().collect();
        order.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
        let place = |it: &Event| order.iter().position(|(name, _)| *name == value(it)).unwrap();
        for (shown, (name, _)) in order.iter().enumerate().take(most + 1) {
            let is_rest = shown == most;
            let mut share = Share {
                dimension: dimension.to_owned(),
                value: if is_rest { String::new() } else { (*name).to_owned() },
                is_rest,
                events: 0,
                persons: 0,
            };
            for of_app in by_app(events, from, to).values() {
                let here: Vec<_> =
                    of_app.iter().copied().filter(|it| place(it).min(most) == shown).collect();
                share.events += here.len() as u64;
                share.persons += distinct(&here, person);
            }
            shares.push(share);
        }
    }
    shares
}

async fn check(warehouse: &Warehouse, apps: &[Uuid], events: &[Event], cuts: &[i64]) {
    let (from, to) = (cuts[0], cuts[cuts.len() - 1]);
    assert_eq!(warehouse.overall(apps, cuts).await.unwrap(), expected(events, cuts), "{cuts:?}");
    let found = warehouse.sessions(apps, cuts).await.unwrap();
    assert_eq!(found, sessions(events, cuts), "{cuts:?}");
    let found = warehouse.new_devices(apps, cuts).await.unwrap();
    assert_eq!(found, new_devices(events, cuts), "{cuts:?}");
    let found = warehouse.top_events(apps, from, to, 20).await.unwrap();
    assert_eq!(found, top(events, from, to, 20), "{cuts:?}");
    let found = warehouse.breakdowns(apps, from, to, 2).await.unwrap();
    assert_eq!(found, shares(events, from, to, 2), "{cuts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_figure_is_what_counting_says() {
    let store = Store::open().await;
    let apps: Vec<Uuid> = (0..3).map(|_| Uuid::new_v4()).collect();
    let events = days(5, &apps);
    let (late, prompt): (Vec<_>, Vec<_>) =
        events.iter().cloned().partition(|event| event.log_id.as_bytes()[0] < 64);
    // Late events come after others of their time were counted.
    store.insert(1, &prompt).await;
    store.insert(2, &late).await;
    let mut dice = Dice(99);
    for round in 0..12 {
        let mut at = START_MS + dice.below(300) as i64 * BUCKET_MS;
        let mut cuts = vec![at];
        for _ in 0..=dice.below(8) {
            // Days, hours and odd ones.
            let length = [96, 96, 4, 2, 1, 93, 100][dice.below(7) as usize];
            at += length * BUCKET_MS;
            cuts.push(at);
        }
        check(&store.warehouse, &apps, &events, &cuts).await;
        if round == 6 {
            let some = &apps[..1];
            let found = store.warehouse.overall(some, &cuts).await.unwrap();
            let of_one: Vec<Event> =
                events.iter().filter(|event| event.app == apps[0]).cloned().collect();
            assert_eq!(found, expected(&of_one, &cuts));
        }
    }
    let whole = [START_MS - 86_400_000, START_MS + 20 * 86_400_000];
    check(&store.warehouse, &apps, &events, &whole).await;
    assert_eq!(store.warehouse.overall(&[], &whole).await.unwrap(), Overall::default());
    assert_eq!(
        store.warehouse.overall(&apps, &[whole[0], whole[0]]).await.unwrap(),
        Overall::default()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_follow_what_is_removed() {
    let store = Store::open().await;
    let apps: Vec<Uuid> = (0..2).map(|_| Uuid::new_v4()).collect();
    let mut events = days(8, &apps);
    store.insert(1, &events).await;
    let cuts: Vec<i64> = (0..12).map(|day| START_MS + day * 86_400_000).collect();
    let device = events.iter().find(|event| event.app == apps[0]).unwrap().device_id.clone();
    store.warehouse.erase(apps[0], Kind::Device, &device).await.unwrap();
    events.retain(|event| event.app != apps[0] || event.device_id != device);
    check(&store.warehouse, &apps, &events, &cuts).await;
    let gone = Identity::of(apps[0], Kind::Device, device.as_bytes());
    assert!(store.warehouse.numbers(&[gone]).await.unwrap().is_empty());
    // Cut where no longer piece ends; devices are remembered from before.
    let cut = START_MS + 2 * 86_400_000 + 5 * BUCKET_MS;
    assert!(store.warehouse.has_older(apps[1], cut).await.unwrap());
    store.warehouse.retain(apps[1], cut).await.unwrap();
    assert!(!store.warehouse.has_older(apps[1], cut).await.unwrap());
    let before = events.clone();
    events.retain(|event| event.app != apps[1] || event.time_ms >= cut);
    let (from, to) = (cuts[0], cuts[11]);
    let found = store.warehouse.overall(&apps, &cuts).await.unwrap();
    assert_eq!(found, expected(&events, &cuts));
    let found = store.warehouse.sessions(&apps, &cuts).await.unwrap();
    assert_eq!(found, sessions(&events, &cuts));
    let found = store.warehouse.top_events(&apps, from, to, 20).await.unwrap();
    assert_eq!(found, top(&events, from, to, 20));
    let found = store.warehouse.breakdowns(&apps, from, to, 2).await.unwrap();
    assert_eq!(found, shares(&events, from, to, 2));
    let found = store.warehouse.new_devices(&apps, &cuts).await.unwrap();
    assert_eq!(found, new_devices(&before, &cuts));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_is_found_again_and_is_its_apps_own() {
    let store = Store::open().await;
    let (one, two) = (Uuid::new_v4(), Uuid::new_v4());
    let names: Vec<String> =
        (0..300).map(|n| format!("{}{n} 名\0'\\", "x".repeat(n % 70))).collect();
    let identity = |app, n: usize| Identity::of(app, Kind::Device, names[n].as_bytes());
    let rows: Vec<_> = (0..300).map(|n| (identity(one, n), n as u32 + 1)).collect();
    store.warehouse.add_numbers(&rows).await.unwrap();
    let asked: Vec<_> = (0..300).flat_map(|n| [identity(one, n), identity(two, n)]).collect();
    let found = store.warehouse.numbers(&asked).await.unwrap();
    assert_eq!(found, rows.iter().copied().collect());
    assert_eq!(store.warehouse.last_number(one).await.unwrap(), 300);
    assert_eq!(store.warehouse.last_number(two).await.unwrap(), 0);
    // The engine hashes as we do, whatever the length.
    for (n, name) in names.iter().enumerate().step_by(7) {
        let sql = "SELECT toUInt64(no) AS n FROM identities WHERE app_id = {app:UUID} \
                   AND hash = xxHash64(concat('d', {name:String}))";
        let params = [("app", one.into()), ("name", name.as_str().into())];
        assert_eq!(number(&store.warehouse, sql, &params).await, n as u64 + 1, "{name:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_a_version_without_numbers_are_counted_too() {
    let store = Store::open().await;
    let apps: Vec<Uuid> = (0..2).map(|_| Uuid::new_v4()).collect();
    let events = days(3, &apps);
    store.insert(1, &events).await;
    // As that version left it.
    for table in [
        "identities",
        "session_starts",
        "totals_30m",
        "totals_4h",
        "events_4h",
        "events_1d",
        "events_1w",
    ] {
        store.warehouse.execute(&format!("TRUNCATE TABLE {table}"), &[]).await.unwrap();
    }
    for sql in [
        "TRUNCATE TABLE breakdowns_4h",
        "TRUNCATE TABLE breakdowns_1d",
        "TRUNCATE TABLE breakdowns_1w",
        "CREATE TABLE kept AS events",
        "INSERT INTO kept SELECT * EXCEPT (person_no, device_no), 0, 0 FROM events",
        "TRUNCATE TABLE events",
        "TRUNCATE TABLE totals_15m",
        "TRUNCATE TABLE events_15m",
        "TRUNCATE TABLE breakdowns_15m",
        "TRUNCATE TABLE sessions_15m",
        "TRUNCATE TABLE devices",
        "TRUNCATE TABLE users",
        "INSERT INTO events SELECT * FROM kept",
        "DROP TABLE kept",
        "DELETE FROM schema_migrations WHERE number = 3",
    ] {
        store.warehouse.execute(sql, &[]).await.unwrap();
    }
    store.warehouse.stop().await;
    let again = Warehouse::open(at(store.folder.path(), 1024));
    again.ready(Duration::from_secs(120)).await.unwrap();
    same(&stored(&again).await, &counted(&events));
    let cuts: Vec<i64> = (0..12).map(|day| START_MS + day * 86_400_000 + 3_600_000).collect();
    check(&again, &apps, &events, &cuts).await;
    assert!(again.last_number(apps[0]).await.unwrap() > 100);
}
