//! Health checks for load balancers, and metrics for Prometheus.

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use serde_json::json;
use subtle::ConstantTimeEq;

use crate::app::AppState;
use crate::fleet::problems;
use atrium_collect::collect::loading;
use atrium_collect::collect::outage::{self, AsOf};
use atrium_core::client;
use atrium_core::db::Dialect;
use atrium_core::error::Code;
use atrium_core::folder;
use atrium_core::types::Millis;

/// With less free space than this the disk is as good as full.
const NO_ROOM: u64 = 1 << 20;
const ALONE: &str = "away: messages of known keys are accepted";
const MOVED: &str = "moved: messages are accepted for the new server";
const DEGRADED: &str = "degraded: a damaged spool was set aside";

/// Alive: the process answers.
pub async fn healthz() -> &'static str {
    "ok\n"
}

/// Ready: the metadata database and the spool accept writes, or the database is unavailable or was moved
/// and messages are accepted without it. The state of the warehouse and of loading is included but does
/// not matter: messages wait for it in the spool.
pub async fn readyz(State(atrium): State<AppState>) -> Response {
    let disk = look_at_disk(&atrium).await;
    let collects_alone = matches!(outage::as_of(&atrium).await, Ok(AsOf::Outage));
    let database = if collects_alone { ALONE } else { look_at_database(&atrium, &disk).await };
    atrium.collector.spool.probe().await;
    let usage = atrium.collector.spool.usage();
    let spool = match usage.fault() {
        Some(fault) => fault.as_str(),
        None if atrium.collector.spool.is_full() => "full",
        None => "ok",
    };
    let takes_messages = database == "ok" || database == MOVED || collects_alone;
    let ready = takes_messages && spool == "ok";
    let events = atrium.warehouse.describe();
    let loading = loading::look(&atrium).await;
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (
        status,
        axum::Json(json!({
            "ready": ready,
            "database": database,
            "spool": spool,
            "events": events,
            "waiting": usage.messages(),
            "oldest_waiting_seconds": loading.oldest_seconds,
            "loader": if loading.is_degraded { "degraded" } else { "ok" },
            "troubled_apps": loading.troubled_apps,
            "set_aside": loading.set_aside,
            "clock": clock(atrium.clock.ahead()),
            "storage": if disk.degraded { DEGRADED } else { "ok" },
        })),
    )
        .into_response()
}

async fn look_at_database(atrium: &AppState, disk: &Disk) -> &'static str {
    match atrium.db.ping().await {
        // A small write may still succeed where the next one fails.
        Ok(()) if disk.full && atrium.db.dialect() == Dialect::Sqlite => Code::DiskFull.as_str(),
        Ok(()) => "ok",
        Err(error) if error.code() == Some(Code::InstanceMoved) => MOVED,
        Err(error) => {
            tracing::warn!(%error, "not ready");
            error.code().unwrap_or(Code::Unavailable).as_str()
        }
    }
}

/// A wrong clock is no failure, because the database's clock is used instead.
fn clock(offset: i64) -> String {
    if offset.abs() <= problems::SKEW_MS {
        return "ok".to_owned();
    }
    let way = if offset > 0 { "ahead of" } else { "behind" };
    let seconds = offset.abs() / Millis::SECOND;
    format!("degraded: {seconds} s {way} the database's clock")
}

#[derive(Default)]
struct Disk {
    full: bool,
    /// Damage was found and nobody has dealt with it yet. The log and `atrium doctor` say what it is;
    /// the server keeps running.
    degraded: bool,
}

async fn look_at_disk(atrium: &AppState) -> Disk {
    let atrium = atrium.clone();
    let look = tokio::task::spawn_blocking(move || Disk {
        full: folder::free_bytes(&atrium.settings.stores.data_dir).is_some_and(|it| it < NO_ROOM),
        degraded: !atrium.collector.spool.notes().is_empty(),
    });
    look.await.unwrap_or_default()
}

/// Metrics reveal too much to strangers: with a token configured they need it, and without one they are
/// for this machine only.
pub async fn metrics(State(atrium): State<AppState>, request: Request) -> Response {
    let allowed = match &atrium.settings.server.metrics_token {
        Some(token) => request
            .headers()
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.strip_prefix("Bearer "))
            .is_some_and(|given| bool::from(given.as_bytes().ct_eq(token.as_bytes()))),
        None => client::is_local(request.extensions(), request.headers()),
    };
    if !allowed {
        return StatusCode::NOT_FOUND.into_response();
    }
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], atrium.metrics.render()).into_response()
}
