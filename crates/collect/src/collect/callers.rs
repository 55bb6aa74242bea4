//! Finds the app that a key belongs to. Answers are cached for as long as the database says that nothing
//! changed, so a disabled key stops working at the next request. If the database was down, that is the
//! first request after it is back (`outage`).

use std::sync::Arc;

use quick_cache::sync::Cache;
use uuid::Uuid;

use super::outage::{self, AsOf};
use crate::collect::state::Collecting;
use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::keys::{self, SigningKey};
use atrium_tenancy::store::apps::{self, CollectRow};
use atrium_tenancy::store::keys::by_collect_key;

/// The app behind a key.
pub struct App {
    pub id: Uuid,
    pub timezone: jiff::tz::TimeZone,
    pub archived: bool,
    pub deleted: bool,
}

impl App {
    fn new(id: &Id, row: CollectRow) -> Result<Self> {
        Ok(Self {
            id: id.uuid()?,
            timezone: jiff::tz::TimeZone::get(&row.timezone).unwrap_or(jiff::tz::TimeZone::UTC),
            archived: row.archived_at.is_some(),
            deleted: row.deleted_at.is_some(),
        })
    }

    /// The day of a time in the app's time zone, as days since 1970.
    pub fn day(&self, at: Millis) -> i32 {
        let Ok(at) = jiff::Timestamp::from_millisecond(at.0) else { return 0 };
        let offset = i64::from(self.timezone.to_offset(at).seconds());
        i32::try_from((at.as_second() + offset).div_euclid(86_400)).unwrap_or(0)
    }
}

pub struct CollectCaller {
    pub key_id: String,
    pub valid_until: Option<Millis>,
    pub app: App,
}

pub struct SigningCaller {
    pub key: SigningKey,
    pub app: App,
}

impl SigningCaller {
    pub fn is_live(&self, now: Millis) -> bool {
        self.key.enabled && self.key.expires_at.is_none_or(|at| now < at)
    }
}

/// A cached answer, valid for its epoch. "Not found" is an answer too.
type Found<T> = (i64, Option<Arc<T>>);

pub struct Callers {
    collecting: Cache<String, Found<CollectCaller>>,
    signing: Cache<String, Found<SigningCaller>>,
}

impl Default for Callers {
    fn default() -> Self {
        Self { collecting: Cache::new(20_000), signing: Cache::new(20_000) }
    }
}

/// Text that cannot be one of our keys is neither looked up nor cached.
fn looks_like_key(text: &str, prefix: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.starts_with(prefix) && text.len() <= 64 && text.bytes().all(plain)
}

enum LookUp<T> {
    Found(Option<Arc<T>>),
    /// The database must be queried; the answer is valid as of this epoch.
    Ask(i64),
}

async fn look_up<T>(
    atrium: &Collecting,
    known: &Cache<String, Found<T>>,
    key: &str,
) -> Result<LookUp<T>> {
    let as_of = outage::as_of(atrium).await?;
    match (as_of, known.get(key)) {
        (AsOf::Epoch(epoch), Some((found_at, found))) if found_at == epoch => {
            Ok(LookUp::Found(found))
        }
        (AsOf::Epoch(epoch), _) => Ok(LookUp::Ask(epoch)),
        (AsOf::Outage, Some((_, Some(found)))) => Ok(LookUp::Found(Some(found))),
        (AsOf::Outage, _) => Err(outage::no_answer()),
    }
}

/// The caller by the app's public key.
pub async fn by_app_key(atrium: &Collecting, key: &str) -> Result<Option<Arc<CollectCaller>>> {
    if !looks_like_key(key, "ck_") {
        return Ok(None);
    }
    let known = &atrium.collector.callers.collecting;
    let epoch = match look_up(atrium, known, key).await? {
        LookUp::Found(found) => return Ok(found),
        LookUp::Ask(epoch) => epoch,
    };
    let mut db = atrium.db.read().await?;
    let mut found = None;
    if let Some(key) = by_collect_key(&mut db, key).await?
        && let Some(row) = apps::for_collecting(&mut db, &key.app_id).await?
    {
        let app = App::new(&key.app_id, row)?;
        let caller =
            CollectCaller { key_id: key.key_id.to_string(), valid_until: key.valid_until, app };
        found = Some(Arc::new(caller));
    }
    known.insert(key.to_owned(), (epoch, found.clone()));
    Ok(found)
}

/// The caller by a signing key, whatever its state.
pub async fn by_access_key(
    atrium: &Collecting,
    key_id: &str,
) -> Result<Option<Arc<SigningCaller>>> {
    if !looks_like_key(key_id, "AK") {
        return Ok(None);
    }
    let known = &atrium.collector.callers.signing;
    let epoch = match look_up(atrium, known, key_id).await? {
        LookUp::Found(found) => return Ok(found),
        LookUp::Ask(epoch) => epoch,
    };
    let mut db = atrium.db.read().await?;
    let mut found = None;
    if let Some(key) = keys::by_access_key(atrium, &mut db, key_id).await?
        && let Some(row) = apps::for_collecting(&mut db, &key.app_id).await?
    {
        let app = App::new(&key.app_id, row)?;
        found = Some(Arc::new(SigningCaller { key, app }));
    }
    known.insert(key_id.to_owned(), (epoch, found.clone()));
    Ok(found)
}
