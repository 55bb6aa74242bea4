//! Breakdowns by people's profiles and cohorts: each group has the figures of a question about those people
//! alone.

use uuid::Uuid;
use warehouse::analysis::{FunnelQuery, FunnelStep, RetentionQuery, Scope, Trend, TrendQuery};
use warehouse::{
    Column, Condition, Filter, GroupBy, IN_COHORT, Key, Kind, NOT_IN_COHORT, ProfileRow, Property,
    Test, Warehouse,
};

use crate::analyses::alike;
use crate::support::{Event, START_MS};

const PLANS: [&str; 3] = ["free", "pro", "团队"];
const PLAN: &str = "plan";

/// Two of three users and devices have a plan.
pub async fn add_profiles(store: &Warehouse, app: Uuid, events: &[Event]) {
    let users = events.iter().map(|event| (Kind::User, event.user_id.clone()));
    let devices = events.iter().map(|event| (Kind::Device, event.device_id.clone()));
    let mut ids: Vec<(Kind, String)> = users.chain(devices).filter(|it| !it.1.is_empty()).collect();
    ids.sort();
    ids.dedup();
    let row = |(at, (kind, id)): (usize, (Kind, String))| ProfileRow {
        app_id: app,
        kind,
        id,
        properties: format!("{{\"{PLAN}\":\"{}\"}}", PLANS[at % 3]),
        updated_ms: START_MS,
        last_log_id: Uuid::new_v4(),
        deleted: false,
        version: 1,
    };
    let rows: Vec<ProfileRow> =
        ids.into_iter().enumerate().filter(|(at, _)| at % 3 < 2 || at % 7 == 0).map(row).collect();
    store.insert_profiles(&rows).await.unwrap();
}

async fn with_plan(store: &Warehouse, scope: &Scope, kind: Kind) -> Vec<(Key, Condition)> {
    let property = Property::Path(vec![PLAN.to_owned()]);
    let tests = PLANS.map(|plan| (Key::Text(plan.to_owned()), Test::Is(vec![plan.to_owned()])));
    let mut groups = Vec::new();
    for (key, test) in tests.into_iter().chain([(Key::NotSet, Test::Set)]) {
        let filter = Filter { property: property.clone(), test, negated: key == Key::NotSet };
        groups.push((key, store.has_profile(scope, kind, &filter).await.unwrap()));
    }
    groups
}

fn narrowed(scope: &Scope, condition: &Condition) -> Scope {
    let condition = Condition::All(vec![scope.condition.clone(), condition.clone()]);
    Scope { condition, ..scope.clone() }
}

fn is_nothing(trend: &Trend) -> bool {
    trend.points.iter().chain([&trend.total]).all(|it| it.is_none_or(|number| number == 0.0))
}

async fn of_trend(
    store: &Warehouse,
    query: &TrendQuery,
    by: &GroupBy,
    groups: &[(Key, Condition)],
) -> usize {
    let os = GroupBy::Event(Property::Column(Column::Os));
    let alone = TrendQuery { group_by: vec![by.clone()], ..query.clone() };
    let both = TrendQuery { group_by: vec![os.clone(), by.clone()], ..query.clone() };
    let (answer, answer_both) =
        (store.trend(&alone).await.unwrap(), store.trend(&both).await.unwrap());
    for (key, condition) in groups {
        let scope = narrowed(&query.scope, condition);
        let narrow = TrendQuery { scope, group_by: vec![os.clone()], ..query.clone() };
        let (whole, by_os) = store.trend(&narrow).await.unwrap();
        let own = |values: &[Key], all: &[warehouse::analysis::TrendGroup], expected: Trend| {
            let found = all.iter().find(|group| group.values == values);
            match found {
                Some(found) => {
                    alike(&(found.trend.clone(), Vec::new()), &(expected, Vec::new()), &alone);
                }
                // Three systems times four plans are more groups than are shown separately.
                None => {
                    let has_rest = all.iter().any(|group| group.values[0] == Key::Rest);
                    assert!(has_rest || is_nothing(&expected), "{values:?} {alone:#?}");
                }
            }
        };
        own(std::slice::from_ref(key), &answer.1, whole);
        for group in by_os {
            let values = [group.values[0].clone(), key.clone()];
            own(&values, &answer_both.1, group.trend);
        }
    }
    answer.1.len()
}

pub async fn say_what_filters_say(
    store: &Warehouse,
    names: &[String],
    trend: &TrendQuery,
    funnel: &FunnelQuery,
    retention: &RetentionQuery,
) -> usize {
    let scope = &trend.scope;
    let people = store.people_named(scope.app, names).await.unwrap();
    let among = Condition::Among(people.clone());
    let cohort = vec![
        (Key::Text(IN_COHORT.to_owned()), among.clone()),
        (Key::Text(NOT_IN_COHORT.to_owned()), Condition::Not(Box::new(among))),
    ];
    let profile = |kind| GroupBy::Profile(kind, vec![PLAN.to_owned()]);
    let of_users = with_plan(store, scope, Kind::User).await;
    let of_devices = with_plan(store, scope, Kind::Device).await;
    let mut compared = of_trend(store, trend, &profile(Kind::Device), &of_devices).await;
    compared += of_trend(store, trend, &profile(Kind::User), &of_users).await;
    compared += of_trend(store, trend, &GroupBy::Cohort(people.clone()), &cohort).await;
    // A person's profile does not change from event to event, as the device may.
    for (by, groups) in [(profile(Kind::User), &of_users), (GroupBy::Cohort(people), &cohort)] {
        let (mut funnel, mut retention) = (funnel.clone(), retention.clone());
        funnel.group_by = vec![by.clone()];
        retention.group_by = vec![by];
        let of_funnel = store.funnel(&funnel).await.unwrap().groups;
        let of_retention = store.retention(&retention).await.unwrap().1;
        for (key, condition) in groups {
            let scope = narrowed(&funnel.scope, condition);
            let narrow =
                FunnelQuery { scope: scope.clone(), group_by: Vec::new(), ..funnel.clone() };
            let expected = store.funnel(&narrow).await.unwrap().steps;
            let found = of_funnel.iter().find(|it| it.values == [key.clone()]);
            let nothing = |step: &FunnelStep| step.people == 0;
            match found {
                Some(found) => assert_eq!(found.steps, expected, "{key:?} {funnel:#?}"),
                None => assert!(expected.iter().all(nothing), "{key:?} {funnel:#?}"),
            }
            let narrow = RetentionQuery { scope, group_by: Vec::new(), ..retention.clone() };
            let expected = store.retention(&narrow).await.unwrap().0;
            let found = of_retention.iter().find(|it| it.values == [key.clone()]);
            match found {
                Some(found) => assert_eq!(found.cohorts, expected, "{key:?} {retention:#?}"),
                None => assert!(expected.iter().all(|it| it.size == 0), "{key:?} {retention:#?}"),
            }
        }
    }
    compared
}
