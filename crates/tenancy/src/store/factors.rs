//! All SQL of second factors and passkeys.

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

#[derive(FromRow)]
pub struct TotpRow {
    /// Sealed.
    pub secret: String,
    pub created_at: Millis,
    pub confirmed_at: Option<Millis>,
}

pub async fn totp(db: &mut AnyConnection, user_id: &Id) -> Result<Option<TotpRow>> {
    Ok(sqlx::query_as(
        "SELECT secret, created_at, confirmed_at FROM totp_factors WHERE user_id = $1",
    )
    .bind(user_id)
    .fetch_optional(db)
    .await?)
}

/// Whether signing in requires a code.
pub async fn has_totp(db: &mut AnyConnection, user_id: &Id) -> Result<bool> {
    Ok(totp(db, user_id).await?.is_some_and(|row| row.confirmed_at.is_some()))
}

/// Begins or restarts an enrollment. False when a factor is already on.
pub async fn begin_totp(
    db: &mut AnyConnection,
    user_id: &Id,
    secret: &str,
    now: Millis,
) -> Result<bool> {
    let begun = sqlx::query(
        "INSERT INTO totp_factors (user_id, secret, created_at, last_step) VALUES ($1, $2, $3, 0)
         ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, created_at = excluded.created_at
         WHERE totp_factors.confirmed_at IS NULL",
    )
    .bind(user_id)
    .bind(secret)
    .bind(now)
    .execute(db)
    .await?;
    Ok(begun.rows_affected() == 1)
}

/// Turns the factor on and uses up the code that proved it. True for only one of several concurrent
/// callers.
pub async fn confirm_totp(
    db: &mut AnyConnection,
    user_id: &Id,
    secret: &str,
    step: i64,
    now: Millis,
) -> Result<bool> {
    let confirmed = sqlx::query(
        "UPDATE totp_factors SET confirmed_at = $1, last_step = $2
         WHERE user_id = $3 AND secret = $4 AND confirmed_at IS NULL",
    )
    .bind(now)
    .bind(step)
    .bind(user_id)
    .bind(secret)
    .execute(db)
    .await?;
    Ok(confirmed.rows_affected() == 1)
}

/// Uses up a time step and all before it.
pub async fn use_step(db: &mut AnyConnection, user_id: &Id, step: i64) -> Result<bool> {
    let used =
        sqlx::query("UPDATE totp_factors SET last_step = $1 WHERE user_id = $2 AND last_step < $1")
            .bind(step)
            .bind(user_id)
            .execute(db)
            .await?;
    Ok(used.rows_affected() == 1)
}

/// Removes the factor and its recovery codes. False when there was none.
pub async fn delete_totp(db: &mut AnyConnection, user_id: &Id) -> Result<bool> {
    delete_recovery_codes(db, user_id).await?;
    let deleted = sqlx::query("DELETE FROM totp_factors WHERE user_id = $1")
        .bind(user_id)
        .execute(db)
        .await?;
    Ok(deleted.rows_affected() == 1)
}

pub async fn insert_recovery_code(db: &mut AnyConnection, user_id: &Id, hash: &str) -> Result<()> {
    sqlx::query(
        "INSERT INTO recovery_codes (user_id, code_hash) VALUES ($1, $2) ON CONFLICT DO NOTHING",
    )
    .bind(user_id)
    .bind(hash)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn delete_recovery_codes(db: &mut AnyConnection, user_id: &Id) -> Result<()> {
    sqlx::query("DELETE FROM recovery_codes WHERE user_id = $1").bind(user_id).execute(db).await?;
    Ok(())
}

pub async fn use_recovery_code(
    db: &mut AnyConnection,
    user_id: &Id,
    hash: &str,
    now: Millis,
) -> Result<bool> {
    let used = sqlx::query(
        "UPDATE recovery_codes SET used_at = $1
         WHERE user_id = $2 AND code_hash = $3 AND used_at IS NULL",
    )
    .bind(now)
    .bind(user_id)
    .bind(hash)
    .execute(db)
    .await?;
    Ok(used.rows_affected() == 1)
}

pub async fn recovery_codes_left(db: &mut AnyConnection, user_id: &Id) -> Result<i64> {
    Ok(sqlx::query_scalar(
        "SELECT COUNT(*) FROM recovery_codes WHERE user_id = $1 AND used_at IS NULL",
    )
    .bind(user_id)
    .fetch_one(db)
    .await?)
}

#[derive(FromRow)]
pub struct PasskeyRow {
    pub id: Id,
    pub user_id: Id,
    pub credential_id: String,
    pub credential: String,
    pub name: String,
    pub created_at: Millis,
    pub last_used_at: Option<Millis>,
}

const PASSKEY: &str = "SELECT id, user_id, credential_id, credential, name, created_at, \
    last_used_at FROM passkeys";

pub async fn passkeys(db: &mut AnyConnection, user_id: &Id) -> Result<Vec<PasskeyRow>> {
    let sql = format!("{PASSKEY} WHERE user_id = $1 ORDER BY created_at, id");
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(user_id).fetch_all(db).await?)
}

pub async fn passkey_by_credential(
    db: &mut AnyConnection,
    credential_id: &str,
) -> Result<Option<PasskeyRow>> {
    let sql = format!("{PASSKEY} WHERE credential_id = $1");
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(credential_id).fetch_optional(db).await?)
}

pub async fn passkey_of(
    db: &mut AnyConnection,
    user_id: &Id,
    id: &Id,
) -> Result<Option<PasskeyRow>> {
    let sql = format!("{PASSKEY} WHERE user_id = $1 AND id = $2");
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(user_id).bind(id).fetch_optional(db).await?)
}

pub async fn passkey_count(db: &mut AnyConnection, user_id: &Id) -> Result<i64> {
    Ok(sqlx::query_scalar("SELECT COUNT(*) FROM passkeys WHERE user_id = $1")
        .bind(user_id)
        .fetch_one(db)
        .await?)
}

/// False when the credential is already registered, with this account or another.
pub async fn insert_passkey(db: &mut AnyConnection, row: &PasskeyRow) -> Result<bool> {
    let inserted = sqlx::query(
        "INSERT INTO passkeys (id, user_id, credential_id, credential, name, created_at)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (credential_id) DO NOTHING",
    )
    .bind(&row.id)
    .bind(&row.user_id)
    .bind(&row.credential_id)
    .bind(&row.credential)
    .bind(&row.name)
    .bind(row.created_at)
    .execute(db)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

pub async fn note_passkey_use(
    db: &mut AnyConnection,
    id: &Id,
    credential: &str,
    now: Millis,
) -> Result<()> {
    sqlx::query("UPDATE passkeys SET credential = $1, last_used_at = $2 WHERE id = $3")
        .bind(credential)
        .bind(now)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn rename_passkey(db: &mut AnyConnection, id: &Id, name: &str) -> Result<()> {
    sqlx::query("UPDATE passkeys SET name = $1 WHERE id = $2")
        .bind(name)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn delete_passkey(db: &mut AnyConnection, id: &Id) -> Result<()> {
    sqlx::query("DELETE FROM passkeys WHERE id = $1").bind(id).execute(db).await?;
    Ok(())
}

pub async fn delete_passkeys_of(db: &mut AnyConnection, user_id: &Id) -> Result<u64> {
    let deleted =
        sqlx::query("DELETE FROM passkeys WHERE user_id = $1").bind(user_id).execute(db).await?;
    Ok(deleted.rows_affected())
}
