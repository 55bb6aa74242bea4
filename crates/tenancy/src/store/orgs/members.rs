//! All SQL of organizations' members.

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use super::OrgRow;
use crate::rules;
use atrium_core::db::page::PageOf;
use atrium_core::error::Result;
use atrium_core::http::list::Listing;
use atrium_core::permissions::OrgRole;
use atrium_core::text::Email;
use atrium_core::types::{Id, Millis};

/// False when they are already a member.
pub async fn insert_member(
    db: &mut AnyConnection,
    org_id: &Id,
    user_id: &Id,
    role: OrgRole,
    at: Millis,
) -> Result<bool> {
    let inserted = sqlx::query(
        "INSERT INTO org_members (org_id, user_id, role, joined_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING",
    )
    .bind(org_id)
    .bind(user_id)
    .bind(role.as_str())
    .bind(at)
    .execute(&mut *db)
    .await?;
    // Joining lifts an earlier removal.
    sqlx::query(
        "DELETE FROM org_removals WHERE org_id = $1
         AND email_normalized = (SELECT email_normalized FROM users WHERE id = $2)",
    )
    .bind(org_id)
    .bind(user_id)
    .execute(db)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Remembers a removal by address, because the person can make a new account.
pub async fn note_removal(
    db: &mut AnyConnection,
    org_id: &Id,
    user_id: &Id,
    at: Millis,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO org_removals (org_id, email_normalized, at)
         SELECT $1, email_normalized, $3 FROM users WHERE id = $2 ON CONFLICT DO NOTHING",
    )
    .bind(org_id)
    .bind(user_id)
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn was_removed(db: &mut AnyConnection, org_id: &Id, email: &Email) -> Result<bool> {
    let count: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM org_removals WHERE org_id = $1 AND email_normalized = $2",
    )
    .bind(org_id)
    .bind(&email.normalized)
    .fetch_one(db)
    .await?;
    Ok(count > 0)
}

/// A member's role, and what it requires of their sessions.
pub struct Standing {
    pub role: OrgRole,
    /// Since when they have been an owner, if they are one.
    pub owner_since: Millis,
    /// Sessions not proven after this can no longer act in the organization.
    pub sessions_ended_at: Option<Millis>,
}

/// What an organization requires of a member's session.
#[derive(Clone, Copy, Debug)]
pub struct SessionRequirements {
    pub second_factor: bool,
    /// Whether it must have come through the organization's own provider.
    pub sso: bool,
    /// Since when the member has been an owner: owners get some time to set up a second factor.
    pub owner_since: Option<Millis>,
    /// The holder must have proven who they are after this: earlier sessions were ended.
    pub proven_after: Option<Millis>,
}

impl SessionRequirements {
    pub fn of(org: &OrgRow, standing: &Standing) -> Self {
        let role = standing.role;
        Self {
            second_factor: org.require_mfa_at.is_some(),
            sso: org.require_sso_at.is_some() && !role.is_exempt_from_sso(),
            owner_since: role.needs_second_factor().then_some(standing.owner_since),
            proven_after: standing.sessions_ended_at,
        }
    }
}

pub async fn standing_of(
    db: &mut AnyConnection,
    org_id: &Id,
    user_id: &Id,
) -> Result<Option<Standing>> {
    let row: Option<(String, Millis, Option<Millis>)> = sqlx::query_as(
        "SELECT role, COALESCE(owner_since, joined_at), sessions_ended_at FROM org_members
         WHERE org_id = $1 AND user_id = $2",
    )
    .bind(org_id)
    .bind(user_id)
    .fetch_optional(db)
    .await?;
    Ok(row.and_then(|(role, owner_since, sessions_ended_at)| {
        Some(Standing { role: OrgRole::parse(&role)?, owner_since, sessions_ended_at })
    }))
}

/// Ends a member's sessions for this organization only.
pub async fn end_sessions(
    db: &mut AnyConnection,
    org_id: &Id,
    user_id: &Id,
    at: Millis,
) -> Result<()> {
    sqlx::query("UPDATE org_members SET sessions_ended_at = $1 WHERE org_id = $2 AND user_id = $3")
        .bind(at)
        .bind(org_id)
        .bind(user_id)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn role_of(db: &mut AnyConnection, org_id: &Id, user_id: &Id) -> Result<Option<OrgRole>> {
    let role: Option<String> =
        sqlx::query_scalar("SELECT role FROM org_members WHERE org_id = $1 AND user_id = $2")
            .bind(org_id)
            .bind(user_id)
            .fetch_optional(db)
            .await?;
    Ok(role.and_then(|role| OrgRole::parse(&role)))
}

pub async fn set_role(
    db: &mut AnyConnection,
    org_id: &Id,
    user_id: &Id,
    role: OrgRole,
    at: Millis,
) -> Result<()> {
    let sql = format!(
        "UPDATE org_members SET role = $1,
            owner_since = CASE WHEN {} THEN owner_since ELSE $4 END
         WHERE org_id = $2 AND user_id = $3",
        rules::is_owner("role")
    );
    sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(role.as_str())
        .bind(org_id)
        .bind(user_id)
        .bind(at)
        .execute(db)
        .await?;
    Ok(())
}

/// Removes someone from the organization and all of its apps.
pub async fn delete_member(db: &mut AnyConnection, org_id: &Id, user_id: &Id) -> Result<()> {
    sqlx::query(
        "DELETE FROM app_members WHERE user_id = $1
         AND app_id IN (SELECT id FROM apps WHERE org_id = $2)",
    )
    .bind(user_id)
    .bind(org_id)
    .execute(&mut *db)
    .await?;
    sqlx::query(
        "DELETE FROM session_orgs WHERE org_id = $1
         AND session_id IN (SELECT id FROM sessions WHERE user_id = $2)",
    )
    .bind(org_id)
    .bind(user_id)
    .execute(&mut *db)
    .await?;
    sqlx::query("DELETE FROM org_members WHERE org_id = $1 AND user_id = $2")
        .bind(org_id)
        .bind(user_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Other owners who can still sign in.
pub async fn other_owners(db: &mut AnyConnection, org_id: &Id, user_id: &Id) -> Result<i64> {
    let sql = format!(
        "SELECT COUNT(*) FROM org_members JOIN users ON users.id = org_members.user_id
         WHERE org_members.org_id = $1 AND {}
           AND org_members.user_id <> $2 AND users.disabled_at IS NULL",
        rules::is_owner("org_members.role")
    );
    let count = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(org_id).bind(user_id);
    Ok(count.fetch_one(db).await?)
}

#[derive(FromRow)]
pub struct MemberRow {
    pub user_id: Id,
    pub email: String,
    pub name: String,
    pub role: String,
    pub joined_at: Millis,
    pub last_login_at: Option<Millis>,
    pub mfa: i64,
    pub app_count: i64,
    total: i64,
}

/// The page is cut first, from ids alone: details and counts are only fetched for the members on it.
pub async fn members(
    db: &mut AnyConnection,
    org_id: &Id,
    role: &str,
    listing: &Listing,
) -> Result<(Vec<MemberRow>, i64)> {
    const FOUND: &str = "FROM org_members JOIN users ON users.id = org_members.user_id
         WHERE org_members.org_id = $1 AND ($2 = '' OR org_members.role = $2)
           AND ($3 = '' OR users.name_key LIKE $3 ESCAPE '\\'
                OR users.email_normalized LIKE $3 ESCAPE '\\')";
    // A search looks at everyone anyway, so it counts in the same pass. Without a search, a separate
    // count is faster.
    let searching = !listing.pattern.is_empty();
    let total = if searching { "COUNT(*) OVER ()" } else { "CAST(0 AS BIGINT)" };
    let order = &listing.order_by;
    let list = PageOf::new([org_id.into(), role.into(), (&listing.pattern).into()], listing.page);
    let sql = format!(
        "SELECT page.*,
            CASE WHEN EXISTS (SELECT 1 FROM totp_factors
                    WHERE totp_factors.user_id = page.user_id AND confirmed_at IS NOT NULL)
                OR EXISTS (SELECT 1 FROM passkeys WHERE passkeys.user_id = page.user_id)
                THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS mfa,
            CASE WHEN {runs_org}
                THEN (SELECT COUNT(*) FROM apps WHERE apps.org_id = $1
                        AND apps.archived_at IS NULL AND apps.deleted_at IS NULL)
                ELSE (SELECT COUNT(*) FROM app_members JOIN apps ON apps.id = app_members.app_id
                        WHERE app_members.user_id = page.user_id AND apps.org_id = $1
                        AND apps.archived_at IS NULL AND apps.deleted_at IS NULL)
            END AS app_count
         FROM (SELECT found.user_id, users.email, users.email_normalized, users.name,
                    users.name_order, org_members.role, org_members.joined_at, users.last_login_at,
                    found.total
               FROM (SELECT org_members.user_id, {total} AS total
                     {FOUND} ORDER BY {order} {cut}) AS found
               JOIN users ON users.id = found.user_id
               JOIN org_members
                 ON org_members.org_id = $1 AND org_members.user_id = found.user_id) AS page
         ORDER BY {order}",
        runs_org = rules::runs_org("page.role"),
        cut = list.cut()
    );
    let rows: Vec<MemberRow> = list.rows(db, sql).await?;
    if let (true, Some(row)) = (searching, rows.first()) {
        let total = row.total;
        return Ok((rows, total));
    }
    let sql = if searching {
        format!("SELECT COUNT(*) {FOUND}")
    } else {
        "SELECT COUNT(*) FROM org_members
         WHERE org_id = $1 AND ($2 = '' OR role = $2) AND $3 = ''"
            .to_owned()
    };
    Ok((rows, list.count(db, sql).await?))
}

#[derive(FromRow)]
pub struct ReachedApp {
    pub id: Id,
    pub name: String,
    /// Their role in the app; owners and admins need none.
    pub role_id: Option<Id>,
    pub role_name: Option<String>,
}

/// The organization's apps that someone can open, by a role in the app or by running the organization.
pub async fn reached_apps(
    db: &mut AnyConnection,
    org_id: &Id,
    user_id: &Id,
    role: OrgRole,
) -> Result<Vec<ReachedApp>> {
    Ok(sqlx::query_as(
        "SELECT apps.id, apps.name, app_members.role_id, app_roles.name AS role_name
         FROM apps LEFT JOIN app_members
           ON app_members.app_id = apps.id AND app_members.user_id = $1
         LEFT JOIN app_roles ON app_roles.id = app_members.role_id
         WHERE apps.org_id = $2 AND apps.deleted_at IS NULL
           AND ($3 = 1 OR app_members.user_id IS NOT NULL)
         ORDER BY apps.name_order, apps.id",
    )
    .bind(user_id)
    .bind(org_id)
    .bind(i64::from(role.runs_apps()))
    .fetch_all(db)
    .await?)
}

/// Owners and admins who can still sign in, to notify.
pub async fn runners(db: &mut AnyConnection, org_id: &Id, owners_only: bool) -> Result<Vec<Id>> {
    let wanted = if owners_only { rules::is_owner } else { rules::runs_org };
    let sql = format!(
        "SELECT org_members.user_id FROM org_members JOIN users ON users.id = org_members.user_id
         WHERE org_members.org_id = $1 AND users.disabled_at IS NULL AND {}
         ORDER BY org_members.joined_at LIMIT 50",
        wanted("org_members.role")
    );
    Ok(sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(org_id).fetch_all(db).await?)
}
