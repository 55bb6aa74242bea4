//! Removes the id of an erased person from what people saved: lists of cohorts, conditions of queries,
//! and the figures they were taken from. This is not beside the other SQL of those tables, because they
//! belong to the layer above, while erasing happens in this one.

use serde_json::Value;
use sqlx::AnyConnection;

use atrium_core::error::Result;
use atrium_core::types::Id;

/// Removes an id from everything saved in an app. Anyone with one of these open in a form learns that it
/// has changed.
pub async fn forget(db: &mut AnyConnection, app_id: &Id, subject: &str) -> Result<()> {
    for (table, column) in [("saved_analyses", "question"), ("cohorts", "definition")] {
        let sql = format!("SELECT id FROM {table} WHERE app_id = $1");
        let ids: Vec<Id> =
            sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(app_id).fetch_all(&mut *db).await?;
        // One at a time: a list of ids can be long.
        for id in ids {
            let sql = format!("SELECT {column} FROM {table} WHERE id = $1");
            let text: Option<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
                .bind(&id)
                .fetch_optional(&mut *db)
                .await?;
            let Some(mut saved) = text.and_then(|text| serde_json::from_str(&text).ok()) else {
                continue;
            };
            if !take_out(&mut saved, subject) {
                continue;
            }
            let listed = saved["ids"].as_array().map_or(0, Vec::len);
            let counted =
                if table == "cohorts" { format!(", listed = {listed}") } else { String::new() };
            let sql = format!(
                "UPDATE {table} SET {column} = $1, version = version + 1{counted} WHERE id = $2"
            );
            sqlx::query(sqlx::AssertSqlSafe(sql))
                .bind(saved.to_string())
                .bind(&id)
                .execute(&mut *db)
                .await?;
        }
    }
    Ok(())
}

/// Returns whether the id was there. In the group of a figure, where positions matter, it is replaced
/// with null.
fn take_out(value: &mut Value, subject: &str) -> bool {
    match value {
        Value::Object(map) => {
            let keeps_places = !map.contains_key("property");
            map.iter_mut().fold(false, |found, (key, value)| {
                let here = match (key.as_str(), &mut *value) {
                    ("values", Value::Array(list)) if keeps_places => blank(list, subject),
                    ("ids" | "values", Value::Array(list)) => {
                        let before = list.len();
                        list.retain(|it| it != subject);
                        list.len() < before
                    }
                    _ => false,
                };
                take_out(value, subject) | here | found
            })
        }
        Value::Array(list) => {
            list.iter_mut().fold(false, |found, value| take_out(value, subject) | found)
        }
        _ => false,
    }
}

fn blank(list: &mut [Value], subject: &str) -> bool {
    list.iter_mut().filter(|it| **it == subject).fold(false, |_, it| {
        *it = Value::Null;
        true
    })
}
