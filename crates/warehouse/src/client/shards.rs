//! A store on several servers. Each shard is a complete store with its own tables, views and counts, in
//! the database `…_local`; it is changed and upgraded as a single server is. Rows go straight to the
//! shard that they belong to (`placement`). Questions go to one server, to a database of Distributed
//! tables that stand for the tables of all shards (`schema::names`). docs/decisions/0035-shards.md says
//! why.

use futures_util::future::join_all;
use serde::Deserialize;
use tokio::sync::OnceCell;
use url::Url;

use crate::call::{Call, Insert};
use crate::error::Error;
use crate::location::{ClusterName, Names, Server, ShardNames};
use crate::placement::Bodies;

use super::Warehouse;

pub(crate) struct Cluster {
    name: ClusterName,
    server: Server,
    /// The database whose Distributed tables stand for the tables of all shards.
    database: String,
    /// Set once their addresses are known.
    shards: OnceCell<Vec<Warehouse>>,
}

impl Cluster {
    pub fn new(name: ClusterName, server: Server, database: String) -> Self {
        Self { name, server, database, shards: OnceCell::new() }
    }

    /// The shards, if their addresses are known already.
    pub(super) fn known_shards(&self) -> &[Warehouse] {
        self.shards.get().map(Vec::as_slice).unwrap_or_default()
    }

    /// Settings of every question.
    pub fn reading(&self) -> &'static [(&'static str, &'static str)] {
        // The result of a subquery over all shards is sent to each of them: a user's rows are on
        // several.
        const PLAIN: (&str, &str) = ("distributed_product_mode", "global");
        match self.name.replicated {
            true => &[PLAIN, ("select_sequential_consistency", "1")],
            false => &[PLAIN],
        }
    }
}

/// Settings of every change on a replicated shard, so that the next query sees it on any replica.
pub(crate) const REPLICATED_CHANGE: &[(&str, &str)] =
    &[("insert_quorum", "auto"), ("insert_quorum_parallel", "0")];

impl Warehouse {
    /// Whether the store is spread over several servers.
    pub fn is_cluster(&self) -> bool {
        self.cluster().is_some()
    }

    /// Whether its shards have several replicas each.
    pub fn is_replicated(&self) -> bool {
        self.cluster().is_some_and(|cluster| cluster.name.replicated)
    }

    /// The stores that hold the rows, in order: the shards, or this store alone. A change in one changes
    /// none of the others.
    pub async fn shards(&self) -> Result<Vec<Self>, Error> {
        let Some(cluster) = self.cluster() else { return Ok(vec![self.clone()]) };
        let shards = cluster.shards.get_or_try_init(|| self.find_shards(cluster)).await?;
        Ok(shards.iter().map(|shard| shard.patient(self.limit())).collect())
    }

    async fn find_shards(&self, cluster: &Cluster) -> Result<Vec<Self>, Error> {
        let addresses = match &cluster.name.shards {
            named if named.is_empty() => self.ask_for_shards(cluster).await?,
            named => named.clone(),
        };
        let shard = |(at, url): (usize, Url)| {
            let shard = ShardNames {
                number: at + 1,
                cluster: cluster.name.name.clone(),
                whole: cluster.database.clone(),
                replicated: cluster.name.replicated,
            };
            let database = format!("{}_local", cluster.database);
            self.shard(cluster.server.at(url), Names { database, shard: Some(shard) })
        };
        Ok(addresses.into_iter().enumerate().map(shard).collect())
    }

    /// The servers that ClickHouse's own settings name, at the port of the one that is asked.
    async fn ask_for_shards(&self, cluster: &Cluster) -> Result<Vec<Url>, Error> {
        #[derive(Deserialize)]
        struct Row {
            host_name: String,
        }
        let sql = "SELECT host_name FROM system.clusters WHERE cluster = {name:String} \
                   ORDER BY shard_num, replica_num LIMIT 1 BY shard_num FORMAT JSONEachRow";
        let params = [("name", cluster.name.name.as_str().into())];
        let mut call = Call::new(sql, &params, self.limit()).reading();
        // There may be no database yet.
        call.in_database = false;
        let rows: Vec<Row> = self.rows(call).await?;
        if rows.is_empty() {
            let name = &cluster.name.name;
            return Err(Error::Setup(format!("ClickHouse does not know the cluster `{name}`")));
        }
        let url = |row: Row| {
            let host = match row.host_name {
                address if address.contains(':') => format!("[{address}]"),
                host => host,
            };
            cluster.server.beside(&host).map_err(Error::Setup)
        };
        rows.into_iter().map(url).collect()
    }

    /// How many shards questions go to.
    pub(crate) async fn count_shards(&self) -> Result<usize, Error> {
        match self.cluster() {
            Some(cluster) => Ok(self.ask_for_shards(cluster).await?.len()),
            None => Ok(1),
        }
    }

    /// Runs `work` on every shard at once. Waits for all of them even when one fails: work still in
    /// progress would get in the way of the next attempt.
    pub(crate) async fn on_every_shard<T, Work: Future<Output = Result<T, Error>>>(
        &self,
        work: impl Fn(Self) -> Work,
    ) -> Result<Vec<T>, Error> {
        let all = self.shards().await?.into_iter().map(work);
        join_all(all).await.into_iter().collect()
    }

    /// Room for the rows of every shard.
    pub(crate) async fn bodies(&self) -> Result<Bodies, Error> {
        Ok(Bodies::new(self.shards().await?.len()))
    }

    /// Stores rows on their shards, all at once; each is stored durably before this returns.
    pub(crate) async fn insert_bodies(
        &self,
        sql: &str,
        bodies: Bodies,
        options: Insert<'_>,
    ) -> Result<(), Error> {
        let shards = self.shards().await?.into_iter().zip(bodies.into_each());
        let filled = shards.filter(|(_, body)| !body.is_empty());
        let all = filled.map(|(shard, body)| {
            let options = options.clone();
            async move { shard.insert_here(sql, body, options).await }
        });
        join_all(all).await.into_iter().collect()
    }
}
