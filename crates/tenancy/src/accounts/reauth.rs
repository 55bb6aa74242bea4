//! Proving again who one is, before actions that a stolen session must not allow.

use axum::extract::State;
use serde::Deserialize;
use utoipa::ToSchema;

use super::factors;
use crate::session::SignedIn;
use crate::state::Tenancy;
use crate::store::accounts as store;
use crate::throttle;
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Fault, Result};
use atrium_core::http::json::{Data, Done, Json};

#[derive(Deserialize, ToSchema)]
pub struct Reauth {
    #[schema(format = "password")]
    password: String,
    /// A code of the authenticator app or a recovery code: required if the person has a second factor
    /// that this session has not used.
    code: Option<String>,
}

/// Makes this session's sign-in recent, with the password and, if the session has not used it yet, the
/// second factor.
#[utoipa::path(
    post,
    path = "/api/v1/current/reauth",
    operation_id = "reauth",
    tag = "account",
    security(("session" = [])),
    request_body = Reauth,
    responses((status = 200, body = Data<Done>), (status = 429))
)]
pub async fn reauth(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
    Json(input): Json<Reauth>,
) -> Result<Data<Done>> {
    let user = signed_in.user();
    let wants_code = user.mfa.totp && !signed_in.has_two_factors();
    let code = input.code.filter(|code| !code.trim().is_empty());
    if wants_code && code.is_none() {
        return Err(Fault::new(Code::CodeRequired).on("code").into());
    }
    if !check_password(&atrium, &signed_in, input.password).await? {
        return Err(Fault::new(Code::WrongPassword).on("password").into());
    }
    let mut tx = atrium.db.write().await?;
    if let Some(code) = code.filter(|_| wants_code) {
        let spent = factors::codes::spend(&atrium, &mut tx, &user.id, &code).await?;
        spent.ok_or_else(|| Fault::new(Code::WrongCode).on("code"))?;
        store::note_second_factor(&mut tx, signed_in.session_id(), atrium.now()).await?;
    }
    store::note_proof(&mut tx, signed_in.session_id(), atrium.now()).await?;
    throttle::forget_password_checks(&mut tx, &user.id).await?;
    let event = Event::new("account.reauth", "user", &user.id);
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    tx.commit().await?;
    Ok(Data(Done {}))
}

/// Counts attempts, so that someone at an open session cannot find the password by guessing.
pub async fn check_password(
    atrium: &Tenancy,
    signed_in: &SignedIn,
    password: String,
) -> Result<bool> {
    let user_id = &signed_in.user().id;
    throttle::count_password_check(atrium, user_id).await?;
    let row = store::user_by_id(&mut *atrium.db.read().await?, user_id).await?;
    let matches = atrium.hasher.verify(password, row.and_then(|row| row.password_hash)).await?;
    if !matches {
        let mut tx = atrium.db.write_relaxed().await?;
        let event = Event::new("account.reauth_failed", "user", user_id);
        audit::append(&mut tx, &signed_in.actor(), event).await?;
        tx.commit().await?;
    }
    Ok(matches)
}
