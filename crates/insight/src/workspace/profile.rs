//! One user or device, and what they did.

use std::collections::BTreeSet;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use warehouse::{CountOf, EventOf, Kind, PersonActivity, Warehouse};

use super::profiles::{KindQuery, PiiAccess, ProfileItem};
use super::pseudonym::{self, Pseudonyms};
use super::{Class, properties_of, shorten, warehouse_error, warehouse_for};
use crate::insight::state::Insight;
use atrium_collect::personal::{self, HIDDEN, Ids, Others};
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::http::json::{Data, Query};
use atrium_core::permissions::ProfileView;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::access::DataApp;

const EVENTS_MAX: u64 = 100;
const EVENTS_DEFAULT: u64 = 50;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RefQuery {
    /// The `ref` of the list.
    #[serde(rename = "ref")]
    #[param(rename = "ref")]
    reference: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TopEvent {
    event: String,
    events: u64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Profile {
    #[serde(flatten)]
    item: ProfileItem,
    /// Those that are still stored.
    events: u64,
    top_events: Vec<TopEvent>,
    /// For a user: the devices they used, the latest first.
    devices: Option<Vec<String>>,
    /// For a device: the users who used it, the latest first.
    users: Option<Vec<String>>,
    /// When the properties changed last.
    updated_at: Option<Millis>,
}

/// One user or device.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/profile",
    operation_id = "profile_view",
    tag = "workspace",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path), KindQuery, RefQuery),
    responses((status = 200, body = Data<Profile>))
)]
pub async fn profile_view(
    State(atrium): State<Insight>,
    app: DataApp<ProfileView>,
    Query(kind): Query<KindQuery>,
    Query(query): Query<RefQuery>,
) -> Result<Data<Profile>> {
    let kind = Kind::from(kind.kind);
    let access = PiiAccess::new(&atrium, &app, kind);
    let (caller, app_uuid) = (app.reader(Class::AdHoc), app.id().uuid()?);
    let store = warehouse_for(&atrium, caller).await?;
    let id = find(&store, app_uuid, kind, &access, &query.reference).await?;
    let person = store.person(app_uuid, kind, &id).await.map_err(warehouse_error)?;
    let seen = store.seen_between(app_uuid, kind, &id).await.map_err(warehouse_error)?;
    let doings = match seen {
        Some(range) => store.doings(app_uuid, kind, &id, range).await.map_err(warehouse_error)?,
        None => PersonActivity { events: 0, top_events: Vec::new(), together: Vec::new() },
    };
    let profiles = store.profiles(app_uuid, kind, &[id]).await.map_err(warehouse_error)?;
    let profile = profiles.first();
    let other = match kind {
        Kind::User => Kind::Device,
        Kind::Device => Kind::User,
    };
    let others =
        PiiAccess { pii: access.pii, pseudonyms: Pseudonyms::new(&atrium, app.id(), other) };
    let together: Vec<_> = doings.together.into_iter().map(|id| others.name(id)).collect();
    let (devices, users) = match kind {
        Kind::User => (Some(together), None),
        Kind::Device => (None, Some(together)),
    };
    let others_in_profile = access.others(&store, app_uuid, profiles.iter()).await?;
    let top_events =
        top_events(&store, app_uuid, &person.id, doings.top_events, access.pii).await?;
    Ok(Data(Profile {
        item: access.item(person, profile, &others_in_profile),
        events: doings.events,
        top_events,
        devices,
        users,
        updated_at: profile.map(|profile| Millis(profile.updated_ms)),
    }))
}

/// A person's most frequent events. Those whose names are hidden are combined.
async fn top_events(
    store: &Warehouse,
    app: Uuid,
    id: &str,
    counts: Vec<CountOf>,
    pii: bool,
) -> Result<Vec<TopEvent>> {
    let mut texts = BTreeSet::new();
    counts.iter().filter(|_| !pii).for_each(|it| personal::path_candidates(&it.name, &mut texts));
    let others = Others::among(store, &[app], texts).await.map_err(warehouse_error)?;
    let ids = Ids { user: id, device: "", others: Some(&others) };
    let mut top: Vec<TopEvent> = Vec::new();
    for CountOf { name, events } in counts {
        let event = if pii { name } else { ids.shown(name) };
        match top.iter_mut().find(|one| event == HIDDEN && one.event == event) {
            Some(hidden) => hidden.events += events,
            None => top.push(TopEvent { event, events }),
        }
    }
    Ok(top)
}

/// The id behind a reference. Callers who see pseudonyms can use only those; callers who see ids can use
/// both, because a colleague may have sent them a link.
async fn find(
    store: &Warehouse,
    app: Uuid,
    kind: Kind,
    access: &PiiAccess,
    reference: &str,
) -> Result<String> {
    if access.pii
        && let Some(id) = store.id_known(app, kind, reference).await.map_err(warehouse_error)?
    {
        return Ok(id);
    }
    let digits = pseudonym::digits(reference).ok_or(Code::NotFound)?;
    let found = store.id_behind(app, kind, &access.pseudonyms.key, digits).await;
    Ok(found.map_err(warehouse_error)?.ok_or(Code::NotFound)?)
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct BeforeQuery {
    /// Milliseconds since 1970: events before this moment, the latest first.
    before: Option<i64>,
    #[param(minimum = 1, maximum = 100, default = 50)]
    limit: Option<u64>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ProfileEvent {
    at: Millis,
    event: String,
    log_id: Uuid,
    url_path: String,
    os: String,
    browser: String,
    device_type: String,
    #[schema(value_type = Object)]
    properties: Map<String, Value>,
    /// How many values were left out of the properties.
    redacted: u64,
    /// Whether long values are cut: a page of fewer events has more of them.
    shortened: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ProfileEventList {
    items: Vec<ProfileEvent>,
    /// The value of `before` for the next page; null at the end.
    next: Option<i64>,
}

/// What a user or device did, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/profile/events",
    operation_id = "profile_event_list",
    tag = "workspace",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path), KindQuery, RefQuery, BeforeQuery),
    responses((status = 200, body = Data<ProfileEventList>))
)]
pub async fn profile_event_list(
    State(atrium): State<Insight>,
    app: DataApp<ProfileView>,
    Query(kind): Query<KindQuery>,
    Query(query): Query<RefQuery>,
    Query(part): Query<BeforeQuery>,
) -> Result<Data<ProfileEventList>> {
    let limit = part.limit.unwrap_or(EVENTS_DEFAULT);
    if !(1..=EVENTS_MAX).contains(&limit) {
        let fault = Fault::new(Code::OutOfRange).on("limit").with("min", 1).with("max", EVENTS_MAX);
        return Err(Error::invalid(vec![fault]));
    }
    let kind = Kind::from(kind.kind);
    let access = PiiAccess::new(&atrium, &app, kind);
    let store = warehouse_for(&atrium, app.reader(Class::AdHoc)).await?;
    let app = app.id().uuid()?;
    let id = find(&store, app, kind, &access, &query.reference).await?;
    let seen = store.seen_between(app, kind, &id).await.map_err(warehouse_error)?;
    let Some((first, last)) = seen else {
        return Ok(Data(ProfileEventList { items: Vec::new(), next: None }));
    };
    let before = part.before.map_or(last + 1, |before| before.min(last + 1));
    let rows = store.events_of(app, kind, &id, (first, before), limit + 1).await;
    let (rows, next) =
        cut(rows.map_err(warehouse_error)?, usize::try_from(limit).unwrap_or(usize::MAX));
    let share = shorten::share(rows.len());
    let others = match access.pii {
        true => None,
        false => Some(others_in(&store, app, &rows).await?),
    };
    let item = |row| ProfileEvent::new(row, others.as_ref(), share);
    let items = rows.into_iter().map(item).collect();
    Ok(Data(ProfileEventList { items, next }))
}

/// The ids of people in a page of events.
async fn others_in(store: &Warehouse, app: Uuid, rows: &[EventOf]) -> Result<Others> {
    let mut texts = BTreeSet::new();
    for row in rows {
        personal::candidates(&properties_of(&row.properties), &mut texts);
        personal::path_candidates(&row.url_path, &mut texts);
        personal::path_candidates(&row.event, &mut texts);
    }
    Others::among(store, &[app], texts).await.map_err(warehouse_error)
}

/// Cuts a page that may have one event too many. Events of the same moment stay together, because a next
/// page from before that moment would miss some; unless they fill a whole page.
fn cut(mut rows: Vec<EventOf>, limit: usize) -> (Vec<EventOf>, Option<i64>) {
    let Some(beyond) = rows.get(limit).map(|row| row.time_ms) else { return (rows, None) };
    let whole = rows.iter().take_while(|row| row.time_ms > beyond).count();
    let (keep, next) = if whole > 0 { (whole, beyond + 1) } else { (limit, beyond) };
    rows.truncate(keep);
    (rows, Some(next))
}

impl ProfileEvent {
    /// `others` is given for callers who may not see personal data.
    fn new(row: EventOf, others: Option<&Others>, share: usize) -> Self {
        let mut event = Self {
            at: Millis(row.time_ms),
            event: row.event,
            log_id: row.log_id,
            url_path: row.url_path,
            os: row.os,
            browser: row.browser,
            device_type: row.device_type,
            properties: properties_of(&row.properties),
            redacted: 0,
            shortened: false,
        };
        if others.is_some() {
            event.hide(Ids { user: &row.user_id, device: &row.device_id, others });
        }
        event.shortened = shorten::shorten(&mut event.properties, share);
        event
    }

    fn hide(&mut self, ids: Ids<'_>) {
        self.redacted = personal::redact_event(&mut self.properties, ids);
        self.url_path = personal::path(&self.url_path, ids);
        self.event = ids.shown(std::mem::take(&mut self.event));
        for field in [&mut self.os, &mut self.browser, &mut self.device_type] {
            *field = ids.shown_version(std::mem::take(field));
        }
    }
}
