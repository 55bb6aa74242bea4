//! Values over an app's limits: stored as they are, counted together, and exact.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;
use warehouse::over_limit::{BROWSER, EVENT, OS, OTHER, PROPERTIES};
use warehouse::{
    EventRow, ExploreQuery, Insert, Kind, Measure, Property, Versions, event_insert, write_event,
    write_person_ids_over_limit,
};

use crate::support::{START_MS, Store, number, small_and_large, stored};

const START: u64 = START_MS as u64 / 1_000;
const DAY: u64 = 86_400;

struct Sent {
    event: String,
    os: String,
    browser: String,
    user: u32,
    over_limit: u8,
    properties: String,
    minute: i64,
}

/// Half of the names and of the operating systems are over the limit.
fn sent(count: u32) -> Vec<Sent> {
    (0..count)
        .map(|n| {
            let (over_event, over_os) = (n % 2 == 1, n % 3 == 2);
            Sent {
                event: if over_event {
                    format!("order {n}")
                } else {
                    format!("known {}", n / 2 % 4)
                },
                os: if over_os { format!("os {n}") } else { "iOS".to_owned() },
                browser: format!("browser {}", n % 12),
                user: n % 7 + 1,
                over_limit: (u8::from(over_event) * EVENT)
                    | (u8::from(over_os) * OS)
                    | (u8::from(n % 12 == 11) * BROWSER),
                properties: "{}".to_owned(),
                minute: i64::from(n % 90),
            }
        })
        .collect()
}

async fn load(store: &Store, app: Uuid, batch: u64, sent: &[Sent]) {
    let mut body = Vec::new();
    let mut numbered = BTreeSet::new();
    for one in sent {
        let user = format!("user {}", one.user);
        let row = EventRow {
            app_id: app,
            time_ms: START_MS + one.minute * 60_000,
            event: &one.event,
            log_id: Uuid::new_v4(),
            device_id: "device",
            user_id: &user,
            sdk_type: "js",
            sdk_version: "1",
            timezone_offset: 0.0,
            os: &one.os,
            language: "en-US",
            url_path: "/",
            device_type: "PC",
            browser: &one.browser,
            browser_version: "1",
            user_agent: "Mozilla",
            client_version: "1",
            source: "web",
            properties: &one.properties,
            received_ms: START_MS,
        };
        write_event(&row, &mut body);
        write_person_ids_over_limit(one.user, 100, one.over_limit, &mut body);
        numbered.insert((warehouse::Identity::of(app, Kind::User, user.as_bytes()), one.user));
    }
    numbered.insert((warehouse::Identity::of(app, Kind::Device, b"device"), 100));
    let all: Vec<_> = numbered.iter().map(|(identity, _)| *identity).collect();
    let known = store.warehouse.person_ids(&all).await.unwrap();
    let new: Vec<_> = numbered.into_iter().filter(|(it, _)| !known.contains_key(it)).collect();
    store.warehouse.add_person_ids(&new, |_| 0).await.unwrap();
    store.warehouse.insert(&event_insert(batch), body.into(), Insert::default()).await.unwrap();
}

/// Events and people by value, as the rollups should have them.
fn plain<'a>(
    sent: &'a [Sent],
    value: impl Fn(&'a Sent) -> &'a str,
    bit: u8,
) -> BTreeMap<String, (u64, u64)> {
    let mut sums: BTreeMap<String, (u64, BTreeSet<u32>)> = BTreeMap::new();
    for one in sent {
        let name = if one.over_limit & bit == 0 { value(one) } else { OTHER };
        let sum = sums.entry(name.to_owned()).or_default();
        sum.0 += 1;
        sum.1.insert(one.user);
    }
    sums.into_iter().map(|(name, (events, who))| (name, (events, who.len() as u64))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_over_a_limit_is_counted_together_and_stored_as_it_is() {
    let store = Store::open().await;
    let (app, sent) = (Uuid::new_v4(), sent(600));
    load(&store, app, 1, &sent).await;
    let (from, to) = (START_MS, START_MS + 86_400_000);
    let versions = Versions::unknown();
    let expected = plain(&sent, |one| &one.event, EVENT);
    let [small, large] = small_and_large(&store.warehouse);
    for warehouse in [&small, &large] {
        let top = warehouse.top_events(&[app], from, to, 3, &versions).await.unwrap();
        assert_eq!(top.len(), 4, "the largest three, and then the others: {top:?}");
        assert!(top[3].is_other() && top[..3].iter().all(|one| !one.is_other()), "{top:?}");
        for one in &top {
            assert_eq!((one.events, one.persons), expected[&one.event], "{one:?}");
        }
    }

    let shares = small.breakdowns(&[app], from, to, 10, &versions).await.unwrap();
    let of_large = large.breakdowns(&[app], from, to, 10, &versions).await.unwrap();
    assert_eq!(shares, of_large);
    let of = |dimension: &str| {
        let own = shares.iter().filter(|share| share.dimension == dimension);
        own.map(|it| (it.value.clone(), it.is_rest, it.events, it.persons)).collect::<Vec<_>>()
    };
    // 200 events have an operating system over the limit. Ten browsers are listed; the rest is one more and
    // the one over the limit.
    let os = plain(&sent, |one| &one.os, OS);
    let expected_os = [("iOS", false, os["iOS"]), ("", true, os[OTHER])];
    assert_eq!(of("os"), expected_os.map(|(v, r, (e, p))| (v.to_owned(), r, e, p)));
    let browsers = of("browser");
    assert_eq!(browsers.len(), 11);
    assert_eq!((browsers[10].1, browsers[10].2), (true, 100), "{browsers:?}");
    assert!(browsers.iter().all(|(value, ..)| value != OTHER));
    assert_eq!(browsers.iter().map(|(_, _, events, _)| events).sum::<u64>(), 600);

    let names = store.warehouse.event_names(app).await.unwrap();
    assert_eq!(names.len(), 4, "{names:?}");
    let counts = store.warehouse.event_counts(app, START - 2 * DAY + 900).await.unwrap();
    let counts: BTreeMap<_, _> =
        counts.into_iter().map(|one| (one.event, (one.events, one.persons))).collect();
    assert_eq!(counts, expected);
    let since = START + 900;
    let later: Vec<Sent> = sent.into_iter().filter(|one| one.minute >= 15).collect();
    let counts = store.warehouse.event_counts(app, since).await.unwrap();
    let counts: BTreeMap<_, _> =
        counts.into_iter().map(|one| (one.event, (one.events, one.persons))).collect();
    assert_eq!(counts, plain(&later, |one| &one.event, EVENT), "a part of a day");

    // The events themselves are stored as they were sent.
    let kept = "SELECT count() AS n FROM events WHERE event = 'order 301'";
    assert_eq!(number(&store.warehouse, kept, &[]).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_made_anew_are_the_same() {
    let store = Store::open().await;
    let (app, sent) = (Uuid::new_v4(), sent(200));
    load(&store, app, 1, &sent).await;
    let before = stored(&store.warehouse).await;
    let buckets: Vec<u32> = (0..6).map(|n| START as u32 + n * 900).collect();
    store.warehouse.rebuild(app, &buckets).await.unwrap();
    store
        .warehouse
        .count_sessions(&BTreeMap::from([(app, buckets.into_iter().collect())]))
        .await
        .unwrap();
    let after = stored(&store.warehouse).await;
    let counts = |all: &crate::support::Counts| -> Vec<_> {
        let rows = all.iter().filter(|(key, _)| !key.starts_with("starts"));
        rows.map(|(key, value)| (key.clone(), *value)).collect()
    };
    assert_eq!(counts(&before), counts(&after));
    assert!(before.keys().any(|key| key.contains(OTHER)), "{before:?}");
    // Without one person, whose events were in the sums too.
    store.warehouse.erase(app, Kind::User, "user 3").await.unwrap();
    let left: Vec<Sent> = sent.into_iter().filter(|one| one.user != 3).collect();
    let (from, to) = (START_MS, START_MS + 86_400_000);
    let versions = Versions::unknown();
    let top = store.warehouse.top_events(&[app], from, to, 20, &versions).await.unwrap();
    let top: BTreeMap<_, _> =
        top.into_iter().map(|it| (it.event, (it.events, it.persons))).collect();
    assert_eq!(top, plain(&left, |one| &one.event, EVENT));
}

#[tokio::test(flavor = "multi_thread")]
async fn values_over_a_limit_are_not_offered() {
    let store = Store::open().await;
    let (app, sent) = (Uuid::new_v4(), sent(60));
    load(&store, app, 1, &sent).await;
    let question = |event: Option<&str>| ExploreQuery {
        app,
        event: event.map(str::to_owned),
        measure: Measure::Events,
        filters: Vec::new(),
        group_by: None,
        starts: vec![START - DAY],
        end: START + DAY,
        hide_personal: false,
    };
    let os = Property::Column(warehouse::Column::Os);
    let found = store.warehouse.values(&question(None), &os, "").await.unwrap();
    let values: Vec<_> = found.values.iter().map(|it| (it.value.as_str(), it.events)).collect();
    assert_eq!((values, found.other, found.more), (vec![("iOS", 40)], 20, false));
    // The same for an event that has no counts of its own.
    let found = store.warehouse.values(&question(Some("order 1")), &os, "").await.unwrap();
    assert_eq!((found.values.len(), found.other), (1, 0), "{found:?}");
    // The explorer shows them separately, because it reads the events.
    let mut by_os = question(None);
    by_os.group_by = Some(os);
    let groups = store.warehouse.explore(&by_os).await.unwrap().groups;
    assert_eq!(groups.len(), 11, "ten and the rest: {groups:?}");
}

/// Each statement may use 192 MB; counting and finding examples of every name in one statement would take
/// gigabytes.
#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_property_names_costs_little_and_hides_none() {
    let store = Store::open().await;
    let app = Uuid::new_v4();
    let flood = |n: u32| {
        let name =
            |key: u32| format!("\"{:08x}\":{key}", (n * 250 + key).wrapping_mul(2_654_435_769));
        (0..250).map(name).collect::<Vec<_>>().join(",")
    };
    let sent: Vec<Sent> = (0..5_200)
        .map(|n| {
            // The app's regular event: its names are within the limit, but come after those of the flood.
            let own = n % 26 == 25;
            let plan = format!("{{\"plan\":\"pro\",\"seats\":{}}}", n % 3);
            Sent {
                event: "signup".to_owned(),
                os: "iOS".to_owned(),
                browser: "Safari".to_owned(),
                user: 1,
                over_limit: if own { 0 } else { PROPERTIES },
                properties: if own { plan } else { format!("{{\"plan\":7,{}}}", flood(n)) },
                minute: i64::from(n / 60),
            }
        })
        .collect();
    load(&store, app, 1, &sent).await;
    let sample = store.warehouse.property_sample(app, "signup", START, 5_000).await.unwrap();
    let names = store.warehouse.property_names(&sample).await.unwrap();
    assert!(sample.count() > 1_000, "{}", sample.count());
    assert!(names.distinct > 50_000, "{}", names.distinct);
    let within: Vec<_> = names.names.iter().filter(|name| name.within_limit).collect();
    let own_names: Vec<&str> = within.iter().map(|name| name.property.as_str()).collect();
    assert_eq!(own_names, ["plan", "seats"]);
    let most: Vec<_> = names.names.iter().take(300).cloned().collect();
    let kinds = store.warehouse.property_kinds(&sample, &most, false).await.unwrap();
    let of = |name: &str| -> Vec<&str> {
        let own = kinds.iter().filter(|kind| kind.property == name);
        own.map(|kind| kind.kind.as_str()).collect()
    };
    assert_eq!(of("plan"), ["number", "string"]);
    assert_eq!(of("seats"), ["number"]);
}
