use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use atrium_core::db::page::Page;
use atrium_core::db::page::PageOf;
use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

#[derive(FromRow)]
pub struct NotificationRow {
    pub id: Id,
    pub notice: String,
    pub created_at: Millis,
    pub read_at: Option<Millis>,
}

pub async fn insert(
    db: &mut AnyConnection,
    id: &Id,
    user_id: &Id,
    notice: &str,
    at: Millis,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO notifications (id, user_id, notice, created_at) VALUES ($1, $2, $3, $4)",
    )
    .bind(id)
    .bind(user_id)
    .bind(notice)
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

/// Newest first.
pub async fn list(
    db: &mut AnyConnection,
    user_id: &Id,
    only_unread: bool,
    page: Page,
) -> Result<(Vec<NotificationRow>, i64)> {
    const FOUND: &str = "FROM notifications WHERE user_id = $1 AND ($2 = 0 OR read_at IS NULL)";
    let rows =
        format!("SELECT id, notice, created_at, read_at {FOUND} ORDER BY created_at DESC, id DESC");
    let list = PageOf::new([user_id.into(), only_unread.into()], page);
    list.fetch(db, &rows, &format!("SELECT COUNT(*) {FOUND}")).await
}

pub async fn unread(db: &mut AnyConnection, user_id: &Id) -> Result<i64> {
    Ok(sqlx::query_scalar(
        "SELECT COUNT(*) FROM notifications WHERE user_id = $1 AND read_at IS NULL",
    )
    .bind(user_id)
    .fetch_one(db)
    .await?)
}

/// Marks one of the person's own notifications, or all of them.
pub async fn mark_read(
    db: &mut AnyConnection,
    user_id: &Id,
    id: Option<&Id>,
    now: Millis,
) -> Result<()> {
    sqlx::query(
        "UPDATE notifications SET read_at = $1
         WHERE user_id = $2 AND read_at IS NULL AND ($3 = '' OR id = $3)",
    )
    .bind(now)
    .bind(user_id)
    .bind(id.map_or("", Id::as_str))
    .execute(db)
    .await?;
    Ok(())
}

pub async fn delete_before(db: &mut AnyConnection, before: Millis) -> Result<u64> {
    let deleted = sqlx::query("DELETE FROM notifications WHERE created_at < $1")
        .bind(before)
        .execute(db)
        .await?;
    Ok(deleted.rows_affected())
}
