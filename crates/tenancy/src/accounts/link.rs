//! A one-time sign-in link that an operator prints for someone who cannot get in otherwise. It replaces
//! the password; a second factor is still required.

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use serde::Deserialize;
use utoipa::ToSchema;

use super::login::{self, LoginAnswer, SignIn, SignInMethod};
use crate::state::Tenancy;
use crate::store::accounts::{self as store, NewToken, UserRow};
use crate::throttle::Attempt;
use crate::token::{hash_token, new_token};
use atrium_core::audit::{self, Actor, Event};
use atrium_core::client::Client;
use atrium_core::error::Result;
use atrium_core::http::json::{Data, Json};
use atrium_core::text::Email;
use atrium_core::types::Millis;

const PURPOSE: &str = "login_link";
const LIFETIME: i64 = 15 * Millis::MINUTE;

/// Makes a link that signs `email` in once. None if there is no such account or it is disabled.
pub async fn make(atrium: &Tenancy, email: &str) -> Result<Option<(UserRow, String)>> {
    let mut tx = atrium.db.write_uncached().await?;
    let user = store::user_by_email(&mut tx, &Email::new(email)).await?;
    let Some(user) = user.filter(|user| user.disabled_at.is_none()) else { return Ok(None) };
    let token = new_token(atrium);
    let now = atrium.now();
    let row = NewToken {
        id: &atrium.new_id(),
        purpose: PURPOSE,
        hash: &hash_token(&token),
        email: Some(&user.email),
        user_id: Some(&user.id),
        code_hash: None,
        payload: None,
        at: now,
        expires_at: now.plus(LIFETIME),
    };
    store::insert_token(&mut tx, row).await?;
    let event = Event::new("account.sign_in_link", "user", &user.id);
    audit::append(&mut tx, &Actor::operator(), event).await?;
    tx.commit().await?;
    // After the #, so that no server or proxy on the way logs it.
    let link = atrium.settings.server.link(&format!("/login#link={token}"));
    Ok(Some((user, link)))
}

#[derive(Deserialize, ToSchema)]
pub struct LinkLogin {
    token: String,
}

/// Signs in with an operator's link. 410 when it was used or has expired.
#[utoipa::path(
    post,
    path = "/api/v1/login/link",
    operation_id = "login_by_link",
    tag = "account",
    security(()),
    request_body = LinkLogin,
    responses((status = 200, body = Data<LoginAnswer>, description = "Signed in; sets the session cookie"), (status = 401), (status = 410), (status = 429))
)]
pub async fn login_by_link(
    State(atrium): State<Tenancy>,
    client: Client,
    headers: HeaderMap,
    Json(input): Json<LinkLogin>,
) -> Result<Response> {
    let attempt = Attempt::of_address(&client);
    login::admit(&atrium, &attempt, SignInMethod::Link.as_str()).await?;
    let now = atrium.now();
    let mut tx = atrium.db.write().await?;
    let row = store::live_token(&mut tx, &hash_token(&input.token), now).await?;
    let row = row.filter(|row| row.purpose == PURPOSE);
    let mut user = None;
    if let Some(user_id) = row.as_ref().and_then(|row| row.user_id.as_ref()) {
        user = store::user_by_id(&mut tx, user_id).await?;
    }
    let user = user.filter(|user| user.disabled_at.is_none());
    let (Some(row), Some(user)) = (row, user) else {
        drop(tx);
        return Err(login::failed(&atrium, None, &client, SignInMethod::Link).await?);
    };
    if !store::use_token(&mut tx, &row.id, now).await? {
        drop(tx);
        return Err(login::failed(&atrium, None, &client, SignInMethod::Link).await?);
    }
    let sign_in = SignIn::by(SignInMethod::Link, &user, &client, &headers);
    login::finish(&atrium, tx, &attempt, sign_in).await
}
