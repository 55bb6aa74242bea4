//! The events of an app.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use warehouse::{EVENT_NAMES_MAX, EventName, Warehouse};

use super::{Class, store, warehouse_error, warehouse_for};
use crate::insight::dates::seconds;
use crate::insight::state::Insight;
use atrium_collect::personal::{self, Ids, Others};
use atrium_core::error::Result;
use atrium_core::http::json::{Data, Query};
use atrium_core::http::list::{ListQuery, ListQueryAnywhere, SortBy};
use atrium_core::http::page::Paged;
use atrium_core::permissions::{EventView, Permission};
use atrium_core::types::{Id, Millis};
use atrium_tenancy::access::DataApp;

/// The length of the buckets that counts are kept by, in seconds.
pub const BUCKET: u64 = 15 * 60;
pub const RECENT_DAYS: i64 = 30;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventStatus {
    #[default]
    Visible,
    Hidden,
    All,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventFilter {
    /// Visible ones unless given.
    #[serde(default)]
    #[param(inline)]
    status: EventStatus,
}

/// An event by its name. One that has a description but was never seen has no times.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EventItem {
    event: String,
    /// Also null for callers who may not see descriptions.
    description: Option<String>,
    hidden: bool,
    first_seen: Option<Millis>,
    last_seen: Option<Millis>,
    /// In the last thirty days.
    events_30d: u64,
    users_30d: u64,
}

#[derive(Serialize, ToSchema)]
pub struct EventList {
    #[serde(flatten)]
    page: Paged<EventItem>,
    /// Whether the caller may describe and hide events.
    can_manage: bool,
    /// False if there are more names than can be listed; then these are the latest.
    complete: bool,
    /// Events whose names are over the app's daily limit; null if there were none lately.
    other: Option<OtherEvents>,
}

/// Events that are counted together, in the last thirty days.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct OtherEvents {
    events_30d: u64,
    users_30d: u64,
}

#[derive(Clone, Copy)]
enum Sort {
    Name,
    Events,
    Users,
    FirstSeen,
    LastSeen,
}

const SORTS: &[SortBy<Sort>] = &[
    ("events", Sort::Events, true),
    ("users", Sort::Users, true),
    ("name", Sort::Name, false),
    ("first_seen", Sort::FirstSeen, true),
    ("last_seen", Sort::LastSeen, true),
];

/// The events that the app sends. Those whose name looks personal are left out for callers who may
/// not see personal data.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/events",
    operation_id = "event_list",
    tag = "workspace",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path), ListQueryAnywhere, EventFilter),
    responses((status = 200, body = Data<EventList>))
)]
pub async fn event_list(
    State(atrium): State<Insight>,
    app: DataApp<EventView>,
    Query(query): Query<ListQuery>,
    Query(filter): Query<EventFilter>,
) -> Result<Data<EventList>> {
    let paging = query.check_by(SORTS)?;
    let store = warehouse_for(&atrium, app.reader(Class::AdHoc)).await?;
    let id = app.id().uuid()?;
    let names = store.event_names(id).await.map_err(warehouse_error)?;
    let mut items = items_of(&names);
    let other = count(&store, id, &mut items, atrium.now()).await?;
    let mut db = atrium.db.read().await?;
    let described = store::events(&mut db, app.id()).await?;
    drop(db);
    describe(&mut items, described, app.holds(Permission::MetadataView));
    if !app.has_pii() {
        hide(&store, id, &mut items).await?;
    }
    let wanted = paging.search.to_lowercase();
    let mut items: Vec<_> = items.into_values().collect();
    items.retain(|item| is_wanted(item, filter.status, &wanted));
    sort(&mut items, paging.sort, paging.descending);
    let total = items.len();
    let page = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    let (skip, take) = (page(paging.page.offset), page(paging.page.limit));
    let mut items: Vec<_> = items.into_iter().skip(skip).take(take).collect();
    refine(&store, id, &names, &mut items).await?;
    // Sorted again, because the exact moments are known only now.
    sort(&mut items, paging.sort, paging.descending);
    let can_manage = app.holds(Permission::MetadataManage);
    let complete = names.len() < EVENT_NAMES_MAX;
    let page = Paged::new(items, total, paging.page);
    Ok(Data(EventList { page, can_manage, complete, other }))
}

fn items_of(names: &[EventName]) -> HashMap<String, EventItem> {
    let moment = |at: u64| Some(Millis(i64::try_from(at).unwrap_or(0) * Millis::SECOND));
    let item = |name: &EventName| {
        let item = EventItem {
            first_seen: moment(name.first),
            last_seen: moment(name.last),
            ..EventItem::named(&name.event)
        };
        (name.event.clone(), item)
    };
    names.iter().map(item).collect()
}

/// Leaves out events whose name must not be shown: it can be an address, or a person's id.
async fn hide(store: &Warehouse, app: Uuid, items: &mut HashMap<String, EventItem>) -> Result<()> {
    let mut texts = BTreeSet::new();
    items.keys().for_each(|name| personal::path_candidates(name, &mut texts));
    let others = Others::among(store, &[app], texts).await.map_err(warehouse_error)?;
    let ids = Ids { others: Some(&others), ..Ids::default() };
    items.retain(|name, _| !ids.hide(name));
    Ok(())
}

impl EventItem {
    fn named(event: &str) -> Self {
        Self {
            event: event.to_owned(),
            description: None,
            hidden: false,
            first_seen: None,
            last_seen: None,
            events_30d: 0,
            users_30d: 0,
        }
    }
}

async fn count(
    store: &Warehouse,
    app: Uuid,
    items: &mut HashMap<String, EventItem>,
    now: Millis,
) -> Result<Option<OtherEvents>> {
    let mut other = None;
    let since = seconds(now.plus(-RECENT_DAYS * Millis::DAY)).next_multiple_of(BUCKET);
    for count in store.event_counts(app, since).await.map_err(warehouse_error)? {
        if count.is_other() {
            other = Some(OtherEvents { events_30d: count.events, users_30d: count.persons });
        } else if let Some(item) = items.get_mut(&count.event) {
            (item.events_30d, item.users_30d) = (count.events, count.persons);
        }
    }
    Ok(other)
}

/// Adds descriptions, including those of events that were never seen.
fn describe(
    items: &mut HashMap<String, EventItem>,
    described: Vec<store::EventRow>,
    may_read: bool,
) {
    for row in described {
        let item = items.entry(row.event).or_insert_with_key(|event| EventItem::named(event));
        item.description = row.description.filter(|_| may_read);
        item.hidden = row.hidden_at.is_some();
    }
}

fn is_wanted(item: &EventItem, status: EventStatus, search: &str) -> bool {
    let in_state = match status {
        EventStatus::Visible => !item.hidden,
        EventStatus::Hidden => item.hidden,
        EventStatus::All => true,
    };
    let contains = |text: &str| text.to_lowercase().contains(search);
    in_state
        && (search.is_empty()
            || contains(&item.event)
            || item.description.as_deref().is_some_and(contains))
}

fn sort(items: &mut [EventItem], by: Sort, descending: bool) {
    let compare = |a: &EventItem, b: &EventItem| match by {
        Sort::Name => Ordering::Equal,
        Sort::Events => a.events_30d.cmp(&b.events_30d),
        Sort::Users => a.users_30d.cmp(&b.users_30d),
        Sort::FirstSeen => a.first_seen.cmp(&b.first_seen),
        Sort::LastSeen => a.last_seen.cmp(&b.last_seen),
    };
    let named = |a: &EventItem, b: &EventItem| {
        let key = |item: &EventItem| (item.event.to_lowercase(), item.event.clone());
        key(a).cmp(&key(b))
    };
    items.sort_by(|a, b| {
        let order = compare(a, b);
        let order = if descending { order.reverse() } else { order };
        let by_name = named(a, b);
        let backwards = descending && matches!(by, Sort::Name);
        order.then(if backwards { by_name.reverse() } else { by_name })
    });
}

/// Counts have a resolution of a quarter of an hour, but people expect exact times.
async fn refine(
    store: &Warehouse,
    app: Uuid,
    names: &[EventName],
    items: &mut [EventItem],
) -> Result<()> {
    let shown = |name: &&EventName| items.iter().any(|item| item.event == name.event);
    let names: Vec<EventName> = names.iter().filter(shown).cloned().collect();
    if names.is_empty() {
        return Ok(());
    }
    for moments in store.event_moments(app, &names).await.map_err(warehouse_error)? {
        if let Some(item) = items.iter_mut().find(|item| item.event == moments.event) {
            item.first_seen = Some(Millis(moments.first_ms));
            item.last_seen = Some(Millis(moments.last_ms));
        }
    }
    Ok(())
}
