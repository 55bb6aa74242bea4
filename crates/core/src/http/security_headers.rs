//! Headers that keep a browser from being turned against its user. The console page sets its own policy
//! with a nonce; every other answer allows nothing at all.

use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderValue, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderMap, HeaderName};

use crate::config::Hsts;
use crate::state::Core;

const NOTHING: HeaderValue =
    HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'; base-uri 'none'");
const PERMISSIONS: HeaderValue = HeaderValue::from_static(
    "camera=(), geolocation=(), microphone=(), payment=(), usb=(), interest-cohort=()",
);

/// One year; two for preload, as browsers require.
fn hsts_header(hsts: Hsts) -> Option<HeaderValue> {
    let text = match hsts {
        Hsts::Off => return None,
        Hsts::On => "max-age=31536000",
        Hsts::Subdomains => "max-age=31536000; includeSubDomains",
        Hsts::Preload => "max-age=63072000; includeSubDomains; preload",
    };
    Some(HeaderValue::from_static(text))
}

/// Headers of every answer.
pub fn apply(atrium: &Core, headers: &mut HeaderMap, is_api: bool) {
    headers.reserve(8);
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(NOTHING);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Some of our paths contain tokens, so no other site may learn our URLs.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    if is_api {
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
    let server = &atrium.settings.server;
    if let Some(hsts) = hsts_header(server.hsts).filter(|_| server.is_https()) {
        headers.insert(STRICT_TRANSPORT_SECURITY, hsts);
    }
}

/// Headers that only matter to pages.
pub fn apply_to_page(headers: &mut HeaderMap, nonce: &str) {
    headers.insert(CONTENT_SECURITY_POLICY, console_policy(nonce));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(HeaderName::from_static("permissions-policy"), PERMISSIONS);
    headers.insert(
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    );
}

/// The console's policy: our own scripts, and styles with this response's nonce (Ant Design creates its
/// styles at run time).
fn console_policy(nonce: &str) -> HeaderValue {
    let policy = format!(
        "default-src 'self'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; \
         img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; object-src 'none'; \
         base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).unwrap_or(NOTHING)
}
