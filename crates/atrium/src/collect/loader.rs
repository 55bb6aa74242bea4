//! Carries the spool into the event store: the only writer of events. One instance at a time, by
//! a lease; a batch whose outcome is unknown is looked at before anything of it is sent again.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::Context;
use bytes::Bytes;
use uuid::Uuid;
use warehouse::{Error as StoreError, Insert, LogIdRow};

use super::batch::Batch;
use super::recent::MessageId;
use super::spool::{Attempt, Spool};
use super::{ledger, numbers, profiles};
use crate::app::AppState;
use crate::insight::versions;
use crate::jobs::lease;
use crate::types::Millis;

/// What one batch takes at most: enough for the store to work in bulk, little enough for memory.
const MESSAGES_MAX: i64 = 150_000;
/// More than this is worked off without pause.
const BACKLOG: i64 = 60_000;
/// How long messages gather: few large parts are what the store likes.
const GATHER: Duration = Duration::from_millis(1_500);
const IDLE_LOOK: Duration = Duration::from_secs(5);
const ADOPT_LOOK: Duration = Duration::from_secs(60);
const READY: Duration = Duration::from_secs(30);
const RETRY_FIRST: Duration = Duration::from_secs(1);
const RETRY_LAST: Duration = Duration::from_secs(30);
const INSERT_LIMIT: Duration = Duration::from_secs(120);
const PROFILE_TRIES: u32 = 3;
const AWAY_LOOK: Duration = Duration::from_millis(100);
const AWAY_TRIES: u32 = 600;
const LEASE: &str = "loader";
/// Longer than one step can take.
const LEASE_LASTING: i64 = 15 * Millis::MINUTE;

#[derive(Debug, PartialEq, Eq)]
pub enum Turn {
    /// Nothing waits.
    Idle,
    /// Another instance has its turn.
    NotMine,
    Loaded(usize),
}

/// Runs until the process ends.
pub async fn run(atrium: AppState) {
    let mut retry = RETRY_FIRST;
    let spool = &atrium.collector.spool;
    let mut looked = tokio::time::Instant::now();
    loop {
        match turn(&atrium, spool).await {
            Ok(Turn::Loaded(_)) => {
                retry = RETRY_FIRST;
                // A backlog is worked off without pause; a trickle gathers first.
                if spool.usage().messages() < BACKLOG {
                    tokio::time::sleep(GATHER).await;
                }
            }
            Ok(Turn::Idle) => {
                let arrived = spool.arrived.notified();
                if tokio::time::timeout(IDLE_LOOK, arrived).await.is_ok() {
                    tokio::time::sleep(GATHER).await;
                }
            }
            Ok(Turn::NotMine) => tokio::time::sleep(GATHER).await,
            Err(error) => {
                spool.repair_if_unreadable(&error).await;
                let error = format!("{error:#}");
                tracing::warn!(error, "loading events failed, it is tried again");
                metrics::counter!("atrium_loader_failures_total").increment(1);
                tokio::time::sleep(retry).await;
                retry = (retry * 2).min(RETRY_LAST);
            }
        }
        if looked.elapsed() > ADOPT_LOOK {
            looked = tokio::time::Instant::now();
            adopt(&atrium).await;
        }
    }
}

/// Loads what servers that are gone have left in their spools beside ours.
async fn adopt(atrium: &AppState) {
    let found = match atrium.collector.left_behind(&atrium.settings.stores.data_dir) {
        Ok(found) => found,
        Err(error) => {
            tracing::warn!(%error, "a spool that another server left cannot be opened");
            return;
        }
    };
    for spool in found {
        tracing::info!(messages = spool.usage().messages(), "loading what another server left");
        loop {
            match turn(atrium, &spool).await {
                Ok(Turn::Idle) => break,
                Ok(Turn::Loaded(_)) => {}
                Ok(Turn::NotMine) => tokio::time::sleep(GATHER).await,
                Err(error) => {
                    tracing::warn!(%error, "what another server left is tried again later");
                    break;
                }
            }
        }
    }
}

/// The lease, as long as work is done under it.
pub struct Hold {
    holder: String,
}

impl Hold {
    async fn take(atrium: &AppState, holder: &str) -> anyhow::Result<Option<Self>> {
        let held = lease::hold(atrium, LEASE, holder, LEASE_LASTING).await?;
        Ok(held.then(|| Self { holder: holder.to_owned() }))
    }

    /// Before each step: it must still be ours, and last for the step.
    async fn renew(&self, atrium: &AppState) -> anyhow::Result<()> {
        let held = lease::hold(atrium, LEASE, &self.holder, LEASE_LASTING).await?;
        anyhow::ensure!(held, "another instance has begun to load");
        Ok(())
    }

    pub async fn end(self, atrium: &AppState) -> anyhow::Result<()> {
        Ok(lease::release(atrium, LEASE, &self.holder).await?)
    }
}

/// Waits for a moment without loading, and makes it last until the hold is ended: for work that
/// counts what is stored.
pub async fn keep_away(atrium: &AppState) -> anyhow::Result<Hold> {
    // Under a name of its own: this instance's loader must wait too.
    let holder = format!("{}/upkeep", atrium.collector.spool.name);
    for _ in 0..AWAY_TRIES {
        if let Some(hold) = Hold::take(atrium, &holder).await? {
            return Ok(hold);
        }
        tokio::time::sleep(AWAY_LOOK).await;
    }
    anyhow::bail!("the loader has been busy for long")
}

/// Loads one batch, if there is one and it is this instance's turn.
pub async fn turn(atrium: &AppState, spool: &Spool) -> anyhow::Result<Turn> {
    let begun = spool.attempt().await?;
    if begun.is_none() && spool.first().await?.is_none() {
        return Ok(Turn::Idle);
    }
    atrium.warehouse.ready(READY).await?;
    let Some(hold) = Hold::take(atrium, &spool.name).await? else {
        return Ok(Turn::NotMine);
    };
    let chunk = spool.take(MESSAGES_MAX, begun.map(|attempt| attempt.upto)).await?;
    let outcome = match begun {
        Some(attempt) => {
            let mut batch = Batch::read(attempt.batch, chunk)?;
            batch.upto = attempt.upto;
            recover(atrium, spool, &hold, batch).await
        }
        None => {
            let number = u64::from_be_bytes(atrium.entropy.bytes());
            load(atrium, spool, &hold, Batch::read(number, chunk)?).await
        }
    };
    // Whoever waits for a turn gets one between any two batches.
    hold.end(atrium).await?;
    outcome.map(Turn::Loaded)
}

/// A batch that nobody has tried before.
async fn load(
    atrium: &AppState,
    spool: &Spool,
    hold: &Hold,
    mut batch: Batch,
) -> anyhow::Result<usize> {
    batch.keep_apps(&living_apps(atrium, &batch).await?);
    let known = atrium.warehouse.known_ids(&batch.ids(), batch.number).await?;
    batch.drop_known(&known.into_iter().collect());
    hold.renew(atrium).await?;
    let numbers = numbers::assign(atrium, &batch).await?;
    spool.begin(Attempt { batch: batch.number, upto: batch.upto }).await?;
    store(atrium, hold, &batch, &numbers, &HashSet::new(), false).await?;
    finish(atrium, spool, batch).await
}

/// A batch that was begun: by a server that crashed, or with an answer that never came. What is
/// there of it stays, the rest is sent, and the rollups it touched are counted anew.
async fn recover(
    atrium: &AppState,
    spool: &Spool,
    hold: &Hold,
    mut batch: Batch,
) -> anyhow::Result<usize> {
    tracing::info!(messages = batch.count(), "going on with a batch that was broken off");
    batch.keep_apps(&living_apps(atrium, &batch).await?);
    let warehouse = &atrium.warehouse;
    warehouse.kill(&query_id(batch.number)).await?;
    let known = warehouse.known_ids(&batch.ids(), batch.number).await?;
    batch.drop_known(&known.into_iter().collect());
    let apps: Vec<_> = batch.apps().into_iter().collect();
    let (from, to) = batch.time_range();
    let stored = warehouse.stored_of_batch(batch.number, &apps, from, to).await?;
    hold.renew(atrium).await?;
    let numbers = numbers::assign(atrium, &batch).await?;
    store(atrium, hold, &batch, &numbers, &stored.into_iter().collect(), true).await?;
    for (app, buckets) in batch.buckets() {
        hold.renew(atrium).await?;
        let buckets: Vec<_> = buckets.into_iter().collect();
        warehouse.rebuild(app, &buckets).await?;
    }
    finish(atrium, spool, batch).await
}

/// Sends the ids first, so that no other instance takes a twin for new, then the rows, then what
/// they make of profiles. Ids carry their batch's number: one's own are no twins.
async fn store(
    atrium: &AppState,
    hold: &Hold,
    batch: &Batch,
    numbers: &[(u32, u32)],
    stored: &HashSet<MessageId>,
    again: bool,
) -> anyhow::Result<()> {
    hold.renew(atrium).await?;
    let (number, received) = (batch.number, u32::try_from(atrium.now().0 / 1_000)?);
    // A second try has a token of its own: the store may remember the first one's and not its rows.
    let salt = if again { u64::from_be_bytes(atrium.entropy.bytes()) } else { 0 };
    let token = format!("{number:016x}-{salt:x}");
    let mut ids = Vec::with_capacity(batch.count() * 44);
    for (app_id, log_id) in batch.ids() {
        warehouse::write_log_id(&LogIdRow { log_id, app_id, received, batch: number }, &mut ids);
    }
    if !ids.is_empty() {
        insert(atrium, number, warehouse::log_id_insert(), ids, &token).await?;
    }
    hold.renew(atrium).await?;
    let events = batch.events(stored, numbers);
    if !events.is_empty() {
        let sql = warehouse::event_insert(number);
        insert(atrium, number, &sql, events, &token).await?;
        hold.renew(atrium).await?;
        atrium.warehouse.count_sessions(&batch.buckets()).await?;
    }
    let mutations = batch.mutations(stored);
    if !mutations.is_empty() {
        hold.renew(atrium).await?;
        let sql = warehouse::mutation_insert(number);
        insert(atrium, number, &sql, mutations, &token).await?;
    }
    hold.renew(atrium).await?;
    refresh_profiles(atrium, batch, again).await
}

/// Profiles must not keep events from being stored: what fails again and again is left for the next
/// change of the same profile, which takes it along.
async fn refresh_profiles(atrium: &AppState, batch: &Batch, again: bool) -> anyhow::Result<()> {
    let Err(error) = profiles::refresh(atrium, batch.subjects(), again).await else {
        return Ok(());
    };
    if atrium.collector.failures_of(batch.number) < PROFILE_TRIES {
        return Err(error);
    }
    tracing::error!(%error, "some profiles could not be brought up to date");
    Ok(())
}

async fn insert(
    atrium: &AppState,
    number: u64,
    sql: &str,
    body: Vec<u8>,
    token: &str,
) -> Result<(), StoreError> {
    let query_id = query_id(number);
    let options =
        Insert { token: Some(token), query_id: Some(&query_id), timeout: Some(INSERT_LIMIT) };
    atrium.warehouse.insert(sql, Bytes::from(body), options).await
}

/// Books what the batch counts, once, and lets the spool go of it.
async fn finish(atrium: &AppState, spool: &Spool, mut batch: Batch) -> anyhow::Result<usize> {
    let loaded = batch.count();
    let tally = batch.take_tally();
    let mut tx = atrium.db.write_apart().await?;
    ledger::book(&mut tx, &format!("{:016x}", batch.number), &tally, atrium.now()).await?;
    for (app, buckets) in batch.buckets() {
        let days =
            buckets.into_iter().map(|bucket| i64::from(bucket) * Millis::SECOND / Millis::DAY);
        versions::added(&mut tx, &app.hyphenated().to_string(), &days.collect()).await?;
    }
    tx.commit().await?;
    spool.finish(batch.upto).await.context("the spool")?;
    metrics::counter!("atrium_loaded_messages_total").increment(loaded as u64);
    Ok(loaded)
}

async fn living_apps(atrium: &AppState, batch: &Batch) -> anyhow::Result<HashSet<Uuid>> {
    let mut db = atrium.db.read().await?;
    let mut living = HashSet::new();
    for app in batch.apps() {
        let id = app.hyphenated().to_string();
        if crate::apps::store::keeps_data(&mut db, &id).await? {
            living.insert(app);
        }
    }
    Ok(living)
}

fn query_id(number: u64) -> String {
    format!("atrium-load-{number:016x}")
}
