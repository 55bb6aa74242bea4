//! Answers of the warehouse, cached for as long as nothing they were made from has changed. They do not
//! depend on who may see them: that is checked before, each time. A cached answer takes no slot of the
//! store. If several callers ask the same at once, one waits for the store and the others for that one;
//! when that one hangs up, the next of them asks. Programs with a query key never share a query in
//! progress: their turn comes later than a person's.
//!
//! The store caches parts of its own (`warehouse/src/rollup_cache/`), by the versions of their days: an
//! outdated answer is rebuilt from the parts that are still valid.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::OnceCell;
use uuid::Uuid;
use warehouse::{BreakdownValue, EventCount, Overall, Versions, Warehouse};

use super::errors::{ready, warehouse_error};
use crate::insight::state::Insight;
use atrium_collect::personal::Others;
use atrium_core::error::Result;
use atrium_core::fair_queue::Reader;
use atrium_tenancy::apps::versions::{self, Version};

/// The limit for each kind of answer; those of a usual dashboard take some kilobytes.
const BYTES_MAX: u64 = 4 << 20;
const TOP_EVENTS: usize = 20;
const VALUES: usize = 10;

/// A query, and the version of the data it is about.
pub struct CachedQuery {
    pub apps: Arc<[Uuid]>,
    /// Where buckets begin, and where the last one ends, in milliseconds.
    pub cuts: Arc<[i64]>,
    /// The end of the part that is compared, where that is not the whole.
    pub part: Option<i64>,
    pub version: Version,
    /// Whether the owners of devices have been counted.
    pub knows_owners: bool,
    /// Read only when needed, which is not the case for a cached answer.
    pub versions: Arc<OnceCell<Versions>>,
    /// The caller.
    pub reader: Arc<Reader>,
}

/// The key of a cached answer: everything it depends on, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    apps: Arc<[Uuid]>,
    cuts: Arc<[i64]>,
    part: Option<i64>,
    version: i64,
    /// None while the owners of devices are unknown.
    owners: Option<i64>,
    /// The ids hidden in the answer, for callers who may not see them.
    hidden: Option<Arc<Others>>,
}

impl CachedQuery {
    fn ends(&self) -> (i64, i64) {
        (self.cuts.first().copied().unwrap_or(0), self.cuts.last().copied().unwrap_or(0))
    }

    /// The key of an answer by bucket, which depends on earlier data too: a device is not new if it was
    /// seen before.
    fn by_bucket(&self) -> Key {
        let (apps, cuts) = (self.apps.clone(), self.cuts.clone());
        let (version, owners) = (self.version.until, self.owners());
        Key { apps, cuts, part: self.part, version, owners, hidden: None }
    }

    /// The key of an answer about the whole range.
    fn as_whole(&self) -> Key {
        let (from, to) = self.ends();
        let (apps, cuts) = (self.apps.clone(), Arc::new([from, to]));
        let (version, owners) = (self.version.within, self.owners());
        Key { apps, cuts, part: None, version, owners, hidden: None }
    }

    fn owners(&self) -> Option<i64> {
        self.knows_owners.then_some(self.version.owners)
    }

    /// All moments at which something read for it begins or ends.
    fn all_cuts(&self) -> Vec<i64> {
        let (from, to) = self.ends();
        let mut cuts = self.cuts.to_vec();
        cuts.extend(self.part.filter(|part| (from..to).contains(part)));
        cuts.sort_unstable();
        cuts
    }

    /// The store, where this query waits for its turn.
    fn store(&self, atrium: &Insight) -> Warehouse {
        atrium.warehouse.behind(self.reader.clone())
    }

    async fn versions(&self, atrium: &Insight) -> Result<&Versions> {
        let read = async || {
            let mut db = atrium.db.read().await?;
            versions::by_day(&mut db, &self.apps).await
        };
        self.versions.get_or_try_init(read).await
    }
}

/// Approximately how many bytes an answer takes.
#[derive(Clone)]
struct Weigh<T>(fn(&T) -> usize);

impl<T> Weighter<Key, Arc<T>> for Weigh<T> {
    fn weight(&self, key: &Key, answer: &Arc<T>) -> u64 {
        let hidden = key.hidden.as_ref().map_or(0, |hidden| hidden.bytes());
        (key.apps.len() * 16 + key.cuts.len() * 8 + 64 + hidden + (self.0)(answer)) as u64
    }
}

type Kept<T> = Cache<Key, Arc<T>, Weigh<T>>;

pub struct Answers {
    overall: Kept<Overall>,
    top_events: Kept<Vec<EventCount>>,
    breakdowns: Kept<Vec<BreakdownValue>>,
    page_names: Kept<Vec<(String, String)>>,
    pages: Kept<Vec<BreakdownValue>>,
}

fn kept<T: Clone>(weigh: fn(&T) -> usize) -> Kept<T> {
    Cache::with_weighter(1_000, BYTES_MAX, Weigh(weigh))
}

impl Default for Answers {
    fn default() -> Self {
        Self {
            overall: kept(|answer| {
                (answer.apps.len() + answer.part.len() + answer.buckets.len()) * 80
            }),
            top_events: kept(|answer| answer.iter().map(|top| top.event.len() + 48).sum()),
            breakdowns: kept_values(),
            page_names: kept(|answer| answer.iter().map(|(_, name)| name.len() + 72).sum()),
            pages: kept_values(),
        }
    }
}

fn kept_values() -> Kept<Vec<BreakdownValue>> {
    kept(|answer| answer.iter().map(|share| share.value.len() + 80).sum())
}

async fn once<T: Clone>(
    atrium: &Insight,
    kept: &Kept<T>,
    key: &Key,
    query: &CachedQuery,
    ask: impl AsyncFnOnce(&Versions) -> Result<T, warehouse::Error>,
) -> Result<Arc<T>> {
    let asking = async {
        ready(atrium).await?;
        ask(query.versions(atrium).await?).await.map(Arc::new).map_err(warehouse_error)
    };
    if !query.reader.is_program() {
        return kept.get_or_insert_async(key, asking).await;
    }
    if let Some(answer) = kept.get(key) {
        return Ok(answer);
    }
    let answer = asking.await?;
    kept.insert(key.clone(), answer.clone());
    Ok(answer)
}

pub async fn overall(atrium: &Insight, query: &CachedQuery) -> Result<Arc<Overall>> {
    let ask = async |versions: &Versions| {
        let CachedQuery { apps, cuts, part, .. } = query;
        query.store(atrium).overall(apps, cuts, *part, versions).await
    };
    once(atrium, &atrium.answers.overall, &query.by_bucket(), query, ask).await
}

/// Two answers about the same apps, read together if neither is cached.
pub async fn overall_of_both(
    atrium: &Insight,
    now: &CachedQuery,
    before: &CachedQuery,
) -> Result<(Arc<Overall>, Arc<Overall>)> {
    let kept = &atrium.answers.overall;
    let is_known = kept.get(&before.by_bucket()).is_some();
    let ask = async |versions: &Versions| {
        let store = now.store(atrium);
        let found = store.overall(&now.apps, &now.cuts, now.part, versions);
        if is_known {
            return found.await;
        }
        store.gather(&now.apps, [&now.all_cuts(), &before.all_cuts()], versions).await?;
        // Both at once, now that their parts are cached. A query about one range only ever waits for one
        // about an earlier range, so there is no deadlock; if the second fails here, it is asked again
        // below.
        let (found, _) = tokio::join!(found, overall(atrium, before));
        found
    };
    let now = once(atrium, kept, &now.by_bucket(), now, ask).await?;
    Ok((now, overall(atrium, before).await?))
}

pub async fn top_events(atrium: &Insight, query: &CachedQuery) -> Result<Arc<Vec<EventCount>>> {
    let (from, to) = query.ends();
    let ask = async |versions: &Versions| {
        query.store(atrium).top_events(&query.apps, from, to, TOP_EVENTS, versions).await
    };
    once(atrium, &atrium.answers.top_events, &query.as_whole(), query, ask).await
}

pub async fn breakdowns(atrium: &Insight, query: &CachedQuery) -> Result<Arc<Vec<BreakdownValue>>> {
    let (from, to) = query.ends();
    let ask = async |versions: &Versions| {
        query.store(atrium).breakdowns(&query.apps, from, to, VALUES, versions).await
    };
    once(atrium, &atrium.answers.breakdowns, &query.as_whole(), query, ask).await
}

/// All pages and sites of the range, as they are stored.
pub async fn page_names(
    atrium: &Insight,
    query: &CachedQuery,
) -> Result<Arc<Vec<(String, String)>>> {
    let (from, to) = query.ends();
    let ask = async |versions: &Versions| {
        query.store(atrium).page_names(&query.apps, from, to, versions).await
    };
    once(atrium, &atrium.answers.page_names, &query.as_whole(), query, ask).await
}

/// Pages and sites as displayed by `shown`, which depends on nothing but the hidden ids.
pub async fn pages(
    atrium: &Insight,
    query: &CachedQuery,
    hidden: Option<Arc<Others>>,
    shown: impl Fn(&str, &str) -> String,
) -> Result<Arc<Vec<BreakdownValue>>> {
    let (from, to) = query.ends();
    let key = Key { hidden, ..query.as_whole() };
    let ask = async |versions: &Versions| {
        query.store(atrium).pages(&query.apps, from, to, VALUES, shown, versions).await
    };
    once(atrium, &atrium.answers.pages, &key, query, ask).await
}
