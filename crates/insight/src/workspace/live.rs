//! Messages as they come in, as a stream that lasts for as long as it is watched. It starts with the
//! latest earlier messages; those that other instances receive are shown once they are stored
//! (`live_history.rs`).

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{FromRequestParts, State};
use axum::response::sse::{Event, Sse};
use axum::response::{AppendHeaders, IntoResponse};
use futures_util::stream;
use http::request::Parts;
use serde::Serialize;
use serde_json::Value;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};
use utoipa::ToSchema;
use uuid::Uuid;
use warehouse::Kind;

use super::live_message::{LiveMessage, LiveOutcome, ViewerRights};
use super::pseudonym::Pseudonyms;
use super::{Class, live_history, warehouse_for};
use crate::insight::state::Insight;
use atrium_collect::collect::live::{Named, Seen, Viewer};
use atrium_collect::collect::loader;
use atrium_collect::personal::{self, Others};
use atrium_core::error::{Code, Error, Result};
use atrium_core::fair_queue::Caller;
use atrium_core::locale::Locale;
use atrium_core::permissions::LiveView;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::access::DataApp;

/// How often the caller's permissions are checked again and a keep-alive is sent.
const LOOK: Duration = Duration::from_secs(15);
/// How often the number of skipped messages is sent.
const SUM_UP: Duration = Duration::from_secs(1);
const LASTING: Duration = Duration::from_secs(60 * 60);
const RETRY_SECONDS: u64 = 60;
/// How long the stream waits for the warehouse to return earlier messages.
const LOOK_BACK: Duration = Duration::from_secs(2);
/// How many more times to look for earlier messages that were still waiting to be stored, once a second.
const LOOKS_BACK: u8 = 10;
/// How many reported messages are remembered.
const REPORTED_MAX: usize = 5_000;
/// How often to check whether other instances load, and to read what they have stored.
const OTHERS_LOOK: Duration = Duration::from_secs(10);
const STORED_LOOK: Duration = Duration::from_secs(2);

/// More messages came in than are shown.
#[derive(Debug, Serialize, ToSchema)]
pub struct LiveDropped {
    count: u64,
}

/// One of the stream's events.
#[derive(ToSchema)]
#[allow(dead_code)] // Only the document is made from it.
pub struct LiveEvent {
    /// message or dropped.
    event: String,
    /// JSON: a LiveMessage or a LiveDropped.
    data: String,
}

/// The latest hundred messages, then new ones, as server-sent events: `message` with a LiveMessage,
/// `dropped` with a LiveDropped. Events that another instance receives are reported when they are
/// stored, some seconds later; messages that another instance refuses are not reported.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/live",
    operation_id = "live_view",
    tag = "workspace",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = LiveEvent, content_type = "text/event-stream"), (status = 429))
)]
pub async fn live_view(
    State(atrium): State<Insight>,
    app: DataApp<LiveView>,
    locale: Locale,
    parts: Parts,
) -> Result<impl IntoResponse> {
    let id = app.id().uuid()?;
    let viewer = atrium.collector.live.watch(id);
    let viewer = viewer.ok_or_else(|| Error::busy(Code::TooManyViewers, RETRY_SECONDS))?;
    live_history::wake(&atrium);
    let pseudonyms = |kind| Pseudonyms::new(&atrium, app.id(), kind);
    let rights = ViewerRights {
        pii: app.has_pii(),
        users: pseudonyms(Kind::User),
        devices: pseudonyms(Kind::Device),
        locale,
    };
    let watching = Watching {
        atrium: atrium.clone(),
        app: id,
        app_id: app.id().clone(),
        earlier: Earlier::new(atrium.now()),
        elsewhere: Elsewhere::default(),
        reader: app.reader(Class::AdHoc),
        parts,
        viewer,
        rights,
        look: every(LOOK),
        sum_up: every(SUM_UP),
        end: Instant::now() + LASTING,
    };
    // A proxy that buffers the stream would show nothing for minutes.
    let headers = AppendHeaders([("x-accel-buffering", "no")]);
    let stream = stream::unfold(watching, |mut watching| async {
        let event = watching.next().await?;
        Some((Ok::<_, Infallible>(event), watching))
    });
    Ok((headers, Sse::new(stream)))
}

fn every(period: Duration) -> Interval {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// One viewer's stream.
struct Watching {
    atrium: Insight,
    app: Uuid,
    app_id: Id,
    earlier: Earlier,
    elsewhere: Elsewhere,
    reader: Caller,
    /// The request's head, to authorize the caller again.
    parts: Parts,
    viewer: Viewer,
    rights: ViewerRights,
    look: Interval,
    sum_up: Interval,
    end: Instant,
}

/// Earlier messages, and how many of them were reported.
struct Earlier {
    opened: Millis,
    /// How many more times to look.
    looks: u8,
    is_greeted: bool,
    /// Whether the warehouse has answered yet.
    is_answered: bool,
    /// Read but not sent yet.
    waiting: VecDeque<LiveMessage>,
    /// Prevents duplicates: a message may be stored just after it was reported.
    reported: Reported,
}

/// The ids of recently reported messages.
#[derive(Default)]
struct Reported {
    ids: HashSet<String>,
    order: VecDeque<String>,
}

impl Reported {
    /// Whether it is reported for the first time.
    fn remember(&mut self, id: &str) -> bool {
        if !self.ids.insert(id.to_owned()) {
            return false;
        }
        self.order.push_back(id.to_owned());
        if self.order.len() > REPORTED_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
        true
    }
}

/// State of looking for messages that other instances receive.
#[derive(Default)]
struct Elsewhere {
    is_busy: bool,
    asked_at: Option<Instant>,
    read_at: Option<Instant>,
}

impl Earlier {
    fn new(opened: Millis) -> Self {
        let (waiting, reported) = (VecDeque::new(), Reported::default());
        Self {
            opened,
            looks: 1 + LOOKS_BACK,
            is_greeted: false,
            is_answered: false,
            waiting,
            reported,
        }
    }

    /// Whether an accepted message is reported for the first time.
    fn is_new(&mut self, message: &LiveMessage) -> bool {
        match &message.log_id {
            Some(id) if message.outcome == LiveOutcome::Accepted => self.reported.remember(id),
            _ => true,
        }
    }
}

impl Watching {
    /// None ends the stream.
    async fn next(&mut self) -> Option<Event> {
        if !self.earlier.is_greeted {
            self.earlier.is_greeted = true;
            self.look.reset();
            return Some(Event::default().comment(""));
        }
        if self.earlier.looks > LOOKS_BACK {
            self.look_back().await;
        }
        loop {
            if let Some(message) = self.earlier.waiting.pop_front() {
                return Event::default().event("message").json_data(message).ok();
            }
            tokio::select! {
                seen = self.viewer.next() => {
                    let seen = seen?;
                    let text: Value = serde_json::from_str(&seen.text).unwrap_or_default();
                    let others = self.others([&text["data"]], seen.named.as_ref()).await;
                    let message = self.rights.message(&seen, text, &others);
                    if self.earlier.is_new(&message) {
                        return Event::default().event("message").json_data(message).ok();
                    }
                }
                _ = self.sum_up.tick() => {
                    let count = self.viewer.dropped.take();
                    if count > 0 {
                        let dropped = LiveDropped { count };
                        return Event::default().event("dropped").json_data(dropped).ok();
                    }
                    if self.earlier.looks > 0 {
                        self.look_back().await;
                    }
                    self.look_elsewhere().await;
                }
                _ = self.look.tick() => {
                    if Instant::now() >= self.end {
                        return None;
                    }
                    // Ends the stream if the session ended, a role was revoked, or the app was deleted.
                    let app = DataApp::<LiveView>::from_request_parts(&mut self.parts, &self.atrium);
                    self.rights.pii = app.await.ok()?.has_pii();
                    return Some(Event::default().comment(""));
                }
            }
        }
    }
}

impl Watching {
    /// Reads earlier messages. Repeated later if some were still waiting to be stored, or if the
    /// warehouse was too busy to answer.
    async fn look_back(&mut self) {
        let is_first = !self.earlier.is_answered;
        self.earlier.looks -= 1;
        let incomplete =
            live_history::is_incomplete(&self.atrium, self.app, self.earlier.opened).await;
        if incomplete && !is_first {
            return;
        }
        let reader = self.reader.clone();
        let latest = live_history::latest(&self.atrium, reader, &self.app_id, self.app);
        let found = tokio::time::timeout(LOOK_BACK, latest).await;
        // Until the next attempt the stream looks like that of a new app.
        let Ok(Ok(seen)) = found else { return };
        self.earlier.is_answered = true;
        let is_enough = seen.len() >= live_history::MOST;
        // Newer messages are sent as they arrive, and refused ones have no id to recognize them by.
        let opened = self.earlier.opened;
        let is_wanted = |seen: &Seen| seen.at <= opened && (is_first || !seen.is_outline);
        self.queue(&seen, true, is_wanted).await;
        if !incomplete || is_enough {
            self.earlier.looks = 0;
        }
    }

    /// Reads what was stored since the stream began, if other instances load too.
    async fn look_elsewhere(&mut self) {
        let is_due = |at: Option<Instant>, every| at.is_none_or(|at| at.elapsed() >= every);
        if is_due(self.elsewhere.asked_at, OTHERS_LOOK) {
            self.elsewhere.asked_at = Some(Instant::now());
            // If this fails, the next check may succeed.
            self.elsewhere.is_busy = loader::others_load(&self.atrium).await.unwrap_or(false);
        }
        if !self.elsewhere.is_busy || !is_due(self.elsewhere.read_at, STORED_LOOK) {
            return;
        }
        self.elsewhere.read_at = Some(Instant::now());
        let (atrium, reader) = (&self.atrium, self.reader.clone());
        let stored = live_history::stored_since(atrium, reader, self.app, self.earlier.opened);
        if let Ok(Ok(seen)) = tokio::time::timeout(LOOK_BACK, stored).await {
            self.queue(&seen, false, |_| true).await;
        }
    }

    /// Queues those of the messages that were not reported yet.
    async fn queue(&mut self, seen: &[Seen], earlier: bool, is_wanted: impl Fn(&Seen) -> bool) {
        let texts: Vec<Value> =
            seen.iter().map(|one| serde_json::from_str(&one.text).unwrap_or_default()).collect();
        let named = seen.iter().filter_map(|one| one.named.as_ref());
        let others = self.others(texts.iter().map(|text| &text["data"]), named).await;
        for (seen, text) in seen.iter().zip(texts).filter(|(seen, _)| is_wanted(seen)) {
            let mut message = self.rights.message(seen, text, &others);
            message.earlier = earlier;
            if self.earlier.is_new(&message) {
                self.earlier.waiting.push_back(message);
            }
        }
    }

    /// The ids of people in messages, to be hidden from viewers who may not see them.
    async fn others<'a>(
        &self,
        messages: impl IntoIterator<Item = &'a Value>,
        named: impl IntoIterator<Item = &'a Named>,
    ) -> Others {
        let mut texts = BTreeSet::new();
        if self.rights.pii {
            return Others::default();
        }
        for data in messages {
            live_history::candidates(data, &mut texts);
        }
        for named in named {
            personal::path_candidates(&named.event, &mut texts);
        }
        if texts.is_empty() {
            return Others::default();
        }
        let found = match warehouse_for(&self.atrium, self.reader.clone()).await {
            Ok(store) => Others::among(&store, &[self.app], texts.clone()).await.ok(),
            Err(_) => None,
        };
        found.unwrap_or_else(|| Others::all(texts))
    }
}
