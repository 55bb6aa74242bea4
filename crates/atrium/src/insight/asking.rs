//! Asking the event store on behalf of someone who waits.

use std::time::Duration;

use warehouse::{Denied, Warehouse};

use super::fair_queue::Caller;
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

/// When it may be worth asking again, in seconds.
const RETRY_SECONDS: u64 = 5;

/// The event store, if it can be asked. Each question of the caller waits for its turn.
pub async fn event_store(atrium: &AppState, caller: Caller) -> Result<Warehouse> {
    ready(atrium).await?;
    Ok(atrium.warehouse.behind(atrium.reads.reader(caller)))
}

/// Waits for an event store that is starting.
pub async fn ready(atrium: &AppState) -> Result<()> {
    atrium.warehouse.ready(READY).await.map_err(Error::unavailable)
}

/// What a failed question means to whoever asked it.
pub fn refused(error: warehouse::Error) -> Error {
    if let warehouse::Error::Denied(denied) = error {
        let code = match denied {
            Denied::TooManyWaiting => Code::TooManyQueries,
            Denied::WaitedTooLong => Code::QueriesBusy,
        };
        return Error::busy(code, RETRY_SECONDS);
    }
    match error.code() {
        Some(code) if TOO_HEAVY.contains(&code) => Code::QueryTooHeavy.into(),
        _ if error.may_pass() => Error::unavailable(error),
        _ => Error::internal(error),
    }
}
