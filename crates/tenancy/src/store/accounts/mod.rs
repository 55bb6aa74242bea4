//! All SQL of accounts: users are here, sessions and one-time tokens in files of their own.

mod sessions;
mod tokens;

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use atrium_core::db::is_unique_violation;
use atrium_core::error::Result;
use atrium_core::names;
use atrium_core::text::Email;
use atrium_core::types::{Id, Millis};

pub use sessions::*;
pub use tokens::*;

#[derive(FromRow)]
pub struct UserRow {
    pub id: Id,
    pub email: String,
    pub name: String,
    pub locale: String,
    pub timezone: String,
    pub password_hash: Option<String>,
    pub email_verified_at: Option<Millis>,
    pub last_login_at: Option<Millis>,
    pub last_app_id: Option<Id>,
    pub notification_types: Option<String>,
    pub created_at: Millis,
    pub disabled_at: Option<Millis>,
    pub operator_at: Option<Millis>,
}

const USER: &str = "SELECT id, email, name, locale, timezone, password_hash, email_verified_at, \
    last_login_at, last_app_id, notification_types, created_at, disabled_at, operator_at \
    FROM users";

pub struct NewUser<'a> {
    pub id: &'a Id,
    pub email: &'a Email,
    pub name: &'a str,
    pub locale: &'a str,
    pub timezone: &'a str,
    /// None for someone who signs in another way.
    pub password_hash: Option<&'a str>,
    pub at: Millis,
}

pub async fn user_by_email(db: &mut AnyConnection, email: &Email) -> Result<Option<UserRow>> {
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(format!("{USER} WHERE email_normalized = $1")))
        .bind(&email.normalized)
        .fetch_optional(db)
        .await?)
}

pub async fn user_by_id(db: &mut AnyConnection, id: &Id) -> Result<Option<UserRow>> {
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(format!("{USER} WHERE id = $1")))
        .bind(id)
        .fetch_optional(db)
        .await?)
}

/// False when the address already has an account.
pub async fn insert_user(db: &mut AnyConnection, user: NewUser<'_>) -> Result<bool> {
    let inserted = sqlx::query(
        "INSERT INTO users (id, email, email_normalized, name, locale, timezone, password_hash,
            email_verified_at, created_at, name_key, name_order)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10)
         ON CONFLICT (email_normalized) DO NOTHING",
    )
    .bind(user.id)
    .bind(&user.email.as_typed)
    .bind(&user.email.normalized)
    .bind(user.name)
    .bind(user.locale)
    .bind(user.timezone)
    .bind(user.password_hash)
    .bind(user.at)
    .bind(user.name.to_lowercase())
    .bind(names::order(user.name))
    .execute(db)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

pub async fn note_login(db: &mut AnyConnection, user_id: &Id, at: Millis) -> Result<()> {
    sqlx::query("UPDATE users SET last_login_at = $1 WHERE id = $2")
        .bind(at)
        .bind(user_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Whether the first account is still to be made.
pub async fn awaits_setup(db: &mut AnyConnection) -> Result<bool> {
    let setup_at: Option<Millis> =
        sqlx::query_scalar("SELECT setup_at FROM instance").fetch_one(db).await?;
    Ok(setup_at.is_none())
}

/// Records that the first account is made. True for only one of several concurrent callers.
pub async fn finish_setup(db: &mut AnyConnection, now: Millis) -> Result<bool> {
    let updated = sqlx::query("UPDATE instance SET setup_at = $1 WHERE setup_at IS NULL")
        .bind(now)
        .execute(db)
        .await?;
    Ok(updated.rows_affected() == 1)
}

pub struct ProfileChange<'a> {
    pub name: Option<&'a str>,
    pub locale: Option<&'a str>,
    pub timezone: Option<&'a str>,
}

pub async fn update_profile(
    db: &mut AnyConnection,
    id: &Id,
    change: &ProfileChange<'_>,
) -> Result<()> {
    sqlx::query(
        "UPDATE users SET name = COALESCE($1, name), name_key = COALESCE($5, name_key),
            name_order = COALESCE($6, name_order), locale = COALESCE($2, locale),
            timezone = COALESCE($3, timezone) WHERE id = $4",
    )
    .bind(change.name)
    .bind(change.locale)
    .bind(change.timezone)
    .bind(id)
    .bind(change.name.map(str::to_lowercase))
    .bind(change.name.map(names::order))
    .execute(db)
    .await?;
    Ok(())
}

pub async fn update_notification_types(db: &mut AnyConnection, id: &Id, json: &str) -> Result<()> {
    sqlx::query("UPDATE users SET notification_types = $1 WHERE id = $2")
        .bind(json)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn set_disabled(db: &mut AnyConnection, id: &Id, at: Option<Millis>) -> Result<()> {
    sqlx::query("UPDATE users SET disabled_at = $1 WHERE id = $2")
        .bind(at)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// Makes someone an operator, or revokes that. False if nothing changed.
pub async fn set_operator(db: &mut AnyConnection, id: &Id, at: Option<Millis>) -> Result<bool> {
    let updated = sqlx::query(
        "UPDATE users SET operator_at = $1
         WHERE id = $2 AND (operator_at IS NULL) = (CAST($1 AS BIGINT) IS NOT NULL)",
    )
    .bind(at)
    .bind(id)
    .execute(db)
    .await?;
    Ok(updated.rows_affected() == 1)
}

pub async fn update_password(db: &mut AnyConnection, id: &Id, hash: &str) -> Result<()> {
    sqlx::query("UPDATE users SET password_hash = $1 WHERE id = $2")
        .bind(hash)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// False when the address belongs to another account; the transaction cannot be used any further then.
pub async fn update_email(
    db: &mut AnyConnection,
    id: &Id,
    email: &Email,
    now: Millis,
) -> Result<bool> {
    let updated = sqlx::query(
        "UPDATE users SET email = $1, email_normalized = $2, email_verified_at = $3 WHERE id = $4",
    )
    .bind(&email.as_typed)
    .bind(&email.normalized)
    .bind(now)
    .bind(id)
    .execute(db)
    .await;
    match updated {
        Ok(_) => Ok(true),
        Err(error) if is_unique_violation(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Deletes the account and everything that belongs to it; its actions stay in the audit log.
pub async fn delete_user(db: &mut AnyConnection, id: &Id) -> Result<()> {
    sqlx::query("DELETE FROM users WHERE id = $1").bind(id).execute(db).await?;
    Ok(())
}

/// Locks an account until the transaction ends. False when it is gone or disabled, or when its password
/// has changed since it was checked.
pub async fn lock_user(
    db: &mut AnyConnection,
    id: &Id,
    checked_hash: Option<&str>,
) -> Result<bool> {
    let held = sqlx::query(
        "UPDATE users SET name = name
         WHERE id = $1 AND disabled_at IS NULL AND ($2 = '' OR password_hash = $2)",
    )
    .bind(id)
    .bind(checked_hash.unwrap_or_default())
    .execute(db)
    .await?;
    Ok(held.rows_affected() == 1)
}
