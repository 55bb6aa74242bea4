//! Asking the event store on behalf of someone who waits.

use std::time::Duration;

use warehouse::Warehouse;

use crate::app::AppState;
use crate::error::{Code, Error, Result};

/// An event store that is starting is waited for; one that is away is not.
const READY: Duration = Duration::from_secs(5);

/// Codes of an event store that stopped a statement because it took too much.
const TOO_HEAVY: [i32; 5] = [
    158, // TOO_MANY_ROWS
    159, // TIMEOUT_EXCEEDED
    160, // TOO_SLOW
    241, // MEMORY_LIMIT_EXCEEDED
    307, // TOO_MANY_BYTES
];

/// The event store, if it can be asked.
pub async fn event_store(atrium: &AppState) -> Result<&Warehouse> {
    let store: &Warehouse = &atrium.warehouse;
    store.ready(READY).await.map_err(Error::unavailable)?;
    Ok(store)
}

/// What a failed question means to whoever asked it.
pub fn refused(error: warehouse::Error) -> Error {
    match error.code() {
        Some(code) if TOO_HEAVY.contains(&code) => Code::QueryTooHeavy.into(),
        _ if error.may_pass() => Error::unavailable(error),
        _ => Error::internal(error),
    }
}
