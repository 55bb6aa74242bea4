//! Leases for work that only one instance does at a time. A lease expires unless it is renewed.

use crate::error::Result;
use crate::state::Core;
use crate::types::Millis;

/// Takes the lease or keeps it. `holder` is the same after a restart, so that an instance that
/// crashed goes on at once where it was.
pub async fn acquire(atrium: &Core, name: &str, holder: &str, lasting: i64) -> Result<bool> {
    let now = atrium.now();
    let mut tx = atrium.db.write_relaxed().await?;
    let held = sqlx::query(
        "INSERT INTO leases (name, holder, held_until) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
         WHERE leases.holder = excluded.holder OR leases.held_until < $4",
    )
    .bind(name)
    .bind(holder)
    .bind(now.plus(lasting))
    .bind(now)
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(held.rows_affected() == 1)
}

/// Lets others have it.
pub async fn release(atrium: &Core, name: &str, holder: &str) -> Result<()> {
    let mut tx = atrium.db.write_relaxed().await?;
    sqlx::query("UPDATE leases SET held_until = $1 WHERE name = $2 AND holder = $3")
        .bind(Millis(0))
        .bind(name)
        .bind(holder)
        .execute(&mut *tx)
        .await?;
    tx.commit().await?;
    Ok(())
}
