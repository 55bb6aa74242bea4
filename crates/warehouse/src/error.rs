//! Errors of requests to ClickHouse.

use crate::gate::Denied;

/// ClickHouse codes for temporary conditions, which the statement is not to blame for.
const PASSING: &[i32] = &[
    74,  // CANNOT_READ_FROM_FILE_DESCRIPTOR
    75,  // CANNOT_WRITE_TO_FILE_DESCRIPTOR
    76,  // CANNOT_OPEN_FILE
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
    279, // ALL_CONNECTION_TRIES_FAILED
    285, // TOO_FEW_LIVE_REPLICAS
    286, // UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE
    319, // UNKNOWN_STATUS_OF_INSERT
    394, // QUERY_WAS_CANCELLED
    425, // SYSTEM_ERROR
    999, // KEEPER_EXCEPTION
];

/// ClickHouse codes for faulty rows of an INSERT: the same rows would be refused again.
const ABOUT_ROWS: &[i32] = &[
    6,   // CANNOT_PARSE_TEXT
    20,  // NUMBER_OF_COLUMNS_DOESNT_MATCH
    26,  // CANNOT_PARSE_QUOTED_STRING
    27,  // CANNOT_PARSE_INPUT_ASSERTION_FAILED
    32,  // ATTEMPT_TO_READ_AFTER_EOF
    33,  // CANNOT_READ_ALL_DATA
    38,  // CANNOT_PARSE_DATE
    41,  // CANNOT_PARSE_DATETIME
    53,  // TYPE_MISMATCH
    69,  // ARGUMENT_OUT_OF_BOUND
    70,  // CANNOT_CONVERT_TYPE
    72,  // CANNOT_PARSE_NUMBER
    117, // INCORRECT_DATA
    128, // TOO_LARGE_ARRAY_SIZE
    131, // TOO_LARGE_STRING_SIZE
    321, // VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
    349, // CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
    376, // CANNOT_PARSE_UUID
    407, // DECIMAL_OVERFLOW
    469, // VIOLATED_CONSTRAINT
];

const MEMORY_LIMIT_EXCEEDED: i32 = 241;
const TOO_MANY_SIMULTANEOUS_QUERIES: i32 = 202;
const TOO_MANY_ROWS: i32 = 158;
const TOO_MANY_ROWS_OR_BYTES: i32 = 396;

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// Not reachable, still starting, or no answer in time. Whether the statement took effect is
    /// unknown.
    #[error("the event store is not available: {0}")]
    Unavailable(String),
    /// The same for one shard of a cluster. Without it no answer is complete.
    #[error("shard {shard} of the event store ({host}) is not available: {reason}")]
    ShardLost { shard: usize, host: String, reason: String },
    /// The servers do not match the settings. Retrying does not help.
    #[error("warehouse_url: {0}")]
    Setup(String),
    /// The engine answered with an exception. An INSERT may have taken effect in part.
    #[error("the event store refused: {message}")]
    Refused { code: i32, message: String },
    /// The answer could not be parsed.
    #[error("the event store's answer cannot be read: {0}")]
    Unreadable(String),
    /// A newer program uses the store, which this one may no longer use.
    #[error("{0}")]
    Outdated(String),
    /// The question was never sent, because its caller did not get a turn.
    #[error("the question got no turn: {0:?}")]
    Denied(Denied),
}

impl Error {
    /// Whether the same statement may well succeed later.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Unavailable(_) | Self::ShardLost { .. } | Self::Denied(_) => true,
            Self::Refused { code, .. } => PASSING.contains(code),
            Self::Unreadable(_) | Self::Outdated(_) | Self::Setup(_) => false,
        }
    }

    /// Whether the rows of an INSERT are to blame, and would be again.
    pub fn is_about_rows(&self) -> bool {
        self.code().is_some_and(|code| ABOUT_ROWS.contains(&code))
    }

    /// Whether there was not enough memory: a smaller statement may succeed.
    pub fn is_about_size(&self) -> bool {
        self.code() == Some(MEMORY_LIMIT_EXCEEDED)
    }

    /// The error of an answer longer than this many bytes, with the code that the store has for its own
    /// limit.
    pub(crate) fn too_large(most: usize) -> Self {
        let message = format!("the answer is longer than {most} bytes");
        Self::Refused { code: TOO_MANY_ROWS_OR_BYTES, message }
    }

    /// Whether the answer had too many bytes, rows or groups.
    pub fn is_too_large(&self) -> bool {
        matches!(self.code(), Some(TOO_MANY_ROWS | TOO_MANY_ROWS_OR_BYTES))
    }

    /// Whether the statement was refused without being run because too many others were.
    pub fn is_busy(&self) -> bool {
        match self {
            Self::Unavailable(reason) => reason.ends_with(crate::engine::BUSY),
            _ => self.code() == Some(TOO_MANY_SIMULTANEOUS_QUERIES),
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
