//! Answers about one app, cached for as long as nothing they were made from has changed, as `cache` does
//! for the dashboard.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use serde::Serialize;
use serde_json::value::RawValue;

use super::range::whole_quarter;
use crate::insight::state::Insight;
use atrium_core::error::{Error, Result};
use atrium_core::fair_queue::Reader;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::apps::versions;

/// The limit for all cached answers together.
const BYTES_MAX: u64 = 16 << 20;

/// The key of a cached answer: everything it depends on, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    app: Id,
    /// The question and its time zone, as text.
    question: String,
    pii: bool,
    data: i64,
    /// None while the owners of devices are unknown.
    owners: Option<i64>,
    /// Which part of a range is over changes with time.
    moment: i64,
}

#[derive(Clone)]
pub struct Weigh;

impl Weighter<Key, Kept> for Weigh {
    fn weight(&self, key: &Key, kept: &Kept) -> u64 {
        (key.question.len() + kept.get().len() + 128) as u64
    }
}

/// An answer as it is sent.
pub type Kept = Arc<RawValue>;

pub type Answers = Cache<Key, Kept, Weigh>;

pub fn answers() -> Answers {
    Cache::with_weighter(1_000, BYTES_MAX, Weigh)
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
        // All days, because a person's first event, or an event within a window, may be on any of them.
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

pub fn written(answer: &impl Serialize) -> Result<Kept> {
    let text = serde_json::value::to_raw_value(answer).map_err(Error::internal)?;
    Ok(Arc::from(text))
}

/// The cached answer, or a new one. If several callers ask the same at once, one waits for the store and
/// the others for that one; programs are always queried separately.
pub async fn once<T: Serialize>(
    kept: &Answers,
    key: Key,
    reader: &Reader,
    asking: impl Future<Output = Result<T>>,
) -> Result<Kept> {
    let asking = async { written(&asking.await?) };
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
