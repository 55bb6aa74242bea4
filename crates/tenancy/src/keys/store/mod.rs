//! All SQL of keys: API keys, access keys and their use each in a file of their own; here what a
//! request that shows a key is looked up by.

mod access;
mod api;
mod uses;

use sqlx::{AnyConnection, FromRow};

use super::{ApiKeyKind, CollectKey, SigningKey, generate};
use crate::state::Tenancy;
use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

pub use access::*;
pub use api::*;
pub use uses::*;

/// The app's key, by the value that a page sends with its events.
pub async fn by_collect_key(db: &mut AnyConnection, value: &str) -> Result<Option<CollectKey>> {
    by_value(db, ApiKeyKind::Collect, value).await
}

/// The app's key, by the value that a reader sends.
pub async fn by_query_key(db: &mut AnyConnection, value: &str) -> Result<Option<CollectKey>> {
    by_value(db, ApiKeyKind::Query, value).await
}

async fn by_value(
    db: &mut AnyConnection,
    kind: ApiKeyKind,
    value: &str,
) -> Result<Option<CollectKey>> {
    let found: Option<(Id, Id, Option<Millis>)> = sqlx::query_as(
        "SELECT id, app_id, valid_until FROM api_keys WHERE value_hash = $1 AND kind = $2",
    )
    .bind(generate::hash_of(value))
    .bind(kind.as_str())
    .fetch_optional(db)
    .await?;
    Ok(found.map(|(key_id, app_id, valid_until)| CollectKey { key_id, app_id, valid_until }))
}

#[derive(FromRow)]
struct SealedRow {
    id: String,
    app_id: Id,
    secret_sealed: String,
    enabled: i64,
    expires_at: Option<Millis>,
}

/// An access key with its secret. Whether it is enabled and not expired is for the caller to judge.
pub async fn by_access_key(
    atrium: &Tenancy,
    db: &mut AnyConnection,
    id: &str,
) -> Result<Option<SigningKey>> {
    if !generate::is_access_key_id(id) {
        return Ok(None);
    }
    let row: Option<SealedRow> = sqlx::query_as(
        "SELECT id, app_id, secret_sealed, enabled, expires_at FROM access_keys WHERE id = $1",
    )
    .bind(id)
    .fetch_optional(db)
    .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(SigningKey {
        secret: generate::open_secret(atrium, &row.id, &row.secret_sealed)?,
        id: row.id,
        app_id: row.app_id,
        enabled: row.enabled == 1,
        expires_at: row.expires_at,
    }))
}

/// How many keys of an app work now: what archiving or deleting it would stop.
pub async fn count_live(db: &mut AnyConnection, app_id: &Id, now: Millis) -> Result<i64> {
    Ok(sqlx::query_scalar(
        "SELECT (SELECT COUNT(*) FROM api_keys
                 WHERE app_id = $1 AND (valid_until IS NULL OR valid_until > $2))
              + (SELECT COUNT(*) FROM access_keys
                 WHERE app_id = $1 AND enabled = 1 AND (expires_at IS NULL OR expires_at > $2))",
    )
    .bind(app_id)
    .bind(now)
    .fetch_one(db)
    .await?)
}
