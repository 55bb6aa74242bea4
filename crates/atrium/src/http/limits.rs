//! Bounds on what one request may cost: time, and a panic that stays its own.

use std::time::Duration;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::error::{Code, Error};

/// The console gives up after 30 s too; a body that trickles in slower than this is cut off.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

pub async fn timeout(request: Request, next: Next) -> Response {
    match tokio::time::timeout(REQUEST_TIMEOUT, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Error::from(Code::Timeout).into_response(),
    }
}

/// For `CatchPanicLayer`: the message may quote what a person typed, so it goes nowhere.
pub fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    tracing::error!("a handler panicked");
    Error::from(Code::Internal).into_response()
}
