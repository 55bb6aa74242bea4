use sqlx::AnyConnection;

use super::OrgRole;
use crate::error::Result;
use crate::types::{Id, Millis};

pub async fn insert(
    db: &mut AnyConnection,
    id: &Id,
    name: &str,
    timezone: &str,
    at: Millis,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO organizations (id, name, timezone, created_at) VALUES ($1, $2, $3, $4)",
    )
    .bind(id)
    .bind(name)
    .bind(timezone)
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn insert_member(
    db: &mut AnyConnection,
    org_id: &Id,
    user_id: &Id,
    role: OrgRole,
    at: Millis,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO org_members (org_id, user_id, role, joined_at) VALUES ($1, $2, $3, $4)",
    )
    .bind(org_id)
    .bind(user_id)
    .bind(role.as_str())
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

/// Whether the user is owner or admin anywhere.
pub async fn runs_any(db: &mut AnyConnection, user_id: &Id) -> Result<bool> {
    let count: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM org_members WHERE user_id = $1 AND role IN ('owner', 'admin')",
    )
    .bind(user_id)
    .fetch_one(db)
    .await?;
    Ok(count > 0)
}
