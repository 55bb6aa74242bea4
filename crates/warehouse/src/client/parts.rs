//! Questions about many things, each on one shard: every shard is asked about its own.

use futures_util::future::try_join_all;

use crate::error::Error;
use crate::placement::shard_at;

use super::Warehouse;

/// What to ask each shard about.
pub(crate) struct Parts<T>(Vec<(Warehouse, Vec<T>)>);

impl<T> Parts<T> {
    pub fn new(shards: Vec<Warehouse>) -> Self {
        Self(shards.into_iter().map(|shard| (shard, Vec::new())).collect())
    }

    /// Adds a thing that is on the shard of a place.
    pub fn add(&mut self, place: impl FnOnce() -> u64, thing: T) {
        let shard = shard_at(self.0.len(), place);
        self.0[shard].1.push(thing);
    }

    /// Asks the shards that have any of the things.
    pub async fn ask<A, Asking: Future<Output = Result<A, Error>>>(
        self,
        ask: impl Fn(Warehouse, Vec<T>) -> Asking,
    ) -> Result<Vec<A>, Error> {
        let asked = self.0.into_iter().filter(|(_, things)| !things.is_empty());
        try_join_all(asked.map(|(shard, things)| ask(shard, things))).await
    }
}
