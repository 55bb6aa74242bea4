//! Decides when a question may be sent to the store. The server shares the store fairly between its
//! callers; this crate only waits for a turn before each statement that reads.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;

/// A turn: the statement runs while this is held, and dropping it lets the next one run.
pub type Turn = Box<dyn Any + Send>;

/// Why a question was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// The caller has as many questions waiting as one caller may have.
    TooManyWaiting,
    /// Its turn did not come in time.
    WaitedTooLong,
}

pub trait Gate: Send + Sync {
    /// Waits for a turn. Dropping the future gives the place in the queue up.
    fn enter(&self) -> Pin<Box<dyn Future<Output = Result<Turn, Denied>> + Send + '_>>;

    /// ClickHouse's `priority` setting: a statement pauses while one with a smaller number runs. Zero
    /// takes no part in that.
    fn priority(&self) -> u8 {
        0
    }

    /// The nice value of the statement's threads, from 0 to 19. A store without the right to change it
    /// (CAP_SYS_NICE) ignores it.
    fn nice(&self) -> u8 {
        0
    }
}
