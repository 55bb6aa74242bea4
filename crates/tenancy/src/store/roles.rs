//! All SQL of custom roles.

use std::collections::HashMap;

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use crate::rules::ROLE_PERMISSIONS;
use atrium_core::error::Result;
use atrium_core::names;
use atrium_core::permissions::Permission;
use atrium_core::types::{Id, Millis};

#[derive(FromRow)]
pub struct RoleRow {
    pub id: Id,
    pub name: String,
    pub description: String,
    /// Codes, as `parse_permissions` reads them.
    pub permissions: Option<String>,
    pub created_at: Millis,
}

fn select() -> String {
    format!(
        "SELECT id, name, description, {ROLE_PERMISSIONS} AS permissions, created_at FROM app_roles"
    )
}

pub async fn role(db: &mut AnyConnection, app_id: &Id, id: &Id) -> Result<Option<RoleRow>> {
    let sql = format!("{} WHERE app_id = $1 AND id = $2", select());
    let role = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(app_id).bind(id);
    Ok(role.fetch_optional(db).await?)
}

pub async fn roles(db: &mut AnyConnection, app_id: &Id) -> Result<Vec<RoleRow>> {
    let sql = format!("{} WHERE app_id = $1 ORDER BY name_order, id", select());
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(app_id).fetch_all(db).await?)
}

pub async fn lock(db: &mut AnyConnection, app_id: &Id, id: &Id) -> Result<()> {
    sqlx::query("UPDATE app_roles SET name = name WHERE app_id = $1 AND id = $2")
        .bind(app_id)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// How many members hold each role of an app.
pub async fn holders(db: &mut AnyConnection, app_id: &Id) -> Result<HashMap<Id, i64>> {
    let rows: Vec<(Id, i64)> = sqlx::query_as(
        "SELECT role_id, COUNT(*) FROM app_members WHERE app_id = $1 GROUP BY role_id",
    )
    .bind(app_id)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().collect())
}

pub struct RoleText<'a> {
    pub id: &'a Id,
    pub name: &'a str,
    pub description: &'a str,
    pub permissions: &'a [Permission],
}

/// False when another role of the app has the name.
pub async fn insert(
    db: &mut AnyConnection,
    app_id: &Id,
    role: &RoleText<'_>,
    at: Millis,
) -> Result<bool> {
    let inserted = sqlx::query(
        "INSERT INTO app_roles (id, app_id, name, name_key, name_order, description, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
    )
    .bind(role.id)
    .bind(app_id)
    .bind(role.name)
    .bind(role.name.to_lowercase())
    .bind(names::order(role.name))
    .bind(role.description)
    .bind(at)
    .execute(&mut *db)
    .await?;
    let is_new = inserted.rows_affected() == 1;
    if is_new {
        insert_permissions(db, role).await?;
    }
    Ok(is_new)
}

/// False when another role of the app has the name.
pub async fn update(db: &mut AnyConnection, app_id: &Id, role: &RoleText<'_>) -> Result<bool> {
    let updated = sqlx::query(
        "UPDATE app_roles SET name = $1, name_key = $2, name_order = $3, description = $4
         WHERE id = $5 AND NOT EXISTS (SELECT 1 FROM app_roles AS other
            WHERE other.app_id = $6 AND other.name_key = $2 AND other.id <> $5)",
    )
    .bind(role.name)
    .bind(role.name.to_lowercase())
    .bind(names::order(role.name))
    .bind(role.description)
    .bind(role.id)
    .bind(app_id)
    .execute(&mut *db)
    .await?;
    if updated.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query("DELETE FROM role_permissions WHERE role_id = $1")
        .bind(role.id)
        .execute(&mut *db)
        .await?;
    insert_permissions(db, role).await?;
    Ok(true)
}

async fn insert_permissions(db: &mut AnyConnection, role: &RoleText<'_>) -> Result<()> {
    let rows: Vec<String> =
        (2..2 + role.permissions.len()).map(|n| format!("($1, ${n})")).collect();
    let sql =
        format!("INSERT INTO role_permissions (role_id, permission) VALUES {}", rows.join(", "));
    let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(role.id);
    for permission in role.permissions {
        query = query.bind(permission.code());
    }
    query.execute(db).await?;
    Ok(())
}

pub async fn members_with(db: &mut AnyConnection, app_id: &Id, id: &Id) -> Result<Vec<Id>> {
    Ok(sqlx::query_scalar(
        "SELECT user_id FROM app_members WHERE app_id = $1 AND role_id = $2 ORDER BY user_id",
    )
    .bind(app_id)
    .bind(id)
    .fetch_all(db)
    .await?)
}

/// Moves everyone from one role to another.
pub async fn replace(db: &mut AnyConnection, app_id: &Id, from: &Id, to: &Id) -> Result<u64> {
    let moved =
        sqlx::query("UPDATE app_members SET role_id = $1 WHERE app_id = $2 AND role_id = $3")
            .bind(to)
            .bind(app_id)
            .bind(from)
            .execute(db)
            .await?;
    Ok(moved.rows_affected())
}

pub async fn delete(db: &mut AnyConnection, app_id: &Id, id: &Id) -> Result<()> {
    sqlx::query("DELETE FROM app_roles WHERE app_id = $1 AND id = $2")
        .bind(app_id)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}
