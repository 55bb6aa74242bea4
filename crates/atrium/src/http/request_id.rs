//! One id per request: in the answer's `x-request-id`, in every log line of the request, and in
//! what a person can copy from an error message.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderName, HeaderValue};

use crate::types::Entropy;

pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");

#[derive(Clone, Debug)]
pub struct RequestId(pub HeaderValue);

impl RequestId {
    /// Always ours: an id from outside could collide, or carry what does not belong in a log.
    fn new() -> Self {
        let bytes: [u8; 8] = Entropy.bytes();
        let text = format!("{:016x}", u64::from_be_bytes(bytes));
        Self(HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("0")))
    }

    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }
}

pub async fn middleware(mut request: Request, next: Next) -> Response {
    let id = RequestId::new();
    request.extensions_mut().insert(id.clone());
    let mut response = next.run(request).await;
    response.headers_mut().insert(HEADER, id.0);
    response
}
