//! The callback from a provider. The browser brings our `state` and, unless the person declined, a
//! code. Failures are reported to the console by a code in the URL.

use axum::response::Response;
use http::HeaderMap;
use http::header::HeaderValue;
use serde_json::json;

use super::handlers::Callback;
use super::{OAuthFlow, Provider, Purpose};
use crate::accounts::flow::{self, Returned};
use crate::accounts::login::{self, Outcome, SignIn};
use crate::chat_vendor::{Ask, Vendor};
use crate::notifications::{self, Notice, Recipient};
use crate::session::SignedIn;
use crate::sign_in_failure::SignInFailure;
use crate::sign_in_figures;
use crate::state::Tenancy;
use crate::store::{accounts, chat as store};
use crate::throttle::{self, Attempt};
use atrium_core::audit::{self, Actor, Event};
use atrium_core::client::Client;
use atrium_core::error::{Code, Error, Result};
use atrium_core::http::redirect::{redirect_to, with_query};
use atrium_core::types::Id;

/// No real code is longer.
const CODE_MAX: usize = 1024;

pub struct CallbackRequest {
    pub provider: Provider,
    pub headers: HeaderMap,
    pub client: Client,
    pub signed_in: Option<SignedIn>,
    pub query: Callback,
}

/// Why the callback stops: a failure to show to the person, or an error of ours.
enum Stop {
    SignIn(SignInFailure),
    Error(Error),
}

impl From<SignInFailure> for Stop {
    fn from(failure: SignInFailure) -> Self {
        Self::SignIn(failure)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        match error.code() {
            Some(Code::Throttled) => Self::SignIn(SignInFailure::Throttled),
            // The account was disabled while we waited for the provider.
            Some(Code::BadCredentials) => Self::SignIn(SignInFailure::AccountDisabled),
            _ => Self::Error(error),
        }
    }
}

pub async fn handle(atrium: &Tenancy, request: &CallbackRequest) -> Result<Response> {
    let provider = request.provider;
    let vendor = atrium.chat.vendor(provider).ok_or(Code::ProviderNotConfigured)?;
    let state = request.query.state.as_deref().unwrap_or_default();
    let returned =
        flow::take::<OAuthFlow>(atrium, &request.headers, super::flow_purpose(provider), state)
            .await?;
    let Some(Returned { asked_by, data: flow }) = returned else {
        return unknown_state(atrium, request).await;
    };
    let code = request.code().and_then(|code| match &flow.purpose {
        // Checked before the code is used: this may be someone else's browser.
        Purpose::Bind if !request.is_of(asked_by.as_ref()) => Err(SignInFailure::WrongUser),
        _ => Ok(code),
    });
    let done = match (code, flow.purpose) {
        (Err(failure), _) => Err(failure.into()),
        (Ok(code), Purpose::Bind) => bind(atrium, request, vendor, &flow, code).await,
        (Ok(code), Purpose::Login) => sign_in(atrium, request, vendor, &flow, code).await,
    };
    match done {
        Ok(response) => Ok(response),
        Err(Stop::Error(error)) => Err(error),
        Err(Stop::SignIn(failure)) => {
            audit_failure(atrium, request, Some(flow.purpose), failure).await?;
            Ok(redirect_with_failure(provider, flow.purpose, failure, flow.redirect.as_deref()))
        }
    }
}

impl CallbackRequest {
    /// The code, or why there is none. WeChat Work sends nothing when the person declines.
    fn code(&self) -> Result<&str, SignInFailure> {
        match (self.query.code.as_deref().filter(|code| !code.is_empty()), &self.query.error) {
            (Some(code), None) if code.len() <= CODE_MAX => Ok(code),
            (Some(_), None) => Err(SignInFailure::CodeRefused),
            (None, None) => Err(SignInFailure::Cancelled),
            (_, Some(error)) if error == "access_denied" => Err(SignInFailure::Cancelled),
            (_, Some(_)) => Err(SignInFailure::ProviderError),
        }
    }

    /// Whether the browser is still signed in to the session that started the flow.
    fn is_of(&self, asked_by: Option<&(Id, Id)>) -> bool {
        let here = self.signed_in.as_ref().map(|it| (&it.user().id, it.session_id()));
        here.is_some() && here == asked_by.map(|(user, session)| (user, session))
    }

    fn actor(&self) -> Actor {
        match &self.signed_in {
            Some(signed_in) => signed_in.actor(),
            None => Actor::anonymous(&self.client),
        }
    }

    fn ask<'a>(
        &self,
        atrium: &Tenancy,
        flow: &'a OAuthFlow,
        code: &'a str,
        callback: &'a str,
    ) -> Ask<'a> {
        Ask {
            code,
            verifier: &flow.verifier,
            callback,
            with_name: flow.purpose == Purpose::Bind,
            now: atrium.now(),
        }
    }
}

async fn bind(
    atrium: &Tenancy,
    request: &CallbackRequest,
    vendor: Vendor<'_>,
    flow: &OAuthFlow,
    code: &str,
) -> Result<Response, Stop> {
    let (provider, signed_in) = (request.provider, request.signed_in.as_ref());
    let signed_in = signed_in.ok_or(SignInFailure::WrongUser)?;
    let callback = atrium.settings.server.link(&super::callback_path(provider));
    let person = vendor.who(request.ask(atrium, flow, code, &callback)).await?;

    let user = signed_in.user();
    let mut tx = atrium.db.write().await?;
    // The person may have been signed out while we waited for the provider.
    if !accounts::lock_session(&mut tx, signed_in.session_id(), &user.id).await? {
        return Err(SignInFailure::WrongUser.into());
    }
    if !store::bind(&mut tx, &user.id, provider, &person, atrium.now()).await? {
        let own = store::binding(&mut tx, &user.id, provider).await?;
        let theirs = store::bound_by(&mut tx, provider, &person).await?;
        return match (own, theirs) {
            // A second tab was faster.
            (_, Some(theirs)) if theirs == user.id => Ok(bound(provider)),
            (Some(_), _) => Err(SignInFailure::AlreadyBound.into()),
            (None, _) => Err(SignInFailure::BoundElsewhere.into()),
        };
    }
    let details = json!({
        "provider": provider, "tenant": person.tenant, "subject": person.subject,
        "name": person.name,
    });
    let event = Event::new("account.chat_bind", "user", &user.id).with(details);
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    let notice = Notice::ChatBound { provider, name: person.name };
    notifications::notify(atrium, &mut tx, &Recipient::from(user), &notice).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(bound(provider))
}

fn bound(provider: Provider) -> Response {
    redirect_to(&with_query("/account/user-info", &[("bound", Some(provider.as_str()))]), [])
}

async fn sign_in(
    atrium: &Tenancy,
    request: &CallbackRequest,
    vendor: Vendor<'_>,
    flow: &OAuthFlow,
    code: &str,
) -> Result<Response, Stop> {
    let (provider, client, headers) = (request.provider, &request.client, &request.headers);
    let attempt = Attempt::of_address(client);
    throttle::count(atrium, &attempt).await?;
    let callback = atrium.settings.server.link(&super::callback_path(provider));
    let person = match vendor.who(request.ask(atrium, flow, code, &callback)).await {
        // A provider's outage must not throttle the whole office.
        Err(failure @ (SignInFailure::ProviderUnavailable | SignInFailure::ProviderError)) => {
            let mut tx = atrium.db.write_relaxed().await?;
            throttle::forget(&mut tx, &attempt).await?;
            tx.commit().await?;
            return Err(failure.into());
        }
        who => who?,
    };

    let mut tx = atrium.db.write().await?;
    let user_id =
        store::bound_by(&mut tx, provider, &person).await?.ok_or(SignInFailure::NotBound)?;
    let user = accounts::user_by_id(&mut tx, &user_id).await?.ok_or(SignInFailure::NotBound)?;
    if user.disabled_at.is_some() {
        return Err(SignInFailure::AccountDisabled.into());
    }
    let proof = SignIn::by(super::method(provider), &user, client, headers);
    let redirect = flow.redirect.as_deref();
    Ok(match login::complete(atrium, tx, &attempt, proof).await? {
        Outcome::SignedIn { cookies, .. } => redirect_to(redirect.unwrap_or("/"), cookies),
        Outcome::SecondStep { cookie } => {
            let query = [("step", Some("mfa")), ("redirect", redirect)];
            redirect_to(&with_query("/login", &query), [cookie])
        }
    })
}

/// Handles an unknown `state`. Anyone can send one as often as they like, so the audit log gets only a
/// limited number of entries.
async fn unknown_state(atrium: &Tenancy, request: &CallbackRequest) -> Result<Response> {
    let purpose = if request.signed_in.is_some() { Purpose::Bind } else { Purpose::Login };
    let failure = match throttle::count_trip(atrium, &request.client).await {
        Ok(()) => {
            audit_failure(atrium, request, None, SignInFailure::StateInvalid).await?;
            SignInFailure::StateInvalid
        }
        Err(error) if error.code() == Some(Code::Throttled) => {
            count_failure(request, Some(purpose), SignInFailure::Throttled);
            SignInFailure::Throttled
        }
        Err(error) => return Err(error),
    };
    Ok(redirect_with_failure(request.provider, purpose, failure, None))
}

fn redirect_with_failure(
    provider: Provider,
    purpose: Purpose,
    failure: SignInFailure,
    redirect: Option<&str>,
) -> Response {
    let (provider, failed) = (Some(provider.as_str()), Some(failure.as_str()));
    let to = match purpose {
        Purpose::Bind => {
            with_query("/account/user-info", &[("provider", provider), ("failed", failed)])
        }
        Purpose::Login => {
            let query = [("failed", failed), ("provider", provider), ("redirect", redirect)];
            with_query("/login", &query)
        }
    };
    redirect_to(&to, std::iter::empty::<HeaderValue>())
}

/// Someone who is signed in came to bind an account, which is not a sign-in.
fn count_failure(request: &CallbackRequest, purpose: Option<Purpose>, failure: SignInFailure) {
    if purpose != Some(Purpose::Bind) && request.signed_in.is_none() {
        sign_in_figures::count(super::method(request.provider).as_str(), failure.into());
    }
}

async fn audit_failure(
    atrium: &Tenancy,
    request: &CallbackRequest,
    purpose: Option<Purpose>,
    failure: SignInFailure,
) -> Result<()> {
    count_failure(request, purpose, failure);
    let details = json!({
        "provider": request.provider, "purpose": purpose, "reason": failure.as_str(),
    });
    let event = match &request.signed_in {
        Some(signed_in) => Event::new("account.chat_refused", "user", &signed_in.user().id),
        None => Event::without_target("account.chat_refused", "user"),
    };
    let mut tx = atrium.db.write_relaxed().await?;
    audit::append(&mut tx, &request.actor(), event.with(details)).await?;
    tx.commit().await
}
