//! Signing in with a code sent by mail. The code works for ten minutes, in the browser that requested it,
//! and five wrong attempts invalidate it.

use axum::extract::State;
use axum::response::{AppendHeaders, IntoResponse, Response};
use http::HeaderMap;
use http::header::SET_COOKIE;
use serde::Deserialize;
use subtle::ConstantTimeEq;
use utoipa::ToSchema;

use super::login::{self, LoginAnswer, SignIn, SignInMethod};
use super::mailed_tokens::{self, MailRequest, MailedToken};
use super::user_locale;
use crate::state::Tenancy;
use crate::store::accounts as store;
use crate::throttle::Attempt;
use crate::token::{hash_text, hash_token, new_token};
use atrium_core::client::Client;
use atrium_core::error::{Code, Result};
use atrium_core::http::json::{Data, Done, Json};
use atrium_core::keyring::mac;
use atrium_core::locale::Locale;
use atrium_core::mail::templates;
use atrium_core::text::Email;
use atrium_core::types::Millis;

pub const PURPOSE: &str = "login_code";
const LIFETIME: i64 = 10 * Millis::MINUTE;
const TRIES: i64 = 5;

/// Mails a code to the address, if it has an account. The answer is the same if it has none.
#[utoipa::path(
    post,
    path = "/api/v1/send-login-code-email",
    operation_id = "login_code_send",
    tag = "account",
    security(()),
    request_body = MailRequest,
    responses((status = 200, body = Data<Done>, description = "Sets the cookie that the code is bound to"), (status = 429))
)]
pub async fn login_code_send(
    State(atrium): State<Tenancy>,
    client: Client,
    locale: Locale,
    Json(input): Json<MailRequest>,
) -> Result<impl IntoResponse> {
    let email = input.admit(&atrium, PURPOSE, &client).await?;
    let user = mailed_tokens::account(&atrium, &email).await?;
    let (token, code) = (new_token(&atrium), new_code(&atrium));
    let letter = MailedToken {
        purpose: PURPOSE,
        lifetime: LIFETIME,
        token: &token,
        code_hash: Some(&hash_code(&atrium, &token, &code)),
        email: Some(&email.normalized),
        user: user.as_ref(),
        to: user.as_ref().map(|user| user.email.as_str()),
        letter: templates::login_code(user_locale(user.as_ref(), locale), &code),
    };
    mailed_tokens::send(&atrium, letter).await?;
    let cookie = atrium.code_cookie.set(&token, LIFETIME / Millis::SECOND);
    Ok((AppendHeaders([(SET_COOKIE, cookie)]), Data(Done {})))
}

#[derive(Deserialize, ToSchema)]
pub struct CodeLogin {
    email: String,
    #[schema(example = "042137")]
    code: String,
}

/// Signs in with a code. A wrong, used, expired or foreign code all get the same answer.
#[utoipa::path(
    post,
    path = "/api/v1/login-by-email-code",
    operation_id = "login_by_code",
    tag = "account",
    security(()),
    request_body = CodeLogin,
    responses((status = 200, body = Data<LoginAnswer>, description = "Signed in; sets the session cookie"), (status = 401), (status = 429))
)]
pub async fn login_by_code(
    State(atrium): State<Tenancy>,
    client: Client,
    headers: HeaderMap,
    Json(input): Json<CodeLogin>,
) -> Result<Response> {
    let email = Email::new(&input.email);
    let attempt = Attempt::of(&atrium, &email, &client, &headers);
    login::admit(&atrium, &attempt, SignInMethod::EmailCode.as_str()).await?;
    let Some((token_id, user)) = check(&atrium, &headers, &email, &input.code).await? else {
        return Err(login::failed(&atrium, Some(&email), &client, SignInMethod::EmailCode).await?);
    };
    let mut tx = atrium.db.write().await?;
    if !store::use_token(&mut tx, &token_id, atrium.now()).await? {
        return Err(Code::BadCode.into());
    }
    let sign_in = SignIn::by(SignInMethod::EmailCode, &user, &client, &headers);
    login::finish(&atrium, tx, &attempt, sign_in).await
}

/// Counts an attempt, whatever its result, before checking the code.
async fn check(
    atrium: &Tenancy,
    headers: &HeaderMap,
    email: &Email,
    code: &str,
) -> Result<Option<(atrium_core::types::Id, store::UserRow)>> {
    let Some(token) = atrium.code_cookie.read(headers) else { return Ok(None) };
    let mut tx = atrium.db.write_uncached().await?;
    let hash = hash_token(token);
    let row = store::try_token(&mut tx, PURPOSE, &hash, atrium.now(), TRIES).await?;
    tx.commit().await?;
    let row = row.filter(|row| row.email.as_deref() == Some(email.normalized.as_str()));
    let Some(row) = row else { return Ok(None) };
    let given = hash_code(atrium, token, code.trim());
    let expected = row.code_hash.unwrap_or_default();
    let matches = bool::from(given.as_bytes().ct_eq(expected.as_bytes()));
    let Some(user_id) = row.user_id.filter(|_| matches) else { return Ok(None) };
    let user = store::user_by_id(&mut *atrium.db.read().await?, &user_id).await?;
    Ok(user.filter(|user| user.disabled_at.is_none()).map(|user| (row.id, user)))
}

/// Six digits. 2^64 is so much larger than a million that no code is noticeably likelier than another.
fn new_code(atrium: &Tenancy) -> String {
    format!("{:06}", u64::from_be_bytes(atrium.entropy.bytes()) % 1_000_000)
}

/// Keyed, because hashing a million codes is quick, and bound to the browser's token.
fn hash_code(atrium: &Tenancy, token: &str, code: &str) -> String {
    let hash = mac(&atrium.keyring.derive(PURPOSE), &[token.as_bytes(), b"\n", code.as_bytes()]);
    hash_text(&hash)
}
