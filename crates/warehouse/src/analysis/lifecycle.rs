//! Lifecycle: whether people are new, stay, return or leave.

use roaring::RoaringBitmap;

use super::Scope;
use super::slots::Slots;
use crate::client::Warehouse;
use crate::conditions::{EventChoice, People};
use crate::error::Error;

#[derive(Clone, Debug)]
pub struct LifecycleQuery {
    pub scope: Scope,
    pub event: EventChoice,
    /// The first one is the bucket before the requested range.
    pub slots: Slots,
}

/// The people of a bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LifecyclePoint {
    /// Active for the first time ever.
    pub new: u64,
    /// Active, as in the bucket before.
    pub returning: u64,
    /// Active, not in the bucket before but earlier.
    pub resurrected: u64,
    /// Active in the bucket before and not in this one.
    pub dormant: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifecycleState {
    New,
    Returning,
    Resurrected,
    Dormant,
}

/// The people of a `LifecyclePoint`.
#[derive(Default)]
struct States {
    new: RoaringBitmap,
    returning: RoaringBitmap,
    resurrected: RoaringBitmap,
    dormant: RoaringBitmap,
}

impl Warehouse {
    /// One point for each bucket except the first.
    pub async fn lifecycle(&self, query: &LifecycleQuery) -> Result<Vec<LifecyclePoint>, Error> {
        let point = |states: States| LifecyclePoint {
            new: states.new.len(),
            returning: states.returning.len(),
            resurrected: states.resurrected.len(),
            dormant: states.dormant.len(),
        };
        Ok(self.states(query).await?.into_iter().map(point).collect())
    }

    /// The people in a state, in a bucket given by its index among the points.
    pub async fn lifecycle_people(
        &self,
        query: &LifecycleQuery,
        place: usize,
        state: LifecycleState,
    ) -> Result<People, Error> {
        let states = self.states(query).await?.into_iter().nth(place).unwrap_or_default();
        Ok(People::of(match state {
            LifecycleState::New => states.new,
            LifecycleState::Returning => states.returning,
            LifecycleState::Resurrected => states.resurrected,
            LifecycleState::Dormant => states.dormant,
        }))
    }

    async fn states(&self, query: &LifecycleQuery) -> Result<Vec<States>, Error> {
        let LifecycleQuery { scope, event, slots } = query;
        if slots.starts.len() < 2 {
            return Ok(Vec::new());
        }
        let (active, first) = self.active_and_first(scope, event, slots).await?;
        let points = active.windows(2).zip(&first[1..]).map(|(pair, first)| {
            let (before, now) = (&pair[0], &pair[1]);
            let (new, returning) = (now & first, before & now);
            let resurrected = now - &returning - &new;
            States { new, dormant: before - &returning, returning, resurrected }
        });
        Ok(points.collect())
    }
}
