//! All instances follow one clock, that of the shared database. A machine with a wrong clock would end
//! sessions too early, reject codes that were just sent, and stamp events with future times.

use crate::db::{Db, Dialect};
use crate::error::Result;
use crate::types::{Clock, Millis};

/// Smaller differences may be network delay, and do no harm.
const TOLERATED: i64 = Millis::SECOND;
/// A slower answer says too little about the time.
const ROUND_TRIP_MAX: i64 = 2 * Millis::SECOND;

/// Compares this machine's clock with the database's, and follows the database where they differ.
pub async fn sync(db: &Db, clock: &Clock) -> Result<()> {
    if let Some(behind) = measure(db, clock).await? {
        clock.note_ahead(-behind);
        let seconds = -behind as f64 / Millis::SECOND as f64;
        metrics::gauge!("atrium_clock_offset_seconds").set(seconds);
        correct(clock, behind);
    }
    Ok(())
}

/// How many milliseconds this machine's clock is behind the database's. None where that is unknown:
/// SQLite has no clock of its own, and a slow answer cannot tell.
pub async fn measure(db: &Db, clock: &Clock) -> Result<Option<i64>> {
    if db.dialect() == Dialect::Sqlite {
        return Ok(None);
    }
    let mut connection = db.read().await?;
    let sql = format!("SELECT {}", db.now_sql());
    let started = clock.system_now();
    let theirs: i64 =
        sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&mut *connection).await?;
    let took = clock.system_now().since(started);
    let is_quick = (0..=ROUND_TRIP_MAX).contains(&took);
    Ok(is_quick.then(|| theirs - (started.0 + took / 2)))
}

fn correct(clock: &Clock, behind: i64) {
    let correction = if behind.abs() <= TOLERATED { 0 } else { behind };
    if (correction - clock.correction()).abs() <= TOLERATED {
        return;
    }
    clock.correct(correction);
    let seconds = -behind / Millis::SECOND;
    match correction {
        0 => tracing::info!("this machine's clock is right again"),
        _ => tracing::warn!(
            seconds,
            "this machine's clock differs from the database's, which is used instead"
        ),
    }
}
