//! Answers about one app that are kept for as long as nothing they were made from has changed, as
//! `cache` keeps those of the dashboard.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use serde::Serialize;

use super::range::whole_quarter;
use crate::insight::state::Insight;
use atrium_core::error::{Error, Result};
use atrium_core::fair_queue::Reader;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::apps::versions;

/// What an answer depends on, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    app: Id,
    /// The question and the zone it is about, as text.
    question: String,
    pii: bool,
    data: i64,
    /// None while nobody is taken for the owner of a device.
    owners: Option<i64>,
    /// What lies ahead, and what is over, changes with time.
    moment: i64,
}

#[derive(Clone)]
pub struct Weigh;

impl<T> Weighter<Key, Arc<Kept<T>>> for Weigh {
    fn weight(&self, key: &Key, kept: &Arc<Kept<T>>) -> u64 {
        (key.question.len() + kept.bytes + 128) as u64
    }
}

pub struct Kept<T> {
    pub answer: T,
    bytes: usize,
}

pub type Answers<T> = Cache<Key, Arc<Kept<T>>, Weigh>;

/// For answers that take so many bytes together.
pub fn answers<T>(bytes_max: u64) -> Answers<T> {
    Cache::with_weighter(1_000, bytes_max, Weigh)
}

impl Key {
    pub async fn of(
        atrium: &Insight,
        app: &Id,
        question: String,
        pii: bool,
        is_by_minute: bool,
        now: Millis,
    ) -> Result<Self> {
        // All days: what somebody did first, and what a window reaches, may be on any of them.
        let version = {
            let mut db = atrium.db.read().await?;
            versions::of(&mut db, std::slice::from_ref(app), Millis(0), FAR).await?
        };
        let moment = match is_by_minute {
            true => now.0 / Millis::MINUTE,
            false => whole_quarter(now).0,
        };
        let owners = atrium.warehouse.knows_owners().then_some(version.owners);
        Ok(Self { app: app.clone(), question, pii, data: version.until, owners, moment })
    }
}

/// In 2100.
const FAR: Millis = Millis(4_102_444_800_000);

/// One that is asked anew each time.
pub fn unkept<T>(answer: T) -> Arc<Kept<T>> {
    Arc::new(Kept { answer, bytes: 0 })
}

/// The answer that is kept, or a new one. Of several who ask the same at once, one waits for the store
/// and the others for that one; programs wait for nobody and nobody for them.
pub async fn once<T: Serialize>(
    kept: &Answers<T>,
    key: Key,
    reader: &Reader,
    asking: impl Future<Output = Result<T>>,
) -> Result<Arc<Kept<T>>> {
    let asking = async {
        let answer = asking.await?;
        let bytes = serde_json::to_vec(&answer).map_or(0, |text| text.len());
        Ok::<_, Error>(Arc::new(Kept { answer, bytes }))
    };
    if !reader.is_program() {
        return kept.get_or_insert_async(&key, asking).await;
    }
    if let Some(kept) = kept.get(&key) {
        return Ok(kept);
    }
    let answer = asking.await?;
    kept.insert(key, answer.clone());
    Ok(answer)
}
