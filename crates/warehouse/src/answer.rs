//! Answers of ClickHouse: rows, or the reason why there are none.

use bytes::{Bytes, BytesMut};
use serde::de::DeserializeOwned;

use crate::error::Error;

/// Why there is no answer.
pub(crate) struct Failure {
    pub error: Error,
    pub timed_out: bool,
}

/// An answer that is read as it comes.
pub struct RowStream(pub(crate) reqwest::Response);

impl RowStream {
    /// The next chunk. If the server fails halfway, the answer breaks off.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        self.0.chunk().await.map_err(|error| lost(error).error)
    }
}

fn lost(error: reqwest::Error) -> Failure {
    let timed_out = error.is_timeout() && !error.is_connect();
    // Without the URL: it may contain a password.
    let reason = words_of(&error.without_url());
    Failure { error: Error::Unavailable(reason), timed_out }
}

/// The whole answer.
pub(crate) async fn receive(request: reqwest::RequestBuilder) -> Result<Bytes, Failure> {
    read(answered(request).await?).await
}

pub(crate) async fn read(response: reqwest::Response) -> Result<Bytes, Failure> {
    response.bytes().await.map_err(lost)
}

/// How many rows the store reports to have read for an answer.
pub(crate) fn rows_read(response: &reqwest::Response) -> u64 {
    let rows = || {
        let summary = response.headers().get("x-clickhouse-summary")?;
        let summary: serde_json::Value = serde_json::from_slice(summary.as_bytes()).ok()?;
        summary.get("read_rows")?.as_str()?.parse().ok()
    };
    rows().unwrap_or(0)
}

/// The whole answer if it has at most this many bytes. Reading a longer one stops there with an error.
pub(crate) async fn read_at_most(
    mut response: reqwest::Response,
    most: usize,
) -> Result<Bytes, Failure> {
    let announced = response.content_length().and_then(|length| usize::try_from(length).ok());
    let mut answer = BytesMut::with_capacity(announced.unwrap_or(0).min(most));
    while let Some(chunk) = response.chunk().await.map_err(lost)? {
        if answer.len() + chunk.len() > most {
            return Err(Failure { error: Error::too_large(most), timed_out: false });
        }
        answer.extend_from_slice(&chunk);
    }
    Ok(answer.freeze())
}

/// A response that reports no error so far; its body is still to be read.
pub(crate) async fn answered(
    request: reqwest::RequestBuilder,
) -> Result<reqwest::Response, Failure> {
    let response = request.send().await.map_err(lost)?;
    let status = response.status();
    let code = response.headers().get("x-clickhouse-exception-code").cloned();
    if status.is_success() && code.is_none() {
        return Ok(response);
    }
    let body = response.bytes().await.map_err(lost)?;
    let message = String::from_utf8_lossy(&body[..body.len().min(4096)]).trim().to_owned();
    let code = code.and_then(|code| code.to_str().ok()?.parse().ok());
    let error = match code {
        Some(code) => Error::Refused { code, message },
        // A proxy between us, a full queue, a wrong password.
        None => Error::Unavailable(format!("{status} {message}")),
    };
    Err(Failure { error, timed_out: false })
}

/// An error with its causes: reqwest's own words alone say little.
fn words_of(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        words = format!("{words}: {cause}");
        source = cause.source();
    }
    words
}

pub(crate) fn read_rows<T: DeserializeOwned>(answer: &[u8]) -> Result<Vec<T>, Error> {
    serde_json::Deserializer::from_slice(answer)
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(|error| Error::Unreadable(error.to_string()))
}
