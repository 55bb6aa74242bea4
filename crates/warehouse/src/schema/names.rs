//! The names under which all shards are read: on every server, a database with the store's name that has
//! a Distributed table for each table of the shards. These hold no rows, so they are recreated whenever
//! they differ from the tables behind them. Nothing is inserted through them: ClickHouse refuses that,
//! because they have no sharding key.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::call::Call;
use crate::client::Warehouse;
use crate::error::Error;
use crate::location::{ShardNames, quoted};

use super::{CHANGE_LIMIT, RECORD_TABLE, TRANSFER_TABLE, bring_up_to_date};

/// Tables that each shard has only for itself.
const OWN: [&str; 2] = [RECORD_TABLE, TRANSFER_TABLE];

/// A table: its engine, and its columns with their types, in order.
type Tables = BTreeMap<String, (String, Vec<String>)>;

impl Warehouse {
    /// Brings every shard up to date, and then the Distributed tables for all of them.
    pub(super) async fn bring_shards_up_to_date(&self) -> Result<(), Error> {
        if !self.is_cluster() {
            bring_up_to_date(self).await?;
            return self.recounts_left().await.map(drop);
        }
        self.check_shards().await?;
        self.on_every_shard(|shard| async move { bring_up_to_date(&shard).await }).await?;
        self.name_shards().await?;
        self.recounts_left().await.map(drop)
    }

    /// Records on every shard which one it is, and creates the Distributed tables.
    pub(crate) async fn name_shards(&self) -> Result<(), Error> {
        let shards = self.shards().await?.len();
        self.on_every_shard(|shard| async move {
            let Some(names) = &shard.names().shard else { return Ok(()) };
            shard.record_shard(names.number, shards).await
        })
        .await?;
        match self.shards().await?.first() {
            // The first server creates them on the whole cluster.
            Some(first) if first.names().is_replicated() => first.name_all().await?,
            _ => drop(self.on_every_shard(|shard| async move { shard.name_all().await }).await?),
        }
        self.check_reach(shards).await
    }

    /// Creates the Distributed tables on this server.
    async fn name_all(&self) -> Result<(), Error> {
        let Some(names) = &self.names().shard else { return Ok(()) };
        let (whole, on_cluster) = (quoted(&names.whole), names.on_cluster());
        self.change(&format!("CREATE DATABASE IF NOT EXISTS {whole}{on_cluster}")).await?;
        let local = self.tables_in(&self.names().database).await?;
        let known = self.tables_in(&names.whole).await?;
        if let Some((table, _)) = known.iter().find(|(_, (engine, _))| engine.contains("MergeTree"))
        {
            return Err(Error::Setup(format!(
                "the database {whole} already contains the table `{table}` of a store on one \
                 server: use another database, and move the events to it"
            )));
        }
        for (table, (_, columns)) in local.iter().filter(|(_, (it, _))| it.contains("MergeTree")) {
            let engine = self.distributed(names, table);
            let is_same =
                known.get(table).is_some_and(|it| *it == (engine.clone(), columns.clone()));
            if OWN.contains(&table.as_str()) || is_same {
                continue;
            }
            let database = quoted(&self.names().database);
            let table = quoted(table);
            self.change(&format!(
                "CREATE OR REPLACE TABLE {whole}.{table}{on_cluster} AS {database}.{table} \
                 ENGINE = {engine}"
            ))
            .await?;
        }
        Ok(())
    }

    fn distributed(&self, names: &ShardNames, table: &str) -> String {
        let text = |name: &str| format!("'{}'", name.replace('\\', "\\\\").replace('\'', "\\'"));
        let (cluster, database) = (text(&names.cluster), text(&self.names().database));
        format!("Distributed({cluster}, {database}, {})", text(table))
    }

    async fn tables_in(&self, database: &str) -> Result<Tables, Error> {
        #[derive(Deserialize)]
        struct Row {
            name: String,
            engine_full: String,
            columns: Vec<String>,
        }
        let sql = "SELECT name, engine_full, columns FROM system.tables AS t INNER JOIN (SELECT table, \
                       arraySort(groupArray(format('{0} {1} {2}', leftPad(toString(position), 4, '0'), \
                           name, type))) AS columns \
                       FROM system.columns WHERE database = {database:String} GROUP BY table) AS c \
                   ON t.name = c.table WHERE database = {database:String}";
        let rows: Vec<Row> = self.query(sql, &[("database", database.into())]).await?;
        let table = |row: Row| (row.name, (row.engine_full, row.columns));
        Ok(rows.into_iter().map(table).collect())
    }

    async fn change(&self, sql: &str) -> Result<(), Error> {
        self.call(Call::new(sql, &[], CHANGE_LIMIT)).await.map(drop)
    }
}
