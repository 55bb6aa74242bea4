//! `atrium serve`: from settings to a listening server and back down.

use std::io::Write as _;
use std::net::IpAddr;

use anyhow::Context;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::app::AppState;
use crate::first_start;
use crate::fleet::{heartbeat, outdated};
use crate::instance::other_servers;
use crate::{figures, jobs, router};
use atrium_core::config::Settings;
use atrium_core::db::integrity;
use atrium_core::folder;
use atrium_core::http::CLIENT_VERSION;
use atrium_core::http::connections::{self, ConnectionLimits};
use atrium_core::http::edge;
use atrium_core::types::Clock;
use atrium_tenancy::accounts::setup;
use atrium_tenancy::audit_log::refusals;

/// Runs until the process is told to stop (SIGTERM or Ctrl-C), then finishes requests in flight.
pub async fn serve(settings: Settings) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let listener = TcpListener::bind(settings.server.listen)
        .await
        .with_context(|| format!("listen: {} cannot be opened", settings.server.listen))?;
    let address = listener.local_addr()?;
    let settings = settings.listening_on(address);
    // First, because on a read-only disk SQLite only says that it cannot open the file.
    folder::prepare_data_dir(&settings.stores.data_dir)?;
    integrity::refuse_damaged(&settings.stores.database_url)?;
    let atrium = AppState::start(settings, Clock::default()).await?;
    outdated::refuse(&atrium).await?;
    first_start::compare(&atrium).await?;
    first_start::remember(&atrium).await?;
    atrium.previous_builds.clone().take_over(atrium.now()).await;
    // Before this server's own warehouse starts.
    let notice = other_servers::notice(&atrium.settings)?;
    let jobs = jobs::start(&atrium);

    announce(&format!("Atrium {CLIENT_VERSION} listening on http://{address}"));
    if let Some(link) = setup::link(&atrium).await? {
        announce(
            "There is no account yet. Open this link to create the first one; it works once and \
             expires in 24 hours:",
        );
        announce(&format!("  {link}"));
    }
    if let Some(text) = notice {
        announce(&text);
        tracing::warn!("{text}");
    }
    tracing::info!(%address, database = ?atrium.db.dialect(), "listening");

    let mut outdated = atrium.outdated.subscribe();
    let stop = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = outdated.wait_for(Option::is_some) => {}
        }
        tracing::info!("stopping; requests in flight are finished first");
    };
    run(listener, &atrium, stop).await;
    jobs.stop().await;
    if let Err(error) = first_start::remember(&atrium).await {
        tracing::warn!(%error, "could not record the state of the database");
    }
    // Refusals of the last seconds belong in the audit log too.
    if let Err(error) = refusals::write_due(&atrium).await {
        tracing::warn!(%error, "could not write refused access to the audit log");
    }
    if let Err(error) = heartbeat::leave(&atrium).await {
        tracing::warn!(%error, "could not record in the database that this instance is stopping");
    }
    atrium.warehouse.stop().await;
    atrium.db.close().await;
    match atrium.outdated.borrow().clone() {
        Some(reason) => anyhow::bail!(reason),
        None => Ok(()),
    }
}

/// Serves `atrium` on a listener until `stop` resolves. Tests and benchmarks start here.
pub async fn run(listener: TcpListener, atrium: &AppState, stop: impl Future<Output = ()>) {
    figures::register(atrium.started_at);
    let server = &atrium.settings.server;
    let limits = ConnectionLimits::for_this_process(server.max_connections, server.write_timeout);
    let proxies = atrium.settings.server.trusted_proxies.clone();
    let is_proxy = move |address: &IpAddr| proxies.iter().any(|net| net.contains(address));
    let service = router::build(atrium.clone());
    let handle = move |request| edge::handle(service.clone(), request);
    // Streams would not end by themselves.
    let stop = async {
        stop.await;
        atrium.collector.live.stop();
    };
    connections::serve(listener, handle, limits, is_proxy, stop).await;
}

/// Prints a line for the person at the terminal. If the terminal is closed, the server keeps running.
fn announce(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
