//! The browser SDK in the binary: as files for the pages of other sites, and as a package that npm
//! installs from this server, so that nobody depends on a name in a public registry.

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH};
use rust_embed::RustEmbed;

use super::etag;
use atrium_core::http::cors;

#[derive(RustEmbed)]
#[folder = "../../sdk/dist"]
#[include = "atrium.js"]
#[include = "atrium.mjs"]
#[include = "atrium-analytics-*.tgz"]
#[allow_missing = true]
struct Sdk;

pub async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(file) = Sdk::get(&name) else { return StatusCode::NOT_FOUND.into_response() };
    let etag = etag(&file.metadata.sha256_hash());
    let unchanged =
        headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == etag.as_bytes());
    let mut response = if unchanged {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(CONTENT_TYPE, kind_of(&name))], file.data).into_response()
    };
    let answer = response.headers_mut();
    // The URL is the same for all versions, so a fix must reach pages within the hour.
    answer.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    if let Ok(etag) = HeaderValue::try_from(etag) {
        answer.insert(ETAG, etag);
    }
    cors::apply(answer);
    response
}

fn kind_of(name: &str) -> HeaderValue {
    HeaderValue::from_static(match name.ends_with(".tgz") {
        true => "application/gzip",
        false => "text/javascript; charset=utf-8",
    })
}
