//! All SQL of when and from where keys were used.

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

/// Distinct addresses that used the row of `keys` since `$3`.
pub const ADDRESSES_7D: &str = "(SELECT COUNT(*) FROM key_addresses
        WHERE key_addresses.key_id = keys.id AND key_addresses.last_used_at >= $3)";

/// Addresses kept per key.
pub const MOST_ADDRESSES: usize = 50;

/// Records the last use of a key of either kind. False when the key is gone.
pub async fn note_use(db: &mut AnyConnection, key_id: &str, ip: &str, at: Millis) -> Result<bool> {
    for statement in [
        "UPDATE api_keys SET last_used_ip = CASE WHEN last_used_at > $1 THEN last_used_ip ELSE $2 END,
            last_used_at = CASE WHEN last_used_at > $1 THEN last_used_at ELSE $1 END WHERE id = $3",
        "UPDATE access_keys SET last_used_ip = CASE WHEN last_used_at > $1 THEN last_used_ip ELSE $2 END,
            last_used_at = CASE WHEN last_used_at > $1 THEN last_used_at ELSE $1 END WHERE id = $3",
    ] {
        let noted =
            sqlx::query(statement).bind(at).bind(ip).bind(key_id).execute(&mut *db).await?;
        if noted.rows_affected() == 1 {
            return Ok(true);
        }
    }
    Ok(false)
}

pub async fn note_address(
    db: &mut AnyConnection,
    key_id: &str,
    ip: &str,
    at: Millis,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO key_addresses (key_id, ip, last_used_at) VALUES ($1, $2, $3)
         ON CONFLICT (key_id, ip) DO UPDATE SET last_used_at = excluded.last_used_at
         WHERE key_addresses.last_used_at < excluded.last_used_at",
    )
    .bind(key_id)
    .bind(ip)
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

/// Keeps a key's most recent addresses.
pub async fn trim_addresses(db: &mut AnyConnection, key_id: &str) -> Result<()> {
    let keep = i64::try_from(MOST_ADDRESSES).unwrap_or(i64::MAX);
    sqlx::query(
        "DELETE FROM key_addresses WHERE key_id = $1 AND ip NOT IN (
            SELECT ip FROM key_addresses WHERE key_id = $1
            ORDER BY last_used_at DESC, ip LIMIT $2)",
    )
    .bind(key_id)
    .bind(keep)
    .execute(db)
    .await?;
    Ok(())
}

#[derive(FromRow)]
pub struct AddressRow {
    pub ip: String,
    pub last_used_at: Millis,
}

/// Newest first.
pub async fn addresses(
    db: &mut AnyConnection,
    key_id: &str,
    limit: i64,
) -> Result<Vec<AddressRow>> {
    Ok(sqlx::query_as(
        "SELECT ip, last_used_at FROM key_addresses WHERE key_id = $1
         ORDER BY last_used_at DESC, ip LIMIT $2",
    )
    .bind(key_id)
    .bind(limit)
    .fetch_all(db)
    .await?)
}

pub async fn delete_addresses_before(db: &mut AnyConnection, before: Millis) -> Result<u64> {
    let deleted = sqlx::query("DELETE FROM key_addresses WHERE last_used_at < $1")
        .bind(before)
        .execute(db)
        .await?;
    Ok(deleted.rows_affected())
}

/// Deletes the addresses of an app's keys: no other row's deletion would remove them.
pub async fn delete_addresses_of_app(db: &mut AnyConnection, app_id: &Id) -> Result<()> {
    sqlx::query(
        "DELETE FROM key_addresses WHERE key_id IN (
            SELECT id FROM api_keys WHERE app_id = $1
            UNION ALL SELECT id FROM access_keys WHERE app_id = $1)",
    )
    .bind(app_id)
    .execute(db)
    .await?;
    Ok(())
}
