//! What can go wrong between us and ClickHouse.

use crate::gate::Denied;

/// Codes of ClickHouse that speak of the moment, not of the statement.
const PASSING: &[i32] = &[
    159, // TIMEOUT_EXCEEDED
    202, // TOO_MANY_SIMULTANEOUS_QUERIES
    203, // NO_FREE_CONNECTION
    209, // SOCKET_TIMEOUT
    210, // NETWORK_ERROR
    225, // NO_ZOOKEEPER
    241, // MEMORY_LIMIT_EXCEEDED
    242, // TABLE_IS_READ_ONLY
    243, // NOT_ENOUGH_SPACE
    252, // TOO_MANY_PARTS
    285, // TOO_FEW_LIVE_REPLICAS
    286, // UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE
    319, // UNKNOWN_STATUS_OF_INSERT
    394, // QUERY_WAS_CANCELLED
    425, // SYSTEM_ERROR
    999, // KEEPER_EXCEPTION
];

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// Not reachable, still starting, or no answer in time. Whether the statement took effect is
    /// unknown.
    #[error("the event store is not available: {0}")]
    Unavailable(String),
    /// The engine answered with an exception. An INSERT may have taken effect in part.
    #[error("the event store refused: {message}")]
    Refused { code: i32, message: String },
    /// The answer was not what the caller wanted to read.
    #[error("the event store's answer cannot be read: {0}")]
    Unreadable(String),
    /// The question was never sent: its caller did not get a turn.
    #[error("the question got no turn: {0:?}")]
    Denied(Denied),
}

impl Error {
    /// Whether the same statement may well succeed later.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Unavailable(_) | Self::Denied(_) => true,
            Self::Refused { code, .. } => PASSING.contains(code),
            Self::Unreadable(_) => false,
        }
    }

    /// The engine's code, if it answered.
    pub fn code(&self) -> Option<i32> {
        match self {
            Self::Refused { code, .. } => Some(*code),
            _ => None,
        }
    }
}
