//! Signing in with a passkey. The browser knows whose it is; nobody types an address.

use axum::extract::State;
use axum::response::{AppendHeaders, IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::HeaderMap;
use http::header::SET_COOKIE;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;
use webauthn_rs::prelude::{DiscoverableAuthentication, Passkey, PublicKeyCredential};

use super::passkeys::{CeremonyOptions, LIFETIME, relying_party};
use crate::accounts::login::{self, SignIn, SignInMethod};
use crate::accounts::ticket::{self, Ticket};
use crate::current_user::CurrentUser;
use crate::state::Tenancy;
use crate::store::accounts::{self, UserRow};
use crate::store::factors as store;
use crate::throttle::{self, Attempt};
use crate::token::hash_token;
use atrium_core::client::Client;
use atrium_core::db::Write;
use atrium_core::error::{Error, Result};
use atrium_core::http::json::{Data, Json};
use atrium_core::types::Millis;

const PURPOSE: &str = "passkey_login";

/// A challenge for signing in with a passkey, bound to a cookie, for five minutes.
#[utoipa::path(
    post,
    path = "/api/v1/login/passkey/options",
    operation_id = "login_passkey_options",
    tag = "account",
    security(()),
    responses((status = 200, body = Data<CeremonyOptions>), (status = 404), (status = 429))
)]
pub async fn login_passkey_options(
    State(atrium): State<Tenancy>,
    client: Client,
) -> Result<impl IntoResponse> {
    let party = relying_party(&atrium)?;
    throttle::count_challenge(&atrium, &client).await?;
    let started = party.webauthn.start_discoverable_authentication();
    let (options, state) = started.map_err(Error::internal)?;
    let ticket = Ticket { purpose: PURPOSE, lifetime: LIFETIME, user_id: None, email: None };
    let mut tx = atrium.db.write_relaxed().await?;
    let token = ticket::issue(&atrium, &mut tx, ticket, &state).await?;
    tx.commit().await?;
    let public_key = serde_json::to_value(options.public_key).map_err(Error::internal)?;
    let cookie = atrium.ceremony_cookie.set(&token, LIFETIME / Millis::SECOND);
    Ok((AppendHeaders([(SET_COOKIE, cookie)]), Data(CeremonyOptions { public_key })))
}

#[derive(Deserialize, ToSchema)]
pub struct PasskeyLogin {
    /// What `navigator.credentials.get` gave, in the standard's JSON form.
    #[schema(value_type = Object)]
    credential: Value,
}

/// Signs in with a passkey. The answer is the same whatever is wrong with it.
#[utoipa::path(
    post,
    path = "/api/v1/login/passkey",
    operation_id = "login_passkey",
    tag = "account",
    security(()),
    request_body = PasskeyLogin,
    responses((status = 200, body = Data<CurrentUser>, description = "Signed in; sets the session cookie"), (status = 401), (status = 404), (status = 429))
)]
pub async fn login_passkey(
    State(atrium): State<Tenancy>,
    client: Client,
    headers: HeaderMap,
    Json(input): Json<PasskeyLogin>,
) -> Result<Response> {
    relying_party(&atrium)?;
    let attempt = Attempt::of_address(&client);
    login::admit(&atrium, &attempt, SignInMethod::Passkey.as_str()).await?;
    let mut tx = atrium.db.write().await?;
    let token = atrium.ceremony_cookie.read(&headers).unwrap_or_default();
    let Some(user) = verify(&atrium, &mut tx, token, input.credential).await? else {
        // The challenge is used up even so.
        tx.commit().await?;
        return Err(login::failed(&atrium, None, &client, SignInMethod::Passkey).await?);
    };
    let sign_in = SignIn::by(SignInMethod::Passkey, &user, &client, &headers);
    login::finish(&atrium, tx, &attempt, sign_in).await
}

/// The person whose passkey answered this browser's challenge.
async fn verify(
    atrium: &Tenancy,
    tx: &mut Write,
    token: &str,
    credential: Value,
) -> Result<Option<UserRow>> {
    let (webauthn, now) = (&relying_party(atrium)?.webauthn, atrium.now());
    let challenge = accounts::live_token(tx, &hash_token(token), now).await?;
    let Some(challenge) = challenge.filter(|row| row.purpose == PURPOSE) else { return Ok(None) };
    if !accounts::use_token(tx, &challenge.id, now).await? {
        return Ok(None);
    }
    let Ok(credential) = serde_json::from_value::<PublicKeyCredential>(credential) else {
        return Ok(None);
    };
    let Ok((handle, credential_id)) = webauthn.identify_discoverable_authentication(&credential)
    else {
        return Ok(None);
    };
    let credential_id = URL_SAFE_NO_PAD.encode(credential_id);
    let row = store::passkey_by_credential(tx, &credential_id).await?;
    let Some(row) = row.filter(|row| row.user_id.as_str() == handle.hyphenated().to_string())
    else {
        return Ok(None);
    };
    let mut passkey: Passkey = serde_json::from_str(&row.credential).map_err(Error::internal)?;
    let state: DiscoverableAuthentication = ticket::open(atrium, &challenge)?;
    let verified = webauthn.finish_discoverable_authentication_v2(&credential, state, &passkey);
    let Ok(result) = verified else { return Ok(None) };
    // A counter that does not grow means that the key was copied. The library has already refused that;
    // what is left is to store the new counter.
    passkey.update_credential(&result);
    let json = serde_json::to_string(&passkey).map_err(Error::internal)?;
    store::note_passkey_use(tx, &row.id, &json, now).await?;
    let user = accounts::user_by_id(tx, &row.user_id).await?;
    Ok(user.filter(|user| user.disabled_at.is_none()))
}
