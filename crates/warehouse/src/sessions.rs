//! Sessions: runs of one device's events with no gap of more than half an hour.
//!
//! A session begins where a device had nothing in the half hour before, and that depends on three
//! quarters of an hour alone: two events that lie a whole quarter apart are never more than half an
//! hour apart if they are in neighbouring ones, and always if there are two between them. So the
//! beginnings are counted when events come in, and the sessions of a range are the beginnings in it
//! and those that were under way when it began.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use uuid::Uuid;

use crate::client::{Call, Warehouse};
use crate::error::Error;
use crate::identities::literals;

const BUCKET: u32 = 900;
/// As many buckets as are counted at once: some days of a busy app.
const AT_ONCE: usize = 400;
const LIMIT: Duration = Duration::from_secs(120);

impl Warehouse {
    /// Counts anew how many sessions began, after events were added to these quarters of an hour (by
    /// the Unix time they start at).
    pub async fn count_sessions(
        &self,
        touched: &BTreeMap<Uuid, BTreeSet<u32>>,
    ) -> Result<(), Error> {
        let apps = literals(touched.keys().copied());
        let buckets: BTreeSet<u32> = touched.values().flatten().copied().collect();
        for some in near(buckets).chunks(AT_ONCE) {
            self.count_starts(&apps, some).await?;
        }
        Ok(())
    }

    async fn count_starts(&self, apps: &str, buckets: &[u32]) -> Result<(), Error> {
        let sources = spread(buckets.iter().copied(), |bucket, step| bucket.checked_sub(step));
        let (sources, buckets) = (list(&sources), list(buckets));
        let sql = format!(
            "INSERT INTO session_starts (app_id, bucket, starts, version) \
             SELECT app_id, toDateTime(target, 'UTC'), \
                 countIf(here AND (before = 0 OR first_here - before > 1800000)), \
                 (SELECT max(version) + 1 FROM session_starts WHERE app_id IN ({apps}) \
                  AND bucket IN ({buckets})) \
             FROM (SELECT app_id, device, toUnixTimestamp(bucket) + step AS target, \
                     countIf(step = 0) > 0 AS here, \
                     minIf(toUnixTimestamp64Milli(first), step = 0) AS first_here, \
                     maxIf(toUnixTimestamp64Milli(last), step > 0) AS before \
                 FROM sessions_15m ARRAY JOIN [0, 900, 1800] AS step \
                 WHERE app_id IN ({apps}) AND bucket IN ({sources}) \
                     AND target IN ({buckets}) \
                 GROUP BY app_id, target, device) \
             GROUP BY app_id, target"
        );
        // The same rows as once before are no mistake here.
        self.call(Call::new(&sql, &[], LIMIT).set("insert_deduplicate", 0)).await.map(drop)
    }
}

/// The quarters of an hour whose count depends on these: themselves and the two after each.
pub(crate) fn near(buckets: impl IntoIterator<Item = u32>) -> Vec<u32> {
    spread(buckets, u32::checked_add)
}

fn spread(
    buckets: impl IntoIterator<Item = u32>,
    step: impl Fn(u32, u32) -> Option<u32>,
) -> Vec<u32> {
    let all = buckets.into_iter().flat_map(|bucket| [0, BUCKET, 2 * BUCKET].map(|by| (bucket, by)));
    let all: BTreeSet<u32> = all.filter_map(|(bucket, by)| step(bucket, by)).collect();
    all.into_iter().collect()
}

fn list(numbers: &[u32]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
