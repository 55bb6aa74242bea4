//! All SQL of apps' members.

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use crate::rules;
use atrium_core::db::page::PageOf;
use atrium_core::error::Result;
use atrium_core::http::list::Listing;
use atrium_core::permissions::OrgRole;
use atrium_core::types::{Id, Millis};

/// False when they are already in the app.
pub async fn insert_member(
    db: &mut AnyConnection,
    app_id: &Id,
    user_id: &Id,
    role_id: &Id,
    added_by: Option<&Id>,
    at: Millis,
) -> Result<bool> {
    let inserted = sqlx::query(
        "INSERT INTO app_members (app_id, user_id, role_id, added_by, added_at)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
    )
    .bind(app_id)
    .bind(user_id)
    .bind(role_id)
    .bind(added_by)
    .bind(at)
    .execute(db)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

pub async fn member_role(db: &mut AnyConnection, app_id: &Id, user_id: &Id) -> Result<Option<Id>> {
    Ok(sqlx::query_scalar("SELECT role_id FROM app_members WHERE app_id = $1 AND user_id = $2")
        .bind(app_id)
        .bind(user_id)
        .fetch_optional(db)
        .await?)
}

pub async fn set_member_role(
    db: &mut AnyConnection,
    app_id: &Id,
    user_id: &Id,
    role_id: &Id,
) -> Result<()> {
    sqlx::query("UPDATE app_members SET role_id = $1 WHERE app_id = $2 AND user_id = $3")
        .bind(role_id)
        .bind(app_id)
        .bind(user_id)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn delete_member(db: &mut AnyConnection, app_id: &Id, user_id: &Id) -> Result<()> {
    sqlx::query("DELETE FROM app_members WHERE app_id = $1 AND user_id = $2")
        .bind(app_id)
        .bind(user_id)
        .execute(db)
        .await?;
    Ok(())
}

#[derive(FromRow)]
pub struct AppMemberRow {
    pub user_id: Id,
    pub email: String,
    pub name: String,
    pub org_role: String,
    pub role_id: Option<Id>,
    pub role_name: Option<String>,
    pub added_at: Option<Millis>,
    pub added_by: Option<Id>,
    pub adder: Option<String>,
    total: i64,
}

/// Everyone with access to the app: by a role in it, or by running its organization.
pub async fn members(
    db: &mut AnyConnection,
    app_id: &Id,
    org_id: &Id,
    role_id: &str,
    listing: &Listing,
) -> Result<(Vec<AppMemberRow>, i64)> {
    // Two ways in, each with its own index, and nobody in both. The total is counted in the same pass:
    // walking an app of thousands is this list's main cost, and is paid once.
    let found = format!(
        "FROM (
            SELECT user_id, '{member}' AS org_role, role_id, added_by, added_at
            FROM app_members WHERE app_id = $1 AND user_id NOT IN (
                SELECT user_id FROM org_members WHERE org_id = $2 AND {runs_org})
            UNION ALL
            SELECT org_members.user_id, org_members.role, app_members.role_id,
                app_members.added_by, app_members.added_at
            FROM org_members LEFT JOIN app_members
                ON app_members.app_id = $1 AND app_members.user_id = org_members.user_id
            WHERE org_members.org_id = $2 AND {runs_org}
         ) AS reaching
         JOIN users ON users.id = reaching.user_id
         WHERE ($3 = '' OR (reaching.role_id = $3 AND {through_app}))
           AND ($4 = '' OR users.name_key LIKE $4 ESCAPE '\\'
                OR users.email_normalized LIKE $4 ESCAPE '\\')",
        member = OrgRole::Member.as_str(),
        runs_org = rules::runs_org("org_members.role"),
        through_app = rules::is_plain_member("reaching.org_role"),
    );
    let parameters = [app_id.into(), org_id.into(), role_id.into(), (&listing.pattern).into()];
    let list = PageOf::new(parameters, listing.page);
    let sql = format!(
        "SELECT page.*, app_roles.name AS role_name, adders.name AS adder FROM (
            SELECT users.id AS user_id, users.email, users.name, reaching.org_role,
                reaching.role_id, reaching.added_at, reaching.added_by,
                COUNT(*) OVER () AS total, ROW_NUMBER() OVER (ORDER BY {order}) AS place
            {found} ORDER BY {order} {cut}
         ) AS page
         LEFT JOIN app_roles ON app_roles.id = page.role_id
         LEFT JOIN users AS adders ON adders.id = page.added_by
         ORDER BY page.place",
        order = listing.order_by,
        cut = list.cut()
    );
    let rows: Vec<AppMemberRow> = list.rows(db, sql).await?;
    if let Some(row) = rows.first() {
        let total = row.total;
        return Ok((rows, total));
    }
    // Nothing was found, or the page is past the end.
    Ok((rows, list.count(db, format!("SELECT COUNT(*) {found}")).await?))
}

#[derive(FromRow)]
pub struct CandidateRow {
    pub user_id: Id,
    pub email: String,
    pub name: String,
    total: i64,
}

/// Plain members of the organization who are not in the app yet. NOT IN builds the set of app members
/// once; with NOT EXISTS, PostgreSQL assumes an app has only a handful and walks them for each member.
pub async fn candidates(
    db: &mut AnyConnection,
    app_id: &Id,
    org_id: &Id,
    listing: &Listing,
) -> Result<(Vec<CandidateRow>, i64)> {
    let found = format!(
        "FROM org_members JOIN users ON users.id = org_members.user_id
         WHERE org_members.org_id = $2 AND {}
           AND org_members.user_id NOT IN (SELECT user_id FROM app_members WHERE app_id = $1)
           AND ($3 = '' OR users.name_key LIKE $3 ESCAPE '\\'
                OR users.email_normalized LIKE $3 ESCAPE '\\')",
        rules::is_plain_member("org_members.role")
    );
    let list = PageOf::new([app_id.into(), org_id.into(), (&listing.pattern).into()], listing.page);
    let sql = format!(
        "SELECT users.id AS user_id, users.email, users.name, COUNT(*) OVER () AS total
         {found} ORDER BY {} {}",
        listing.order_by,
        list.cut()
    );
    let rows: Vec<CandidateRow> = list.rows(db, sql).await?;
    if let Some(row) = rows.first() {
        let total = row.total;
        return Ok((rows, total));
    }
    Ok((rows, list.count(db, format!("SELECT COUNT(*) {found}")).await?))
}

/// Everyone to notify about the app, except the person who acted.
pub async fn audience(
    db: &mut AnyConnection,
    app_id: &Id,
    org_id: &Id,
    except: &Id,
) -> Result<Vec<Id>> {
    let runs_org = rules::runs_org("org_members.role");
    let sql = format!(
        "SELECT users.id FROM (
            SELECT user_id FROM app_members WHERE app_id = $1
            UNION SELECT user_id FROM org_members WHERE org_id = $2 AND {runs_org}
         ) AS reaching JOIN users ON users.id = reaching.user_id
         JOIN org_members ON org_members.org_id = $2 AND org_members.user_id = users.id
         WHERE users.id <> $3 AND users.disabled_at IS NULL
         ORDER BY CASE WHEN {runs_org} THEN 0 ELSE 1 END, users.id LIMIT 200"
    );
    let ids = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(app_id).bind(org_id).bind(except);
    Ok(ids.fetch_all(db).await?)
}
