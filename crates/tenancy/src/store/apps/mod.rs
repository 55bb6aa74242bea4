//! All SQL of apps: the apps are here, their members in a file of their own.

mod access;
mod collecting;
mod members;

use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use sqlx::FromRow as _;
use sqlx_macros::FromRow;
use utoipa::ToSchema;

use super::accounts::Shown;
use super::orgs::SessionRequirements;
use crate::rules::{self, REQUIRE_SSO_AT, ROLE_PERMISSIONS};
use atrium_core::db::is_unique_violation;
use atrium_core::db::page::PageOf;
use atrium_core::error::Result;
use atrium_core::http::list::Listing;
use atrium_core::names;
use atrium_core::permissions::{BuiltinRole, OrgRole, Permission};
use atrium_core::types::{Id, Millis};

pub use access::{AppAccess, Via};
pub use collecting::*;
pub use members::*;

/// The stage of an app's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AppStatus {
    Active,
    Archived,
    Deleted,
}

#[derive(Clone, Debug, FromRow)]
pub struct AppRow {
    pub id: Id,
    pub org_id: Id,
    pub name: String,
    pub description: String,
    pub region: String,
    pub timezone: String,
    pub created_by: Option<Id>,
    pub creator: Option<String>,
    pub created_at: Millis,
    pub archived_at: Option<Millis>,
    pub deleted_at: Option<Millis>,
    pub purge_at: Option<Millis>,
    pub purge_started_at: Option<Millis>,
    pub retention_days: Option<i64>,
    pub member_count: i64,
}

impl AppRow {
    pub fn status(&self) -> AppStatus {
        match (self.deleted_at, self.archived_at) {
            (Some(_), _) => AppStatus::Deleted,
            (None, Some(_)) => AppStatus::Archived,
            (None, None) => AppStatus::Active,
        }
    }
}

const MEMBER_COUNT: &str =
    "(SELECT COUNT(*) FROM app_members WHERE app_members.app_id = apps.id) AS member_count";

const COLUMNS: &str = "apps.id, apps.org_id, apps.name, apps.name_order, apps.description,
        apps.region, apps.timezone, apps.created_by, creators.name AS creator, apps.created_at,
        apps.archived_at, apps.deleted_at, apps.purge_at, apps.purge_started_at,
        apps.retention_days";

/// How someone gets access to an app: through the organization, or by a role in the app.
#[derive(FromRow)]
struct AccessRow {
    org_role: String,
    role_id: Option<Id>,
    role_name: Option<String>,
    role_permissions: Option<String>,
}

fn access_columns() -> String {
    format!(
        "mine.role AS org_role, app_members.role_id, app_roles.name AS role_name,
            {ROLE_PERMISSIONS} AS role_permissions"
    )
}

const JOINS: &str = "LEFT JOIN users AS creators ON creators.id = apps.created_by
     JOIN org_members AS mine ON mine.org_id = apps.org_id AND mine.user_id = $1
     LEFT JOIN app_members ON app_members.app_id = apps.id AND app_members.user_id = $1
     LEFT JOIN app_roles ON app_roles.id = app_members.role_id AND app_roles.app_id = apps.id";

impl AccessRow {
    fn access(self) -> Option<AppAccess> {
        let org_role = OrgRole::parse(&self.org_role)?;
        if org_role.runs_apps() {
            return Some(AppAccess::through_org(org_role));
        }
        let role_id = self.role_id?;
        if let Some(role) = BuiltinRole::by_id(&role_id) {
            return Some(AppAccess { via: Via::Builtin(role), permissions: role.permissions() });
        }
        let via = Via::Custom { id: role_id, name: self.role_name? };
        Some(AppAccess {
            via,
            permissions: rules::parse_permissions(self.role_permissions.as_deref()),
        })
    }
}

/// An app, what the user may do in it, and what its organization requires of them. None when they have
/// no access at all.
pub async fn for_user(
    db: &mut AnyConnection,
    app_id: &Id,
    user_id: &Id,
) -> Result<Option<(AppRow, AppAccess, SessionRequirements)>> {
    let access = access_columns();
    let sql = format!(
        "SELECT {COLUMNS}, {MEMBER_COUNT}, {access}, organizations.require_mfa_at,
            {REQUIRE_SSO_AT} AS require_sso_at, mine.sessions_ended_at,
            COALESCE(mine.owner_since, mine.joined_at) AS owner_since FROM apps {JOINS}
         JOIN organizations ON organizations.id = apps.org_id WHERE apps.id = $2"
    );
    let row = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(user_id).bind(app_id);
    let Some(row) = row.fetch_optional(db).await? else { return Ok(None) };
    let since = |name: &str| sqlx::Row::try_get::<Option<Millis>, _>(&row, name);
    let (mfa, sso) = (since("require_mfa_at")?, since("require_sso_at")?);
    let by = AccessRow::from_row(&row)?;
    let role = OrgRole::parse(&by.org_role);
    let requirements = SessionRequirements {
        second_factor: mfa.is_some(),
        sso: sso.is_some() && !role.is_some_and(OrgRole::is_exempt_from_sso),
        owner_since: since("owner_since")?
            .filter(|_| role.is_some_and(OrgRole::needs_second_factor)),
        proven_after: since("sessions_ended_at")?,
    };
    let app = AppRow::from_row(&row)?;
    Ok(by.access().map(|access| (app, access, requirements)))
}

/// An app by its id, whoever is asking.
pub async fn by_id(db: &mut AnyConnection, app_id: &Id) -> Result<Option<AppRow>> {
    let sql = format!(
        "SELECT {COLUMNS}, {MEMBER_COUNT} FROM apps
         LEFT JOIN users AS creators ON creators.id = apps.created_by WHERE apps.id = $1"
    );
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(app_id).fetch_optional(db).await?)
}

/// The apps of an organization in one state that the user may see.
pub async fn list(
    db: &mut AnyConnection,
    org_id: &Id,
    user_id: &Id,
    status: AppStatus,
    listing: &Listing,
) -> Result<(Vec<(AppRow, AppAccess)>, i64)> {
    let in_state = match status {
        AppStatus::Active => "apps.archived_at IS NULL AND apps.deleted_at IS NULL".to_owned(),
        AppStatus::Archived => {
            "apps.archived_at IS NOT NULL AND apps.deleted_at IS NULL".to_owned()
        }
        // Shown to those who may restore it.
        AppStatus::Deleted => {
            let may_restore = rules::holds(Permission::AppDelete, "mine.role");
            format!("apps.deleted_at IS NOT NULL AND {may_restore}")
        }
    };
    let access = access_columns();
    let found = format!(
        "apps.org_id = $2 AND {}
         AND ($3 = '' OR apps.name_key LIKE $3 ESCAPE '\\') AND {in_state}",
        rules::reaches_app("mine.role")
    );
    let list =
        PageOf::new([user_id.into(), org_id.into(), (&listing.pattern).into()], listing.page);
    let (order, cut) = (&listing.order_by, list.cut());
    let sql = if order.starts_with("member_count") {
        format!(
            "SELECT * FROM (SELECT {COLUMNS}, {MEMBER_COUNT}, {access} FROM apps {JOINS}
                WHERE {found}) AS found ORDER BY {order} {cut}"
        )
    } else {
        // The page is cut first, so that members are only counted for the apps on it.
        format!(
            "SELECT page.*, (SELECT COUNT(*) FROM app_members WHERE app_members.app_id = page.id)
                AS member_count FROM (
                SELECT * FROM (SELECT {COLUMNS}, {access} FROM apps {JOINS} WHERE {found}) AS found
                ORDER BY {order} {cut}) AS page ORDER BY {order}"
        )
    };
    let rows = list.raw_rows(db, sql).await?;
    let mut apps = Vec::with_capacity(rows.len());
    for row in &rows {
        if let Some(access) = AccessRow::from_row(row)?.access() {
            apps.push((AppRow::from_row(row)?, access));
        }
    }
    let sql = format!("SELECT COUNT(*) FROM apps {JOINS} WHERE {found}");
    Ok((apps, list.count(db, sql).await?))
}

#[derive(FromRow)]
pub struct LivingApp {
    pub id: Id,
    pub name: String,
    pub archived_at: Option<Millis>,
}

/// The organization's apps that someone can open and that are not deleted, by name, with what they may
/// do there.
pub async fn living_for_user(
    db: &mut AnyConnection,
    org_id: &Id,
    user_id: &Id,
) -> Result<Vec<(LivingApp, AppAccess)>> {
    let access = access_columns();
    let sql = format!(
        "SELECT apps.id, apps.name, apps.archived_at, {access} FROM apps {JOINS}
         WHERE apps.org_id = $2 AND apps.deleted_at IS NULL ORDER BY apps.name_order, apps.id"
    );
    let rows =
        sqlx::query(sqlx::AssertSqlSafe(sql)).bind(user_id).bind(org_id).fetch_all(db).await?;
    let mut apps = Vec::with_capacity(rows.len());
    for row in &rows {
        if let Some(access) = AccessRow::from_row(row)?.access() {
            apps.push((LivingApp::from_row(row)?, access));
        }
    }
    Ok(apps)
}

pub struct NewApp {
    pub id: Id,
    pub org_id: Id,
    pub name: String,
    pub description: String,
    pub region: String,
    pub timezone: String,
    pub created_by: Id,
    pub at: Millis,
}

/// False when another app of the organization has the name.
pub async fn insert(db: &mut AnyConnection, app: &NewApp) -> Result<bool> {
    let inserted = sqlx::query(
        "INSERT INTO apps (id, org_id, name, name_key, name_order, description, region, timezone,
            created_by, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING",
    )
    .bind(&app.id)
    .bind(&app.org_id)
    .bind(&app.name)
    .bind(app.name.to_lowercase())
    .bind(names::order(&app.name))
    .bind(&app.description)
    .bind(&app.region)
    .bind(&app.timezone)
    .bind(&app.created_by)
    .bind(app.at)
    .execute(db)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Locks an app until the transaction ends.
pub async fn lock(db: &mut AnyConnection, id: &Id) -> Result<()> {
    sqlx::query("UPDATE apps SET name = name WHERE id = $1").bind(id).execute(db).await?;
    Ok(())
}

/// False when another app of the organization has the name; the transaction cannot be used any further
/// then.
pub async fn update(
    db: &mut AnyConnection,
    id: &Id,
    name: &str,
    description: &str,
    timezone: &str,
) -> Result<bool> {
    let updated = sqlx::query(
        "UPDATE apps SET name = $1, name_key = $2, name_order = $3, description = $4, timezone = $5
         WHERE id = $6",
    )
    .bind(name)
    .bind(name.to_lowercase())
    .bind(names::order(name))
    .bind(description)
    .bind(timezone)
    .bind(id)
    .execute(db)
    .await;
    name_is_free(updated)
}

fn name_is_free<T>(outcome: sqlx::Result<T>) -> Result<bool> {
    match outcome {
        Ok(_) => Ok(true),
        Err(error) if is_unique_violation(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

pub async fn set_archived(db: &mut AnyConnection, id: &Id, at: Option<Millis>) -> Result<()> {
    sqlx::query("UPDATE apps SET archived_at = $1 WHERE id = $2")
        .bind(at)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn set_deleted(
    db: &mut AnyConnection,
    id: &Id,
    at: Millis,
    purge_at: Millis,
) -> Result<()> {
    sqlx::query("UPDATE apps SET deleted_at = $1, purge_at = $2 WHERE id = $3")
        .bind(at)
        .bind(purge_at)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// Restores the previous state. False when another app has taken the name meanwhile.
pub async fn undelete(db: &mut AnyConnection, id: &Id) -> Result<bool> {
    let restored = sqlx::query("UPDATE apps SET deleted_at = NULL, purge_at = NULL WHERE id = $1")
        .bind(id)
        .execute(db)
        .await;
    name_is_free(restored)
}

#[derive(FromRow)]
pub struct NamedApp {
    pub id: Id,
    pub name: String,
}

/// An active app, if it belongs to the organization.
pub async fn active_of_org(
    db: &mut AnyConnection,
    id: &Id,
    org_id: &Id,
) -> Result<Option<NamedApp>> {
    Ok(sqlx::query_as(
        "SELECT id, name FROM apps WHERE id = $1 AND org_id = $2
         AND archived_at IS NULL AND deleted_at IS NULL",
    )
    .bind(id)
    .bind(org_id)
    .fetch_optional(db)
    .await?)
}

#[derive(FromRow)]
pub struct EntryRow {
    pub id: Id,
    pub org_id: Id,
    pub region: String,
}

/// The app a person lands on: the one they used last, else the oldest they can open.
pub async fn entry_for(
    db: &mut AnyConnection,
    user_id: &Id,
    last_used: Option<&Id>,
    shown: Shown<'_>,
) -> Result<Option<EntryRow>> {
    let sql = format!(
        "SELECT apps.id, apps.org_id, apps.region FROM apps
         JOIN org_members ON org_members.org_id = apps.org_id
         JOIN organizations ON organizations.id = apps.org_id
         LEFT JOIN app_members ON app_members.app_id = apps.id
            AND app_members.user_id = org_members.user_id
         WHERE org_members.user_id = $1 AND {} AND {}
           AND apps.archived_at IS NULL AND apps.deleted_at IS NULL
         ORDER BY CASE WHEN apps.id = $5 THEN 0 ELSE 1 END, apps.created_at, apps.id
         LIMIT 1",
        rules::reaches_app("org_members.role"),
        rules::session_suffices()
    );
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(user_id)
        .bind(i64::from(shown.two_factors))
        .bind(shown.session_id)
        .bind(shown.factor_due_before)
        .bind(last_used.map_or("", Id::as_str))
        .fetch_optional(db)
        .await?)
}

/// Leases up to ten apps that are due for purging, or whose purge was interrupted.
pub async fn lease_for_purge(
    db: &mut AnyConnection,
    now: Millis,
    until: Millis,
) -> Result<Vec<PurgeRow>> {
    Ok(sqlx::query_as(
        "UPDATE apps SET purge_started_at = COALESCE(purge_started_at, $1), purge_leased_until = $2
         WHERE id IN (SELECT id FROM apps WHERE deleted_at IS NOT NULL AND purge_at <= $1
                AND (purge_leased_until IS NULL OR purge_leased_until <= $1)
                ORDER BY purge_at LIMIT 10)
           AND deleted_at IS NOT NULL AND purge_at <= $1
           AND (purge_leased_until IS NULL OR purge_leased_until <= $1)
         RETURNING id, org_id, name",
    )
    .bind(now)
    .bind(until)
    .fetch_all(db)
    .await?)
}

#[derive(FromRow)]
pub struct PurgeRow {
    pub id: Id,
    pub org_id: Id,
    pub name: String,
}

/// Deletes the row, and with it members, roles and keys. False when someone else was first.
pub async fn remove(db: &mut AnyConnection, id: &Id) -> Result<bool> {
    let removed = sqlx::query("DELETE FROM apps WHERE id = $1 AND purge_started_at IS NOT NULL")
        .bind(id)
        .execute(db)
        .await?;
    Ok(removed.rows_affected() == 1)
}
