//! The state for answering questions about events.

use std::ops::Deref;
use std::sync::Arc;

use axum::extract::FromRef;

use super::cache::Answers;
use super::kept;
use super::property_uses::GatheredUses;
use atrium_collect::Collecting;
use atrium_core::Core;
use atrium_core::fair_queue::FairQueue;
use atrium_tenancy::Tenancy;

#[derive(Clone)]
pub struct Insight(Arc<InsightParts>);

pub struct InsightParts {
    collecting: Collecting,
    pub answers: Answers,
    /// Cached answers about one app.
    pub(crate) kept: kept::Answers,
    /// How much questions read for properties.
    pub property_uses: GatheredUses,
    /// Where queries wait for their turn at the warehouse.
    pub reads: FairQueue,
}

impl Deref for Insight {
    type Target = InsightParts;

    fn deref(&self) -> &InsightParts {
        &self.0
    }
}

impl Deref for InsightParts {
    type Target = Collecting;

    fn deref(&self) -> &Collecting {
        &self.collecting
    }
}

impl FromRef<Insight> for Core {
    fn from_ref(state: &Insight) -> Self {
        Self::clone(state)
    }
}

impl FromRef<Insight> for Tenancy {
    fn from_ref(state: &Insight) -> Self {
        Self::clone(state)
    }
}

impl Insight {
    pub fn new(collecting: Collecting) -> Self {
        let reads = collecting.settings.reads.queue();
        Self(Arc::new(InsightParts {
            collecting,
            answers: Answers::default(),
            kept: kept::answers(),
            property_uses: GatheredUses::default(),
            reads,
        }))
    }
}
