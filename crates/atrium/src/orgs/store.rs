use serde::Serialize;
use sqlx::{AnyConnection, FromRow};

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

/// Whether an organisation of the person asks for a second factor.
pub async fn any_requires_mfa(db: &mut AnyConnection, user_id: &Id) -> Result<bool> {
    let count: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM org_members
         JOIN organizations ON organizations.id = org_members.org_id
         WHERE org_members.user_id = $1 AND organizations.require_mfa_at IS NOT NULL",
    )
    .bind(user_id)
    .fetch_one(db)
    .await?;
    Ok(count > 0)
}

#[derive(FromRow)]
pub struct OwnedRow {
    pub id: Id,
    pub name: String,
    pub member_count: i64,
}

/// Organisations that have no other owner who could still sign in.
pub async fn owned_alone(db: &mut AnyConnection, user_id: &Id) -> Result<Vec<OwnedRow>> {
    Ok(sqlx::query_as(
        "SELECT organizations.id, organizations.name,
            (SELECT COUNT(*) FROM org_members WHERE org_members.org_id = organizations.id)
                AS member_count
         FROM organizations
         JOIN org_members AS mine ON mine.org_id = organizations.id
         WHERE mine.user_id = $1 AND mine.role = 'owner' AND NOT EXISTS (
            SELECT 1 FROM org_members AS other
            JOIN users ON users.id = other.user_id
            WHERE other.org_id = organizations.id AND other.role = 'owner'
              AND other.user_id <> $1 AND users.disabled_at IS NULL)
         ORDER BY organizations.name, organizations.id",
    )
    .bind(user_id)
    .fetch_all(db)
    .await?)
}

/// Holds the organisations someone owns until the transaction ends.
pub async fn lock_owned(db: &mut AnyConnection, user_id: &Id) -> Result<()> {
    sqlx::query(
        "UPDATE organizations SET name = name WHERE id IN
            (SELECT org_id FROM org_members WHERE user_id = $1 AND role = 'owner')",
    )
    .bind(user_id)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn of_member(db: &mut AnyConnection, user_id: &Id) -> Result<Vec<Id>> {
    Ok(sqlx::query_scalar("SELECT org_id FROM org_members WHERE user_id = $1 ORDER BY org_id")
        .bind(user_id)
        .fetch_all(db)
        .await?)
}

#[derive(FromRow, Serialize)]
pub struct Membership {
    pub id: Id,
    pub name: String,
    pub role: String,
    pub joined_at: Millis,
}

pub async fn memberships(db: &mut AnyConnection, user_id: &Id) -> Result<Vec<Membership>> {
    Ok(sqlx::query_as(
        "SELECT organizations.id, organizations.name, org_members.role, org_members.joined_at
         FROM org_members JOIN organizations ON organizations.id = org_members.org_id
         WHERE org_members.user_id = $1 ORDER BY org_members.joined_at, organizations.id",
    )
    .bind(user_id)
    .fetch_all(db)
    .await?)
}
