//! Calls to other parties' servers: bounded in time and size, never following a redirect, and with
//! a word for what went wrong that says nothing of what they answered.

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
    /// No connection: the name is unknown, nobody listens, the certificate is not trusted.
    Unreachable,
    Timeout,
    /// They broke off in the middle.
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

/// The limits that every client keeps, `limit` for one call; the caller adds what is its own. Names that lead to a
/// cloud's metadata service are unknown to it.
pub fn limited(limit: Duration) -> ClientBuilder {
    http_client::builder()
        .connect_timeout(limit / 2)
        .timeout(limit)
        .redirect(Policy::none())
        .dns_resolver(Arc::new(GuardedNames(Guard::Operator)))
        .user_agent(concat!("Atrium/", env!("CARGO_PKG_VERSION")))
}

/// Gives a request a body of JSON.
pub fn json(request: RequestBuilder, body: String) -> RequestBuilder {
    request.header(CONTENT_TYPE, "application/json; charset=utf-8").body(body)
}

pub async fn send(request: RequestBuilder) -> Result<Answer, WebError> {
    read(request.send().await.map_err(|error| trouble(&error))?).await
}

/// The whole of an answer that has begun.
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

/// The error itself names the address with all its parameters, so it is not passed on.
fn trouble(error: &reqwest::Error) -> WebError {
    if error.is_timeout() {
        WebError::Timeout
    } else if error.is_connect() {
        WebError::Unreachable
    } else {
        WebError::Broken
    }
}
