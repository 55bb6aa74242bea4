//! What the collector and the warehouse's upkeep need to know about apps.

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

#[derive(FromRow)]
pub struct CollectRow {
    pub timezone: String,
    pub archived_at: Option<Millis>,
    pub deleted_at: Option<Millis>,
}

pub async fn for_collecting(db: &mut AnyConnection, app_id: &Id) -> Result<Option<CollectRow>> {
    Ok(sqlx::query_as("SELECT timezone, archived_at, deleted_at FROM apps WHERE id = $1")
        .bind(app_id)
        .fetch_optional(db)
        .await?)
}

/// Whether the app exists and its purge has not begun: after that nothing is stored for it.
pub async fn keeps_data(db: &mut AnyConnection, app_id: &str) -> Result<bool> {
    let found: Option<i64> =
        sqlx::query_scalar("SELECT 1 FROM apps WHERE id = $1 AND purge_started_at IS NULL")
            .bind(app_id)
            .fetch_optional(db)
            .await?;
    Ok(found.is_some())
}

#[derive(FromRow)]
pub struct RetentionRow {
    pub id: Id,
    pub days: i64,
}

/// How long each app keeps its events: its own setting, else its organization's.
pub async fn retentions(db: &mut AnyConnection) -> Result<Vec<RetentionRow>> {
    Ok(sqlx::query_as(
        "SELECT apps.id, COALESCE(apps.retention_days, organizations.retention_days) AS days
         FROM apps JOIN organizations ON organizations.id = apps.org_id",
    )
    .fetch_all(db)
    .await?)
}

/// The apps that use their organization's retention.
pub async fn without_retention(db: &mut AnyConnection, org_id: &Id) -> Result<Vec<Id>> {
    Ok(sqlx::query_scalar("SELECT id FROM apps WHERE org_id = $1 AND retention_days IS NULL")
        .bind(org_id)
        .fetch_all(db)
        .await?)
}

/// The retention of apps without a setting of their own.
pub async fn org_retention(db: &mut AnyConnection, org_id: &Id) -> Result<i64> {
    Ok(sqlx::query_scalar("SELECT retention_days FROM organizations WHERE id = $1")
        .bind(org_id)
        .fetch_one(db)
        .await?)
}

pub async fn set_retention(db: &mut AnyConnection, app_id: &Id, days: Option<i64>) -> Result<()> {
    sqlx::query("UPDATE apps SET retention_days = $1 WHERE id = $2")
        .bind(days)
        .bind(app_id)
        .execute(db)
        .await?;
    Ok(())
}

#[derive(FromRow)]
pub struct WatchedRow {
    pub id: Id,
    pub org_id: Id,
    pub name: String,
    pub timezone: String,
}

/// Apps that are expected to receive events.
pub async fn watched(db: &mut AnyConnection) -> Result<Vec<WatchedRow>> {
    Ok(sqlx::query_as(
        "SELECT id, org_id, name, timezone FROM apps
         WHERE archived_at IS NULL AND deleted_at IS NULL ORDER BY id",
    )
    .fetch_all(db)
    .await?)
}

pub async fn org_of(db: &mut AnyConnection, app_id: &Id) -> Result<Option<Id>> {
    Ok(sqlx::query_scalar("SELECT org_id FROM apps WHERE id = $1")
        .bind(app_id)
        .fetch_optional(db)
        .await?)
}
