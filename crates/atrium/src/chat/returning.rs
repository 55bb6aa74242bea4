//! The way back from a provider: the browser brings our `state` and, unless the person refused, a
//! code. Whatever goes wrong is told in the console, by a word in its address.

use axum::response::Response;
use http::HeaderMap;
use http::header::HeaderValue;
use serde_json::json;

use super::handlers::Callback;
use super::{Ask, Door, Provider, Purpose, Trip, Vendor, store};
use crate::accounts;
use crate::accounts::flow::{self, Returned};
use crate::accounts::login::{self, Outcome, SignIn};
use crate::accounts::session::SignedIn;
use crate::accounts::throttle::{self, Attempt};
use crate::app::AppState;
use crate::audit::{self, Actor, Event};
use crate::error::{Code, Error, Result};
use crate::http::client::Client;
use crate::http::redirect::{leave, with_query};
use crate::notifications::{self, Notice, Recipient};
use crate::types::Id;

/// Longer is no code.
const CODE_MAX: usize = 1024;

pub struct Arrival {
    pub provider: Provider,
    pub headers: HeaderMap,
    pub client: Client,
    pub signed_in: Option<SignedIn>,
    pub query: Callback,
}

/// Why it goes no further: something to tell the person, or a failure of ours.
enum Stop {
    Door(Door),
    Error(Error),
}

impl From<Door> for Stop {
    fn from(door: Door) -> Self {
        Self::Door(door)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        match error.code() {
            Some(Code::Throttled) => Self::Door(Door::Throttled),
            // Disabled while the provider was asked.
            Some(Code::BadCredentials) => Self::Door(Door::AccountDisabled),
            _ => Self::Error(error),
        }
    }
}

pub async fn arrive(atrium: &AppState, arrival: &Arrival) -> Result<Response> {
    let provider = arrival.provider;
    let vendor = atrium.chat.vendor(provider).ok_or(Code::ProviderNotConfigured)?;
    let state = arrival.query.state.as_deref().unwrap_or_default();
    let returned = flow::take::<Trip>(atrium, &arrival.headers, provider.trip(), state).await?;
    let Some(Returned { asked_by, trip }) = returned else {
        return astray(atrium, arrival).await;
    };
    let code = arrival.code().and_then(|code| match &trip.purpose {
        // Before anyone is asked about a code: it may be somebody else's browser.
        Purpose::Bind if !arrival.is_of(asked_by.as_ref()) => Err(Door::WrongUser),
        _ => Ok(code),
    });
    let done = match (code, trip.purpose) {
        (Err(door), _) => Err(door.into()),
        (Ok(code), Purpose::Bind) => bind(atrium, arrival, vendor, &trip, code).await,
        (Ok(code), Purpose::Login) => sign_in(atrium, arrival, vendor, &trip, code).await,
    };
    match done {
        Ok(response) => Ok(response),
        Err(Stop::Error(error)) => Err(error),
        Err(Stop::Door(door)) => {
            note_refusal(atrium, arrival, Some(trip.purpose), door).await?;
            Ok(turn_back(provider, trip.purpose, door, trip.redirect.as_deref()))
        }
    }
}

impl Arrival {
    /// The code, or what came instead of one: WeChat Work brings nothing where someone refused.
    fn code(&self) -> Result<&str, Door> {
        match (self.query.code.as_deref().filter(|code| !code.is_empty()), &self.query.error) {
            (Some(code), None) if code.len() <= CODE_MAX => Ok(code),
            (Some(_), None) => Err(Door::CodeRefused),
            (None, None) => Err(Door::Cancelled),
            (_, Some(error)) if error == "access_denied" => Err(Door::Cancelled),
            (_, Some(_)) => Err(Door::ProviderError),
        }
    }

    /// Whether the browser is signed in as the one who asked, in the session they asked in.
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
        atrium: &AppState,
        trip: &'a Trip,
        code: &'a str,
        callback: &'a str,
    ) -> Ask<'a> {
        Ask {
            code,
            verifier: &trip.verifier,
            callback,
            with_name: trip.purpose == Purpose::Bind,
            now: atrium.now(),
        }
    }
}

async fn bind(
    atrium: &AppState,
    arrival: &Arrival,
    vendor: Vendor<'_>,
    trip: &Trip,
    code: &str,
) -> Result<Response, Stop> {
    let (provider, signed_in) = (arrival.provider, arrival.signed_in.as_ref());
    let signed_in = signed_in.ok_or(Door::WrongUser)?;
    let callback = atrium.settings.server.link(&provider.callback());
    let person = vendor.who(arrival.ask(atrium, trip, code, &callback)).await?;

    let user = signed_in.user();
    let mut tx = atrium.db.write().await?;
    // The provider took its time: whoever was signed out meanwhile gets nothing bound.
    if !accounts::store::hold_session(&mut tx, signed_in.session_id(), &user.id).await? {
        return Err(Door::WrongUser.into());
    }
    if !store::bind(&mut tx, &user.id, provider, &person, atrium.now()).await? {
        let own = store::binding(&mut tx, &user.id, provider).await?;
        let theirs = store::bound_by(&mut tx, provider, &person).await?;
        return match (own, theirs) {
            // A second tab was quicker.
            (_, Some(theirs)) if theirs == user.id => Ok(bound(provider)),
            (Some(_), _) => Err(Door::AlreadyBound.into()),
            (None, _) => Err(Door::BoundElsewhere.into()),
        };
    }
    let details = json!({
        "provider": provider, "tenant": person.tenant, "subject": person.subject,
        "name": person.name,
    });
    let event = Event::new("account.chat_bind", "user", &user.id).with(details);
    audit::append(atrium, &mut tx, &signed_in.actor(), event).await?;
    let notice = Notice::ChatBound { provider, name: person.name };
    notifications::notify(atrium, &mut tx, &Recipient::from(user), &notice).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(bound(provider))
}

fn bound(provider: Provider) -> Response {
    leave(&with_query("/account/user-info", &[("bound", Some(provider.as_str()))]), [])
}

async fn sign_in(
    atrium: &AppState,
    arrival: &Arrival,
    vendor: Vendor<'_>,
    trip: &Trip,
    code: &str,
) -> Result<Response, Stop> {
    let (provider, client, headers) = (arrival.provider, &arrival.client, &arrival.headers);
    let attempt = Attempt::of_address(client);
    throttle::count(atrium, &attempt).await?;
    let callback = atrium.settings.server.link(&provider.callback());
    let person = match vendor.who(arrival.ask(atrium, trip, code, &callback)).await {
        // Not the person's failing: an office must not be slowed down for a provider's bad hour.
        Err(door @ (Door::ProviderUnavailable | Door::ProviderError)) => {
            let mut tx = atrium.db.write_minor().await?;
            throttle::forget(&mut tx, &attempt).await?;
            tx.commit().await?;
            return Err(door.into());
        }
        who => who?,
    };

    let mut tx = atrium.db.write().await?;
    let user_id = store::bound_by(&mut tx, provider, &person).await?.ok_or(Door::NotBound)?;
    let user = accounts::store::user_by_id(&mut tx, &user_id).await?.ok_or(Door::NotBound)?;
    if user.disabled_at.is_some() {
        return Err(Door::AccountDisabled.into());
    }
    let proof = SignIn::by(provider.way(), &user, client, headers);
    let redirect = trip.redirect.as_deref();
    Ok(match login::settle(atrium, tx, &attempt, proof).await? {
        Outcome::SignedIn { cookies, .. } => leave(redirect.unwrap_or("/"), cookies),
        Outcome::SecondStep { cookie } => {
            let query = [("step", Some("mfa")), ("redirect", redirect)];
            leave(&with_query("/login", &query), [cookie])
        }
    })
}

/// A `state` that is nobody's. It can be sent by anyone, as often as they like, so it is written down
/// only so often.
async fn astray(atrium: &AppState, arrival: &Arrival) -> Result<Response> {
    let purpose = if arrival.signed_in.is_some() { Purpose::Bind } else { Purpose::Login };
    let door = match throttle::count_trip(atrium, &arrival.client).await {
        Ok(()) => {
            note_refusal(atrium, arrival, None, Door::StateInvalid).await?;
            Door::StateInvalid
        }
        Err(error) if error.code() == Some(Code::Throttled) => Door::Throttled,
        Err(error) => return Err(error),
    };
    Ok(turn_back(arrival.provider, purpose, door, None))
}

fn turn_back(provider: Provider, purpose: Purpose, door: Door, redirect: Option<&str>) -> Response {
    let (provider, failed) = (Some(provider.as_str()), Some(door.as_str()));
    let to = match purpose {
        Purpose::Bind => {
            with_query("/account/user-info", &[("provider", provider), ("failed", failed)])
        }
        Purpose::Login => {
            let query = [("failed", failed), ("provider", provider), ("redirect", redirect)];
            with_query("/login", &query)
        }
    };
    leave(&to, std::iter::empty::<HeaderValue>())
}

async fn note_refusal(
    atrium: &AppState,
    arrival: &Arrival,
    purpose: Option<Purpose>,
    door: Door,
) -> Result<()> {
    let details = json!({
        "provider": arrival.provider, "purpose": purpose, "reason": door.as_str(),
    });
    let event = match &arrival.signed_in {
        Some(signed_in) => Event::new("account.chat_refused", "user", &signed_in.user().id),
        None => Event::without_target("account.chat_refused", "user"),
    };
    let mut tx = atrium.db.write_minor().await?;
    audit::append(atrium, &mut tx, &arrival.actor(), event.with(details)).await?;
    tx.commit().await
}
