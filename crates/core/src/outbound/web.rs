//! Calls to other parties' servers: bounded in time and size, never following redirects, with errors
//! that reveal nothing of the answer.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, RequestBuilder, Response};
use serde::de::DeserializeOwned;

use super::guard::{Guard, GuardedNames};

const LARGEST: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebError {
    /// No connection: unknown name, closed port or untrusted certificate.
    Unreachable,
    Timeout,
    /// The connection broke off midway.
    Broken,
    TooLarge,
}

pub struct Answer {
    pub status: StatusCode,
    pub content_type: Option<HeaderValue>,
    pub body: Bytes,
}

impl Answer {
    pub fn json<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&self.body).ok()
    }
}

/// A client with the limits that all clients share: `limit` for one call; the caller adds its own. It
/// never resolves names to a cloud's metadata service.
pub fn limited(limit: Duration) -> ClientBuilder {
    http_client::builder()
        .connect_timeout(limit / 2)
        .timeout(limit)
        .redirect(Policy::none())
        .dns_resolver(Arc::new(GuardedNames(Guard::Operator)))
        .user_agent(concat!("Atrium/", env!("CARGO_PKG_VERSION")))
}

/// Sets a JSON body.
pub fn json(request: RequestBuilder, body: String) -> RequestBuilder {
    request.header(CONTENT_TYPE, "application/json; charset=utf-8").body(body)
}

pub async fn send(request: RequestBuilder) -> Result<Answer, WebError> {
    read(request.send().await.map_err(|error| trouble(&error))?).await
}

/// Reads the rest of an answer.
pub async fn read(mut response: Response) -> Result<Answer, WebError> {
    let status = response.status();
    let content_type = response.headers().get(CONTENT_TYPE).cloned();
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| trouble(&error))? {
        if body.len() + chunk.len() > LARGEST {
            return Err(WebError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer { status, content_type, body: body.freeze() })
}

/// The error itself quotes the URL with all its parameters, so it is not passed on.
fn trouble(error: &reqwest::Error) -> WebError {
    if error.is_timeout() {
        WebError::Timeout
    } else if error.is_connect() {
        WebError::Unreachable
    } else {
        WebError::Broken
    }
}
