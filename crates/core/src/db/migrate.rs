//! Applies the files of `migrations/`, each once, all under one lock. sqlx's own runner takes no
//! lock on SQLite, and two instances that start at once must not meet half-way.

use anyhow::{Context, bail};
use sqlx::migrate::Migrator;

use super::{Db, Dialect, Write, name_order};

static MIGRATIONS: Migrator = sqlx::migrate!("../atrium/migrations");

/// Any number that no other program would take by accident on the same PostgreSQL database.
const POSTGRES_LOCK: &str = "SELECT pg_advisory_xact_lock(4785410291)";

#[derive(Debug, PartialEq, Eq)]
pub struct MigrationState {
    pub applied: usize,
    pub pending: usize,
}

pub async fn run(
    db: &Db,
    may_be_new: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<usize> {
    let mut tx = db.write().await?;
    if db.dialect() == Dialect::Postgres {
        sqlx::raw_sql(POSTGRES_LOCK).execute(&mut *tx).await?;
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
        // Under the lock: of several that start at once in an empty folder, the others wait here,
        // and the folder fills only once the first has committed.
        may_be_new()?;
    }
    check(&applied)?;
    let mut count = 0;
    for migration in MIGRATIONS.iter().skip(applied.len()) {
        sqlx::raw_sql(migration.sql.clone())
            .execute(&mut *tx)
            .await
            .with_context(|| format!("migration {} failed", migration.version))?;
        sqlx::query("INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)")
            .bind(migration.version)
            .bind(migration.description.to_string())
            .bind(hex::encode(&migration.checksum))
            .execute(&mut *tx)
            .await?;
        count += 1;
    }
    name_order::reorder(&mut tx).await?;
    tx.commit().await?;
    Ok(count)
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
    check(&applied)?;
    Ok(MigrationState {
        applied: applied.len(),
        pending: MIGRATIONS.iter().count() - applied.len(),
    })
}

/// A database that was never migrated.
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

/// What was applied must be the beginning of what we have, to the byte.
fn check(applied: &[(i64, String)]) -> anyhow::Result<()> {
    let mut known = MIGRATIONS.iter();
    for (version, checksum) in applied {
        let Some(migration) = known.next() else {
            bail!(
                "the database has migration {version}, which this version of Atrium does not know; \
                 it was last used by a newer one"
            );
        };
        if migration.version != *version || hex::encode(&migration.checksum) != *checksum {
            bail!("migration {version} in the database is not the one in this program");
        }
    }
    Ok(())
}
