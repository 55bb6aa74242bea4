//! Questions that the loader and the console ask about events.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use uuid::Uuid;

use crate::call::Call;
use crate::client::{Parts, Warehouse};
use crate::error::Error;
use crate::params::Param;
use crate::placement::place_of_message;
use crate::rows::{MessageKey, put_message_id, read_pairs};

/// A quarter of an hour, by which all counts are kept.
pub(crate) const BUCKET_MS: i64 = 15 * 60 * 1000;

/// Parameters are sent in the URL, whose length is limited.
const APPS_AT_ONCE: usize = 500;

/// How far the time of a message may lie after its load. The collector accepts ten minutes; the rest is for
/// instances whose clocks disagree.
const AHEAD_SECONDS: i64 = 86_400;

impl Warehouse {
    /// Which of these messages were stored in the last days by a load other than `batch`, by app and id.
    /// For up to some hundred thousand at a time. The ids are sorted by time, so the rows read grow with
    /// the messages asked about and not with all that are known.
    pub async fn known_ids(
        &self,
        messages: &[MessageKey],
        batch: u64,
    ) -> Result<Vec<(Uuid, Uuid)>, Error> {
        let mut parts = Parts::new(self.shards().await?);
        for message in messages {
            parts.add(|| place_of_message(message.0, message.2), *message);
        }
        let known = parts
            .ask(|shard, some| async move { shard.known_ids_here(&some, batch).await })
            .await?;
        Ok(known.into_iter().flatten().collect())
    }

    async fn known_ids_here(
        &self,
        messages: &[MessageKey],
        batch: u64,
    ) -> Result<Vec<(Uuid, Uuid)>, Error> {
        // One literal instead of one for each id: the parser would create a node for every one.
        let mut packed = Vec::with_capacity(messages.len() * 40);
        for message in messages {
            put_message_id(*message, &mut packed);
        }
        // Rows loaded before the earliest of these messages cannot be any of them, so those partitions are
        // skipped.
        let earliest = messages.iter().map(|(_, time_ms, _)| time_ms / 1_000).min().unwrap_or(0);
        let since = (earliest - AHEAD_SECONDS).clamp(0, i64::from(u32::MAX));
        // Base64 is two thirds the size of hexadecimal, and faster to read by as much. Earlier versions
        // left ids in `log_ids`, without a time, for the eight days that ids are kept.
        let sql = format!(
            "WITH base64Decode('{}') AS packed, {} AS count SELECT DISTINCT app_id, log_id FROM (\
             SELECT app_id, log_id FROM message_ids WHERE (app_id, time_ms, log_id) IN \
                 (SELECT reinterpretAsUUID(substring(packed, number * 40 + 1, 16)), \
                     reinterpretAsInt64(substring(packed, number * 40 + 17, 8)), \
                     reinterpretAsUUID(substring(packed, number * 40 + 25, 16)) \
                  FROM numbers(count)) AND batch != {batch} \
                 AND received >= toDateTime({since}, 'UTC') \
             UNION ALL SELECT app_id, log_id FROM log_ids WHERE log_id IN \
                 (SELECT reinterpretAsUUID(substring(packed, number * 40 + 25, 16)) \
                  FROM numbers(count)) AND batch != {batch}) FORMAT RowBinary",
            STANDARD.encode(&packed),
            messages.len()
        );
        let call = Call::new(&sql, &[], self.limit()).long().reading();
        Ok(read_pairs(&self.call(call).await?))
    }

    /// Which messages of a batch, by app and id, are stored, for when the answer to its INSERT was lost.
    /// The range is that of the batch's times, both ends included.
    pub async fn stored_of_batch(
        &self,
        batch: u64,
        apps: &[Uuid],
        from_ms: i64,
        to_ms: i64,
    ) -> Result<Vec<(Uuid, Uuid)>, Error> {
        let of = |table: &str| {
            format!(
                "SELECT app_id, log_id FROM {table} WHERE app_id IN {{apps:Array(UUID)}} \
                 AND time >= fromUnixTimestamp64Milli({{from:Int64}}, 'UTC') \
                 AND time <= fromUnixTimestamp64Milli({{to:Int64}}, 'UTC') AND batch = {{batch:UInt64}}"
            )
        };
        let sql = format!("{} UNION ALL {} FORMAT RowBinary", of("events"), of("mutations"));
        let mut stored = Vec::new();
        for apps in apps.chunks(APPS_AT_ONCE) {
            let params = [
                ("apps", Param::from(apps)),
                ("from", from_ms.into()),
                ("to", to_ms.into()),
                ("batch", batch.into()),
            ];
            stored.extend(read_pairs(&self.bytes(&sql, &params).await?));
        }
        Ok(stored)
    }

    /// How many events each app has between two moments, the second excluded. Exact if both are
    /// multiples of 15 minutes; otherwise the buckets that contain them count as a whole.
    pub async fn count_events(
        &self,
        apps: &[Uuid],
        from_ms: i64,
        to_ms: i64,
    ) -> Result<HashMap<Uuid, u64>, Error> {
        #[derive(Deserialize)]
        struct Row {
            app_id: Uuid,
            count: u64,
        }
        let sql = "SELECT app_id, sum(events) AS count FROM totals_15m \
                   WHERE app_id IN {apps:Array(UUID)} AND bucket >= {from:DateTime} AND bucket < {to:DateTime} \
                   GROUP BY app_id";
        let mut counts = HashMap::new();
        for apps in apps.chunks(APPS_AT_ONCE) {
            let params = [
                ("apps", Param::from(apps)),
                ("from", (from_ms.div_euclid(BUCKET_MS) * BUCKET_MS / 1000).into()),
                ("to", (-(-to_ms).div_euclid(BUCKET_MS) * BUCKET_MS / 1000).into()),
            ];
            let rows: Vec<Row> = self.query(sql, &params).await?;
            counts.extend(rows.into_iter().map(|row| (row.app_id, row.count)));
        }
        Ok(counts)
    }

    /// When the latest event of each app happened, in milliseconds. An app without events is absent.
    pub async fn last_event(&self, apps: &[Uuid]) -> Result<HashMap<Uuid, i64>, Error> {
        #[derive(Deserialize)]
        struct Row {
            app_id: Uuid,
            last: i64,
        }
        let sql = "SELECT app_id, toUnixTimestamp64Milli(max(totals_15m.last)) AS last FROM totals_15m \
                   WHERE app_id IN {apps:Array(UUID)} GROUP BY app_id";
        let mut times = HashMap::new();
        for apps in apps.chunks(APPS_AT_ONCE) {
            let rows: Vec<Row> = self.query(sql, &[("apps", apps.into())]).await?;
            times.extend(rows.into_iter().map(|row| (row.app_id, row.last)));
        }
        Ok(times)
    }
}
