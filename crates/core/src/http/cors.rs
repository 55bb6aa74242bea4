//! The collector is open to pages of every origin. It reads no cookie, so another origin cannot use it
//! to act in a person's name.

use axum::response::{IntoResponse, Response};
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HeaderMap, HeaderValue,
};
use http::{HeaderName, StatusCode};

pub const PATH: &str = "/v1/collect";

pub fn apply(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("Retry-After"));
    // Cross-origin isolated pages only load resources that allow it.
    headers.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("cross-origin"),
    );
}

/// Answers a browser's CORS preflight; cached for a day.
pub async fn preflight() -> Response {
    let headers = [
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
        (
            ACCESS_CONTROL_ALLOW_HEADERS,
            "Content-Type, Content-Encoding, X-Access-Key-Id, X-Timestamp, X-Nonce, X-Signature",
        ),
        (ACCESS_CONTROL_MAX_AGE, "86400"),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}
