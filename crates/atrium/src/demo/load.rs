//! Loads generated batches into the warehouse while the next one is being generated.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use warehouse::Insert;

use super::batch::{Batch, Books};
use super::generator;
use super::plan::Plan;
use super::report::grouped;
use crate::app::AppState;

const READY: Duration = Duration::from_secs(60);
const LIMIT: Duration = Duration::from_secs(120);

/// Stores all events of a plan, and returns the ledger entries for them. Stops between two batches once
/// `stop` has finished.
pub async fn load(
    atrium: &AppState,
    plan: Arc<Plan>,
    stop: &JoinHandle<()>,
) -> anyhow::Result<Books> {
    atrium.warehouse.ready(READY).await.context("the event store")?;
    let first = u64::from_be_bytes(atrium.entropy.bytes());
    // One batch waits while another is stored and a third is made: memory use does not depend on their
    // number.
    let (sender, mut batches) = mpsc::channel(1);
    let making = plan.clone();
    let making = tokio::task::spawn_blocking(move || {
        generator::generate(&making, first, |batch| sender.blocking_send(batch).is_ok())
    });
    let mut progress = Progress::new(plan.events);
    while let Some(batch) = batches.recv().await {
        anyhow::ensure!(!stop.is_finished(), "stopped");
        let events = batch.events;
        store(atrium, batch).await.context("the event store")?;
        progress.add(events);
    }
    making.await?.context("the generator ended early")
}

/// Stores a batch in the same order as the loader.
async fn store(atrium: &AppState, batch: Batch) -> anyhow::Result<()> {
    atrium.warehouse.add_person_ids(&batch.numbers, |_| 0).await?;
    let number = batch.number;
    let tables = [
        (warehouse::log_id_insert(), batch.log_ids),
        (warehouse::event_insert(number), batch.event_rows),
        (warehouse::mutation_insert(number), batch.mutation_rows),
    ];
    let token = format!("{number:016x}-demo");
    for (what, rows) in tables.into_iter().filter(|(_, rows)| !rows.is_empty()) {
        let options = Insert { token: Some(&token), query_id: None, timeout: Some(LIMIT) };
        atrium.warehouse.insert(&what, Bytes::from(rows), options).await?;
    }
    atrium.warehouse.count_sessions(&batch.quarters).await?;
    Ok(atrium.warehouse.insert_profiles(&batch.profiles).await?)
}

/// Logs progress at every tenth.
struct Progress {
    all: u64,
    done: u64,
    reported: u64,
}

impl Progress {
    fn new(all: u64) -> Self {
        Self { all, done: 0, reported: 0 }
    }

    fn add(&mut self, events: u64) {
        self.done += events;
        let tenths = self.done * 10 / self.all.max(1);
        if tenths > self.reported {
            self.reported = tenths;
            eprintln!("{} of {} events stored", grouped(self.done), grouped(self.all));
        }
    }
}
