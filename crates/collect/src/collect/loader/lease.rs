//! Loading is done by one instance at a time, under a lease.

use std::time::Duration;

use crate::state::Collecting;
use atrium_core::lease;
use atrium_core::types::Millis;

const AWAY_LOOK: Duration = Duration::from_millis(100);
const AWAY_TRIES: u32 = 600;
const LEASE: &str = "loader";
/// Longer than one step can take.
const LEASE_DURATION: i64 = 15 * Millis::MINUTE;

/// The lease, as long as work is done under it.
pub struct LoaderLease {
    holder: String,
}

impl LoaderLease {
    pub(super) async fn take(atrium: &Collecting, holder: &str) -> anyhow::Result<Option<Self>> {
        let held = lease::acquire(atrium, LEASE, holder, LEASE_DURATION).await?;
        Ok(held.then(|| Self { holder: holder.to_owned() }))
    }

    /// Before each step: it must still be ours, and last for the step.
    pub(super) async fn renew(&self, atrium: &Collecting) -> anyhow::Result<()> {
        let held = lease::acquire(atrium, LEASE, &self.holder, LEASE_DURATION).await?;
        anyhow::ensure!(held, "another instance has begun to load");
        Ok(())
    }

    pub async fn end(self, atrium: &Collecting) -> anyhow::Result<()> {
        Ok(lease::release(atrium, LEASE, &self.holder).await?)
    }
}

/// Waits for a moment without loading, and makes it last until the hold is ended: for work that
/// counts what is stored.
pub async fn keep_away(atrium: &Collecting) -> anyhow::Result<LoaderLease> {
    // Under a name of its own: this instance's loader must wait too.
    let holder = format!("{}/upkeep", atrium.collector.spool.name);
    for _ in 0..AWAY_TRIES {
        if let Some(own) = LoaderLease::take(atrium, &holder).await? {
            return Ok(own);
        }
        tokio::time::sleep(AWAY_LOOK).await;
    }
    anyhow::bail!("the loader has been busy for long")
}
