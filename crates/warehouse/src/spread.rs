//! How a table comes to the shards of a cluster, from a store on one machine.

use crate::counting::{COARSE, COUNTS, Coarse};
use crate::error::Error;
use crate::placement::shard_key;

/// How a table comes to the shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    /// Every row to its own: the remainder of this says which.
    Split(&'static str),
    /// All rows to all of them.
    Copied,
    /// Made from their events.
    Counted,
    /// Not at all: they have nothing to count anew.
    Left,
}

impl Spread {
    pub fn of(table: &str) -> Result<Self, Error> {
        let is_counted = COUNTS.iter().any(|count| count.table == table)
            || coarse(table).is_some()
            || table == "session_starts";
        Ok(match (table, shard_key(table)) {
            (_, Some(key)) => Self::Split(key),
            (_, None) if is_counted => Self::Counted,
            ("fences" | "erasures" | "property_columns", None) => Self::Copied,
            ("recounts", None) => Self::Left,
            (_, None) => {
                return Err(Error::Setup(format!(
                    "it is not known on which shards the rows of `{table}` belong"
                )));
            }
        })
    }
}

/// How a table of longer buckets is made.
pub(crate) fn coarse(table: &str) -> Option<&'static Coarse> {
    COARSE.iter().find(|coarse| coarse.table == table)
}
