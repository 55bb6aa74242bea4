//! `/v1/collect`: reads a request and passes it through the steps.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::header::HeaderMap;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::Collector;
use super::body::{self, Body, Encoding};
use super::callers::{self, App, CollectCaller, SigningCaller};
use super::ledger::{Outcome, Tally};
use super::message::{self, Context, Label};
use super::reason::Reason;
use super::receipt::{Receipt, Refusal};
use super::record::Record;
use super::signature::{self, Claim, Memory};
use super::spool::{Entry, SpoolError};
use crate::collect::state::Collecting;
use atrium_core::caller::{Caller as RequestCaller, Who};
use atrium_core::client::{Client, network_of};
use atrium_core::error::{Code, Error, Result};
use atrium_core::http::json::{Data, read_body};
use atrium_core::locale::Locale;
use atrium_core::types::Millis;

const UNKNOWN_VERSION: &str = "unknown";

/// Who sent it, proven as far as the app requires.
enum Caller {
    Named(Arc<CollectCaller>),
    Signed(Arc<SigningCaller>),
}

impl Caller {
    fn app(&self) -> &App {
        match self {
            Self::Named(caller) => &caller.app,
            Self::Signed(caller) => &caller.app,
        }
    }

    fn key_id(&self) -> &str {
        match self {
            Self::Named(caller) => &caller.key_id,
            Self::Signed(caller) => &caller.key.id,
        }
    }

    fn is_signed(&self) -> bool {
        matches!(self, Self::Signed(_))
    }
}

/// Takes messages in the body.
pub async fn collect_post(
    State(atrium): State<Collecting>,
    client: Client,
    caller: RequestCaller,
    locale: Locale,
    request: Request,
) -> Result<Response> {
    if !body::has_fitting_type(request.headers()) {
        return Err(Code::UnsupportedType.into());
    }
    let encoding = body::encoding(request.headers())?;
    let claimed = signature::is_claimed(request.headers())
        .then(|| (request.headers().clone(), request.uri().path().to_owned()));
    if claimed.is_none() {
        refuse_flood(&atrium, client.ip)?;
    }
    let sent = read_body(request, body::SENT_MAX).await?;
    let signer = match &claimed {
        Some((headers, path)) => Some(prove(&atrium, headers, "POST", path, &sent).await?),
        None => None,
    };
    note_signer(&caller, signer.as_deref());
    // A small body can be large in memory, so only a few are unpacked at once.
    let _turn = match encoding {
        Encoding::Plain => None,
        _ => Some(atrium.collector.unpacking.acquire().await.map_err(Error::internal)?),
    };
    let text = unpack(sent, encoding)?;
    let text = std::str::from_utf8(&text).map_err(|_| Code::MalformedJson)?;
    take(&atrium, client.ip, locale, signer, body::parse(text)?).await
}

/// Takes the same as query parameters: for the places where only an address can be fetched.
pub async fn collect_get(
    State(atrium): State<Collecting>,
    client: Client,
    caller: RequestCaller,
    locale: Locale,
    request: Request,
) -> Result<Response> {
    let query = request.uri().query().unwrap_or_default();
    let path = request.uri().path();
    let signer = match signature::is_claimed(request.headers()) {
        true => Some(prove(&atrium, request.headers(), "GET", path, query.as_bytes()).await?),
        false => {
            refuse_flood(&atrium, client.ip)?;
            None
        }
    };
    note_signer(&caller, signer.as_deref());
    let (mut app_key, mut list) = (None, None);
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        match name.as_ref() {
            "app_key" => app_key = Some(value),
            "messages" => list = Some(value),
            _ => {}
        }
    }
    let list = list.ok_or(Code::MalformedRequest)?;
    let messages = serde_json::from_str(&list).map_err(|_| Code::MalformedJson)?;
    body::check_count(&messages)?;
    let app_key = app_key.unwrap_or_default();
    let body = Body { app_key: app_key.as_ref().into(), messages };
    take(&atrium, client.ip, locale, signer, body).await
}

/// Refuses an address that recently sent nothing but junk, without reading the request. Its messages
/// belong to no app yet, so no ledger counts them.
fn refuse_flood(atrium: &Collecting, ip: IpAddr) -> Result<()> {
    let checked = atrium.collector.budgets.check_address(network_of(ip), atrium.now());
    checked.map_err(|seconds| {
        metrics::counter!("atrium_collect_requests_refused_unread_total").increment(1);
        Error::busy(Code::TooManyRejected, seconds)
    })
}

fn unpack(sent: Vec<u8>, encoding: Encoding) -> Result<Vec<u8>> {
    match encoding {
        Encoding::Plain => Ok(sent),
        // Unpacking up to eight megabytes must not hold up other tasks.
        _ => tokio::task::block_in_place(|| body::unpack(&sent, encoding)),
    }
}

/// Tells the access log which key signed.
fn note_signer(caller: &RequestCaller, signer: Option<&SigningCaller>) {
    if let Some(signer) = signer {
        caller.is(Who::AccessKey(signer.key.id.to_string()));
    }
}

/// Returns who signed it. Any fault gets the same answer.
async fn prove(
    atrium: &Collecting,
    headers: &HeaderMap,
    method: &str,
    path: &str,
    payload: &[u8],
) -> Result<Arc<SigningCaller>> {
    let now = atrium.now();
    let claim = Claim::read(headers, now).ok_or(Code::BadSignature)?;
    let caller = callers::by_access_key(atrium, claim.key_id).await?;
    let secret = caller.as_deref().map(|caller| caller.key.secret.as_slice());
    if !claim.is_right(secret, method, path, payload) {
        return Err(Code::BadSignature.into());
    }
    match atrium.collector.nonces.remember(&claim, now) {
        Memory::New => {}
        Memory::Seen => return Err(Code::BadSignature.into()),
        Memory::Full => return Err(Error::busy(Code::Unavailable, 30)),
    }
    Ok(caller.filter(|caller| caller.is_live(now)).ok_or(Code::BadSignature)?)
}

/// Processes a body into a receipt.
async fn take(
    atrium: &Collecting,
    ip: IpAddr,
    locale: Locale,
    signer: Option<Arc<SigningCaller>>,
    body: Body<'_>,
) -> Result<Response> {
    let now = atrium.now();
    let caller = authenticate(atrium, signer, &body.app_key, now).await?;
    let messages = &body.messages.0;
    let network = network_of(ip);
    admit(atrium, &caller, network, messages, now).await?;
    let batch = validate(&atrium.collector, &caller, messages, now, locale);
    if let Err(seconds) = charge(&atrium.collector, &caller, network, &batch, now) {
        refuse_over_quota(atrium, batch, messages, now).await?;
        return Err(Error::busy(Code::QuotaExceeded, seconds));
    }
    atrium.key_uses.note(caller.key_id(), ip, now);
    let (receipt, new) = keep(atrium, batch).await?;
    if let Some(watched) = atrium.collector.live.watched(caller.app().id) {
        receipt.show(&watched, messages, &new, now);
    }
    Ok(Data(receipt).into_response())
}

async fn authenticate(
    atrium: &Collecting,
    signer: Option<Arc<SigningCaller>>,
    app_key: &str,
    now: Millis,
) -> Result<Caller> {
    let Some(signer) = signer else {
        let named = callers::by_app_key(atrium, app_key).await?;
        let named = named.filter(|caller| caller.valid_until.is_none_or(|until| now < until));
        return Ok(Caller::Named(named.ok_or(Code::BadAppKey)?));
    };
    // The signature names the app; a body that names another app was not meant for it.
    if !app_key.is_empty() {
        let named = callers::by_app_key(atrium, app_key).await?;
        if named.is_none_or(|named| named.app.id != signer.app.id) {
            return Err(Code::BadSignature.into());
        }
    }
    Ok(Caller::Signed(signer))
}

/// Refuses the whole request if the app accepts nothing now, or nothing from this address, and books
/// that.
async fn admit(
    atrium: &Collecting,
    caller: &Caller,
    network: IpAddr,
    messages: &[&RawValue],
    now: Millis,
) -> Result<()> {
    let app = caller.app();
    let (reason, error) = if app.deleted {
        (Reason::AppDeleted, Error::from(Code::AppDeleted))
    } else if app.archived {
        (Reason::AppArchived, Error::from(Code::AppArchived))
    } else if caller.is_signed() {
        return Ok(());
    } else if let Err(seconds) = atrium.collector.budgets.check_sender(app.id, network, now) {
        (Reason::TooManyRejected, Error::busy(Code::TooManyRejected, seconds))
    } else {
        return Ok(());
    };
    let mut tally = Tally::default();
    let (context, mut scrap) = (context(caller, now), Vec::new());
    let watched = atrium.collector.live.watched(app.id);
    for message in messages {
        // Junk is not read again, so that it stays cheap.
        let mut label = match reason {
            Reason::TooManyRejected => Label::default(),
            _ => message::read(message, &context, &mut scrap).0,
        };
        scrap.clear();
        // Nothing of it is kept, so nothing chosen by a stranger is either.
        UNKNOWN_VERSION.clone_into(&mut label.sdk_version);
        tally.add(app.id, context.day, &label, Outcome::Rejected(reason), 1);
        if let Some(watched) = &watched {
            watched.tell(message, Outcome::Rejected(reason), now);
        }
    }
    let (at, app) = (now, app.id);
    store(atrium, Entry { app, at, data: Vec::new(), messages: 0, tally, ids: Vec::new() }).await?;
    Err(error)
}

/// Charges a request to its budget, once it is known how much of it is valid.
fn charge(
    collector: &Collector,
    caller: &Caller,
    network: IpAddr,
    batch: &Batch,
    now: Millis,
) -> std::result::Result<(), u64> {
    let (accepted, rejected) = (batch.taken.len() as u64, batch.receipt.rejected as u64);
    if caller.is_signed() {
        collector.budgets.charge_signed(batch.app, accepted + rejected, now)
    } else {
        collector.budgets.charge_unsigned(batch.app, network, accepted, rejected, now)
    }
}

/// Books a request that is over its budget: invalid messages keep their own reason, the rest get this
/// one.
async fn refuse_over_quota(
    atrium: &Collecting,
    batch: Batch,
    messages: &[&RawValue],
    now: Millis,
) -> Result<()> {
    let Batch { day, app, taken, mut tally, receipt, .. } = batch;
    for (_, label) in taken {
        // Nothing of it is kept, so nothing chosen by a stranger is either.
        let label = Label { sdk_version: UNKNOWN_VERSION.to_owned(), ..label };
        tally.add(app, day, &label, Outcome::Rejected(Reason::QuotaExceeded), 1);
    }
    if let Some(watched) = atrium.collector.live.watched(app) {
        let mut wrong = receipt.errors.iter().peekable();
        for (index, message) in messages.iter().enumerate() {
            let wrong = wrong.next_if(|refusal| refusal.index == index);
            let reason = wrong.map_or(Reason::QuotaExceeded, |refusal| refusal.reason);
            watched.tell(message, Outcome::Rejected(reason), now);
        }
    }
    let entry = Entry { app, at: now, data: Vec::new(), messages: 0, tally, ids: Vec::new() };
    store(atrium, entry).await
}

fn context(caller: &Caller, now: Millis) -> Context {
    let app = caller.app();
    Context { app: app.id, now, day: app.day(now), signed: caller.is_signed() }
}

/// The outcome of a request's messages.
#[derive(Default)]
struct Batch {
    day: i32,
    app: Uuid,
    rows: Vec<u8>,
    taken: Vec<(Record, Label)>,
    tally: Tally,
    receipt: Receipt,
}

fn validate(
    collector: &Collector,
    caller: &Caller,
    messages: &[&RawValue],
    now: Millis,
    locale: Locale,
) -> Batch {
    let context = context(caller, now);
    let mut batch = Batch { day: context.day, app: context.app, ..Default::default() };
    for (index, message) in messages.iter().enumerate() {
        let (label, outcome) = message::read(message, &context, &mut batch.rows);
        match outcome {
            Ok(record) => batch.taken.push((record, label)),
            Err(reason) => {
                let (code, error) = (reason.as_str(), reason.text(locale));
                batch.receipt.errors.push(Refusal { index, code, error, reason });
                collector.samples.note(context.app, reason, message.get(), now);
                batch.tally.add(context.app, context.day, &label, Outcome::Rejected(reason), 1);
            }
        }
    }
    batch.receipt.rejected = batch.receipt.errors.len();
    batch
}

/// Drops duplicates, spools the rest and waits for the disk. Returns which of the valid messages were
/// new.
async fn keep(atrium: &Collecting, batch: Batch) -> Result<(Receipt, Vec<bool>)> {
    let Batch { day, app, rows, taken, mut tally, mut receipt } = batch;
    let ids: Vec<_> = taken.iter().map(|(record, _)| (app, record.log_id)).collect();
    let new = atrium.collector.dedup.remember(&ids);
    let mut data = Vec::with_capacity(rows.len() + taken.len() * 64);
    let mut duplicates = Vec::new();
    for ((record, label), new) in taken.iter().zip(&new) {
        if *new {
            record.encode(&rows, &mut data);
            tally.add(app, day, label, Outcome::Accepted, 1);
        } else {
            duplicates.push((app, record.log_id));
            tally.add(app, day, label, Outcome::Duplicate, 1);
        }
    }
    receipt.accepted = taken.len() - duplicates.len();
    receipt.duplicate = duplicates.len();
    let ids = ids.into_iter().zip(&new).filter_map(|(id, new)| new.then_some(id)).collect();
    let messages = receipt.accepted as u64;
    store(atrium, Entry { app, at: atrium.now(), data, messages, tally, ids }).await?;
    // The first of two copies may have failed while the second was in progress: then it is not stored.
    if !atrium.collector.dedup.knows(&duplicates) {
        return Err(Error::busy(Code::Unavailable, 1));
    }
    Ok((receipt, new))
}

async fn store(atrium: &Collecting, entry: Entry) -> Result<()> {
    let Collector { spool, figures, .. } = &atrium.collector;
    let counted = figures.of(&entry.tally);
    spool.append(entry).await.map_err(|error| match error {
        SpoolError::Full => Error::busy(Code::SpoolFull, 30),
        SpoolError::Failed => Error::busy(spool.usage().fault().unwrap_or(Code::Unavailable), 5),
    })?;
    counted.add();
    Ok(())
}
