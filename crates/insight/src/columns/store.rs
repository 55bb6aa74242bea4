//! All SQL about the properties that questions read.

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

#[derive(Clone, Debug, FromRow)]
pub struct UseRow {
    pub app_id: Id,
    /// The path as JSON.
    pub property: String,
    pub rows_read: f64,
    pub used_at: i64,
}

pub async fn any(db: &mut AnyConnection) -> Result<bool> {
    let found = sqlx::query("SELECT 1 FROM property_uses LIMIT 1").fetch_optional(db).await?;
    Ok(found.is_some())
}

pub async fn all(db: &mut AnyConnection) -> Result<Vec<UseRow>> {
    let sql = "SELECT app_id, property, rows_read, used_at FROM property_uses
        ORDER BY app_id, property";
    Ok(sqlx::query_as(sql).fetch_all(db).await?)
}

pub async fn used(db: &mut AnyConnection, app_id: &Id, property: &str) -> Result<Option<UseRow>> {
    let sql = "SELECT app_id, property, rows_read, used_at FROM property_uses
        WHERE app_id = $1 AND property = $2";
    Ok(sqlx::query_as(sql).bind(app_id).bind(property).fetch_optional(db).await?)
}

/// Does nothing for an app that was deleted meanwhile.
pub async fn note(
    db: &mut AnyConnection,
    app_id: &Id,
    property: &str,
    rows_read: f64,
    now: Millis,
) -> Result<()> {
    let sql = "INSERT INTO property_uses (app_id, property, rows_read, used_at)
        SELECT id, $2, $3, $4 FROM apps WHERE id = $1
        ON CONFLICT (app_id, property) DO UPDATE
            SET rows_read = excluded.rows_read, used_at = excluded.used_at";
    sqlx::query(sql).bind(app_id).bind(property).bind(rows_read).bind(now).execute(db).await?;
    Ok(())
}

pub async fn forget(db: &mut AnyConnection, before: Millis) -> Result<()> {
    let sql = "DELETE FROM property_uses WHERE used_at < $1";
    sqlx::query(sql).bind(before).execute(db).await?;
    Ok(())
}
