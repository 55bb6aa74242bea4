//! All SQL about descriptions of events and properties.

use std::collections::HashMap;

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use super::value_type::ValueType;
use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

#[derive(Clone, Debug, FromRow)]
pub struct EventRow {
    pub event: String,
    pub description: Option<String>,
    pub hidden_at: Option<Millis>,
}

/// The descriptions of an app's events.
pub async fn events(db: &mut AnyConnection, app_id: &Id) -> Result<Vec<EventRow>> {
    Ok(sqlx::query_as("SELECT event, description, hidden_at FROM event_metadata WHERE app_id = $1")
        .bind(app_id)
        .fetch_all(db)
        .await?)
}

pub async fn event(db: &mut AnyConnection, app_id: &Id, event: &str) -> Result<Option<EventRow>> {
    Ok(sqlx::query_as(
        "SELECT event, description, hidden_at FROM event_metadata WHERE app_id = $1 AND event = $2",
    )
    .bind(app_id)
    .bind(event)
    .fetch_optional(db)
    .await?)
}

/// Removes the row of an event that is neither described nor hidden.
pub async fn put_event(
    db: &mut AnyConnection,
    app_id: &Id,
    row: &EventRow,
    by: &Id,
    at: Millis,
) -> Result<()> {
    if row.description.is_none() && row.hidden_at.is_none() {
        sqlx::query("DELETE FROM event_metadata WHERE app_id = $1 AND event = $2")
            .bind(app_id)
            .bind(&row.event)
            .execute(db)
            .await?;
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO event_metadata (app_id, event, description, hidden_at, updated_by, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (app_id, event) DO UPDATE SET description = excluded.description,
            hidden_at = excluded.hidden_at, updated_by = excluded.updated_by,
            updated_at = excluded.updated_at",
    )
    .bind(app_id)
    .bind(&row.event)
    .bind(&row.description)
    .bind(row.hidden_at)
    .bind(by)
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

/// The descriptions of an event's properties.
pub async fn properties(
    db: &mut AnyConnection,
    app_id: &Id,
    event: &str,
) -> Result<HashMap<String, String>> {
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT property, description FROM property_metadata WHERE app_id = $1 AND event = $2",
    )
    .bind(app_id)
    .bind(event)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().collect())
}

/// The types of an app's properties that people have set.
pub async fn property_types(
    db: &mut AnyConnection,
    app_id: &Id,
) -> Result<HashMap<String, ValueType>> {
    let rows: Vec<(String, String)> =
        sqlx::query_as("SELECT property, value_type FROM property_types WHERE app_id = $1")
            .bind(app_id)
            .fetch_all(db)
            .await?;
    let known = rows.into_iter().filter_map(|(name, text)| Some((name, ValueType::parse(&text)?)));
    Ok(known.collect())
}

/// None removes the type, so that the data determines it.
pub async fn put_property_type(
    db: &mut AnyConnection,
    of: &PropertyOf<'_>,
    value_type: Option<ValueType>,
    by: &Id,
    at: Millis,
) -> Result<()> {
    let Some(value_type) = value_type else {
        sqlx::query("DELETE FROM property_types WHERE app_id = $1 AND property = $2")
            .bind(of.app_id)
            .bind(of.property)
            .execute(db)
            .await?;
        return Ok(());
    };
    sqlx::query(
        "INSERT INTO property_types (app_id, property, value_type, updated_by, updated_at)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (app_id, property) DO UPDATE SET value_type = excluded.value_type,
            updated_by = excluded.updated_by, updated_at = excluded.updated_at",
    )
    .bind(of.app_id)
    .bind(of.property)
    .bind(value_type.as_str())
    .bind(by)
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

/// Which property of which event.
pub struct PropertyOf<'a> {
    pub app_id: &'a Id,
    pub event: &'a str,
    pub property: &'a str,
}

pub async fn put_property(
    db: &mut AnyConnection,
    of: &PropertyOf<'_>,
    description: Option<&str>,
    by: &Id,
    at: Millis,
) -> Result<()> {
    let Some(description) = description else {
        sqlx::query(
            "DELETE FROM property_metadata WHERE app_id = $1 AND event = $2 AND property = $3",
        )
        .bind(of.app_id)
        .bind(of.event)
        .bind(of.property)
        .execute(db)
        .await?;
        return Ok(());
    };
    sqlx::query(
        "INSERT INTO property_metadata (app_id, event, property, description, updated_by, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (app_id, event, property) DO UPDATE SET description = excluded.description,
            updated_by = excluded.updated_by, updated_at = excluded.updated_at",
    )
    .bind(of.app_id)
    .bind(of.event)
    .bind(of.property)
    .bind(description)
    .bind(by)
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

/// Sets the app that the console opens first for a user.
pub async fn set_last_app(db: &mut AnyConnection, user_id: &Id, app_id: &Id) -> Result<()> {
    sqlx::query("UPDATE users SET last_app_id = $1 WHERE id = $2")
        .bind(app_id)
        .bind(user_id)
        .execute(db)
        .await?;
    Ok(())
}
