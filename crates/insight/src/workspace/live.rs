//! Messages as they come in, as a stream that lasts for as long as somebody watches. It begins with
//! the latest that came before (`live_history.rs`).

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{FromRequestParts, State};
use axum::response::sse::{Event, Sse};
use axum::response::{AppendHeaders, IntoResponse};
use futures_util::stream;
use http::request::Parts;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};
use utoipa::ToSchema;
use uuid::Uuid;
use warehouse::Kind;

use super::pseudonym::Pseudonyms;
use super::{Class, live_history, warehouse_for};
use crate::insight::state::Insight;
use atrium_collect::collect::ledger::Outcome;
use atrium_collect::collect::live::{Named, Seen, Viewer};
use atrium_collect::collect::message::MessageType;
use atrium_collect::collect::reason::Reason;
use atrium_collect::personal::{self, Ids, Others};
use atrium_core::error::{Code, Error, Result};
use atrium_core::fair_queue::Caller;
use atrium_core::locale::Locale;
use atrium_core::permissions::LiveView;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::access::DataApp;

/// How often the caller's rights are looked at, and a sign of life is sent.
const LOOK: Duration = Duration::from_secs(15);
/// How often is told what was not shown.
const SUM_UP: Duration = Duration::from_secs(1);
const LASTING: Duration = Duration::from_secs(60 * 60);
const RETRY_SECONDS: u64 = 60;
/// How long the stream waits for the warehouse to say what came before.
const LOOK_BACK: Duration = Duration::from_secs(2);
/// For how many seconds is looked again for what waits to be stored.
const LOOKS_BACK: u8 = 10;

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LiveOutcome {
    Accepted,
    Duplicate,
    Rejected,
}

/// A message, and what became of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct LiveMessage {
    at: Millis,
    /// Whether it had come before the stream was opened.
    earlier: bool,
    /// Of a message that is shown as it is.
    log_id: Option<String>,
    /// Event, DeviceMutation, UserMutation or unknown.
    #[serde(rename = "type")]
    kind: &'static str,
    outcome: LiveOutcome,
    /// Why it was rejected: its code, and in the language of the request.
    #[schema(value_type = Option<Reason>)]
    reason: Option<&'static str>,
    reason_name: Option<&'static str>,
    event: Option<String>,
    /// The id, or the pseudonym for those who may not see ids.
    device: Option<String>,
    user: Option<String>,
    url_path: Option<String>,
    /// Of a rejected or very long message, what it looked like.
    #[schema(value_type = Option<Object>)]
    properties: Option<Value>,
    sdk: Option<String>,
}

/// More came than is shown.
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

/// The latest hundred messages, then those that this instance receives, as server-sent events:
/// `message` with a LiveMessage, `dropped` with a LiveDropped.
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
    let eyes = ViewerRights {
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
        reader: app.reader(Class::AdHoc),
        parts,
        viewer,
        eyes,
        look: every(LOOK),
        sum_up: every(SUM_UP),
        end: Instant::now() + LASTING,
    };
    // A proxy that gathers what it passes on would show nothing for minutes.
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

/// Somebody's stream.
struct Watching {
    atrium: Insight,
    app: Uuid,
    app_id: Id,
    earlier: Earlier,
    reader: Caller,
    /// Of the request, to look again at who it is from.
    parts: Parts,
    viewer: Viewer,
    eyes: ViewerRights,
    look: Interval,
    sum_up: Interval,
    end: Instant,
}

/// What came before, as far as it is told.
struct Earlier {
    opened: Millis,
    /// How often to look yet.
    looks: u8,
    is_greeted: bool,
    /// Whether the warehouse has said anything yet.
    is_answered: bool,
    /// Looked up and not sent yet.
    waiting: VecDeque<LiveMessage>,
    /// What was sent, by id: a message can be stored just when it is told of.
    sent: HashSet<String>,
}

impl Earlier {
    fn new(opened: Millis) -> Self {
        let (waiting, sent) = (VecDeque::new(), HashSet::new());
        Self { opened, looks: 1 + LOOKS_BACK, is_greeted: false, is_answered: false, waiting, sent }
    }

    /// Whether an accepted message is told of for the first time.
    fn is_new(&mut self, message: &LiveMessage) -> bool {
        match &message.log_id {
            Some(id) if message.outcome == LiveOutcome::Accepted => {
                !self.sent.contains(id) && (self.looks == 0 || self.sent.insert(id.clone()))
            }
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
                    let message = self.eyes.message(&seen, text, &others);
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
                }
                _ = self.look.tick() => {
                    if Instant::now() >= self.end {
                        return None;
                    }
                    // A session that ended, a role that was taken away, an app that was deleted.
                    let app = DataApp::<LiveView>::from_request_parts(&mut self.parts, &self.atrium);
                    self.eyes.pii = app.await.ok()?.has_pii();
                    return Some(Event::default().comment(""));
                }
            }
        }
    }
}

impl Watching {
    /// Looks up what came before; later once more where some of that waited to be stored, or where the
    /// warehouse was too busy to say.
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
        // Without it the stream is, until the next look, what it would be for an app that is new.
        let Ok(Ok(seen)) = found else { return };
        self.earlier.is_answered = true;
        let is_enough = seen.len() >= live_history::MOST;
        let texts: Vec<Value> =
            seen.iter().map(|one| serde_json::from_str(&one.text).unwrap_or_default()).collect();
        let named = seen.iter().filter_map(|one| one.named.as_ref());
        let others = self.others(texts.iter().map(|text| &text["data"]), named).await;
        for (seen, text) in seen.iter().zip(texts) {
            // Newer messages are sent as they arrive, and refused ones have no id to compare.
            if seen.at > self.earlier.opened || (!is_first && seen.is_outline) {
                continue;
            }
            let mut message = self.eyes.message(seen, text, &others);
            message.earlier = true;
            if self.earlier.is_new(&message) {
                self.earlier.waiting.push_back(message);
            }
        }
        if !incomplete || is_enough {
            self.earlier.looks = 0;
        }
    }

    /// Whose ids stand in messages, for those who may not see them.
    async fn others<'a>(
        &self,
        messages: impl IntoIterator<Item = &'a Value>,
        named: impl IntoIterator<Item = &'a Named>,
    ) -> Others {
        let mut texts = BTreeSet::new();
        if self.eyes.pii {
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

/// What a viewer may see.
struct ViewerRights {
    pii: bool,
    users: Pseudonyms,
    devices: Pseudonyms,
    locale: Locale,
}

impl ViewerRights {
    fn message(&self, seen: &Seen, text: Value, others: &Others) -> LiveMessage {
        let (outcome, reason) = match seen.outcome {
            Outcome::Accepted => (LiveOutcome::Accepted, None),
            Outcome::Duplicate => (LiveOutcome::Duplicate, None),
            Outcome::Rejected(reason) => (LiveOutcome::Rejected, Some(reason)),
        };
        let mut message = LiveMessage {
            at: seen.at,
            earlier: false,
            log_id: None,
            kind: seen.kind.as_str(),
            outcome,
            reason: reason.map(|reason| reason.as_str()),
            reason_name: reason.map(|reason| reason.text(self.locale)),
            event: None,
            device: None,
            user: None,
            url_path: None,
            properties: None,
            sdk: None,
        };
        if seen.is_outline {
            message.event = seen.named.as_ref().map(|named| self.event_name(named, others));
            // One that is no object has no fields to show.
            message.properties =
                Some(if text.is_object() { text } else { json!({ "message": text }) });
        } else {
            self.fill(&mut message, seen.kind, &text["data"], others);
        }
        message
    }

    fn event_name(&self, Named { event, user, device }: &Named, others: &Others) -> String {
        if self.pii {
            return event.clone();
        }
        Ids { user, device, others: Some(others) }.shown(event.clone())
    }

    fn fill(&self, message: &mut LiveMessage, kind: MessageType, data: &Value, others: &Others) {
        let text = |field: &str| text_of(&data[field]);
        let (user, device) = match kind {
            MessageType::UserMutation => (text("id"), None),
            MessageType::DeviceMutation => (None, text("id")),
            _ => (text("user_id"), text("device_id")),
        };
        let mut properties = data["properties"].as_object().cloned().unwrap_or_default();
        let (mut url_path, mut event) = (text("url_path"), text("event"));
        let sdk: Vec<String> =
            [text("sdk_type"), text("sdk_version")].into_iter().flatten().collect();
        let mut sdk = (!sdk.is_empty()).then(|| sdk.join(" "));
        if !self.pii {
            let ids = Ids {
                user: user.as_deref().unwrap_or_default(),
                device: device.as_deref().unwrap_or_default(),
                others: Some(others),
            };
            self.hide(&mut properties, kind, ids);
            url_path = url_path.map(|path| personal::path(&path, ids));
            event = event.map(|event| ids.shown(event));
            sdk = sdk.map(|sdk| ids.shown_version(sdk));
        }
        let called = |id: Option<String>, pseudonyms: &Pseudonyms| match id {
            Some(id) if !self.pii => Some(pseudonyms.of(&id)),
            id => id,
        };
        let id = text("log_id").and_then(|id| Uuid::try_parse(&id).ok());
        message.log_id = id.map(|id| id.to_string());
        message.event = event;
        message.user = called(user, &self.users);
        message.device = called(device, &self.devices);
        message.url_path = url_path;
        message.properties = Some(Value::Object(properties));
        message.sdk = sdk;
    }

    fn hide(&self, properties: &mut Map<String, Value>, kind: MessageType, ids: Ids<'_>) {
        match kind {
            MessageType::UserMutation | MessageType::DeviceMutation => {
                personal::redact_profile(properties, ids)
            }
            _ => personal::redact_event(properties, ids),
        };
    }
}

/// As the collector reads texts: a number is its digits, an empty one is none.
fn text_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}
