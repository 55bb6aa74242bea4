//! Sign in with a password, sign out, and the last steps shared by every sign-in method.

use axum::extract::State;
use axum::response::{AppendHeaders, IntoResponse, Response};
use http::HeaderMap;
use http::header::{HeaderValue, SET_COOKIE};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::second_step;
use crate::current_user::CurrentUser;
use crate::notifications::{self, Notice, Recipient};
use crate::session::{self, MaybeSignedIn};
use crate::sign_in_figures::{self, SignInResult};
use crate::state::Tenancy;
use crate::store::accounts::{self as store, UserRow};
use crate::store::factors;
use crate::throttle::{self, Attempt};
use atrium_core::audit::{self, Actor, Event};
use atrium_core::client::Client;
use atrium_core::db::Write;
use atrium_core::error::{Code, Error, Result};
use atrium_core::http::json::{Data, Done, Json};
use atrium_core::http::user_agent;
use atrium_core::text::Email;
use atrium_core::timezone;
use atrium_core::types::{Id, Millis};

#[derive(Deserialize, ToSchema)]
pub struct Login {
    pub email: String,
    #[schema(format = "password")]
    pub password: String,
}

/// The answer to signing in: the person, or that a second step is required.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum LoginAnswer {
    User(Box<CurrentUser>),
    SecondStep(MfaRequired),
}

#[derive(Serialize, ToSchema)]
pub struct MfaRequired {
    /// Always true: go on with POST /login/mfa.
    pub mfa_required: bool,
}

/// Signs in with an address and a password. The answer never says which of them is wrong.
#[utoipa::path(
    post,
    path = "/api/v1/login",
    operation_id = "login",
    tag = "account",
    security(()),
    request_body = Login,
    responses((status = 200, body = Data<LoginAnswer>, description = "Signed in; sets the session cookie"), (status = 401), (status = 429))
)]
pub async fn login(
    State(atrium): State<Tenancy>,
    client: Client,
    headers: HeaderMap,
    Json(input): Json<Login>,
) -> Result<Response> {
    let email = Email::new(&input.email);
    let attempt = Attempt::of(&atrium, &email, &client, &headers);
    admit(&atrium, &attempt, SignInMethod::Password.as_str()).await?;

    let user = store::user_by_email(&mut *atrium.db.read().await?, &email).await?;
    let stored = user.as_ref().and_then(|user| user.password_hash.clone());
    let matches = atrium.hasher.verify(input.password, stored).await?;
    // A disabled account answers like a wrong password, so that the answer does not reveal it.
    let Some(user) = user.filter(|user| matches && user.disabled_at.is_none()) else {
        return Err(failed(&atrium, Some(&email), &client, SignInMethod::Password).await?);
    };
    let tx = atrium.db.write().await?;
    let sign_in = SignIn::by(SignInMethod::Password, &user, &client, &headers);
    finish(&atrium, tx, &attempt, sign_in).await
}

/// The method of a sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignInMethod {
    Password,
    EmailCode,
    /// A link printed by an operator.
    Link,
    /// Something a person has, unlocked by something they are or know: two factors in one.
    Passkey,
    /// An organization's own identity provider.
    Sso,
    /// A work-chat account that the person bound.
    Wechatwork,
    Feishu,
}

impl SignInMethod {
    /// The name used in metrics, which count methods before they happen.
    pub fn as_str(self) -> &'static str {
        // Variants are in the order of `METHODS`.
        sign_in_figures::METHODS[self as usize]
    }
}

/// Counts an attempt before its proof is checked, or refuses it and says how long to wait.
pub async fn admit(atrium: &Tenancy, attempt: &Attempt, by: &'static str) -> Result<()> {
    let counted = throttle::count(atrium, attempt).await;
    if counted.as_ref().is_err_and(|error| error.code() == Some(Code::Throttled)) {
        sign_in_figures::count(by, SignInResult::Throttled);
    }
    counted
}

/// The second factor that was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Second {
    Totp,
    RecoveryCode,
}

/// Someone who has proved who they are.
pub struct SignIn<'a> {
    pub headers: &'a HeaderMap,
    pub client: &'a Client,
    pub user: &'a UserRow,
    pub method: SignInMethod,
    pub second: Option<Second>,
    /// The organization whose provider vouched for the person.
    pub through: Option<&'a Id>,
    /// When they proved it, if not now.
    pub proven_at: Option<Millis>,
}

impl<'a> SignIn<'a> {
    /// A sign-in with a single proof.
    pub fn by(
        method: SignInMethod,
        user: &'a UserRow,
        client: &'a Client,
        headers: &'a HeaderMap,
    ) -> Self {
        Self { headers, client, user, method, second: None, through: None, proven_at: None }
    }

    fn is_two_factors(&self) -> bool {
        self.second.is_some() || self.method == SignInMethod::Passkey
    }
}

/// What a sign-in led to, with the cookies for it.
pub enum Outcome {
    SignedIn { user: Box<CurrentUser>, cookies: [HeaderValue; 2] },
    SecondStep { cookie: HeaderValue },
}

impl IntoResponse for Outcome {
    fn into_response(self) -> Response {
        match self {
            Self::SignedIn { user, cookies } => {
                (AppendHeaders(cookies.map(|cookie| (SET_COOKIE, cookie))), Data(user))
                    .into_response()
            }
            Self::SecondStep { cookie } => {
                let answer = Data(MfaRequired { mfa_required: true });
                (AppendHeaders([(SET_COOKIE, cookie)]), answer).into_response()
            }
        }
    }
}

/// Like `settle`, as the answer to a call.
pub async fn finish(
    atrium: &Tenancy,
    tx: Write,
    attempt: &Attempt,
    sign_in: SignIn<'_>,
) -> Result<Response> {
    Ok(complete(atrium, tx, attempt, sign_in).await?.into_response())
}

/// Starts the session in the transaction that used up the proof. If the person has a second factor that
/// was not used yet, asks for it instead.
pub async fn complete(
    atrium: &Tenancy,
    mut tx: Write,
    attempt: &Attempt,
    sign_in: SignIn<'_>,
) -> Result<Outcome> {
    let user = sign_in.user;
    // The proof was checked outside the transaction: if the password has changed since, it proves
    // nothing.
    let checked =
        user.password_hash.as_deref().filter(|_| sign_in.method == SignInMethod::Password);
    if !store::lock_user(&mut tx, &user.id, checked).await? {
        return Err(Code::BadCredentials.into());
    }
    let strong = sign_in.is_two_factors();
    if !strong && factors::has_totp(&mut tx, &user.id).await? {
        let cookie = second_step::ask(atrium, tx, &sign_in).await?;
        sign_in_figures::count(sign_in.method.as_str(), SignInResult::SecondStep);
        return Ok(Outcome::SecondStep { cookie });
    }
    let (headers, client) = (sign_in.headers, sign_in.client);
    let (session_id, cookie) =
        session::begin(atrium, &mut tx, headers, &user.id, client, strong, sign_in.through).await?;
    if let Some(at) = sign_in.proven_at {
        store::note_proof(&mut tx, &session_id, at).await?;
    }
    throttle::forget(&mut tx, attempt).await?;
    let actor = Actor::user(user.id.clone(), client);
    let details = json!({ "by": sign_in.method, "second_factor": sign_in.second });
    let event = Event::new("account.sign_in", "user", &user.id).with(details);
    audit::append(&mut tx, &actor, event).await?;
    let email = Email::new(&user.email);
    // The first sign-in ever comes from the browser that made the account, or from an operator's link.
    let is_new_device =
        user.last_login_at.is_some() && !throttle::is_known_device(atrium, &email, headers);
    if is_new_device {
        let notice = new_device(atrium, user, client);
        notifications::notify(atrium, &mut tx, &Recipient::from(user), &notice).await?;
    }
    let shown = session::shown(atrium, &session_id, strong);
    let current = session::current_user(atrium, &mut tx, &user.id, shown).await?;
    let current = current.ok_or(Code::BadCredentials)?;
    tx.commit().await?;
    sign_in_figures::count(sign_in.method.as_str(), SignInResult::SignedIn);
    if is_new_device {
        atrium.outbox.wake();
    }
    let device = throttle::device_cookie(atrium, &email, headers);
    Ok(Outcome::SignedIn { user: Box::new(current), cookies: [cookie, device] })
}

fn new_device(atrium: &Tenancy, user: &UserRow, client: &Client) -> Notice {
    Notice::NewDevice {
        device: user_agent::in_words(&client.user_agent),
        ip: client.ip.to_string(),
        at: timezone::in_words(atrium.now(), &user.timezone),
    }
}

/// Records a failed attempt. Known and unknown addresses leave the same trace, a keyed hash, so that
/// without the key neither the timing nor the log tells them apart.
pub async fn failed(
    atrium: &Tenancy,
    email: Option<&Email>,
    client: &Client,
    method: SignInMethod,
) -> Result<Error> {
    note_failure(atrium, email, client, method.as_str()).await?;
    Ok(match method {
        SignInMethod::Password => Code::BadCredentials.into(),
        SignInMethod::EmailCode => Code::BadCode.into(),
        SignInMethod::Link => Code::TokenGone.into(),
        SignInMethod::Passkey => Code::BadPasskey.into(),
        // The callback reports provider failures to the console itself.
        SignInMethod::Sso | SignInMethod::Wechatwork | SignInMethod::Feishu => {
            Code::BadCredentials.into()
        }
    })
}

pub async fn note_failure(
    atrium: &Tenancy,
    email: Option<&Email>,
    client: &Client,
    by: &'static str,
) -> Result<()> {
    sign_in_figures::count(by, SignInResult::Refused);
    let account = email.map(|email| throttle::account_mark(atrium, email));
    let mut tx = atrium.db.write_relaxed().await?;
    let event = Event::without_target("account.sign_in_failed", "user");
    let event = event.with(json!({ "by": by, "account": account }));
    audit::append(&mut tx, &Actor::anonymous(client), event).await?;
    tx.commit().await
}

/// Signs out: the session ends on the server, and the cookie is cleared. The answer is the same for
/// someone who is not signed in.
#[utoipa::path(
    post,
    path = "/api/v1/logout",
    operation_id = "logout",
    tag = "account",
    security(()),
    responses((status = 200, body = Data<Done>, description = "Signed out; clears the session cookie"))
)]
pub async fn logout(
    State(atrium): State<Tenancy>,
    MaybeSignedIn(signed_in): MaybeSignedIn,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Error> {
    if let Some(signed_in) = signed_in {
        let mut tx = atrium.db.write().await?;
        session::end(&atrium, &mut tx, &headers).await?;
        let event = Event::new("account.sign_out", "user", &signed_in.user().id);
        audit::append(&mut tx, &signed_in.actor(), event).await?;
        tx.commit().await?;
    }
    Ok(([(SET_COOKIE, atrium.session_cookie.clear())], Data(Done {})))
}
