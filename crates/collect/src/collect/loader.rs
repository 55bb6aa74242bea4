//! Carries the spool into the warehouse: the only writer of events. An app is loaded by one instance at a
//! time (`partitions`). If the outcome of a batch is unknown, the store is checked before any of it is
//! sent again. Apps take turns, and a failing batch is split until only the part to blame waits
//! (docs/decisions/0020).

mod batch_size;
mod blame;
mod booking;
pub(super) mod fence;
pub(crate) mod lanes;
pub(super) mod partitions;
mod storing;
mod trouble;

use std::pin::pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;

use super::batch::Batch;
use super::batch_choice::Room;
use super::spool::{Spool, Wanted};
use super::{batch_cost, spool_adopt};
use crate::collect::state::Collecting;
use atrium_core::lease::Lease;
use lanes::{Lane, Lanes, Part};
pub use partitions::{Partitions, keep_all_away, keep_away, others_load};

/// Above this, messages are loaded without pauses.
const BACKLOG: i64 = 60_000;
/// How long messages are gathered: the store prefers few large parts.
const GATHER: Duration = Duration::from_millis(1_500);
/// How often to check whether another instance is done.
const NOT_MINE_LOOK: Duration = Duration::from_millis(200);
const IDLE_LOOK: Duration = Duration::from_secs(5);
const ADOPT_LOOK: Duration = Duration::from_secs(60);
/// The longest wait for a retry in a spool left behind: our own batches come first.
const ADOPT_TIMEOUT: Duration = Duration::from_secs(2);
const READY: Duration = Duration::from_secs(30);
const RETRY_FIRST: Duration = Duration::from_secs(1);
const RETRY_LAST: Duration = Duration::from_secs(30);

#[derive(Debug, PartialEq, Eq)]
pub enum Turn {
    /// Nothing is waiting.
    Idle,
    /// Other instances hold all partitions with waiting messages.
    NotMine,
    Loaded(usize),
    /// Something could not be stored, and will be retried in smaller parts.
    Failed,
    /// Only failed parts are left, and it is not their time yet.
    Later(Duration),
}

/// Runs until `stop` resolves, which is noticed between two batches.
pub async fn run(atrium: Collecting, stop: impl Future<Output = ()>) {
    let mut stop = pin!(stop);
    tokio::select! {
        biased;
        () = &mut stop => return,
        () = drop_adopted(&atrium) => {}
    }
    let mut retry = RETRY_FIRST;
    let mut looked = Instant::now();
    loop {
        let begun = Instant::now();
        let spool = &atrium.collector.spool;
        // At shutdown, a running batch is waited for, but not a store that is down.
        let ready = tokio::select! {
            biased;
            () = &mut stop => return,
            ready = ready(&atrium, spool) => ready,
        };
        let turn = turn_when(&atrium, spool, ready).await;
        if matches!(turn, Ok(Turn::Loaded(_))) {
            retry = RETRY_FIRST;
        }
        let rest = async {
            pause_after(&atrium, turn, begun.elapsed(), &mut retry).await;
            if looked.elapsed() > ADOPT_LOOK {
                looked = Instant::now();
                adopt(&atrium).await;
            }
        };
        tokio::select! {
            biased;
            () = &mut stop => return,
            () = rest => {}
        }
    }
}

/// Runs before anything is loaded, as soon as the database can be reached.
async fn drop_adopted(atrium: &Collecting) {
    while let Err(error) = spool_adopt::drop_adopted(atrium, &atrium.collector.spool).await {
        tracing::warn!(%error, "could not determine yet whether another server has adopted the spool");
        tokio::time::sleep(RETRY_FIRST).await;
    }
}

/// A backlog is loaded without pauses; a trickle is gathered first.
async fn pause_after(
    atrium: &Collecting,
    turn: anyhow::Result<Turn>,
    took: Duration,
    retry: &mut Duration,
) {
    let spool = &atrium.collector.spool;
    let pause = match turn {
        // Each of several instances holds some of the partitions at a time.
        Ok(Turn::Loaded(_)) if spool.usage().messages() < BACKLOG => {
            GATHER / u32::try_from(atrium.collector.loaders.known()).unwrap_or(1)
        }
        // Unless loading is costly: then readers get the warehouse half of the time.
        Ok(Turn::Loaded(_)) if spool.lanes.lock().await.batch_size.is_costly() => took.min(GATHER),
        Ok(Turn::Loaded(_) | Turn::Failed) => Duration::ZERO,
        Ok(Turn::NotMine) => NOT_MINE_LOOK,
        Ok(Turn::Idle) => wait_for_messages(spool, IDLE_LOOK).await,
        Ok(Turn::Later(wait)) => wait_for_messages(spool, wait.min(IDLE_LOOK)).await,
        Err(error) => {
            let error = format!("{error:#}");
            tracing::warn!(error, "loading events failed and will be retried");
            let pause = *retry;
            *retry = (pause * 2).min(RETRY_LAST);
            pause
        }
    };
    tokio::time::sleep(pause).await;
}

/// Waits for something to load. Returns how long to gather more.
async fn wait_for_messages(spool: &Spool, wait: Duration) -> Duration {
    let arrived = tokio::time::timeout(wait, spool.arrived.notified()).await.is_ok();
    if arrived { GATHER } else { Duration::ZERO }
}

/// Loads the spools that dead servers left beside ours.
async fn adopt(atrium: &Collecting) {
    let state = atrium.clone();
    let looking = tokio::task::spawn_blocking(move || {
        state.collector.left_behind(&state.settings.stores.data_dir)
    });
    let found = match looking.await.map_err(anyhow::Error::from).flatten() {
        Ok(found) => found,
        Err(error) => {
            tracing::warn!(%error, "a spool left by another server cannot be opened");
            return;
        }
    };
    for spool in found {
        if let Err(error) = spool_adopt::drop_adopted(atrium, &spool).await {
            tracing::warn!(%error, "loading a spool left by another server failed and will be retried");
            continue;
        }
        tracing::info!(
            messages = spool.usage().messages(),
            "loading a spool left by another server"
        );
        loop {
            match turn(atrium, &spool).await {
                Ok(Turn::Later(wait)) if wait <= ADOPT_TIMEOUT => tokio::time::sleep(wait).await,
                // Failures are retried at the next look.
                Ok(Turn::Idle | Turn::Later(_)) => break,
                Ok(Turn::Loaded(_) | Turn::Failed) => {}
                Ok(Turn::NotMine) => tokio::time::sleep(NOT_MINE_LOOK).await,
                Err(error) => {
                    tracing::warn!(%error, "loading a spool left by another server failed and will be retried");
                    break;
                }
            }
        }
    }
}

/// Loads one batch, if there is one and this instance gets the partitions.
pub async fn turn(atrium: &Collecting, spool: &Spool) -> anyhow::Result<Turn> {
    turn_when(atrium, spool, ready(atrium, spool).await).await
}

/// Waits for the store if there is something to load. False if there is nothing.
async fn ready(atrium: &Collecting, spool: &Spool) -> anyhow::Result<bool> {
    if spool.attempts().await?.is_empty() && spool.first().await?.is_none() {
        return Ok(false);
    }
    atrium.warehouse.ready(READY).await?;
    Ok(true)
}

async fn turn_when(
    atrium: &Collecting,
    spool: &Spool,
    ready: anyhow::Result<bool>,
) -> anyhow::Result<Turn> {
    let mut lanes = spool.lanes.lock().await;
    let outcome = match ready {
        Ok(true) => take_turn(atrium, spool, &mut lanes).await,
        Ok(false) => Ok(Turn::Idle),
        Err(error) => Err(error),
    };
    note(spool, &lanes, &outcome);
    outcome
}

async fn take_turn(atrium: &Collecting, spool: &Spool, lanes: &mut Lanes) -> anyhow::Result<Turn> {
    let attempts = spool.attempts().await?;
    let begun: Partitions = attempts.iter().map(|attempt| attempt.app).collect();
    lanes.take_up(attempts);
    let wanted = begun.union(spool.waiting_partitions().await?);
    let turns = &mut lanes.partition_turns;
    let taken = partitions::take(atrium, &spool.name, wanted, turns).await?;
    let Some((lease, held)) = taken else { return Ok(Turn::NotMine) };
    let outcome = lease.during(atrium, serve(atrium, spool, (&lease, held), lanes)).await;
    // Other instances waiting for the partitions get them between any two batches.
    lease.release(atrium).await?;
    match outcome {
        Ok(Turn::Idle) if held != wanted => Ok(Turn::NotMine),
        outcome => outcome,
    }
}

/// Updates the figures for monitoring.
fn note(spool: &Spool, lanes: &Lanes, outcome: &anyhow::Result<Turn>) {
    let usage = spool.usage();
    usage.troubled_apps.store(lanes.troubled(), Ordering::Relaxed);
    match outcome {
        Ok(Turn::Loaded(_)) => usage.load_failures.store(0, Ordering::Relaxed),
        Ok(Turn::Failed) | Err(_) => {
            usage.load_failures.fetch_add(1, Ordering::Relaxed);
            metrics::counter!("atrium_loader_failures_total").increment(1);
        }
        Ok(Turn::Idle | Turn::NotMine | Turn::Later(_)) => {}
    }
}

/// Gives a turn to the next lane that has work.
async fn serve(
    atrium: &Collecting,
    spool: &Spool,
    (lease, held): (&Lease, Partitions),
    lanes: &mut Lanes,
) -> anyhow::Result<Turn> {
    for lane in lanes.order() {
        let turn = match lane {
            Lane::Again => match lanes.due(held) {
                Some(part) => Some(again(atrium, spool, lease, lanes, part).await),
                None => None,
            },
            Lane::Together => {
                let wanted = Wanted::AllBut(lanes.apart(), held);
                fresh(atrium, spool, lease, lanes, wanted).await.transpose()
            }
            Lane::Alone => alone(atrium, spool, (lease, held), lanes).await.transpose(),
        };
        if let Some(turn) = turn {
            lanes.served(lane);
            return turn;
        }
    }
    Ok(lanes.wait().map_or(Turn::Idle, Turn::Later))
}

/// Loads a batch of the next app that is loaded by itself.
async fn alone(
    atrium: &Collecting,
    spool: &Spool,
    (lease, held): (&Lease, Partitions),
    lanes: &mut Lanes,
) -> anyhow::Result<Option<Turn>> {
    for app in lanes.alone().into_iter().filter(|app| held.contains(*app)) {
        if let Some(turn) = fresh(atrium, spool, lease, lanes, Wanted::Only(app)).await? {
            lanes.served_alone(app);
            return Ok(Some(turn));
        }
    }
    Ok(None)
}

/// Loads a batch that was not tried before, of one app or of all that are not loaded separately.
async fn fresh(
    atrium: &Collecting,
    spool: &Spool,
    lease: &Lease,
    lanes: &mut Lanes,
    wanted: Wanted,
) -> anyhow::Result<Option<Turn>> {
    let app = match wanted {
        Wanted::Only(app) => Some(app),
        Wanted::AllBut(..) => None,
    };
    let messages_max = lanes.messages_max(app);
    let groups = spool.take(wanted, messages_max, lanes.turns()).await?;
    let number = u64::from_be_bytes(atrium.entropy.bytes());
    let cost = batch_cost::limit(atrium.settings.events.engine_memory_mb);
    let room = Room { messages: u64::try_from(messages_max)?, cost };
    let mut batch = Batch::fresh(number, groups, room);
    trouble::set_aside_unreadable(atrium, spool, &mut batch).await?;
    if batch.ranges().is_empty() {
        return Ok(None);
    }
    lanes.take_turns(batch.ranges().into_iter().map(|range| range.app));
    let begun = Instant::now();
    let part = Part::new(number, batch.attempts());
    let weights = batch.weights();
    match storing::load(atrium, spool, lease, &mut batch).await {
        Ok(loaded) => {
            lanes.stored(app);
            lanes.batch_size.took(i64::try_from(loaded)?, begun.elapsed());
            Ok(Some(Turn::Loaded(loaded)))
        }
        Err(error) if spool.attempts().await?.iter().any(|it| it.batch == number) => {
            lanes.batch_size.shrink();
            trouble::failed(atrium, spool, lanes, part, &weights, error).await.map(Some)
        }
        // Nothing was sent: take less next time, in case it was too much.
        Err(error) => {
            lanes.batch_size.shrink();
            Err(error)
        }
    }
}

/// Retries what failed or was interrupted by a crash.
async fn again(
    atrium: &Collecting,
    spool: &Spool,
    lease: &Lease,
    lanes: &mut Lanes,
    mut part: Part,
) -> anyhow::Result<Turn> {
    let aside = spool.set_aside_among(part.attempts.clone()).await?;
    if let Some(aside) = aside {
        part.attempts.retain(|attempt| *attempt != aside);
        lanes.put_back(part);
        return trouble::finish_set_aside(atrium, spool, aside).await;
    }
    let mut batch = Batch::begun(part.batch, spool.take_begun(part.attempts.clone()).await?);
    let weights = batch.weights();
    match storing::recover(atrium, spool, lease, &mut batch, &part).await {
        Ok(loaded) => {
            lanes.stored(None);
            Ok(Turn::Loaded(loaded))
        }
        Err(error) => trouble::failed(atrium, spool, lanes, part, &weights, error).await,
    }
}
