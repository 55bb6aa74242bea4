//! What the collector does besides receiving: records who used which key, removes expired data, and
//! reports how full the spool is.

use std::sync::atomic::Ordering;
use std::time::Duration;

use uuid::Uuid;

use super::spool::Change;
use super::{loader, loading};
use crate::collect::state::Collecting;
use atrium_core::lease::Lease;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::apps::versions;
use atrium_tenancy::keys;

const READY: Duration = Duration::from_secs(60);
/// Messages that could not be stored are personal data too.
const SET_ASIDE_KEPT: i64 = 30 * Millis::DAY;
/// A batch this old cannot be retried.
const BATCHES_KEPT: i64 = 8 * Millis::DAY;

pub async fn write_uses(atrium: &Collecting) -> atrium_core::error::Result<()> {
    let uses = atrium.key_uses.take();
    if uses.is_empty() {
        return Ok(());
    }
    keys::record_uses(atrium, &uses).await
}

pub async fn measure(atrium: &Collecting) {
    let usage = atrium.collector.spool.usage();
    let bytes = usage.bytes.load(Ordering::Relaxed);
    metrics::gauge!("atrium_spool_messages").set(usage.messages() as f64);
    metrics::gauge!("atrium_spool_bytes").set(bytes as f64);
    metrics::gauge!("atrium_spool_limit_bytes").set(atrium.collector.spool.limit() as f64);
    let up = if atrium.warehouse.is_up() { 1.0 } else { 0.0 };
    metrics::gauge!("atrium_event_store_up").set(up);
    let away = atrium.collector.outage.lasts().map_or(0.0, |lasts| lasts.as_secs_f64());
    metrics::gauge!("atrium_database_away_seconds").set(away);
    let loading = loading::look(atrium).await;
    let oldest = loading.oldest_seconds.unwrap_or(0);
    metrics::gauge!("atrium_spool_oldest_seconds").set(oldest as f64);
    metrics::gauge!("atrium_loader_troubled_apps").set(loading.troubled_apps as f64);
    metrics::gauge!("atrium_loader_degraded").set(f64::from(u8::from(loading.is_degraded)));
    metrics::gauge!("atrium_spool_set_aside_messages").set(loading.set_aside as f64);
}

/// Removes events that are older than their app's retention. Returns how many.
pub async fn retain(atrium: &Collecting) -> anyhow::Result<u64> {
    atrium.warehouse.ready(READY).await?;
    let holder = &atrium.collector.spool.name;
    let Some(lease) = Lease::take(atrium, "retention", holder).await? else {
        return Ok(0);
    };
    let removed = lease.during(atrium, retain_all(atrium, &lease)).await;
    lease.release(atrium).await?;
    let before = atrium.now().plus(-SET_ASIDE_KEPT).0;
    atrium.collector.spool.write(Change::Forget { before }).await?;
    removed
}

async fn retain_all(atrium: &Collecting, lease: &Lease) -> anyhow::Result<u64> {
    let apps = atrium_tenancy::store::apps::retentions(&mut *atrium.db.read().await?).await?;
    let now = atrium.now();
    let mut removed = 0;
    for app in apps {
        let id = app.id.uuid()?;
        let before = now.plus(-app.days.max(1) * Millis::DAY);
        // One day at a time, so that the app's messages are loaded in between.
        while let Some(oldest) = atrium.warehouse.oldest_before(id, before.0).await? {
            let next_day = Millis((oldest.div_euclid(Millis::DAY) + 1) * Millis::DAY);
            lease.renew(atrium).await?;
            removed += retain_app(atrium, &app.id, id, before.min(next_day)).await?;
        }
    }
    let mut tx = atrium.db.write_relaxed().await?;
    super::ledger::forget_batches(&mut tx, now.plus(-BATCHES_KEPT)).await?;
    tx.commit().await?;
    Ok(removed)
}

async fn retain_app(
    atrium: &Collecting,
    app_id: &Id,
    id: Uuid,
    before: Millis,
) -> anyhow::Result<u64> {
    let turn = loader::keep_away(atrium, id).await?;
    let work = async { Ok(atrium.warehouse.retain(id, before.0).await?) };
    let removed = turn.during(atrium, work).await;
    turn.release(atrium).await?;
    versions::note_removal(atrium, app_id).await?;
    removed
}
