//! A person's passkeys: list, add, rename, remove.

use axum::extract::{FromRef, FromRequestParts, State};
use axum::response::{AppendHeaders, IntoResponse};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::HeaderMap;
use http::header::SET_COOKIE;
use http::request::Parts;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;
use webauthn_rs::prelude::{PasskeyRegistration, RegisterPublicKeyCredential};

use super::totp;
use crate::accounts::ticket::{self, Ticket};
use crate::notifications::{self, Notice, Recipient};
use crate::relying_party::RelyingParty;
use crate::session::{RecentlySignedIn, SignedIn};
use crate::state::Tenancy;
use crate::store::accounts;
use crate::store::factors::{self as store, PasskeyRow};
use crate::token::hash_token;
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::http::json::{Data, Done, Json};
use atrium_core::http::page::Items;
use atrium_core::http::path::PathId;
use atrium_core::text::Checks;
use atrium_core::types::{Id, Millis};

const PURPOSE: &str = "passkey_add";
pub const LIFETIME: i64 = 5 * Millis::MINUTE;
const MOST: i64 = 20;

/// 404 if the instance's public URL does not allow passkeys.
pub fn relying_party(atrium: &Tenancy) -> Result<&RelyingParty> {
    atrium.relying_party.as_ref().ok_or_else(|| Code::PasskeysUnavailable.into())
}

#[derive(Serialize, ToSchema)]
pub struct PasskeyView {
    id: Id,
    name: String,
    created_at: Millis,
    last_used_at: Option<Millis>,
}

impl From<PasskeyRow> for PasskeyView {
    fn from(row: PasskeyRow) -> Self {
        let PasskeyRow { id, name, created_at, last_used_at, .. } = row;
        Self { id, name, created_at, last_used_at }
    }
}

/// The person's passkeys, oldest first. There are never more than twenty.
#[utoipa::path(
    get,
    path = "/api/v1/current/passkeys",
    operation_id = "passkey_list",
    tag = "account",
    security(("session" = [])),
    responses((status = 200, body = Data<Items<PasskeyView>>))
)]
pub async fn passkey_list(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
) -> Result<Data<Items<PasskeyView>>> {
    let rows = store::passkeys(&mut *atrium.db.read().await?, &signed_in.user().id).await?;
    let items: Vec<PasskeyView> = rows.into_iter().map(PasskeyView::from).collect();
    let total = i64::try_from(items.len()).unwrap_or(i64::MAX);
    Ok(Data(Items { items, total }))
}

/// Options for `navigator.credentials`, in the standard's JSON form.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CeremonyOptions {
    #[schema(value_type = Object)]
    pub public_key: Value,
}

/// Begins adding a passkey. The answer is bound to a cookie, for five minutes.
#[utoipa::path(
    post,
    path = "/api/v1/current/passkeys/options",
    operation_id = "passkey_options",
    tag = "account",
    security(("session" = [])),
    responses((status = 200, body = Data<CeremonyOptions>), (status = 404), (status = 409))
)]
pub async fn passkey_options(
    State(atrium): State<Tenancy>,
    RecentlySignedIn(signed_in): RecentlySignedIn,
) -> Result<impl IntoResponse> {
    let party = relying_party(&atrium)?;
    let user = signed_in.user();
    let mut tx = atrium.db.write_uncached().await?;
    let known = store::passkeys(&mut tx, &user.id).await?;
    refuse_too_many(known.len())?;
    let known = known.iter().filter_map(|row| URL_SAFE_NO_PAD.decode(&row.credential_id).ok());
    let known = known.collect();
    let user_handle = Uuid::parse_str(user.id.as_str()).map_err(Error::internal)?;
    let started = party.webauthn.start_passkey_registration(
        user_handle,
        &user.email,
        &user.name,
        Some(known),
    );
    let (options, state) = started.map_err(Error::internal)?;
    let ticket =
        Ticket { purpose: PURPOSE, lifetime: LIFETIME, user_id: Some(&user.id), email: None };
    let token = ticket::issue(&atrium, &mut tx, ticket, &state).await?;
    tx.commit().await?;
    let mut public_key = serde_json::to_value(options.public_key).map_err(Error::internal)?;
    // Signing in asks for no address, so the authenticator must remember whose key it is.
    public_key["authenticatorSelection"]["residentKey"] = json!("required");
    public_key["authenticatorSelection"]["requireResidentKey"] = json!(true);
    let cookie = atrium.ceremony_cookie.set(&token, LIFETIME / Millis::SECOND);
    Ok((AppendHeaders([(SET_COOKIE, cookie)]), Data(CeremonyOptions { public_key })))
}

fn refuse_too_many(count: usize) -> Result<()> {
    if i64::try_from(count).is_ok_and(|count| count < MOST) {
        return Ok(());
    }
    Err(Fault::new(Code::TooManyPasskeys).with("max", MOST).into())
}

#[derive(Deserialize, ToSchema)]
pub struct NewPasskey {
    name: String,
    /// What `navigator.credentials.create` gave, in the standard's JSON form.
    #[schema(value_type = Object)]
    credential: Value,
}

/// Adds the passkey that the browser made.
#[utoipa::path(
    post,
    path = "/api/v1/current/passkeys",
    operation_id = "passkey_create",
    tag = "account",
    security(("session" = [])),
    request_body = NewPasskey,
    responses((status = 200, body = Data<PasskeyView>), (status = 404), (status = 409))
)]
pub async fn passkey_create(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
    headers: HeaderMap,
    Json(input): Json<NewPasskey>,
) -> Result<Data<PasskeyView>> {
    let party = relying_party(&atrium)?;
    let mut checks = Checks::default();
    let name = checks.name("name", &input.name);
    checks.finish()?;
    let bad = || Error::invalid(vec![Fault::new(Code::RefusedPasskey).on("credential")]);
    let credential: RegisterPublicKeyCredential =
        serde_json::from_value(input.credential).map_err(|_| bad())?;
    let token = atrium.ceremony_cookie.read(&headers).ok_or_else(bad)?;

    let (user, now) = (signed_in.user(), atrium.now());
    let mut tx = atrium.db.write().await?;
    let row = accounts::live_token(&mut tx, &hash_token(token), now).await?;
    let row = row.filter(|row| row.purpose == PURPOSE && row.user_id.as_ref() == Some(&user.id));
    let row = row.ok_or_else(bad)?;
    if !accounts::use_token(&mut tx, &row.id, now).await? {
        return Err(bad());
    }
    let state: PasskeyRegistration = ticket::open(&atrium, &row)?;
    let passkey = party.webauthn.finish_passkey_registration(&credential, &state);
    let passkey = passkey.map_err(|error| {
        tracing::info!(%error, "a passkey was refused");
        bad()
    })?;
    refuse_too_many(store::passkeys(&mut tx, &user.id).await?.len())?;
    let row = PasskeyRow {
        id: atrium.new_id(),
        user_id: user.id.clone(),
        credential_id: URL_SAFE_NO_PAD.encode(passkey.cred_id()),
        credential: serde_json::to_string(&passkey).map_err(Error::internal)?,
        name,
        created_at: now,
        last_used_at: None,
    };
    if !store::insert_passkey(&mut tx, &row).await? {
        return Err(bad());
    }
    let event = Event::new("account.passkey_add", "user", &user.id);
    let event = event.with(json!({ "passkey": row.id, "name": row.name }));
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    let notice = Notice::PasskeyAdded { name: row.name.clone() };
    notifications::notify(&atrium, &mut tx, &Recipient::from(user), &notice).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(row.into()))
}

/// One of the caller's own passkeys, named in the path. Another person's is not found, and that is
/// decided before the body is read.
pub struct OwnPasskey {
    signed_in: SignedIn,
    row: PasskeyRow,
}

impl<S> FromRequestParts<S> for OwnPasskey
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let atrium = &Tenancy::from_ref(state);
        let signed_in = SignedIn::from_request_parts(parts, state).await?;
        let PathId(id) = PathId::from_request_parts(parts, state).await?;
        let mut db = atrium.db.read().await?;
        let row = store::passkey_of(&mut db, &signed_in.user().id, &id).await?;
        Ok(Self { signed_in, row: row.ok_or(Code::NotFound)? })
    }
}

#[derive(Deserialize, ToSchema)]
pub struct PasskeyRename {
    name: String,
}

/// Renames a passkey.
#[utoipa::path(
    put,
    path = "/api/v1/current/passkeys/{id}",
    operation_id = "passkey_update",
    tag = "account",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = PasskeyRename,
    responses((status = 200, body = Data<PasskeyView>))
)]
pub async fn passkey_update(
    State(atrium): State<Tenancy>,
    OwnPasskey { signed_in, row }: OwnPasskey,
    Json(input): Json<PasskeyRename>,
) -> Result<Data<PasskeyView>> {
    let user = signed_in.user();
    let mut checks = Checks::default();
    let name = checks.name("name", &input.name);
    checks.finish()?;
    let mut tx = atrium.db.write_uncached().await?;
    store::rename_passkey(&mut tx, &row.id, &name).await?;
    let event = Event::new("account.passkey_rename", "user", &user.id);
    let event = event.with(json!({ "passkey": row.id, "before": row.name, "after": name }));
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    tx.commit().await?;
    Ok(Data(PasskeyRow { name, ..row }.into()))
}

/// Removes a passkey: it can no longer sign in.
#[utoipa::path(
    delete,
    path = "/api/v1/current/passkeys/{id}",
    operation_id = "passkey_delete",
    tag = "account",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<Done>), (status = 409))
)]
pub async fn passkey_delete(
    State(atrium): State<Tenancy>,
    RecentlySignedIn(signed_in): RecentlySignedIn,
    PathId(id): PathId,
) -> Result<Data<Done>> {
    let user = signed_in.user();
    let mut tx = atrium.db.write().await?;
    let row = store::passkey_of(&mut tx, &user.id, &id).await?.ok_or(Code::NotFound)?;
    let is_last = store::passkey_count(&mut tx, &user.id).await? == 1
        && !store::has_totp(&mut tx, &user.id).await?;
    totp::refuse_last(&atrium, &mut tx, &signed_in, is_last).await?;
    store::delete_passkey(&mut tx, &id).await?;
    totp::forget_without_factors(&mut tx, &user.id).await?;
    let event = Event::new("account.passkey_remove", "user", &user.id);
    let event = event.with(json!({ "passkey": id, "name": row.name }));
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    let notice = Notice::PasskeyRemoved { name: row.name };
    notifications::notify(&atrium, &mut tx, &Recipient::from(user), &notice).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(Done {}))
}
