//! All SQL of keys. API keys, access keys and their uses each have a file; the lookups for requests
//! that present a key are here.

mod access;
mod api;
mod uses;

use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use sqlx_macros::FromRow;
use utoipa::ToSchema;

use crate::token::{hash_text, hash_token};
use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

pub use access::*;
pub use api::*;
pub use uses::*;

/// Which of an app's two API keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApiKeyKind {
    Collect,
    Query,
}

impl ApiKeyKind {
    pub const ALL: [Self; 2] = [Self::Collect, Self::Query];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Collect => "collect",
            Self::Query => "query",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// An API key that was found by its value. The caller decides whether its grace period is over, because
/// it knows the time of the request.
#[derive(Clone, Debug)]
pub struct CollectKey {
    pub key_id: Id,
    pub app_id: Id,
    /// None for the current value. Some for the previous one, which works until then.
    pub valid_until: Option<Millis>,
}

/// Finds an app's key by the value that pages send with their events.
pub async fn by_collect_key(db: &mut AnyConnection, value: &str) -> Result<Option<CollectKey>> {
    by_value(db, ApiKeyKind::Collect, value).await
}

/// Finds an app's key by the value that readers send.
pub async fn by_query_key(db: &mut AnyConnection, value: &str) -> Result<Option<CollectKey>> {
    by_value(db, ApiKeyKind::Query, value).await
}

/// The hash under which the database keeps a value. Values have at least 192 random bits, so a plain
/// hash is enough.
pub fn hash_of(value: &str) -> String {
    hash_text(&hash_token(value))
}

async fn by_value(
    db: &mut AnyConnection,
    kind: ApiKeyKind,
    value: &str,
) -> Result<Option<CollectKey>> {
    let found: Option<(Id, Id, Option<Millis>)> = sqlx::query_as(
        "SELECT id, app_id, valid_until FROM api_keys WHERE value_hash = $1 AND kind = $2",
    )
    .bind(hash_of(value))
    .bind(kind.as_str())
    .fetch_optional(db)
    .await?;
    Ok(found.map(|(key_id, app_id, valid_until)| CollectKey { key_id, app_id, valid_until }))
}

#[derive(FromRow)]
pub struct SealedRow {
    pub id: String,
    pub app_id: Id,
    pub secret_sealed: String,
    pub enabled: i64,
    pub expires_at: Option<Millis>,
}

/// An access key with its sealed secret.
pub async fn sealed_key(db: &mut AnyConnection, id: &str) -> Result<Option<SealedRow>> {
    Ok(sqlx::query_as(
        "SELECT id, app_id, secret_sealed, enabled, expires_at FROM access_keys WHERE id = $1",
    )
    .bind(id)
    .fetch_optional(db)
    .await?)
}

/// How many of an app's keys work now: those that archiving or deleting it would stop.
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
