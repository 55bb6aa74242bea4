//! Brings one batch into the store: drops what is already stored, gives people their numbers, then writes
//! ids, rows and derived data one after the other.

use std::collections::HashSet;
use std::time::Duration;

use bytes::Bytes;
use uuid::Uuid;
use warehouse::{Insert, LogIdRow, RowInsert};

use super::super::batch::Batch;
use super::super::dedup::MessageId;
use super::super::spool::{Change, Spool};
use super::super::{cardinality, person_ids, profiles};
use super::blame::NotStored;
use super::booking::{finish, name_of, unbooked};
use super::lanes::Part;
use super::{fence, trouble};
use crate::collect::state::Collecting;
use atrium_core::lease::Lease;

const INSERT_LIMIT: Duration = Duration::from_secs(120);
const PROFILE_TRIES: u32 = 3;

/// A batch that was not tried before.
pub async fn load(
    atrium: &Collecting,
    spool: &Spool,
    lease: &Lease,
    batch: &mut Batch,
) -> anyhow::Result<usize> {
    batch.keep_apps(&living_apps(atrium, batch).await?);
    let known = atrium.warehouse.known_ids(&batch.ids(), batch.number).await?;
    batch.drop_known(&known.into_iter().collect());
    let person_ids = person_ids::assign(atrium, lease, batch).await?;
    cardinality::judge(atrium, batch).await?;
    spool.write(Change::Begin(batch.attempts())).await?;
    store(atrium, lease, batch, &person_ids, &HashSet::new(), false).await?;
    let tally = batch.take_tally();
    finish(atrium, spool, batch, &[(name_of(batch.number), tally)]).await
}

/// A batch that was begun: what is already stored stays, the rest is sent, and the counts it is part of
/// are completed.
pub async fn recover(
    atrium: &Collecting,
    spool: &Spool,
    lease: &Lease,
    batch: &mut Batch,
    part: &Part,
) -> anyhow::Result<usize> {
    tracing::info!(messages = batch.count(), "continuing an interrupted batch");
    trouble::set_aside_unreadable(atrium, spool, batch).await?;
    batch.keep_attempts(&part.attempts);
    batch.keep_apps(&living_apps(atrium, batch).await?);
    let warehouse = &atrium.warehouse;
    warehouse.end_load(batch.number).await?;
    let known = warehouse.known_ids(&batch.ids(), batch.number).await?;
    batch.drop_known(&known.into_iter().collect());
    let apps: Vec<_> = batch.apps().into_iter().collect();
    let (from, to) = batch.time_range();
    let stored = warehouse.stored_of_batch(batch.number, &apps, from, to).await?;
    let person_ids = person_ids::assign(atrium, lease, batch).await?;
    cardinality::judge(atrium, batch).await?;
    store(atrium, lease, batch, &person_ids, &stored.into_iter().collect(), true).await?;
    let tallies = unbooked(atrium, batch).await?;
    finish(atrium, spool, batch, &tallies).await
}

/// Sends the ids first, so that no other instance treats a duplicate as new, then the rows, then the
/// profile changes. Ids carry their batch's number: a batch's own ids are not duplicates.
async fn store(
    atrium: &Collecting,
    lease: &Lease,
    batch: &Batch,
    person_ids: &[(u32, u32)],
    stored: &HashSet<MessageId>,
    again: bool,
) -> anyhow::Result<()> {
    let (number, received) = (batch.number, u32::try_from(atrium.now().0 / 1_000)?);
    // A retry gets a new token: the store may remember the first one but not its rows.
    let salt = if again { u64::from_be_bytes(atrium.entropy.bytes()) } else { 0 };
    let token = format!("{number:016x}-{salt:x}");
    let mut ids = Vec::with_capacity(batch.count() * 52);
    for (app_id, time_ms, log_id) in batch.ids() {
        let row = LogIdRow { app_id, time_ms, log_id, received, batch: number };
        warehouse::write_log_id(&row, &mut ids);
    }
    if !ids.is_empty() {
        insert(atrium, number, &warehouse::log_id_insert(), ids, &token).await?;
    }
    fence::check(atrium, lease).await?;
    let events = batch.events(stored, person_ids);
    if !events.is_empty() {
        insert(atrium, number, &warehouse::event_insert(number), events, &token).await?;
    }
    if again {
        atrium.warehouse.complete(number, &batch.buckets()).await?;
    } else {
        atrium.warehouse.count_sessions(&batch.buckets()).await?;
    }
    let mutations = batch.mutations(stored);
    if !mutations.is_empty() {
        insert(atrium, number, &warehouse::mutation_insert(number), mutations, &token).await?;
    }
    refresh_profiles(atrium, batch, again).await?;
    // If another instance has taken over, it may have counted while this was being stored: then the batch
    // is gone over again.
    fence::check(atrium, lease).await
}

/// Profiles must not keep events from being stored. If they keep failing, they are left for the profile's
/// next change, which includes these changes.
async fn refresh_profiles(atrium: &Collecting, batch: &Batch, again: bool) -> anyhow::Result<()> {
    let Err(error) = profiles::refresh(atrium, batch.subjects(), again).await else {
        return Ok(());
    };
    if atrium.collector.failures_of(batch.number) < PROFILE_TRIES {
        return Err(error);
    }
    tracing::error!(%error, "some profiles could not be updated");
    Ok(())
}

async fn insert(
    atrium: &Collecting,
    number: u64,
    what: &RowInsert,
    body: Vec<u8>,
    token: &str,
) -> Result<(), NotStored> {
    let query_id = warehouse::load_query_id(number);
    let options =
        Insert { token: Some(token), query_id: Some(&query_id), timeout: Some(INSERT_LIMIT) };
    atrium.warehouse.insert(what, Bytes::from(body), options).await.map_err(NotStored)
}

async fn living_apps(atrium: &Collecting, batch: &Batch) -> anyhow::Result<HashSet<Uuid>> {
    let mut db = atrium.db.read().await?;
    let mut living = HashSet::new();
    for app in batch.apps() {
        let id = app.hyphenated().to_string();
        if atrium_tenancy::store::apps::keeps_data(&mut db, &id).await? {
            living.insert(app);
        }
    }
    Ok(living)
}
