//! All SQL of one-time tokens: links and codes.

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use crate::token::{TokenHash, hash_text};
use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

#[derive(FromRow)]
pub struct TokenRow {
    pub id: Id,
    pub purpose: String,
    pub email: Option<String>,
    pub user_id: Option<Id>,
    pub code_hash: Option<String>,
    /// What the token is about; sealed if secret.
    pub payload: Option<String>,
}

pub struct NewToken<'a> {
    pub id: &'a Id,
    pub purpose: &'a str,
    pub hash: &'a TokenHash,
    /// The address it was sent to.
    pub email: Option<&'a str>,
    pub user_id: Option<&'a Id>,
    pub code_hash: Option<&'a str>,
    /// What the token is about; sealed if secret.
    pub payload: Option<&'a str>,
    pub at: Millis,
    pub expires_at: Millis,
}

pub async fn insert_token(db: &mut AnyConnection, token: NewToken<'_>) -> Result<()> {
    sqlx::query(
        "INSERT INTO one_time_tokens
            (id, purpose, token_hash, email, user_id, code_hash, payload, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(token.id)
    .bind(token.purpose)
    .bind(hash_text(token.hash))
    .bind(token.email)
    .bind(token.user_id)
    .bind(token.code_hash)
    .bind(token.payload)
    .bind(token.at)
    .bind(token.expires_at)
    .execute(db)
    .await?;
    Ok(())
}

/// Uses one of the attempts at a token that could be guessed. None when it is unknown, used, expired or
/// out of attempts.
pub async fn try_token(
    db: &mut AnyConnection,
    purpose: &str,
    hash: &TokenHash,
    now: Millis,
    tries: i64,
) -> Result<Option<TokenRow>> {
    Ok(sqlx::query_as(
        "UPDATE one_time_tokens SET tries = tries + 1
         WHERE token_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > $3
           AND tries < $4
         RETURNING id, purpose, email, user_id, code_hash, payload",
    )
    .bind(hash_text(hash))
    .bind(purpose)
    .bind(now)
    .bind(tries)
    .fetch_optional(db)
    .await?)
}

/// A token that can still be used.
pub async fn live_token(
    db: &mut AnyConnection,
    hash: &TokenHash,
    now: Millis,
) -> Result<Option<TokenRow>> {
    Ok(sqlx::query_as(
        "SELECT id, purpose, email, user_id, code_hash, payload FROM one_time_tokens
         WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2",
    )
    .bind(hash_text(hash))
    .bind(now)
    .fetch_optional(db)
    .await?)
}

/// Uses a token up. True for only one of several concurrent callers.
pub async fn use_token(db: &mut AnyConnection, id: &Id, now: Millis) -> Result<bool> {
    let used =
        sqlx::query("UPDATE one_time_tokens SET used_at = $1 WHERE id = $2 AND used_at IS NULL")
            .bind(now)
            .bind(id)
            .execute(db)
            .await?;
    Ok(used.rows_affected() == 1)
}

pub async fn delete_dead_tokens(db: &mut AnyConnection, expired_before: Millis) -> Result<u64> {
    let deleted = sqlx::query("DELETE FROM one_time_tokens WHERE expires_at < $1")
        .bind(expired_before)
        .execute(db)
        .await?;
    Ok(deleted.rows_affected())
}

/// Deletes everything pending in an account's name, which a thief may have started. For when its owner
/// takes the account back by a new password or by signing others out.
pub async fn delete_tokens_of(db: &mut AnyConnection, user_id: &Id) -> Result<()> {
    sqlx::query("DELETE FROM one_time_tokens WHERE user_id = $1").bind(user_id).execute(db).await?;
    Ok(())
}

/// Deletes every link of a purpose that is about one thing.
pub async fn delete_tokens_about(
    db: &mut AnyConnection,
    purpose: &str,
    payload: &str,
) -> Result<()> {
    sqlx::query("DELETE FROM one_time_tokens WHERE purpose = $1 AND payload = $2")
        .bind(purpose)
        .bind(payload)
        .execute(db)
        .await?;
    Ok(())
}

/// A link that is waiting to be used.
#[derive(FromRow)]
pub struct PendingRow {
    pub id: Id,
    pub purpose: String,
    pub email: String,
    pub user_id: Option<Id>,
    pub payload: Option<String>,
    pub created_at: Millis,
    pub expires_at: Millis,
}

const PENDING: &str = "SELECT id, purpose, email, user_id, payload, created_at, expires_at
     FROM one_time_tokens WHERE email IS NOT NULL AND code_hash IS NULL AND used_at IS NULL
       AND expires_at > $1 AND purpose IN ('register', 'password_reset', 'email_change', 'invitation')";

/// Mailed links that still work, the latest first.
pub async fn pending_links(
    db: &mut AnyConnection,
    now: Millis,
    limit: i64,
) -> Result<Vec<PendingRow>> {
    let sql = format!("{PENDING} ORDER BY created_at DESC, id DESC LIMIT $2");
    let rows = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(now).bind(limit);
    Ok(rows.fetch_all(db).await?)
}

pub async fn pending_link(
    db: &mut AnyConnection,
    id: &Id,
    now: Millis,
) -> Result<Option<PendingRow>> {
    let sql = format!("{PENDING} AND id = $2");
    let row = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(now).bind(id);
    Ok(row.fetch_optional(db).await?)
}

/// Deletes the links of a purpose for an address, as it was typed.
pub async fn delete_tokens_for(db: &mut AnyConnection, purpose: &str, email: &str) -> Result<()> {
    sqlx::query("DELETE FROM one_time_tokens WHERE purpose = $1 AND email = $2")
        .bind(purpose)
        .bind(email)
        .execute(db)
        .await?;
    Ok(())
}
