//! Whether this program may still use the stores. A newer program may have removed something that this
//! one needs, from the metadata database or from the event store (docs/decisions/0037).

use std::time::Duration;

use crate::app::AppState;

/// A store that does not answer is checked again later.
const LIMIT: Duration = Duration::from_secs(5);

/// Refuses to start if a remote event store is already known to be too new. The database was checked
/// when it was opened, and an embedded store is checked once it has started.
pub async fn refuse(atrium: &AppState) -> anyhow::Result<()> {
    if !atrium.warehouse.is_remote() {
        return Ok(());
    }
    match events(atrium).await {
        Some(reason) => anyhow::bail!(reason),
        None => Ok(()),
    }
}

/// The reason why it may not. A store that cannot be queried is no reason.
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
