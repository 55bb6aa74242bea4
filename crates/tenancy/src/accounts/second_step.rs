//! The second step of a sign-in: a code of the authenticator app, or a recovery code. The first step is
//! kept for ten minutes, in the browser that completed it, and five wrong codes end it.

use axum::extract::State;
use axum::response::{AppendHeaders, IntoResponse, Response};
use http::HeaderMap;
use http::header::{HeaderValue, SET_COOKIE};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::factors;
use super::login::{self, Second, SignIn, SignInMethod};
use super::ticket::{self, Ticket};
use crate::current_user::CurrentUser;
use crate::notifications::{self, Notice, Recipient};
use crate::sign_in_figures;
use crate::state::Tenancy;
use crate::store::{accounts as store, factors as factor_store, sso};
use crate::throttle::Attempt;
use crate::token::hash_token;
use atrium_core::client::Client;
use atrium_core::db::Write;
use atrium_core::error::{Code, Error, Result};
use atrium_core::http::json::{Data, Json};
use atrium_core::text::Email;
use atrium_core::types::{Id, Millis};

const PURPOSE: &str = "login_second_step";
const LIFETIME: i64 = 10 * Millis::MINUTE;
const TRIES: i64 = 5;

/// The first step.
#[derive(Serialize, Deserialize)]
struct FirstStep {
    #[serde(rename = "way")]
    method: SignInMethod,
    /// The organization whose provider vouched for the person, and a mark of that provider.
    through: Option<(Id, String)>,
}

/// Stores the first step and asks for the second. The attempt stays counted until both are done;
/// otherwise someone with the password could try codes forever.
pub async fn ask(atrium: &Tenancy, mut tx: Write, sign_in: &SignIn<'_>) -> Result<HeaderValue> {
    let user = sign_in.user;
    let email = Email::new(&user.email);
    let ticket = Ticket {
        purpose: PURPOSE,
        lifetime: LIFETIME,
        user_id: Some(&user.id),
        email: Some(&email.normalized),
    };
    let through = match sign_in.through {
        Some(org_id) => sso::provider_mark(&mut tx, org_id).await?,
        None => None,
    };
    let through = sign_in.through.cloned().zip(through);
    let first = FirstStep { method: sign_in.method, through };
    let token = ticket::issue(atrium, &mut tx, ticket, &first).await?;
    tx.commit().await?;
    Ok(atrium.mfa_cookie.set(&token, LIFETIME / Millis::SECOND))
}

#[derive(Deserialize, ToSchema)]
pub struct MfaLogin {
    /// Six digits of the authenticator app, or a recovery code.
    #[schema(example = "042137")]
    code: String,
}

/// Finishes a sign-in with a second factor. 410 if there is no first step left to finish.
#[utoipa::path(
    post,
    path = "/api/v1/login/mfa",
    operation_id = "login_mfa",
    tag = "account",
    security(()),
    request_body = MfaLogin,
    responses((status = 200, body = Data<CurrentUser>, description = "Signed in; sets the session cookie"), (status = 401), (status = 410), (status = 429))
)]
pub async fn login_mfa(
    State(atrium): State<Tenancy>,
    client: Client,
    headers: HeaderMap,
    Json(input): Json<MfaLogin>,
) -> Result<Response> {
    let gone = || Error::from(Code::TokenGone);
    let token = hash_token(atrium.mfa_cookie.read(&headers).ok_or_else(gone)?);
    let now = atrium.now();
    let row = store::live_token(&mut *atrium.db.read().await?, &token, now).await?;
    let row = row.filter(|row| row.purpose == PURPOSE).ok_or_else(gone)?;
    let email = Email::new(row.email.as_deref().unwrap_or_default());
    let attempt = Attempt::of(&atrium, &email, &client, &headers).after_first_step();
    login::admit(&atrium, &attempt, sign_in_figures::SECOND_FACTOR).await?;

    let row = {
        let mut tx = atrium.db.write_uncached().await?;
        let row = store::try_token(&mut tx, PURPOSE, &token, now, TRIES).await?;
        tx.commit().await?;
        row.ok_or_else(gone)?
    };
    let user_id = row.user_id.as_ref().ok_or_else(gone)?;
    let mut tx = atrium.db.write().await?;
    let user = store::user_by_id(&mut tx, user_id).await?;
    let user = user.filter(|user| user.disabled_at.is_none()).ok_or_else(gone)?;
    let Some(second) = factors::codes::spend(&atrium, &mut tx, &user.id, &input.code).await? else {
        drop(tx);
        login::note_failure(&atrium, Some(&email), &client, sign_in_figures::SECOND_FACTOR).await?;
        return Err(Code::BadCode.into());
    };
    if !store::use_token(&mut tx, &row.id, now).await? {
        return Err(gone());
    }
    if second == Second::RecoveryCode {
        let left = factor_store::recovery_codes_left(&mut tx, &user.id).await?;
        let notice = Notice::RecoveryCodeUsed { left };
        notifications::notify(&atrium, &mut tx, &Recipient::from(&user), &notice).await?;
    }
    let first: FirstStep = ticket::open(&atrium, &row)?;
    // The provider may have been removed while the person entered the code.
    if let Some((org_id, mark)) = &first.through
        && sso::provider_mark(&mut tx, org_id).await?.as_ref() != Some(mark)
    {
        return Err(gone());
    }
    let sign_in = SignIn {
        second: Some(second),
        through: first.through.as_ref().map(|(org_id, _)| org_id),
        ..SignIn::by(first.method, &user, &client, &headers)
    };
    let answer = login::finish(&atrium, tx, &attempt, sign_in).await?;
    atrium.outbox.wake();
    Ok((AppendHeaders([(SET_COOKIE, atrium.mfa_cookie.clear())]), answer).into_response())
}
