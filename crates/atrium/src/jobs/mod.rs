//! Work that happens by itself. Every job may run on several instances at once.

use std::time::Duration;

use crate::accounts;
use crate::app::AppState;
use crate::apps::purge;
use crate::outbound::mail;

const HOURLY: Duration = Duration::from_secs(60 * 60);
const UPKEEP: Duration = Duration::from_secs(10);

/// Starts the background work; it ends with the process.
pub fn start(atrium: &AppState) {
    let sweeping = atrium.clone();
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(HOURLY);
        loop {
            ticks.tick().await;
            match purge::run_due(&sweeping).await {
                Ok(0) => {}
                Ok(purged) => tracing::info!(purged, "removed deleted apps for good"),
                Err(error) => tracing::warn!(%error, "purging failed, it goes on in an hour"),
            }
            match accounts::sweep(&sweeping).await {
                Ok(removed) => tracing::debug!(removed, "swept dead sessions, links and counters"),
                Err(error) => {
                    tracing::warn!(%error, "sweeping failed, it is tried again in an hour")
                }
            }
        }
    });
    tokio::spawn(mail::run(atrium.clone()));
    let metrics = atrium.metrics.clone();
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(UPKEEP);
        loop {
            ticks.tick().await;
            metrics.upkeep();
        }
    });
}
