//! The event store's record of who loads. An instance that was suspended in the middle of a batch may
//! continue after its partitions have passed to another. So an instance that takes over gives the store a
//! higher number before it reads anything, and every instance checks for a higher number before it stores
//! anything.
//!
//! A batch's ids are written before the check. So either the check finds the other instance's number, or
//! the other instance finds the ids: a message that both have is stored once.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use crate::collect::state::Collecting;
use atrium_core::lease::{Lease, LeaseLost};

/// The fences that the store has, as far as this process knows.
#[derive(Default)]
pub struct Published(Mutex<BTreeMap<String, i64>>);

/// Makes sure that the store knows the fences of a lease that was just taken.
pub async fn publish(atrium: &Collecting, lease: &mut Lease) -> anyhow::Result<()> {
    let published = &atrium.collector.fences.0;
    let is_known = |(name, fence): (&String, &i64)| published.lock().get(name) == Some(fence);
    if lease.fences().iter().all(is_known) {
        return Ok(());
    }
    let stored = atrium.warehouse.fences().await?;
    let fence_of = |name: &str| stored.get(name).copied().unwrap_or(0);
    // The database is older than the store, because it was restored from a backup.
    let higher = lease.fences().iter().map(|(name, fence)| (name.clone(), *fence, fence_of(name)));
    let higher: BTreeMap<String, i64> = higher
        .filter(|(_, own, stored)| stored > own)
        .map(|(name, _, stored)| (name, stored))
        .collect();
    if !higher.is_empty() {
        lease.raise_fences(atrium, &higher).await?;
    }
    let new: Vec<(&str, i64)> = lease
        .fences()
        .iter()
        .filter(|(name, fence)| fence_of(name) < **fence)
        .map(|(name, fence)| (name.as_str(), *fence))
        .collect();
    atrium.warehouse.raise_fences(&new).await?;
    let mut published = published.lock();
    published.extend(lease.fences().iter().map(|(name, fence)| (name.clone(), *fence)));
    Ok(())
}

/// Fails if another instance has taken over.
pub async fn check(atrium: &Collecting, lease: &Lease) -> anyhow::Result<()> {
    let stored = atrium.warehouse.fences().await?;
    for (name, fence) in lease.fences() {
        if stored.get(name).is_some_and(|stored| stored > fence) {
            atrium.collector.fences.0.lock().clear();
            // The other instance may have given people different numbers.
            atrium.collector.person_ids.forget();
            return Err(LeaseLost::of(name).into());
        }
    }
    Ok(())
}
