//! The dashboard's questions, compared with plain counting of the same events.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use uuid::Uuid;
use warehouse::{
    BreakdownValue, Counts, EventCount, Identity, Kind, Overall, RecountPart, SetLimits, Versions,
    Warehouse,
};

use crate::deck::Deck;
use crate::plain_pages;
use crate::support::{
    BUCKET_MS, Dice, Event, START_MS, Store, at, counted, load, make_up, number, own, owned, same,
    small_and_large, stored,
};

/// Events of several apps over eleven days, in sessions of some minutes with gaps around half an hour.
pub fn days(seed: u64, apps: &[Uuid]) -> Vec<Event> {
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
            event.event = match dice.below(36) {
                ..9 => "page_view".to_owned(),
                name => format!("event {name}"),
            };
            event.path = plain_pages::path(&mut dice, &event.device_id, &event.user_id);
            event.referrer = plain_pages::referrer(&mut dice);
            event.browser = ["Chrome", "Safari", "Edge", ""][dice.below(4) as usize];
            events.push(event.clone());
        }
    }
    own(&mut events);
    events
}

/// The events in a range, by app.
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
        persons: distinct(events, Event::person),
        devices: distinct(events, |event| event.device_id.as_str()),
        ..Counts::default()
    }
}

/// The expected answer about these events, where `ever` says which devices are known.
fn expected(events: &[Event], ever: &[Event], cuts: &[i64]) -> Overall {
    let (from, to) = (cuts[0], cuts[cuts.len() - 1]);
    let mut overall = Overall::default();
    for (app, all) in by_app(events, from, to) {
        overall.apps.insert(app, counts(&all));
    }
    for pair in cuts.windows(2) {
        for all in by_app(events, pair[0], pair[1]).values() {
            let (sum, more) = (overall.buckets.entry(pair[0]).or_default(), counts(all));
            sum.events += more.events;
            sum.page_views += more.page_views;
            sum.persons += more.persons;
            sum.devices += more.devices;
        }
    }
    let mut count = |moments: Vec<(Uuid, i64)>, one: fn(&mut Counts)| {
        for (app, at) in moments {
            let after = cuts.partition_point(|cut| *cut <= at);
            if after > 0 && after < cuts.len() {
                one(overall.apps.entry(app).or_default());
                one(overall.buckets.entry(cuts[after - 1]).or_default());
            }
        }
    };
    count(sessions(events, from, to), |counts| counts.sessions += 1);
    count(first_seen(ever), |counts| counts.new_devices += 1);
    overall
}

/// The start times of each app's sessions.
fn sessions(events: &[Event], from: i64, to: i64) -> Vec<(Uuid, i64)> {
    let mut times: BTreeMap<(Uuid, &str), Vec<i64>> = BTreeMap::new();
    for (app, events) in by_app(events, from, to) {
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
    starts
}

/// The time when each device of each app was first seen.
fn first_seen(events: &[Event]) -> Vec<(Uuid, i64)> {
    let mut first: BTreeMap<(Uuid, &str), i64> = BTreeMap::new();
    for event in events {
        let first = first.entry((event.app, &event.device_id)).or_insert(event.time_ms);
        *first = event.time_ms.min(*first);
    }
    first.into_iter().map(|((app, _), first)| (app, first)).collect()
}

fn top(events: &[Event], from: i64, to: i64, most: usize) -> Vec<EventCount> {
    let mut sums: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for all in by_app(events, from, to).values() {
        let names: BTreeSet<&str> = all.iter().map(|event| event.event.as_str()).collect();
        for name in names {
            let of_name: Vec<_> = all.iter().copied().filter(|it| it.event == name).collect();
            let sum = sums.entry(name.to_owned()).or_default();
            *sum = (sum.0 + of_name.len() as u64, sum.1 + distinct(&of_name, Event::person));
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

fn shares(events: &[Event], from: i64, to: i64, most: usize) -> Vec<BreakdownValue> {
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
            let mut share = BreakdownValue {
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
                share.persons += distinct(&here, Event::person);
            }
            shares.push(share);
        }
    }
    shares
}

/// Checks with the sets joined in this process, and as if all sets were too large for that.
async fn check(warehouse: &Warehouse, apps: &[Uuid], events: &[Event], cuts: &[i64]) {
    for warehouse in small_and_large(warehouse) {
        check_as_of(&warehouse, apps, events, events, cuts, &Versions::unknown()).await;
    }
}

async fn check_as_of(
    warehouse: &Warehouse,
    apps: &[Uuid],
    events: &[Event],
    ever: &[Event],
    cuts: &[i64],
    versions: &Versions,
) {
    let (from, to) = (cuts[0], cuts[cuts.len() - 1]);
    let events = &owned(events, ever);
    let found = warehouse.overall(apps, cuts, None, versions).await.unwrap();
    assert_eq!(found, expected(events, ever, cuts), "{cuts:?}");
    let found = warehouse.top_events(apps, from, to, 20, versions).await.unwrap();
    assert_eq!(found, top(events, from, to, 20), "{cuts:?}");
    let found = warehouse.breakdowns(apps, from, to, 2, versions).await.unwrap();
    assert_eq!(found, shares(events, from, to, 2), "{cuts:?}");
    let shown = |_: &str, value: &str| value.replace('\0', "");
    let found = warehouse.pages(apps, from, to, 3, shown, versions).await.unwrap();
    assert_eq!(found, plain_pages::lists(events, (from, to), 3, shown), "{cuts:?}");
}

/// A part of a range counts what a shorter range would, and changes nothing in the whole.
async fn check_part(
    warehouse: &Warehouse,
    apps: &[Uuid],
    events: &[Event],
    cuts: &[i64],
    dice: &mut Dice,
) {
    let versions = Versions::unknown();
    let quarters = (cuts[cuts.len() - 1] - cuts[0]) / BUCKET_MS;
    // From before the range to after it, and usually inside a bucket.
    let within = dice.below(u64::try_from(quarters).unwrap()) as i64;
    for length in [-1, 0, 1, within, quarters - 1, quarters, quarters + 1] {
        let end = cuts[0] + length * BUCKET_MS;
        let found = warehouse.overall(apps, cuts, Some(end), &versions).await.unwrap();
        let whole = expected(events, events, cuts);
        assert_eq!((&found.apps, &found.buckets), (&whole.apps, &whole.buckets), "{cuts:?} {end}");
        let until = end.clamp(cuts[0], cuts[cuts.len() - 1]);
        let part = match length {
            ..=0 => Overall::default(),
            _ => expected(events, events, &[cuts[0], until]),
        };
        assert_eq!(found.part, part.apps, "{cuts:?} {end}");
    }
}

/// Six ranges here, in which a part of each length comes at least once; sixty with `LONG_TESTS=1`.
#[tokio::test(flavor = "multi_thread")]
async fn every_figure_is_what_counting_says() {
    let rounds = if std::env::var_os("LONG_TESTS").is_some() { 60 } else { 6 };
    let store = Store::open().await;
    let apps: Vec<Uuid> = (0..3).map(|_| Uuid::new_v4()).collect();
    let mut events = days(5, &apps);
    // One app has only devices, with low numbers, which makes it small beside the others.
    events.iter_mut().filter(|event| event.app == apps[0]).for_each(|event| event.user_id.clear());
    own(&mut events);
    let (late, prompt): (Vec<_>, Vec<_>) =
        events.iter().cloned().partition(|event| event.log_id.as_bytes()[0] < 64);
    // Late events arrive after others of their time were counted.
    store.insert(1, &prompt).await;
    store.insert(2, &late).await;
    let people = 500;
    assert!(store.warehouse.last_number(apps[0]).await.unwrap() <= people);
    assert!(store.warehouse.last_number(apps[1]).await.unwrap() > people);
    let mixed = store.warehouse.with_set_limits(SetLimits { people, ..SetLimits::default() });
    let [small, large] = small_and_large(&store.warehouse);
    let mut deck = Deck::new(99);
    for round in 0..rounds {
        let mut at = START_MS + deck.below(300) as i64 * BUCKET_MS;
        let mut cuts = vec![at];
        for _ in 0..=deck.below(8) {
            // Days, hours and odd lengths.
            let length = [96, 96, 4, 2, 1, 93, 100][deck.below(7) as usize];
            at += length * BUCKET_MS;
            cuts.push(at);
        }
        check(&store.warehouse, &apps, &events, &cuts).await;
        check_as_of(&mixed, &apps, &events, &events, &cuts, &Versions::unknown()).await;
        let by_turns = [&small, &large, &mixed][round % 3];
        check_part(by_turns, &apps, &events, &cuts, &mut deck.dice).await;
        if round == 3 {
            let some = &apps[..1];
            let versions = Versions::unknown();
            let found = store.warehouse.overall(some, &cuts, None, &versions).await.unwrap();
            let of_one: Vec<Event> =
                events.iter().filter(|event| event.app == apps[0]).cloned().collect();
            assert_eq!(found, expected(&of_one, &of_one, &cuts));
        }
    }
    let whole = [START_MS - 86_400_000, START_MS + 20 * 86_400_000];
    check(&store.warehouse, &apps, &events, &whole).await;
    for (apps, cuts) in [(&[][..], whole), (&apps, [whole[0], whole[0]])] {
        let found = store.warehouse.overall(apps, &cuts, None, &Versions::unknown()).await.unwrap();
        assert_eq!(found, Overall::default());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_would_be_too_long_is_counted_by_the_store() {
    let store = Store::open().await;
    let apps: Vec<Uuid> = (0..3).map(|_| Uuid::new_v4()).collect();
    let events = days(9, &apps);
    store.insert(1, &events).await;
    let cuts: Vec<i64> = (0..12).map(|day| START_MS + day * 86_400_000 + 1_800_000).collect();
    let limits = SetLimits { people: u32::MAX, answer_bytes: 4_000 };
    let bounded = store.warehouse.with_set_limits(limits);
    // The second time it is known which sets are too long. For a short range the sets still come to this
    // process.
    for _ in 0..2 {
        let versions = Versions::unknown();
        bounded.gather(&apps, [&cuts[..5], &cuts[5..]], &versions).await.unwrap();
        check_as_of(&bounded, &apps, &events, &events, &cuts, &versions).await;
        let short = [cuts[0], cuts[0] + BUCKET_MS];
        check_as_of(&bounded, &apps, &events, &events, &short, &versions).await;
    }
    // Counts have a limit of their own, which none of these exceeds.
    let none = bounded.with_set_limits(SetLimits { people: u32::MAX, answer_bytes: 0 });
    check_as_of(&none, &apps, &events, &events, &cuts, &Versions::unknown()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_gathered_needs_no_engine() {
    let store = Store::open().await;
    let apps: Vec<Uuid> = (0..2).map(|_| Uuid::new_v4()).collect();
    let events = days(6, &apps);
    store.insert(1, &events).await;
    let versions = Versions::unknown();
    let cuts = |first: i64, length: i64, count: i64| -> Vec<i64> {
        (0..=count).map(|n| START_MS + (first + n * length) * BUCKET_MS).collect()
    };
    let pairs = [
        // Adjacent, starting at half past, with a gap, and of one quarter of an hour each.
        [cuts(96, 96, 4), cuts(480, 96, 4)],
        [cuts(482, 96, 2), cuts(98, 96, 2)],
        [cuts(101, 4, 10), cuts(700, 4, 10)],
        [cuts(300, 1, 1), cuts(304, 1, 1)],
    ];
    for [one, other] in &pairs {
        store.warehouse.gather(&apps, [one, other], &versions).await.unwrap();
    }
    // Two ranges that are compared up to a moment have one more cut.
    let parts = [(cuts(864, 96, 1), 41), (cuts(768, 96, 1), 41)];
    let part_end = |cuts: &[i64], quarters: i64| cuts[0] + quarters * BUCKET_MS;
    let [one, other] = [&parts[0], &parts[1]]
        .map(|(cuts, quarters)| [cuts[0], part_end(cuts, *quarters), cuts[1]]);
    store.warehouse.gather(&apps, [&one, &other], &versions).await.unwrap();
    // Gathering also works where there is nothing to gather.
    for [one, other] in
        [[cuts(0, 96, 3), cuts(96, 96, 3)], [cuts(0, 1, 1), cuts(1, 1, 1)], [vec![], cuts(0, 1, 1)]]
    {
        store.warehouse.gather(&apps, [&one, &other], &versions).await.unwrap();
    }
    store.warehouse.stop().await;
    for (cuts, quarters) in &parts {
        let end = part_end(cuts, *quarters);
        let found = store.warehouse.overall(&apps, cuts, Some(end), &versions).await.unwrap();
        assert_eq!(found.part, expected(&events, &events, &[cuts[0], end]).apps);
        assert_eq!(found.apps, expected(&events, &events, cuts).apps);
    }
    for cuts in pairs.iter().flatten() {
        let found = store.warehouse.overall(&apps, cuts, None, &versions).await.unwrap();
        assert_eq!(found, expected(&events, &events, cuts), "{cuts:?}");
    }
}

/// The versions that the metadata database would have after these loads.
fn versions_of(loads: &[&[Event]], removals: i64) -> Versions {
    let mut days: BTreeMap<(Uuid, u32), i64> = BTreeMap::new();
    let mut versions = Versions::default();
    for load in loads {
        let touched: BTreeSet<(Uuid, u32)> = load
            .iter()
            // Sessions and visits may cross midnight.
            .flat_map(|event| {
                [-1_800, 0, 1_800].map(|by| (event.app, i64::from(event.bucket()) + by))
            })
            .map(|(app, at)| (app, u32::try_from(at / 86_400).unwrap()))
            .collect();
        for touched in touched {
            *days.entry(touched).or_default() += 1;
        }
    }
    for ((app, day), version) in days {
        versions.set_day(app, day, version);
        versions.set_removals(app, removals);
    }
    versions
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_read_once_is_good_until_its_day_changes() {
    let store = Store::open().await;
    let apps: Vec<Uuid> = (0..2).map(|_| Uuid::new_v4()).collect();
    let events = days(21, &apps);
    let cuts: Vec<i64> = (0..12).map(|day| START_MS + day * 86_400_000 - 3_600_000).collect();
    let mut ordered = events.clone();
    ordered.sort_by_key(|event| event.time_ms);
    let (early, later) = ordered.split_at(ordered.len() / 2);
    // One event in ten arrives after everything else.
    let is_late = |event: &Event| event.log_id.as_bytes()[0] < 26;
    let (late, early): (Vec<_>, Vec<_>) = early.iter().cloned().partition(is_late);
    let known = versions_of(&[&early], 0);
    store.insert(1, &early).await;
    let [small, large] = small_and_large(&store.warehouse);
    check_as_of(&small, &apps, &early, &early, &cuts, &known).await;
    check_as_of(&large, &apps, &early, &early, &cuts, &known).await;
    // A caller with the old versions gets the old answer.
    store.insert(2, later).await;
    store.insert(3, &late).await;
    check_as_of(&small, &apps, &early, &early, &cuts, &known).await;
    // For large apps that holds for counts by time. Counts by name are kept only as part of the whole answer.
    let found = large.overall(&apps, &cuts, None, &known).await.unwrap();
    assert_eq!(found, expected(&owned(&early, &early), &early, &cuts));
    let known = versions_of(&[&early, later, &late], 0);
    let some: Vec<i64> = cuts[2..6].iter().map(|cut| cut + 5_400_000).collect();
    for store in [&small, &large] {
        check_as_of(store, &apps, &events, &events, &cuts, &known).await;
        check_as_of(store, &apps, &events, &events, &some, &known).await;
    }
    // A removal is not noted for any day, and devices are remembered for longer than their events.
    let cut = START_MS + 3 * 86_400_000;
    store.warehouse.retain(apps[0], cut).await.unwrap();
    check_as_of(&small, &apps, &events, &events, &cuts, &known).await;
    let found = large.overall(&apps, &cuts, None, &known).await.unwrap();
    assert_eq!(found, expected(&events, &events, &cuts));
    let kept = |event: &&Event| event.app != apps[0] || event.time_ms >= cut;
    let left: Vec<Event> = events.iter().filter(kept).cloned().collect();
    let known = versions_of(&[&early, later, &late], 1);
    for store in [&small, &large] {
        check_as_of(store, &apps, &left, &events, &cuts, &known).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_asked_while_events_come_in_get_true_answers() {
    let store = Store::open().await;
    let apps: Vec<Uuid> = (0..2).map(|_| Uuid::new_v4()).collect();
    let events = days(34, &apps);
    let (first, second) = events.split_at(events.len() / 2);
    store.insert(1, first).await;
    let cuts: Vec<i64> = (0..12).map(|day| START_MS + day * 86_400_000).collect();
    let ask = |versions: Versions| {
        let (warehouse, apps, cuts) = (store.warehouse.clone(), apps.clone(), cuts.clone());
        tokio::spawn(async move { warehouse.overall(&apps, &cuts, None, &versions).await.unwrap() })
    };
    let before = versions_of(&[first], 0);
    let asking: Vec<_> = (0..6).map(|_| ask(before.clone())).collect();
    store.insert(2, second).await;
    for answer in asking {
        answer.await.unwrap();
    }
    // Whatever those questions read and kept was the state before.
    let after = versions_of(&[first, second], 0);
    for answer in (0..6).map(|_| ask(after.clone())).collect::<Vec<_>>() {
        assert_eq!(answer.await.unwrap(), expected(&events, &events, &cuts));
    }
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
    assert!(store.warehouse.person_ids(&[gone]).await.unwrap().is_empty());
    // The cut is not at the end of any longer bucket; devices are remembered from before it.
    let cut = START_MS + 2 * 86_400_000 + 5 * BUCKET_MS;
    assert!(store.warehouse.oldest_before(apps[1], cut).await.unwrap().is_some());
    store.warehouse.retain(apps[1], cut).await.unwrap();
    assert!(store.warehouse.oldest_before(apps[1], cut).await.unwrap().is_none());
    let before = events.clone();
    events.retain(|event| event.app != apps[1] || event.time_ms >= cut);
    for store in small_and_large(&store.warehouse) {
        check_as_of(&store, &apps, &events, &before, &cuts, &Versions::unknown()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_is_found_again_and_is_its_apps_own() {
    let store = Store::open().await;
    let (one, two) = (Uuid::new_v4(), Uuid::new_v4());
    let names: Vec<String> =
        (0..300).map(|n| format!("{}{n} 名\0'\\", "x".repeat(n % 70))).collect();
    let identity = |app, n: usize| Identity::of(app, Kind::Device, names[n].as_bytes());
    let rows: Vec<_> = (0..300).map(|n| (identity(one, n), n as u32 + 1)).collect();
    store.warehouse.add_person_ids(&rows, |_| 0).await.unwrap();
    let asked: Vec<_> = (0..300).flat_map(|n| [identity(one, n), identity(two, n)]).collect();
    let found = store.warehouse.person_ids(&asked).await.unwrap();
    assert_eq!(found, rows.iter().copied().collect());
    assert_eq!(store.warehouse.last_number(one).await.unwrap(), 300);
    assert_eq!(store.warehouse.last_number(two).await.unwrap(), 0);
    // The engine's hash equals ours, for names of every length.
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
    // The tables as that version left them.
    for table in [
        "identities",
        "session_starts",
        "totals_30m",
        "totals_1h",
        "totals_4h",
        "events_1h",
        "events_1d",
        "events_1w",
    ] {
        store.warehouse.execute(&format!("TRUNCATE TABLE {table}"), &[]).await.unwrap();
    }
    for sql in [
        "TRUNCATE TABLE breakdowns_1h",
        "TRUNCATE TABLE breakdowns_1d",
        "TRUNCATE TABLE breakdowns_1w",
        "CREATE TABLE kept AS events",
        "INSERT INTO kept SELECT * REPLACE (0 AS person_no, 0 AS device_no) FROM events",
        "TRUNCATE TABLE events",
        "TRUNCATE TABLE totals_15m",
        "TRUNCATE TABLE events_15m",
        "TRUNCATE TABLE breakdowns_15m",
        "TRUNCATE TABLE sessions_15m",
        "TRUNCATE TABLE pages_15m",
        "TRUNCATE TABLE page_visits_15m",
        "TRUNCATE TABLE pages_1h",
        "TRUNCATE TABLE pages_1d",
        "TRUNCATE TABLE pages_1w",
        "TRUNCATE TABLE devices",
        "TRUNCATE TABLE users",
        "TRUNCATE TABLE device_owners",
        "INSERT INTO events SELECT * FROM kept",
        "DROP TABLE kept",
        "DELETE FROM schema_migrations WHERE number >= 3",
    ] {
        store.warehouse.execute(sql, &[]).await.unwrap();
    }
    store.warehouse.stop().await;
    let again = Warehouse::open(at(store.folder.path(), 1024));
    again.ready(Duration::from_secs(120)).await.unwrap();
    // Everyone has a new number now, and so do owners.
    let but_owners = |mut counts: crate::support::Counts| {
        counts.retain(|key, _| !key.starts_with("owner "));
        counts
    };
    same(&but_owners(stored(&again).await), &but_owners(counted(&events)));
    let cuts: Vec<i64> = (0..12).map(|day| START_MS + day * 86_400_000 + 3_600_000).collect();
    check(&again, &apps, &events, &cuts).await;
    assert!(again.last_number(apps[0]).await.unwrap() > 100);
}

pub async fn recount(store: &Warehouse, part: &RecountPart) {
    for step in store.recount_steps(part) {
        store.recount(part, step).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hours_of_a_version_without_them_are_counted_beside_the_running_system() {
    let store = Store::open().await;
    let apps: Vec<Uuid> = (0..2).map(|_| Uuid::new_v4()).collect();
    let events = days(4, &apps);
    let (later, sooner) = events.split_at(events.len() / 3);
    store.insert(1, sooner).await;
    for sql in [
        "DROP VIEW totals_1h_view",
        "DROP VIEW events_1h_view",
        "DROP VIEW breakdowns_1h_view",
        "DROP TABLE totals_1h",
        "DROP TABLE events_1h",
        // An interrupted attempt.
        "INSERT INTO breakdowns_1h SELECT * FROM breakdowns_1h",
        "DELETE FROM schema_migrations WHERE number = 4",
    ] {
        store.warehouse.execute(sql, &[]).await.unwrap();
    }
    store.warehouse.stop().await;
    let again = Warehouse::open(at(store.folder.path(), 1024));
    again.ready(Duration::from_secs(120)).await.unwrap();
    let cuts: Vec<i64> = (0..12).map(|day| START_MS + day * 86_400_000 + 3_600_000).collect();
    let count = "SELECT count() AS n FROM events_1h";
    assert_eq!(number(&again, count, &[]).await, 0, "nothing holds up the start");
    assert!(!again.is_everything_counted());
    check(&again, &apps, sooner, &cuts).await;

    // One part is done, another has begun, and events arrive in between.
    let left = again.recounts_left().await.unwrap();
    assert!(left.len() >= apps.len(), "{left:?}");
    recount(&again, &left[0]).await;
    load(&again, 2, later).await.unwrap();
    for step in &again.recount_steps(&left[1])[..2] {
        again.recount(&left[1], *step).await.unwrap();
    }
    check(&again, &apps, &events, &cuts).await;
    again.stop().await;

    let again = Warehouse::open(at(store.folder.path(), 1024));
    again.ready(Duration::from_secs(120)).await.unwrap();
    let rest = again.recounts_left().await.unwrap();
    assert_eq!(rest, left[1..], "what is done is not done again");
    for part in &rest {
        recount(&again, part).await;
    }
    assert_eq!(again.recounts_left().await.unwrap(), []);
    assert!(again.is_everything_counted());
    for (hours, quarters) in [("events_1h", "events_15m"), ("breakdowns_1h", "breakdowns_15m")] {
        let sum = |table: &str| format!("SELECT sum(events) AS n FROM {table}");
        let counted = number(&again, &sum(hours), &[]).await;
        assert_eq!(counted, number(&again, &sum(quarters), &[]).await, "{hours}");
    }
    check(&again, &apps, &events, &cuts).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_of_a_version_that_laid_them_out_differently_are_copied() {
    let store = Store::open().await;
    let apps: Vec<Uuid> = (0..2).map(|_| Uuid::new_v4()).collect();
    let events = days(4, &apps);
    let (later, sooner) = events.split_at(events.len() / 3);
    store.insert(1, sooner).await;
    for sql in [
        // What an interrupted copy leaves behind.
        "CREATE TABLE events_15m_anew AS events_15m",
        "INSERT INTO events_15m_anew SELECT * FROM events_15m",
        "DELETE FROM schema_migrations WHERE number = 5",
    ] {
        store.warehouse.execute(sql, &[]).await.unwrap();
    }
    store.warehouse.stop().await;
    let again = Warehouse::open(at(store.folder.path(), 1024));
    again.ready(Duration::from_secs(120)).await.unwrap();
    load(&again, 2, later).await.unwrap();
    let cuts: Vec<i64> = (0..12).map(|day| START_MS + day * 86_400_000 + 1_800_000).collect();
    check(&again, &apps, &events, &cuts).await;
    let marks = "SELECT countIf(engine_full LIKE '%index_granularity = 64,%') AS n \
                 FROM system.tables WHERE name IN ('events_15m', 'breakdowns_15m')";
    assert_eq!(number(&again, marks, &[]).await, 2);
}
