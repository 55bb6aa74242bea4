//! All SQL about the measured sizes of cohorts.

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

/// A cohort whose size can be measured.
#[derive(Clone, Debug, FromRow)]
pub struct MeasuredCohort {
    pub id: Id,
    pub app_id: Id,
    pub org_id: Id,
    pub timezone: String,
    pub private_to: Option<Id>,
    pub version: i64,
    /// The last day on which its size was measured.
    pub last_day: Option<String>,
}

/// The cohorts of active apps, those measured longest ago first.
pub async fn cohorts(db: &mut AnyConnection) -> Result<Vec<MeasuredCohort>> {
    let sql = "SELECT cohorts.id, cohorts.app_id, apps.org_id, apps.timezone, cohorts.private_to,
            cohorts.version, (SELECT MAX(day) FROM cohort_sizes WHERE cohort_id = cohorts.id) AS last_day
        FROM cohorts JOIN apps ON apps.id = cohorts.app_id
        WHERE apps.deleted_at IS NULL AND apps.archived_at IS NULL
        ORDER BY COALESCE((SELECT MAX(measured_at) FROM cohort_sizes WHERE cohort_id = cohorts.id), 0),
            cohorts.id";
    Ok(sqlx::query_as(sql).fetch_all(db).await?)
}

#[derive(Clone, Debug, FromRow)]
pub struct SizeRow {
    pub day: String,
    pub people: Option<i64>,
    pub people_shown: Option<i64>,
    /// 1 if its members depend on profiles, else 0.
    pub reads_profiles: i64,
}

/// The latest days, the last first.
pub async fn latest(db: &mut AnyConnection, cohort_id: &Id, days: i64) -> Result<Vec<SizeRow>> {
    let sql = "SELECT day, people, people_shown, reads_profiles FROM cohort_sizes
        WHERE cohort_id = $1 ORDER BY day DESC LIMIT $2";
    Ok(sqlx::query_as(sql).bind(cohort_id).bind(days).fetch_all(db).await?)
}

/// Does nothing if the cohort was changed or deleted meanwhile.
pub async fn note(
    db: &mut AnyConnection,
    cohort: &MeasuredCohort,
    size: &SizeRow,
    now: Millis,
) -> Result<()> {
    let sql = "INSERT INTO cohort_sizes (cohort_id, day, people, people_shown, reads_profiles, measured_at)
        SELECT id, CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS BIGINT)
        FROM cohorts WHERE id = $6 AND version = $7
        ON CONFLICT (cohort_id, day) DO NOTHING";
    sqlx::query(sql)
        .bind(&size.day)
        .bind(size.people)
        .bind(size.people_shown)
        .bind(size.reads_profiles)
        .bind(now)
        .bind(&cohort.id)
        .bind(cohort.version)
        .execute(db)
        .await?;
    Ok(())
}

/// Sizes of the old definition say nothing about a new one.
pub async fn forget(db: &mut AnyConnection, cohort_id: &Id) -> Result<()> {
    sqlx::query("DELETE FROM cohort_sizes WHERE cohort_id = $1")
        .bind(cohort_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Deletes days older than are ever shown.
pub async fn forget_before(db: &mut AnyConnection, measured_before: Millis) -> Result<()> {
    let sql = "DELETE FROM cohort_sizes WHERE measured_at < $1";
    sqlx::query(sql).bind(measured_before).execute(db).await?;
    Ok(())
}
