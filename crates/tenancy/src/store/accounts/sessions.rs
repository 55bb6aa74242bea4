//! All SQL of sessions.

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use crate::token::{TokenHash, hash_text};
use atrium_core::db::page::Page;
use atrium_core::db::page::PageOf;
use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

#[derive(FromRow)]
pub struct SessionRow {
    pub id: Id,
    pub user_id: Id,
    pub created_at: Millis,
    pub last_seen_at: Millis,
    /// When the holder last proved who they are; None for sessions made by an older version.
    pub proven_at: Option<Millis>,
    /// Set if that proof used two factors.
    pub second_factor_at: Option<Millis>,
}

/// What a session has proven, which some organizations require.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    pub session_id: &'a Id,
    /// Whether the person signed in with two factors.
    pub two_factors: bool,
    /// Anyone who became an owner before this now needs a second factor.
    pub factor_due_before: Millis,
}

pub struct NewSession {
    pub id: Id,
    pub user_id: Id,
    pub token_hash: TokenHash,
    pub at: Millis,
    pub ip: String,
    pub user_agent: String,
    pub two_factors: bool,
}

pub async fn session_by_hash(
    db: &mut AnyConnection,
    hash: &TokenHash,
) -> Result<Option<SessionRow>> {
    Ok(sqlx::query_as(
        "SELECT id, user_id, created_at, last_seen_at, proven_at, second_factor_at
         FROM sessions WHERE token_hash = $1",
    )
    .bind(hash_text(hash))
    .fetch_optional(db)
    .await?)
}

pub async fn insert_session(db: &mut AnyConnection, session: &NewSession) -> Result<()> {
    sqlx::query(
        "INSERT INTO sessions (id, user_id, token_hash, created_at, last_seen_at, proven_at, ip,
            user_agent, second_factor_at)
         VALUES ($1, $2, $3, $4, $4, $4, $5, $6, $7)",
    )
    .bind(&session.id)
    .bind(&session.user_id)
    .bind(hash_text(&session.token_hash))
    .bind(session.at)
    .bind(&session.ip)
    .bind(&session.user_agent)
    .bind(session.two_factors.then_some(session.at))
    .execute(db)
    .await?;
    Ok(())
}

/// The organizations through whose providers this session signed in.
pub async fn orgs_of_session(
    db: &mut AnyConnection,
    hash: &TokenHash,
    user_id: &Id,
) -> Result<Vec<Id>> {
    Ok(sqlx::query_scalar(
        "SELECT session_orgs.org_id FROM session_orgs
         JOIN sessions ON sessions.id = session_orgs.session_id
         WHERE sessions.token_hash = $1 AND sessions.user_id = $2",
    )
    .bind(hash_text(hash))
    .bind(user_id)
    .fetch_all(db)
    .await?)
}

/// Records that a session signed in through an organization's provider.
pub async fn note_session_org(
    db: &mut AnyConnection,
    id: &Id,
    org_id: &Id,
    at: Millis,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO session_orgs (session_id, org_id, came_at) VALUES ($1, $2, $3)
         ON CONFLICT (session_id, org_id) DO UPDATE SET came_at = excluded.came_at",
    )
    .bind(id)
    .bind(org_id)
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

/// Copies the recent provider sign-ins of the same person's previous session.
pub async fn carry_session_orgs(
    db: &mut AnyConnection,
    old: &TokenHash,
    new: &NewSession,
    since: Millis,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO session_orgs (session_id, org_id, came_at)
         SELECT $1, session_orgs.org_id, session_orgs.came_at FROM session_orgs
         JOIN sessions ON sessions.id = session_orgs.session_id
         WHERE sessions.token_hash = $2 AND sessions.user_id = $3 AND session_orgs.came_at > $4
         ON CONFLICT DO NOTHING",
    )
    .bind(&new.id)
    .bind(hash_text(old))
    .bind(&new.user_id)
    .bind(since)
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

/// Locks a session until the transaction ends. False when it is gone, or belongs to someone else.
pub async fn lock_session(db: &mut AnyConnection, id: &Id, user_id: &Id) -> Result<bool> {
    let held = sqlx::query(
        "UPDATE sessions SET user_id = user_id WHERE id = $1 AND user_id = (
             SELECT id FROM users WHERE id = $2 AND disabled_at IS NULL)",
    )
    .bind(id)
    .bind(user_id)
    .execute(db)
    .await?;
    Ok(held.rows_affected() == 1)
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
    let rows = "SELECT id, created_at, last_seen_at, ip, user_agent FROM sessions
         WHERE user_id = $1 ORDER BY last_seen_at DESC, id";
    let count = "SELECT COUNT(*) FROM sessions WHERE user_id = $1";
    PageOf::new([user_id.into()], page).fetch(db, rows, count).await
}

/// Keeps this many sessions of a user, the ones seen most recently.
pub async fn delete_sessions_beyond(db: &mut AnyConnection, user_id: &Id, most: i64) -> Result<()> {
    sqlx::query(
        "DELETE FROM sessions WHERE user_id = $1 AND id NOT IN (
            SELECT id FROM sessions WHERE user_id = $1
            ORDER BY last_seen_at DESC, id DESC LIMIT $2)",
    )
    .bind(user_id)
    .bind(most)
    .execute(db)
    .await?;
    Ok(())
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

/// Ends every session of a user, except the one to keep.
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

pub async fn note_proof(db: &mut AnyConnection, id: &Id, now: Millis) -> Result<()> {
    sqlx::query("UPDATE sessions SET proven_at = $1 WHERE id = $2")
        .bind(now)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn note_second_factor(db: &mut AnyConnection, id: &Id, now: Millis) -> Result<()> {
    sqlx::query("UPDATE sessions SET second_factor_at = $1 WHERE id = $2")
        .bind(now)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn forget_second_factor(db: &mut AnyConnection, user_id: &Id) -> Result<()> {
    sqlx::query("UPDATE sessions SET second_factor_at = NULL WHERE user_id = $1")
        .bind(user_id)
        .execute(db)
        .await?;
    Ok(())
}
