//! Carries out erasures. Every step can be repeated, so one interrupted by a crash simply starts over.

use anyhow::Context;
use serde_json::json;
use uuid::Uuid;
use warehouse::Kind;

use super::{SubjectKind, handlers, mask, saved, store};
use crate::collect::loader;
use crate::collect::state::Collecting;
use atrium_core::audit::{self, Actor, Event};
use atrium_core::lease::{Lease, LeaseLost};
use atrium_core::types::Id;
use atrium_tenancy::apps::versions;

/// Attempts are a minute apart: a warehouse that is down for a day must not make the erasure fail.
const TRIES_MAX: i64 = 1_500;

/// Carries out what is due, on one instance at a time. Returns how many are done.
pub async fn run_due(atrium: &Collecting) -> anyhow::Result<u64> {
    if store::due(&mut *atrium.db.read().await?).await?.is_empty() {
        return Ok(0);
    }
    let holder = &atrium.collector.spool.name;
    let Some(lease) = Lease::take(atrium, "erasures", holder).await? else {
        return Ok(0);
    };
    let done = erase_all(atrium, &lease).await;
    lease.release(atrium).await?;
    done
}

async fn erase_all(atrium: &Collecting, lease: &Lease) -> anyhow::Result<u64> {
    let mut done = 0;
    // Read again: another instance may have done some before the lease was free.
    for erasure in store::due(&mut *atrium.db.read().await?).await? {
        match lease.during(atrium, erase(atrium, lease, &erasure)).await {
            Ok(erased) => done += u64::from(erased),
            // Not a failure of the erasure: the other instance continues with it.
            Err(error) if error.is::<LeaseLost>() => {
                tracing::warn!(%error, id = %erasure.id, "erasing stopped");
                return Ok(done);
            }
            Err(error) => {
                let error = format!("{error:#}");
                tracing::warn!(error, id = %erasure.id, tries = erasure.tries + 1, "an erasure failed");
                give_up(atrium, &erasure).await?;
            }
        }
    }
    Ok(done)
}

/// Marks an erasure that keeps failing, so that people see it and can request it again.
async fn give_up(atrium: &Collecting, erasure: &store::ErasureRow) -> anyhow::Result<()> {
    if erasure.tries + 1 >= TRIES_MAX {
        let mut tx = atrium.db.write_uncached().await?;
        store::fail(&mut tx, &erasure.id, atrium.now()).await?;
        tx.commit().await?;
    }
    Ok(())
}

async fn erase(
    atrium: &Collecting,
    lease: &Lease,
    erasure: &store::ErasureRow,
) -> anyhow::Result<bool> {
    lease.renew(atrium).await?;
    let mut tx = atrium.db.write_uncached().await?;
    store::begin(&mut tx, &erasure.id).await?;
    tx.commit().await?;
    let sealed = erasure.subject.as_deref().context("an erasure without a subject")?;
    let subject = atrium.keyring.open_sealed(&handlers::purpose(&erasure.id), sealed)?;
    let subject = String::from_utf8(subject)?;
    let app = erasure.app_id.uuid()?;
    let kind = match SubjectKind::parse(&erasure.kind) {
        SubjectKind::User => Kind::User,
        SubjectKind::Device => Kind::Device,
    };
    // Messages still in the spool were sent before the request, and are erased too.
    atrium.collector.settle(app).await?;
    let turn = loader::keep_away(atrium, app).await?;
    let work = erase_now(atrium, lease, &erasure.app_id, app, kind, &subject);
    let erased = turn.during(atrium, work).await;
    turn.release(atrium).await?;
    let events = erased?;
    let mut tx = atrium.db.write().await?;
    let events = i64::try_from(events)? + erasure.events.unwrap_or(0);
    saved::forget(&mut tx, &erasure.app_id, &subject).await?;
    let hint = mask(&subject);
    let done = store::finish(&mut tx, &erasure.id, &hint, events, atrium.now()).await?;
    let org_id = atrium_tenancy::store::apps::org_of(&mut tx, &erasure.app_id).await?;
    if let (true, Some(org_id)) = (done, org_id) {
        let event = Event::new("data.erase", "erasure", &erasure.id)
            .in_org(&org_id)
            .in_app(&erasure.app_id)
            .with(json!({ "kind": erasure.kind, "hint": hint, "events": events }));
        audit::append(&mut tx, &Actor::system(), event).await?;
    }
    tx.commit().await?;
    Ok(done)
}

/// Carries on after waiting for the loader, which may have taken longer than the lease lasts.
async fn erase_now(
    atrium: &Collecting,
    lease: &Lease,
    app_id: &Id,
    app: Uuid,
    kind: Kind,
    subject: &str,
) -> anyhow::Result<u64> {
    lease.renew(atrium).await?;
    let erased = atrium.warehouse.erase(app, kind, subject).await;
    // Before anyone loads again: the person's number is gone too.
    versions::note_removal(atrium, app_id).await?;
    Ok(erased?)
}
