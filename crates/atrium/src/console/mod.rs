//! The console in the binary: its page for every path that a person may open, and its assets and
//! language packs under the client version, compressed when the console was built.

pub mod previous_builds;
pub mod sdk;

use std::borrow::Cow;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::{Html, IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use http::header::{
    ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap,
    HeaderValue, IF_NONE_MATCH, VARY,
};
use http::{Method, StatusCode};
use rust_embed::{EmbeddedFile, RustEmbed};
use sha2::{Digest, Sha256};

use crate::console::previous_builds::{PreviousBuilds, PreviousFile};
use atrium_core::Core;
use atrium_core::http::{CLIENT_VERSION, security_headers};
use atrium_core::types::{Entropy, Millis};
use atrium_tenancy::Tenancy;

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[exclude = "*.map"]
#[allow_missing = true]
struct Console;

const NONCE_MARK: &str = "__ATRIUM_NONCE__";
const SESSION_MARK: &str = "__ATRIUM_SESSION__";

/// Any path that is neither the API's nor an asset's is a page of the console.
pub async fn page(
    State(atrium): State<Tenancy>,
    State(builds): State<Arc<PreviousBuilds>>,
    request: Request,
) -> Response {
    let other = of_another_version(request.uri().path());
    match (request.method(), other) {
        (&Method::GET | &Method::HEAD, Some((version, name))) => {
            file((&builds, atrium.now()), version, name, request.headers()).await
        }
        (_, Some(_)) => StatusCode::NOT_FOUND.into_response(),
        (&Method::GET | &Method::HEAD, None) => {
            render_page(atrium.session_cookie.read(request.headers()).is_some())
        }
        _ => {
            let mut response = StatusCode::METHOD_NOT_ALLOWED.into_response();
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            response
        }
    }
}

/// `/v25.9.1/assets/…`: a file that a page of another version requests. Answering with the page would
/// look like a broken script.
fn of_another_version(path: &str) -> Option<(&str, &str)> {
    let (version, name) = path.strip_prefix('/')?.split_once('/')?;
    let number = version.strip_prefix('v')?;
    let fits = number.contains('.') && number.chars().all(|c| c.is_ascii_digit() || c == '.');
    fits.then_some((version, name))
}

/// Tells the console whether the browser sent a session cookie: without one it need not ask who is
/// signed in.
fn render_page(has_session: bool) -> Response {
    let Some(index) = Console::get("index.html") else {
        let text = "The console is not part of this build. Build it with `make build`.\n";
        return (StatusCode::NOT_FOUND, text).into_response();
    };
    let nonce = STANDARD_NO_PAD.encode(Entropy.bytes::<18>());
    let html = String::from_utf8_lossy(&index.data).replace(NONCE_MARK, &nonce);
    let html = html.replace(SESSION_MARK, if has_session { "some" } else { "none" });
    let mut response = Html(html).into_response();
    security_headers::apply_to_page(response.headers_mut(), &nonce);
    // A stored page would come back with a nonce that the stored policy no longer matches.
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A file under `/{client version}/`.
pub async fn asset(
    State(atrium): State<Core>,
    State(builds): State<Arc<PreviousBuilds>>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> Response {
    file((&builds, atrium.now()), CLIENT_VERSION, &path, &headers).await
}

/// The source of a file: this program, or the folder of another build.
enum Source {
    Embedded(EmbeddedFile),
    Previous(PreviousFile),
}

impl Source {
    fn etag(&self) -> String {
        match self {
            Self::Embedded(file) => etag(&file.metadata.sha256_hash()),
            Self::Previous(file) => file.etag.clone(),
        }
    }

    fn has(&self, name: &str, suffix: &str) -> bool {
        match self {
            Self::Embedded(_) => Console::get(&format!("{name}.{suffix}")).is_some(),
            Self::Previous(file) => file.has(suffix),
        }
    }

    /// None if it was deleted since it was found. Embedded files are sent without copying.
    async fn read(self, name: &str, suffix: Option<&str>) -> Option<Body> {
        Some(match (self, suffix) {
            (Self::Embedded(_), Some(suffix)) => {
                Console::get(&format!("{name}.{suffix}"))?.data.into()
            }
            (Self::Embedded(file), None) => file.data.into(),
            (Self::Previous(file), suffix) => file.read(suffix).await?.into(),
        })
    }
}

/// A file of the console, from this build or from another one that may still be open in tabs.
async fn file(
    (builds, now): (&Arc<PreviousBuilds>, Millis),
    version: &str,
    name: &str,
    headers: &HeaderMap,
) -> Response {
    // The page itself needs a nonce, and the compressed copies have no URLs of their own.
    let hidden = name == "index.html" || name.ends_with(".br") || name.ends_with(".gz");
    let embedded = || Console::get(name).filter(|_| version == CLIENT_VERSION);
    let found = match (!hidden).then(embedded) {
        None => None,
        Some(Some(file)) => Some(Source::Embedded(file)),
        Some(None) => builds.find(version, name, now).await.map(Source::Previous),
    };
    let Some(source) = found else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let etag = source.etag();
    let cache = if name.starts_with("assets/") {
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
        let encoding = [("br", "br"), ("gzip", "gz")]
            .into_iter()
            .find(|(encoding, suffix)| accepts(headers, encoding) && source.has(name, suffix));
        let Some(body) = source.read(name, encoding.map(|(_, suffix)| suffix)).await else {
            return StatusCode::NOT_FOUND.into_response();
        };
        let mut response = Response::new(body);
        if let Some((encoding, _)) = encoding {
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        response.headers_mut().insert(CONTENT_TYPE, content_type(name));
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

/// All files with URLs of their own, and the compressed copies.
pub fn files() -> impl Iterator<Item = (String, EmbeddedFile)> {
    let named = Console::iter().filter(|name| name != "index.html");
    named.filter_map(|name: Cow<'static, str>| {
        let file = Console::get(&name)?;
        Some((name.into_owned(), file))
    })
}

/// Identical for builds of the same files. None if there is no console in the program.
pub fn build_id() -> Option<String> {
    Console::get("index.html")?;
    let mut hashes: Vec<_> =
        files().map(|(name, file)| (name, file.metadata.sha256_hash())).collect();
    hashes.sort();
    let mut whole = Sha256::new();
    whole.update(CLIENT_VERSION);
    for (name, hash) in hashes {
        whole.update(name);
        whole.update(hash);
    }
    Some(hex::encode(&whole.finalize()[..16]))
}

/// The version and build that open consoles compare with their own. A build with the same files needs no
/// reload, so it has the same value.
pub fn build_version() -> String {
    match build_id() {
        Some(id) => format!("{CLIENT_VERSION}+{}", &id[..8]),
        None => CLIENT_VERSION.to_owned(),
    }
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
    format!("\"{}\"", hex::encode(&hash[..16]))
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

    #[tokio::test]
    async fn an_embedded_file_is_sent_without_a_copy() {
        let file = Console::get("index.html").expect("the console is built");
        let lies_at = file.data.as_ptr();
        let body = Source::Embedded(file).read("index.html", None).await.expect("it is there");
        let sent = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        assert_eq!(sent.as_ptr(), lies_at);
    }

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
