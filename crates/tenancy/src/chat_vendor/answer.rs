//! A vendor's answer, as far as it matters here: the result number, or how it failed to give one. Never
//! its text, which may repeat what was sent.

use std::fmt;
use std::time::Duration;

use reqwest::RequestBuilder;
use serde_json::Value;

use atrium_core::outbound::web::{self, WebError};
use atrium_core::text::NAME_MAX;

/// Delays between attempts when a vendor says that it is busy.
pub const BUSY_WAITS: [Duration; 3] =
    [Duration::from_millis(200), Duration::from_millis(500), Duration::from_secs(1)];
const ID_MAX: usize = 128;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    WebError(WebError),
    /// Not the answer that its documentation describes.
    Nonsense,
    /// The vendor said so in every attempt.
    Busy,
    /// The vendor's own error number.
    Code(i64),
    /// The recipient does not belong to the company that is configured now.
    Gone,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WebError(WebError::Unreachable) => f.write_str("it cannot be reached"),
            Self::WebError(WebError::Timeout) => f.write_str("it did not answer in time"),
            Self::WebError(WebError::Broken) => f.write_str("its answer was cut short"),
            Self::WebError(WebError::TooLarge) => f.write_str("its answer is too large"),
            Self::Nonsense => f.write_str("its answer cannot be understood"),
            Self::Busy => f.write_str("it reports that it is busy"),
            Self::Code(code) => write!(f, "it answered error {code}"),
            Self::Gone => f.write_str("the person belongs to another company"),
        }
    }
}

/// Sends a request, and returns the answer if its number in `field` is 0. The HTTP status says nothing:
/// failures come with 200, and their numbers with any status.
pub async fn ask(request: RequestBuilder, field: &str) -> Result<Value, Failure> {
    let answer = web::send(request).await.map_err(Failure::WebError)?;
    let value: Value = answer.json().ok_or(Failure::Nonsense)?;
    match value[field].as_i64() {
        Some(0) => Ok(value),
        Some(code) => Err(Failure::Code(code)),
        None => Err(Failure::Nonsense),
    }
}

/// Retries a few times while the vendor says that it is busy.
pub async fn patiently(
    field: &str,
    is_busy: fn(i64) -> bool,
    request: impl Fn() -> RequestBuilder,
) -> Result<Value, Failure> {
    for wait in BUSY_WAITS {
        match ask(request(), field).await {
            Err(Failure::Code(code)) if is_busy(code) => tokio::time::sleep(wait).await,
            outcome => return outcome,
        }
    }
    match ask(request(), field).await {
        Err(Failure::Code(code)) if is_busy(code) => Err(Failure::Busy),
        outcome => outcome,
    }
}

/// An id in an answer: not empty, and no longer than an id can be.
pub fn id(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| {
        !text.is_empty() && text.len() <= ID_MAX && !text.chars().any(char::is_control)
    })
}

/// A name in an answer, in a form that can be shown and stored.
pub fn name(value: &Value) -> Option<String> {
    let plain = value.as_str()?.chars().filter(|c| !c.is_control());
    let name: String = plain.take(NAME_MAX).collect();
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_and_names_are_taken_in_bounds() {
        assert_eq!(id(&json!("LiLei")), Some("LiLei"));
        for wrong in [json!(null), json!(7), json!(""), json!("a\0"), json!("x".repeat(129))] {
            assert_eq!(id(&wrong), None, "{wrong}");
        }
        assert_eq!(name(&json!(" 李\u{0}雷\n ")).as_deref(), Some("李雷"));
        assert_eq!(name(&json!("x".repeat(500))).map(|name| name.len()), Some(NAME_MAX));
        assert_eq!(name(&json!(" \u{7} ")), None);
    }
}
