//! All SQL about error reports.

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use super::event::Event;
use atrium_core::Core;
use atrium_core::db::page::Page;
use atrium_core::db::page::PageOf;
use atrium_core::error::Result;
use atrium_core::http::list::Listing;
use atrium_core::types::{Id, Millis};

#[derive(FromRow)]
pub struct GroupRow {
    pub id: Id,
    pub kind: String,
    pub message: String,
    pub reports: i64,
    pub people: i64,
    pub first_seen_at: Millis,
    pub last_seen_at: Millis,
}

const GROUP: &str = "SELECT id, kind, message, reports, first_seen_at, last_seen_at,
        (SELECT COUNT(*) FROM error_people WHERE group_id = error_groups.id) AS people
     FROM error_groups";

#[derive(FromRow)]
pub struct ReportRow {
    pub id: Id,
    pub user_id: Option<Id>,
    pub person: Option<String>,
    pub replay_id: Option<String>,
    pub route: String,
    pub release: String,
    pub browser: String,
    pub at: Millis,
    pub event: String,
    pub pieces: i64,
}

const REPORT: &str = "SELECT error_reports.id, error_reports.user_id, users.name AS person,
        error_reports.replay_id, error_reports.route, error_reports.release,
        error_reports.browser, error_reports.at, error_reports.event,
        (SELECT COUNT(*) FROM error_replays WHERE error_replays.replay_id = error_reports.replay_id
            AND error_replays.user_id = error_reports.user_id) AS pieces
     FROM error_reports LEFT JOIN users ON users.id = error_reports.user_id";

pub struct NewReport<'a> {
    pub user_id: Option<&'a Id>,
    pub browser: &'a str,
    pub at: Millis,
    pub text: &'a str,
    pub event: &'a Event,
}

/// False if it was already sent.
pub async fn insert(db: &mut AnyConnection, atrium: &Core, report: &NewReport<'_>) -> Result<bool> {
    let event = report.event;
    let known: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM error_reports WHERE event_id = $1")
        .bind(&event.event_id)
        .fetch_one(&mut *db)
        .await?;
    if known > 0 {
        return Ok(false);
    }
    let group_id = count_in(db, &atrium.new_id(), event, report.at).await?;
    if let Some(user_id) = report.user_id {
        sqlx::query(
            "INSERT INTO error_people (group_id, user_id) VALUES ($1, $2)
             ON CONFLICT (group_id, user_id) DO NOTHING",
        )
        .bind(&group_id)
        .bind(user_id)
        .execute(&mut *db)
        .await?;
    }
    let inserted = sqlx::query(
        "INSERT INTO error_reports (id, group_id, user_id, event_id, replay_id, route, release,
            browser, at, bytes, event)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT (event_id) DO NOTHING",
    )
    .bind(atrium.new_id())
    .bind(&group_id)
    .bind(report.user_id)
    .bind(&event.event_id)
    .bind(&event.replay_id)
    .bind(&event.route)
    .bind(&event.release)
    .bind(report.browser)
    .bind(report.at)
    .bind(length(report.text))
    .bind(report.text)
    .execute(db)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Adds to the count of its group, and returns the group. The group takes the latest message.
async fn count_in(db: &mut AnyConnection, new_id: &Id, event: &Event, at: Millis) -> Result<Id> {
    let search_key = format!("{} {}", event.kind, event.message).to_lowercase();
    Ok(sqlx::query_scalar(
        "INSERT INTO error_groups (id, fingerprint, kind, message, search_key, reports,
            first_seen_at, last_seen_at)
         VALUES ($1, $2, $3, $4, $5, 1, $6, $6)
         ON CONFLICT (fingerprint) DO UPDATE SET reports = error_groups.reports + 1,
            message = $4, search_key = $5, last_seen_at = $6
         RETURNING id",
    )
    .bind(new_id)
    .bind(&event.fingerprint)
    .bind(&event.kind)
    .bind(&event.message)
    .bind(search_key)
    .bind(at)
    .fetch_one(db)
    .await?)
}

pub struct NewPiece<'a> {
    pub id: &'a Id,
    pub replay_id: &'a str,
    pub segment: i64,
    pub user_id: &'a Id,
    pub at: Millis,
    pub recording: &'a str,
}

/// False if it was already sent.
pub async fn insert_piece(db: &mut AnyConnection, piece: &NewPiece<'_>) -> Result<bool> {
    let inserted = sqlx::query(
        "INSERT INTO error_replays (id, replay_id, segment, user_id, at, bytes, recording)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (replay_id, user_id, segment) DO NOTHING",
    )
    .bind(piece.id)
    .bind(piece.replay_id)
    .bind(piece.segment)
    .bind(piece.user_id)
    .bind(piece.at)
    .bind(length(piece.recording))
    .bind(piece.recording)
    .execute(db)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

fn length(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}

pub async fn groups(db: &mut AnyConnection, listing: &Listing) -> Result<(Vec<GroupRow>, i64)> {
    const FOUND: &str = "WHERE ($1 = '' OR search_key LIKE $1 ESCAPE '\\')";
    PageOf::new([(&listing.pattern).into()], listing.page)
        .fetch(
            db,
            &format!("{GROUP} {FOUND} ORDER BY {}", listing.order_by),
            &format!("SELECT COUNT(*) FROM error_groups {FOUND}"),
        )
        .await
}

pub async fn group(db: &mut AnyConnection, id: &Id) -> Result<Option<GroupRow>> {
    let sql = format!("{GROUP} WHERE id = $1");
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(id).fetch_optional(db).await?)
}

/// The reports of a group, newest first.
pub async fn reports(
    db: &mut AnyConnection,
    group_id: &Id,
    page: Page,
) -> Result<(Vec<ReportRow>, i64)> {
    let rows = format!(
        "{REPORT} WHERE error_reports.group_id = $1
         ORDER BY error_reports.at DESC, error_reports.id DESC"
    );
    let count = "SELECT COUNT(*) FROM error_reports WHERE group_id = $1";
    PageOf::new([group_id.into()], page).fetch(db, &rows, count).await
}

pub async fn report(db: &mut AnyConnection, id: &Id) -> Result<Option<ReportRow>> {
    let sql = format!("{REPORT} WHERE error_reports.id = $1");
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(id).fetch_optional(db).await?)
}

/// The pieces of a person's recording, in order.
pub async fn pieces(db: &mut AnyConnection, replay_id: &str, user_id: &Id) -> Result<Vec<String>> {
    Ok(sqlx::query_scalar(
        "SELECT recording FROM error_replays WHERE replay_id = $1 AND user_id = $2 ORDER BY segment",
    )
    .bind(replay_id)
    .bind(user_id)
    .fetch_all(db)
    .await?)
}

/// Deletes a group, its reports and their recordings.
pub async fn delete_group(db: &mut AnyConnection, id: &Id) -> Result<bool> {
    sqlx::query(
        "DELETE FROM error_replays WHERE EXISTS (SELECT 1 FROM error_reports
            WHERE error_reports.group_id = $1 AND error_reports.replay_id = error_replays.replay_id
            AND error_reports.user_id = error_replays.user_id)",
    )
    .bind(id)
    .execute(&mut *db)
    .await?;
    let gone = sqlx::query("DELETE FROM error_groups WHERE id = $1").bind(id).execute(db).await?;
    Ok(gone.rows_affected() == 1)
}

/// A person's own reports, for their data export.
#[derive(FromRow)]
pub struct OwnReportRow {
    pub id: Id,
    pub at: Millis,
    pub kind: String,
    pub message: String,
    pub route: String,
    pub browser: String,
}

pub async fn of_person(
    db: &mut AnyConnection,
    user_id: &Id,
    page: Page,
) -> Result<(Vec<OwnReportRow>, i64)> {
    let list = PageOf::new([user_id.into()], page);
    let sql = format!(
        "SELECT error_reports.id, error_reports.at, error_groups.kind, error_groups.message,
            error_reports.route, error_reports.browser
         FROM error_reports JOIN error_groups ON error_groups.id = error_reports.group_id
         WHERE error_reports.user_id = $1 ORDER BY error_reports.at DESC {}",
        list.cut()
    );
    let rows = list.rows(db, sql).await?;
    let pieces = sqlx::query_scalar(
        "SELECT COUNT(DISTINCT replay_id) FROM error_replays WHERE user_id = $1",
    )
    .bind(user_id)
    .fetch_one(db)
    .await?;
    Ok((rows, pieces))
}

pub async fn delete_before(db: &mut AnyConnection, before: Millis) -> Result<u64> {
    let mut gone = 0;
    for statement in [
        "DELETE FROM error_reports WHERE at < $1",
        "DELETE FROM error_replays WHERE at < $1",
        "DELETE FROM error_groups WHERE last_seen_at < $1",
    ] {
        gone += sqlx::query(statement).bind(before).execute(&mut *db).await?.rows_affected();
    }
    Ok(gone)
}

/// Deletes the oldest until the rest is within this size. Groups stay while they were seen recently,
/// because even a bare count is useful.
pub async fn trim(db: &mut AnyConnection, max_bytes: i64) -> Result<u64> {
    let kept: i64 = sqlx::query_scalar(
        "SELECT CAST(COALESCE((SELECT SUM(bytes) FROM error_reports), 0)
            + COALESCE((SELECT SUM(bytes) FROM error_replays), 0) AS BIGINT)",
    )
    .fetch_one(&mut *db)
    .await?;
    if kept <= max_bytes {
        return Ok(0);
    }
    // Items from the same moment are deleted together: rather too many than too few.
    let newest_too_much: Option<Millis> = sqlx::query_scalar(
        "SELECT MAX(at) FROM (
            SELECT at, SUM(bytes) OVER (ORDER BY at DESC, id DESC) AS with_newer FROM (
                SELECT id, at, bytes FROM error_reports
                UNION ALL SELECT id, at, bytes FROM error_replays) AS kept) AS summed
         WHERE with_newer > $1",
    )
    .bind(max_bytes)
    .fetch_one(&mut *db)
    .await?;
    let Some(until) = newest_too_much else { return Ok(0) };
    let mut gone = 0;
    for statement in
        ["DELETE FROM error_reports WHERE at <= $1", "DELETE FROM error_replays WHERE at <= $1"]
    {
        gone += sqlx::query(statement).bind(until).execute(&mut *db).await?.rows_affected();
    }
    Ok(gone)
}
