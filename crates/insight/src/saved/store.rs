//! All SQL about saved analyses and cohorts: two tables of the same shape.

use serde::Serialize;
use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use atrium_core::db::page::{Page, PageOf};
use atrium_core::error::Result;
use atrium_core::http::list::Listing;
use atrium_core::names;
use atrium_core::types::{Id, Millis};

/// A table, and what differs between the two.
#[derive(Clone, Copy)]
pub struct Table {
    name: &'static str,
    /// The column with the content.
    text: &'static str,
    /// The expression for it in lists, which leave out long parts.
    short_text: &'static str,
    /// Whether items can list ids; their number is stored.
    lists_ids: bool,
}

pub const ANALYSES: Table = Table {
    name: "saved_analyses",
    text: "question",
    short_text: "saved.question",
    lists_ids: false,
};

pub const COHORTS: Table = Table {
    name: "cohorts",
    text: "definition",
    short_text: "CASE WHEN saved.kind = 'ids' THEN '{\"of\":\"ids\",\"ids\":[]}'
        ELSE saved.definition END",
    lists_ids: true,
};

#[derive(Clone, Debug, FromRow)]
pub struct SavedRow {
    pub id: Id,
    /// The only user who sees it; None if it is shared.
    pub private_to: Option<Id>,
    pub name: String,
    pub description: Option<String>,
    pub kind: String,
    /// JSON
    pub text: String,
    pub listed: i64,
    pub created_by: Option<Id>,
    pub creator: Option<String>,
    pub created_at: Millis,
    pub updated_at: Millis,
    pub version: i64,
}

impl SavedRow {
    /// Shared items are visible to everyone, private ones only to their owner.
    pub fn is_visible_to(&self, user_id: Option<&Id>) -> bool {
        self.private_to.as_ref().is_none_or(|keeper| Some(keeper) == user_id)
    }
}

fn select(table: Table, text: &str) -> String {
    let listed = if table.lists_ids { "saved.listed" } else { "CAST(0 AS BIGINT)" };
    format!(
        "SELECT saved.id, saved.private_to, saved.name, saved.description, saved.kind, {text} AS text,
            {listed} AS listed, saved.created_by, users.name AS creator, saved.created_at,
            saved.updated_at, saved.version
         FROM {} AS saved LEFT JOIN users ON users.id = saved.created_by",
        table.name
    )
}

/// One item, shared or private.
pub async fn one(
    db: &mut AnyConnection,
    table: Table,
    app_id: &Id,
    id: &Id,
) -> Result<Option<SavedRow>> {
    let text = format!("saved.{}", table.text);
    let sql = format!("{} WHERE saved.app_id = $1 AND saved.id = $2", select(table, &text));
    let row = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(app_id).bind(id);
    Ok(row.fetch_optional(db).await?)
}

/// The shared items and the user's own; for programs, only the shared ones.
pub async fn page(
    db: &mut AnyConnection,
    table: Table,
    app_id: &Id,
    user_id: Option<&Id>,
    listing: &Listing,
) -> Result<(Vec<SavedRow>, i64)> {
    const FOUND: &str = "saved.app_id = $1 AND (saved.private_to IS NULL OR saved.private_to = $2)
         AND ($3 = '' OR saved.name_key LIKE $3 ESCAPE '\\')";
    let user_id = user_id.map_or("", Id::as_str);
    let parameters = [app_id.into(), user_id.into(), (&listing.pattern).into()];
    let rows =
        format!("{} WHERE {FOUND} ORDER BY {}", select(table, table.short_text), listing.order_by);
    let count = format!("SELECT COUNT(*) FROM {} AS saved WHERE {FOUND}", table.name);
    PageOf::new(parameters, listing.page).fetch(db, &rows, &count).await
}

/// How many items an app has, private ones included.
pub async fn count(db: &mut AnyConnection, table: Table, app_id: &Id) -> Result<i64> {
    let sql = format!("SELECT COUNT(*) FROM {} WHERE app_id = $1", table.name);
    Ok(sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(app_id).fetch_one(db).await?)
}

/// An item to be written.
pub struct SavedText<'a> {
    pub private_to: Option<&'a Id>,
    pub name: &'a str,
    pub description: Option<&'a str>,
    pub kind: &'a str,
    pub text: &'a str,
    pub listed: i64,
    pub by: &'a Id,
    pub at: Millis,
}

pub async fn insert(
    db: &mut AnyConnection,
    table: Table,
    app_id: &Id,
    id: &Id,
    saved: &SavedText<'_>,
) -> Result<()> {
    let sql = format!(
        "INSERT INTO {} (id, app_id, private_to, name, name_key, name_order, description, kind, {},
            created_by, created_at, updated_by, updated_at, version)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $10, $11, 1)",
        table.name, table.text
    );
    sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(id)
        .bind(app_id)
        .bind(saved.private_to)
        .bind(saved.name)
        .bind(saved.name.to_lowercase())
        .bind(names::order(saved.name))
        .bind(saved.description)
        .bind(saved.kind)
        .bind(saved.text)
        .bind(saved.by)
        .bind(saved.at)
        .execute(&mut *db)
        .await?;
    set_listed(db, table, id, saved.listed).await
}

/// False if the item has another version by now, or is gone.
pub async fn update(
    db: &mut AnyConnection,
    table: Table,
    id: &Id,
    version: i64,
    saved: &SavedText<'_>,
) -> Result<bool> {
    let sql = format!(
        "UPDATE {} SET private_to = $1, name = $2, name_key = $3, name_order = $4, description = $5,
            kind = $6, {} = $7, updated_by = $8, updated_at = $9, version = version + 1
         WHERE id = $10 AND version = $11",
        table.name, table.text
    );
    let updated = sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(saved.private_to)
        .bind(saved.name)
        .bind(saved.name.to_lowercase())
        .bind(names::order(saved.name))
        .bind(saved.description)
        .bind(saved.kind)
        .bind(saved.text)
        .bind(saved.by)
        .bind(saved.at)
        .bind(id)
        .bind(version)
        .execute(&mut *db)
        .await?;
    set_listed(db, table, id, saved.listed).await?;
    Ok(updated.rows_affected() == 1)
}

async fn set_listed(db: &mut AnyConnection, table: Table, id: &Id, listed: i64) -> Result<()> {
    if !table.lists_ids {
        return Ok(());
    }
    let sql = format!("UPDATE {} SET listed = $1 WHERE id = $2", table.name);
    sqlx::query(sqlx::AssertSqlSafe(sql)).bind(listed).bind(id).execute(db).await?;
    Ok(())
}

pub async fn delete(db: &mut AnyConnection, table: Table, id: &Id) -> Result<()> {
    let sql = format!("DELETE FROM {} WHERE id = $1", table.name);
    sqlx::query(sqlx::AssertSqlSafe(sql)).bind(id).execute(db).await?;
    Ok(())
}

/// A cohort, for questions about its people.
#[derive(Clone, Debug)]
pub struct CohortRow {
    pub name: String,
    /// JSON, as validated by `content`.
    pub definition: String,
    pub version: i64,
    pub shared: bool,
    pub created_by: Option<Id>,
}

/// A cohort of the app, shared or private.
pub async fn cohort(
    db: &mut AnyConnection,
    app_id: &Id,
    cohort_id: &Id,
) -> Result<Option<CohortRow>> {
    Ok(one(db, COHORTS, app_id, cohort_id).await?.map(CohortRow::from))
}

/// A cohort of the app that the user may use; programs may use only shared ones.
pub async fn visible_cohort(
    db: &mut AnyConnection,
    app_id: &Id,
    cohort_id: &Id,
    user_id: Option<&Id>,
) -> Result<Option<CohortRow>> {
    let row = one(db, COHORTS, app_id, cohort_id).await?;
    Ok(row.filter(|row| row.is_visible_to(user_id)).map(CohortRow::from))
}

impl From<SavedRow> for CohortRow {
    fn from(row: SavedRow) -> Self {
        Self {
            name: row.name,
            shared: row.private_to.is_none(),
            definition: row.text,
            version: row.version,
            created_by: row.created_by,
        }
    }
}

/// An item that a person created, for their data export.
#[derive(Serialize, FromRow)]
pub struct MadeRow {
    id: Id,
    app_id: Id,
    name: String,
    description: Option<String>,
    kind: String,
    created_at: Millis,
    updated_at: Millis,
}

pub async fn made_by(
    db: &mut AnyConnection,
    table: Table,
    user_id: &Id,
    page: Page,
) -> Result<Vec<MadeRow>> {
    let sql = format!(
        "SELECT id, app_id, name, description, kind, created_at, updated_at FROM {}
         WHERE created_by = $1 ORDER BY created_at DESC, id DESC",
        table.name
    );
    let list = PageOf::new([user_id.into()], page);
    let sql = format!("{sql} {}", list.cut());
    list.rows(db, sql).await
}
