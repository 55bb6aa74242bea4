//! What happens to a table in a cluster. Some rows are copied to the shard that they belong to. Counts
//! are computed by each shard from its own events while its views are dropped, and again wherever they
//! turn out wrong.

use std::ops::Range;

use uuid::Uuid;

use crate::buckets::{DAY, QUARTER};
use crate::client::Warehouse;
use crate::error::Error;
use crate::spread::{Spread, coarse};
use crate::transfer::TransferTable;
use crate::upkeep::BUCKETS_AT_ONCE;

/// The source of a table of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedFrom {
    Events,
    /// The counts by the quarter of an hour.
    Quarters,
}

impl TransferTable {
    /// Whether its rows are copied.
    pub fn is_copied(&self) -> bool {
        matches!(self.spread, None | Some(Spread::Split(_) | Spread::Copied))
    }

    /// None if it is not recounted.
    pub fn counted_from(&self) -> Option<CountedFrom> {
        match (self.spread, coarse(&self.name)) {
            (Some(Spread::Counted), None) => Some(CountedFrom::Events),
            (Some(Spread::Counted), Some(_)) => Some(CountedFrom::Quarters),
            _ => None,
        }
    }

    /// Whether several shards may each have a part of what is one row in a store on one machine. A user
    /// has a row on every shard with events of theirs.
    pub(crate) fn is_joined(&self) -> bool {
        self.spread == Some(Spread::Counted) || (self.spread.is_some() && self.name == "users")
    }
}

impl Warehouse {
    /// Recounts days of an app (by the Unix time at which they start) on every shard: everything that is
    /// counted from events, and the longer buckets around it.
    pub async fn count_days(&self, app: Uuid, days: &[u32]) -> Result<(), Error> {
        let quarters: Vec<u32> = days.iter().flat_map(|day| starts(*day, QUARTER)).collect();
        self.rebuild(app, &quarters).await
    }

    /// Recounts the buckets of a table of longer buckets that start on these days.
    pub async fn count_longer(
        &self,
        table: &TransferTable,
        app: Uuid,
        days: &[u32],
    ) -> Result<(), Error> {
        let Some(coarse) = coarse(&table.name) else { return Ok(()) };
        let buckets: Vec<u64> = days
            .iter()
            .flat_map(|day| starts(*day, coarse.length.min(DAY)))
            .map(u64::from)
            .collect();
        for some in buckets.chunks(BUCKETS_AT_ONCE) {
            self.on_every_shard(
                |shard| async move { shard.rebuild_pieces(app, coarse, some).await },
            )
            .await?;
        }
        Ok(())
    }
}

fn starts(day: u32, length: u32) -> std::iter::StepBy<Range<u32>> {
    (day..day.saturating_add(DAY)).step_by(length as usize)
}
