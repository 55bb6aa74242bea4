//! Which instance loads which apps. Apps are divided into partitions, each with its own lease, so that
//! several instances load in parallel and no app is loaded by two at once. Every instance has messages of
//! every app, so partitions are held for one batch and then change hands (docs/decisions/0032).

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use uuid::Uuid;

use super::fence;
use crate::collect::state::Collecting;
use atrium_core::error::Result;
use atrium_core::lease::{DatabaseClock, Lease};
use atrium_core::types::Millis;

/// More than the number of instances will ever be; each partition costs a row.
pub const PARTITIONS: usize = 16;

const LOADER_SEEN_FOR: i64 = 15 * Millis::SECOND;
const LOADER_LOOK: Duration = Duration::from_secs(5);
/// An instance that has waited this long for a partition claims it as next holder.
const OVERDUE: Duration = Duration::from_secs(3);
const AWAY_LOOK: Duration = Duration::from_millis(100);
const AWAY_TRIES: u32 = 600;

/// A set of partitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Partitions(u16);

impl Partitions {
    pub const ALL: Self = Self(u16::MAX);

    fn number(app: Uuid) -> usize {
        // The last bytes of an id are random in all id versions in use.
        usize::from(app.as_bytes()[15]) % PARTITIONS
    }

    pub fn union(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    pub fn contains(self, app: Uuid) -> bool {
        self.has(Self::number(app))
    }

    fn has(self, number: usize) -> bool {
        self.0 & (1 << number) != 0
    }

    fn numbers(self) -> impl Iterator<Item = usize> {
        (0..PARTITIONS).filter(move |number| self.has(*number))
    }

    fn of_lease(lease: &Lease) -> Self {
        let is_held = |number: &usize| lease.fences().contains_key(&name_of(*number));
        (0..PARTITIONS).filter(is_held).collect()
    }
}

impl FromIterator<usize> for Partitions {
    fn from_iter<T: IntoIterator<Item = usize>>(numbers: T) -> Self {
        Self(numbers.into_iter().fold(0, |set, number| set | 1 << number))
    }
}

impl FromIterator<Uuid> for Partitions {
    fn from_iter<T: IntoIterator<Item = Uuid>>(apps: T) -> Self {
        apps.into_iter().map(Self::number).collect()
    }
}

fn name_of(number: usize) -> String {
    format!("loader/{number}")
}

/// The fence of the lease on an app's partition.
pub fn fence_of(lease: &Lease, app: Uuid) -> i64 {
    lease.fences().get(&name_of(Partitions::number(app))).copied().unwrap_or(0)
}

/// When this spool last held each partition, so that it asks first for those it has missed longest.
#[derive(Default)]
pub struct PartitionTurns {
    turns: [u64; PARTITIONS],
    turn: u64,
    /// Since when each partition has been wanted but not held.
    missed: [Option<Instant>; PARTITIONS],
}

impl PartitionTurns {
    fn in_order(&self, wanted: Partitions) -> Vec<usize> {
        let mut numbers: Vec<usize> = wanted.numbers().collect();
        numbers.sort_by_key(|number| self.turns[*number]);
        numbers
    }

    fn overdue(&self) -> Vec<String> {
        let is_overdue =
            |number: &usize| self.missed[*number].is_some_and(|since| since.elapsed() >= OVERDUE);
        (0..PARTITIONS).filter(is_overdue).map(name_of).collect()
    }

    fn had(&mut self, wanted: Partitions, held: Partitions) {
        self.turn += 1;
        for number in 0..PARTITIONS {
            if held.has(number) {
                self.turns[number] = self.turn;
            }
            let is_missed = wanted.has(number) && !held.has(number);
            self.missed[number] =
                is_missed.then(|| self.missed[number].unwrap_or_else(Instant::now));
        }
    }
}

/// The number of instances that load, as far as is known.
#[derive(Default)]
pub struct Loaders(Mutex<Option<(Instant, usize)>>);

impl Loaders {
    pub fn known(&self) -> usize {
        self.0.lock().map_or(1, |(_, count)| count)
    }
}

/// Registers this instance as loading, and counts all that do.
async fn count_loaders(atrium: &Collecting) -> Result<usize> {
    let known = *atrium.collector.loaders.0.lock();
    if let Some((at, count)) = known
        && at.elapsed() < LOADER_LOOK
    {
        return Ok(count);
    }
    let clock = DatabaseClock::of(atrium);
    let mut tx = atrium.db.write_relaxed().await?;
    let sql = format!(
        "INSERT INTO loaders (name, seen_until) VALUES ($1, {})
         ON CONFLICT (name) DO UPDATE SET seen_until = excluded.seen_until",
        clock.in_future(LOADER_SEEN_FOR)
    );
    let own = &atrium.collector.spool.name;
    sqlx::query(sqlx::AssertSqlSafe(sql)).bind(own).execute(&mut *tx).await?;
    let sql = format!("DELETE FROM loaders WHERE seen_until < {}", clock.now());
    sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut *tx).await?;
    let count: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM loaders").fetch_one(&mut *tx).await?;
    tx.commit().await?;
    let count = usize::try_from(count).unwrap_or(1).max(1);
    *atrium.collector.loaders.0.lock() = Some((Instant::now(), count));
    Ok(count)
}

/// Whether other instances loaded something within the last seconds.
pub async fn others_load(atrium: &Collecting) -> Result<bool> {
    let clock = DatabaseClock::of(atrium);
    let sql =
        format!("SELECT COUNT(*) FROM loaders WHERE name != $1 AND seen_until > {}", clock.now());
    let count: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
        .bind(&atrium.collector.spool.name)
        .fetch_one(&mut *atrium.db.read().await?)
        .await?;
    Ok(count > 0)
}

/// Takes this instance's share of the partitions that it has messages for.
pub async fn take(
    atrium: &Collecting,
    holder: &str,
    wanted: Partitions,
    turns: &mut PartitionTurns,
) -> anyhow::Result<Option<(Lease, Partitions)>> {
    let loaders = count_loaders(atrium).await?;
    let numbers = turns.in_order(wanted);
    let most = numbers.len().div_ceil(loaders).max(1);
    let names: Vec<String> = numbers.into_iter().map(name_of).collect();
    let lease = Lease::take_some(atrium, holder, &names, most, &turns.overdue()).await?;
    let held = lease.as_ref().map(Partitions::of_lease).unwrap_or_default();
    turns.had(wanted, held);
    let Some(lease) = lease else { return Ok(None) };
    Ok(Some((published(atrium, lease).await?, held)))
}

async fn published(atrium: &Collecting, mut lease: Lease) -> anyhow::Result<Lease> {
    match fence::publish(atrium, &mut lease).await {
        Ok(()) => Ok(lease),
        Err(error) => {
            lease.release(atrium).await?;
            Err(error)
        }
    }
}

/// Waits until nobody loads an app, and keeps it that way until the lease is released: for work that
/// counts stored events.
pub async fn keep_away(atrium: &Collecting, app: Uuid) -> anyhow::Result<Lease> {
    // A different holder name, so that this instance's loader has to wait too.
    let holder = format!("{}/upkeep", atrium.collector.spool.name);
    let name = [name_of(Partitions::number(app))];
    for _ in 0..AWAY_TRIES {
        if let Some(lease) = Lease::take_some(atrium, &holder, &name, 1, &name).await? {
            return published(atrium, lease).await;
        }
        tokio::time::sleep(AWAY_LOOK).await;
    }
    anyhow::bail!("the loader has been busy for too long")
}

/// The same for all apps at once, to copy everything. A store that is not in use yet need not be told.
pub async fn keep_all_away(atrium: &Collecting, store_in_use: bool) -> anyhow::Result<Lease> {
    let holder = format!("{}/backup", atrium.collector.spool.name);
    let names: Vec<String> = (0..PARTITIONS).map(name_of).collect();
    let mut held: Option<Lease> = None;
    for _ in 0..AWAY_TRIES {
        // One after the other in a fixed order, so that two that want all of them cannot deadlock.
        loop {
            let count = held.as_ref().map_or(0, |lease| lease.fences().len());
            if let Some(lease) = held.take_if(|_| count == PARTITIONS) {
                return match store_in_use {
                    true => published(atrium, lease).await,
                    false => Ok(lease),
                };
            }
            let wanted = &names[..=count];
            held = Lease::take_some(atrium, &holder, wanted, PARTITIONS, wanted).await?;
            if held.as_ref().is_none_or(|lease| lease.fences().len() <= count) {
                break;
            }
        }
        tokio::time::sleep(AWAY_LOOK).await;
    }
    if let Some(lease) = held {
        lease.release(atrium).await?;
    }
    anyhow::bail!("the loaders have been busy for too long")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_missed_for_longest_comes_first() {
        let mut turns = PartitionTurns::default();
        let all: Partitions = [1, 2, 3].into_iter().collect();
        turns.had(all, [1].into_iter().collect());
        assert_eq!(turns.in_order(all), [2, 3, 1]);
        turns.had(all, [3].into_iter().collect());
        assert_eq!(turns.in_order(all), [2, 1, 3]);
        assert!(
            turns.missed[2].is_some() && turns.missed[3].is_none() && turns.missed[4].is_none()
        );
    }

    #[test]
    fn apps_spread_over_the_partitions() {
        let apps = (0..1_000_u128).map(|app| Uuid::from_u128(app * 0x9e37_79b9_7f4a_7c15));
        let used: Partitions = apps.collect();
        assert_eq!(used.numbers().count(), PARTITIONS);
    }
}
