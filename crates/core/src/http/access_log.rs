//! One log line and one measurement per request. Both carry the route's pattern, never the path or
//! query string: those can hold a token or a password.

use std::net::IpAddr;
use std::time::Instant;

use http::{Method, StatusCode};

use crate::caller::Who;
use crate::http::cors;
use crate::state::Core;

/// What is known before the request is handled.
pub struct RequestInfo<'a> {
    pub started: Instant,
    pub method: Method,
    pub route: &'a str,
    pub ip: IpAddr,
}

/// Logs `who` by id only: names and addresses are for those who may read the database.
pub fn write(atrium: &Core, info: &RequestInfo<'_>, who: Option<&Who>, status: StatusCode) {
    let (user, key) = (who.and_then(Who::user_id), who.and_then(Who::key_id));
    let RequestInfo { started, method, route, ip } = info;
    let method = known_method(method);
    let status = status.as_u16();
    let seconds = started.elapsed().as_secs_f64();
    let millis = (seconds * 1e6).round() / 1e3;
    // Probes, assets and collected messages come by the thousand and say nothing. When the collector
    // must refuse, it logs the reason once elsewhere.
    if (status < 500 || status == 503 && *route == cors::PATH)
        && matches!(*route, "/healthz" | "/readyz" | "/metrics" | ASSET | cors::PATH)
        && (status < 400 || *route == cors::PATH)
    {
        tracing::debug!(method, route, status, millis, %ip, user, key, "request");
    } else if status >= 500 {
        tracing::error!(method, route, status, millis, %ip, user, key, "request");
    } else {
        tracing::info!(method, route, status, millis, %ip, user, key, "request");
    }
    atrium.metrics.request(method, route, status, seconds);
}

/// Any word can be a method. Maps it to a known one, so that a caller cannot write into the log or
/// create metric series at will.
fn known_method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

pub const ASSET: &str = "{asset}";
pub const PAGE: &str = "{page}";

/// Maps a path to the route pattern it is logged as. The router does not reveal what it matched unless
/// every route is wrapped, which costs more per request than matching again.
#[derive(Clone, Default)]
pub struct RouteLabels {
    patterns: matchit::Router<String>,
}

impl RouteLabels {
    /// Adds a pattern in the router's syntax, and the label it is logged as.
    pub fn add(&mut self, pattern: &str, label: &str) {
        // A pattern that the router accepted cannot clash here.
        let _ = self.patterns.insert(pattern, label.to_owned());
    }

    pub fn of(&self, path: &str) -> &str {
        self.patterns.at(path).map_or(PAGE, |matched| matched.value)
    }
}
