//! Signing in through a provider: `POST /sso/login` returns where to go, and `GET /sso/callback` is
//! where the provider sends the browser back to. Failures of the callback lead to the sign-in page with
//! a code of ours, never with text from the URL.

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
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use super::provision::{self, Provisioned};
use super::token::{self, Person};
use super::{CALLBACK, domain, settings};
use crate::accounts::flow::{self, Returned};
use crate::accounts::login::{Outcome, SignInMethod};
use crate::orgs::public_domains::is_public;
use crate::session::MaybeSignedIn;
use crate::sign_in_failure::SignInFailure;
use crate::sign_in_figures;
use crate::sso_provider::discovery::Provider;
use crate::state::Tenancy;
use crate::store::sso::{self as store, SsoRow};
use crate::throttle::{self, Attempt};
use crate::token::new_token;
use atrium_core::audit::{self, Actor, Event};
use atrium_core::client::Client;
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::http::json::{Data, Json, Query};
use atrium_core::http::redirect;
use atrium_core::locale::Locale;
use atrium_core::text::{EMAIL_MAX, Email};
use atrium_core::types::{Id, Millis};

const PURPOSE: &str = "sso_login";
const RETRY_AFTER: u64 = 10;

#[derive(Deserialize, ToSchema)]
pub struct SsoLogin {
    /// A work address: its domain says whose provider to go to.
    email: Option<String>,
    /// Or the organization's id.
    organization: Option<Id>,
    /// Where to go afterwards; dropped when it is not ours.
    redirect: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct SsoRedirect {
    /// The provider's sign-in page.
    redirect_url: String,
}

/// What the callback needs to know.
#[derive(Serialize, Deserialize)]
struct OAuthFlow {
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
    responses((status = 200, body = Data<SsoRedirect>, description = "The provider's address; sets a cookie that ties the sign-in to this browser"), (status = 404), (status = 429))
)]
pub async fn sso_login(
    State(atrium): State<Tenancy>,
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
    let provider = atrium.sso.provider(&atrium, &row.org_id, &row.issuer).await;
    let provider = provider.map_err(|_| Error::busy(Code::ProviderUnavailable, RETRY_AFTER))?;
    let flow = OAuthFlow {
        nonce: new_token(&atrium),
        verifier: new_token(&atrium),
        redirect: input.redirect.and_then(|raw| redirect::checked(&atrium.settings, &raw)),
        org_id: row.org_id,
        issuer: row.issuer,
        client_id: row.client_id,
    };
    let begun = flow::begin(&atrium, &headers, PURPOSE, asked_by.as_ref(), &flow).await?;
    // Someone who is already signed in must authenticate again at the provider.
    let sign_in_again = asked_by.is_some();
    let redirect_url =
        address(&atrium, &provider, &flow, begun.state, email.as_ref(), sign_in_again)?;
    let answer = Data(SsoRedirect { redirect_url });
    Ok((AppendHeaders([(SET_COOKIE, begun.cookie)]), answer).into_response())
}

/// The provider for an address or an organization, if single sign-on is enabled.
async fn chosen(
    atrium: &Tenancy,
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
    atrium: &Tenancy,
    provider: &Provider,
    flow: &OAuthFlow,
    state: String,
    email: Option<&Email>,
    sign_in_again: bool,
) -> Result<String> {
    let issuer = IssuerUrl::new(flow.issuer.clone()).map_err(Error::internal)?;
    let redirect = atrium.settings.server.link(CALLBACK);
    let redirect = RedirectUrl::new(redirect).map_err(Error::internal)?;
    let verifier = PkceCodeVerifier::new(flow.verifier.clone());
    let nonce = flow.nonce.clone();
    let client = CoreClient::new(ClientId::new(flow.client_id.clone()), issuer, Default::default())
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
    if sign_in_again {
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
    responses((status = 303, description = "Redirects to the console; sets the session cookie"))
)]
pub async fn sso_callback(
    State(atrium): State<Tenancy>,
    client: Client,
    locale: Locale,
    headers: HeaderMap,
    query: Result<Query<CallbackQuery>>,
) -> Response {
    // An unreadable query counts as an empty one.
    let query = query.map_or_else(|_| CallbackQuery::default(), |Query(query)| query);
    let request = CallbackRequest { atrium: &atrium, client: &client, locale, headers: &headers };
    match request.answer(query).await {
        Ok(response) => response,
        Err(error) => {
            // The browser waits for a page, whatever went wrong.
            tracing::error!(%error, "a sign-in through a provider could not be completed");
            refused("unavailable", None)
        }
    }
}

fn refused(code: &str, redirect: Option<&str>) -> Response {
    let query = [("failed", Some(code)), ("provider", Some("sso")), ("redirect", redirect)];
    redirect::redirect_to(&redirect::with_query("/login", &query), [])
}

/// One callback request.
struct CallbackRequest<'a> {
    atrium: &'a Tenancy,
    client: &'a Client,
    locale: Locale,
    headers: &'a HeaderMap,
}

impl CallbackRequest<'_> {
    async fn answer(&self, query: CallbackQuery) -> Result<Response> {
        let atrium = self.atrium;
        // The URL was opened by hand.
        let Some(state) = query.state.as_deref() else {
            return Ok(refused(SignInFailure::StateInvalid.as_str(), None));
        };
        let attempt = Attempt::of_return(self.client);
        match throttle::count(atrium, &attempt).await {
            Err(error) if error.code() == Some(Code::Throttled) => {
                count_failure(SignInFailure::Throttled);
                return Ok(refused(SignInFailure::Throttled.as_str(), None));
            }
            counted => counted?,
        }
        let returned = flow::take::<OAuthFlow>(atrium, self.headers, PURPOSE, state).await?;
        let Some(Returned { data: flow, asked_by }) = returned else {
            audit_failure(atrium, self.client, None, SignInFailure::StateInvalid, None).await?;
            return Ok(refused(SignInFailure::StateInvalid.as_str(), None));
        };
        let back = flow.redirect.as_deref();
        let MaybeSignedIn(signed_in) = MaybeSignedIn::of(atrium, self.headers, self.client).await?;
        // A different account is signed in by now.
        if let (Some((user_id, _)), Some(here)) = (&asked_by, &signed_in)
            && here.user().id != *user_id
        {
            return self.refuse(&flow, SignInFailure::LinkWrongAccount, None).await;
        }
        let asked_by = asked_by.and(signed_in);
        let (row, person) = match self.identify(&flow, &query).await? {
            Ok(found) => found,
            Err(failure) => return self.refuse(&flow, failure, None).await,
        };
        let context = provision::CallbackContext {
            client: self.client,
            locale: self.locale,
            headers: self.headers,
            attempt: &attempt,
            asked_by: asked_by.as_ref(),
        };
        match provision::provision(atrium, context, &row, &person).await? {
            Provisioned::Done(Outcome::SignedIn { cookies, .. }) => {
                Ok(redirect::redirect_to(back.unwrap_or("/"), cookies))
            }
            Provisioned::Done(Outcome::SecondStep { cookie }) => {
                let query = [("step", Some("mfa")), ("redirect", back)];
                Ok(redirect::redirect_to(&redirect::with_query("/login", &query), [cookie]))
            }
            Provisioned::NeedsLink { ticket } => self.lead_to_link(&ticket).await,
            Provisioned::Failed(failure) => {
                self.refuse(&flow, failure, Some(&person.email.as_typed)).await
            }
        }
    }

    /// Asks the provider who it is. No database connection is held in the meantime.
    async fn identify(
        &self,
        flow: &OAuthFlow,
        query: &CallbackQuery,
    ) -> Result<Result<(SsoRow, Person), SignInFailure>> {
        let atrium = self.atrium;
        let row = store::of_org(&mut *atrium.db.read().await?, &flow.org_id).await?;
        let row = row.filter(|row| {
            row.enabled_at.is_some() && row.issuer == flow.issuer && row.client_id == flow.client_id
        });
        let Some(row) = row else { return Ok(Err(SignInFailure::SsoOff)) };
        let secret = settings::open_secret(atrium, &row)?;
        let asking = ask(atrium, flow, query, &secret);
        // The browser is waiting.
        let asked = tokio::time::timeout(atrium.settings.sso.provider_limit * 2, asking).await;
        let asked = asked.unwrap_or(Err(SignInFailure::ProviderUnavailable));
        Ok(asked.map(|person| (row, person)))
    }

    async fn refuse(
        &self,
        flow: &OAuthFlow,
        failure: SignInFailure,
        email: Option<&str>,
    ) -> Result<Response> {
        audit_failure(self.atrium, self.client, Some(&flow.org_id), failure, email).await?;
        Ok(refused(failure.as_str(), flow.redirect.as_deref()))
    }

    /// Redirects to the linking page, through the sign-in page if nobody is signed in.
    async fn lead_to_link(&self, ticket: &str) -> Result<Response> {
        const PAGE: &str = "/account/sso-link";
        let MaybeSignedIn(signed_in) =
            MaybeSignedIn::of(self.atrium, self.headers, self.client).await?;
        let through_login = redirect::with_query(
            "/login",
            &[("notice", Some("sso_link")), ("redirect", Some(PAGE))],
        );
        let to = if signed_in.is_some() { PAGE } else { through_login.as_str() };
        let seconds = super::linking::LIFETIME / Millis::SECOND;
        Ok(redirect::redirect_to(to, [self.atrium.link_cookie.set(ticket, seconds)]))
    }
}

/// Checks the query before calling the provider.
async fn ask(
    atrium: &Tenancy,
    flow: &OAuthFlow,
    query: &CallbackQuery,
    secret: &str,
) -> Result<Person, SignInFailure> {
    if query.iss.as_ref().is_some_and(|iss| *iss != flow.issuer) {
        return Err(SignInFailure::IssuerMismatch);
    }
    match (&query.error, &query.code) {
        (Some(error), _) if error == "access_denied" => Err(SignInFailure::Cancelled),
        (Some(_), _) | (None, None) => Err(SignInFailure::ProviderError),
        (None, Some(code)) => {
            let provider = atrium.sso.provider(atrium, &flow.org_id, &flow.issuer).await?;
            if provider.names_itself && query.iss.is_none() {
                return Err(SignInFailure::IssuerMismatch);
            }
            let client = (flow.client_id.as_str(), secret);
            let proof = token::Proof { code, verifier: &flow.verifier, nonce: &flow.nonce };
            token::redeem(atrium, &flow.org_id, provider, client, proof).await
        }
    }
}

fn count_failure(failure: SignInFailure) {
    sign_in_figures::count(SignInMethod::Sso.as_str(), failure.into());
}

/// Records a failed sign-in: in the organization's audit log, or in the instance's while no
/// organization is known. The address is recorded only if the provider vouched for it.
async fn audit_failure(
    atrium: &Tenancy,
    client: &Client,
    org_id: Option<&Id>,
    failure: SignInFailure,
    email: Option<&str>,
) -> Result<()> {
    count_failure(failure);
    let details = json!({ "reason": failure.as_str(), "email": email });
    let mut tx = atrium.db.write_relaxed().await?;
    let event = match org_id {
        Some(id) => Event::new("sso.refused", "org", id).in_org(id),
        None => Event::without_target("sso.refused", "org"),
    };
    audit::append(&mut tx, &Actor::anonymous(client), event.with(details)).await?;
    tx.commit().await
}
