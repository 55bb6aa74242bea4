//! All SQL of access keys.

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use super::ADDRESSES_7D;
use crate::rules;
use atrium_core::db::page::PageOf;
use atrium_core::error::Result;
use atrium_core::http::list::Listing;
use atrium_core::names;
use atrium_core::permissions::Permission;
use atrium_core::types::{Id, Millis};

#[derive(FromRow)]
pub struct AccessKeyRow {
    pub id: String,
    pub name: String,
    pub enabled: i64,
    pub created_by: Option<Id>,
    pub creator: Option<String>,
    pub created_at: Millis,
    pub expires_at: Option<Millis>,
    pub last_used_at: Option<Millis>,
    pub last_used_ip: Option<String>,
    pub addresses: i64,
}

const COLUMNS: &str = "keys.id, keys.name, keys.enabled, keys.created_by, users.name AS creator,
        keys.created_at, keys.expires_at, keys.last_used_at, keys.last_used_ip";

const FROM: &str = "FROM access_keys AS keys LEFT JOIN users ON users.id = keys.created_by";

pub async fn access_key(
    db: &mut AnyConnection,
    app_id: &Id,
    id: &str,
    now: Millis,
) -> Result<Option<AccessKeyRow>> {
    let sql = format!(
        "SELECT {COLUMNS}, {ADDRESSES_7D} AS addresses {FROM} WHERE keys.app_id = $1 AND keys.id = $2"
    );
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(app_id)
        .bind(id)
        .bind(now.plus(-7 * Millis::DAY))
        .fetch_optional(db)
        .await?)
}

/// An app has at most ten, so counting addresses before the page is cut costs little.
pub async fn access_keys(
    db: &mut AnyConnection,
    app_id: &Id,
    now: Millis,
    listing: &Listing,
) -> Result<(Vec<AccessKeyRow>, i64)> {
    const FOUND: &str = "keys.app_id = $1 AND ($2 = '' OR keys.name_key LIKE $2 ESCAPE '\\'
         OR LOWER(keys.id) LIKE $2 ESCAPE '\\')";
    let week = now.plus(-7 * Millis::DAY);
    let list = PageOf::new([app_id.into(), (&listing.pattern).into(), week.into()], listing.page);
    let rows = format!(
        "SELECT {COLUMNS}, {ADDRESSES_7D} AS addresses {FROM} WHERE {FOUND} ORDER BY {}",
        listing.order_by
    );
    list.fetch(db, &rows, &format!("SELECT COUNT(*) FROM access_keys AS keys WHERE {FOUND}")).await
}

pub async fn count_access_keys(db: &mut AnyConnection, app_id: &Id) -> Result<i64> {
    Ok(sqlx::query_scalar("SELECT COUNT(*) FROM access_keys WHERE app_id = $1")
        .bind(app_id)
        .fetch_one(db)
        .await?)
}

/// A new access key. Not `Debug` either.
pub struct MadeAccessKey {
    pub id: String,
    pub secret: String,
    pub sealed: String,
}

pub struct NewAccessKey<'a> {
    pub made: &'a MadeAccessKey,
    pub app_id: &'a Id,
    pub name: &'a str,
    pub created_by: &'a Id,
    pub at: Millis,
    pub expires_at: Option<Millis>,
    pub reminded: i64,
}

/// False when another key of the app has the name.
pub async fn insert_access_key(db: &mut AnyConnection, key: NewAccessKey<'_>) -> Result<bool> {
    let inserted = sqlx::query(
        "INSERT INTO access_keys (id, app_id, name, name_key, name_order, secret_sealed, enabled,
            created_by, created_at, expires_at, reminded)
         VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8, $9, $10) ON CONFLICT DO NOTHING",
    )
    .bind(&key.made.id)
    .bind(key.app_id)
    .bind(key.name)
    .bind(key.name.to_lowercase())
    .bind(names::order(key.name))
    .bind(&key.made.sealed)
    .bind(key.created_by)
    .bind(key.at)
    .bind(key.expires_at)
    .bind(key.reminded)
    .execute(db)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// False when another key of the app has the name.
pub async fn rename_access_key(
    db: &mut AnyConnection,
    app_id: &Id,
    id: &str,
    name: &str,
) -> Result<bool> {
    let renamed = sqlx::query(
        "UPDATE access_keys SET name = $1, name_key = $2, name_order = $3
         WHERE id = $4 AND app_id = $5 AND NOT EXISTS (SELECT 1 FROM access_keys AS other
            WHERE other.app_id = $5 AND other.name_key = $2 AND other.id <> $4)",
    )
    .bind(name)
    .bind(name.to_lowercase())
    .bind(names::order(name))
    .bind(id)
    .bind(app_id)
    .execute(db)
    .await?;
    Ok(renamed.rows_affected() == 1)
}

pub async fn set_expiry(
    db: &mut AnyConnection,
    id: &str,
    expires_at: Option<Millis>,
    reminded: i64,
) -> Result<()> {
    sqlx::query("UPDATE access_keys SET expires_at = $1, reminded = $2 WHERE id = $3")
        .bind(expires_at)
        .bind(reminded)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn set_enabled(db: &mut AnyConnection, id: &str, enabled: bool) -> Result<()> {
    sqlx::query("UPDATE access_keys SET enabled = $1 WHERE id = $2")
        .bind(i64::from(enabled))
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn delete_access_key(db: &mut AnyConnection, id: &str) -> Result<()> {
    sqlx::query("DELETE FROM access_keys WHERE id = $1").bind(id).execute(&mut *db).await?;
    sqlx::query("DELETE FROM key_addresses WHERE key_id = $1").bind(id).execute(db).await?;
    Ok(())
}

#[derive(FromRow)]
pub struct MadeKeyRow {
    pub id: String,
    pub name: String,
    pub app_id: Id,
    pub app_name: String,
}

/// The working keys that someone made in an organization's apps, by id. Includes keys of archived and
/// deleted apps, where they would work again.
pub async fn live_keys_by(
    db: &mut AnyConnection,
    org_id: &Id,
    user_id: &Id,
    now: Millis,
) -> Result<Vec<MadeKeyRow>> {
    Ok(sqlx::query_as(
        "SELECT access_keys.id, access_keys.name, access_keys.app_id, apps.name AS app_name
         FROM access_keys JOIN apps ON apps.id = access_keys.app_id
         WHERE access_keys.created_by = $1 AND apps.org_id = $2 AND access_keys.enabled = 1
           AND (access_keys.expires_at IS NULL OR access_keys.expires_at > $3)
         ORDER BY access_keys.id",
    )
    .bind(user_id)
    .bind(org_id)
    .bind(now)
    .fetch_all(db)
    .await?)
}

#[derive(FromRow)]
pub struct ExpiringRow {
    pub id: String,
    pub name: String,
    pub expires_at: Millis,
    pub reminded: i64,
    pub app_id: Id,
    pub app_name: String,
    pub timezone: String,
    pub org_id: Id,
}

/// Keys in use that expire within a week or have expired, and have reminders left to send.
pub async fn expiring(
    db: &mut AnyConnection,
    now: Millis,
    after: &str,
) -> Result<Vec<ExpiringRow>> {
    Ok(sqlx::query_as(
        "SELECT access_keys.id, access_keys.name, access_keys.expires_at, access_keys.reminded,
            access_keys.app_id, apps.name AS app_name, apps.timezone, apps.org_id
         FROM access_keys JOIN apps ON apps.id = access_keys.app_id
         WHERE access_keys.expires_at <= $1 AND access_keys.reminded < 3 AND access_keys.enabled = 1
           AND apps.archived_at IS NULL AND apps.deleted_at IS NULL AND access_keys.id > $2
         ORDER BY access_keys.id LIMIT 100",
    )
    .bind(now.plus(7 * Millis::DAY))
    .bind(after)
    .fetch_all(db)
    .await?)
}

/// Records that a reminder is sent. False when another instance was first, or the key has changed.
pub async fn note_reminder(
    db: &mut AnyConnection,
    id: &str,
    expires_at: Millis,
    reminded: i64,
) -> Result<bool> {
    let noted = sqlx::query(
        "UPDATE access_keys SET reminded = $1
         WHERE id = $2 AND expires_at = $3 AND reminded < $1 AND enabled = 1",
    )
    .bind(reminded)
    .bind(id)
    .bind(expires_at)
    .execute(db)
    .await?;
    Ok(noted.rows_affected() == 1)
}

/// Those who manage an app's keys and can still sign in, those who run the organization first.
pub async fn managers(db: &mut AnyConnection, app_id: &Id, org_id: &Id) -> Result<Vec<Id>> {
    let sql = format!(
        "SELECT users.id FROM org_members JOIN users ON users.id = org_members.user_id
         LEFT JOIN app_members ON app_members.app_id = $1 AND app_members.user_id = users.id
         LEFT JOIN app_roles ON app_roles.id = app_members.role_id AND app_roles.app_id = $1
         WHERE org_members.org_id = $2 AND users.disabled_at IS NULL AND {}
         ORDER BY CASE WHEN {} THEN 0 ELSE 1 END, users.id LIMIT 200",
        rules::holds(Permission::KeyManage, "org_members.role"),
        rules::runs_org("org_members.role")
    );
    Ok(sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(app_id).bind(org_id).fetch_all(db).await?)
}
