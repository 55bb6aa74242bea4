//! Questions about events: counted, filtered, grouped, over time.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use warehouse::{Column, ExploreQuery, Finding, Key, Measure, Property};

use super::explore_query::{ExploreBody, Ready, event_fault, property};
use super::{Class, warehouse_error, warehouse_for};
use crate::insight::dates::seconds;
use crate::insight::state::Insight;
use atrium_collect::personal::{self, Ids};
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::fair_queue::Caller;
use atrium_core::http::json::{Data, Json, Query};
use atrium_core::permissions::QueryRun;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::access::DataApp;

/// Suggestions come from this many last days.
const RECENT_DAYS: i64 = 30;
const SEARCH_MAX: usize = 200;

#[derive(Debug, Serialize, ToSchema)]
pub struct ExploreGroup {
    /// Null if the property is not set, if the value is hidden, and for the rest.
    pub value: Option<String>,
    /// Everything beyond the largest ten.
    pub other: bool,
    /// Whether there is a value that is hidden. Hidden values form a group if five people or more have
    /// them; otherwise they count as not set.
    pub redacted: bool,
    pub total: f64,
    /// One for each time; null for those that lie ahead.
    pub points: Vec<Option<f64>>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Exploration {
    /// When each bucket starts, in milliseconds since 1970.
    pub times: Vec<i64>,
    /// The start of the bucket that is not over: its points are so far. Null if there is none.
    pub partial: Option<i64>,
    /// Each event counts once, even if it is in several groups.
    pub total: f64,
    /// The largest first, the rest last.
    pub groups: Vec<ExploreGroup>,
}

/// Answers a question about events.
#[utoipa::path(
    post,
    path = "/api/v1/apps/{id}/explore",
    operation_id = "explore",
    tag = "workspace",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path)),
    request_body = ExploreBody,
    responses((status = 200, body = Data<Exploration>))
)]
pub async fn explore(
    State(atrium): State<Insight>,
    app: DataApp<QueryRun>,
    Json(body): Json<ExploreBody>,
) -> Result<Data<Exploration>> {
    let pii = app.has_pii();
    let ready = body.ready(app.id().uuid()?, &app.app.timezone, pii, atrium.now())?;
    answer(&atrium, app.reader(Class::AdHoc), &ready, pii).await.map(Data)
}

/// Queries the warehouse and leaves out what the caller may not see.
pub async fn answer(
    atrium: &Insight,
    caller: Caller,
    ready: &Ready,
    pii: bool,
) -> Result<Exploration> {
    let times: Vec<i64> = ready.times.iter().map(|time| time.0).collect();
    let partial = ready.partial.map(|time| time.0);
    let store = warehouse_for(atrium, caller).await?;
    let Finding { total, groups } = store.explore(&ready.query).await.map_err(warehouse_error)?;
    let is_path = ready.query.group_by == Some(Property::Column(Column::UrlPath));
    let groups = groups.into_iter().map(|group| {
        let other = group.key == Key::Rest;
        let (value, redacted) = match group.key {
            Key::Text(text) => redact(text, is_path, pii),
            Key::Hidden => (None, true),
            Key::NotSet | Key::Rest => (None, false),
        };
        let mut points: Vec<Option<f64>> = group.points.into_iter().map(Some).collect();
        points.resize(times.len(), None);
        ExploreGroup { value, other, redacted, total: group.total, points }
    });
    let groups = groups.collect();
    Ok(Exploration { times, partial, total, groups })
}

/// A value as the caller may see it, and whether something of it is hidden.
pub fn redact(text: String, is_path: bool, pii: bool) -> (Option<String>, bool) {
    if pii {
        return (Some(text), false);
    }
    if is_path {
        let path = personal::path(&text, Ids::default());
        let redacted = path != text || path.contains(personal::HIDDEN);
        return (Some(path), redacted);
    }
    // The warehouse has already hidden these; this is a second check.
    let redacted = personal::looks_personal(&text);
    ((!redacted).then_some(text), redacted)
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ValuesQuery {
    /// A property name, as in a filter.
    property: String,
    event: Option<String>,
    /// Part of the value.
    search: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ValueItem {
    value: String,
    /// How many of the sampled events carry it.
    events: u64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ValueList {
    items: Vec<ValueItem>,
    /// Whether there are others that are less frequent.
    more: bool,
    /// How many of the sampled events carry a value over the app's daily limit, which is not offered.
    other: u64,
}

/// The most frequent recent values of a property, to choose from.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/explore/values",
    operation_id = "explore_value_list",
    tag = "workspace",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path), ValuesQuery),
    responses((status = 200, body = Data<ValueList>))
)]
pub async fn explore_value_list(
    State(atrium): State<Insight>,
    app: DataApp<QueryRun>,
    Query(query): Query<ValuesQuery>,
) -> Result<Data<ValueList>> {
    let pii = app.has_pii();
    let search = query.search.as_deref().unwrap_or_default();
    if search.chars().count() > SEARCH_MAX {
        let fault = Fault::new(Code::TooLong).on("search").with("max", SEARCH_MAX);
        return Err(Error::invalid(vec![fault]));
    }
    let property = property(&query.property, pii, "property".to_owned())?;
    if let Some(fault) = query.event.as_deref().and_then(|event| event_fault(event, pii)) {
        return Err(fault.into());
    }
    let now = atrium.now();
    let query = ExploreQuery {
        app: app.id().uuid()?,
        event: query.event.filter(|event| !event.is_empty()),
        measure: Measure::Events,
        filters: Vec::new(),
        group_by: None,
        starts: vec![seconds(now.plus(-RECENT_DAYS * Millis::DAY))],
        // Allows for clients' clocks being fast.
        end: seconds(now.plus(Millis::HOUR)),
        hide_personal: !pii,
    };
    let store = warehouse_for(&atrium, app.reader(Class::AdHoc)).await?;
    let found = store.values(&query, &property, search).await.map_err(warehouse_error)?;
    let is_path = property == Property::Column(Column::UrlPath);
    let (more, other) = (found.more, found.other);
    let items = found.values.into_iter().filter_map(|found| {
        // A path is chosen and searched for in the form in which it is shown.
        let (value, _) = redact(found.value, is_path, pii);
        Some(ValueItem { value: value?, events: found.events })
    });
    Ok(Data(ValueList { items: items.collect(), more, other }))
}
