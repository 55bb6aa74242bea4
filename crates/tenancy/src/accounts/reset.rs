//! A forgotten password: a mailed link, and the new password set with it.

use axum::body::HttpBody as _;
use axum::extract::{FromRequest, FromRequestParts, Request, State};
use http::header::CONTENT_TYPE;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::mailed_tokens::{self, MailRequest, MailedToken};
use super::{password_check, user_locale};
use crate::notifications::{self, Notice, Recipient};
use crate::password;
use crate::state::Tenancy;
use crate::store::accounts as store;
use crate::token::{hash_token, new_token};
use atrium_core::audit::{self, Actor, Event};
use atrium_core::client::Client;
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::http::json::{Data, Done, Json, Query};
use atrium_core::locale::Locale;
use atrium_core::mail::templates;
use atrium_core::text::Checks;
use atrium_core::types::Millis;

pub const PURPOSE: &str = "password_reset";
const LIFETIME: i64 = Millis::HOUR;

/// Mails a link to set a new password, if the address has an account. The answer is the same if it
/// has none.
#[utoipa::path(
    post,
    path = "/api/v1/password/forget",
    operation_id = "password_forget",
    tag = "account",
    security(()),
    request_body = MailRequest,
    responses((status = 200, body = Data<Done>), (status = 429))
)]
pub async fn password_forget(
    State(atrium): State<Tenancy>,
    client: Client,
    locale: Locale,
    Json(input): Json<MailRequest>,
) -> Result<Data<Done>> {
    let email = input.admit(&atrium, PURPOSE, &client).await?;
    let user = mailed_tokens::account(&atrium, &email).await?;
    let token = new_token(&atrium);
    let link = atrium.settings.server.link(&format!("/pwdReset/{token}"));
    let address = user.as_ref().map(|user| user.email.as_str());
    let letter = MailedToken {
        purpose: PURPOSE,
        lifetime: LIFETIME,
        token: &token,
        code_hash: None,
        email: address,
        user: user.as_ref(),
        to: address,
        letter: templates::password_reset(user_locale(user.as_ref(), locale), &link),
    };
    mailed_tokens::send(&atrium, letter).await?;
    Ok(Data(Done {}))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ResetTokenQuery {
    token: String,
}

#[derive(Serialize, ToSchema)]
pub struct ResetTokenView {
    email: String,
}

/// Whose password a link resets. 410 when it was used or has expired.
#[utoipa::path(
    get,
    path = "/api/v1/password/reset/token",
    operation_id = "password_reset_token_view",
    tag = "account",
    security(()),
    params(ResetTokenQuery),
    responses((status = 200, body = Data<ResetTokenView>), (status = 410))
)]
pub async fn password_reset_token_view(
    State(atrium): State<Tenancy>,
    Query(query): Query<ResetTokenQuery>,
) -> Result<Data<ResetTokenView>> {
    let (_, user) = live(&atrium, &query.token).await?;
    Ok(Data(ResetTokenView { email: user.email }))
}

#[derive(Deserialize, IntoParams, ToSchema)]
#[into_params(parameter_in = Query)]
pub struct Reset {
    token: String,
    #[schema(format = "password")]
    password: String,
}

/// Sets a new password and ends every session of the account. Takes its two parameters in the query
/// string or in a JSON body; the body is preferable.
#[utoipa::path(
    post,
    path = "/api/v1/password/reset",
    operation_id = "password_reset",
    tag = "account",
    security(()),
    params(
        ("token" = Option<String>, Query, description = "In place of the body's"),
        ("password" = Option<String>, Query, description = "In place of the body's"),
    ),
    request_body = Option<Reset>,
    responses((status = 200, body = Data<Done>), (status = 410))
)]
pub async fn password_reset(
    State(atrium): State<Tenancy>,
    client: Client,
    request: Request,
) -> Result<Data<Done>> {
    let input = read_input(request).await?;
    let (token, user) = live(&atrium, &input.token).await?;
    let about = {
        let mut db = atrium.db.read().await?;
        password_check::about_account(&mut db, &user.id, &user.email, &user.name).await?
    };
    let about: Vec<&str> = about.iter().map(String::as_str).collect();
    let mut checks = Checks::default();
    password::check_new(&mut checks, "password", &input.password, &about);
    checks.finish()?;
    let hash = atrium.hasher.hash(input.password).await?;

    let mut tx = atrium.db.write().await?;
    if !store::use_token(&mut tx, &token.id, atrium.now()).await? {
        return Err(Code::TokenGone.into());
    }
    store::update_password(&mut tx, &user.id, &hash).await?;
    store::delete_sessions_of(&mut tx, &user.id, None).await?;
    store::delete_tokens_of(&mut tx, &user.id).await?;
    let event = Event::new("account.password_reset", "user", &user.id);
    audit::append(&mut tx, &Actor::user(user.id.clone(), &client), event).await?;
    let notice = Notice::PasswordChanged;
    notifications::notify(&atrium, &mut tx, &Recipient::from(&user), &notice).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(Done {}))
}

async fn read_input(request: Request) -> Result<Reset> {
    let has_query = request.uri().query().is_some_and(|query| query.contains("token="));
    if has_query {
        let (mut parts, _) = request.into_parts();
        let Query(input) = Query::from_request_parts(&mut parts, &()).await?;
        return Ok(input);
    }
    // No parameters in either place.
    if request.body().is_end_stream() && !request.headers().contains_key(CONTENT_TYPE) {
        return Err(Fault::new(Code::Required).on("token").into());
    }
    let Json(input): Json<Reset> = Json::from_request(request, &()).await?;
    Ok(input)
}

/// A link that still works, and its account.
async fn live(atrium: &Tenancy, token: &str) -> Result<(store::TokenRow, store::UserRow)> {
    let mut db = atrium.db.read().await?;
    let token = store::live_token(&mut db, &hash_token(token), atrium.now()).await?;
    let token = token.filter(|token| token.purpose == PURPOSE);
    let gone = || Error::from(Code::TokenGone);
    let token = token.ok_or_else(gone)?;
    let user_id = token.user_id.as_ref().ok_or_else(gone)?;
    let user = store::user_by_id(&mut db, user_id).await?;
    let user = user.filter(|user| user.disabled_at.is_none()).ok_or_else(gone)?;
    Ok((token, user))
}
