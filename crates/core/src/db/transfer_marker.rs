//! A mark in a PostgreSQL that an instance is being moved into. While it is there no server starts on
//! the database: it would take it for a new one, or for one that is whole.

use anyhow::{Context, bail};
use sqlx::{AnyConnection, Connection};

use super::{Db, Dialect, Write};
use crate::error::Result;

pub const TABLE: &str = "move_in_progress";

/// What is found in a database that an instance is to be moved into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Empty,
    /// A move that was begun and not ended: of which instance.
    Begun(String),
    /// Something else: the name of a table in it.
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

/// Takes the mark away.
pub async fn end(tx: &mut Write) -> Result<()> {
    sqlx::raw_sql("DROP TABLE IF EXISTS move_in_progress").execute(&mut **tx).await?;
    Ok(())
}

/// Refuses to start on a database that is on its way.
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
            "database_url: a move into this database is not finished; run `atrium move` again where \
             it was begun"
        );
    }
    Ok(())
}
