//! All SQL of erasures.

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use super::SubjectKind;
use atrium_core::db::page::Page;
use atrium_core::db::page::PageOf;
use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

#[derive(FromRow)]
pub struct ErasureRow {
    pub id: Id,
    pub app_id: Id,
    pub kind: String,
    pub subject: Option<String>,
    pub hint: String,
    pub state: String,
    pub asked_by: Option<Id>,
    pub asker: Option<String>,
    pub asked_at: Millis,
    pub done_at: Option<Millis>,
    pub events: Option<i64>,
    pub tries: i64,
}

const SELECT: &str = "SELECT erasures.id, erasures.app_id, erasures.kind, erasures.subject,
        erasures.hint, erasures.state, erasures.asked_by, users.name AS asker, erasures.asked_at,
        erasures.done_at, erasures.events, erasures.tries
     FROM erasures LEFT JOIN users ON users.id = erasures.asked_by";

pub struct NewErasure<'a> {
    pub id: &'a Id,
    pub app_id: &'a Id,
    pub kind: SubjectKind,
    pub subject_sealed: &'a str,
    pub hint: &'a str,
    pub asked_by: &'a Id,
    pub at: Millis,
}

pub async fn insert(db: &mut AnyConnection, erasure: &NewErasure<'_>) -> Result<()> {
    sqlx::query(
        "INSERT INTO erasures (id, app_id, kind, subject, hint, state, asked_by, asked_at)
         VALUES ($1, $2, $3, $4, $5, 'pending', $6, $7)",
    )
    .bind(erasure.id)
    .bind(erasure.app_id)
    .bind(erasure.kind.as_str())
    .bind(erasure.subject_sealed)
    .bind(erasure.hint)
    .bind(erasure.asked_by)
    .bind(erasure.at)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn one(db: &mut AnyConnection, id: &Id) -> Result<Option<ErasureRow>> {
    let sql = format!("{SELECT} WHERE erasures.id = $1");
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(id).fetch_optional(db).await?)
}

pub async fn list(
    db: &mut AnyConnection,
    app_id: &Id,
    page: &Page,
) -> Result<(Vec<ErasureRow>, i64)> {
    let rows = format!(
        "{SELECT} WHERE erasures.app_id = $1 ORDER BY erasures.asked_at DESC, erasures.id DESC"
    );
    let count = "SELECT COUNT(*) FROM erasures WHERE app_id = $1";
    PageOf::new([app_id.into()], *page).fetch(db, &rows, count).await
}

/// How many of an app's erasures are not done yet.
pub async fn open_count(db: &mut AnyConnection, app_id: &Id) -> Result<i64> {
    Ok(sqlx::query_scalar(
        "SELECT COUNT(*) FROM erasures WHERE app_id = $1 AND state IN ('pending', 'running')",
    )
    .bind(app_id)
    .fetch_one(db)
    .await?)
}

/// Erasures to carry out, including those interrupted by a crash.
pub async fn due(db: &mut AnyConnection) -> Result<Vec<ErasureRow>> {
    let sql = format!(
        "{SELECT} WHERE erasures.state IN ('pending', 'running') ORDER BY erasures.tries, erasures.asked_at LIMIT 50"
    );
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).fetch_all(db).await?)
}

pub async fn begin(db: &mut AnyConnection, id: &Id) -> Result<()> {
    sqlx::query("UPDATE erasures SET state = 'running', tries = tries + 1 WHERE id = $1")
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn fail(db: &mut AnyConnection, id: &Id, at: Millis) -> Result<()> {
    sqlx::query("UPDATE erasures SET state = 'failed', done_at = $1 WHERE id = $2")
        .bind(at)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// Marks an erasure as done: from here on nobody can read whom it was about.
pub async fn finish(
    db: &mut AnyConnection,
    id: &Id,
    hint: &str,
    events: i64,
    at: Millis,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE erasures SET state = 'done', subject = NULL, hint = $1, events = $2, done_at = $3
         WHERE id = $4 AND state = 'running'",
    )
    .bind(hint)
    .bind(events)
    .bind(at)
    .bind(id)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}
