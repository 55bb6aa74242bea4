//! What answering questions about events needs.

use std::ops::Deref;
use std::sync::Arc;

use axum::extract::FromRef;

use super::cache::Answers;
use super::kept;
use crate::analyses::Answer;
use crate::workspace::engagement::Engagement;
use atrium_collect::Collecting;
use atrium_core::Core;
use atrium_core::fair_queue::FairQueue;
use atrium_tenancy::Tenancy;

/// Bytes of answers that are kept.
const ANALYSES_MAX: u64 = 16 << 20;
const ENGAGEMENT_MAX: u64 = 4 << 20;

#[derive(Clone)]
pub struct Insight(Arc<InsightParts>);

pub struct InsightParts {
    collecting: Collecting,
    pub answers: Answers,
    pub(crate) analyses: kept::Answers<Answer>,
    pub(crate) engagement: kept::Answers<Engagement>,
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
            analyses: kept::answers(ANALYSES_MAX),
            engagement: kept::answers(ENGAGEMENT_MAX),
            reads,
        }))
    }
}
