//! The tunnel: accepts only what the console's reporting client sends.

use std::sync::Arc;

use axum::extract::{Request, State};
use serde_json::json;

use super::envelope::{self, Envelope, Item, Kind};
use super::event::Event;
use super::replay::{self, ReplayEvent};
use super::{Reports, count, store};
use atrium_collect::Collecting;
use atrium_collect::collect::body::{self, Encoding};
use atrium_core::Core;
use atrium_core::client::{Client, network_of};
use atrium_core::error::{Code, Error, Result};
use atrium_core::http::json::{Data, Done, read_body};
use atrium_core::http::user_agent;
use atrium_core::types::Id;
use atrium_tenancy::session::MaybeSignedIn;

/// Receives an error report of the console: an envelope of its reporting client. People who are not
/// signed in can report errors, but cannot send recordings.
#[utoipa::path(
    post,
    path = "/api/v1/error-reports",
    operation_id = "error_report_send",
    tag = "instance",
    security(()),
    request_body(content = String, content_type = "application/x-sentry-envelope"),
    responses((status = 200, body = Data<Done>), (status = 404), (status = 429))
)]
pub async fn error_report_send(
    State(atrium): State<Collecting>,
    State(reports): State<Option<Arc<Reports>>>,
    MaybeSignedIn(person): MaybeSignedIn,
    client: Client,
    request: Request,
) -> Result<Data<Done>> {
    let reports = &*reports.ok_or(Code::NotFound)?;
    let user_id = person.as_ref().map(|person| &person.user().id);
    reports.admit(&atrium, user_id, &client)?;
    let encoding = body::encoding(request.headers())?;
    let sent = read_body(request, envelope::SENT_MAX).await?;
    let bytes = match encoding {
        Encoding::Plain => sent,
        _ => {
            // A small request can unpack to a large one, so only a few are unpacked at a time.
            let _turn = atrium.collector.unpacking.acquire().await.map_err(Error::internal)?;
            tokio::task::block_in_place(|| body::unpack(&sent, encoding))?
        }
    };
    let envelope = envelope::parse(&bytes)?;
    if envelope.key().as_deref() != Some(reports.key.as_str()) {
        return Err(Code::ForeignReport.into());
    }
    let report = Report::read(&envelope, user_id)?;
    match &reports.upstream {
        Some(upstream) => {
            let (bytes, kinds) = report.for_upstream(&envelope, user_id);
            if !kinds.is_empty() {
                upstream.clone().send(bytes, kinds);
            }
        }
        None => keep(&atrium, reports, &report, user_id, &client).await?,
    }
    Ok(Data(Done {}))
}

impl Reports {
    /// Limits reports per minute from one person and from one network, and more strictly from strangers.
    fn admit(&self, atrium: &Core, user_id: Option<&Id>, client: &Client) -> Result<()> {
        let (now, network) = (atrium.now(), network_of(client.ip));
        let person = match user_id {
            Some(id) => self.people.take(id.clone(), 1, now),
            None => self.strangers.take(network, 1, now),
        };
        person.and_then(|()| self.addresses.take(network, 1, now)).map_err(Error::throttled)
    }
}

/// The useful content of an envelope. The rest is only counted.
struct Report<'a> {
    events: Vec<Event>,
    replay: Option<(ReplayEvent, &'a str)>,
    /// Only of use to an external collector.
    others: Vec<&'a Item<'a>>,
}

impl<'a> Report<'a> {
    fn read(envelope: &'a Envelope<'a>, user_id: Option<&Id>) -> Result<Self> {
        let mut report = Self { events: Vec::new(), replay: None, others: Vec::new() };
        let (mut about, mut recorded) = (None, None);
        for item in &envelope.items {
            match item.kind {
                kind if kind.is_replay() && user_id.is_none() => count(kind.as_str(), "dropped"),
                Kind::Event => report.events.push(Event::read(&item.payload)?),
                Kind::ReplayEvent => about = Some(ReplayEvent::read(&item.payload)?),
                Kind::ReplayRecording => recorded = Some(replay::recording(&item.payload)?),
                Kind::Session | Kind::Sessions | Kind::ClientReport => report.others.push(item),
                // The console does not trace.
                Kind::Transaction => count(item.kind.as_str(), "dropped"),
            }
        }
        report.replay = match (about, recorded) {
            (Some(about), Some(recorded)) => Some((about, recorded)),
            (None, None) => None,
            _ => return Err(Code::MalformedReport.into()),
        };
        Ok(report)
    }

    fn for_upstream(
        &self,
        envelope: &Envelope<'_>,
        user_id: Option<&Id>,
    ) -> (Vec<u8>, Vec<&'static str>) {
        let mut items = Vec::new();
        for event in &self.events {
            items.push(Item { kind: Kind::Event, payload: event.for_upstream(user_id).into() });
        }
        if let (Some((about, list)), Some(user_id)) = (&self.replay, user_id) {
            let head = json!({ "segment_id": about.segment });
            let recording = format!("{head}\n{list}").into_bytes();
            items.push(Item {
                kind: Kind::ReplayEvent,
                payload: about.for_upstream(user_id).into(),
            });
            items.push(Item { kind: Kind::ReplayRecording, payload: recording.into() });
        }
        for item in &self.others {
            items.push(Item { kind: item.kind, payload: item.payload.as_ref().into() });
        }
        let kinds = items.iter().map(|item| item.kind.as_str()).collect();
        (Envelope { head: envelope.head.clone(), items }.to_bytes(), kinds)
    }
}

async fn keep(
    atrium: &Core,
    reports: &Reports,
    report: &Report<'_>,
    user_id: Option<&Id>,
    client: &Client,
) -> Result<()> {
    report.others.iter().for_each(|item| count(item.kind.as_str(), "dropped"));
    if report.events.is_empty() && report.replay.is_none() {
        return Ok(());
    }
    let (at, browser) = (atrium.now(), user_agent::in_words(&client.user_agent));
    let mut tx = atrium.db.write_relaxed().await?;
    for event in &report.events {
        let text = event.to_text()?;
        let new = store::NewReport { user_id, browser: &browser, at, text: &text, event };
        let kept = store::insert(&mut tx, atrium, &new).await?;
        count(Kind::Event.as_str(), if kept { "kept" } else { "dropped" });
    }
    if let (Some((about, list)), Some(user_id)) = (&report.replay, user_id) {
        let recording = tokio::task::block_in_place(|| replay::pack(list))?;
        let piece = store::NewPiece {
            id: &atrium.new_id(),
            replay_id: &about.replay_id,
            segment: about.segment,
            user_id,
            at,
            recording: &recording,
        };
        let kept = store::insert_piece(&mut tx, &piece).await?;
        count(Kind::ReplayRecording.as_str(), if kept { "kept" } else { "dropped" });
    }
    store::trim(&mut tx, reports.max_bytes).await?;
    tx.commit().await
}
