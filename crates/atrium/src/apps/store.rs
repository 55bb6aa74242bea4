use sqlx::{AnyConnection, FromRow};

use super::NewApp;
use crate::error::Result;
use crate::types::Id;

#[derive(FromRow)]
pub struct EntryRow {
    pub id: Id,
    pub org_id: Id,
    pub region: String,
}

pub async fn insert(db: &mut AnyConnection, app: &NewApp) -> Result<()> {
    sqlx::query(
        "INSERT INTO apps (id, org_id, name, description, region, timezone, created_by, created_at)
         VALUES ($1, $2, $3, '', $4, $5, $6, $7)",
    )
    .bind(&app.id)
    .bind(&app.org_id)
    .bind(&app.name)
    .bind(&app.region)
    .bind(&app.timezone)
    .bind(&app.created_by)
    .bind(app.at)
    .execute(db)
    .await?;
    Ok(())
}

/// The app a person lands on: the one they used last, else the oldest they can open.
pub async fn entry_for(
    db: &mut AnyConnection,
    user_id: &Id,
    last_used: Option<&Id>,
) -> Result<Option<EntryRow>> {
    Ok(sqlx::query_as(
        "SELECT apps.id, apps.org_id, apps.region FROM apps
         JOIN org_members ON org_members.org_id = apps.org_id
         WHERE org_members.user_id = $1 AND org_members.role IN ('owner', 'admin')
           AND apps.archived_at IS NULL AND apps.deleted_at IS NULL
         ORDER BY CASE WHEN apps.id = $2 THEN 0 ELSE 1 END, apps.created_at, apps.id
         LIMIT 1",
    )
    .bind(user_id)
    .bind(last_used.map_or("", Id::as_str))
    .fetch_optional(db)
    .await?)
}
