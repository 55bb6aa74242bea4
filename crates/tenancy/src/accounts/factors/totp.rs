//! Codes of an authenticator app: enroll, confirm, renew the recovery codes, remove.

use axum::extract::State;
use qrcode::QrCode;
use qrcode::render::svg;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use utoipa::ToSchema;

use super::codes;
use crate::notifications::{self, Notice, Recipient};
use crate::session::{RecentlySignedIn, SignedIn};
use crate::state::Tenancy;
use crate::store::{accounts, factors as store, orgs};
use crate::throttle;
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::http::json::{Data, Done, Json};
use atrium_core::types::{Id, Millis};

const ENROLL_WITHIN: i64 = 15 * Millis::MINUTE;

#[derive(Serialize, ToSchema)]
pub struct TotpView {
    enabled: bool,
    confirmed_at: Option<Millis>,
    recovery_codes_left: i64,
}

/// Whether signing in asks for a code, and how many recovery codes are left.
#[utoipa::path(
    get,
    path = "/api/v1/current/mfa/totp",
    operation_id = "totp_view",
    tag = "account",
    security(("session" = [])),
    responses((status = 200, body = Data<TotpView>))
)]
pub async fn totp_view(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
) -> Result<Data<TotpView>> {
    let mut db = atrium.db.read().await?;
    let user_id = &signed_in.user().id;
    let confirmed_at = store::totp(&mut db, user_id).await?.and_then(|row| row.confirmed_at);
    let recovery_codes_left = store::recovery_codes_left(&mut db, user_id).await?;
    Ok(Data(TotpView { enabled: confirmed_at.is_some(), confirmed_at, recovery_codes_left }))
}

#[derive(Serialize, ToSchema)]
pub struct TotpEnrolment {
    /// Base32, for typing it in by hand.
    secret: String,
    otpauth_uri: String,
    /// The address as a QR code, dark on light.
    qr_svg: String,
}

/// Begins an enrollment: a secret for the app. Nothing is switched on until a code confirms it.
#[utoipa::path(
    post,
    path = "/api/v1/current/mfa/totp",
    operation_id = "totp_enrol",
    tag = "account",
    security(("session" = [])),
    responses((status = 200, body = Data<TotpEnrolment>), (status = 409))
)]
pub async fn totp_enrol(
    State(atrium): State<Tenancy>,
    RecentlySignedIn(signed_in): RecentlySignedIn,
) -> Result<Data<TotpEnrolment>> {
    let user = signed_in.user();
    let secret: [u8; 20] = atrium.entropy.bytes();
    let sealed = atrium.keyring.seal(codes::PURPOSE, &secret, &atrium.entropy)?;
    let mut tx = atrium.db.write_uncached().await?;
    if !store::begin_totp(&mut tx, &user.id, &sealed, atrium.now()).await? {
        return Err(Code::TotpEnabled.into());
    }
    tx.commit().await?;
    let totp = codes::totp(secret.to_vec(), &user.email)?;
    let otpauth_uri =
        totp.to_url().map_err(|error| Error::internal(anyhow::anyhow!("totp: {error}")))?;
    let code = QrCode::new(otpauth_uri.as_bytes()).map_err(Error::internal)?;
    let qr_svg = code.render::<svg::Color<'_>>().min_dimensions(200, 200).build();
    Ok(Data(TotpEnrolment { secret: totp.secret().to_base32(), otpauth_uri, qr_svg }))
}

#[derive(Deserialize, ToSchema)]
pub struct TotpConfirmation {
    #[schema(example = "042137")]
    code: String,
}

#[derive(Serialize, ToSchema)]
pub struct RecoveryCodes {
    /// Ten, each for one sign-in; shown only this once.
    recovery_codes: Vec<String>,
}

/// Confirms an enrollment with a first code: from now on signing in asks for one.
#[utoipa::path(
    put,
    path = "/api/v1/current/mfa/totp",
    operation_id = "totp_confirm",
    tag = "account",
    security(("session" = [])),
    request_body = TotpConfirmation,
    responses((status = 200, body = Data<RecoveryCodes>), (status = 409), (status = 429))
)]
pub async fn totp_confirm(
    State(atrium): State<Tenancy>,
    RecentlySignedIn(signed_in): RecentlySignedIn,
    Json(input): Json<TotpConfirmation>,
) -> Result<Data<RecoveryCodes>> {
    let (user, now) = (signed_in.user(), atrium.now());
    throttle::count_code_check(&atrium, &user.id).await?;
    let mut tx = atrium.db.write().await?;
    let row = store::totp(&mut tx, &user.id).await?.filter(|row| row.confirmed_at.is_none());
    // An abandoned enrollment must not be finished by someone else.
    let row = row.filter(|row| now.since(row.created_at) < ENROLL_WITHIN);
    let row = row.ok_or(Code::TotpNotStarted)?;
    let totp = codes::totp(atrium.keyring.open_sealed(codes::PURPOSE, &row.secret)?, &user.email)?;
    let step = codes::matched_step(&totp, input.code.trim(), now);
    let step = step.ok_or_else(|| Fault::new(Code::WrongCode).on("code"))?;
    if !store::confirm_totp(&mut tx, &user.id, &row.secret, step, now).await? {
        return Err(Code::TotpNotStarted.into());
    }
    let recovery_codes = codes::renew_recovery_codes(&atrium, &mut tx, &user.id).await?;
    throttle::forget_code_checks(&mut tx, &user.id).await?;
    // Sessions that began without the factor end; the person has just proved it in this one.
    accounts::delete_sessions_of(&mut tx, &user.id, Some(signed_in.session_id())).await?;
    accounts::note_second_factor(&mut tx, signed_in.session_id(), now).await?;
    let event = Event::new("account.totp_add", "user", &user.id);
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    notifications::notify(&atrium, &mut tx, &Recipient::from(user), &Notice::TotpAdded).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(RecoveryCodes { recovery_codes }))
}

/// Switches the factor off. Refused while an organization requires one.
#[utoipa::path(
    delete,
    path = "/api/v1/current/mfa/totp",
    operation_id = "totp_delete",
    tag = "account",
    security(("session" = [])),
    responses((status = 200, body = Data<Done>), (status = 409))
)]
pub async fn totp_delete(
    State(atrium): State<Tenancy>,
    RecentlySignedIn(signed_in): RecentlySignedIn,
) -> Result<Data<Done>> {
    let user = signed_in.user();
    let mut tx = atrium.db.write().await?;
    let has_passkeys = store::passkey_count(&mut tx, &user.id).await? > 0;
    refuse_last(&atrium, &mut tx, &signed_in, !has_passkeys).await?;
    let was_on = store::has_totp(&mut tx, &user.id).await?;
    store::delete_totp(&mut tx, &user.id).await?;
    forget_without_factors(&mut tx, &user.id).await?;
    if was_on {
        let event = Event::new("account.totp_remove", "user", &user.id);
        audit::append(&mut tx, &signed_in.actor(), event).await?;
        let notice = Notice::TotpRemoved;
        notifications::notify(&atrium, &mut tx, &Recipient::from(user), &notice).await?;
    }
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(Done {}))
}

/// Refuses to remove the last factor of someone whose organization requires one, or who needs one as an
/// owner or operator.
pub async fn refuse_last(
    atrium: &Tenancy,
    db: &mut AnyConnection,
    signed_in: &SignedIn,
    is_last: bool,
) -> Result<()> {
    if !is_last {
        return Ok(());
    }
    let user = signed_in.user();
    if orgs::any_requires_mfa(db, &user.id).await? {
        return Err(Code::MfaRequiredByOrg.into());
    }
    let rule = &atrium.privileged_mfa;
    let from = rule.deadline_of(db, &user.id, user.operator_since, signed_in.shown()).await?;
    if from.is_some_and(|from| from <= atrium.now()) {
        return Err(Code::MfaRequiredByRole.into());
    }
    Ok(())
}

/// Sessions no longer count as two-factor once there is no factor left.
pub async fn forget_without_factors(db: &mut AnyConnection, user_id: &Id) -> Result<()> {
    let left = store::has_totp(db, user_id).await? || store::passkey_count(db, user_id).await? > 0;
    if !left {
        accounts::forget_second_factor(db, user_id).await?;
    }
    Ok(())
}

/// Makes ten new recovery codes; the old ones stop working.
#[utoipa::path(
    post,
    path = "/api/v1/current/mfa/recovery-codes",
    operation_id = "recovery_codes_renew",
    tag = "account",
    security(("session" = [])),
    responses((status = 200, body = Data<RecoveryCodes>), (status = 409))
)]
pub async fn recovery_codes_renew(
    State(atrium): State<Tenancy>,
    RecentlySignedIn(signed_in): RecentlySignedIn,
) -> Result<Data<RecoveryCodes>> {
    let user = signed_in.user();
    let mut tx = atrium.db.write().await?;
    if !store::has_totp(&mut tx, &user.id).await? {
        return Err(Code::TotpNotEnabled.into());
    }
    let recovery_codes = codes::renew_recovery_codes(&atrium, &mut tx, &user.id).await?;
    let event = Event::new("account.recovery_codes", "user", &user.id);
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    let notice = Notice::RecoveryCodesRenewed;
    notifications::notify(&atrium, &mut tx, &Recipient::from(user), &notice).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(RecoveryCodes { recovery_codes }))
}
