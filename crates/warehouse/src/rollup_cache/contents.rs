//! The cached contents of a bucket, by kind.

use std::sync::Arc;

use roaring::RoaringBitmap;

use super::by_app::ByApp;
use super::first_seen::FirstSeen;
use super::owners::Owners;
use super::sizes::AppSizes;
use super::{Content, RollupCache};
use crate::buckets::{Bucket, QUARTER};

/// The limit for plain counts, in bytes: enough for some thirty thousand.
const COUNTS_MAX: u64 = 4 << 20;

/// All caches of a warehouse.
#[derive(Default)]
pub(crate) struct RollupCaches {
    pub totals: RollupCache<Total>,
    pub events: RollupCache<Vec<Part>>,
    pub breakdowns: RollupCache<Vec<Part>>,
    pub pages: RollupCache<Vec<Part>>,
    pub open_sessions: RollupCache<OpenSessions>,
    pub first_seen: ByApp<FirstSeen>,
    pub owners: ByApp<Arc<Owners>>,
    pub joined_totals: RollupCache<JoinedTotal>,
    pub new_devices: RollupCache<NewDevices>,
    pub sizes: AppSizes,
}

/// The memory a bitmap takes. If it has few numbers that lie far apart, most of that is its list of
/// containers, each of which is allocated separately.
fn bytes_of(set: &RoaringBitmap) -> usize {
    const CONTAINER: usize = 48;
    let containers = usize::try_from(set.statistics().n_containers).unwrap_or(usize::MAX);
    set.serialized_size() + containers.saturating_mul(CONTAINER)
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
        size_of::<Self>() + bytes_of(&self.people) + bytes_of(&self.machines)
    }
}

/// Two names of one row, the second of which may be empty.
pub(crate) type Name = (Box<str>, Box<str>);

#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub name: Name,
    /// If events were taken back, only the wrapping sum of all parts is meaningful.
    pub events: u64,
    pub people: RoaringBitmap,
}

impl Content for Vec<Part> {
    fn bytes(&self) -> usize {
        let part = |part: &Part| {
            let (first, second) = &part.name;
            size_of::<Part>() + first.len() + second.len() + bytes_of(&part.people)
        };
        self.iter().map(part).sum()
    }
}

/// Sessions of an app that were in progress at a moment, by whether they continued in the first or the
/// second quarter of an hour after it.
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

/// Counts of a span of time whose sets the store joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct JoinedTotal {
    pub events: u64,
    pub page_views: u64,
    /// Sessions that began.
    pub starts: u64,
    pub persons: u64,
    pub devices: u64,
}

impl Content for JoinedTotal {
    const BYTES_MAX: u64 = COUNTS_MAX;

    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

/// How many devices had their first event ever in a span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NewDevices(pub u64);

impl Content for NewDevices {
    const BYTES_MAX: u64 = COUNTS_MAX;

    fn bytes(&self) -> usize {
        size_of::<Self>()
    }

    /// A device is new only if it was never seen before, so all earlier time matters.
    fn depends_on(bucket: Bucket) -> Bucket {
        Bucket { start: 0, length: bucket.end() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_weighs_what_it_takes() {
        let dense = RoaringBitmap::from_iter(0..1_000_000);
        assert!((125_000..140_000).contains(&bytes_of(&dense)), "{}", bytes_of(&dense));
        // One number in each container: few bytes when serialized, many more in memory.
        let sparse = RoaringBitmap::from_iter((0..100).map(|part| part << 16));
        assert!(bytes_of(&sparse) >= 100 * 48, "{}", bytes_of(&sparse));
    }
}
