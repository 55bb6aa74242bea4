//! Access to the warehouse on behalf of a caller, and what its errors mean to them.

use std::time::Duration;

use warehouse::{Denied, Warehouse};

use crate::insight::state::Insight;
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::fair_queue::Caller;

/// How long to wait for a warehouse that is starting. One that is down is not waited for.
const READY: Duration = Duration::from_secs(5);

/// ClickHouse codes for statements that exceeded a limit.
const TOO_HEAVY: [i32; 6] = [
    131, // TOO_LARGE_STRING_SIZE
    158, // TOO_MANY_ROWS
    159, // TIMEOUT_EXCEEDED
    160, // TOO_SLOW
    241, // MEMORY_LIMIT_EXCEEDED
    307, // TOO_MANY_BYTES
];

/// Sent as Retry-After.
const RETRY_SECONDS: u64 = 5;

/// The warehouse, once it is ready. Each statement of the caller waits in the fair queue.
pub async fn warehouse_for(atrium: &Insight, caller: Caller) -> Result<Warehouse> {
    ready(atrium).await?;
    Ok(atrium.warehouse.behind(atrium.reads.reader(caller)))
}

/// Waits for a warehouse that is starting.
pub async fn ready(atrium: &Insight) -> Result<()> {
    atrium.warehouse.ready(READY).await.map_err(|error| match error {
        lost @ warehouse::Error::ShardLost { .. } => warehouse_error(lost),
        error => Error::unavailable(error),
    })
}

/// Maps a failed statement to the error for the caller.
pub fn warehouse_error(error: warehouse::Error) -> Error {
    if let warehouse::Error::Denied(denied) = error {
        let code = match denied {
            Denied::TooManyWaiting => Code::TooManyQueries,
            Denied::WaitedTooLong => Code::QueriesBusy,
        };
        return Error::busy(code, RETRY_SECONDS);
    }
    if let warehouse::Error::ShardLost { shard, .. } = error {
        return Error::unavailable_because(Fault::new(Code::ShardLost).with("shard", shard), error);
    }
    match error.code() {
        Some(code) if TOO_HEAVY.contains(&code) => Code::QueryTooHeavy.into(),
        _ if error.may_pass() => Error::unavailable(error),
        _ => Error::internal(error),
    }
}
