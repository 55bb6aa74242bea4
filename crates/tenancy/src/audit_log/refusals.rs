//! Writes refused calls into the audit log of the organization or app they concern.

use crate::state::Tenancy;
use crate::store::{apps, orgs};
use atrium_core::audit::refusals::Refusal;
use atrium_core::audit::{Actor, ActorKind, Event, append};
use atrium_core::caller::{Target, Who};
use atrium_core::error::Result;

/// Writes what is waiting. Returns how many entries were made.
pub async fn write_due(atrium: &Tenancy) -> Result<u64> {
    let mut written = 0;
    loop {
        let due = atrium.refusals.take(atrium.now());
        if due.is_empty() {
            return Ok(written);
        }
        // If the database cannot take an entry now, it is not worth keeping.
        let mut tx = atrium.db.write_uncached().await?;
        for refusal in due {
            if let Some(event) = event(&mut tx, &refusal).await? {
                append(&mut tx, &actor(&refusal), event).await?;
                written += 1;
            }
        }
        tx.commit().await?;
    }
}

fn actor(refusal: &Refusal) -> Actor {
    let kind = match &refusal.who {
        Who::User(id) => ActorKind::User(id.clone()),
        Who::QueryKey(id) => ActorKind::Key(id.to_string()),
        Who::AccessKey(id) => ActorKind::Key(id.clone()),
    };
    Actor::of(kind, &refusal.client)
}

/// The entry for the log of the organization or app concerned. None if the id does not exist.
async fn event(db: &mut sqlx::AnyConnection, refusal: &Refusal) -> Result<Option<Event>> {
    const ACTION: &str = "access.refused";
    let event = match &refusal.target {
        None => Event::without_target(ACTION, "instance"),
        Some(Target::Org(id)) => match orgs::by_id(db, id).await? {
            Some(org) => Event::new(ACTION, "org", &org.id).in_org(&org.id),
            None => return Ok(None),
        },
        Some(Target::App(id)) => match apps::by_id(db, id).await? {
            Some(app) => Event::new(ACTION, "app", &app.id).in_org(&app.org_id).in_app(&app.id),
            None => return Ok(None),
        },
    };
    Ok(Some(event.with(refusal.details())))
}
