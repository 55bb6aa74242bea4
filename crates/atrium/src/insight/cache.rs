//! Answers of the event store, kept for as long as nothing they were made from has changed. They
//! hold nothing about who may see them: that is looked at before, each time. Of several who ask the
//! same at once, one waits for the store and the others for that one.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use uuid::Uuid;
use warehouse::{Beginnings, EventCount, Overall, Share};

use super::asking::{event_store, refused};
use super::versions::Version;
use crate::app::AppState;
use crate::error::Result;

/// For each kind of answer; those of a usual dashboard take some kilobytes.
const BYTES_MAX: u64 = 4 << 20;
const TOP_EVENTS: usize = 20;
const VALUES: usize = 10;

/// What is asked about, and as of when.
pub struct Question {
    pub apps: Arc<[Uuid]>,
    /// Where buckets begin, and where the last one ends, in milliseconds.
    pub cuts: Arc<[i64]>,
    pub version: Version,
}

/// What an answer depends on, and nothing else: it is found again by this.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    apps: Arc<[Uuid]>,
    cuts: Arc<[i64]>,
    version: i64,
}

impl Question {
    fn ends(&self) -> (i64, i64) {
        (self.cuts.first().copied().unwrap_or(0), self.cuts.last().copied().unwrap_or(0))
    }

    /// For an answer about each bucket.
    fn by_bucket(&self) -> Key {
        let (apps, cuts) = (self.apps.clone(), self.cuts.clone());
        Key { apps, cuts, version: self.version.within }
    }

    /// For one about the range as a whole.
    fn as_whole(&self) -> Key {
        let (from, to) = self.ends();
        Key { cuts: Arc::new([from, to]), ..self.by_bucket() }
    }

    /// For one about each bucket that looks at everything before it too.
    fn with_past(&self) -> Key {
        Key { version: self.version.until, ..self.by_bucket() }
    }
}

/// How many bytes an answer takes, more or less.
#[derive(Clone)]
struct Weigh<T>(fn(&T) -> usize);

impl<T> Weighter<Key, Arc<T>> for Weigh<T> {
    fn weight(&self, key: &Key, answer: &Arc<T>) -> u64 {
        (key.apps.len() * 16 + key.cuts.len() * 8 + 64 + (self.0)(answer)) as u64
    }
}

type Kept<T> = Cache<Key, Arc<T>, Weigh<T>>;

pub struct Answers {
    overall: Kept<Overall>,
    sessions: Kept<Beginnings>,
    new_devices: Kept<Beginnings>,
    top_events: Kept<Vec<EventCount>>,
    breakdowns: Kept<Vec<Share>>,
}

fn size_of_beginnings(answer: &Beginnings) -> usize {
    (answer.apps.len() + answer.buckets.len()) * 32
}

fn kept<T: Clone>(weigh: fn(&T) -> usize) -> Kept<T> {
    Cache::with_weighter(1_000, BYTES_MAX, Weigh(weigh))
}

impl Default for Answers {
    fn default() -> Self {
        Self {
            overall: kept(|answer| answer.apps.len() * 64 + answer.buckets.len() * 64),
            sessions: kept(size_of_beginnings),
            new_devices: kept(size_of_beginnings),
            top_events: kept(|answer| answer.iter().map(|top| top.event.len() + 48).sum()),
            breakdowns: kept(|answer| answer.iter().map(|share| share.value.len() + 80).sum()),
        }
    }
}

async fn once<T: Clone>(
    atrium: &AppState,
    kept: &Kept<T>,
    key: &Key,
    asking: impl Future<Output = Result<T, warehouse::Error>>,
) -> Result<Arc<T>> {
    let asking = async {
        event_store(atrium).await?;
        asking.await.map(Arc::new).map_err(refused)
    };
    kept.get_or_insert_async(key, asking).await
}

pub async fn overall(atrium: &AppState, question: &Question) -> Result<Arc<Overall>> {
    let asking = atrium.warehouse.overall(&question.apps, &question.cuts);
    once(atrium, &atrium.answers.overall, &question.by_bucket(), asking).await
}

pub async fn sessions(atrium: &AppState, question: &Question) -> Result<Arc<Beginnings>> {
    let asking = atrium.warehouse.sessions(&question.apps, &question.cuts);
    once(atrium, &atrium.answers.sessions, &question.by_bucket(), asking).await
}

pub async fn new_devices(atrium: &AppState, question: &Question) -> Result<Arc<Beginnings>> {
    let asking = atrium.warehouse.new_devices(&question.apps, &question.cuts);
    once(atrium, &atrium.answers.new_devices, &question.with_past(), asking).await
}

pub async fn top_events(atrium: &AppState, question: &Question) -> Result<Arc<Vec<EventCount>>> {
    let (from, to) = question.ends();
    let asking = atrium.warehouse.top_events(&question.apps, from, to, TOP_EVENTS);
    once(atrium, &atrium.answers.top_events, &question.as_whole(), asking).await
}

pub async fn breakdowns(atrium: &AppState, question: &Question) -> Result<Arc<Vec<Share>>> {
    let (from, to) = question.ends();
    let asking = atrium.warehouse.breakdowns(&question.apps, from, to, VALUES);
    once(atrium, &atrium.answers.breakdowns, &question.as_whole(), asking).await
}
