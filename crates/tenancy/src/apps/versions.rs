//! Counts how often an app's events have changed, by the day they happened on. Whoever changes them
//! raises the number afterwards, in the metadata database, where every instance sees it.

use std::collections::BTreeSet;

use sqlx::AnyConnection;
use uuid::Uuid;
use warehouse::Versions;

use crate::state::Tenancy;
use atrium_core::db::{self, Db, Schema};
use atrium_core::error::{Error, Result};
use atrium_core::types::{Id, Millis};

/// Stands for every day.
const ALL: i64 = 0;

/// The version that an answer is based on. Numbers only grow, so equal versions mean equal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    /// Changes on the range's own days.
    pub within: i64,
    /// Changes on these and all earlier days: a device is not new if it was seen before.
    pub until: i64,
    /// Changes of which device belongs to whom, at any time.
    pub owners: i64,
}

/// Notes that events of these UTC days (since 1970) were added. Apps that no longer exist have no
/// versions.
pub async fn added(db: &mut AnyConnection, app_id: &str, days: &BTreeSet<i64>) -> Result<()> {
    for day in days {
        sqlx::query(
            "INSERT INTO data_versions (app_id, day, version)
             SELECT $1, $2, 1 WHERE EXISTS (SELECT 1 FROM apps WHERE id = $1)
             ON CONFLICT (app_id, day) DO UPDATE SET version = data_versions.version + 1",
        )
        .bind(app_id)
        .bind(day)
        .execute(&mut *db)
        .await?;
    }
    Ok(())
}

/// Notes that devices of an app got an owner or a different one.
pub async fn note_owners(db: &mut AnyConnection, app_id: &str) -> Result<()> {
    raise(db, "owner_versions", app_id).await
}

/// From this migration on, instances note changes of profiles.
const PROFILE_VERSIONS: i64 = 29;

/// Notes that profiles of an app have changed.
pub async fn note_profiles(db: &mut AnyConnection, app_id: &str) -> Result<()> {
    raise(db, "profile_versions", app_id).await
}

/// Raises the single version of an app in a table. Apps that no longer exist have none.
async fn raise(db: &mut AnyConnection, table: &'static str, app_id: &str) -> Result<()> {
    let sql = format!(
        "INSERT INTO {table} (app_id, version)
         SELECT $1, 1 WHERE EXISTS (SELECT 1 FROM apps WHERE id = $1)
         ON CONFLICT (app_id) DO UPDATE SET version = {table}.version + 1"
    );
    sqlx::query(sqlx::AssertSqlSafe(sql)).bind(app_id).execute(db).await?;
    Ok(())
}

/// The version of an app's profiles; None while an instance is running that does not note its changes.
/// Erased profiles count as removed events.
pub async fn of_profiles(db: &Db, app_id: &Id) -> Result<Option<i64>> {
    let mut connection = db.read().await?;
    let older = db::running_below(db, &mut connection, Schema::Database, PROFILE_VERSIONS).await;
    if !older.map_err(Error::internal)?.is_empty() {
        return Ok(None);
    }
    let sql = "SELECT version FROM profile_versions WHERE app_id = $1";
    let found = sqlx::query_scalar(sql).bind(app_id).fetch_optional(&mut *connection).await?;
    Ok(Some(found.unwrap_or(0)))
}

/// Whether the app ever got any events.
pub async fn has_events(db: &mut AnyConnection, app_id: &Id) -> Result<bool> {
    let sql = "SELECT 1 FROM data_versions WHERE app_id = $1 AND day <> $2 LIMIT 1";
    let found: Option<i64> = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
        .bind(app_id)
        .bind(ALL)
        .fetch_optional(db)
        .await?;
    Ok(found.is_some())
}

/// Notes that events of some day were removed, or may have been.
pub async fn note_removal(atrium: &Tenancy, app_id: &Id) -> Result<()> {
    let mut tx = atrium.db.write_uncached().await?;
    added(&mut tx, app_id.as_str(), &BTreeSet::from([ALL])).await?;
    tx.commit().await
}

/// How often something was removed, in any app.
pub async fn removals(db: &mut AnyConnection) -> Result<i64> {
    let sql = "SELECT CAST(COALESCE(SUM(version), 0) AS BIGINT) FROM data_versions WHERE day = $1";
    Ok(sqlx::query_scalar(sql).bind(ALL).fetch_one(db).await?)
}

/// All versions of some apps' events.
pub async fn by_day(db: &mut AnyConnection, apps: &[Uuid]) -> Result<Versions> {
    if apps.is_empty() {
        return Ok(Versions::default());
    }
    let sql = format!(
        "SELECT app_id, day, version FROM data_versions WHERE app_id IN ({})",
        places(1, apps.len())
    );
    let mut query = sqlx::query_as(sqlx::AssertSqlSafe(sql));
    for app in apps {
        query = query.bind(app.to_string());
    }
    let rows: Vec<(Id, i64, i64)> = query.fetch_all(db).await?;
    let mut versions = Versions::default();
    for (app, day, version) in rows {
        let app = app.uuid()?;
        match u32::try_from(day) {
            Ok(day) if i64::from(day) != ALL => versions.set_day(app, day, version),
            _ => versions.set_removals(app, version),
        }
    }
    Ok(versions)
}

/// The version of some apps' events between two times.
pub async fn of(db: &mut AnyConnection, apps: &[Id], from: Millis, to: Millis) -> Result<Version> {
    if apps.is_empty() {
        return Ok(Version { within: 0, until: 0, owners: 0 });
    }
    let apps_asked = places(3, apps.len());
    let sql = format!(
        "SELECT CAST(COALESCE(SUM(CASE WHEN day = {ALL} OR day >= $1 THEN version ELSE 0 END), 0)
                AS BIGINT),
            CAST(COALESCE(SUM(version), 0) AS BIGINT),
            (SELECT CAST(COALESCE(SUM(version), 0) AS BIGINT) FROM owner_versions
             WHERE app_id IN ({apps_asked}))
         FROM data_versions WHERE day <= $2 AND app_id IN ({apps_asked})"
    );
    let mut query = sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(from.0.div_euclid(Millis::DAY))
        .bind((to.0 - 1).div_euclid(Millis::DAY));
    for app in apps {
        query = query.bind(app);
    }
    let (within, until, owners) = query.fetch_one(db).await?;
    Ok(Version { within, until, owners })
}

/// This many placeholders in a statement, numbered from `first`.
fn places(first: usize, count: usize) -> String {
    let places: Vec<String> = (first..first + count).map(|place| format!("${place}")).collect();
    places.join(", ")
}
