//! Whether this program may still use the stores. A newer one may have taken away what this one needs, in
//! the metadata database or in the event store (docs/decisions/0037).

use std::time::Duration;

use crate::app::AppState;

/// A store that does not answer is looked at later.
const LIMIT: Duration = Duration::from_secs(5);

/// Refuses to start where the event store says so already. The database was looked at when it was
/// opened, and an embedded store is looked at once it has started.
pub async fn refuse(atrium: &AppState) -> anyhow::Result<()> {
    if !atrium.warehouse.is_remote() {
        return Ok(());
    }
    match events(atrium).await {
        Some(reason) => anyhow::bail!(reason),
        None => Ok(()),
    }
}

/// Why it may not, if so. What cannot be asked is no reason.
pub async fn reason(atrium: &AppState) -> Option<String> {
    if let Ok(Some(reason)) = atrium.db.outdated().await {
        return Some(reason);
    }
    match atrium.warehouse.is_up() {
        true => events(atrium).await,
        false => None,
    }
}

async fn events(atrium: &AppState) -> Option<String> {
    let asked = tokio::time::timeout(LIMIT, atrium.warehouse.check_schema()).await;
    match asked {
        Ok(Err(error @ warehouse::Error::Outdated(_))) => Some(error.to_string()),
        _ => None,
    }
}
