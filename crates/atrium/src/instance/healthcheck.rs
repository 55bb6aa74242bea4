//! `atrium healthcheck`: whether the server with these settings answers, so that containers need no
//! other program to check it.

use std::time::Duration;

use anyhow::{Context, ensure};

use atrium_core::config::Settings;

const LIMIT: Duration = Duration::from_secs(3);

pub async fn run(settings: &Settings) -> anyhow::Result<()> {
    let address = settings.server.own_address();
    ensure!(
        address.port() != 0,
        "listen: port 0 means any free port, so the server's port is unknown"
    );
    let client = http_client::builder().no_proxy().timeout(LIMIT).build()?;
    let asked = client.get(format!("http://{address}/healthz")).send().await;
    let answer = asked.with_context(|| format!("{address} does not answer"))?;
    let status = answer.status();
    ensure!(status.is_success(), "{address} answers with {status}");
    Ok(())
}
