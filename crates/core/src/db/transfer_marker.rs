//! Marks a PostgreSQL database that an instance is being moved into. While the mark is there no server
//! starts on it, because it would take the database for a new or a complete one.

use anyhow::{Context, bail};
use sqlx::{AnyConnection, Connection};

use super::{Db, Dialect, Write};
use crate::error::Result;

pub const TABLE: &str = "move_in_progress";

/// What was found in a database that an instance is to be moved into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Empty,
    /// An unfinished move, with the instance it came from.
    Begun(String),
    /// Something else, with the name of one of its tables.
    Used(String),
}

pub async fn look(url: &str) -> anyhow::Result<Found> {
    let mut connection = AnyConnection::connect(url).await.context("database")?;
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT CAST(table_name AS TEXT) FROM information_schema.tables
         WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1",
    )
    .fetch_all(&mut connection)
    .await?;
    let found = match tables.first() {
        None => Found::Empty,
        Some(_) if tables.iter().any(|table| table == TABLE) => Found::Begun(
            sqlx::query_scalar("SELECT source FROM move_in_progress")
                .fetch_one(&mut connection)
                .await?,
        ),
        Some(table) => Found::Used(table.clone()),
    };
    connection.close().await?;
    Ok(found)
}

/// Marks an empty database.
pub async fn begin(url: &str, source: &str) -> anyhow::Result<()> {
    let mut connection = AnyConnection::connect(url).await.context("database")?;
    let mut tx = connection.begin().await?;
    sqlx::raw_sql("CREATE TABLE move_in_progress (source TEXT PRIMARY KEY)")
        .execute(&mut *tx)
        .await?;
    let insert = "INSERT INTO move_in_progress (source) VALUES ($1)";
    sqlx::query(insert).bind(source).execute(&mut *tx).await?;
    tx.commit().await?;
    Ok(connection.close().await?)
}

/// Removes the mark.
pub async fn end(tx: &mut Write) -> Result<()> {
    sqlx::raw_sql("DROP TABLE IF EXISTS move_in_progress").execute(&mut **tx).await?;
    Ok(())
}

/// Refuses to start on a database that is still being filled.
pub async fn refuse(db: &Db) -> anyhow::Result<()> {
    if db.dialect() != Dialect::Postgres {
        return Ok(());
    }
    let there: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM information_schema.tables
         WHERE table_schema = current_schema() AND table_name = 'move_in_progress'",
    )
    .fetch_one(&mut *db.read().await?)
    .await?;
    if there > 0 {
        bail!(
            "database_url: a move to this database is not finished; run `atrium move` again where \
             it was started"
        );
    }
    Ok(())
}
