//! The state of a store that another one is being moved into: it has all tables but no views, which
//! would count every row again. The definitions of the views are kept in the store itself, with the
//! origin of its rows, so that a move can be resumed after a crash. Every shard of a cluster keeps its
//! own.

use std::time::Duration;

use serde::Deserialize;

use crate::call::Call;
use crate::client::Warehouse;
use crate::error::Error;
use crate::exported::View;
use crate::location::quoted;
use crate::params::Param;
use crate::schema::{TRANSFER_TABLE, newest_migration};

/// Recorded once all tables exist and the views are recorded.
const MADE: &str = "made";
const LIMIT: Duration = Duration::from_secs(600);

/// The state of a move's target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransferState {
    Empty,
    /// A transfer that was started and not finished, with its origin.
    Begun(String),
    /// Another store, with the name of one of its tables.
    Used(String),
}

#[derive(Deserialize)]
struct Noted {
    name: String,
    value: String,
}

impl Warehouse {
    pub async fn transfer_state(&self) -> Result<TransferState, Error> {
        let all = self.on_every_shard(|shard| async move { shard.transfer_state_here().await });
        Ok(state_of_all(all.await?))
    }

    async fn transfer_state_here(&self) -> Result<TransferState, Error> {
        #[derive(Deserialize)]
        struct Row {
            name: String,
            comment: String,
        }
        // A cluster's Distributed tables hold nothing; any other table in their database belongs to
        // another store.
        let sql = "SELECT name, comment FROM system.tables WHERE database = {database:String} \
                   OR (database = {whole:String} AND engine != 'Distributed') \
                   ORDER BY name\nFORMAT JSONEachRow";
        let database = self.names().database.as_str();
        let whole = self.names().shard.as_ref().map_or(database, |shard| shard.whole.as_str());
        let params = [("database", Param::from(database)), ("whole", Param::from(whole))];
        let mut call = Call::new(sql, &params, self.limit()).reading();
        call.in_database = false;
        let tables: Vec<Row> = self.rows(call).await?;
        let state = tables.iter().find(|table| table.name == TRANSFER_TABLE);
        Ok(match (state, tables.first()) {
            (Some(state), _) => TransferState::Begun(state.comment.clone()),
            (None, Some(table)) => TransferState::Used(table.name.clone()),
            (None, None) => TransferState::Empty,
        })
    }

    /// Creates all tables and drops the views, in a store that is empty or whose transfer was
    /// interrupted.
    pub async fn begin_transfer(&self, from: &str, wait: Duration) -> Result<(), Error> {
        if !self.is_cluster() {
            return self.begin_transfer_here(from, wait).await;
        }
        self.check_shards().await?;
        self.on_every_shard(|shard| async move { shard.begin_transfer_here(from, wait).await })
            .await?;
        self.name_shards().await
    }

    async fn begin_transfer_here(&self, from: &str, wait: Duration) -> Result<(), Error> {
        let create = self.names().create_database();
        let mut call = Call::new(&create, &[], LIMIT);
        call.in_database = false;
        self.call(call).await?;
        // The origin is part of the same statement, so that it is always known.
        let comment = from.replace('\\', "\\\\").replace('\'', "\\'");
        let sql = format!(
            "CREATE TABLE IF NOT EXISTS {TRANSFER_TABLE} (name String, value String) \
             ENGINE = MergeTree ORDER BY name COMMENT '{comment}'"
        );
        self.execute(&sql, &[]).await?;
        self.end_changes().await?;
        if !self.noted().await?.iter().any(|noted| noted.name == MADE) {
            self.drop_all().await?;
            self.make_tables(newest_migration(), wait).await?;
            for View { name, create_table_query } in self.views().await? {
                self.note_of_transfer(&name, &create_table_query).await?;
            }
            self.note_of_transfer(MADE, "").await?;
        }
        self.take_views_away().await.map(drop)
    }

    /// Ends running changes: a server continues a statement whose sender is gone, and that could still
    /// add rows after the comparison. Nobody else changes a store that is being moved into.
    async fn end_changes(&self) -> Result<(), Error> {
        let sql = "KILL QUERY WHERE current_database = {database:String} \
                   AND query_kind IN ('Insert', 'Delete', 'Alter') SYNC";
        let params = [("database", Param::from(self.names().database.as_str()))];
        self.call(Call::new(sql, &params, LIMIT)).await.map(drop)
    }

    /// Creates the missing views. From now on, stored rows are counted.
    pub async fn complete_transfer(&self) -> Result<(), Error> {
        self.on_every_shard(|shard| async move { shard.complete_transfer_here().await })
            .await
            .map(drop)
    }

    async fn complete_transfer_here(&self) -> Result<(), Error> {
        let there = self.views().await?;
        let mut missing = self.noted().await?;
        missing.retain(|noted| noted.name != MADE);
        missing.retain(|noted| !there.iter().any(|view| view.name == noted.name));
        let views = missing
            .into_iter()
            .map(|noted| View { name: noted.name, create_table_query: noted.value });
        self.put_views_back(&views.collect::<Vec<_>>()).await
    }

    /// Removes the mark of the transfer.
    pub async fn end_transfer(&self) -> Result<(), Error> {
        let sql = &format!("DROP TABLE IF EXISTS {TRANSFER_TABLE} SYNC");
        self.on_every_shard(|shard| async move { shard.execute(sql, &[]).await }).await.map(drop)
    }

    async fn noted(&self) -> Result<Vec<Noted>, Error> {
        // A transfer interrupted at this point recorded some of them twice.
        let sql = format!("SELECT DISTINCT name, value FROM {TRANSFER_TABLE} ORDER BY name");
        self.query(&sql, &[]).await
    }

    async fn note_of_transfer(&self, name: &str, value: &str) -> Result<(), Error> {
        let sql = format!(
            "INSERT INTO {TRANSFER_TABLE} (name, value) SELECT {{name:String}}, {{value:String}}"
        );
        self.execute(&sql, &[("name", name.into()), ("value", value.into())]).await
    }

    /// Drops tables whose creation was interrupted: it cannot be continued.
    async fn drop_all(&self) -> Result<(), Error> {
        #[derive(Deserialize)]
        struct Row {
            name: String,
        }
        // Views first: a table that a view reads from cannot be dropped.
        let sql = "SELECT name FROM system.tables WHERE database = currentDatabase() \
                   AND name != {state:String} ORDER BY engine != 'MaterializedView', name";
        let tables: Vec<Row> = self.query(sql, &[("state", TRANSFER_TABLE.into())]).await?;
        for Row { name } in tables {
            self.execute(&format!("DROP TABLE IF EXISTS {} SYNC", quoted(&name)), &[]).await?;
        }
        Ok(())
    }
}

/// An interrupted transfer may have started on some shards only.
fn state_of_all(shards: Vec<TransferState>) -> TransferState {
    let mut all = TransferState::Empty;
    for state in shards {
        all = match (all, state) {
            (used @ TransferState::Used(_), _) | (_, used @ TransferState::Used(_)) => used,
            // With two origins, neither is complete.
            (TransferState::Begun(one), TransferState::Begun(other)) if one != other => {
                TransferState::Begun(format!("{one} {other}"))
            }
            (begun @ TransferState::Begun(_), _) | (_, begun) => begun,
        };
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_claimed_by_one_move() {
        let begun = |from: &str| TransferState::Begun(from.to_owned());
        let used = || TransferState::Used("dogs".to_owned());
        assert_eq!(state_of_all(vec![TransferState::Empty; 2]), TransferState::Empty);
        assert_eq!(state_of_all(vec![TransferState::Empty, begun("a")]), begun("a"));
        assert_eq!(state_of_all(vec![begun("a"), TransferState::Empty]), begun("a"));
        assert_eq!(state_of_all(vec![begun("a"), begun("a")]), begun("a"));
        assert_eq!(state_of_all(vec![begun("a"), begun("b")]), begun("a b"));
        for other in [begun("a"), TransferState::Empty] {
            assert_eq!(state_of_all(vec![other.clone(), used()]), used());
            assert_eq!(state_of_all(vec![used(), other]), used());
        }
    }
}
