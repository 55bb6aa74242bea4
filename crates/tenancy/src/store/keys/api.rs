//! All SQL of API keys.

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use super::{ADDRESSES_7D, ApiKeyKind};
use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

#[derive(FromRow)]
pub struct ApiKeyRow {
    pub id: Id,
    pub kind: String,
    pub value: Option<String>,
    pub hint: String,
    pub created_by: Option<Id>,
    pub creator: Option<String>,
    pub created_at: Millis,
    pub valid_until: Option<Millis>,
    pub last_used_at: Option<Millis>,
    pub last_used_ip: Option<String>,
    pub addresses: i64,
}

impl ApiKeyRow {
    pub fn is(&self, kind: ApiKeyKind) -> bool {
        self.kind == kind.as_str()
    }
}

/// The app's working values, by id. Rows are changed in that order, here as in `record_uses`, to
/// prevent deadlocks.
pub async fn api_keys(db: &mut AnyConnection, app_id: &Id, now: Millis) -> Result<Vec<ApiKeyRow>> {
    let sql = format!(
        "SELECT keys.id, keys.kind, keys.value, keys.hint, keys.created_by,
            users.name AS creator, keys.created_at, keys.valid_until, keys.last_used_at,
            keys.last_used_ip, {ADDRESSES_7D} AS addresses
         FROM api_keys AS keys LEFT JOIN users ON users.id = keys.created_by
         WHERE keys.app_id = $1 AND (keys.valid_until IS NULL OR keys.valid_until > $2)
         ORDER BY keys.id"
    );
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(app_id)
        .bind(now)
        .bind(now.plus(-7 * Millis::DAY))
        .fetch_all(db)
        .await?)
}

/// A new API key. Not `Debug`: see `keys::SigningKey`.
pub struct MadeApiKey {
    pub kind: ApiKeyKind,
    pub value: String,
    pub hash: String,
    /// The part that is shown later.
    pub hint: String,
}

/// Does nothing if the app already has a current key of the kind. The value itself is only kept for the
/// public kind.
pub async fn insert_api_key(
    db: &mut AnyConnection,
    id: &Id,
    app_id: &Id,
    made: &MadeApiKey,
    created_by: Option<&Id>,
    at: Millis,
) -> Result<bool> {
    let public = (made.kind == ApiKeyKind::Collect).then_some(&made.value);
    let inserted = sqlx::query(
        "INSERT INTO api_keys (id, app_id, kind, value, value_hash, hint, created_by, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
    )
    .bind(id)
    .bind(app_id)
    .bind(made.kind.as_str())
    .bind(public)
    .bind(&made.hash)
    .bind(&made.hint)
    .bind(created_by)
    .bind(at)
    .execute(db)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

pub async fn end_api_key(db: &mut AnyConnection, id: &Id, at: Millis) -> Result<()> {
    sqlx::query("UPDATE api_keys SET valid_until = $1 WHERE id = $2")
        .bind(at)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// The key that the app's pages send.
pub async fn collect_key(db: &mut AnyConnection, app_id: &Id) -> Result<Option<String>> {
    Ok(sqlx::query_scalar(
        "SELECT value FROM api_keys WHERE app_id = $1 AND kind = 'collect' AND valid_until IS NULL",
    )
    .bind(app_id)
    .fetch_optional(db)
    .await?)
}

/// Some apps that lack a current key, by id. An app whose purge has begun needs none, and may be gone
/// before it gets one.
pub async fn apps_without_keys(db: &mut AnyConnection) -> Result<Vec<Id>> {
    Ok(sqlx::query_scalar(
        "SELECT apps.id FROM apps WHERE apps.purge_started_at IS NULL AND 2 > (
            SELECT COUNT(*) FROM api_keys
            WHERE api_keys.app_id = apps.id AND api_keys.valid_until IS NULL)
         ORDER BY apps.id LIMIT 200",
    )
    .fetch_all(db)
    .await?)
}

/// Removes values that ended before this time.
pub async fn delete_ended_api_keys(db: &mut AnyConnection, before: Millis) -> Result<u64> {
    let deleted =
        sqlx::query("DELETE FROM api_keys WHERE valid_until < $1").bind(before).execute(db).await?;
    Ok(deleted.rows_affected())
}
