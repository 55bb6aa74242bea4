//! All SQL of apps' members.

use sqlx::{AnyConnection, FromRow};

use crate::error::Result;
use crate::http::list::Listing;
use crate::types::{Id, Millis};

/// False when they are in the app already.
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
}

/// Everyone who reaches the app: by a role in it, or by running its organisation.
pub async fn members(
    db: &mut AnyConnection,
    app_id: &Id,
    org_id: &Id,
    role_id: &str,
    listing: &Listing,
) -> Result<(Vec<AppMemberRow>, i64)> {
    // Two ways in, each along its own index; someone who has both is counted once.
    const FOUND: &str = "FROM (
            SELECT user_id, role_id, added_by, added_at FROM app_members WHERE app_id = $1
            UNION ALL
            SELECT user_id, CAST(NULL AS TEXT), CAST(NULL AS TEXT), CAST(NULL AS BIGINT)
            FROM org_members WHERE org_id = $2 AND role IN ('owner', 'admin')
              AND user_id NOT IN (SELECT user_id FROM app_members WHERE app_id = $1)
         ) AS reaching
         JOIN users ON users.id = reaching.user_id
         JOIN org_members ON org_members.org_id = $2 AND org_members.user_id = reaching.user_id
         LEFT JOIN app_roles ON app_roles.id = reaching.role_id
         LEFT JOIN users AS adders ON adders.id = reaching.added_by
         WHERE ($3 = '' OR (reaching.role_id = $3 AND org_members.role = 'member'))
           AND ($4 = '' OR users.name_key LIKE $4 ESCAPE '\\'
                OR users.email_normalized LIKE $4 ESCAPE '\\')";
    let sql = format!(
        "SELECT users.id AS user_id, users.email, users.name, org_members.role AS org_role,
            reaching.role_id, app_roles.name AS role_name, reaching.added_at, reaching.added_by,
            adders.name AS adder
         {FOUND} ORDER BY {} LIMIT $5 OFFSET $6",
        listing.order_by
    );
    let rows = sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(app_id)
        .bind(org_id)
        .bind(role_id)
        .bind(&listing.pattern)
        .bind(listing.page.limit)
        .bind(listing.page.offset)
        .fetch_all(&mut *db)
        .await?;
    let sql = if listing.pattern.is_empty() && role_id.is_empty() {
        "SELECT COUNT(*) FROM (
            SELECT user_id FROM app_members WHERE app_id = $1
            UNION SELECT user_id FROM org_members WHERE org_id = $2 AND role IN ('owner', 'admin')
         ) AS reaching WHERE $3 = '' AND $4 = ''"
            .to_owned()
    } else {
        format!("SELECT COUNT(*) {FOUND}")
    };
    let total = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
        .bind(app_id)
        .bind(org_id)
        .bind(role_id)
        .bind(&listing.pattern)
        .fetch_one(db)
        .await?;
    Ok((rows, total))
}

#[derive(FromRow)]
pub struct CandidateRow {
    pub user_id: Id,
    pub email: String,
    pub name: String,
}

/// Plain members of the organisation who are not in the app yet. NOT IN makes one set of those who
/// are; for NOT EXISTS, PostgreSQL guesses that an app has a handful and walks them for each member.
pub async fn candidates(
    db: &mut AnyConnection,
    app_id: &Id,
    org_id: &Id,
    listing: &Listing,
) -> Result<(Vec<CandidateRow>, i64)> {
    const FOUND: &str = "FROM org_members JOIN users ON users.id = org_members.user_id
         WHERE org_members.org_id = $2 AND org_members.role = 'member'
           AND org_members.user_id NOT IN (SELECT user_id FROM app_members WHERE app_id = $1)
           AND ($3 = '' OR users.name_key LIKE $3 ESCAPE '\\'
                OR users.email_normalized LIKE $3 ESCAPE '\\')";
    let sql = format!(
        "SELECT users.id AS user_id, users.email, users.name {FOUND} ORDER BY {} LIMIT $4 OFFSET $5",
        listing.order_by
    );
    let rows = sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(app_id)
        .bind(org_id)
        .bind(&listing.pattern)
        .bind(listing.page.limit)
        .bind(listing.page.offset)
        .fetch_all(&mut *db)
        .await?;
    let sql = format!("SELECT COUNT(*) {FOUND}");
    let total = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
        .bind(app_id)
        .bind(org_id)
        .bind(&listing.pattern)
        .fetch_one(db)
        .await?;
    Ok((rows, total))
}

/// Everyone to be told of what happens to the app, but for whoever did it.
pub async fn audience(
    db: &mut AnyConnection,
    app_id: &Id,
    org_id: &Id,
    except: &Id,
) -> Result<Vec<Id>> {
    Ok(sqlx::query_scalar(
        "SELECT users.id FROM (
            SELECT user_id FROM app_members WHERE app_id = $1
            UNION SELECT user_id FROM org_members WHERE org_id = $2 AND role IN ('owner', 'admin')
         ) AS reaching JOIN users ON users.id = reaching.user_id
         JOIN org_members ON org_members.org_id = $2 AND org_members.user_id = users.id
         WHERE users.id <> $3 AND users.disabled_at IS NULL
         ORDER BY CASE org_members.role WHEN 'member' THEN 1 ELSE 0 END, users.id LIMIT 200",
    )
    .bind(app_id)
    .bind(org_id)
    .bind(except)
    .fetch_all(db)
    .await?)
}
