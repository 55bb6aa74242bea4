//! Counts read from the warehouse, cached in memory. A bucket of time is part of many ranges: looking at
//! thirty days after seven needs only twenty-three more.

mod by_app;
mod contents;
mod first_seen;
mod owners;
mod sizes;

use std::collections::HashMap;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use uuid::Uuid;

pub(crate) use by_app::AsOf;
pub(crate) use contents::{JoinedTotal, Name, NewDevices, OpenSessions, Part, RollupCaches, Total};
pub(crate) use first_seen::FirstSeen;
pub(crate) use owners::Owners;
pub(crate) use sizes::AppSizes;

use crate::buckets::{Bucket, holder};
use crate::error::Error;
use crate::versions::Versions;

const BUCKETS: usize = 10_000;
/// Bytes that a bucket takes in addition to its content.
const OVERHEAD: usize = 96;

/// The counts of an app in a bucket of time.
pub(crate) trait Content: Default + Send + Sync + 'static {
    /// The limit for all cached contents of this kind.
    const BYTES_MAX: u64 = 32 << 20;

    /// How much memory it takes, more or less.
    fn bytes(&self) -> usize;

    /// The span of time whose events determine it.
    fn depends_on(bucket: Bucket) -> Bucket {
        bucket
    }
}

#[derive(Clone)]
struct Weigh;

type Key = (Uuid, Bucket);

impl<T: Content> Weighter<Key, (i64, Arc<T>)> for Weigh {
    fn weight(&self, _: &Key, (_, content): &(i64, Arc<T>)) -> u64 {
        (content.bytes() + OVERHEAD) as u64
    }
}

pub(crate) struct RollupCache<T: Content>(Cache<Key, (i64, Arc<T>), Weigh>);

impl<T: Content> Default for RollupCache<T> {
    fn default() -> Self {
        Self(Cache::with_weighter(BUCKETS, T::BYTES_MAX, Weigh))
    }
}

/// Buckets of several apps: for each of the apps, one content for each of the buckets.
pub(crate) struct Grid<T> {
    pub buckets: Vec<Bucket>,
    pub apps: Vec<Vec<Arc<T>>>,
}

/// Contents that are being read, row by row.
pub(crate) struct Cells<'a, T> {
    places: HashMap<Uuid, usize>,
    buckets: &'a [Bucket],
    pub contents: Vec<Vec<T>>,
}

impl<'a, T: Content> Cells<'a, T> {
    pub fn new(apps: &[Uuid], buckets: &'a [Bucket]) -> Self {
        let empty = || buckets.iter().map(|_| T::default()).collect();
        Self {
            places: apps.iter().enumerate().map(|(place, app)| (*app, place)).collect(),
            buckets,
            contents: apps.iter().map(|_| empty()).collect(),
        }
    }

    /// The content that the row of a moment belongs to, if it was asked for.
    pub fn at(&mut self, app: Uuid, moment: u32) -> Option<&mut T> {
        let index = holder(self.buckets, moment)?;
        self.contents.get_mut(*self.places.get(&app)?)?.get_mut(index)
    }
}

impl<T: Content> RollupCache<T> {
    /// Takes buckets from the cache. Those that are missing or out of date come from `read`, which
    /// returns their contents for each of the apps.
    pub async fn grid(
        &self,
        apps: &[Uuid],
        buckets: Vec<Bucket>,
        versions: &Versions,
        read: impl AsyncFnOnce(&[Bucket]) -> Result<Vec<Vec<T>>, Error>,
    ) -> Result<Grid<T>, Error> {
        let mut known: Vec<Vec<Option<Arc<T>>>> = apps
            .iter()
            .map(|app| buckets.iter().map(|bucket| self.get(*app, *bucket, versions)).collect())
            .collect();
        let is_missing = |index: &usize| known.iter().any(|of_app| of_app[*index].is_none());
        let missing: Vec<usize> = (0..buckets.len()).filter(is_missing).collect();
        if !missing.is_empty() {
            let wanted: Vec<Bucket> = missing.iter().map(|index| buckets[*index]).collect();
            for ((app, known), read) in apps.iter().zip(&mut known).zip(read(&wanted).await?) {
                for (index, content) in missing.iter().zip(read) {
                    let (bucket, content) = (buckets[*index], Arc::new(content));
                    let version = version_of::<T>(*app, bucket, versions);
                    self.0.insert((*app, bucket), (version, content.clone()));
                    known[*index] = Some(content);
                }
            }
        }
        let filled = |of_app: Vec<Option<Arc<T>>>| {
            of_app.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>()
        };
        Ok(Grid { buckets, apps: known.into_iter().map(filled).collect() })
    }

    fn get(&self, app: Uuid, bucket: Bucket, versions: &Versions) -> Option<Arc<T>> {
        let (version, content) = self.0.get(&(app, bucket))?;
        (version == version_of::<T>(app, bucket, versions)).then_some(content)
    }
}

fn version_of<T: Content>(app: Uuid, bucket: Bucket, versions: &Versions) -> i64 {
    let within = T::depends_on(bucket);
    versions.of(app, within.start, within.end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buckets::DAY;

    #[test]
    fn new_devices_depend_on_every_day_before() {
        let (app, day) = (Uuid::from_u128(1), |day: u32| Bucket { start: day * DAY, length: DAY });
        let mut versions = Versions::default();
        versions.set_day(app, 5, 1);
        let of_both = |versions: &Versions| {
            let new = version_of::<NewDevices>(app, day(5), versions);
            (new, version_of::<JoinedTotal>(app, day(5), versions))
        };
        let (new, total) = of_both(&versions);
        versions.set_day(app, 6, 1);
        assert_eq!(of_both(&versions), (new, total));
        // A device that seemed new on the fifth turns out to have been seen on the second.
        versions.set_day(app, 2, 1);
        assert_ne!(of_both(&versions).0, new);
        assert_eq!(of_both(&versions).1, total);
    }
}
