//! Ends a batch: its counts are booked, once, and the spool drops it.

use std::collections::BTreeSet;

use anyhow::Context;
use uuid::Uuid;

use super::super::batch::Batch;
use super::super::ledger::{self, Tally};
use super::super::spool::{Change, Spool};
use crate::collect::state::Collecting;
use atrium_core::types::Millis;
use atrium_tenancy::apps::versions;

/// Books the batch's counts, each booking once, and removes the batch from the spool.
pub async fn finish(
    atrium: &Collecting,
    spool: &Spool,
    batch: &Batch,
    bookings: &[(String, Tally)],
) -> anyhow::Result<usize> {
    let loaded = batch.count();
    let mut tx = atrium.db.write_uncached().await?;
    for (name, tally) in bookings {
        ledger::book(&mut tx, name, tally, atrium.now()).await?;
    }
    for (app, buckets) in batch.buckets() {
        // Sessions and visits that span midnight may now begin or end on another day.
        let near = buckets.into_iter().map(i64::from).flat_map(|at| [at - 1_800, at, at + 1_800]);
        let days = near.map(|at| at * Millis::SECOND / Millis::DAY);
        versions::added(&mut tx, &app.hyphenated().to_string(), &days.collect()).await?;
    }
    let owned: BTreeSet<Uuid> = batch.sign_ins.iter().map(|sign_in| sign_in.app).collect();
    for app in owned {
        versions::note_owners(&mut tx, &app.hyphenated().to_string()).await?;
    }
    let profiles: BTreeSet<Uuid> = batch.subjects().into_keys().map(|(app, _)| app).collect();
    for app in profiles {
        versions::note_profiles(&mut tx, &app.hyphenated().to_string()).await?;
    }
    tx.commit().await?;
    atrium.collector.person_ids.note_sign_ins(&batch.sign_ins);
    spool.write(Change::Finish(batch.ranges())).await.context("the spool")?;
    metrics::counter!("atrium_loaded_messages_total").increment(loaded as u64);
    Ok(loaded)
}

pub fn name_of(number: u64) -> String {
    format!("{number:016x}")
}

/// The bookings of a batch that is finished in parts: each app's range separately, under a name that does
/// not depend on what else it is tried with. Nothing if a crash came after the booking of the whole batch
/// and before its end.
pub async fn unbooked(
    atrium: &Collecting,
    batch: &mut Batch,
) -> anyhow::Result<Vec<(String, Tally)>> {
    let whole = name_of(batch.number);
    if ledger::is_booked(&mut *atrium.db.read().await?, &whole).await? {
        return Ok(Vec::new());
    }
    let mut tallies = batch.take_tally().by_app();
    let bookings = batch.ranges().into_iter().filter_map(|range| {
        let name = format!("{whole}/{}/{}", range.app.simple(), range.upto);
        Some((name, tallies.remove(&range.app)?))
    });
    Ok(bookings.collect())
}
