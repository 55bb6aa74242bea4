//! Sessions: runs of one device's events with no gap of more than half an hour.
//!
//! A session starts where a device had no events in the half hour before, which depends on only three
//! quarters of an hour: the gap between events in neighboring quarters is always at most half an hour,
//! and with two quarters between them it is always more. So the starts are counted when events come in,
//! and the sessions of a range are the starts in it plus the sessions in progress when it begins.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use crate::binary::Rows;
use crate::buckets::{Bucket, HALF_HOUR, QUARTER, stretches};
use crate::call::Call;
use crate::client::Warehouse;
use crate::error::Error;
use crate::params::literals;
use crate::rollup_cache::{Cells, Grid, OpenSessions};
use crate::versions::Versions;

/// How many buckets are counted at once: some days of a busy app.
const AT_ONCE: usize = 400;
const LIMIT: Duration = Duration::from_secs(120);

impl Warehouse {
    /// Recounts session starts, and visits by their pages, after events were added to these quarters of
    /// an hour (by the Unix time at which they start).
    pub async fn count_sessions(
        &self,
        touched: &BTreeMap<Uuid, BTreeSet<u32>>,
    ) -> Result<(), Error> {
        self.on_every_shard(|shard| async move { shard.count_sessions_here(touched).await })
            .await
            .map(drop)
    }

    pub(crate) async fn count_sessions_here(
        &self,
        touched: &BTreeMap<Uuid, BTreeSet<u32>>,
    ) -> Result<(), Error> {
        let apps = literals(touched.keys().copied());
        let buckets: BTreeSet<u32> = touched.values().flatten().copied().collect();
        for some in near(buckets.iter().copied()).chunks(AT_ONCE) {
            self.count_starts(&apps, some).await?;
        }
        self.count_visits(&apps, &buckets).await
    }

    /// The sessions in progress at a moment: those where a device's last event before it and its first
    /// event after it are at most half an hour apart.
    pub(crate) async fn open_sessions(
        &self,
        apps: &[Uuid],
        at: u32,
        versions: &Versions,
    ) -> Result<Vec<Arc<OpenSessions>>, Error> {
        let grid = self.open_sessions_around(apps, vec![around(at)], versions).await?;
        Ok(grid.apps.into_iter().flatten().collect())
    }

    /// The same for the middle of each bucket.
    pub(crate) async fn open_sessions_around(
        &self,
        apps: &[Uuid],
        buckets: Vec<Bucket>,
        versions: &Versions,
    ) -> Result<Grid<OpenSessions>, Error> {
        let read = async |buckets: &[Bucket]| {
            let answer = self.binary_counts(&open_sessions_in(apps, buckets)).await?;
            let mut cells: Cells<OpenSessions> = Cells::new(apps, buckets);
            let mut rows = Rows::new(&answer);
            while !rows.is_at_end() {
                let (app, at, quarter) = (rows.uuid()?, rows.u32()?, rows.u32()?);
                let count = rows.u64()?;
                if let Some(OpenSessions(counts)) = cells.at(app, at) {
                    counts[usize::from(quarter > at)] += count;
                }
            }
            Ok(cells.contents)
        };
        self.rollup_caches().open_sessions.grid(apps, buckets, versions, read).await
    }

    async fn count_starts(&self, apps: &str, buckets: &[u32]) -> Result<(), Error> {
        let sources = near_before(buckets.iter().copied());
        let (sources, buckets) = (list(&sources), list(buckets));
        let sql = format!(
            "INSERT INTO session_starts (app_id, bucket, starts, version) \
             SELECT app_id, bucket, countIf(begins - before > 1800000), \
                 (SELECT max(version) + 1 FROM session_starts WHERE app_id IN ({apps}) \
                  AND bucket IN ({buckets})) \
             FROM (SELECT app_id, bucket, begins, lagInFrame(ends, 1, 0) OVER (\
                     PARTITION BY app_id, device ORDER BY bucket \
                     ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before \
                 FROM (SELECT app_id, device, bucket, toUnixTimestamp64Milli(first) AS begins, \
                         toUnixTimestamp64Milli(last) AS ends \
                     FROM sessions_15m FINAL WHERE app_id IN ({apps}) AND bucket IN ({sources}))) \
             WHERE bucket IN ({buckets}) GROUP BY app_id, bucket"
        );
        // Rows equal to earlier ones are legitimate here.
        let call =
            Call::new(&sql, &[], LIMIT).long().set("insert_deduplicate", 0).set("max_threads", 1);
        self.in_turn(call).await.map(drop)
    }
}

/// The bucket whose middle is this moment, for `open_sessions_around`.
pub(crate) fn around(at: u32) -> Bucket {
    Bucket { start: at.saturating_sub(HALF_HOUR), length: 2 * HALF_HOUR }
}

fn open_sessions_in(apps: &[Uuid], buckets: &[Bucket]) -> String {
    let (apps, within) = (literals(apps.iter().copied()), stretches(buckets));
    let middles: Vec<String> = buckets
        .iter()
        .map(|bucket| format!("bucket < {}, {}", bucket.end(), bucket.start + HALF_HOUR))
        .collect();
    format!(
        "SELECT app_id, toUInt32(at), toUInt32(intDiv(b, 900000) * 900) AS quarter, count() \
         FROM (SELECT app_id, multiIf({}, 0) AS at, \
                 maxIf(toUnixTimestamp64Milli(last), toUnixTimestamp(bucket) < at) AS a, \
                 minIf(toUnixTimestamp64Milli(first), toUnixTimestamp(bucket) >= at) AS b \
             FROM sessions_15m WHERE app_id IN ({apps}) AND {within} \
             GROUP BY app_id, device, at) \
         WHERE a > 0 AND b > 0 AND b - a <= 1800000 GROUP BY app_id, at, quarter",
        middles.join(", ")
    )
}

/// The quarters of an hour whose count depends on these: each one and the two after it.
pub(crate) fn near(buckets: impl IntoIterator<Item = u32>) -> Vec<u32> {
    spread(buckets, u32::checked_add)
}

/// Each of these quarters of an hour and the two before it.
pub(crate) fn near_before(buckets: impl IntoIterator<Item = u32>) -> Vec<u32> {
    spread(buckets, u32::checked_sub)
}

fn spread(
    buckets: impl IntoIterator<Item = u32>,
    step: impl Fn(u32, u32) -> Option<u32>,
) -> Vec<u32> {
    let all =
        buckets.into_iter().flat_map(|bucket| [0, QUARTER, 2 * QUARTER].map(|by| (bucket, by)));
    let all: BTreeSet<u32> = all.filter_map(|(bucket, by)| step(bucket, by)).collect();
    all.into_iter().collect()
}

pub(crate) fn list(numbers: &[u32]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
