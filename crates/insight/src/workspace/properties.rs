//! The properties of an event.

use std::collections::{BTreeSet, HashMap};

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use warehouse::{PropertyKind, PropertyName, PropertyNames, PropertySample, Warehouse, over_limit};

use super::events::{BUCKET, RECENT_DAYS};
use super::explore_query::event_fault;
use super::value_type::ValueType;
use super::{Class, store, warehouse_error, warehouse_for};
use crate::insight::dates::seconds;
use crate::insight::state::Insight;
use atrium_collect::collect::cardinality;
use atrium_collect::personal::{self, Ids, Others};
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::http::json::{Data, Query};
use atrium_core::permissions::{EventView, Permission};
use atrium_core::types::{Id, Millis};
use atrium_tenancy::access::DataApp;

/// How many of the newest events are sampled.
const SAMPLE: u64 = 5_000;
/// How many names are shown, and how long they may be.
const NAMES_MAX: usize = 300;
const NAME_MAX: usize = 256;
const EXAMPLES_MAX: usize = 5;
const EXAMPLE_LENGTH: usize = 100;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PropertiesQuery {
    event: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct PropertyType {
    /// string, number, boolean, list, object or null.
    #[serde(rename = "type")]
    kind: String,
    /// Its share of the events that carry the property.
    share: f64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct PropertyItem {
    property: String,
    /// The most frequent one first.
    types: Vec<PropertyType>,
    /// Its type: the most frequent in events, or as set by a person.
    value_type: ValueType,
    /// Whether a person has set the type.
    corrected: bool,
    /// Its share of the sampled events.
    share: f64,
    /// Frequent values, without personal ones for callers who may not see them.
    examples: Vec<String>,
    /// Whether its name or its values look personal.
    personal: bool,
    /// Also null for callers who may not see descriptions.
    description: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct PropertyList {
    /// How many events were sampled: the newest of the last thirty days.
    sampled: u64,
    items: Vec<PropertyItem>,
    /// How many further names these events carry at least: rare ones, and those over the app's daily
    /// limit.
    more: u64,
}

/// The properties of an event, with their types and examples.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/event-properties",
    operation_id = "property_list",
    tag = "workspace",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path), PropertiesQuery),
    responses((status = 200, body = Data<PropertyList>))
)]
pub async fn property_list(
    State(atrium): State<Insight>,
    app: DataApp<EventView>,
    Query(query): Query<PropertiesQuery>,
) -> Result<Data<PropertyList>> {
    if query.event.is_empty() {
        return Err(Error::invalid(vec![Fault::new(Code::Required).on("event")]));
    }
    let pii = app.has_pii();
    if let Some(fault) = event_fault(&query.event, pii) {
        return Err(fault.into());
    }
    let store = warehouse_for(&atrium, app.reader(Class::AdHoc)).await?;
    let id = app.id().uuid()?;
    let since = seconds(atrium.now().plus(-RECENT_DAYS * Millis::DAY)).next_multiple_of(BUCKET);
    let sample = sample(&store, id, &query.event, since).await?;
    if sample.count() == 0 {
        return Ok(Data(PropertyList { sampled: 0, items: Vec::new(), more: 0 }));
    }
    let found = store.property_names(&sample).await.map_err(warehouse_error)?;
    let (names, more) = offered(&atrium, app.id(), &found).await?;
    let kinds = store.property_kinds(&sample, &names, !pii).await.map_err(warehouse_error)?;
    let others = match pii {
        true => Others::default(),
        false => others(&store, id, &query.event, &kinds).await?,
    };
    if others.contains(&query.event) {
        return Ok(Data(PropertyList { sampled: 0, items: Vec::new(), more: 0 }));
    }
    let mut set_by_people = SetByPeople::default();
    {
        let mut db = atrium.db.read().await?;
        set_by_people.types = store::property_types(&mut db, app.id()).await?;
        if app.holds(Permission::MetadataView) {
            set_by_people.descriptions = store::properties(&mut db, app.id(), &query.event).await?;
        }
    }
    let ids = (!pii).then_some(Ids { others: Some(&others), ..Ids::default() });
    let items = items(kinds, sample.count(), ids, &mut set_by_people);
    Ok(Data(PropertyList { sampled: sample.count(), items, more }))
}

/// The ids of other people among names and examples.
async fn others(
    store: &Warehouse,
    app: Uuid,
    event: &str,
    kinds: &[PropertyKind],
) -> Result<Others> {
    let mut texts = BTreeSet::new();
    personal::path_candidates(event, &mut texts);
    for kind in kinds {
        let values = kind.examples.iter().map(|raw| serde_json::from_str(raw).unwrap_or_default());
        let values = Value::Array(values.collect());
        personal::candidates(&[(kind.property.clone(), values)].into_iter().collect(), &mut texts);
    }
    Others::among(store, &[app], texts).await.map_err(warehouse_error)
}

/// The newest events of a name.
async fn sample(store: &Warehouse, app: Uuid, event: &str, since: u64) -> Result<PropertySample> {
    let mut quarters = store.quarters(app, Some(event), since).await.map_err(warehouse_error)?;
    if quarters.is_empty() {
        // Its name may be over the limit: then it is counted among those.
        quarters =
            store.quarters(app, Some(over_limit::OTHER), since).await.map_err(warehouse_error)?;
        quarters = quarters.last().map(|(start, _)| (*start, SAMPLE)).into_iter().collect();
    }
    let since = enough(&quarters);
    store.property_sample(app, event, since, SAMPLE).await.map_err(warehouse_error)
}

/// The latest moment since which there are enough events for a sample.
fn enough(quarters: &[(u64, u64)]) -> u64 {
    let (mut since, mut count) = (u64::from(u32::MAX), 0);
    for (start, events) in quarters {
        if count >= SAMPLE {
            break;
        }
        (since, count) = (*start, count + events);
    }
    since
}

/// The names to show, and how many more there are. A name that occurs only in events over the limit of
/// names counts as one of the excess names, unless it has a slot of its own.
async fn offered(
    atrium: &Insight,
    app_id: &Id,
    found: &PropertyNames,
) -> Result<(Vec<PropertyName>, u64)> {
    let mut names: Vec<&PropertyName> =
        found.names.iter().filter(|name| name.property.len() <= NAME_MAX).collect();
    if names.iter().any(|name| !name.within_limit) {
        let mut db = atrium.db.read().await?;
        let known = cardinality::store::known_properties(&mut db, app_id).await?;
        let is_known = |name: &str| known.contains(&cardinality::store::stored(name));
        names.retain(|name| name.within_limit || is_known(&name.property));
    }
    names.sort_by(|a, b| b.events.cmp(&a.events).then_with(|| a.property.cmp(&b.property)));
    names.truncate(NAMES_MAX);
    let more = found.distinct.saturating_sub(names.len() as u64);
    Ok((names.into_iter().cloned().collect(), more))
}

/// Descriptions and types that people have set, by property name.
#[derive(Default)]
struct SetByPeople {
    descriptions: HashMap<String, String>,
    types: HashMap<String, ValueType>,
}

/// Groups the types of each property, the most frequent property first. Without `ids`, everything is
/// shown.
fn items(
    kinds: Vec<PropertyKind>,
    sampled: u64,
    ids: Option<Ids<'_>>,
    set_by_people: &mut SetByPeople,
) -> Vec<PropertyItem> {
    let mut names: Vec<String> = Vec::new();
    let mut by_name = HashMap::<String, Vec<PropertyKind>>::new();
    for kind in kinds {
        if !by_name.contains_key(&kind.property) {
            names.push(kind.property.clone());
        }
        by_name.entry(kind.property.clone()).or_default().push(kind);
    }
    let shown = |name: &String| ids.is_none_or(|ids| !ids.hide(name));
    let item = |name: String| {
        let kinds = by_name.remove(&name).unwrap_or_default();
        item(name, &kinds, sampled, ids, set_by_people)
    };
    names.into_iter().filter(shown).map(item).collect()
}

fn item(
    property: String,
    kinds: &[PropertyKind],
    sampled: u64,
    ids: Option<Ids<'_>>,
    set_by_people: &mut SetByPeople,
) -> PropertyItem {
    let total: u64 = kinds.iter().map(|kind| kind.events).sum();
    let ratio = |part: u64, whole: u64| (part as f64 / whole.max(1) as f64).min(1.0);
    let mut personal = personal::sounds_personal(&property) || personal::names_person(&property);
    personal |= kinds.iter().any(|kind| kind.hidden > 0);
    let mut examples = Vec::new();
    for raw in kinds.iter().flat_map(|kind| &kind.examples) {
        let example = Example::read(&property, raw, ids.unwrap_or_default());
        personal |= example.redacted;
        if ids.is_none() || !example.redacted {
            examples.push(example.text);
        }
    }
    examples.truncate(EXAMPLES_MAX);
    let types = kinds
        .iter()
        .map(|kind| PropertyType { kind: kind.kind.clone(), share: ratio(kind.events, total) });
    let (types, share) = (types.collect(), ratio(total, sampled));
    let (description, corrected) =
        (set_by_people.descriptions.remove(&property), set_by_people.types.get(&property).copied());
    let value_type = corrected.unwrap_or_else(|| ValueType::seen(kinds));
    let corrected = corrected.is_some();
    PropertyItem { property, types, value_type, corrected, share, examples, personal, description }
}

struct Example {
    text: String,
    /// Whether it contains something personal.
    redacted: bool,
}

impl Example {
    fn read(property: &str, raw: &str, ids: Ids<'_>) -> Self {
        let value: Value = serde_json::from_str(raw).unwrap_or_default();
        let text = match &value {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        let mut alone = [(property.to_owned(), value)].into_iter().collect();
        let redacted = personal::redact_event(&mut alone, ids) > 0;
        Self { text: text.chars().take(EXAMPLE_LENGTH).collect(), redacted }
    }
}
