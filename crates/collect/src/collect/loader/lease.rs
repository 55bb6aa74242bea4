//! Loading is done by one instance at a time, under a lease.

use std::time::Duration;

use crate::collect::state::Collecting;
use atrium_core::error::Result;
use atrium_core::lease::Lease;
use atrium_core::types::Millis;

const AWAY_LOOK: Duration = Duration::from_millis(100);
const AWAY_TRIES: u32 = 600;
/// Longer than one step can take.
const DURATION: i64 = 15 * Millis::MINUTE;

pub(super) async fn take(atrium: &Collecting, holder: &str) -> Result<Option<Lease>> {
    Lease::take(atrium, "loader", holder, DURATION).await
}

/// Waits for a moment without loading, and makes it last until the lease is released: for work that
/// counts what is stored.
pub async fn keep_away(atrium: &Collecting) -> anyhow::Result<Lease> {
    // Under a name of its own: this instance's loader must wait too.
    let holder = format!("{}/upkeep", atrium.collector.spool.name);
    for _ in 0..AWAY_TRIES {
        if let Some(own) = take(atrium, &holder).await? {
            return Ok(own);
        }
        tokio::time::sleep(AWAY_LOOK).await;
    }
    anyhow::bail!("the loader has been busy for long")
}
