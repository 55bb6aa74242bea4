//! The trip to a provider and back: `POST /sso/login` says where to go, `GET /sso/callback` is where
//! the provider sends people back to. What goes wrong on the way back ends on the sign-in page with
//! a code of its own, never with text out of the address.

use std::time::Duration;

use axum::extract::State;
use axum::response::{AppendHeaders, IntoResponse, Response};
use http::HeaderMap;
use http::header::SET_COOKIE;
use openidconnect::core::{CoreAuthenticationFlow, CoreClient};
use openidconnect::{
    AuthUrl, ClientId, CsrfToken, IssuerUrl, LoginHint, Nonce, PkceCodeChallenge, PkceCodeVerifier,
    RedirectUrl, Scope,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::arrival::{self, Arrived};
use super::provider::Provider;
use super::store::{self, SsoRow};
use super::token::{self, Person};
use super::{CALLBACK, Refusal, domain, refusal, settings};
use crate::accounts::flow::{self, Returned};
use crate::accounts::login::Outcome;
use crate::accounts::session::{self, MaybeSignedIn};
use crate::accounts::throttle::{self, Attempt};
use crate::app::AppState;
use crate::error::{Code, Error, Fault, Result};
use crate::http::client::Client;
use crate::http::json::{Data, Json, Query};
use crate::http::locale::Locale;
use crate::http::redirect;
use crate::http::text::{EMAIL_MAX, Email};
use crate::orgs::public_domains::is_public;
use crate::types::{Id, Millis};

const PURPOSE: &str = "sso_login";
/// All calls of one way back together: the browser waits.
const PATIENCE: Duration = Duration::from_secs(20);
const RETRY: u64 = 10;

#[derive(Deserialize, ToSchema)]
pub struct SsoLogin {
    /// A work address: its domain says whose provider to go to.
    email: Option<String>,
    /// Or the organisation's id.
    organization: Option<Id>,
    /// Where to go afterwards; dropped when it is not ours.
    redirect: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct SsoRedirect {
    /// The provider's sign-in page.
    redirect_url: String,
}

/// What the way back needs to know.
#[derive(Serialize, Deserialize)]
struct Trip {
    org_id: Id,
    issuer: String,
    client_id: String,
    nonce: String,
    verifier: String,
    redirect: Option<String>,
}

/// Says where to sign in with a work address.
#[utoipa::path(
    post,
    path = "/api/v1/sso/login",
    operation_id = "sso_login",
    tag = "account",
    security(()),
    request_body = SsoLogin,
    responses((status = 200, body = Data<SsoRedirect>, description = "Where to go; ties the trip to this browser by a cookie"), (status = 404), (status = 429))
)]
pub async fn sso_login(
    State(atrium): State<AppState>,
    client: Client,
    MaybeSignedIn(asked_by): MaybeSignedIn,
    headers: HeaderMap,
    Json(input): Json<SsoLogin>,
) -> Result<Response> {
    let given = input.email.as_deref().map(Email::new).filter(|it| !it.as_typed.is_empty());
    if given.as_ref().is_some_and(|email| email.as_typed.len() > EMAIL_MAX) {
        return Err(Fault::new(Code::BadEmail).on("email").into());
    }
    let (email, organization) = match (given, input.organization) {
        (Some(email), None) => (Some(email), None),
        (None, Some(id)) => (None, Some(id)),
        (None, None) => return Err(Fault::new(Code::Required).on("email").into()),
        (Some(_), Some(_)) => return Err(Fault::new(Code::Invalid).on("organization").into()),
    };
    throttle::count_trip(&atrium, &client).await?;
    let row = chosen(&atrium, email.as_ref(), organization.as_ref()).await?;
    let row = row.ok_or(Code::SsoNotFound)?;
    let provider = atrium.sso.providers.get(&atrium, &row.org_id, &row.issuer).await;
    let provider = provider.map_err(|_| Error::busy(Code::ProviderUnavailable, RETRY))?;
    let trip = Trip {
        nonce: session::new_token(&atrium),
        verifier: session::new_token(&atrium),
        redirect: input.redirect.and_then(|raw| redirect::checked(&atrium.settings, &raw)),
        org_id: row.org_id,
        issuer: row.issuer,
        client_id: row.client_id,
    };
    let begun = flow::begin(&atrium, &headers, PURPOSE, asked_by.as_ref(), &trip).await?;
    // Whoever is signed in already goes there to prove who they are, not to be waved through.
    let anew = asked_by.is_some();
    let redirect_url = address(&atrium, &provider, &trip, begun.state, email.as_ref(), anew)?;
    let answer = Data(SsoRedirect { redirect_url });
    Ok((AppendHeaders([(SET_COOKIE, begun.cookie)]), answer).into_response())
}

/// The provider that someone means, where it is on.
async fn chosen(
    atrium: &AppState,
    email: Option<&Email>,
    organization: Option<&Id>,
) -> Result<Option<SsoRow>> {
    let mut db = atrium.db.read().await?;
    if let Some(id) = organization {
        let row = store::of_org(&mut db, id).await?;
        return Ok(row.filter(|row| row.enabled_at.is_some()));
    }
    let domain = email.and_then(|email| domain::of_email(&email.as_typed));
    match domain.filter(|domain| !is_public(domain)) {
        Some(domain) => store::by_domain(&mut db, &domain).await,
        None => Ok(None),
    }
}

fn address(
    atrium: &AppState,
    provider: &Provider,
    trip: &Trip,
    state: String,
    email: Option<&Email>,
    anew: bool,
) -> Result<String> {
    let issuer = IssuerUrl::new(trip.issuer.clone()).map_err(Error::internal)?;
    let redirect = atrium.settings.server.link(CALLBACK);
    let redirect = RedirectUrl::new(redirect).map_err(Error::internal)?;
    let verifier = PkceCodeVerifier::new(trip.verifier.clone());
    let nonce = trip.nonce.clone();
    let client = CoreClient::new(ClientId::new(trip.client_id.clone()), issuer, Default::default())
        .set_auth_uri(AuthUrl::from_url(provider.endpoints.authorization.clone()))
        .set_redirect_uri(redirect);
    let mut request = client
        .authorize_url(
            CoreAuthenticationFlow::AuthorizationCode,
            move || CsrfToken::new(state),
            move || Nonce::new(nonce),
        )
        .add_scope(Scope::new("email".to_owned()))
        .add_scope(Scope::new("profile".to_owned()))
        .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier));
    if anew {
        request = request.set_max_age(Duration::ZERO);
    }
    if let Some(email) = email {
        request = request.set_login_hint(LoginHint::new(email.as_typed.clone()));
    }
    Ok(request.url().0.into())
}

#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CallbackQuery {
    code: Option<String>,
    state: Option<String>,
    /// Who sends it.
    iss: Option<String>,
    /// Why there is no code.
    error: Option<String>,
}

/// Where a provider sends people back to. Leads into the console, signed in or with a code that
/// says why not.
#[utoipa::path(
    get,
    path = "/api/v1/sso/callback",
    operation_id = "sso_callback",
    tag = "account",
    security(()),
    params(CallbackQuery),
    responses((status = 303, description = "On to the console; sets the session cookie"))
)]
pub async fn sso_callback(
    State(atrium): State<AppState>,
    client: Client,
    locale: Locale,
    headers: HeaderMap,
    query: Result<Query<CallbackQuery>>,
) -> Response {
    // What cannot be read says nothing.
    let query = query.map_or_else(|_| CallbackQuery::default(), |Query(query)| query);
    let visit = Visit { atrium: &atrium, client: &client, locale, headers: &headers };
    match visit.answer(query).await {
        Ok(response) => response,
        Err(error) => {
            // A browser is waiting for a page, whatever went wrong here.
            tracing::error!(%error, "a sign-in through a provider could not be finished");
            refused("unavailable", None)
        }
    }
}

fn refused(code: &str, redirect: Option<&str>) -> Response {
    let query = [("failed", Some(code)), ("provider", Some("sso")), ("redirect", redirect)];
    redirect::leave(&redirect::with_query("/login", &query), [])
}

/// Someone who comes back.
struct Visit<'a> {
    atrium: &'a AppState,
    client: &'a Client,
    locale: Locale,
    headers: &'a HeaderMap,
}

impl Visit<'_> {
    async fn answer(&self, query: CallbackQuery) -> Result<Response> {
        let atrium = self.atrium;
        // Nobody came from anywhere: the address was opened as it is.
        let Some(state) = query.state.as_deref() else {
            return Ok(refused(Refusal::StateInvalid.as_str(), None));
        };
        let attempt = Attempt::of_return(self.client);
        match throttle::count(atrium, &attempt).await {
            Err(error) if error.code() == Some(Code::Throttled) => {
                return Ok(refused(Refusal::Throttled.as_str(), None));
            }
            counted => counted?,
        }
        let returned = flow::take::<Trip>(atrium, self.headers, PURPOSE, state).await?;
        let Some(Returned { trip, asked_by }) = returned else {
            refusal::note(atrium, self.client, None, Refusal::StateInvalid, None).await?;
            return Ok(refused(Refusal::StateInvalid.as_str(), None));
        };
        let back = trip.redirect.as_deref();
        let MaybeSignedIn(signed_in) = MaybeSignedIn::of(atrium, self.headers, self.client).await?;
        // Someone else sits at the browser by now.
        if let (Some((user_id, _)), Some(here)) = (&asked_by, &signed_in)
            && here.user().id != *user_id
        {
            return self.refuse(&trip, Refusal::LinkWrongAccount, None).await;
        }
        let asked_by = asked_by.and(signed_in);
        let (row, person) = match self.identify(&trip, &query).await? {
            Ok(found) => found,
            Err(refusal) => return self.refuse(&trip, refusal, None).await,
        };
        let guest = arrival::Guest {
            client: self.client,
            locale: self.locale,
            headers: self.headers,
            attempt: &attempt,
            asked_by: asked_by.as_ref(),
        };
        match arrival::arrive(atrium, guest, &row, &person).await? {
            Arrived::In(Outcome::SignedIn { cookies, .. }) => {
                Ok(redirect::leave(back.unwrap_or("/"), cookies))
            }
            Arrived::In(Outcome::SecondStep { cookie }) => {
                let query = [("step", Some("mfa")), ("redirect", back)];
                Ok(redirect::leave(&redirect::with_query("/login", &query), [cookie]))
            }
            Arrived::Known { ticket } => self.lead_to_link(&ticket).await,
            Arrived::Refused(refusal) => {
                self.refuse(&trip, refusal, Some(&person.email.as_typed)).await
            }
        }
    }

    /// Who the provider says it is, and for whom it says so. Nothing of the database is held while
    /// the provider is asked.
    async fn identify(
        &self,
        trip: &Trip,
        query: &CallbackQuery,
    ) -> Result<Result<(SsoRow, Person), Refusal>> {
        let atrium = self.atrium;
        let row = store::of_org(&mut *atrium.db.read().await?, &trip.org_id).await?;
        let row = row.filter(|row| {
            row.enabled_at.is_some() && row.issuer == trip.issuer && row.client_id == trip.client_id
        });
        let Some(row) = row else { return Ok(Err(Refusal::SsoOff)) };
        let secret = settings::open_secret(atrium, &row)?;
        let asking = ask(atrium, trip, query, &secret);
        let asked = tokio::time::timeout(PATIENCE, asking).await;
        let asked = asked.unwrap_or(Err(Refusal::ProviderUnavailable));
        Ok(asked.map(|person| (row, person)))
    }

    async fn refuse(&self, trip: &Trip, refusal: Refusal, email: Option<&str>) -> Result<Response> {
        refusal::note(self.atrium, self.client, Some(&trip.org_id), refusal, email).await?;
        Ok(refused(refusal.as_str(), trip.redirect.as_deref()))
    }

    /// To the page that links, by way of the sign-in page where nobody is signed in.
    async fn lead_to_link(&self, ticket: &str) -> Result<Response> {
        const PAGE: &str = "/account/sso-link";
        let MaybeSignedIn(signed_in) =
            MaybeSignedIn::of(self.atrium, self.headers, self.client).await?;
        let by_way_of_login = redirect::with_query(
            "/login",
            &[("notice", Some("sso_link")), ("redirect", Some(PAGE))],
        );
        let to = if signed_in.is_some() { PAGE } else { by_way_of_login.as_str() };
        let seconds = super::linking::LIFETIME / Millis::SECOND;
        Ok(redirect::leave(to, [self.atrium.link_cookie.set(ticket, seconds)]))
    }
}

/// What an address bar can hold is looked at before anybody is asked.
async fn ask(
    atrium: &AppState,
    trip: &Trip,
    query: &CallbackQuery,
    secret: &str,
) -> Result<Person, Refusal> {
    if query.iss.as_ref().is_some_and(|iss| *iss != trip.issuer) {
        return Err(Refusal::IssuerMismatch);
    }
    match (&query.error, &query.code) {
        (Some(error), _) if error == "access_denied" => Err(Refusal::Cancelled),
        (Some(_), _) | (None, None) => Err(Refusal::ProviderError),
        (None, Some(code)) => {
            let provider = atrium.sso.providers.get(atrium, &trip.org_id, &trip.issuer).await?;
            if provider.names_itself && query.iss.is_none() {
                return Err(Refusal::IssuerMismatch);
            }
            let client = (trip.client_id.as_str(), secret);
            let proof = token::Proof { code, verifier: &trip.verifier, nonce: &trip.nonce };
            token::redeem(atrium, &trip.org_id, provider, client, proof).await
        }
    }
}
