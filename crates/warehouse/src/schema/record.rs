//! Every shard records its number and how many shards there are. Rows are placed by that, so a store is
//! refused if shards were added, removed or reordered.

use serde::Deserialize;

use crate::call::Call;
use crate::client::Warehouse;
use crate::error::Error;

use super::run;

/// The table with the record.
pub(crate) const SHARD_TABLE: &str = "shard";
const TABLE: &str = "CREATE TABLE IF NOT EXISTS shard (number UInt32, shards UInt32) \
    ENGINE = {ReplacingMergeTree} ORDER BY (number, shards) \
    SETTINGS fsync_after_insert = 1, fsync_part_directory = 1";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Record {
    number: usize,
    shards: usize,
}

/// The state of a server before anything is changed.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    record: Option<Record>,
    has_events: bool,
}

impl Warehouse {
    /// Fails if the shards are not the recorded ones, or if questions would not reach all of them.
    pub(crate) async fn check_shards(&self) -> Result<(), Error> {
        let (named, reached) = (self.shards().await?.len(), self.count_shards().await?);
        if named != reached {
            return Err(Error::Setup(format!(
                "shards=… names {named}, but the cluster in ClickHouse's own settings has \
                 {reached} shards"
            )));
        }
        let found = self.on_every_shard(|shard| async move { shard.found().await }).await?;
        judge(&found)
    }

    async fn found(&self) -> Result<Found, Error> {
        let record = match self.has_table(SHARD_TABLE).await? {
            true => self.query("SELECT number, shards FROM shard LIMIT 1", &[]).await?.pop(),
            false => None,
        };
        let has_events = self.has_table("events").await?
            && !self.bytes("SELECT 1 FROM events LIMIT 1 FORMAT TSV", &[]).await?.is_empty();
        Ok(Found { record, has_events })
    }

    async fn has_table(&self, table: &str) -> Result<bool, Error> {
        let sql = "SELECT count() FROM system.tables \
                   WHERE database = {database:String} AND name = {table:String} FORMAT TSV";
        let database = self.names().database.as_str();
        let params = [("database", database.into()), ("table", table.into())];
        let mut call = Call::new(sql, &params, self.limit()).reading();
        // There may be no database yet.
        call.in_database = false;
        Ok(self.call(call).await?.trim_ascii() != b"0")
    }

    /// Records which shard this is.
    pub(super) async fn record_shard(&self, number: usize, shards: usize) -> Result<(), Error> {
        run(self, &self.names().fill(TABLE)).await?;
        if self.found().await?.record.is_none() {
            run(self, &format!("INSERT INTO shard VALUES ({number}, {shards})")).await?;
        }
        Ok(())
    }

    /// Fails if a question to all shards does not reach each of them exactly once.
    pub(super) async fn check_reach(&self, shards: usize) -> Result<(), Error> {
        let mut reached: Vec<Record> = self.query("SELECT number, shards FROM shard", &[]).await?;
        reached.sort_unstable();
        let expected: Vec<Record> = (1..=shards).map(|number| Record { number, shards }).collect();
        if reached == expected {
            return Ok(());
        }
        let reached: Vec<String> = reached.iter().map(|it| it.number.to_string()).collect();
        Err(Error::Setup(format!(
            "of {shards} shards, a query reaches only {}: cluster=… and shards=… name different \
             servers, or remote_servers differs between them",
            if reached.is_empty() { "none".to_owned() } else { reached.join(", ") }
        )))
    }
}

fn judge(found: &[Found]) -> Result<(), Error> {
    let shards = found.len();
    let in_use = found.iter().any(|it| it.has_events);
    for (number, it) in (1..).zip(found) {
        let expected = Record { number, shards };
        match it.record {
            Some(record) if record == expected => {}
            Some(record) => {
                return Err(Error::Setup(format!(
                    "shard {number} of {shards} was shard {} of {} before: events are stored \
                     accordingly, so shards must keep their number and order",
                    record.number, record.shards
                )));
            }
            None if in_use => {
                return Err(Error::Setup(format!(
                    "shard {number} is empty, but others are not: bring its data back"
                )));
            }
            None => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(record: Option<(usize, usize)>, has_events: bool) -> Found {
        let record = record.map(|(number, shards)| Record { number, shards });
        Found { record, has_events }
    }

    #[test]
    fn shards_are_those_that_they_were() {
        let (empty, full) = (found(None, false), |record| found(Some(record), true));
        for good in [
            vec![empty, empty],
            // An interrupted first start.
            vec![found(Some((1, 2)), false), empty],
            vec![full((1, 2)), full((2, 2))],
        ] {
            assert!(judge(&good).is_ok(), "{good:?}");
        }
        for (bad, word) in [
            (vec![full((2, 2)), full((1, 2))], "shard 1 of 2 was shard 2 of 2"),
            (vec![full((1, 2)), full((2, 2)), empty], "shard 1 of 3 was shard 1 of 2"),
            (vec![full((1, 2))], "shard 1 of 1 was"),
            (vec![full((1, 2)), empty], "shard 2 is empty"),
        ] {
            let error = judge(&bad).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
