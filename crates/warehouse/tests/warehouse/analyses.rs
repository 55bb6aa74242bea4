//! Analyses, compared with plain Rust on the same events: on one machine and on two shards.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;
use uuid::Uuid;
use warehouse::analysis::{
    Aggregate, DistributionQuery, FunnelOrder, FunnelQuery, LifecycleQuery, PathsQuery, Quantity,
    RetentionMode, RetentionQuery, Scope, Side, Slots, Trend, TrendGroup, TrendMeasure, TrendQuery,
};
use warehouse::{
    Column, Condition, EventChoice, Filter, GroupBy, Kind, Property, SetLimits, Test, Versions,
    Warehouse,
};

use crate::breakdowns;
use crate::deck::Deck;
use crate::people;
use crate::plain_analyses as plain;
use crate::plain_trend;
use crate::shards;
use crate::support::{Dice, Event, START_MS, Store, load, own};

const HOUR: i64 = 3_600_000;
const NAMES: &[&str] = &["page_view", "sign_up", "pay", "订阅"];

/// People who do many things in a short time, often several in the same millisecond; some before they sign
/// in, some on each other's devices.
fn events(app: Uuid, dice: &mut Dice) -> Vec<Event> {
    let count = 150 + dice.below(250);
    let mut events: Vec<Event> = (0..count)
        .map(|_| {
            let device = dice.below(25);
            let user = match dice.below(4) {
                0 if device < 12 => format!("user {}", device / 2),
                1 if device < 6 => format!("user {}", dice.below(4)),
                _ => String::new(),
            };
            // Some events lie before the time that the questions are about.
            let start = if dice.below(6) == 0 { -30 * HOUR } else { 0 };
            let time_ms = match dice.below(3) {
                0 => dice.below(40) as i64 * 900_000,
                1 => dice.below(10) as i64 * HOUR + dice.below(3) as i64,
                _ => dice.below(10 * HOUR as u64) as i64,
            };
            let amounts = [json!(1.5), json!(-2), json!("3"), json!([2, 40]), json!(null)];
            let amount = &amounts[dice.below(5) as usize];
            // Without lists, so that it can be summed in one pass.
            let prices = [json!(0.25), json!("-7.5"), json!(3), json!("NaN"), json!({ "of": 1 })];
            let price = &prices[dice.below(5) as usize];
            Event {
                app,
                log_id: Uuid::new_v4(),
                time_ms: START_MS + start + time_ms,
                event: NAMES[dice.below(4) as usize].to_owned(),
                device_id: format!("device {device}"),
                user_id: user,
                owner: String::new(),
                os: ["Windows", "iOS", ""][dice.below(3) as usize],
                browser: ["Chrome", "Safari"][dice.below(2) as usize],
                properties: json!({ "n": dice.below(14), "amount": amount, "price": price })
                    .to_string(),
                path: "/docs".to_owned(),
                referrer: "",
            }
        })
        .collect();
    own(&mut events);
    events
}

fn property(deck: &mut Deck) -> Property {
    let path = |name: &str| Property::Path(vec![name.to_owned()]);
    match deck.below(5) {
        0 => Property::Column(Column::Os),
        1 => Property::Column(Column::Browser),
        2 => path("n"),
        3 => path("price"),
        _ => path("amount"),
    }
}

fn condition(deck: &mut Deck, depth: u32) -> Condition {
    let parts = |deck: &mut Deck| -> Vec<Condition> {
        (0..1 + deck.below(2)).map(|_| condition(deck, depth + 1)).collect()
    };
    match deck.below(if depth > 1 { 2 } else { 6 }) {
        0 | 1 => {
            let test = match deck.below(4) {
                0 => Test::Set,
                1 => Test::Is(vec!["iOS".to_owned(), "3".to_owned(), "Chrome".to_owned()]),
                2 => Test::Above(deck.below(10) as f64 - 1.0),
                _ => Test::AtMost(deck.below(10) as f64 - 1.0),
            };
            let negated = deck.below(3) == 0;
            Condition::Test(Filter { property: property(deck), test, negated })
        }
        2 => Condition::All(parts(deck)),
        3 => Condition::Any(parts(deck)),
        _ => Condition::default(),
    }
}

fn choice(deck: &mut Deck) -> EventChoice {
    let name = |deck: &mut Deck| NAMES[deck.below(4) as usize].to_owned();
    let names = match deck.below(5) {
        0 => None,
        1 => Some(vec![name(deck), name(deck)]),
        _ => Some(vec![name(deck)]),
    };
    let condition = if deck.below(4) == 0 { condition(deck, 1) } else { Condition::default() };
    EventChoice { names, condition }
}

fn scope(app: Uuid, deck: &mut Deck) -> Scope {
    let condition = if deck.below(3) == 0 { condition(deck, 0) } else { Condition::default() };
    Scope { app, condition, hide_personal: deck.below(2) == 0 }
}

fn slots(deck: &mut Deck) -> Slots {
    let start = START_MS as u64 / 1_000 + deck.below(4) * 1_800;
    let (count, width) = (1 + deck.below(6), [1_800, 3_600, 5_400][deck.below(3) as usize]);
    let starts = (0..count).map(|place| start + place * width).collect();
    Slots { starts, end: start + count * width - deck.below(2) * 600 }
}

fn range(slots: &Slots) -> (i64, i64) {
    (slots.starts[0] as i64 * 1_000, slots.end as i64 * 1_000)
}

fn grouping(deck: &mut Deck) -> Vec<GroupBy> {
    let count = [0, 0, 1, 2][deck.below(4) as usize];
    (0..count).map(|_| GroupBy::Event(property(deck))).collect()
}

fn measure(deck: &mut Deck) -> TrendMeasure {
    use Aggregate::{Average, Max, Median, Min, P90, P95, P99, Sum};
    match deck.below(14) {
        0 => TrendMeasure::Events,
        1 => TrendMeasure::People,
        2 => TrendMeasure::Devices,
        3 => TrendMeasure::Sessions,
        4 => TrendMeasure::PerPerson,
        5 => TrendMeasure::Distinct(property(deck)),
        other => {
            let all = [Sum, Average, Median, P90, P95, P99, Min, Max];
            let name = ["n", "amount", "price"][deck.below(3) as usize].to_owned();
            TrendMeasure::Number(all[other as usize - 6], Property::Path(vec![name]))
        }
    }
}

/// Equal except for the last digits, which depend on the order in which numbers are added up.
pub fn alike(
    (whole, groups): &(Trend, Vec<TrendGroup>),
    (expected, expected_groups): &(Trend, Vec<TrendGroup>),
    query: &TrendQuery,
) {
    let is_near = |a: &Option<f64>, b: &Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(1.0),
        (a, b) => a == b,
    };
    let are_near = |a: &Trend, b: &Trend| {
        let mut pairs = a.points.iter().chain([&a.total]).zip(b.points.iter().chain([&b.total]));
        a.points.len() == b.points.len() && pairs.all(|(a, b)| is_near(a, b))
    };
    let same = groups.len() == expected_groups.len()
        && groups
            .iter()
            .zip(expected_groups)
            .all(|(a, b)| a.values == b.values && are_near(&a.trend, &b.trend));
    assert!(
        are_near(whole, expected) && same,
        "{query:#?}\nfound {whole:?} {groups:?}\nexpected {expected:?} {expected_groups:?}"
    );
}

/// How many answers of each kind were not empty (a test that finds nothing proves nothing), and how many
/// questions asked for the people behind them.
#[derive(Debug, Default)]
struct Found([u32; 7], usize);

pub fn is_long() -> bool {
    std::env::var_os("LONG_TESTS").is_some()
}

async fn ask(
    stores: &[&Warehouse],
    app: Uuid,
    versions: &Arc<Versions>,
    events: &[Event],
    deck: &mut Deck,
    found: &mut Found,
) {
    let (scope, slots) = (scope(app, deck), slots(deck));
    let condition = scope.condition.clone();
    let mut funnel = FunnelQuery {
        scope: scope.clone(),
        steps: (0..2 + deck.below(3)).map(|_| choice(deck)).collect(),
        exclude: (deck.below(5) == 0).then(|| choice(deck)),
        order: [FunnelOrder::Loose, FunnelOrder::Strict][deck.below(2) as usize],
        window_ms: [60_000, 900_000, HOUR, 100 * HOUR][deck.below(4) as usize],
        slots: slots.clone(),
        until_ms: START_MS + [20, 6][deck.below(2) as usize] * HOUR,
        group_by: grouping(deck),
    };
    let mut trend = TrendQuery {
        scope: scope.clone(),
        event: choice(deck),
        measure: measure(deck),
        slots: slots.clone(),
        group_by: grouping(deck),
        by_events: deck.below(3) == 0,
    };
    let mut retention = RetentionQuery {
        scope: scope.clone(),
        first: choice(deck),
        first_ever: deck.below(2) == 0,
        returning: choice(deck),
        cohorts: 1 + deck.below(slots.starts.len() as u64) as usize,
        units: deck.below(6) as usize,
        mode: [RetentionMode::Exactly, RetentionMode::OnOrAfter][deck.below(2) as usize],
        slots: slots.clone(),
        group_by: grouping(deck),
    };
    let mut lifecycle =
        LifecycleQuery { scope: scope.clone(), event: choice(deck), slots: slots.clone() };
    let mut distribution = DistributionQuery {
        scope: scope.clone(),
        event: choice(deck),
        of: match deck.below(3) {
            0 => Quantity::Times,
            1 => Quantity::Days(slots.clone()),
            _ => Quantity::Property(Property::Path(vec!["amount".to_owned()])),
        },
        range: range(&slots),
        edges: [vec![1.0, 2.0, 3.0, 10.0], vec![-5.0, 0.0, 1.5], vec![0.0]][deck.below(3) as usize]
            .clone(),
    };
    let mut paths = PathsQuery {
        scope,
        range: range(&slots),
        end: choice(deck),
        side: [Side::From, Side::To][deck.below(2) as usize],
        counted: if deck.below(2) == 0 { EventChoice::default() } else { choice(deck) },
        steps: 1 + deck.below(5) as usize,
        window_ms: [None, Some(HOUR)][deck.below(2) as usize],
        branches: 1 + deck.below(4) as usize,
    };
    let some: BTreeSet<String> =
        events.iter().map(Event::person).filter(|_| deck.below(3) > 0).collect();
    let how = deck.below(4);
    // Asking for the people takes hundreds of slow statements where personal values are hidden, so it is done
    // for some questions only, on one store or the other, and in quick tests for one on each.
    let is_about_people =
        !trend.scope.hide_personal && deck.below(3) == 0 && (is_long() || found.1 < stores.len());
    let asked_of = found.1 % stores.len();
    found.1 += usize::from(is_about_people);
    let left: Vec<Event> = match how {
        // Only some people are asked about, or everyone except them.
        0 => events.iter().filter(|event| some.contains(&event.person())).cloned().collect(),
        1 => events.iter().filter(|event| !some.contains(&event.person())).cloned().collect(),
        _ => events.to_vec(),
    };
    let events = &left[..];
    // An app counts as large in one store and not in the other: then the store finds whose the numbers are.
    let limits = |people| SetLimits { people, ..SetLimits::default() };
    let is_large = deck.below(2) as usize;
    // The owners of devices are cached, or read again.
    let is_cached = deck.below(2) == 0;
    for (place, store) in stores.iter().enumerate() {
        let people = if place % 2 == is_large { 0 } else { u32::MAX };
        let store = store.with_set_limits(limits(people));
        let store = &if is_cached { store.as_of(versions.clone()) } else { store };
        if how < 2 {
            let names: Vec<String> = some.iter().map(|person| person[2..].to_owned()).collect();
            let among = Condition::Among(store.people_named(app, &names).await.unwrap());
            let among = if how == 0 { among } else { Condition::Not(Box::new(among)) };
            let condition = Condition::All(vec![condition.clone(), among]);
            for scope in [
                &mut trend.scope,
                &mut funnel.scope,
                &mut retention.scope,
                &mut lifecycle.scope,
                &mut distribution.scope,
                &mut paths.scope,
            ] {
                scope.condition = condition.clone();
            }
        }
        let answer = store.trend(&trend).await.unwrap();
        alike(&answer, &plain_trend::trend(events, &trend), &trend);
        found.0[5] += u32::from(answer.0.total.is_some_and(|total| total > 0.0));
        let answer = store.funnel(&funnel).await.unwrap();
        assert_eq!(answer, plain::funnel(events, &funnel), "{funnel:#?}");
        found.0[0] += u32::from(answer.steps.last().unwrap().people > 0);
        let answer = store.retention(&retention).await.unwrap();
        assert_eq!(answer, plain::retention(events, &retention), "{retention:#?}");
        found.0[1] +=
            u32::from(answer.0.iter().flat_map(|cohort| &cohort.returned).any(|n| *n > 0));
        let answer = store.lifecycle(&lifecycle).await.unwrap();
        assert_eq!(answer, plain::lifecycle(events, &lifecycle), "{lifecycle:#?}");
        found.0[2] += u32::from(answer.iter().any(|point| point.resurrected > 0));
        let answer = store.distribution(&distribution).await.unwrap();
        assert_eq!(answer, plain::distribution(events, &distribution), "{distribution:#?}");
        found.0[3] += u32::from(answer.iter().any(|bin| bin.people > 0));
        let mut answer = store.paths(&paths).await.unwrap().links;
        let mut expected = plain::paths(events, &paths);
        answer.sort();
        expected.sort();
        assert_eq!(answer, expected, "{paths:#?}");
        found.0[4] += u32::from(answer.iter().any(|link| link.step > 1));
        if !is_about_people || place != asked_of && !is_long() {
            continue;
        }
        people::are_as_many_as_the_figures_say(store, &trend, &funnel, &retention).await;
        people::of_the_others(store, &lifecycle, &distribution, &paths).await;
        people::are_those_who_did(store, events, &trend).await;
        let names: Vec<String> = some.iter().map(|person| person[2..].to_owned()).collect();
        let (funnel, retention) = (&funnel, &retention);
        let compared =
            breakdowns::say_what_filters_say(store, &names, &trend, funnel, retention).await;
        found.0[6] += u32::from(compared > 4);
    }
}

/// Also removes what the user's devices sent before sign-in. The devices then belong to the user who signed
/// in next.
async fn erase_somebody(stores: &[&Warehouse], events: &mut Vec<Event>, dice: &mut Dice) {
    let users: BTreeSet<&str> =
        events.iter().map(|event| event.user_id.as_str()).filter(|user| !user.is_empty()).collect();
    let user = users.iter().nth(dice.below(users.len() as u64) as usize).unwrap().to_string();
    let app = events[0].app;
    let before = events.len();
    events.retain(|event| event.person() != format!("u {user}"));
    own(events);
    for store in stores {
        let erased = store.erase(app, Kind::User, &user).await.unwrap();
        assert_eq!(erased, (before - events.len()) as u64, "{user}");
    }
}

/// Fourteen questions of each kind here, because trends have as many measures; thousands with `LONG_TESTS=1`.
#[tokio::test(flavor = "multi_thread")]
async fn what_people_do_is_what_plain_rust_says() {
    let (apps, questions) = if is_long() { (60, 60) } else { (2, 7) };
    let (one, shards) = (Store::open().await, shards::store().await);
    let mut deck = Deck::new(4_712);
    let mut found = Found::default();
    for batch in 0..apps {
        let app = Uuid::new_v4();
        let mut events = events(app, &mut deck.dice);
        let (late, prompt) = events.split_at(events.len() / 3);
        for store in [&one.warehouse, &shards] {
            // Some sign-ins arrive after later events were counted.
            load(store, 2 * batch + 1, prompt).await.unwrap();
            load(store, 2 * batch + 2, late).await.unwrap();
            let numbers: BTreeSet<_> = events.iter().flat_map(Event::numbers).collect();
            let numbers: Vec<_> = numbers.into_iter().collect();
            store.add_person_ids(&numbers, |_| 0).await.unwrap();
            breakdowns::add_profiles(store, app, &events).await;
        }
        let stores = [&one.warehouse, &shards];
        let mut versions = Arc::new(Versions::default());
        for question in 0..questions {
            // An erasure rewrites every table, which takes seconds.
            if question == questions / 2 && batch % 4 == 0 {
                erase_somebody(&stores, &mut events, &mut deck.dice).await;
                Arc::make_mut(&mut versions).set_removals(app, 1);
            }
            ask(&stores, app, &versions, &events, &mut deck, &mut found).await;
        }
    }
    let least = apps * questions / 4;
    let [often @ .., by_people] = found.0;
    assert!(often.iter().all(|times| u64::from(*times) >= least), "{found:?}");
    assert!(by_people > 0, "{found:?}");
}
