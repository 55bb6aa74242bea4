//! Applies the files of `migrations/`, each once, all under one lock. sqlx's own runner takes no lock
//! on SQLite, and two instances that start at once must not interfere. A program may run beside
//! migrations it does not know, as long as they declare that it can (docs/decisions/0037).

use std::time::Duration;

use anyhow::{Context, bail};
use sqlx::migrate::{Migration, Migrator};
use sqlx::{AnyConnection, AssertSqlSafe};
use warehouse::compatibility::{may_use, oldest_program, takes_away_from};

use super::{Db, Dialect, Write, name_order};
use crate::error::Result;

static MIGRATIONS: Migrator = sqlx_macros::migrate!("../atrium/migrations");

/// An arbitrary number that other programs on the same PostgreSQL database are unlikely to use.
const POSTGRES_LOCK: &str = "SELECT pg_advisory_xact_lock(4785410291)";

/// From this migration on, each one says which programs may run beside it.
const UPGRADES: i64 = 24;

/// A migration that waits for a table lock blocks everyone behind it. So it gives up soon when someone
/// reads the table for long, as `pg_dump` does, and tries again later.
const LOCK_LIMIT: &str = "SET LOCAL lock_timeout = '2s'";
const LOCK_PAUSE: Duration = Duration::from_secs(1);
const LOCK_TRIES: u32 = 100;

/// An instance that has been silent for longer counts as stopped.
const SILENT_AFTER_MS: i64 = 60_000;

#[derive(Debug, PartialEq, Eq)]
pub struct MigrationState {
    pub applied: usize,
    pub pending: usize,
    /// Migrations of a newer program beside which this one may run.
    pub newer: usize,
}

pub async fn run(
    db: &Db,
    may_be_new: impl Fn() -> anyhow::Result<()> + Sync,
) -> anyhow::Result<usize> {
    for _ in 1..LOCK_TRIES {
        match run_once(db, &may_be_new).await {
            Err(error) if is_locked_out(&error) => {
                tracing::warn!("a table to be changed is in use; the migration will be retried");
                tokio::time::sleep(LOCK_PAUSE).await;
            }
            outcome => return outcome,
        }
    }
    run_once(db, &may_be_new).await
}

async fn run_once(
    db: &Db,
    may_be_new: &(impl Fn() -> anyhow::Result<()> + Sync),
) -> anyhow::Result<usize> {
    let mut tx = db.write().await?;
    if db.dialect() == Dialect::Postgres {
        sqlx::raw_sql(POSTGRES_LOCK).execute(&mut *tx).await?;
        sqlx::raw_sql(LOCK_LIMIT).execute(&mut *tx).await?;
    }
    sqlx::raw_sql(
        "CREATE TABLE IF NOT EXISTS schema_migrations (
            version  BIGINT PRIMARY KEY,
            name     TEXT NOT NULL,
            checksum TEXT NOT NULL
        )",
    )
    .execute(&mut *tx)
    .await?;
    let applied = applied(&mut tx).await?;
    if applied.is_empty() {
        // Checked under the lock: when several start at once in an empty folder, the others wait here,
        // and the folder fills only once the first has committed.
        may_be_new()?;
    }
    if check(&mut tx, &applied).await? > 0 {
        // A newer program has migrated the database and ordered names by its own rules.
        tx.commit().await?;
        return Ok(0);
    }
    let mut count = 0;
    for migration in MIGRATIONS.iter().skip(applied.len()) {
        if !applied.is_empty() {
            refuse_beside_older(db, &mut tx, migration).await?;
        }
        apply(&mut tx, migration).await?;
        count += 1;
    }
    name_order::reorder(&mut tx).await?;
    tx.commit().await?;
    Ok(count)
}

async fn apply(tx: &mut Write, migration: &Migration) -> anyhow::Result<()> {
    let Migration { version, description, sql, checksum, .. } = migration;
    sqlx::raw_sql(sql.clone())
        .execute(&mut **tx)
        .await
        .with_context(|| format!("migration {version} failed"))?;
    sqlx::query("INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)")
        .bind(version)
        .bind(description.to_string())
        .bind(hex::encode(checksum))
        .execute(&mut **tx)
        .await?;
    // Earlier migrations have no column for it.
    if *version >= UPGRADES {
        sqlx::query("UPDATE schema_migrations SET oldest_program = $1 WHERE version = $2")
            .bind(i64::from(oldest_program(sql.as_str())))
            .bind(version)
            .execute(&mut **tx)
            .await?;
    }
    Ok(())
}

/// Refuses a migration that removes something while running instances still need it.
async fn refuse_beside_older(
    db: &Db,
    tx: &mut Write,
    Migration { version, sql, .. }: &Migration,
) -> anyhow::Result<()> {
    let Some(oldest) = takes_away_from(sql.as_str()) else { return Ok(()) };
    let running = running_below(db, tx, Schema::Database, i64::from(oldest)).await?;
    if !running.is_empty() {
        bail!(
            "migration {version} removes something that running instances still need: {}. First \
             upgrade them to the release before this one, or stop them; a killed instance counts \
             as running for a minute",
            running.join(", ")
        );
    }
    Ok(())
}

/// The schemas whose version an instance reports.
#[derive(Clone, Copy)]
pub enum Schema {
    Database,
    EventStore,
}

/// The running instances that do not know a migration, as `id (version)`.
pub async fn running_below(
    db: &Db,
    connection: &mut AnyConnection,
    schema: Schema,
    migration: i64,
) -> anyhow::Result<Vec<String>> {
    let column = match schema {
        Schema::Database => "database_migration",
        Schema::EventStore => "event_migration",
    };
    let sql = format!(
        "SELECT id, version FROM instances WHERE {column} < $1 AND seen_at > {} - {SILENT_AFTER_MS}
         ORDER BY id",
        db.now_sql()
    );
    let rows: Vec<(String, String)> =
        sqlx::query_as(AssertSqlSafe(sql)).bind(migration).fetch_all(connection).await?;
    Ok(rows.into_iter().map(|(id, version)| format!("{id} ({version})")).collect())
}

/// Whether a table lock timed out or ended in a deadlock.
fn is_locked_out(error: &anyhow::Error) -> bool {
    let database = error.downcast_ref::<sqlx::Error>().and_then(sqlx::Error::as_database_error);
    let code = database.and_then(|error| error.code().map(|code| code.into_owned()));
    matches!(code.as_deref(), Some("55P03" | "40P01"))
}

/// The number of the last migration that this program knows.
pub fn newest() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0)
}

pub async fn state(db: &Db) -> anyhow::Result<MigrationState> {
    let mut tx = db.write_relaxed().await?;
    let applied = match applied(&mut tx).await {
        Err(error) if is_missing_table(&error) => Vec::new(),
        other => other?,
    };
    let newer = check(&mut tx, &applied).await?;
    let applied = applied.len() - newer;
    Ok(MigrationState { applied, pending: MIGRATIONS.iter().count() - applied, newer })
}

/// Whether the database was never migrated.
fn is_missing_table(error: &anyhow::Error) -> bool {
    let database = error.downcast_ref::<sqlx::Error>().and_then(sqlx::Error::as_database_error);
    database.is_some_and(|error| {
        error.code().is_some_and(|code| code == "42P01")
            || error.message().starts_with("no such table")
    })
}

async fn applied(tx: &mut Write) -> anyhow::Result<Vec<(i64, String)>> {
    let rows = sqlx::query_as("SELECT version, checksum FROM schema_migrations ORDER BY version");
    Ok(rows.fetch_all(&mut **tx).await?)
}

/// The applied migrations must match ours byte for byte, from the first one on. Only migrations of a
/// newer program may follow, each of which must still admit this program. Returns how many of those
/// there are.
async fn check(tx: &mut Write, applied: &[(i64, String)]) -> anyhow::Result<usize> {
    let mut known = 0;
    for (migration, (version, checksum)) in MIGRATIONS.iter().zip(applied) {
        if migration.version != *version || hex::encode(&migration.checksum) != *checksum {
            bail!("migration {version} in the database differs from the one in this program");
        }
        known += 1;
    }
    if known < applied.len()
        && let Some(reason) = outdated(tx).await?
    {
        bail!(reason);
    }
    Ok(applied.len() - known)
}

/// Why this program may not use the database, if a newer one has removed what it needs.
pub async fn outdated(connection: &mut AnyConnection) -> Result<Option<String>> {
    let sql =
        "SELECT version, oldest_program FROM schema_migrations WHERE version > $1 ORDER BY version";
    let newer: Vec<(i64, i64)> = sqlx::query_as(sql).bind(newest()).fetch_all(connection).await?;
    let program = u32::try_from(newest()).unwrap_or(0);
    let is_in = |oldest: i64| u32::try_from(oldest).is_ok_and(|oldest| may_use(program, oldest));
    let out = newer.iter().find(|(_, oldest)| !is_in(*oldest));
    Ok(out.map(|(version, _)| {
        format!(
            "the database has migration {version}, which removed something that this version of \
             Atrium (migration {program}) needs; use the newer version that last used it"
        )
    }))
}

#[cfg(test)]
mod tests {
    use sqlx::SqlSafeStr;
    use sqlx::migrate::MigrationType;

    use super::*;
    use crate::config::sqlite_url;

    #[test]
    fn migrations_say_who_may_go_on_beside_them() {
        for migration in MIGRATIONS.iter().filter(|migration| migration.version >= UPGRADES) {
            let number = u32::try_from(migration.version).unwrap();
            let fault = warehouse::compatibility::fault(number, migration.sql.as_str());
            assert_eq!(fault, None);
        }
    }

    #[tokio::test]
    async fn what_takes_away_is_refused_beside_instances_that_need_it() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(&sqlite_url(folder.path()).unwrap()).await.unwrap();
        run(&db, || Ok(())).await.unwrap();
        let mut tx = db.write_relaxed().await.unwrap();
        for (id, knows, silent_ms) in [("old", 24, 0), ("new", 25, 0), ("gone", 24, 61_000)] {
            let sql = format!(
                "INSERT INTO instances (id, version, started_at, seen_at, health, database_migration)
                 VALUES ('{id}', 'v1', 0, {} - {silent_ms}, '', {knows})",
                db.now_sql()
            );
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *tx).await.unwrap();
        }
        let mut refused = async |sql: &'static str| {
            let sql = sql.into_sql_str();
            let migration = Migration::new(26, "x".into(), MigrationType::Simple, sql, false);
            refuse_beside_older(&db, &mut tx, &migration).await.map_err(|error| error.to_string())
        };
        refused("-- expand\nCREATE TABLE a (b TEXT)").await.unwrap();
        refused("-- contract: 24\nDROP TABLE a").await.unwrap();
        let words = refused("-- contract: 25\nDROP TABLE a").await.unwrap_err();
        assert!(words.contains("need: old (v1). First upgrade"), "{words}");
    }
}
