//! Instances go by one clock: that of the database they share. A machine whose own is wrong would
//! end sessions too early, refuse codes that were just sent, and stamp events with times to come.

use crate::db::Dialect;
use crate::error::Result;
use crate::state::Core;
use crate::types::Millis;

/// Less than this may be the network's doing, and does no harm.
const TOLERATED: i64 = Millis::SECOND;
/// An answer that took longer says too little about the time.
const ROUND_TRIP_MAX: i64 = 2 * Millis::SECOND;

/// Compares this machine's clock with the database's. SQLite has none of its own.
pub async fn sync(atrium: &Core) -> Result<()> {
    if atrium.db.dialect() == Dialect::Sqlite {
        return Ok(());
    }
    let mut db = atrium.db.read().await?;
    let sql = format!("SELECT {}", atrium.db.now_sql());
    let asked = atrium.clock.system_now();
    let theirs: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&mut *db).await?;
    let took = atrium.clock.system_now().since(asked);
    if (0..=ROUND_TRIP_MAX).contains(&took) {
        correct(atrium, theirs - (asked.0 + took / 2));
    }
    Ok(())
}

fn correct(atrium: &Core, behind: i64) {
    let correction = if behind.abs() <= TOLERATED { 0 } else { behind };
    if (correction - atrium.clock.correction()).abs() <= TOLERATED {
        return;
    }
    atrium.clock.correct(correction);
    let seconds = -behind / Millis::SECOND;
    match correction {
        0 => tracing::info!("the clock of this machine is right again"),
        _ => tracing::warn!(
            seconds,
            "the clock of this machine is ahead of the database's, which is used"
        ),
    }
}
