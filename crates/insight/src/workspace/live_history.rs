//! Earlier messages: the latest stored messages of an app. They are converted to the form of incoming
//! ones, so that the same code decides what is shown of them.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use uuid::Uuid;
use warehouse::RecentEvent;

use super::{properties_of, warehouse_for};
use crate::insight::errors::warehouse_error;
use crate::insight::state::Insight;
use atrium_collect::collect::ledger::Outcome;
use atrium_collect::collect::live::{Seen, TEXT_MAX, named};
use atrium_collect::collect::message::MessageType;
use atrium_collect::collect::outline::outline;
use atrium_collect::collect::reason::Reason;
use atrium_collect::collect::samples;
use atrium_collect::personal;
use atrium_core::error::Result;
use atrium_core::fair_queue::Caller;
use atrium_core::types::{Id, Millis};

/// How many messages are reported.
pub const MOST: usize = 100;
const READY: Duration = Duration::from_secs(30);
/// Messages received longer ago were read before.
const STORED_WITHIN: i64 = Millis::MINUTE;
/// Events that happened longer ago are left out; otherwise all of an app's events would have to be read.
const HAPPENED_WITHIN: i64 = 15 * Millis::MINUTE;

/// Whether messages received up to then still wait to be stored, or the warehouse is not up yet.
pub async fn is_incomplete(atrium: &Insight, app: Uuid, opened: Millis) -> bool {
    let waiting = atrium.collector.spool.oldest(Some(vec![app])).await.ok().flatten();
    !atrium.warehouse.is_up() || waiting.is_some_and(|at| at <= opened.0)
}

/// Starts the warehouse if it is not up yet, without waiting.
pub fn wake(atrium: &Insight) {
    if !atrium.warehouse.is_up() {
        let atrium = atrium.clone();
        tokio::spawn(async move { atrium.warehouse.ready(READY).await });
    }
}

/// The latest messages of an app, oldest first: stored events, and outlines of refused ones. Fails at
/// once if the warehouse is not up: viewers want to see what comes in now.
pub async fn latest(atrium: &Insight, reader: Caller, app_id: &Id, app: Uuid) -> Result<Vec<Seen>> {
    if !atrium.warehouse.is_up() {
        return Err(warehouse_error(warehouse::Error::Unavailable("not up yet".to_owned())));
    }
    let store = warehouse_for(atrium, reader).await?;
    let events = store.recent_events(app, MOST).await.map_err(warehouse_error)?;
    // Reversed, so that among messages of one request the one that happened first comes first.
    let mut seen: Vec<Seen> = events.iter().rev().map(of_event).collect();
    let mut db = atrium.db.read().await?;
    for (reason, samples) in samples::latest(&mut db, std::slice::from_ref(app_id)).await? {
        let Some(reason) = Reason::ALL.iter().find(|one| one.as_str() == reason) else { continue };
        seen.extend(samples.into_iter().map(|sample| of_sample(*reason, sample)));
    }
    seen.sort_by_key(|one| one.at);
    Ok(seen.split_off(seen.len().saturating_sub(MOST)))
}

/// Events received since a moment that are stored by now, on whichever instance they arrived.
pub async fn stored_since(
    atrium: &Insight,
    reader: Caller,
    app: Uuid,
    opened: Millis,
) -> Result<Vec<Seen>> {
    let now = atrium.now();
    let since = Millis(opened.0.max(now.0 - STORED_WITHIN));
    let store = warehouse_for(atrium, reader).await?;
    let happened = (now.0 - HAPPENED_WITHIN, now.0 + HAPPENED_WITHIN);
    let found = store.received_since(app, since.0, happened, MOST).await;
    Ok(found.map_err(warehouse_error)?.iter().map(of_event).collect())
}

fn of_event(row: &RecentEvent) -> Seen {
    let text = json!({ "type": "Event", "data": {
        "log_id": row.log_id,
        "event": row.event,
        "user_id": row.user_id,
        "device_id": row.device_id,
        "url_path": row.url_path,
        "sdk_type": row.sdk_type,
        "sdk_version": row.sdk_version,
        "properties": properties_of(&row.properties),
    }})
    .to_string();
    let is_outline = text.len() > TEXT_MAX;
    let named = is_outline.then(|| named(&text)).flatten();
    let text = if is_outline { outline(&text).to_string() } else { text };
    Seen {
        at: Millis(row.received_ms),
        kind: MessageType::Event,
        outcome: Outcome::Accepted,
        text: text.into(),
        is_outline,
        named,
    }
}

fn of_sample(reason: Reason, sample: samples::Sample) -> Seen {
    // The outline does not include the type, which may not even have been readable.
    Seen {
        at: sample.at,
        kind: MessageType::default(),
        outcome: Outcome::Rejected(reason),
        text: sample.sample.into(),
        is_outline: true,
        named: None,
    }
}

/// Texts in a message that may be a person's id.
pub fn candidates(data: &Value, texts: &mut BTreeSet<String>) {
    if let Some(properties) = data["properties"].as_object() {
        personal::candidates(properties, texts);
    }
    for field in ["url_path", "event"] {
        personal::path_candidates(data[field].as_str().unwrap_or_default(), texts);
    }
}
