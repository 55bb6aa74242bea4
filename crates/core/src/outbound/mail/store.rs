use sqlx::{AnyConnection, FromRow};

use crate::error::Result;
use crate::types::{Id, Millis};

#[derive(FromRow)]
pub struct MailRow {
    pub id: Id,
    pub letter: String,
    pub created_at: Millis,
    pub tries: i64,
}

pub async fn insert(db: &mut AnyConnection, id: &Id, letter: &str, now: Millis) -> Result<()> {
    sqlx::query(
        "INSERT INTO mails (id, letter, created_at, next_try_at, tries, leased_until)
         VALUES ($1, $2, $3, $3, 0, 0)",
    )
    .bind(id)
    .bind(letter)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Takes what is due and nobody else works on. The update is what decides between two instances.
pub async fn lease(db: &mut AnyConnection, now: Millis, until: Millis) -> Result<Vec<MailRow>> {
    Ok(sqlx::query_as(
        "UPDATE mails SET leased_until = $2
         WHERE leased_until <= $1 AND id IN (
             SELECT id FROM mails WHERE next_try_at <= $1 AND leased_until <= $1
             ORDER BY next_try_at, id LIMIT 10)
         RETURNING id, letter, created_at, tries",
    )
    .bind(now)
    .bind(until)
    .fetch_all(db)
    .await?)
}

pub async fn delete(db: &mut AnyConnection, id: &Id) -> Result<()> {
    sqlx::query("DELETE FROM mails WHERE id = $1").bind(id).execute(db).await?;
    Ok(())
}

pub async fn postpone(db: &mut AnyConnection, id: &Id, until: Millis, error: &str) -> Result<()> {
    let error: String = error.chars().filter(|c| *c != '\0').take(500).collect();
    sqlx::query(
        "UPDATE mails SET tries = tries + 1, next_try_at = $2, leased_until = 0, last_error = $3
         WHERE id = $1",
    )
    .bind(id)
    .bind(until)
    .bind(error)
    .execute(db)
    .await?;
    Ok(())
}
