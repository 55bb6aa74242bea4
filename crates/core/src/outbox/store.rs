use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use super::Channel;
use crate::error::Result;
use crate::types::{Id, Millis};

/// A leased message. `leased_until` also tells this lease from any other on the same message.
#[derive(FromRow)]
pub struct Leased {
    pub id: Id,
    pub body: String,
    pub created_at: Millis,
    pub tries: i64,
    pub leased_until: Millis,
}

pub async fn insert(
    db: &mut AnyConnection,
    id: &Id,
    channel: Channel,
    body: &str,
    now: Millis,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO outbox (id, channel, body, created_at, next_try_at, tries, leased_until)
         VALUES ($1, $2, $3, $4, $4, 0, 0)",
    )
    .bind(id)
    .bind(channel.as_str())
    .bind(body)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Leases the next due message. The update decides between two instances: the second finds the row
/// leased and gets nothing this time.
pub async fn lease(
    db: &mut AnyConnection,
    channel: Channel,
    only_first_tries: bool,
    now: Millis,
    until: Millis,
) -> Result<Option<Leased>> {
    let most_tries = if only_first_tries { 0 } else { i64::MAX };
    Ok(sqlx::query_as(
        "UPDATE outbox SET leased_until = $2
         WHERE leased_until <= $1 AND id = (
             SELECT id FROM outbox
             WHERE channel = $3 AND next_try_at <= $1 AND leased_until <= $1 AND tries <= $4
             ORDER BY next_try_at, id LIMIT 1)
         RETURNING id, body, created_at, tries, leased_until",
    )
    .bind(now)
    .bind(until)
    .bind(channel.as_str())
    .bind(most_tries)
    .fetch_optional(db)
    .await?)
}

pub async fn delete(db: &mut AnyConnection, id: &Id) -> Result<()> {
    sqlx::query("DELETE FROM outbox WHERE id = $1").bind(id).execute(db).await?;
    Ok(())
}

/// Returns whether the lease was still ours, as `postpone` and `retry_at` do. If not, nothing is changed.
pub async fn delete_leased(db: &mut AnyConnection, message: &Leased) -> Result<bool> {
    let query = sqlx::query("DELETE FROM outbox WHERE id = $1 AND leased_until = $2");
    let done = query.bind(&message.id).bind(message.leased_until).execute(db).await?;
    Ok(done.rows_affected() == 1)
}

/// Does not count as an attempt.
pub async fn postpone(db: &mut AnyConnection, message: &Leased, until: Millis) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE outbox SET next_try_at = $3, leased_until = 0 WHERE id = $1 AND leased_until = $2",
    )
    .bind(&message.id)
    .bind(message.leased_until)
    .bind(until)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn retry_at(
    db: &mut AnyConnection,
    message: &Leased,
    at: Millis,
    error: &str,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE outbox SET tries = tries + 1, next_try_at = $3, leased_until = 0, last_error = $4
         WHERE id = $1 AND leased_until = $2",
    )
    .bind(&message.id)
    .bind(message.leased_until)
    .bind(at)
    .bind(error)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Everything else due on a channel that is down would fail too: counts as an attempt.
pub async fn hold_back(
    db: &mut AnyConnection,
    channel: Channel,
    now: Millis,
    until: Millis,
    error: &str,
) -> Result<()> {
    sqlx::query(
        "UPDATE outbox SET tries = tries + 1, next_try_at = $3, last_error = $4
         WHERE channel = $1 AND next_try_at <= $2 AND leased_until <= $2",
    )
    .bind(channel.as_str())
    .bind(now)
    .bind(until)
    .bind(error)
    .execute(db)
    .await?;
    Ok(())
}

/// Per channel, how many messages are waiting and when the oldest was created.
pub async fn waiting(db: &mut AnyConnection) -> Result<Vec<(String, i64, Millis)>> {
    let sql = "SELECT channel, COUNT(*), MIN(created_at) FROM outbox GROUP BY channel";
    Ok(sqlx::query_as(sql).fetch_all(db).await?)
}
