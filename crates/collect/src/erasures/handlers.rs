//! Requesting erasures, and what happened to earlier requests.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{ErasureState, SubjectKind, mask, store};
use crate::collect::state::Collecting;
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Fault, Result};
use atrium_core::http::json::{Data, Json, Query};
use atrium_core::http::page::{Items, PageQuery};
use atrium_core::permissions::{Permission, ProfilePii};
use atrium_core::text::Checks;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::access::InApp;
use atrium_tenancy::orgs::PersonRef;

const SUBJECT_MAX: usize = 128;
/// Each takes work in the warehouse; more can be requested once these are done.
const OPEN_MAX: i64 = 100;

/// One end user's data, and whether it is gone.
#[derive(Debug, Serialize, ToSchema)]
pub struct Erasure {
    id: Id,
    kind: SubjectKind,
    /// In full until the erasure is done, masked from then on.
    subject_hint: String,
    state: ErasureState,
    asked_by: Option<PersonRef>,
    asked_at: Millis,
    done_at: Option<Millis>,
    /// How many events were removed.
    events: Option<i64>,
}

impl Erasure {
    fn new(atrium: &Collecting, row: store::ErasureRow) -> Self {
        let purpose = purpose(&row.id);
        let subject = row
            .subject
            .and_then(|sealed| atrium.keyring.open_sealed(&purpose, &sealed).ok())
            .and_then(|plain| String::from_utf8(plain).ok());
        Self {
            id: row.id,
            kind: SubjectKind::parse(&row.kind),
            subject_hint: subject.unwrap_or(row.hint),
            state: ErasureState::parse(&row.state),
            asked_by: PersonRef::of(row.asked_by, row.asker),
            asked_at: row.asked_at,
            done_at: row.done_at,
            events: row.events,
        }
    }
}

/// The purpose under which a subject is sealed.
pub fn purpose(id: &Id) -> String {
    format!("erasure/{id}")
}

#[derive(Deserialize, ToSchema)]
pub struct NewErasureBody {
    kind: SubjectKind,
    /// The user_id or device_id, exactly as the app sends it.
    subject: String,
}

/// What was requested to be erased in this app, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/erasures",
    operation_id = "erasure_list",
    tag = "data",
    security(("session" = [])),
    params(("id" = Id, Path), PageQuery),
    responses((status = 200, body = Data<Items<Erasure>>))
)]
pub async fn erasure_list(
    State(atrium): State<Collecting>,
    app: InApp<ProfilePii>,
    Query(query): Query<PageQuery>,
) -> Result<Data<Items<Erasure>>> {
    let page = query.check()?;
    let mut db = atrium.db.read().await?;
    let (rows, total) = store::list(&mut db, app.id(), &page).await?;
    let items = rows.into_iter().map(|row| Erasure::new(&atrium, row)).collect();
    Ok(Data(Items { items, total }))
}

/// Requests the removal of all events and the profile of one end user. Requires a recent sign-in.
#[utoipa::path(
    post,
    path = "/api/v1/apps/{id}/erasures",
    operation_id = "erasure_create",
    tag = "data",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = NewErasureBody,
    responses((status = 200, body = Data<Erasure>))
)]
pub async fn erasure_create(
    State(atrium): State<Collecting>,
    app: InApp<ProfilePii>,
    Json(input): Json<NewErasureBody>,
) -> Result<Data<Erasure>> {
    // Being allowed to see who someone is does not mean being allowed to remove them.
    if !app.access.holds(Permission::AppDelete) {
        return Err(Code::Forbidden.into());
    }
    app.signed_in.want_recent(&atrium)?;
    let mut checks = Checks::default();
    if input.subject.is_empty() {
        checks.fail(Fault::new(Code::Required).on("subject"));
    }
    if input.subject.chars().count() > SUBJECT_MAX {
        checks.fail(Fault::new(Code::TooLong).on("subject").with("max", SUBJECT_MAX));
    }
    if input.subject.contains('\0') {
        checks.fail(Fault::new(Code::NulCharacter).on("subject"));
    }
    checks.finish()?;
    let id = atrium.new_id();
    let sealed = atrium.keyring.seal(&purpose(&id), input.subject.as_bytes(), &atrium.entropy)?;
    let hint = mask(&input.subject);
    let mut tx = atrium.db.write().await?;
    let (row, _) = app.lock_and_recheck(&mut tx).await?;
    if store::open_count(&mut tx, app.id()).await? >= OPEN_MAX {
        return Err(Fault::new(Code::TooManyErasures).with("max", OPEN_MAX).into());
    }
    let erasure = store::NewErasure {
        id: &id,
        app_id: app.id(),
        kind: input.kind,
        subject_sealed: &sealed,
        hint: &hint,
        asked_by: app.user_id(),
        at: atrium.now(),
    };
    store::insert(&mut tx, &erasure).await?;
    // The log outlives the data, so it must not say whom this was about.
    let event = Event::new("data.erase_ask", "erasure", &id).in_org(&row.org_id).in_app(app.id());
    let event = event.with(json!({ "kind": input.kind, "hint": hint }));
    audit::append(&mut tx, &app.actor(), event).await?;
    let made = store::one(&mut tx, &id).await?.ok_or(Code::NotFound)?;
    tx.commit().await?;
    atrium.wake.erasures.notify_one();
    Ok(Data(Erasure::new(&atrium, made)))
}
