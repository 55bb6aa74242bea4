//! Leases for work that only one instance does at a time. A lease expires unless it is renewed.

use crate::error::Result;
use crate::state::Core;
use crate::types::Millis;

/// A lease that was ours when it was last renewed.
pub struct Lease {
    name: &'static str,
    holder: String,
    duration: i64,
}

/// Another instance does the work now, so this one has to stop.
#[derive(Debug)]
pub struct LeaseLost(&'static str);

impl std::fmt::Display for LeaseLost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "another instance holds the lease \"{}\" now", self.0)
    }
}

impl std::error::Error for LeaseLost {}

impl Lease {
    /// None while another holds it. `holder` is the same after a restart, so that an instance that
    /// crashed goes on at once where it was.
    pub async fn take(
        atrium: &Core,
        name: &'static str,
        holder: &str,
        duration: i64,
    ) -> Result<Option<Self>> {
        let now = atrium.now();
        let mut tx = atrium.db.write_relaxed().await?;
        let taken = sqlx::query(
            "INSERT INTO leases (name, holder, held_until) VALUES ($1, $2, $3)
             ON CONFLICT (name)
             DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
             WHERE leases.holder = excluded.holder OR leases.held_until < $4",
        )
        .bind(name)
        .bind(holder)
        .bind(now.plus(duration))
        .bind(now)
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        let lease = Self { name, holder: holder.to_owned(), duration };
        Ok((taken.rows_affected() == 1).then_some(lease))
    }

    /// Before each step: it must still be ours, and last for the step. One that another had in the
    /// meantime is lost, even if it is free again: what was read under it no longer holds.
    pub async fn renew(&self, atrium: &Core) -> anyhow::Result<()> {
        let until = atrium.now().plus(self.duration);
        anyhow::ensure!(self.hold_until(atrium, until).await?, LeaseLost(self.name));
        Ok(())
    }

    /// Lets others have it.
    pub async fn release(self, atrium: &Core) -> Result<()> {
        self.hold_until(atrium, Millis(0)).await?;
        Ok(())
    }

    /// False if another has it, or had it last.
    async fn hold_until(&self, atrium: &Core, until: Millis) -> Result<bool> {
        let mut tx = atrium.db.write_relaxed().await?;
        let held = sqlx::query("UPDATE leases SET held_until = $1 WHERE name = $2 AND holder = $3")
            .bind(until)
            .bind(self.name)
            .bind(&self.holder)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(held.rows_affected() == 1)
    }
}
