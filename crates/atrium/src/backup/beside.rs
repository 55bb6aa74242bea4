//! A backup next to a running server: the embedded event store belongs to the server's engine, which is
//! queried at the address that it leaves for its own user.

use std::path::Path;
use std::time::Duration;

use anyhow::bail;
use tokio::time::Instant;
use url::Url;
use warehouse::{Location, Warehouse, engine, running_engine};

use super::Source;
use atrium_core::config::Settings;

/// How long to wait for the address of an engine that is starting.
const WAIT: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(200);

/// Finds the events. If an engine is already running, the settings get its address.
pub async fn find(settings: &mut Settings) -> anyhow::Result<Source> {
    if settings.events.warehouse_url.is_some() {
        return Ok(Source::Server);
    }
    let folder = settings.stores.data_dir.join("events");
    if !folder.join("tables").exists() {
        return Ok(Source::Nothing);
    }
    let begun = Instant::now();
    while engine::is_running(&folder) {
        if let Some(url) = answering(&folder).await {
            settings.events.warehouse_url = Some(url);
            return Ok(Source::Engine);
        }
        if begun.elapsed() > WAIT {
            bail!("the event store of the server on {} does not answer", folder.display());
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(Source::OwnEngine)
}

/// Checks the address, which may be that of an earlier engine.
async fn answering(folder: &Path) -> Option<Url> {
    let url = running_engine(folder)?;
    let asked = Warehouse::open(Location::Remote { url: url.clone() });
    asked.bytes("SELECT 1 FORMAT TSV", &[]).await.is_ok().then_some(url)
}
