//! Rows and SQL of the fleet's tables. Leases belong to `atrium_core::lease`; here they are only read.

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use atrium_core::db::newest_migration;
use atrium_core::error::Result;
use atrium_core::types::Millis;

#[derive(Clone, Debug, FromRow)]
pub struct InstanceRow {
    pub id: String,
    pub version: String,
    pub started_at: Millis,
    pub seen_at: Millis,
    pub health: String,
}

/// Records that an instance is alive, and which migrations its program knows.
pub async fn beat(db: &mut AnyConnection, row: &InstanceRow) -> Result<()> {
    sqlx::query(
        "INSERT INTO instances
             (id, version, started_at, seen_at, health, database_migration, event_migration)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (id) DO UPDATE SET version = excluded.version,
             started_at = excluded.started_at, seen_at = excluded.seen_at, health = excluded.health,
             database_migration = excluded.database_migration,
             event_migration = excluded.event_migration",
    )
    .bind(&row.id)
    .bind(&row.version)
    .bind(row.started_at)
    .bind(row.seen_at)
    .bind(&row.health)
    .bind(newest_migration())
    .bind(i64::from(warehouse::newest_migration()))
    .execute(db)
    .await?;
    Ok(())
}

/// Removes an instance that stops.
pub async fn leave(db: &mut AnyConnection, id: &str) -> Result<()> {
    sqlx::query("DELETE FROM instances WHERE id = $1").bind(id).execute(db).await?;
    Ok(())
}

pub async fn forget_instances(db: &mut AnyConnection, seen_before: Millis) -> Result<()> {
    sqlx::query("DELETE FROM instances WHERE seen_at < $1").bind(seen_before).execute(db).await?;
    Ok(())
}

pub async fn instances(db: &mut AnyConnection) -> Result<Vec<InstanceRow>> {
    let sql =
        "SELECT id, version, started_at, seen_at, health FROM instances ORDER BY started_at, id";
    Ok(sqlx::query_as(sql).fetch_all(db).await?)
}

#[derive(Clone, Debug, FromRow)]
pub struct LeaseRow {
    pub name: String,
    pub holder: String,
    pub held_until: Millis,
}

impl LeaseRow {
    /// What it is for; for work by partition, the word before the slash.
    pub fn work(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }
}

/// All except the one that is held forever to keep earlier versions from loading.
pub async fn leases(db: &mut AnyConnection) -> Result<Vec<LeaseRow>> {
    let sql =
        "SELECT name, holder, held_until FROM leases WHERE holder != 'partitions' ORDER BY name";
    Ok(sqlx::query_as(sql).fetch_all(db).await?)
}

#[derive(Clone, Debug, FromRow)]
pub struct JobRunRow {
    pub job: String,
    pub instance: String,
    pub started_at: Millis,
    pub duration_ms: i64,
    pub error: Option<String>,
    pub succeeded_at: Option<Millis>,
}

/// Stores the latest run of a job on an instance, and when it last succeeded.
pub async fn note_run(db: &mut AnyConnection, row: &JobRunRow) -> Result<()> {
    sqlx::query(
        "INSERT INTO job_runs (job, instance, started_at, duration_ms, error, succeeded_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (job, instance) DO UPDATE SET started_at = excluded.started_at,
             duration_ms = excluded.duration_ms, error = excluded.error,
             succeeded_at = COALESCE(excluded.succeeded_at, job_runs.succeeded_at)",
    )
    .bind(&row.job)
    .bind(&row.instance)
    .bind(row.started_at)
    .bind(row.duration_ms)
    .bind(row.error.as_deref())
    .bind(row.succeeded_at)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn forget_runs(db: &mut AnyConnection, before: Millis) -> Result<()> {
    sqlx::query("DELETE FROM job_runs WHERE started_at < $1").bind(before).execute(db).await?;
    Ok(())
}

/// The latest first.
pub async fn job_runs(db: &mut AnyConnection) -> Result<Vec<JobRunRow>> {
    let sql = "SELECT job, instance, started_at, duration_ms, error, succeeded_at FROM job_runs
               ORDER BY started_at DESC, job, instance";
    Ok(sqlx::query_as(sql).fetch_all(db).await?)
}
