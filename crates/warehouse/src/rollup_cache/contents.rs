//! What is kept: the contents of a bucket, of each kind.

use roaring::RoaringBitmap;

use super::by_app::ByApp;
use super::first_seen::FirstSeen;
use super::owners::Owners;
use super::{Content, RollupCache};
use crate::buckets::QUARTER;

/// What is kept of earlier questions.
#[derive(Default)]
pub(crate) struct RollupCaches {
    pub totals: RollupCache<Total>,
    pub events: RollupCache<Vec<Part>>,
    pub breakdowns: RollupCache<Vec<Part>>,
    pub open_sessions: RollupCache<OpenSessions>,
    pub first_seen: ByApp<FirstSeen>,
    pub owners: ByApp<Owners>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Total {
    pub events: u64,
    pub page_views: u64,
    /// Sessions that began.
    pub starts: u64,
    pub people: RoaringBitmap,
    pub machines: RoaringBitmap,
}

impl Content for Total {
    fn bytes(&self) -> usize {
        self.people.serialized_size() + self.machines.serialized_size()
    }
}

/// Two names of one row, the second of which may be empty.
pub(crate) type Name = (Box<str>, Box<str>);

#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub name: Name,
    pub events: u64,
    pub people: RoaringBitmap,
}

impl Content for Vec<Part> {
    fn bytes(&self) -> usize {
        let part = |part: &Part| {
            let (first, second) = &part.name;
            size_of::<Part>() + first.len() + second.len() + part.people.serialized_size()
        };
        self.iter().map(part).sum()
    }
}

/// Sessions of an app that were under way at a moment, by the quarter of an hour after it in which
/// they went on: the first and the second.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OpenSessions(pub [u64; 2]);

impl OpenSessions {
    pub fn by_quarter(&self, at: u32) -> [(u32, u64); 2] {
        [(at, self.0[0]), (at + QUARTER, self.0[1])]
    }
}

impl Content for OpenSessions {
    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}
