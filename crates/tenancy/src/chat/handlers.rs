//! Binding, signing in and unbinding. The providers' calls differ only in their paths.

use axum::extract::State;
use axum::response::{AppendHeaders, IntoResponse, Response};
use http::HeaderMap;
use http::header::SET_COOKIE;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use super::callback::{self, CallbackRequest};
use super::{OAuthFlow, Provider, Purpose, remaining_methods};
use crate::accounts::flow;
use crate::notifications::{self, Notice, Recipient};
use crate::session::{MaybeSignedIn, RecentlySignedIn, SignedIn};
use crate::state::Tenancy;
use crate::store::{accounts, chat as store};
use crate::throttle;
use crate::token::new_token;
use atrium_core::audit::{self, Event};
use atrium_core::client::Client;
use atrium_core::error::{Code, Result};
use atrium_core::http::json::{Data, Done, Query};
use atrium_core::http::redirect;
use atrium_core::locale::Locale;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuthorizeQuery {
    /// Binding an account requires a recent sign-in. By default `bind` for someone who is signed in, and
    /// `login` for everyone else.
    #[param(inline)]
    purpose: Option<Purpose>,
    /// Where to go once signed in: a page of the console, or a URL below a region's endpoint.
    redirect: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct AuthorizeUrl {
    /// The provider's page, for the browser to open.
    url: String,
}

/// The parameters with which the provider sends the browser back.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Callback {
    /// Missing if the person declined.
    pub code: Option<String>,
    pub state: Option<String>,
    pub error: Option<String>,
}

/// Starts a trip to WeChat Work, to bind an account there or to sign in with a bound one.
#[utoipa::path(
    get,
    path = "/api/v1/wechatwork/authorize/url",
    operation_id = "wechatwork_authorize_url",
    tag = "account",
    security(()),
    params(AuthorizeQuery),
    responses((status = 200, body = Data<AuthorizeUrl>, description = "Sets a cookie that the callback needs"), (status = 401), (status = 403), (status = 404), (status = 409), (status = 429))
)]
pub async fn wechatwork_authorize_url(
    State(atrium): State<Tenancy>,
    MaybeSignedIn(signed_in): MaybeSignedIn,
    client: Client,
    headers: HeaderMap,
    locale: Locale,
    Query(query): Query<AuthorizeQuery>,
) -> Result<Response> {
    let setting_out = StartContext { signed_in, client, headers, locale, query };
    set_out(&atrium, Provider::Wechatwork, setting_out).await
}

/// Starts a trip to Feishu, to bind an account there or to sign in with a bound one.
#[utoipa::path(
    get,
    path = "/api/v1/feishu/authorize/url",
    operation_id = "feishu_authorize_url",
    tag = "account",
    security(()),
    params(AuthorizeQuery),
    responses((status = 200, body = Data<AuthorizeUrl>, description = "Sets a cookie that the callback needs"), (status = 401), (status = 403), (status = 404), (status = 409), (status = 429))
)]
pub async fn feishu_authorize_url(
    State(atrium): State<Tenancy>,
    MaybeSignedIn(signed_in): MaybeSignedIn,
    client: Client,
    headers: HeaderMap,
    locale: Locale,
    Query(query): Query<AuthorizeQuery>,
) -> Result<Response> {
    let setting_out = StartContext { signed_in, client, headers, locale, query };
    set_out(&atrium, Provider::Feishu, setting_out).await
}

/// Where WeChat Work sends the browser back to. Binds or signs in, and redirects to the console.
#[utoipa::path(
    get,
    path = "/api/v1/wechatwork/callback",
    operation_id = "wechatwork_callback",
    tag = "account",
    security(()),
    params(Callback),
    responses((status = 303, description = "Redirects to the console, which shows the outcome"), (status = 404))
)]
pub async fn wechatwork_callback(
    State(atrium): State<Tenancy>,
    MaybeSignedIn(signed_in): MaybeSignedIn,
    client: Client,
    headers: HeaderMap,
    query: Result<Query<Callback>>,
) -> Result<Response> {
    let query = readable(query);
    let provider = Provider::Wechatwork;
    callback::handle(&atrium, &CallbackRequest { provider, headers, client, signed_in, query })
        .await
}

/// Where Feishu sends the browser back to. Binds or signs in, and redirects to the console.
#[utoipa::path(
    get,
    path = "/api/v1/feishu/callback",
    operation_id = "feishu_callback",
    tag = "account",
    security(()),
    params(Callback),
    responses((status = 303, description = "Redirects to the console, which shows the outcome"), (status = 404))
)]
pub async fn feishu_callback(
    State(atrium): State<Tenancy>,
    MaybeSignedIn(signed_in): MaybeSignedIn,
    client: Client,
    headers: HeaderMap,
    query: Result<Query<Callback>>,
) -> Result<Response> {
    let query = readable(query);
    let provider = Provider::Feishu;
    callback::handle(&atrium, &CallbackRequest { provider, headers, client, signed_in, query })
        .await
}

/// Unbinds the person's WeChat Work account. Refused if they could no longer sign in.
#[utoipa::path(
    post,
    path = "/api/v1/wechatwork/authorize/cancel",
    operation_id = "wechatwork_authorize_cancel",
    tag = "account",
    security(("session" = [])),
    responses((status = 200, body = Data<Done>), (status = 404), (status = 409))
)]
pub async fn wechatwork_authorize_cancel(
    State(atrium): State<Tenancy>,
    RecentlySignedIn(signed_in): RecentlySignedIn,
) -> Result<Data<Done>> {
    unbind(&atrium, Provider::Wechatwork, &signed_in).await
}

/// Unbinds the person's Feishu account. Refused if they could no longer sign in.
#[utoipa::path(
    post,
    path = "/api/v1/feishu/authorize/cancel",
    operation_id = "feishu_authorize_cancel",
    tag = "account",
    security(("session" = [])),
    responses((status = 200, body = Data<Done>), (status = 404), (status = 409))
)]
pub async fn feishu_authorize_cancel(
    State(atrium): State<Tenancy>,
    RecentlySignedIn(signed_in): RecentlySignedIn,
) -> Result<Data<Done>> {
    unbind(&atrium, Provider::Feishu, &signed_in).await
}

/// Treats an unreadable query as empty: the browser is waiting for a page all the same.
fn readable(query: Result<Query<Callback>>) -> Callback {
    query.map_or_else(|_| Callback::default(), |Query(query)| query)
}

struct StartContext {
    signed_in: Option<SignedIn>,
    client: Client,
    headers: HeaderMap,
    locale: Locale,
    query: AuthorizeQuery,
}

async fn set_out(atrium: &Tenancy, provider: Provider, from: StartContext) -> Result<Response> {
    let AuthorizeQuery { purpose, redirect } = from.query;
    let meant = if from.signed_in.is_some() { Purpose::Bind } else { Purpose::Login };
    let purpose = purpose.unwrap_or(meant);
    let asked_by = match purpose {
        Purpose::Bind => Some(from.signed_in.ok_or(Code::NotSignedIn)?),
        Purpose::Login => None,
    };
    let vendor = atrium.chat.vendor(provider).ok_or(Code::ProviderNotConfigured)?;
    if let Some(signed_in) = &asked_by {
        signed_in.want_recent(atrium)?;
        let mut db = atrium.db.read().await?;
        if store::binding(&mut db, &signed_in.user().id, provider).await?.is_some() {
            return Err(Code::AlreadyBound.into());
        }
    }
    throttle::count_trip(atrium, &from.client).await?;
    let redirect = redirect.and_then(|raw| redirect::checked(&atrium.settings, &raw));
    let flow = OAuthFlow { purpose, redirect, verifier: new_token(atrium) };
    let begun =
        flow::begin(atrium, &from.headers, super::flow_purpose(provider), asked_by.as_ref(), &flow)
            .await?;
    let callback = atrium.settings.server.link(&super::callback_path(provider));
    let url = vendor.page(&callback, &begun.state, &flow.verifier, from.locale).to_string();
    Ok((AppendHeaders([(SET_COOKIE, begun.cookie)]), Data(AuthorizeUrl { url })).into_response())
}

/// Also works for a provider that was removed from the settings.
async fn unbind(atrium: &Tenancy, provider: Provider, signed_in: &SignedIn) -> Result<Data<Done>> {
    let user = signed_in.user();
    let mut tx = atrium.db.write().await?;
    // Locked, so that two requests cannot remove the last two methods at once.
    if !accounts::lock_user(&mut tx, &user.id, None).await? {
        return Err(Code::NotSignedIn.into());
    }
    let Some(binding) = store::binding(&mut tx, &user.id, provider).await? else {
        let known = atrium.chat.is_configured(provider);
        return Err(if known { Code::NotBound } else { Code::ProviderNotConfigured }.into());
    };
    let row = accounts::user_by_id(&mut tx, &user.id).await?.ok_or(Code::NotSignedIn)?;
    if !remaining_methods::any_left(atrium, &mut tx, &row, provider).await? {
        return Err(Code::LastWayIn.into());
    }
    store::unbind(&mut tx, &user.id, provider).await?;
    let details = json!({
        "provider": provider, "tenant": binding.tenant, "subject": binding.subject,
        "name": binding.name,
    });
    let event = Event::new("account.chat_unbind", "user", &user.id).with(details);
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    let notice = Notice::ChatUnbound { provider, name: binding.name };
    notifications::notify(atrium, &mut tx, &Recipient::from(user), &notice).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(Done {}))
}
