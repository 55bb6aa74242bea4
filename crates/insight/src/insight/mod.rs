//! Figures from events: the dashboard, and how an app's data is arriving.

pub mod apps;
pub(crate) mod cache;
pub(crate) mod csv;
pub(crate) mod dates;
pub(crate) mod elapsed;
pub(crate) mod errors;
pub mod ingest;
pub(crate) mod kept;
pub mod overall;
pub mod property_uses;
pub(crate) mod range;
pub mod retention_impact;
pub mod state;

use std::collections::HashMap;
use std::time::Duration;

use uuid::Uuid;

use crate::insight::state::Insight;
use atrium_core::error::Result;
use atrium_core::fair_queue::Caller;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::apps::AppView;

/// A list of apps must not wait for a warehouse that is busy or away.
const TIMEOUT: Duration = Duration::from_millis(800);

/// Fills in the events of the last day; they stay unknown if the event store cannot answer.
pub async fn count_events(atrium: &Insight, caller: Caller, apps: &mut [AppView]) {
    let ids: Vec<_> = apps.iter().map(|app| app.id.clone()).collect();
    let Some(counts) = events_24h(atrium, caller, &ids).await else { return };
    for app in apps {
        app.events_24h = counts.get(&app.id).copied();
    }
}

/// Events of the last day per app; None if the event store cannot answer.
pub async fn events_24h(atrium: &Insight, caller: Caller, apps: &[Id]) -> Option<HashMap<Id, i64>> {
    if apps.is_empty() || !atrium.warehouse.is_up() {
        return None;
    }
    let known: Vec<(Uuid, &Id)> =
        apps.iter().map(|id| Ok((id.uuid()?, id))).collect::<Result<_>>().ok()?;
    let ids: Vec<_> = known.iter().map(|(uuid, _)| *uuid).collect();
    let now = atrium.now();
    let store = atrium.warehouse.behind(atrium.reads.reader(caller));
    let counting = store.count_events(&ids, now.plus(-Millis::DAY).0, now.0 + 1);
    let counts = tokio::time::timeout(TIMEOUT, counting).await.ok()?.ok()?;
    let count = |uuid: &Uuid| counts.get(uuid).copied().unwrap_or(0);
    Some(
        known
            .into_iter()
            .map(|(uuid, id)| (id.clone(), i64::try_from(count(&uuid)).unwrap_or(i64::MAX)))
            .collect(),
    )
}
