//! Gives every device and user of an app a number when their first event is loaded: the warehouse counts
//! people as bitmaps of these numbers (docs/decisions/0015). Only the loader does this, under the app's
//! lease, so nobody gets two. If a superseded loader did assign a second number, the store knows which
//! one counts.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicI64, Ordering};

use anyhow::Context;
use parking_lot::Mutex;
use quick_cache::sync::Cache;
use sqlx::AnyConnection;
use uuid::Uuid;
use warehouse::Identity;

use super::batch::{Batch, People, SignIn};
use super::loader::partitions;
use crate::collect::state::Collecting;
use atrium_core::lease::Lease;
use atrium_tenancy::apps::versions;

/// Numbers kept in memory; others are queried from the store.
const KNOWN_MAX: usize = 300_000;
const ASKED_AT_ONCE: usize = 100_000;

pub struct PersonIds {
    known: Cache<Identity, u32>,
    /// By app and device: the earliest sign-in time that was recorded for everyone.
    signed_in: Cache<(Uuid, u32), i64>,
    /// The removal that the cache is current for: an erased person comes back under another number.
    removals: AtomicI64,
    /// Apps whose next number was compared with the warehouse. After a restore the warehouse may be the
    /// newer of the two.
    compared: Mutex<HashSet<Uuid>>,
}

impl Default for PersonIds {
    fn default() -> Self {
        Self {
            known: Cache::new(KNOWN_MAX),
            signed_in: Cache::new(KNOWN_MAX),
            removals: AtomicI64::new(0),
            compared: Mutex::default(),
        }
    }
}

impl PersonIds {
    pub fn forget(&self) {
        self.known.clear();
        self.signed_in.clear();
    }

    /// Whether the device may have changed owners by this. If nothing is remembered, it may have.
    fn is_news(&self, SignIn { app, device, time_ms }: &SignIn) -> bool {
        self.signed_in.get(&(*app, *device)).is_none_or(|known| *time_ms < known)
    }

    /// Remembers that these sign-ins were recorded for everyone.
    pub fn note_sign_ins(&self, sign_ins: &[SignIn]) {
        for sign_in in sign_ins.iter().filter(|it| self.is_news(it)) {
            self.signed_in.insert((sign_in.app, sign_in.device), sign_in.time_ms);
        }
    }
}

/// The numbers of each record's person and device; zeros if it is not an event.
pub async fn assign(
    atrium: &Collecting,
    lease: &Lease,
    batch: &mut Batch,
) -> anyhow::Result<Vec<(u32, u32)>> {
    let ids = &atrium.collector.person_ids;
    let removals = versions::removals(&mut *atrium.db.read().await?).await?;
    if ids.removals.swap(removals, Ordering::Relaxed) != removals {
        ids.forget();
    }
    let people: Vec<Option<People>> = batch.people().collect();
    let mut found = HashMap::new();
    let mut unknown = HashSet::new();
    for identity in people.iter().flatten().flat_map(|people| [people.person, people.device]) {
        match ids.known.get(&identity) {
            Some(number) => drop(found.insert(identity, number)),
            None => drop(unknown.insert(identity)),
        }
    }
    let unknown: Vec<Identity> = unknown.into_iter().collect();
    for some in unknown.chunks(ASKED_AT_ONCE) {
        let stored = atrium.warehouse.person_ids(some).await?;
        let new = some.iter().filter(|identity| !stored.contains_key(identity)).copied();
        let new = make(atrium, lease, new.collect()).await?;
        for (identity, number) in stored.into_iter().chain(new) {
            ids.known.insert(identity, number);
            found.insert(identity, number);
        }
    }
    let number = |identity: &Identity| found.get(identity).copied().unwrap_or(0);
    let signed_in = people.iter().flatten().filter(|people| people.person != people.device);
    let sign_ins = signed_in.map(|People { device, time_ms, .. }| SignIn {
        app: device.app,
        device: number(device),
        time_ms: *time_ms,
    });
    batch.sign_ins = sign_ins.filter(|sign_in| ids.is_news(sign_in)).collect();
    let both = |people: &People| (number(&people.person), number(&people.device));
    Ok(people.iter().map(|people| people.as_ref().map_or((0, 0), both)).collect())
}

/// Makes numbers for those without one. They are reserved before use, so that a crash leaves a gap but
/// never assigns a number twice.
async fn make(
    atrium: &Collecting,
    lease: &Lease,
    new: Vec<Identity>,
) -> anyhow::Result<Vec<(Identity, u32)>> {
    let mut by_app: BTreeMap<Uuid, Vec<Identity>> = BTreeMap::new();
    for identity in new {
        by_app.entry(identity.app).or_default().push(identity);
    }
    let mut made = Vec::new();
    for (app, new) in by_app {
        let least = least_next(atrium, app).await?;
        let mut tx = atrium.db.write_uncached().await?;
        let first = reserve(&mut tx, app, least, new.len()).await?;
        tx.commit().await?;
        made.extend(new.into_iter().zip(first..));
    }
    let fence = |app| partitions::fence_of(lease, app);
    atrium.warehouse.add_person_ids(&made, fence).await?;
    Ok(made)
}

async fn least_next(atrium: &Collecting, app: Uuid) -> anyhow::Result<u32> {
    let compared = &atrium.collector.person_ids.compared;
    if compared.lock().contains(&app) {
        return Ok(1);
    }
    let last = atrium.warehouse.last_number(app).await?;
    compared.lock().insert(app);
    Ok(last + 1)
}

/// Reserves the next `count` numbers of an app. Returns the first.
async fn reserve(
    db: &mut AnyConnection,
    app: Uuid,
    least: u32,
    count: usize,
) -> anyhow::Result<u32> {
    let count = i64::try_from(count)?;
    let next: Option<i64> = sqlx::query_scalar(
        "INSERT INTO people_numbers (app_id, next)
         SELECT $1, $2 + $3 WHERE EXISTS (SELECT 1 FROM apps WHERE id = $1)
         ON CONFLICT (app_id) DO UPDATE SET next =
            CASE WHEN people_numbers.next > $2 THEN people_numbers.next ELSE $2 END + $3
         RETURNING next",
    )
    .bind(app.hyphenated().to_string())
    .bind(i64::from(least))
    .bind(count)
    .fetch_optional(db)
    .await?;
    let next = next.context("an app was deleted while its events were being loaded")?;
    Ok(u32::try_from(next - count)?)
}
