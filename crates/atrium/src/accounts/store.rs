//! All SQL of users, sessions and one-time tokens.

use sqlx::{AnyConnection, FromRow};

use super::session::{Principal, TokenHash, hash_text};
use super::{AppEntry, Bindings, CurrentUser, Mfa, notifications};
use crate::app::AppState;
use crate::apps;
use crate::error::Result;
use crate::http::page::Page;
use crate::http::text::Email;
use crate::orgs;
use crate::types::{Id, Millis};

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
}

const USER: &str = "SELECT id, email, name, locale, timezone, password_hash, email_verified_at, \
    last_login_at, last_app_id, notification_types, created_at, disabled_at FROM users";

#[derive(FromRow)]
pub struct SessionRow {
    pub id: Id,
    pub user_id: Id,
    pub created_at: Millis,
    pub last_seen_at: Millis,
}

pub struct NewSession {
    pub id: Id,
    pub user_id: Id,
    pub token_hash: TokenHash,
    pub at: Millis,
    pub ip: String,
    pub user_agent: String,
}

pub struct NewUser<'a> {
    pub id: &'a Id,
    pub email: &'a Email,
    pub name: &'a str,
    pub locale: &'a str,
    pub timezone: &'a str,
    pub password_hash: &'a str,
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

/// False when the address has an account already.
pub async fn insert_user(db: &mut AnyConnection, user: NewUser<'_>) -> Result<bool> {
    let inserted = sqlx::query(
        "INSERT INTO users (id, email, email_normalized, name, locale, timezone, password_hash,
            email_verified_at, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
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

/// The person behind a session token, unless the session is unknown or the account disabled.
pub async fn principal(
    atrium: &AppState,
    hash: &TokenHash,
    epoch: i64,
) -> Result<Option<Principal>> {
    let mut db = atrium.db.read().await?;
    let session: Option<SessionRow> = sqlx::query_as(
        "SELECT id, user_id, created_at, last_seen_at FROM sessions WHERE token_hash = $1",
    )
    .bind(hash_text(hash))
    .fetch_optional(&mut *db)
    .await?;
    let Some(session) = session else { return Ok(None) };
    let user = current_user(atrium, &mut db, &session.user_id).await?;
    Ok(user.map(|user| Principal::new(session, user, epoch)))
}

/// A user who is not disabled, with all that is derived.
pub async fn current_user(
    atrium: &AppState,
    db: &mut AnyConnection,
    id: &Id,
) -> Result<Option<CurrentUser>> {
    let user = user_by_id(db, id).await?.filter(|user| user.disabled_at.is_none());
    let Some(user) = user else { return Ok(None) };
    let runs_an_org = orgs::store::runs_any(db, id).await?;
    let entry = apps::store::entry_for(db, id, user.last_app_id.as_ref()).await?;
    let console = &atrium.settings.console;
    let last_app = entry.map(|app| AppEntry {
        // An app whose region left the settings is still reachable here.
        endpoint: console
            .endpoint(&app.region)
            .map_or_else(|| atrium.settings.server.link(""), str::to_owned),
        is_local: console.is_local(&app.region),
        org_id: app.org_id,
        app_id: app.id,
    });
    Ok(Some(CurrentUser {
        allow_visited_app: runs_an_org || last_app.is_some(),
        id: user.id,
        email: user.email,
        name: user.name,
        locale: user.locale,
        timezone: user.timezone,
        email_verified_at: user.email_verified_at,
        last_login_at: user.last_login_at,
        created_at: user.created_at,
        notification_types: notifications::channels(user.notification_types.as_deref()),
        bindings: Bindings { wechatwork: None, feishu: None },
        mfa: Mfa { totp: false, passkeys: 0 },
        last_app,
    }))
}

pub async fn insert_session(db: &mut AnyConnection, session: &NewSession) -> Result<()> {
    sqlx::query(
        "INSERT INTO sessions (id, user_id, token_hash, created_at, last_seen_at, ip, user_agent)
         VALUES ($1, $2, $3, $4, $4, $5, $6)",
    )
    .bind(&session.id)
    .bind(&session.user_id)
    .bind(hash_text(&session.token_hash))
    .bind(session.at)
    .bind(&session.ip)
    .bind(&session.user_agent)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn touch_session(db: &mut AnyConnection, id: &Id, at: Millis) -> Result<()> {
    sqlx::query("UPDATE sessions SET last_seen_at = $1 WHERE id = $2")
        .bind(at)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn delete_session(db: &mut AnyConnection, hash: &TokenHash) -> Result<()> {
    sqlx::query("DELETE FROM sessions WHERE token_hash = $1")
        .bind(hash_text(hash))
        .execute(db)
        .await?;
    Ok(())
}

pub async fn delete_dead_sessions(
    db: &mut AnyConnection,
    seen_before: Millis,
    made_before: Millis,
) -> Result<u64> {
    let deleted = sqlx::query("DELETE FROM sessions WHERE last_seen_at < $1 OR created_at < $2")
        .bind(seen_before)
        .bind(made_before)
        .execute(db)
        .await?;
    Ok(deleted.rows_affected())
}

#[derive(FromRow)]
pub struct TokenRow {
    pub id: Id,
    pub purpose: String,
    pub email: Option<String>,
    pub user_id: Option<Id>,
}

pub struct NewToken<'a> {
    pub id: &'a Id,
    pub purpose: &'a str,
    pub hash: &'a TokenHash,
    /// The address it was sent to.
    pub email: Option<&'a str>,
    pub user_id: Option<&'a Id>,
    pub code_hash: Option<&'a str>,
    pub at: Millis,
    pub expires_at: Millis,
}

pub async fn insert_token(db: &mut AnyConnection, token: NewToken<'_>) -> Result<()> {
    sqlx::query(
        "INSERT INTO one_time_tokens
            (id, purpose, token_hash, email, user_id, code_hash, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(token.id)
    .bind(token.purpose)
    .bind(hash_text(token.hash))
    .bind(token.email)
    .bind(token.user_id)
    .bind(token.code_hash)
    .bind(token.at)
    .bind(token.expires_at)
    .execute(db)
    .await?;
    Ok(())
}

/// Takes one of a code's tries. None when it is unknown, used, expired or tried out.
pub async fn try_code(
    db: &mut AnyConnection,
    purpose: &str,
    hash: &TokenHash,
    email: &Email,
    now: Millis,
    tries: i64,
) -> Result<Option<CodeRow>> {
    Ok(sqlx::query_as(
        "UPDATE one_time_tokens SET tries = tries + 1
         WHERE token_hash = $1 AND purpose = $2 AND email = $3 AND used_at IS NULL
           AND expires_at > $4 AND tries < $5
         RETURNING id, user_id, code_hash",
    )
    .bind(hash_text(hash))
    .bind(purpose)
    .bind(&email.normalized)
    .bind(now)
    .bind(tries)
    .fetch_optional(db)
    .await?)
}

#[derive(FromRow)]
pub struct CodeRow {
    pub id: Id,
    pub user_id: Option<Id>,
    pub code_hash: Option<String>,
}

/// A token that can still be used.
pub async fn live_token(
    db: &mut AnyConnection,
    hash: &TokenHash,
    now: Millis,
) -> Result<Option<TokenRow>> {
    Ok(sqlx::query_as(
        "SELECT id, purpose, email, user_id FROM one_time_tokens
         WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2",
    )
    .bind(hash_text(hash))
    .bind(now)
    .fetch_optional(db)
    .await?)
}

/// Uses a token up; of several who try at once, one is told true.
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

/// Whether nobody has made the first account yet.
pub async fn awaits_setup(db: &mut AnyConnection) -> Result<bool> {
    let setup_at: Option<Millis> =
        sqlx::query_scalar("SELECT setup_at FROM instance").fetch_one(db).await?;
    Ok(setup_at.is_none())
}

/// Notes that the first account is made; of several who try at once, one is told true.
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
        "UPDATE users SET name = COALESCE($1, name), locale = COALESCE($2, locale),
            timezone = COALESCE($3, timezone) WHERE id = $4",
    )
    .bind(change.name)
    .bind(change.locale)
    .bind(change.timezone)
    .bind(id)
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

/// Sets a password. Whoever got here through the address has also proven it.
pub async fn update_password(db: &mut AnyConnection, id: &Id, hash: &str) -> Result<()> {
    sqlx::query("UPDATE users SET password_hash = $1 WHERE id = $2")
        .bind(hash)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// Links that were asked for before a password changed must not change it again.
pub async fn delete_tokens_of(db: &mut AnyConnection, user_id: &Id, purpose: &str) -> Result<()> {
    sqlx::query("DELETE FROM one_time_tokens WHERE user_id = $1 AND purpose = $2")
        .bind(user_id)
        .bind(purpose)
        .execute(db)
        .await?;
    Ok(())
}

#[derive(FromRow)]
pub struct SessionListRow {
    pub id: Id,
    pub created_at: Millis,
    pub last_seen_at: Millis,
    pub ip: String,
    pub user_agent: String,
}

pub async fn sessions_of(
    db: &mut AnyConnection,
    user_id: &Id,
    page: Page,
) -> Result<(Vec<SessionListRow>, i64)> {
    let rows = sqlx::query_as(
        "SELECT id, created_at, last_seen_at, ip, user_agent FROM sessions WHERE user_id = $1
         ORDER BY last_seen_at DESC, id LIMIT $2 OFFSET $3",
    )
    .bind(user_id)
    .bind(page.limit)
    .bind(page.offset)
    .fetch_all(&mut *db)
    .await?;
    let total = sqlx::query_scalar("SELECT COUNT(*) FROM sessions WHERE user_id = $1")
        .bind(user_id)
        .fetch_one(db)
        .await?;
    Ok((rows, total))
}

/// False when the user has no such session.
pub async fn delete_session_of(db: &mut AnyConnection, user_id: &Id, id: &Id) -> Result<bool> {
    let deleted = sqlx::query("DELETE FROM sessions WHERE user_id = $1 AND id = $2")
        .bind(user_id)
        .bind(id)
        .execute(db)
        .await?;
    Ok(deleted.rows_affected() == 1)
}

/// Ends every session of a user, but for the one that is to stay.
pub async fn delete_sessions_of(
    db: &mut AnyConnection,
    user_id: &Id,
    except: Option<&Id>,
) -> Result<u64> {
    let deleted = sqlx::query("DELETE FROM sessions WHERE user_id = $1 AND id <> $2")
        .bind(user_id)
        .bind(except.map_or("", Id::as_str))
        .execute(db)
        .await?;
    Ok(deleted.rows_affected())
}
