//! Sign in with a password, sign out.

use axum::extract::State;
use axum::response::{AppendHeaders, IntoResponse, Response};
use http::HeaderMap;
use http::header::SET_COOKIE;
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::CurrentUser;
use super::session::{self, MaybeSignedIn};
use super::store::{self, UserRow};
use super::throttle::{self, Attempt};
use crate::app::AppState;
use crate::audit::{self, Actor, Event};
use crate::db::Write;
use crate::error::{Code, Error, Result};
use crate::http::client::Client;
use crate::http::json::{Data, Done, Json};
use crate::http::text::Email;

#[derive(Deserialize, ToSchema)]
pub struct Login {
    pub email: String,
    #[schema(format = "password")]
    pub password: String,
}

/// Signs in with an address and a password. What is wrong with them is never told.
#[utoipa::path(
    post,
    path = "/api/v1/login",
    operation_id = "login",
    tag = "account",
    security(()),
    request_body = Login,
    responses((status = 200, body = Data<CurrentUser>, description = "Signed in; sets the session cookie"))
)]
pub async fn login(
    State(atrium): State<AppState>,
    client: Client,
    headers: HeaderMap,
    Json(input): Json<Login>,
) -> Result<Response> {
    let email = Email::new(&input.email);
    let attempt = Attempt::of(&atrium, &email, &client, &headers);
    throttle::count(&atrium, &attempt).await?;

    let user = store::user_by_email(&mut *atrium.db.read().await?, &email).await?;
    let stored = user.as_ref().and_then(|user| user.password_hash.clone());
    let matches = atrium.hasher.verify(input.password, stored).await?;
    // A disabled account answers like a wrong password: whether it exists is nobody's business.
    let Some(user) = user.filter(|user| matches && user.disabled_at.is_none()) else {
        return Err(failed(&atrium, &email, &client, Way::Password).await?);
    };
    let tx = atrium.db.write().await?;
    finish(&atrium, tx, &headers, &client, &user, &attempt, Way::Password).await
}

/// By what someone signs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Password,
    EmailCode,
}

impl Way {
    fn as_str(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::EmailCode => "email_code",
        }
    }
}

/// Starts the session of someone who has proven who they are, in the transaction that used the
/// proof up.
pub async fn finish(
    atrium: &AppState,
    mut tx: Write,
    headers: &HeaderMap,
    client: &Client,
    user: &UserRow,
    attempt: &Attempt,
    way: Way,
) -> Result<Response> {
    let cookie = session::begin(atrium, &mut tx, headers, &user.id, client).await?;
    throttle::forget(&mut tx, attempt).await?;
    let actor = Actor::user(user.id.clone(), client);
    let event = Event::new("account.sign_in", "user", &user.id);
    audit::append(atrium, &mut tx, &actor, event.with(json!({ "by": way.as_str() }))).await?;
    let current = store::current_user(atrium, &mut tx, &user.id).await?;
    let current = current.ok_or(Code::BadCredentials)?;
    tx.commit().await?;
    let device = throttle::device_cookie(atrium, &Email::new(&user.email), headers);
    let cookies = AppendHeaders([(SET_COOKIE, cookie), (SET_COOKIE, device)]);
    Ok((cookies, Data(current)).into_response())
}

/// Notes a failed try. Known and unknown addresses leave the same trace, a keyed hash, so that
/// neither the time it takes nor the log tells them apart to anyone without the key.
pub async fn failed(atrium: &AppState, email: &Email, client: &Client, way: Way) -> Result<Error> {
    let account = throttle::account_mark(atrium, email);
    let mut tx = atrium.db.write_minor().await?;
    let event = Event::without_target("account.sign_in_failed", "user");
    let event = event.with(json!({ "by": way.as_str(), "account": account }));
    audit::append(atrium, &mut tx, &Actor::anonymous(client), event).await?;
    tx.commit().await?;
    Ok(match way {
        Way::Password => Code::BadCredentials.into(),
        Way::EmailCode => Code::BadCode.into(),
    })
}

/// Signs out: the session is dead on the server, and the cookie is cleared. Does nothing, and
/// says so with the same answer, for someone who is not signed in.
#[utoipa::path(
    post,
    path = "/api/v1/logout",
    operation_id = "logout",
    tag = "account",
    security(()),
    responses((status = 200, body = Data<Done>, description = "Signed out; clears the session cookie"))
)]
pub async fn logout(
    State(atrium): State<AppState>,
    MaybeSignedIn(signed_in): MaybeSignedIn,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Error> {
    if let Some(signed_in) = signed_in {
        let mut tx = atrium.db.write().await?;
        session::end(&atrium, &mut tx, &headers).await?;
        let event = Event::new("account.sign_out", "user", &signed_in.user().id);
        audit::append(&atrium, &mut tx, &signed_in.actor(), event).await?;
        tx.commit().await?;
    }
    Ok(([(SET_COOKIE, atrium.session_cookie.clear())], Data(Done {})))
}
