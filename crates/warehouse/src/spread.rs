//! How the tables of a store on one machine are distributed to the shards of a cluster.

use crate::counting::{COARSE, COUNTS, Coarse};
use crate::error::Error;
use crate::placement::shard_key;

/// How a table is distributed to the shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    /// Every row goes to one shard, by the remainder of this expression.
    Split(&'static str),
    /// All rows go to all shards.
    Copied,
    /// Counted by each shard from its events.
    Counted,
    /// Left out: nothing is to be recounted there.
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
                    "it is unknown to which shards the rows of `{table}` belong"
                )));
            }
        })
    }
}

/// How a table of longer buckets is made.
pub(crate) fn coarse(table: &str) -> Option<&'static Coarse> {
    COARSE.iter().find(|coarse| coarse.table == table)
}
