//! New devices of a large app.

use super::list;
use crate::app_size::AppSize;
use crate::binary::Rows;
use crate::buckets::Bucket;
use crate::client::Warehouse;
use crate::error::Error;
use crate::params::literals;
use crate::rollup_cache::NewDevices;
use crate::versions::Versions;

impl Warehouse {
    /// How many devices were new in each of the buckets that start at the cuts.
    pub(crate) async fn joined_first_seen(
        &self,
        app: AppSize,
        cuts: &[u32],
        versions: &Versions,
    ) -> Result<Vec<u64>, Error> {
        let buckets: Vec<Bucket> = cuts
            .windows(2)
            .map(|pair| Bucket { start: pair[0], length: pair[1].saturating_sub(pair[0]) })
            .collect();
        let read = async |buckets: &[Bucket]| Ok(vec![self.count_first_seen(app, buckets).await?]);
        let cache = &self.rollup_caches().new_devices;
        let grid = cache.grid(&[app.id], buckets, versions, read).await?;
        Ok(grid.apps.into_iter().flatten().map(|new| new.0).collect())
    }

    /// A device may have several rows, of which the first counts. The devices seen before a moment are
    /// all those with a row from before it, and the difference between two moments is the number of new
    /// ones. So they are counted as growing sets, without a list of all devices.
    async fn count_first_seen(
        &self,
        app: AppSize,
        buckets: &[Bucket],
    ) -> Result<Vec<NewDevices>, Error> {
        let mut ends: Vec<u32> =
            buckets.iter().flat_map(|bucket| [bucket.start, bucket.end()]).collect();
        ends.push(0);
        ends.sort_unstable();
        ends.dedup();
        let to = ends[ends.len() - 1];
        let sql = format!(
            "SELECT toUInt32(since), toUInt64(groupBitmapMerge(who) OVER \
                 (ORDER BY since ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)) \
             FROM (SELECT roundDown(toUnixTimestamp(first_seen), {}) AS since, \
                     groupBitmapState(no) AS who \
                 FROM devices WHERE app_id = {} AND no > 0 AND first_seen < toDateTime({to}, 'UTC') \
                 GROUP BY since) \
             ORDER BY since",
            list(ends),
            literals([app.id])
        );
        let answer = self.binary_counts(&sql).await?;
        let mut known = Vec::new();
        let mut rows = Rows::new(&answer);
        while !rows.is_at_end() {
            known.push((rows.u32()?, rows.u64()?));
        }
        // The number of devices seen before a moment, from the last row before it.
        let before = |moment: u32| {
            let after = known.partition_point(|(since, _)| *since < moment);
            after.checked_sub(1).map_or(0, |last| known[last].1)
        };
        let new =
            |bucket: &Bucket| NewDevices(before(bucket.end()).saturating_sub(before(bucket.start)));
        Ok(buckets.iter().map(new).collect())
    }
}
