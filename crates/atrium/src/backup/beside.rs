//! A backup beside a running server: the embedded event store belongs to the server's engine, which
//! is asked under the address that it leaves for its own user.

use std::path::Path;
use std::time::Duration;

use anyhow::bail;
use tokio::time::Instant;
use url::Url;
use warehouse::{Location, Warehouse, engine, running_engine};

use super::Source;
use atrium_core::config::Settings;

/// How long an engine that starts just now may take to say where it is.
const WAIT: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(200);

/// Finds the events, and has the settings name an engine that runs already.
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

/// The address may be that of an engine before this one.
async fn answering(folder: &Path) -> Option<Url> {
    let url = running_engine(folder)?;
    let asked = Warehouse::open(Location::Remote { url: url.clone() });
    asked.bytes("SELECT 1 FORMAT TSV", &[]).await.is_ok().then_some(url)
}
