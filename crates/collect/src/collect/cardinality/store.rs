//! The tables of separately counted values, and of how many messages went over the limits.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sqlx::AnyConnection;
use uuid::Uuid;

use super::Limit;
use super::places::{Digest, Field, Place, Span};
use atrium_core::error::Result;
use atrium_core::types::Id;

/// Rows per statement.
const ROWS_AT_ONCE: usize = 400;

pub async fn places(db: &mut AnyConnection, app: Uuid) -> Result<Vec<Place>> {
    let rows: Vec<(String, String, i64, i64)> = sqlx::query_as(
        "SELECT field, value, first_day, last_day FROM counted_values WHERE app_id = $1",
    )
    .bind(app.hyphenated().to_string())
    .fetch_all(db)
    .await?;
    let place = |(field, value, first, last): (String, String, i64, i64)| {
        let (first, last) = (i32::try_from(first).ok()?, i32::try_from(last).ok()?);
        let value = URL_SAFE_NO_PAD.decode(value).ok()?;
        let (field, value) = (Field::parse(&field)?, Digest::try_from(value).ok()?);
        Some(Place { field, value, span: Span { first, last } })
    };
    Ok(rows.into_iter().filter_map(place).collect())
}

/// Saves places. If another instance already saved one, the longer span wins.
pub async fn save(db: &mut AnyConnection, app: Uuid, places: &[Place]) -> Result<()> {
    let app = app.hyphenated().to_string();
    for some in places.chunks(ROWS_AT_ONCE) {
        let row = |at: usize| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|column| at * 4 + column + 2);
            format!("($1, ${a}, ${b}, ${c}, ${d})")
        };
        let rows: Vec<String> = (0..some.len()).map(row).collect();
        let sql = format!(
            "INSERT INTO counted_values (app_id, field, value, first_day, last_day) VALUES {}
             ON CONFLICT (app_id, field, value) DO UPDATE SET
                first_day = CASE WHEN counted_values.first_day < excluded.first_day
                    THEN counted_values.first_day ELSE excluded.first_day END,
                last_day = CASE WHEN counted_values.last_day > excluded.last_day
                    THEN counted_values.last_day ELSE excluded.last_day END",
            rows.join(", ")
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(&app);
        for Place { field, value, span } in some {
            query = query
                .bind(field.as_str())
                .bind(URL_SAFE_NO_PAD.encode(value))
                .bind(i64::from(span.first))
                .bind(i64::from(span.last));
        }
        query.execute(&mut *db).await?;
    }
    Ok(())
}

pub async fn forget_before(db: &mut AnyConnection, day: i32) -> Result<u64> {
    let gone = sqlx::query("DELETE FROM counted_values WHERE last_day < $1")
        .bind(i64::from(day))
        .execute(db)
        .await?;
    Ok(gone.rows_affected())
}

/// Which of these property names have a place, as far as is recorded.
pub async fn known_properties(
    db: &mut AnyConnection,
    app_id: &Id,
) -> Result<std::collections::HashSet<String>> {
    let rows: Vec<String> = sqlx::query_scalar(
        "SELECT value FROM counted_values WHERE app_id = $1 AND field = 'property'",
    )
    .bind(app_id)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().collect())
}

/// The stored form of a name.
pub fn stored(name: &str) -> String {
    URL_SAFE_NO_PAD.encode(super::digest(name.as_bytes()))
}

/// Adds messages that went over a limit. Apps that no longer exist are skipped.
pub async fn book(
    db: &mut AnyConnection,
    app: &str,
    day: &str,
    limit: Limit,
    messages: i64,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO ingest_over_limit (app_id, day, kind, messages)
         SELECT $1, $2, $3, $4 WHERE EXISTS (SELECT 1 FROM apps WHERE id = $1)
         ON CONFLICT (app_id, day, kind)
         DO UPDATE SET messages = ingest_over_limit.messages + excluded.messages",
    )
    .bind(app)
    .bind(day)
    .bind(limit.as_str())
    .bind(messages)
    .execute(db)
    .await?;
    Ok(())
}

/// Messages that went over each limit, summed over the apps and days, both ends included.
pub async fn over_limit(
    db: &mut AnyConnection,
    app_ids: &[Id],
    from: &str,
    to: &str,
) -> Result<Vec<(Limit, i64)>> {
    let mut sums = [0; Limit::ALL.len()];
    // One app at a time along the primary key: lists as parameters are not portable.
    for app_id in app_ids {
        let rows: Vec<(String, i64)> = sqlx::query_as(
            "SELECT kind, CAST(SUM(messages) AS BIGINT) FROM ingest_over_limit
             WHERE app_id = $1 AND day >= $2 AND day <= $3 GROUP BY kind",
        )
        .bind(app_id)
        .bind(from)
        .bind(to)
        .fetch_all(&mut *db)
        .await?;
        for (kind, count) in rows {
            if let Some(limit) = Limit::parse(&kind) {
                sums[limit as usize] += count;
            }
        }
    }
    Ok(Limit::ALL.into_iter().zip(sums).filter(|(_, count)| *count > 0).collect())
}
