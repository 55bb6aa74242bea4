//! Visits to pages: runs of one device's page views with no gap of more than half an hour. The first
//! page of a visit is its entry, the last one its exit.
//!
//! As with sessions, whether a page view is the first or the last depends on its quarter of an hour and
//! the two before or after it. So visits are counted when events come in, and counts that no longer hold
//! are taken back: the counts are sums, from which those of longer buckets are made.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Deserialize;
use uuid::Uuid;

use crate::call::Call;
use crate::client::Warehouse;
use crate::error::Error;
use crate::params::{Param, literals};
use crate::sessions::{list, near, near_before};

const LIMIT: Duration = Duration::from_secs(300);
/// How many quarters of an hour are counted at once.
const AT_ONCE: usize = 400;

/// The changes to visits after page views were added to some quarters of an hour, or removed from them:
/// what is counted now minus what was counted before. A page view is identified by its time within the
/// quarter and a hash of its page (migration 11); the page itself is looked up among the counts of the
/// same quarter.
fn changes(apps: &str, touched: &[u32]) -> String {
    let entries = near(touched.iter().copied());
    let exits = near_before(touched.iter().copied());
    let sources: BTreeSet<u32> = near_before(entries.iter().copied())
        .into_iter()
        .chain(near(exits.iter().copied()))
        .collect();
    let sources = list(&sources.into_iter().collect::<Vec<_>>());
    let targets: BTreeSet<u32> = entries.iter().chain(&exits).copied().collect();
    let targets = list(&targets.into_iter().collect::<Vec<_>>());
    let (entries, exits) = (list(&entries), list(&exits));
    format!(
        "SELECT v.app_id AS app_id, v.dimension AS dimension, v.at AS at, p.value AS value, v.n AS n \
         FROM (SELECT app_id, dimension, at, bitAnd(view, 17592186044415) AS page, \
                 toInt64(count()) AS n \
             FROM (SELECT app_id, at, first, last, \
                     1000 * at + bitShiftRight(first, 44) AS begins, \
                     1000 * at + bitShiftRight(last, 44) AS ends, \
                     lagInFrame(ends, 1, 0) OVER near AS before, \
                     leadInFrame(begins, 1, 0) OVER near AS after \
                 FROM (SELECT app_id, device, toUInt64(toUnixTimestamp(bucket)) AS at, first, last \
                     FROM page_visits_15m FINAL \
                     WHERE app_id IN ({apps}) AND bucket IN ({sources})) \
                 WINDOW near AS (PARTITION BY app_id, device ORDER BY at \
                     ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)) \
             ARRAY JOIN ['entry', 'exit'] AS dimension, [first, last] AS view, \
                 [at IN ({entries}) AND begins - before > 1800000, \
                  at IN ({exits}) AND (after = 0 OR after - ends > 1800000)] AS is_end \
             WHERE is_end GROUP BY app_id, dimension, at, page) AS v \
         INNER JOIN (SELECT DISTINCT app_id, toUInt64(toUnixTimestamp(bucket)) AS at, value, \
                 bitAnd(cityHash64(value), 17592186044415) AS page FROM pages_15m \
             WHERE app_id IN ({apps}) AND dimension = 'page' AND bucket IN ({targets})) AS p \
         ON v.app_id = p.app_id AND v.at = p.at AND v.page = p.page \
         UNION ALL \
         SELECT app_id, toString(dimension), toUInt64(toUnixTimestamp(bucket)), value, -sum(events) \
         FROM pages_15m \
         WHERE app_id IN ({apps}) AND (dimension = 'entry' AND bucket IN ({entries}) \
             OR dimension = 'exit' AND bucket IN ({exits})) \
         GROUP BY app_id, dimension, bucket, value"
    )
}

impl Warehouse {
    /// Recounts visits around these quarters of an hour.
    pub(crate) async fn count_visits(
        &self,
        apps: &str,
        touched: &BTreeSet<u32>,
    ) -> Result<(), Error> {
        let touched: Vec<u32> = touched.iter().copied().collect();
        for some in touched.chunks(AT_ONCE) {
            let sql = format!(
                "INSERT INTO pages_15m (app_id, dimension, bucket, value, events) \
                 SELECT app_id, dimension, toDateTime(at, 'UTC'), value, sum(n) AS change FROM ({}) \
                 GROUP BY app_id, dimension, at, value HAVING change != 0",
                changes(apps, some)
            );
            // A change may legitimately equal an earlier one: that may have been taken back in between.
            let call = Call::new(&sql, &[], LIMIT).long().never_a_duplicate();
            // There is too little data to be worth passing between threads.
            self.in_turn(call.set("max_threads", 1)).await?;
        }
        Ok(())
    }

    /// Recounts the visits of an app wherever it has page views that meet a condition.
    pub(crate) async fn count_visits_of(
        &self,
        app: Uuid,
        rows: &str,
        params: &[(&str, Param)],
    ) -> Result<(), Error> {
        #[derive(Deserialize)]
        struct Row {
            at: u32,
        }
        let sql = format!(
            "SELECT DISTINCT toUnixTimestamp(bucket) AS at FROM page_visits_15m WHERE {rows}"
        );
        let found: Vec<Row> = self.patient(LIMIT).query(&sql, params).await?;
        self.count_visits(&literals([app]), &found.into_iter().map(|row| row.at).collect()).await
    }
}
