//! Loads that may still be running although their sender is gone.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::client::Warehouse;
use crate::error::Error;

const PREFIX: &str = "atrium-load-";
const LOOK: Duration = Duration::from_millis(50);
/// A server that takes longer than this to answer may have been paused. It may let in waiting statements
/// right after it resumes.
const SLOW: Duration = Duration::from_millis(500);
const LET_IN: Duration = Duration::from_secs(1);
/// Longer than a load may take.
const WAIT: Duration = Duration::from_secs(150);

/// The query id of a load's statements.
pub fn load_query_id(batch: u64) -> String {
    format!("{PREFIX}{batch:016x}")
}

impl Warehouse {
    /// Makes sure that a load whose answer was lost no longer runs: kills it on a server, or waits for
    /// it in the embedded engine. Also waits for other loads that run now: one left behind by a crash
    /// must not add to what is about to be counted.
    pub async fn end_load(&self, batch: u64) -> Result<(), Error> {
        if self.is_embedded() {
            return self.quiet().await;
        }
        self.on_every_shard(|shard| async move { shard.end_load_here(batch).await }).await.map(drop)
    }

    async fn end_load_here(&self, batch: u64) -> Result<(), Error> {
        let sql = "KILL QUERY WHERE query_id = {id:String} SYNC";
        let (id, asked) = ([("id", load_query_id(batch).into())], Instant::now());
        self.execute(sql, &id).await?;
        if asked.elapsed() > SLOW {
            tokio::time::sleep(LET_IN).await;
            self.execute(sql, &id).await?;
        }
        let (before, begun) = (self.running_loads().await?, Instant::now());
        while !before.is_disjoint(&self.running_loads().await?) {
            if begun.elapsed() > WAIT {
                return Err(Error::Unavailable("a load does not end".to_owned()));
            }
            tokio::time::sleep(LOOK).await;
        }
        Ok(())
    }

    /// By id and text: all statements of one load share an id.
    async fn running_loads(&self) -> Result<BTreeSet<(String, u64)>, Error> {
        #[derive(Deserialize)]
        struct Row {
            query_id: String,
            text: u64,
        }
        let sql = "SELECT query_id, cityHash64(query) AS text FROM system.processes \
                   WHERE startsWith(query_id, {prefix:String})";
        let rows: Vec<Row> = self.query(sql, &[("prefix", PREFIX.into())]).await?;
        Ok(rows.into_iter().map(|row| (row.query_id, row.text)).collect())
    }
}
