//! Whether people come, stay, return and leave.

use super::Scope;
use super::sets::Slots;
use crate::client::Warehouse;
use crate::conditions::EventChoice;
use crate::error::Error;

#[derive(Clone, Debug)]
pub struct LifecycleQuery {
    pub scope: Scope,
    pub event: EventChoice,
    /// The first is the bucket before those that are asked about.
    pub slots: Slots,
}

/// The people of a bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LifecyclePoint {
    /// For the first time ever.
    pub new: u64,
    /// As in the bucket before.
    pub returning: u64,
    /// Not in the bucket before, but earlier.
    pub resurrected: u64,
    /// In the bucket before, and no more.
    pub dormant: u64,
}

impl Warehouse {
    /// One point for each bucket but the first.
    pub async fn lifecycle(&self, query: &LifecycleQuery) -> Result<Vec<LifecyclePoint>, Error> {
        let LifecycleQuery { scope, event, slots } = query;
        if slots.starts.len() < 2 {
            return Ok(Vec::new());
        }
        let (active, first) = tokio::try_join!(
            self.active(scope, event, slots),
            self.first_ever(scope, event, slots)
        )?;
        let points = active.windows(2).zip(&first[1..]).map(|(pair, first)| {
            let (before, now) = (&pair[0], &pair[1]);
            let (new, returning) = (now & first, before & now);
            LifecyclePoint {
                new: new.len(),
                returning: returning.len(),
                resurrected: now.len() - returning.len() - new.len(),
                dormant: before.len() - returning.len(),
            }
        });
        Ok(points.collect())
    }
}
