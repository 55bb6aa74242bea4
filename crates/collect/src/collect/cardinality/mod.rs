//! Limits on how many distinct event names, property names and values of built-in fields are counted
//! separately per app and day. A message over a limit is stored like any other; its row says which of its
//! values count as "other" (docs/decisions/0021).
//!
//! `config/cardinality.rs` names the limits, `places` has the rule, `names` reads property names out of
//! JSON, and `store` keeps what carries over from day to day. Only the loader uses this, once it knows
//! which messages are new.

mod names;
mod places;
mod sites;
pub mod store;

use std::collections::HashMap;

use tokio::sync::{Mutex, MutexGuard};
use uuid::Uuid;
use warehouse::{CountedFields, counted_fields, over_limit};

use super::batch::Batch;
use crate::collect::state::Collecting;
pub use atrium_core::config::cardinality::{Limit, Limits};
use atrium_core::types::Millis;
use names::TopLevelProperties;
pub use places::digest;
use places::{Field, Places};
use sites::site_in;

/// Values of all apps kept in memory, about 100 bytes each.
const KEPT_MAX: usize = 400_000;
/// How long this instance trusts its own memory where a limit is reached: other instances take places
/// too.
const REFRESH: i64 = Millis::MINUTE;
/// Messages judged before yielding to other tasks.
const AT_ONCE: usize = 256;

/// What is known about the apps whose events were loaded recently.
#[derive(Default)]
pub struct Cardinality {
    apps: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    apps: HashMap<Uuid, Entry>,
    turn: u64,
}

struct Entry {
    places: Places,
    read_at: Millis,
    /// The turn in which it was last used.
    used: u64,
}

/// Marks the events of a batch whose values are over the limits of their apps. New places are saved
/// first, so that a retried batch gets the same result.
pub async fn judge(atrium: &Collecting, batch: &mut Batch) -> anyhow::Result<()> {
    let limits = atrium.settings.events.limits;
    let apps: Vec<Uuid> = batch.apps().into_iter().collect();
    let mut known = atrium.collector.cardinality.apps.lock().await;
    known.turn += 1;
    for app in &apps {
        open(atrium, &mut known, *app).await?;
    }
    for (index, (record, row)) in batch.events_mut().enumerate() {
        if let (Some(entry), Some(fields)) = (known.apps.get_mut(&record.app), counted_fields(row))
        {
            entry.places.begin(record.day);
            record.over_limit = mark(&mut entry.places, &fields, &limits);
        }
        if index % AT_ONCE == AT_ONCE - 1 {
            tokio::task::yield_now().await;
        }
    }
    let saved = save(atrium, &mut known, &apps).await;
    if saved.is_err() {
        // Places that were not saved must not be used.
        apps.iter().for_each(|app| drop(known.apps.remove(app)));
    }
    known.shrink();
    saved
}

async fn open(
    atrium: &Collecting,
    known: &mut MutexGuard<'_, Known>,
    app: Uuid,
) -> anyhow::Result<()> {
    let (now, turn) = (atrium.now(), known.turn);
    let entry = known.apps.get(&app);
    let is_stale = |entry: &Entry| entry.places.is_full() && now.since(entry.read_at) > REFRESH;
    if entry.is_none_or(is_stale) {
        let rows = store::places(&mut *atrium.db.read().await?, app).await?;
        let entry = known.apps.entry(app).or_insert_with(|| Entry {
            places: Places::default(),
            read_at: now,
            used: turn,
        });
        entry.places.learn(rows);
        entry.read_at = now;
    }
    if let Some(entry) = known.apps.get_mut(&app) {
        entry.used = turn;
    }
    Ok(())
}

/// Which values of an event are over the limits: bits of `over_limit`.
fn mark(places: &mut Places, fields: &CountedFields<'_>, limits: &Limits) -> u8 {
    let mut bits = 0;
    for (field, value, bit) in [
        (Field::Event, fields.event, over_limit::EVENT),
        (Field::Os, fields.os, over_limit::OS),
        (Field::Browser, fields.browser, over_limit::BROWSER),
        (Field::DeviceType, fields.device_type, over_limit::DEVICE_TYPE),
        (Field::Language, fields.language, over_limit::LANGUAGE),
    ] {
        // Empty is not a value and always counted as such.
        if !value.is_empty() && !places.admit(field, value, limits) {
            bits |= bit;
        }
    }
    let is_page_view = fields.is_page_view();
    if is_page_view && !places.admit(Field::Page, fields.url_path, limits) {
        bits |= over_limit::PAGE;
    }
    for (name, value) in TopLevelProperties::of(fields.properties) {
        if !places.admit(Field::Property, &name, limits) {
            bits |= over_limit::PROPERTIES;
        }
        if is_page_view && *name == *b"referrer" {
            let site = site_in(value);
            if !site.is_empty() && !places.admit(Field::Site, site.as_bytes(), limits) {
                bits |= over_limit::SITE;
            }
        }
    }
    bits
}

async fn save(
    atrium: &Collecting,
    known: &mut MutexGuard<'_, Known>,
    apps: &[Uuid],
) -> anyhow::Result<()> {
    let new: Vec<_> = apps
        .iter()
        .filter_map(|app| Some((*app, known.apps.get(app)?.places.unsaved())))
        .filter(|(_, places)| !places.is_empty())
        .collect();
    if new.is_empty() {
        return Ok(());
    }
    let mut tx = atrium.db.write_uncached().await?;
    for (app, places) in &new {
        store::save(&mut tx, *app, places).await?;
    }
    tx.commit().await?;
    for (app, _) in new {
        if let Some(entry) = known.apps.get_mut(&app) {
            entry.places.saved();
        }
    }
    Ok(())
}

impl Known {
    /// Forgets the least recently used apps while there are too many values in total.
    fn shrink(&mut self) {
        let mut kept: usize = self.apps.values().map(|entry| entry.places.len()).sum();
        while kept > KEPT_MAX && self.apps.len() > 1 {
            let oldest = self.apps.iter().min_by_key(|(_, entry)| entry.used);
            let Some((app, size)) = oldest.map(|(app, entry)| (*app, entry.places.len())) else {
                return;
            };
            self.apps.remove(&app);
            kept -= size;
        }
    }
}

/// Deletes values that no longer hold their places. Returns how many.
pub async fn sweep(atrium: &Collecting) -> atrium_core::error::Result<u64> {
    let today = i32::try_from(atrium.now().0.div_euclid(Millis::DAY)).unwrap_or(i32::MAX);
    let mut tx = atrium.db.write_relaxed().await?;
    let gone = store::forget_before(&mut tx, today - places::KEPT_DAYS).await?;
    tx.commit().await?;
    Ok(gone)
}
