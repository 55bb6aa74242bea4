//! Descriptions of events and their properties.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_with::rust::double_option;
use utoipa::ToSchema;

use super::store::{self, EventRow, PropertyOf};
use super::value_type::ValueType;
use crate::insight::state::Insight;
use atrium_core::audit::{self, Event};
use atrium_core::error::Result;
use atrium_core::http::json::{Data, Json};
use atrium_core::permissions::MetadataManage;
use atrium_core::text::Checks;
use atrium_core::types::Id;
use atrium_tenancy::access::InApp;

/// The collector's limits.
const EVENT_MAX: usize = 128;
const PROPERTY_MAX: usize = 256;
const DESCRIPTION_MAX: usize = 500;

#[derive(Deserialize, ToSchema)]
pub struct EventMetadataBody {
    event: String,
    /// Null removes it; left out it stays.
    #[serde(default, deserialize_with = "double_option::deserialize")]
    #[schema(value_type = Option<String>, max_length = 500)]
    description: Option<Option<String>>,
    /// Whether the event is left out of lists; left out it stays.
    hidden: Option<bool>,
}

#[derive(Serialize, ToSchema)]
pub struct EventMetadata {
    event: String,
    description: Option<String>,
    hidden: bool,
}

/// Describes an event of an active app, or hides it.
#[utoipa::path(
    put,
    path = "/api/v1/apps/{id}/event-metadata",
    operation_id = "event_metadata_update",
    tag = "workspace",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = EventMetadataBody,
    responses((status = 200, body = Data<EventMetadata>))
)]
pub async fn event_metadata_update(
    State(atrium): State<Insight>,
    app: InApp<MetadataManage>,
    Json(input): Json<EventMetadataBody>,
) -> Result<Data<EventMetadata>> {
    let mut checks = Checks::default();
    let event = checks.name_up_to("event", &input.event, EVENT_MAX);
    let description = input.description.map(|text| description(&mut checks, text.as_deref()));
    checks.finish()?;
    let now = atrium.now();
    let mut tx = atrium.db.write_uncached().await?;
    let (row, _) = app.lock_and_recheck_active(&mut tx).await?;
    let before = store::event(&mut tx, app.id(), &event).await?.unwrap_or_else(|| EventRow {
        event: event.clone(),
        description: None,
        hidden_at: None,
    });
    let after = EventRow {
        event,
        description: description.unwrap_or_else(|| before.description.clone()),
        hidden_at: match input.hidden {
            Some(hidden) => hidden.then(|| before.hidden_at.unwrap_or(now)),
            None => before.hidden_at,
        },
    };
    store::put_event(&mut tx, app.id(), &after, app.user_id(), now).await?;
    let view = |row: &EventRow| json!({ "description": row.description, "hidden": row.hidden_at.is_some() });
    let entry = Event::new("event.described", "event", &after.event);
    let entry = entry.in_org(&row.org_id).in_app(app.id());
    let entry = entry.with(json!({ "before": view(&before), "after": view(&after) }));
    audit::append(&mut tx, &app.actor(), entry).await?;
    tx.commit().await?;
    let EventRow { event, description, hidden_at } = after;
    Ok(Data(EventMetadata { event, description, hidden: hidden_at.is_some() }))
}

#[derive(Deserialize, ToSchema)]
pub struct PropertyMetadataBody {
    event: String,
    property: String,
    /// Null removes it; left out it stays.
    #[serde(default, deserialize_with = "double_option::deserialize")]
    #[schema(value_type = Option<String>, max_length = 500)]
    description: Option<Option<String>>,
    /// Its type in all of the app's events, overriding what the data suggests; null removes the
    /// override; left out it stays.
    #[serde(default, deserialize_with = "double_option::deserialize")]
    #[schema(value_type = Option<ValueType>)]
    value_type: Option<Option<ValueType>>,
}

#[derive(Serialize, ToSchema)]
pub struct PropertyMetadata {
    event: String,
    property: String,
    description: Option<String>,
    /// As set by a person; null if it is derived from the data.
    value_type: Option<ValueType>,
}

/// Describes a property of an event of an active app.
#[utoipa::path(
    put,
    path = "/api/v1/apps/{id}/property-metadata",
    operation_id = "property_metadata_update",
    tag = "workspace",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = PropertyMetadataBody,
    responses((status = 200, body = Data<PropertyMetadata>))
)]
pub async fn property_metadata_update(
    State(atrium): State<Insight>,
    app: InApp<MetadataManage>,
    Json(input): Json<PropertyMetadataBody>,
) -> Result<Data<PropertyMetadata>> {
    let mut checks = Checks::default();
    let event = checks.name_up_to("event", &input.event, EVENT_MAX);
    let property = checks.name_up_to("property", &input.property, PROPERTY_MAX);
    let description = input.description.map(|text| description(&mut checks, text.as_deref()));
    checks.finish()?;
    let (by, now) = (app.user_id(), atrium.now());
    let mut tx = atrium.db.write_uncached().await?;
    let (row, _) = app.lock_and_recheck_active(&mut tx).await?;
    let of = PropertyOf { app_id: app.id(), event: &event, property: &property };
    let before = store::properties(&mut tx, app.id(), &event).await?.remove(&property);
    let type_before = store::property_types(&mut tx, app.id()).await?.remove(&property);
    let after = description.unwrap_or_else(|| before.clone());
    let type_after = input.value_type.unwrap_or(type_before);
    store::put_property(&mut tx, &of, after.as_deref(), by, now).await?;
    store::put_property_type(&mut tx, &of, type_after, by, now).await?;
    let entry = Event::new("property.described", "property", &format!("{event}/{property}"));
    let entry = entry.in_org(&row.org_id).in_app(app.id());
    let view = |text: &Option<String>, value_type: Option<ValueType>| match value_type {
        None => json!(text),
        Some(value_type) => json!({ "description": text, "type": value_type }),
    };
    let (before, after_view) = (view(&before, type_before), view(&after, type_after));
    let entry = entry.with(json!({ "before": before, "after": after_view }));
    audit::append(&mut tx, &app.actor(), entry).await?;
    tx.commit().await?;
    Ok(Data(PropertyMetadata { event, property, description: after, value_type: type_after }))
}

/// An empty description becomes None.
fn description(checks: &mut Checks, text: Option<&str>) -> Option<String> {
    let text = checks.text("description", text.unwrap_or_default(), DESCRIPTION_MAX);
    (!text.is_empty()).then_some(text)
}
