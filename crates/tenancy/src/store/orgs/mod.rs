//! All SQL of organizations: the organizations are here, members and invitations in files of their own.

mod invitations;
mod members;

use serde::Serialize;
use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use super::accounts::Shown;
use crate::rules::{self, REQUIRE_SSO_AT};
use atrium_core::db::page::PageOf;
use atrium_core::error::Result;
use atrium_core::http::list::Listing;
use atrium_core::names;
use atrium_core::types::{Id, Millis};

pub use invitations::*;
pub use members::*;

#[derive(Clone, Debug, FromRow)]
pub struct OrgRow {
    pub id: Id,
    pub name: String,
    pub timezone: String,
    pub retention_days: i64,
    pub require_mfa_at: Option<Millis>,
    pub require_sso_at: Option<Millis>,
    pub created_at: Millis,
}

pub async fn insert(
    db: &mut AnyConnection,
    id: &Id,
    name: &str,
    timezone: &str,
    at: Millis,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO organizations (id, name, name_key, name_order, timezone, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(id)
    .bind(name)
    .bind(name.to_lowercase())
    .bind(names::order(name))
    .bind(timezone)
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

/// An organization and the user's role in it.
pub async fn for_member(
    db: &mut AnyConnection,
    org_id: &Id,
    user_id: &Id,
) -> Result<Option<(OrgRow, Standing)>> {
    let Some(standing) = standing_of(db, org_id, user_id).await? else { return Ok(None) };
    Ok(by_id(db, org_id).await?.map(|org| (org, standing)))
}

pub async fn by_id(db: &mut AnyConnection, org_id: &Id) -> Result<Option<OrgRow>> {
    let sql = format!(
        "SELECT id, name, timezone, retention_days, require_mfa_at,
            {REQUIRE_SSO_AT} AS require_sso_at, created_at
         FROM organizations WHERE id = $1"
    );
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(org_id).fetch_optional(db).await?)
}

/// Locks an organization until the transaction ends, which serializes changes to its members and their
/// roles.
pub async fn lock(db: &mut AnyConnection, org_id: &Id) -> Result<bool> {
    let locked = sqlx::query("UPDATE organizations SET name = name WHERE id = $1")
        .bind(org_id)
        .execute(db)
        .await?;
    Ok(locked.rows_affected() == 1)
}

#[derive(FromRow)]
pub struct OrgListRow {
    pub id: Id,
    pub name: String,
    pub timezone: String,
    pub retention_days: i64,
    pub require_mfa_at: Option<Millis>,
    pub require_sso_at: Option<Millis>,
    pub created_at: Millis,
    pub role: String,
    pub member_count: i64,
    pub app_count: i64,
}

fn org_list() -> String {
    format!(
        "SELECT organizations.id, organizations.name, organizations.name_order,
        organizations.timezone, organizations.retention_days, organizations.require_mfa_at,
        {REQUIRE_SSO_AT} AS require_sso_at,
        organizations.created_at, mine.role,
        (SELECT COUNT(*) FROM org_members WHERE org_members.org_id = organizations.id) AS member_count,
        CASE WHEN {runs_org}
            THEN (SELECT COUNT(*) FROM apps
                  WHERE apps.org_id = organizations.id AND apps.deleted_at IS NULL)
            ELSE (SELECT COUNT(*) FROM apps
                  JOIN app_members ON app_members.app_id = apps.id
                  WHERE apps.org_id = organizations.id AND apps.deleted_at IS NULL
                    AND app_members.user_id = $1)
        END AS app_count
     FROM org_members AS mine JOIN organizations ON organizations.id = mine.org_id
     WHERE mine.user_id = $1",
        runs_org = rules::runs_org("mine.role")
    )
}

/// The organizations someone belongs to.
pub async fn list(
    db: &mut AnyConnection,
    user_id: &Id,
    listing: &Listing,
) -> Result<(Vec<OrgListRow>, i64)> {
    let found = "($2 = '' OR organizations.name_key LIKE $2 ESCAPE '\\')";
    let rows = format!(
        "SELECT * FROM ({} AND {found}) AS found ORDER BY {}",
        org_list(),
        listing.order_by
    );
    let count = format!(
        "SELECT COUNT(*) FROM org_members AS mine
         JOIN organizations ON organizations.id = mine.org_id
         WHERE mine.user_id = $1 AND {found}"
    );
    let list = PageOf::new([user_id.into(), (&listing.pattern).into()], listing.page);
    list.fetch(db, &rows, &count).await
}

pub async fn view(db: &mut AnyConnection, user_id: &Id, org_id: &Id) -> Result<Option<OrgListRow>> {
    let sql = format!("{} AND organizations.id = $2", org_list());
    let row = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(user_id).bind(org_id);
    Ok(row.fetch_optional(db).await?)
}

pub struct OrgChange<'a> {
    pub name: &'a str,
    pub timezone: &'a str,
    pub retention_days: i64,
    pub require_mfa_at: Option<Millis>,
}

pub async fn update(db: &mut AnyConnection, id: &Id, change: &OrgChange<'_>) -> Result<()> {
    sqlx::query(
        "UPDATE organizations SET name = $1, name_key = $2, name_order = $3, timezone = $4,
            retention_days = $5, require_mfa_at = $6 WHERE id = $7",
    )
    .bind(change.name)
    .bind(change.name.to_lowercase())
    .bind(names::order(change.name))
    .bind(change.timezone)
    .bind(change.retention_days)
    .bind(change.require_mfa_at)
    .bind(id)
    .execute(db)
    .await?;
    Ok(())
}

/// Apps that prevent deleting it: all that are not purged.
pub async fn count_apps(db: &mut AnyConnection, id: &Id) -> Result<i64> {
    Ok(sqlx::query_scalar("SELECT COUNT(*) FROM apps WHERE org_id = $1")
        .bind(id)
        .fetch_one(db)
        .await?)
}

pub async fn delete(db: &mut AnyConnection, id: &Id) -> Result<()> {
    sqlx::query("DELETE FROM organizations WHERE id = $1").bind(id).execute(db).await?;
    Ok(())
}

/// Whether the user is an owner or admin of any organization that accepts their session.
pub async fn runs_any(db: &mut AnyConnection, user_id: &Id, shown: Shown<'_>) -> Result<bool> {
    let sql = format!(
        "SELECT COUNT(*) FROM org_members
         JOIN organizations ON organizations.id = org_members.org_id
         WHERE org_members.user_id = $1 AND {} AND {}",
        rules::runs_org("org_members.role"),
        rules::session_suffices()
    );
    let count: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
        .bind(user_id)
        .bind(i64::from(shown.two_factors))
        .bind(shown.session_id)
        .bind(shown.factor_due_before)
        .fetch_one(db)
        .await?;
    Ok(count > 0)
}

/// Since when someone has owned any organization whose provider their session did not come through.
pub async fn owner_since(
    db: &mut AnyConnection,
    user_id: &Id,
    session_id: &Id,
) -> Result<Option<Millis>> {
    let sql = format!(
        "SELECT MIN(COALESCE(org_members.owner_since, org_members.joined_at)) FROM org_members
         WHERE org_members.user_id = $1 AND {} AND NOT EXISTS (
            SELECT 1 FROM session_orgs WHERE session_orgs.session_id = $2
                AND session_orgs.org_id = org_members.org_id)",
        rules::is_owner("org_members.role")
    );
    let since = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(user_id).bind(session_id);
    Ok(since.fetch_one(db).await?)
}

/// Whether one of the person's organizations requires a second factor.
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

/// Organizations without another owner who can still sign in.
pub async fn owned_alone(db: &mut AnyConnection, user_id: &Id) -> Result<Vec<OwnedRow>> {
    let sql = format!(
        "SELECT organizations.id, organizations.name,
            (SELECT COUNT(*) FROM org_members WHERE org_members.org_id = organizations.id)
                AS member_count
         FROM organizations
         JOIN org_members AS mine ON mine.org_id = organizations.id
         WHERE mine.user_id = $1 AND {} AND NOT EXISTS (
            SELECT 1 FROM org_members AS other
            JOIN users ON users.id = other.user_id
            WHERE other.org_id = organizations.id AND {}
              AND other.user_id <> $1 AND users.disabled_at IS NULL)
         ORDER BY organizations.name_order, organizations.id",
        rules::is_owner("mine.role"),
        rules::is_owner("other.role")
    );
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(user_id).fetch_all(db).await?)
}

pub async fn of_member(db: &mut AnyConnection, user_id: &Id) -> Result<Vec<Id>> {
    Ok(sqlx::query_scalar("SELECT org_id FROM org_members WHERE user_id = $1 ORDER BY org_id")
        .bind(user_id)
        .fetch_all(db)
        .await?)
}

/// The names of a person's organizations; the first ones if there are very many.
pub async fn names_of_member(db: &mut AnyConnection, user_id: &Id) -> Result<Vec<String>> {
    Ok(sqlx::query_scalar(
        "SELECT organizations.name FROM org_members
         JOIN organizations ON organizations.id = org_members.org_id
         WHERE org_members.user_id = $1 ORDER BY org_members.joined_at LIMIT 20",
    )
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
