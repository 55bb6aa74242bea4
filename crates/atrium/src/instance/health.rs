//! For load balancers and Prometheus.

use std::sync::atomic::Ordering;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use serde_json::json;
use subtle::ConstantTimeEq;

use crate::app::AppState;
use crate::collect::loading;
use crate::http::client;

/// Alive: the process answers.
pub async fn healthz() -> &'static str {
    "ok\n"
}

/// Ready: the metadata database and the spool take writes. The event store's state is told, and so is
/// how loading goes, and does not matter: what comes waits for it.
pub async fn readyz(State(atrium): State<AppState>) -> Response {
    let database = match atrium.db.ping().await {
        Ok(()) => "ok",
        Err(error) => {
            tracing::warn!(%error, "not ready");
            "unavailable"
        }
    };
    let usage = atrium.collector.spool.usage();
    let spool = if usage.failing.load(Ordering::Relaxed) {
        "unavailable"
    } else if atrium.collector.spool.is_full() {
        "full"
    } else {
        "ok"
    };
    let ready = database == "ok" && spool == "ok";
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
        })),
    )
        .into_response()
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
