//! Outlines of refused messages, a few for each app and reason: gathered in memory, and written every few
//! seconds with other minor data.

use std::collections::BTreeMap;

use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;
use sqlx::AnyConnection;
use sqlx_macros::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::outline::outline;
use super::reason::Reason;
use crate::collect::state::Collecting;
use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

/// How many are kept per app and reason, both in memory and in the database.
const KEPT: usize = 3;
/// Combinations of app and reason kept between two writes.
const GATHERED_MAX: usize = 500;
const LASTING: i64 = 30 * Millis::DAY;

#[derive(Default)]
pub struct Samples {
    gathered: Mutex<Gathered>,
}

/// Sorted, so that all instances write in the same order and cannot deadlock.
type Gathered = BTreeMap<(Uuid, Reason), Vec<(Millis, String)>>;

fn has_room(gathered: &Gathered, key: (Uuid, Reason)) -> bool {
    match gathered.get(&key) {
        Some(kept) => kept.len() < KEPT,
        None => gathered.len() < GATHERED_MAX,
    }
}

impl Samples {
    /// Keeps the outline of a refused message, unless there are enough for the same app and reason.
    pub fn note(&self, app: Uuid, reason: Reason, message: &str, at: Millis) {
        let key = (app, reason);
        if !has_room(&self.lock(), key) {
            return;
        }
        // A large one takes time, but nobody waits for it.
        let sample = outline(message).to_string();
        let mut gathered = self.lock();
        if has_room(&gathered, key) {
            gathered.entry(key).or_default().push((at, sample));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Gathered> {
        self.gathered.lock()
    }

    fn take(&self) -> Gathered {
        std::mem::take(&mut *self.lock())
    }
}

/// Writes what was gathered since the last call.
pub async fn write(atrium: &Collecting) -> Result<()> {
    let gathered = atrium.collector.samples.take();
    if gathered.is_empty() {
        return Ok(());
    }
    let mut tx = atrium.db.write_relaxed().await?;
    for ((app, reason), samples) in gathered {
        let app_id = app.hyphenated().to_string();
        for (at, sample) in samples {
            insert(&mut tx, &atrium.new_id(), &app_id, reason, &sample, at).await?;
        }
        trim(&mut tx, &app_id, reason).await?;
    }
    tx.commit().await
}

/// Removes samples that are too old to be relevant.
pub async fn sweep(atrium: &Collecting) -> Result<u64> {
    let mut tx = atrium.db.write_relaxed().await?;
    let gone = sqlx::query("DELETE FROM ingest_samples WHERE at < $1")
        .bind(atrium.now().plus(-LASTING))
        .execute(&mut *tx)
        .await?;
    tx.commit().await?;
    Ok(gone.rows_affected())
}

/// The outline of a refused message.
#[derive(Clone, Debug, Serialize, ToSchema, FromRow)]
pub struct Sample {
    pub at: Millis,
    /// The message as JSON, with each value replaced by its kind.
    pub sample: String,
}

/// The latest few of each reason, across all these apps.
pub async fn latest(
    db: &mut AnyConnection,
    app_ids: &[Id],
) -> Result<BTreeMap<String, Vec<Sample>>> {
    #[derive(FromRow)]
    struct Row {
        reason: String,
        #[sqlx(flatten)]
        sample: Sample,
    }
    let mut latest = BTreeMap::<String, Vec<Sample>>::new();
    for app_id in app_ids {
        let rows: Vec<Row> =
            sqlx::query_as("SELECT reason, at, sample FROM ingest_samples WHERE app_id = $1")
                .bind(app_id)
                .fetch_all(&mut *db)
                .await?;
        for Row { reason, sample } in rows {
            latest.entry(reason).or_default().push(sample);
        }
    }
    for samples in latest.values_mut() {
        samples.sort_by_key(|sample| std::cmp::Reverse(sample.at));
        samples.truncate(KEPT);
    }
    Ok(latest)
}

/// Apps that no longer exist have no samples.
async fn insert(
    db: &mut AnyConnection,
    id: &Id,
    app_id: &str,
    reason: Reason,
    sample: &str,
    at: Millis,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO ingest_samples (id, app_id, reason, at, sample)
         SELECT $1, $2, $3, $4, $5 WHERE EXISTS (SELECT 1 FROM apps WHERE id = $2)",
    )
    .bind(id)
    .bind(app_id)
    .bind(reason.as_str())
    .bind(at)
    .bind(sample)
    .execute(db)
    .await?;
    Ok(())
}

async fn trim(db: &mut AnyConnection, app_id: &str, reason: Reason) -> Result<()> {
    sqlx::query(
        "DELETE FROM ingest_samples WHERE app_id = $1 AND reason = $2 AND id NOT IN (
            SELECT id FROM ingest_samples WHERE app_id = $1 AND reason = $2
            ORDER BY at DESC, id DESC LIMIT $3)",
    )
    .bind(app_id)
    .bind(reason.as_str())
    .bind(i64::try_from(KEPT).unwrap_or(i64::MAX))
    .execute(db)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded() {
        let samples = Samples::default();
        for n in 0..2_000 {
            for _ in 0..10 {
                samples.note(Uuid::from_u128(n), Reason::BadMessage, "{}", Millis(1));
            }
        }
        let gathered = samples.take();
        assert_eq!(gathered.len(), GATHERED_MAX);
        assert!(gathered.values().all(|kept| kept.len() == KEPT));
        assert!(samples.take().is_empty());
    }
}
