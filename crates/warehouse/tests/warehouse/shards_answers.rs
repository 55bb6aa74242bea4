//! Every question is put to two shards and to a store on one machine with the same events: the answers are
//! equal. The other tests check that one machine's answers are correct.

use std::fmt::Debug;

use uuid::Uuid;
use warehouse::{
    Days, Identity, Insert, Kind, MutationIn, PeopleQuery, PeopleSearch, PeopleSort, ProfileRow,
    Property, ReadUpTo, Versions, Warehouse, mutation_insert, write_mutation,
};

use crate::deck::Deck;
use crate::explore;
use crate::overall::days;
use crate::shards;
use crate::support::{Event, START_MS, Store, load, small_and_large};

const DAY: u64 = 86_400;

struct Both {
    one: Warehouse,
    shards: Warehouse,
}

impl Both {
    /// Asks both stores. The answer must not be empty, or the test proves nothing.
    async fn same<T: Debug>(&self, what: &str, ask: impl AsyncFn(&Warehouse) -> T) -> T {
        let (one, shards) = (ask(&self.one).await, ask(&self.shards).await);
        assert_eq!(format!("{shards:#?}"), format!("{one:#?}"), "{what}");
        one
    }
}

/// It makes no difference whether the program or the servers join the sets.
async fn small_and_large_alike<T: Debug + PartialEq>(
    store: &Warehouse,
    ask: impl AsyncFn(&Warehouse) -> T,
) -> T {
    let [small, large] = small_and_large(store);
    let (small, large) = (ask(&small).await, ask(&large).await);
    assert_eq!(small, large);
    small
}

fn numbered(prefix: &str, numbers: std::ops::Range<u32>) -> Vec<String> {
    numbers.map(|number| format!("{prefix} {number}")).collect()
}

/// The events of two apps; the first app's have properties and span eleven days.
fn all_events(apps: &[Uuid]) -> Vec<Event> {
    let mut events = shards::roam(days(31, apps));
    let rich = explore::events(apps[0]);
    for (event, rich) in events.iter_mut().filter(|event| event.app == apps[0]).zip(rich) {
        event.properties = rich.properties;
    }
    events
}

async fn add_profiles(store: &Warehouse, app: Uuid) {
    let (mut body, mut profiles, mut last) = (Vec::new(), Vec::new(), 0);
    for (kind, id) in numbered("user", 0..40)
        .into_iter()
        .map(|id| (Kind::User, id))
        .chain(numbered("device", 190..230).into_iter().map(|id| (Kind::Device, id)))
    {
        let properties = format!(r#"{{"plan":"{id} pro"}}"#);
        for change in 0..3_i64 {
            last += 1;
            let log_id = Uuid::from_u128(last);
            let (time_ms, operation) = (START_MS + change, "set");
            let (properties, received_ms) = (properties.as_str(), START_MS);
            let id = id.as_str();
            let app_id = app;
            write_mutation(
                &MutationIn {
                    app_id,
                    kind,
                    id,
                    time_ms,
                    log_id,
                    operation,
                    properties,
                    received_ms,
                },
                &mut body,
            );
        }
        let (app_id, updated_ms, last_log_id) = (app, START_MS + 2, Uuid::nil());
        let deleted = id.ends_with('7');
        profiles.push(ProfileRow {
            app_id,
            kind,
            id,
            properties,
            updated_ms,
            last_log_id,
            deleted,
            version: 1,
        });
    }
    store.insert(&mutation_insert(5), body.into(), Insert::default()).await.unwrap();
    store.insert_profiles(&profiles).await.unwrap();
}

async fn filled(apps: &[Uuid], events: &[Event]) -> (Store, Both) {
    let (one, shards) = (Store::open().await, shards::store().await);
    let both = Both { one: one.warehouse.clone(), shards };
    for store in [&both.one, &both.shards] {
        load(store, 1, events).await.unwrap();
        add_profiles(store, apps[0]).await;
    }
    (one, both)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_shards_answer_as_one_machine() {
    let apps: Vec<Uuid> = (0..2).map(|_| Uuid::new_v4()).collect();
    let events = all_events(&apps);
    let (_one, both) = filled(&apps, &events).await;
    dashboard(&both, &apps).await;
    workspace(&both, apps[0], &events).await;
    people(&both, apps[0]).await;
    loader(&both, &apps, &events).await;
}

async fn dashboard(both: &Both, apps: &[Uuid]) {
    let range = |from: i64, to: i64| (START_MS + from * 900_000, START_MS + to * 900_000);
    for (from, to) in [range(0, 96), range(3, 11 * 96 + 5), range(2, 7)] {
        let cuts: Vec<i64> = (0..=6).map(|at| from + (to - from) / 6 * at).collect();
        both.same("overall", async |store| {
            let part = Some(from + (to - from) / 2);
            small_and_large_alike(store, async |store| {
                let it = store.overall(apps, &cuts, part, &Versions::unknown()).await.unwrap();
                let mut by_app: Vec<_> = it.apps.into_iter().chain(it.part).collect();
                by_app.sort_by_key(|(app, counts)| (*app, counts.events));
                assert!(!by_app.is_empty());
                (by_app, it.buckets)
            })
            .await
        })
        .await;
        both.same("top events and breakdowns", async |store| {
            let (top, versions) = (8, Versions::unknown());
            small_and_large_alike(store, async |store| {
                let events = store.top_events(apps, from, to, top, &versions).await.unwrap();
                let shown = |_: &str, value: &str| value.replace('\0', "");
                let pages = store.pages(apps, from, to, 4, shown, &versions).await.unwrap();
                assert!(!pages.is_empty());
                (events, store.breakdowns(apps, from, to, 2, &versions).await.unwrap(), pages)
            })
            .await
        })
        .await;
        both.same("counts of apps", async |store| {
            let mut counts: Vec<_> =
                store.count_events(apps, from, to).await.unwrap().into_iter().collect();
            counts.sort_unstable();
            counts
        })
        .await;
    }
    let start = START_MS as u64 / 1_000;
    let days = Days {
        starts: (0..45).map(|day| start + day * DAY - 30 * DAY).collect(),
        end: start + 15 * DAY,
    };
    both.same("activity and cohorts", async |store| {
        let activity = store.activity(apps[0], &days).await.unwrap();
        let cohorts = store.cohorts(apps[0], &days, 40).await.unwrap();
        assert!(!activity.is_empty() && !cohorts.is_empty());
        (activity, cohorts)
    })
    .await;
}

async fn workspace(both: &Both, app: Uuid, events: &[Event]) {
    let start = START_MS as u64 / 1_000;
    let mut deck = Deck::new(5);
    for _ in 0..12 {
        let mut question = explore::question(app, &mut deck);
        question.event = None;
        both.same(&format!("{question:?}"), async |store| store.explore(&question).await.unwrap())
            .await;
    }
    let mut question = explore::question(app, &mut deck);
    (question.event, question.filters) = (None, Vec::new());
    (question.starts, question.end) = (vec![start], start + 12 * DAY);
    for name in ["plan", "tags", "n"] {
        let property = Property::Path(vec![name.to_owned()]);
        both.same("values", async |store| store.values(&question, &property, "").await.unwrap())
            .await;
    }
    both.same("catalog", async |store| {
        let names = store.event_names(app).await.unwrap();
        let mut moments = store.event_moments(app, &names).await.unwrap();
        moments.sort_by_key(|moment| moment.event.clone());
        let counts = store.event_counts(app, start + 900).await.unwrap();
        (names, moments, counts, store.quarters(app, Some("event 3"), start).await.unwrap())
    })
    .await;
    both.same("properties", async |store| {
        let sample = store.property_sample(app, "event 3", start, 10_000).await.unwrap();
        let names = store.property_names(&sample).await.unwrap();
        let mut kinds = store.property_kinds(&sample, &names.names, true).await.unwrap();
        // Which of several equally frequent values become examples is left to chance.
        for kind in &mut kinds {
            kind.examples.clear();
        }
        kinds.sort_by_key(|kind| (kind.property.clone(), kind.kind.clone()));
        (sample, names, kinds)
    })
    .await;
    both.same("the latest", async |store| {
        let latest = store.recent_events(app, 50).await.unwrap();
        let range = (START_MS, START_MS + 4 * 86_400_000);
        (latest, store.received_since(app, START_MS + 86_400_000, range, 30).await.unwrap())
    })
    .await;
    both.same("the last event", async |store| store.last_event(&[app]).await.unwrap()).await;
    assert!(events.len() > 1_000);
}

async fn people(both: &Both, app: Uuid) {
    let key = [7_u8; 32];
    for kind in [Kind::User, Kind::Device] {
        let text = |text: &str| PeopleSearch::IdsAndProperties(text.to_owned());
        for (search, sort, pseudonyms) in [
            (PeopleSearch::All, PeopleSort::FirstSeen, None),
            (text("user 50"), PeopleSort::LastSeen, None),
            (text("pro"), PeopleSort::Id, None),
            (PeopleSearch::Pseudonyms("a".to_owned()), PeopleSort::Id, Some(key)),
        ] {
            let (descending, limit, offset) = (true, 30, 3);
            let query =
                PeopleQuery { app, kind, search, sort, descending, limit, offset, pseudonyms };
            both.same(&format!("{query:?}"), async |store| store.people(&query).await.unwrap())
                .await;
        }
        let id = if kind == Kind::User { "user 504" } else { "device 3" };
        both.same(id, async |store| {
            let range = (START_MS, START_MS + 20 * 86_400_000);
            let person = store.person(app, kind, id).await.unwrap();
            let doings = store.doings(app, kind, id, range).await.unwrap();
            let events = store.events_of(app, kind, id, range, 20).await.unwrap();
            assert!(doings.events > 0 && !events.is_empty());
            let known = store.id_known(app, kind, id).await.unwrap();
            let behind = store.id_behind(app, kind, &key, "00").await.unwrap();
            (person, doings, events, known, behind)
        })
        .await;
    }
}

async fn loader(both: &Both, apps: &[Uuid], events: &[Event]) {
    let ids = [numbered("user", 0..60), numbered("device", 150..250)].concat();
    for kind in [Kind::User, Kind::Device] {
        both.same("profiles", async |store| {
            let mut profiles = store.profiles(apps[0], kind, &ids).await.unwrap();
            profiles.sort_by_key(|profile| profile.id.clone());
            let all = store.mutations_of_many(apps[0], kind, &ids, None).await.unwrap();
            assert!(!profiles.is_empty() && !all.is_empty());
            let upto = &all[all.len() / 2];
            let upto = ReadUpTo {
                id: upto.id.clone(),
                time_ms: upto.mutation.time_ms,
                log_id: upto.mutation.log_id,
            };
            let rest = store.mutations_after((apps[0], kind), &ids, None, Some(&upto), 25).await;
            (profiles, all, rest.unwrap())
        })
        .await;
    }
    both.same("numbers", async |store| {
        let who: Vec<Identity> = events
            .iter()
            .map(|event| Identity::of(event.app, Kind::Device, event.device_id.as_bytes()))
            .collect();
        let mut numbers: Vec<_> = store.person_ids(&who).await.unwrap().into_iter().collect();
        numbers.sort_unstable();
        (numbers, store.last_number(apps[0]).await.unwrap())
    })
    .await;
    both.same("what a batch stored", async |store| {
        let to = START_MS + 20 * 86_400_000;
        let mut stored = store.stored_of_batch(1, apps, START_MS, to).await.unwrap();
        stored.sort_unstable();
        assert_eq!(stored.len(), events.len());
        stored
    })
    .await;
}
