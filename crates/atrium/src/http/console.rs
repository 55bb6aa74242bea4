//! The console inside the binary: its page for every path a person may open, its assets and
//! language packs under the client version, compressed when the console was built.

use std::borrow::Cow;

use axum::extract::{Path, Request};
use axum::response::{Html, IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use http::header::{
    ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap,
    HeaderValue, IF_NONE_MATCH, VARY,
};
use http::{Method, StatusCode};
use rust_embed::RustEmbed;

use crate::http::security_headers;
use crate::types::Entropy;

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[exclude = "*.map"]
#[allow_missing = true]
struct Console;

const NONCE_MARK: &str = "__ATRIUM_NONCE__";

/// Any path that is neither the API's nor an asset's is a page of the console.
pub async fn page(request: Request) -> Response {
    if is_of_another_version(request.uri().path()) {
        return StatusCode::NOT_FOUND.into_response();
    }
    match *request.method() {
        Method::GET | Method::HEAD => render_page(),
        _ => {
            let mut response = StatusCode::METHOD_NOT_ALLOWED.into_response();
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            response
        }
    }
}

/// `/v25.9.1/assets/…`: a script that a page of another version asks for. The page instead of it
/// would look like a broken script.
fn is_of_another_version(path: &str) -> bool {
    let Some((version, _)) = path.strip_prefix("/v").and_then(|rest| rest.split_once('/')) else {
        return false;
    };
    version.contains('.') && version.chars().all(|c| c.is_ascii_digit() || c == '.')
}

fn render_page() -> Response {
    let Some(index) = Console::get("index.html") else {
        let text = "The console is not part of this build. Build it with `make build`.\n";
        return (StatusCode::NOT_FOUND, text).into_response();
    };
    let nonce = STANDARD_NO_PAD.encode(Entropy.bytes::<18>());
    let html = String::from_utf8_lossy(&index.data).replace(NONCE_MARK, &nonce);
    let mut response = Html(html).into_response();
    security_headers::apply_to_page(response.headers_mut(), &nonce);
    // A stored page would come back with a nonce that the stored policy no longer matches.
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A file under `/{client version}/`.
pub async fn asset(Path(path): Path<String>, headers: HeaderMap) -> Response {
    let path = path.as_str();
    // The page itself needs its nonce, and the compressed twins are not addresses of their own.
    let hidden = path == "index.html" || path.ends_with(".br") || path.ends_with(".gz");
    let Some(file) = Console::get(path).filter(|_| !hidden) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let etag = etag(&file.metadata.sha256_hash());
    let cache = if path.starts_with("assets/") {
        HeaderValue::from_static("public, max-age=31536000, immutable")
    } else {
        HeaderValue::from_static("no-cache")
    };
    let unchanged =
        headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok()).is_some_and(|value| {
            value.split(',').any(|tag| tag.trim().trim_start_matches("W/") == etag)
        });
    let mut response = if unchanged {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let (encoding, data) = best_encoding(path, &headers, file.data);
        let mut response = data.into_owned().into_response();
        if let Some(encoding) = encoding {
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        response.headers_mut().insert(CONTENT_TYPE, content_type(path));
        response
    };
    let out = response.headers_mut();
    out.insert(CACHE_CONTROL, cache);
    out.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(etag) = HeaderValue::try_from(format!("W/{etag}")) {
        out.insert(ETAG, etag);
    }
    response
}

fn best_encoding(
    path: &str,
    headers: &HeaderMap,
    plain: Cow<'static, [u8]>,
) -> (Option<&'static str>, Cow<'static, [u8]>) {
    for (encoding, suffix) in [("br", "br"), ("gzip", "gz")] {
        if accepts(headers, encoding)
            && let Some(file) = Console::get(&format!("{path}.{suffix}"))
        {
            return (Some(encoding), file.data);
        }
    }
    (None, plain)
}

fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    headers
        .get(ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .into_iter()
        .flat_map(|value| value.split(','))
        .any(|entry| {
            let mut parts = entry.split(';');
            let name = parts.next().unwrap_or_default().trim();
            let refused = parts
                .filter_map(|part| part.trim().strip_prefix("q="))
                .any(|q| q.parse::<f32>().is_ok_and(|q| q == 0.0));
            name.eq_ignore_ascii_case(encoding) && !refused
        })
}

pub fn etag(hash: &[u8; 32]) -> String {
    let short: String = hash[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("\"{short}\"")
}

fn content_type(path: &str) -> HeaderValue {
    HeaderValue::from_static(match path.rsplit('.').next().unwrap_or_default() {
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoding_refused_with_q_0_is_not_sent() {
        let with = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, value.parse().unwrap());
            headers
        };
        assert!(accepts(&with("gzip, deflate, br"), "br"));
        assert!(accepts(&with("BR;q=0.5"), "br"));
        assert!(!accepts(&with("br;q=0, gzip"), "br"));
        assert!(!accepts(&with("gzip"), "br"));
    }
}
