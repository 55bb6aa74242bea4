//! Counts stored events into tables of a new release that do not include them yet, while the system runs:
//! on one instance at a time, one month of one app after the other, each while nobody loads that app.
//! After a crash, the next run continues with what is left.

use std::time::Duration;

use warehouse::RecountPart;

use super::loader;
use crate::collect::state::Collecting;
use atrium_core::lease::Lease;
use atrium_tenancy::apps::versions;

const READY: Duration = Duration::from_secs(60);
const LEASE: &str = "recount";

/// Counts what is due. Returns how many parts were counted.
pub async fn run_due(atrium: &Collecting) -> anyhow::Result<u64> {
    // Usually nothing is due, and then no query is made.
    if atrium.warehouse.is_everything_counted() {
        return Ok(0);
    }
    atrium.warehouse.ready(READY).await?;
    let left = left(atrium).await?;
    if left.is_empty() {
        return Ok(0);
    }
    let holder = &atrium.collector.spool.name;
    let Some(lease) = Lease::take(atrium, LEASE, holder).await? else {
        return Ok(0);
    };
    let counted = lease.during(atrium, count_all(atrium)).await;
    lease.release(atrium).await?;
    counted
}

async fn count_all(atrium: &Collecting) -> anyhow::Result<u64> {
    let mut counted = 0;
    // Read again: another instance may have done some before the lease was free.
    for part in left(atrium).await? {
        if !atrium.warehouse.may_recount(&part).await? {
            continue;
        }
        count(atrium, &part).await?;
        counted += 1;
        let rest = left(atrium).await?.len();
        tracing::info!(what = part.name, app = %part.app_id, rest, "counted a part of earlier events");
    }
    Ok(counted)
}

/// Loading of the app waits for this one part only.
async fn count(atrium: &Collecting, part: &RecountPart) -> anyhow::Result<()> {
    let turn = loader::keep_away(atrium, part.app_id).await?;
    let work = async {
        for step in atrium.warehouse.recount_steps(part) {
            turn.renew(atrium).await?;
            atrium.warehouse.recount(part, step).await?;
        }
        Ok(())
    };
    let counted = turn.during(atrium, work).await;
    turn.release(atrium).await?;
    counted?;
    if part.is_about_owners() {
        let mut tx = atrium.db.write_uncached().await?;
        versions::note_owners(&mut tx, &part.app_id.hyphenated().to_string()).await?;
        tx.commit().await?;
    }
    Ok(())
}

async fn left(atrium: &Collecting) -> anyhow::Result<Vec<RecountPart>> {
    let left = atrium.warehouse.recounts_left().await?;
    metrics::gauge!("atrium_recount_parts_left").set(left.len() as f64);
    Ok(left)
}
