//! Asking to join an organization with the caller's mail domain.

use axum::extract::{FromRef, State};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::public_domains::is_public;
use crate::current_user::CurrentUser;
use crate::notifications::{self, Notice};
use crate::session::SignedIn;
use crate::state::Tenancy;
use crate::store::orgs::{self as store, JoinableRow};
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Error, Result};
use atrium_core::http::json::{Data, Done, Json};
use atrium_core::http::page::Items;
use atrium_core::http::path::PathId;
use atrium_core::text::{Checks, Email};
use atrium_core::types::{Id, Millis};

const ASK_EVERY: i64 = Millis::DAY;
const MESSAGE_MAX: usize = 300;

#[derive(Serialize, ToSchema)]
pub struct JoinableOrg {
    id: Id,
    name: String,
    /// When the caller last asked.
    asked_at: Option<Millis>,
}

/// Organizations with an owner at the caller's own, verified mail domain.
#[utoipa::path(
    get,
    path = "/api/v1/current/joinable-orgs",
    operation_id = "joinable_org_list",
    tag = "organization",
    security(("session" = [])),
    responses((status = 200, body = Data<Items<JoinableOrg>>))
)]
pub async fn joinable_org_list(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
) -> Result<Data<Items<JoinableOrg>>> {
    let rows = joinable(&atrium, signed_in.user(), None).await?;
    let view =
        |row: JoinableRow| JoinableOrg { id: row.id, name: row.name, asked_at: row.asked_at };
    let items: Vec<JoinableOrg> = rows.into_iter().map(view).collect();
    let total = i64::try_from(items.len()).unwrap_or(i64::MAX);
    Ok(Data(Items { items, total }))
}

async fn joinable(
    atrium: &Tenancy,
    user: &CurrentUser,
    only: Option<&Id>,
) -> Result<Vec<JoinableRow>> {
    let address = Email::new(&user.email).normalized;
    let domain = address.rsplit_once('@').map_or("", |(_, domain)| domain);
    if is_public(domain) || user.email_verified_at.is_none() {
        return Ok(Vec::new());
    }
    store::joinable(&mut *atrium.db.read().await?, &user.id, domain, only).await
}

#[derive(Deserialize, ToSchema)]
pub struct AccessRequest {
    /// A short message to the owners.
    #[schema(max_length = 300)]
    message: Option<String>,
}

/// Asks the owners of an organization to be let in, at most once a day.
#[utoipa::path(
    post,
    path = "/api/v1/orgs/{id}/access-requests",
    operation_id = "org_access_ask",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = AccessRequest,
    responses((status = 200, body = Data<Done>), (status = 429))
)]
pub async fn org_access_ask(
    State(atrium): State<Tenancy>,
    joinable: Joinable,
    Json(input): Json<AccessRequest>,
) -> Result<Data<Done>> {
    let mut checks = Checks::default();
    let message = checks.text("message", input.message.as_deref().unwrap_or_default(), MESSAGE_MAX);
    checks.finish()?;
    let (user, now) = (joinable.signed_in.user(), atrium.now());
    let org = &joinable.org;
    let mut tx = atrium.db.write_uncached().await?;
    let after = now.plus(-ASK_EVERY);
    store::lock(&mut tx, &org.id).await?;
    if !store::note_access_request(&mut tx, &org.id, &user.id, now, after).await? {
        let asked = org.asked_at.unwrap_or(now);
        let seconds = asked.plus(ASK_EVERY).since(now) / Millis::SECOND;
        return Err(Error::throttled(u64::try_from(seconds.max(1)).unwrap_or(1)));
    }
    let event = Event::new("org.access_ask", "user", &user.id).in_org(&org.id);
    audit::append(&mut tx, &joinable.signed_in.actor(), event).await?;
    let notice = Notice::AccessAsked {
        org_id: org.id.clone(),
        org: org.name.clone(),
        name: user.name.clone(),
        email: user.email.clone(),
        message,
    };
    for owner in store::runners(&mut tx, &org.id, true).await? {
        notifications::notify_id(&atrium, &mut tx, &owner, &notice).await?;
    }
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(Done {}))
}

/// An organization in the path that the caller may ask to join; any other is not found.
pub struct Joinable {
    signed_in: SignedIn,
    org: JoinableRow,
}

impl<S> axum::extract::FromRequestParts<S> for Joinable
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut http::request::Parts, state: &S) -> Result<Self> {
        let atrium = &Tenancy::from_ref(state);
        let signed_in = SignedIn::from_request_parts(parts, state).await?;
        let PathId(id) = PathId::from_request_parts(parts, state).await?;
        let orgs = joinable(atrium, signed_in.user(), Some(&id)).await?;
        let org = orgs.into_iter().next().ok_or(Code::NotFound)?;
        Ok(Self { signed_in, org })
    }
}
