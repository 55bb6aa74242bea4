//! Linking an existing account: what the provider said waits, in the browser that brought it, until the
//! account's owner has signed in some other way and agrees.

use axum::extract::State;
use axum::response::{AppendHeaders, IntoResponse, Response};
use http::HeaderMap;
use http::header::SET_COOKIE;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use utoipa::ToSchema;

use super::provision;
use super::token::Person;
use crate::accounts::ticket::{self, Ticket};
use crate::notifications::{self, Notice, Recipient};
use crate::session::{RecentlySignedIn, SignedIn};
use crate::state::Tenancy;
use crate::store::accounts::{self, TokenRow};
use crate::store::orgs;
use crate::store::sso::{self as store, IdentityKey, SsoRow};
use crate::token::hash_token;
use atrium_core::db::Write;
use atrium_core::error::{Code, Error, Result};
use atrium_core::http::json::Data;
use atrium_core::text::Email;
use atrium_core::types::{Id, Millis};

const PURPOSE: &str = "sso_link";
pub const LIFETIME: i64 = 30 * Millis::MINUTE;

/// What a provider said about someone whose address already has an account.
#[derive(Serialize, Deserialize)]
pub struct Waiting {
    org_id: Id,
    issuer: String,
    client_id: String,
    subject: String,
    email: String,
    name: Option<String>,
    /// The account to link.
    user_id: Id,
}

impl Waiting {
    pub fn new(sso: &SsoRow, person: &Person, user_id: &Id) -> Self {
        Self {
            org_id: sso.org_id.clone(),
            issuer: sso.issuer.clone(),
            client_id: sso.client_id.clone(),
            subject: person.subject.clone(),
            email: person.email.as_typed.clone(),
            name: person.name.clone(),
            user_id: user_id.clone(),
        }
    }

    fn key(&self) -> IdentityKey<'_> {
        IdentityKey { org_id: &self.org_id, issuer: &self.issuer, subject: &self.subject }
    }
}

pub async fn keep(atrium: &Tenancy, tx: &mut Write, waiting: &Waiting) -> Result<String> {
    let user_id = Some(&waiting.user_id);
    let ticket = Ticket { purpose: PURPOSE, lifetime: LIFETIME, user_id, email: None };
    ticket::issue(atrium, tx, ticket, waiting).await
}

#[derive(Serialize, ToSchema)]
pub struct SsoLinkView {
    org_id: Id,
    org_name: String,
    issuer: String,
    /// The address that the provider vouches for.
    email: String,
}

#[derive(Serialize, ToSchema)]
pub struct SsoLinked {
    org_id: Id,
}

fn gone() -> Error {
    Code::TokenGone.into()
}

/// What waits in this browser for the signed-in person, with the provider, as long as the organization
/// still uses it.
async fn waiting(
    atrium: &Tenancy,
    db: &mut AnyConnection,
    headers: &HeaderMap,
    signed_in: &SignedIn,
) -> Result<(TokenRow, Waiting, SsoRow)> {
    let cookie = atrium.link_cookie.read(headers).ok_or_else(gone)?;
    let row = accounts::live_token(db, &hash_token(cookie), atrium.now()).await?;
    let row = row.filter(|row| row.purpose == PURPOSE).ok_or_else(gone)?;
    let waiting: Waiting = ticket::open(atrium, &row)?;
    if waiting.user_id != signed_in.user().id {
        return Err(Code::LinkWrongAccount.into());
    }
    let sso = store::of_org(db, &waiting.org_id).await?;
    let sso = sso.filter(|sso| {
        sso.enabled_at.is_some()
            && sso.issuer == waiting.issuer
            && sso.client_id == waiting.client_id
    });
    Ok((row, waiting, sso.ok_or_else(gone)?))
}

/// The organization waiting to be linked to the caller's account. 410 if there is none.
#[utoipa::path(
    get,
    path = "/api/v1/current/sso-link",
    operation_id = "sso_link_view",
    tag = "account",
    security(("session" = [])),
    responses((status = 200, body = Data<SsoLinkView>), (status = 409), (status = 410))
)]
pub async fn sso_link_view(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
    headers: HeaderMap,
) -> Result<Data<SsoLinkView>> {
    let mut db = atrium.db.read().await?;
    let (_, waiting, _) = waiting(&atrium, &mut db, &headers, &signed_in).await?;
    let org = orgs::by_id(&mut db, &waiting.org_id).await?.ok_or_else(gone)?;
    Ok(Data(SsoLinkView {
        org_id: org.id,
        org_name: org.name,
        issuer: waiting.issuer,
        email: waiting.email,
    }))
}

/// Links the caller's account with the organization's provider, and joins the organization.
#[utoipa::path(
    post,
    path = "/api/v1/current/sso-link",
    operation_id = "sso_link",
    tag = "account",
    security(("session" = [])),
    responses((status = 200, body = Data<SsoLinked>), (status = 409), (status = 410))
)]
pub async fn sso_link(
    State(atrium): State<Tenancy>,
    RecentlySignedIn(signed_in): RecentlySignedIn,
    headers: HeaderMap,
) -> Result<Response> {
    let mut tx = atrium.db.write().await?;
    let (token, waiting, sso) = waiting(&atrium, &mut tx, &headers, &signed_in).await?;
    orgs::lock(&mut tx, &sso.org_id).await?;
    let email = Email::new(&waiting.email);
    if !accounts::use_token(&mut tx, &token.id, atrium.now()).await?
        || !provision::is_still_on(&mut tx, &sso).await?
        || !provision::answers_for(&mut tx, &sso.org_id, &email).await?
    {
        return Err(gone());
    }
    link(&atrium, &mut tx, &signed_in, &waiting, &sso).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    let answer = Data(SsoLinked { org_id: waiting.org_id });
    Ok((AppendHeaders([(SET_COOKIE, atrium.link_cookie.clear())]), answer).into_response())
}

async fn link(
    atrium: &Tenancy,
    tx: &mut Write,
    signed_in: &SignedIn,
    waiting: &Waiting,
    sso: &SsoRow,
) -> Result<()> {
    let user = accounts::user_by_id(tx, &waiting.user_id).await?.ok_or_else(gone)?;
    let name = waiting.name.as_deref().unwrap_or(&user.name);
    // Someone who was removed and invited again is already linked.
    if !store::insert_identity(tx, waiting.key(), &user.id, name, atrium.now()).await?
        && store::identity(tx, waiting.key()).await?.is_none_or(|it| it.user_id != user.id)
    {
        return Err(gone());
    }
    let actor = signed_in.actor();
    provision::join(atrium, tx, &actor, sso, &user).await?;
    // The same browser has just come from the provider, so it need not go there again.
    let now = atrium.now();
    accounts::note_session_org(tx, signed_in.session_id(), &sso.org_id, now).await?;
    provision::note_link(tx, &actor, waiting.key(), &user).await?;
    let org = orgs::by_id(tx, &sso.org_id).await?.ok_or_else(gone)?;
    let notice = Notice::SsoLinked { org: org.name, email: waiting.email.clone() };
    notifications::notify(atrium, tx, &Recipient::from(&user), &notice).await
}
