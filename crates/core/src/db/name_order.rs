//! Sort keys for names, which no database can compute by itself.

use super::Write;
use crate::names::{RULES, order};

/// Tables with names that lists are sorted by.
const NAMED: &[&str] =
    &["users", "organizations", "apps", "app_roles", "access_keys", "saved_analyses", "cohorts"];

/// Fills in the sort keys of names: all of them if the rules are new, otherwise only those of rows
/// written by an older program, which does not know the column.
pub async fn reorder(tx: &mut Write) -> anyhow::Result<()> {
    let version: String =
        sqlx::query_scalar("SELECT version FROM name_order_rules").fetch_one(&mut **tx).await?;
    let which = if version == RULES { "name_order = '' AND name <> ''" } else { "1 = 1" };
    for table in NAMED {
        let select = format!("SELECT id, name FROM {table} WHERE {which}");
        let names: Vec<(String, String)> =
            sqlx::query_as(sqlx::AssertSqlSafe(select)).fetch_all(&mut **tx).await?;
        for (id, name) in names {
            let update = format!("UPDATE {table} SET name_order = $1 WHERE id = $2");
            sqlx::query(sqlx::AssertSqlSafe(update))
                .bind(order(&name))
                .bind(id)
                .execute(&mut **tx)
                .await?;
        }
    }
    sqlx::query("UPDATE name_order_rules SET version = $1 WHERE version <> $1")
        .bind(RULES)
        .execute(&mut **tx)
        .await?;
    Ok(())
}
