//! The people behind a figure, and those of a cohort.

use axum::extract::State;
use futures_util::future::try_join;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use warehouse::analysis::{
    DistributionQuery, FunnelFigure, LifecycleState, Node, PersonOf, RetentionFigure, Slots,
};
use warehouse::{Key, Kind, People, PersonRow};

use super::answer::{GroupValues, NodeKind, PathNode};
use super::ask;
use super::asker::{Asker, Prepared};
use super::body::Question;
use super::ready::{Ready, RetentionReady, TrendReady};
use crate::insight::errors::warehouse_error;
use crate::insight::state::Insight;
use crate::workspace::profiles::{PiiAccess, ProfileItem, ProfileKind, profiles_of_ids};
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::http::json::{Data, Json, Query};
use atrium_core::http::path::SecondId;
use atrium_core::permissions::{Permission, ProfileView, QueryRun};
use atrium_core::types::{Id, Millis};
use atrium_tenancy::access::DataApp;

const PAGE_SIZE: u64 = 50;
const PAGE_SIZE_MAX: u64 = 200;

/// A figure of an answer. Moments are those given in the answer.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Pick {
    Trend {
        /// From 0.
        series: usize,
        /// Where a bucket starts; null for the whole range.
        time: Option<i64>,
        group: Option<GroupValues>,
    },
    Funnel {
        /// From 0.
        step: usize,
        /// Whether to list the people who made the step before but not this one, instead of those who
        /// made it.
        #[serde(default)]
        dropped: bool,
        group: Option<GroupValues>,
        /// The start of the bucket in which they began; null or left out for the whole range.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time: Option<i64>,
    },
    Retention {
        /// Where the cohort starts.
        cohort: i64,
        /// Null for all of the cohort.
        unit: Option<usize>,
        group: Option<GroupValues>,
    },
    Paths {
        /// 0 for the people who did the event that paths begin or end with.
        step: usize,
        /// Null for any that leads there.
        source: Option<PathNode>,
        target: PathNode,
    },
    Distribution {
        /// From 0.
        bin: usize,
    },
    Lifecycle {
        time: i64,
        state: LifecycleGroup,
    },
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LifecycleGroup {
    New,
    Returning,
    Resurrected,
    Dormant,
}

#[derive(Deserialize, ToSchema)]
pub struct PeopleBody {
    question: Question,
    pick: Pick,
    /// From 1.
    page: Option<u64>,
    /// Up to 200.
    page_size: Option<u64>,
}

/// A user, or a device without an owner.
#[derive(Debug, Serialize, ToSchema)]
pub struct PersonItem {
    #[schema(inline)]
    kind: ProfileKind,
    #[serde(flatten)]
    profile: ProfileItem,
}

/// Most recently seen first.
#[derive(Debug, Serialize, ToSchema)]
pub struct PeoplePage {
    total: u64,
    items: Vec<PersonItem>,
    page: u64,
    page_size: u64,
}

/// The people behind a figure.
#[utoipa::path(
    post,
    path = "/api/v1/apps/{id}/analyses/run/people",
    operation_id = "analysis_people",
    tag = "analysis",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path)),
    request_body = PeopleBody,
    responses((status = 200, body = Data<PeoplePage>))
)]
pub async fn analysis_people(
    State(atrium): State<Insight>,
    app: DataApp<ProfileView>,
    Json(body): Json<PeopleBody>,
) -> Result<Data<PeoplePage>> {
    let page = Page::of(body.page, body.page_size)?;
    let asker = asker(&atrium, &app).await?;
    let prepared = asker.prepare(&body.question, 0).await?;
    let people = asker.behind(&prepared, &body.pick).await?;
    listed(&asker, &app, &people, page).await.map(Data)
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// From 1.
    page: Option<u64>,
    /// Up to 200.
    page_size: Option<u64>,
}

/// The people of a cohort.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/cohorts/{cohort_id}/people",
    operation_id = "cohort_people",
    tag = "analysis",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path), ("cohort_id" = Id, Path), PageQuery),
    responses((status = 200, body = Data<PeoplePage>), (status = 422))
)]
pub async fn cohort_people(
    State(atrium): State<Insight>,
    app: DataApp<ProfileView>,
    SecondId(cohort_id): SecondId,
    Query(page): Query<PageQuery>,
) -> Result<Data<PeoplePage>> {
    let page = Page::of(page.page, page.page_size)?;
    let asker = asker(&atrium, &app).await?;
    let people = asker.cohort_or_not_found(&cohort_id).await?;
    listed(&asker, &app, &people, page).await.map(Data)
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CohortSize {
    people: u64,
    computed_at: Millis,
}

/// How many people a cohort has.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/cohorts/{cohort_id}/size",
    operation_id = "cohort_size",
    tag = "analysis",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path), ("cohort_id" = Id, Path)),
    responses((status = 200, body = Data<CohortSize>), (status = 422))
)]
pub async fn cohort_size(
    State(atrium): State<Insight>,
    app: DataApp<QueryRun>,
    SecondId(cohort_id): SecondId,
) -> Result<Data<CohortSize>> {
    let asker = Asker::of_data(&atrium, &app).await?;
    let people = asker.cohort_or_not_found(&cohort_id).await?;
    Ok(Data(CohortSize { people: people.count(), computed_at: asker.now }))
}

async fn asker<'a>(atrium: &'a Insight, app: &'a DataApp<ProfileView>) -> Result<Asker<'a>> {
    if !app.holds(Permission::QueryRun) {
        return Err(Code::Forbidden.into());
    }
    Asker::of_data(atrium, app).await
}

#[derive(Clone, Copy)]
struct Page {
    number: u64,
    size: u64,
}

impl Page {
    fn of(number: Option<u64>, size: Option<u64>) -> Result<Self> {
        let (number, size) = (number.unwrap_or(1), size.unwrap_or(PAGE_SIZE));
        let faults: Vec<Fault> = [("page", number, 100_000), ("page_size", size, PAGE_SIZE_MAX)]
            .into_iter()
            .filter(|(_, value, max)| !(1..=*max).contains(value))
            .map(|(field, _, max)| {
                Fault::new(Code::OutOfRange).on(field).with("min", 1).with("max", max)
            })
            .collect();
        if faults.is_empty() { Ok(Self { number, size }) } else { Err(Error::invalid(faults)) }
    }
}

/// A page of people, as the caller may see them.
async fn listed(
    asker: &Asker<'_>,
    app: &DataApp<ProfileView>,
    people: &People,
    page: Page,
) -> Result<PeoplePage> {
    let offset = (page.number - 1) * page.size;
    let found = asker.store.people_of(asker.app, people, page.size, offset);
    let found = found.await.map_err(warehouse_error)?;
    let ids = |kind: Kind| -> Vec<String> {
        found.iter().filter(|it| it.kind == kind).map(|it| it.id.clone()).collect()
    };
    let of_kind = async |kind: Kind| {
        let access = PiiAccess::new(asker.atrium, app, kind);
        let profiles = profiles_of_ids(&asker.store, asker.app, kind, &ids(kind)).await?;
        let others = access.others(&asker.store, asker.app, profiles.values()).await?;
        Ok::<_, Error>((access, profiles, others))
    };
    let (users, devices) = try_join(of_kind(Kind::User), of_kind(Kind::Device)).await?;
    let item = |person: PersonOf| {
        let ((access, profiles, others), kind) = match person.kind {
            Kind::User => (&users, ProfileKind::User),
            Kind::Device => (&devices, ProfileKind::Device),
        };
        let profile = profiles.get(&person.id);
        let row = PersonRow {
            id: person.id,
            first_ms: Some(person.first_ms),
            last_ms: Some(person.last_ms),
        };
        PersonItem { kind, profile: access.item(row, profile, others) }
    };
    Ok(PeoplePage {
        total: people.count(),
        items: found.into_iter().map(item).collect(),
        page: page.number,
        page_size: page.size,
    })
}

fn unknown() -> Error {
    Error::invalid(vec![Fault::new(Code::UnknownFigure).on("pick")])
}

/// The values of a group as the store's keys.
fn keys(group: &GroupValues) -> Vec<Key> {
    let redacted = |place: usize| group.redacted.get(place).copied().unwrap_or(false);
    let key = |(place, value): (usize, &Option<String>)| match value {
        _ if group.other => Key::Rest,
        Some(text) => Key::Text(text.clone()),
        None if redacted(place) => Key::Hidden,
        None => Key::NotSet,
    };
    group.values.iter().enumerate().map(key).collect()
}

fn node(node: &PathNode) -> Node {
    match (node.kind, &node.name) {
        (NodeKind::Event, Some(name)) => {
            Node::Event { name: name.clone(), page: node.page.clone() }
        }
        (NodeKind::Other, _) => Node::Other,
        _ => Node::Hidden,
    }
}

/// The bucket that starts at a moment.
fn place(slots: &Slots, time: i64) -> Result<usize> {
    let start = u64::try_from(time / 1_000).map_err(|_| unknown())?;
    slots.starts.binary_search(&start).map_err(|_| unknown())
}

impl Asker<'_> {
    /// The people behind a figure of a question.
    pub async fn behind(&self, prepared: &Prepared, pick: &Pick) -> Result<People> {
        let Prepared { ready, store, .. } = prepared;
        let people = match (ready, pick) {
            (Ready::Trend(ready), Pick::Trend { series, time, group }) => {
                let TrendReady { queries, .. } = &**ready;
                let query = queries.get(*series).ok_or_else(unknown)?;
                let within = match time {
                    Some(time) => query.slots.only(place(&query.slots, *time)?),
                    None => Some(query.slots.clone()),
                };
                let within = within.ok_or_else(unknown)?;
                let values = group.as_ref().map(keys);
                store.trend_people(query, &within, values.as_deref()).await
            }
            (Ready::Funnel(ready), Pick::Funnel { step, dropped, group, time }) => {
                let group = group.as_ref().map(keys);
                let bucket = time.map(|time| place(&ready.query.slots, time)).transpose()?;
                let figure = FunnelFigure { step: *step, dropped: *dropped, group, bucket };
                store.funnel_people(&ready.query, &figure).await
            }
            (Ready::Retention(ready), Pick::Retention { cohort, unit, group }) => {
                let RetentionReady { query, .. } = &**ready;
                let cohort = place(&query.slots, *cohort)?;
                let group = group.as_ref().map(keys);
                let figure = RetentionFigure { cohort, unit: *unit, group };
                store.retention_people(query, &figure).await
            }
            (Ready::Paths(query), Pick::Paths { step, source, target }) => {
                let source = source.as_ref().map(node);
                store.paths_people(query, *step, source.as_ref(), &node(target)).await.map(Some)
            }
            (Ready::Distribution(ready), Pick::Distribution { bin }) => {
                let edges = ask::edges(store, ready).await.map_err(warehouse_error)?;
                if *bin >= edges.len() {
                    return Err(unknown());
                }
                let query = DistributionQuery { edges, ..ready.query.clone() };
                store.distribution_people(&query, *bin).await.map(Some)
            }
            (Ready::Lifecycle(ready), Pick::Lifecycle { time, state }) => {
                let place = place(&ready.query.slots, *time)?;
                let place = place.checked_sub(1).ok_or_else(unknown)?;
                let state = match state {
                    LifecycleGroup::New => LifecycleState::New,
                    LifecycleGroup::Returning => LifecycleState::Returning,
                    LifecycleGroup::Resurrected => LifecycleState::Resurrected,
                    LifecycleGroup::Dormant => LifecycleState::Dormant,
                };
                store.lifecycle_people(&ready.query, place, state).await.map(Some)
            }
            _ => return Err(unknown()),
        };
        people.map_err(warehouse_error)?.ok_or_else(unknown)
    }
}
