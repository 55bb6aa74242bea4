//! For load balancers and Prometheus.

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use serde_json::json;
use subtle::ConstantTimeEq;

use crate::app::AppState;
use crate::error::Code;
use crate::http::client;

/// Alive: the process answers.
pub async fn healthz() -> &'static str {
    "ok\n"
}

/// Ready: the metadata database and the spool take writes. The event store's state is told and
/// does not matter: what comes waits for it.
pub async fn readyz(State(atrium): State<AppState>) -> Response {
    let database = match atrium.db.ping().await {
        Ok(()) => "ok",
        Err(error) => {
            tracing::warn!(%error, "not ready");
            error.code().unwrap_or(Code::Unavailable).as_str()
        }
    };
    atrium.collector.spool.probe().await;
    let usage = atrium.collector.spool.usage();
    let spool = match usage.fault() {
        Some(fault) => fault.as_str(),
        None if atrium.collector.spool.is_full() => "full",
        None => "ok",
    };
    let ready = database == "ok" && spool == "ok";
    let events = atrium.warehouse.describe();
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (
        status,
        axum::Json(json!({
            "ready": ready,
            "database": database,
            "spool": spool,
            "events": events,
            "waiting": usage.messages(),
            "storage": storage(&atrium).await,
        })),
    )
        .into_response()
}

/// Whether something was found damaged that nobody has looked at yet. What it is, the log and
/// `atrium doctor` say; the figures go on, and so does the server.
async fn storage(atrium: &AppState) -> &'static str {
    let atrium = atrium.clone();
    let look = tokio::task::spawn_blocking(move || atrium.collector.spool.notes().is_empty());
    if look.await.unwrap_or(true) { "ok" } else { "degraded: a damaged spool was set aside" }
}

/// Figures tell a stranger more than they should: with a token for whoever has it, without one
/// for this machine alone.
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
