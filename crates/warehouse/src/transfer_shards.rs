//! What becomes of a table in a cluster. A row is copied to the shard that it belongs to; what is counted
//! from events is counted by each shard from its own, while its views are away, and again wherever it is
//! not what it should be.

use std::ops::Range;

use uuid::Uuid;

use crate::buckets::{DAY, QUARTER};
use crate::client::Warehouse;
use crate::error::Error;
use crate::spread::{Spread, coarse};
use crate::transfer::TransferTable;
use crate::upkeep::BUCKETS_AT_ONCE;

/// What a table of counts is made of.
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

    /// None where it is not counted anew.
    pub fn counted_from(&self) -> Option<CountedFrom> {
        match (self.spread, coarse(&self.name)) {
            (Some(Spread::Counted), None) => Some(CountedFrom::Events),
            (Some(Spread::Counted), Some(_)) => Some(CountedFrom::Quarters),
            _ => None,
        }
    }

    /// Whether several shards may have a part of what is one row in a store on one machine. Users are
    /// known wherever they have events.
    pub(crate) fn is_joined(&self) -> bool {
        self.spread == Some(Spread::Counted) || (self.spread.is_some() && self.name == "users")
    }
}

impl Warehouse {
    /// Counts days of an app (by the Unix time they start at) anew on every shard: all that is counted
    /// from events, and the longer buckets around it.
    pub async fn count_days(&self, app: Uuid, days: &[u32]) -> Result<(), Error> {
        let quarters: Vec<u32> = days.iter().flat_map(|day| starts(*day, QUARTER)).collect();
        self.rebuild(app, &quarters).await
    }

    /// Counts a table of longer buckets anew, those that start on these days.
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
