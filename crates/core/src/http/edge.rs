//! A request's way in and out, as one function. Middleware layers would do the same at the price of an
//! allocation each per request.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use tower::ServiceExt;
use tracing::Instrument;

use super::access_log::{self, RequestInfo, RouteLabels};
use super::request_id::{self, RequestId};
use super::{cross_site, envelope, security_headers};
use crate::audit::refusals::Refusal;
use crate::caller::{Caller, Known};
use crate::client::Client;
use crate::error::{Code, Error, Problem};
use crate::http::cors;
use crate::locale::Locale;
use crate::state::Core;

/// The console also gives up after 30 s; a body that trickles in more slowly is cut off.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Everything that answers: the routes, and the labels they are logged under.
#[derive(Clone)]
pub struct Service {
    pub atrium: Core,
    pub router: Router,
    pub labels: Arc<RouteLabels>,
}

pub async fn handle(service: Service, mut request: Request) -> Response {
    let Service { atrium, router, labels } = service;
    let started = Instant::now();
    let id = RequestId::new();
    let trusted = &atrium.settings.server.trusted_proxies;
    let client = Client::of(request.extensions(), request.headers(), trusted);
    let route = labels.of(request.uri().path());
    let info = RequestInfo { started, method: request.method().clone(), route, ip: client.ip };
    let locale = Locale::from_headers(request.headers());
    let path = request.uri().path();
    let is_console_api = path == "/api" || path.starts_with("/api/");
    // The collector is open to every origin and reads no cookie, so only the error envelope applies to
    // it.
    let is_api = is_console_api || path.starts_with("/v1/");
    let is_open = matches!(path, cors::PATH);
    let caller = is_api.then(Caller::default);
    if let Some(caller) = &caller {
        request.extensions_mut().insert(caller.clone());
    }
    let seen_from = is_console_api.then(|| client.clone());
    request.extensions_mut().insert(client);
    let span = tracing::info_span!("request", request_id = id.as_str());

    let mut response = if is_console_api && cross_site::refuses(&atrium, &request) {
        Error::from(Code::CrossSite).into_response()
    } else {
        let answering = AssertUnwindSafe(router.oneshot(request)).catch_unwind();
        match tokio::time::timeout(REQUEST_TIMEOUT, answering.instrument(span.clone())).await {
            Ok(Ok(Ok(response))) => response,
            Ok(Ok(Err(never))) => match never {},
            Ok(Err(_)) => Error::from(Code::Internal).into_response(),
            Err(_) => Error::timed_out().into_response(),
        }
    };
    let known = caller.map(|caller| caller.known()).unwrap_or_default();
    if let Some(client) = seen_from {
        note_refusal(&atrium, &info, &known, client, &response);
    }
    response = envelope::apply(response, locale, is_api);
    security_headers::apply(&atrium, response.headers_mut(), is_api);
    if is_open {
        cors::apply(response.headers_mut());
    }
    response.headers_mut().insert(request_id::HEADER, id.into_header());
    let _entered = span.enter();
    access_log::write(&atrium, &info, known.who.as_ref(), response.status());
    response
}

/// Notes a refusal for the audit log, which is written later: no request waits for that.
fn note_refusal(
    atrium: &Core,
    info: &RequestInfo<'_>,
    known: &Known,
    client: Client,
    response: &Response,
) {
    let code = response.extensions().get::<Problem>().and_then(Problem::code);
    let route = (&info.method, info.route);
    if let Some(refusal) = Refusal::of(known, code, route, client, atrium.now()) {
        atrium.refusals.note(refusal);
    }
}
