//! One line and one measurement per request. Both carry the route's pattern: a path can hold a
//! token, and a query string can hold a password, so neither is ever written.

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;

use crate::app::AppState;
use crate::http::client::Client;
use crate::http::request_id::RequestId;

/// What a fallback puts on its answer, so that the log can tell pages from assets.
#[derive(Clone, Copy)]
pub struct RouteLabel(pub &'static str);

pub async fn middleware(State(atrium): State<AppState>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map(|path| pattern(path.as_str()));
    let id = request.extensions().get::<RequestId>().cloned();
    let id = id.as_ref().map_or("", RequestId::as_str);
    let trusted = &atrium.settings.server.trusted_proxies;
    let ip = Client::of(request.extensions(), request.headers(), trusted).ip;

    let span = tracing::info_span!("request", request_id = id);
    let response = next.run(request).instrument(span.clone()).await;

    let label = response.extensions().get::<RouteLabel>().map(|label| label.0.to_owned());
    let route = route.or(label).unwrap_or_else(|| "{unknown}".to_owned());
    let status = response.status().as_u16();
    let seconds = started.elapsed().as_secs_f64();
    let millis = (seconds * 1e6).round() / 1e3;
    let _entered = span.enter();
    // Probes and assets come by the thousand and say nothing.
    if status < 400 && matches!(route.as_str(), "/healthz" | "/readyz" | "/metrics" | "{asset}") {
        tracing::debug!(%method, route, status, millis, %ip, "request");
    } else if status >= 500 {
        tracing::error!(%method, route, status, millis, %ip, "request");
    } else {
        tracing::info!(%method, route, status, millis, %ip, "request");
    }
    atrium.metrics.request(method.as_str(), &route, status, seconds);
    response
}

/// The catch-all of a nested router has a name of the framework's own.
fn pattern(matched: &str) -> String {
    match matched.split_once("{*") {
        Some((prefix, _)) => format!("{prefix}{{unknown}}"),
        None => matched.to_owned(),
    }
}
