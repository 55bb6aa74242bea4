//! An organization's provider: view, change, remove.

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use sqlx::AnyConnection;
use utoipa::ToSchema;

use super::{CALLBACK, DefaultRole, SECRET, SsoView};
use crate::access::InOrg;
use crate::session::RecentlySignedIn;
use crate::sso_provider::network;
use crate::state::Tenancy;
use crate::store::sso::{self as store, OtherWays, SsoRow};
use atrium_core::audit::{self, Event};
use atrium_core::chat_provider::Provider;
use atrium_core::error::{Code, Fault, Result};
use atrium_core::http::json::{Data, Done, Json};
use atrium_core::permissions::OrgSsoManage;
use atrium_core::text::Checks;
use atrium_core::types::Id;

pub const CLIENT_ID_MAX: usize = 255;
pub const SECRET_MAX: usize = 1_000;

/// How members of an organization sign in through their own provider.
#[utoipa::path(
    get,
    path = "/api/v1/orgs/{id}/sso",
    operation_id = "sso_view",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<SsoView>))
)]
pub async fn sso_view(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgSsoManage>,
) -> Result<Data<SsoView>> {
    let mut db = atrium.db.read().await?;
    Ok(Data(view(&atrium, &mut db, org.id()).await?))
}

async fn view(atrium: &Tenancy, db: &mut AnyConnection, org_id: &Id) -> Result<SsoView> {
    let row = store::of_org(db, org_id).await?;
    let domains = store::domains(db, org_id).await?.into_iter().map(Into::into).collect();
    let issuer = row.as_ref().map_or("", |row| row.issuer.as_str());
    let others = OtherWays {
        passkeys: atrium.relying_party.is_some(),
        wechatwork: atrium.chat.is_configured(Provider::Wechatwork),
        feishu: atrium.chat.is_configured(Provider::Feishu),
    };
    let reach = store::reach(db, org_id, issuer, &others).await?;
    let is = |at: fn(&SsoRow) -> bool| row.as_ref().is_some_and(at);
    Ok(SsoView {
        configured: row.is_some(),
        enabled: is(|row| row.enabled_at.is_some()),
        enforced: is(|row| row.enforced_at.is_some()),
        has_secret: is(|row| !row.client_secret.is_empty()),
        default_role: DefaultRole::parse(row.as_ref().map_or("", |row| &row.default_role)),
        redirect_uri: atrium.settings.server.link(CALLBACK),
        domains,
        linked_members: reach.linked,
        unlinked_members: reach.unlinked,
        only_way_members: reach.only_way,
        updated_at: row.as_ref().map(|row| row.updated_at),
        issuer: issuer.to_owned(),
        client_id: row.map(|row| row.client_id).unwrap_or_default(),
    })
}

#[derive(Deserialize, ToSchema)]
pub struct SsoUpdate {
    /// The provider's address, exactly as in its own documents.
    #[schema(example = "https://login.example.com")]
    issuer: String,
    client_id: String,
    /// If left out, the stored one stays; required with a different issuer.
    #[schema(format = "password")]
    client_secret: Option<String>,
    default_role: DefaultRole,
    /// Requires a verified domain.
    enabled: bool,
    /// Whether members other than owners must sign in through it.
    enforced: bool,
}

/// Sets an organization's provider.
#[utoipa::path(
    put,
    path = "/api/v1/orgs/{id}/sso",
    operation_id = "sso_update",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = SsoUpdate,
    responses((status = 200, body = Data<SsoView>))
)]
pub async fn sso_update(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgSsoManage>,
    _: RecentlySignedIn,
    Json(input): Json<SsoUpdate>,
) -> Result<Data<SsoView>> {
    let input = check(&atrium, input)?;
    let mut tx = atrium.db.write().await?;
    org.lock_and_recheck(&mut tx).await?;
    let before = store::of_org(&mut tx, org.id()).await?;
    let row = changed(&atrium, org.id(), before.as_ref(), &input)?;
    let domains = store::domains(&mut tx, org.id()).await?;
    if input.enabled && !domains.iter().any(|domain| domain.verified_at.is_some()) {
        return Err(Code::SsoNoDomain.into());
    }
    store::save(&mut tx, &row).await?;
    // A new secret, or turning it off and on, makes everyone sign in again.
    let new_secret = match &before {
        Some(old) => open_secret(&atrium, old)? != open_secret(&atrium, &row)?,
        None => true,
    };
    let is_same = |old: &SsoRow| {
        old.issuer == row.issuer
            && old.client_id == row.client_id
            && old.enabled_at == row.enabled_at
            && !new_secret
    };
    if !before.as_ref().is_some_and(is_same) {
        store::forget_sessions(&mut tx, org.id()).await?;
    }
    let event = Event::new("sso.update", "org", org.id()).in_org(org.id()).with(json!({
        "before": before.as_ref().map(audit_details),
        "after": audit_details(&row),
        "secret_changed": input.client_secret.is_some(),
    }));
    audit::append(&mut tx, &org.actor(), event).await?;
    let view = view(&atrium, &mut tx, org.id()).await?;
    tx.commit().await?;
    Ok(Data(view))
}

fn check(atrium: &Tenancy, input: SsoUpdate) -> Result<SsoUpdate> {
    let mut checks = Checks::default();
    let issuer = input.issuer.trim().to_owned();
    if network::issuer(&issuer, &atrium.settings.sso).is_none() {
        checks.fail(Fault::new(Code::BadIssuer).on("issuer"));
    }
    let client_id = checks.name_up_to("client_id", &input.client_id, CLIENT_ID_MAX);
    // A form sends an empty field to keep the stored value.
    let client_secret = input.client_secret.filter(|secret| !secret.is_empty());
    if let Some(secret) = &client_secret {
        checks.name_up_to("client_secret", secret, SECRET_MAX);
    }
    if input.enforced && !input.enabled {
        checks.fail(Fault::new(Code::EnforceNeedsEnabled).on("enforced"));
    }
    checks.finish()?;
    Ok(SsoUpdate { issuer, client_id, client_secret, ..input })
}

/// The updated row. A secret belongs to one issuer: it never goes to another.
fn changed(
    atrium: &Tenancy,
    org_id: &Id,
    before: Option<&SsoRow>,
    input: &SsoUpdate,
) -> Result<SsoRow> {
    let kept = before.filter(|old| old.issuer == input.issuer);
    let client_secret = match (&input.client_secret, kept) {
        (Some(secret), _) => atrium.keyring.seal(SECRET, secret.as_bytes(), &atrium.entropy)?,
        (None, Some(old)) => old.client_secret.clone(),
        (None, None) => return Err(Fault::new(Code::SecretRequired).on("client_secret").into()),
    };
    let now = atrium.now();
    let since = |on: bool, before: Option<_>| on.then(|| before.unwrap_or(now));
    Ok(SsoRow {
        org_id: org_id.clone(),
        issuer: input.issuer.clone(),
        client_id: input.client_id.clone(),
        client_secret,
        default_role: input.default_role.role().as_str().to_owned(),
        enabled_at: since(input.enabled, before.and_then(|old| old.enabled_at)),
        enforced_at: since(input.enforced, before.and_then(|old| old.enforced_at)),
        updated_at: now,
    })
}

/// What the audit log records; never the secret.
fn audit_details(row: &SsoRow) -> serde_json::Value {
    json!({
        "issuer": row.issuer, "client_id": row.client_id, "default_role": row.default_role,
        "enabled": row.enabled_at.is_some(), "enforced": row.enforced_at.is_some(),
    })
}

/// Decrypts the secret of a row.
pub fn open_secret(atrium: &Tenancy, row: &SsoRow) -> Result<String> {
    let plain = atrium.keyring.open_sealed(SECRET, &row.client_secret)?;
    String::from_utf8(plain).map_err(atrium_core::error::Error::internal)
}

/// Removes the provider and the links to it. The domains stay.
#[utoipa::path(
    delete,
    path = "/api/v1/orgs/{id}/sso",
    operation_id = "sso_delete",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<Done>))
)]
pub async fn sso_delete(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgSsoManage>,
    _: RecentlySignedIn,
) -> Result<Data<Done>> {
    let mut tx = atrium.db.write().await?;
    org.lock_and_recheck(&mut tx).await?;
    let before = store::of_org(&mut tx, org.id()).await?;
    if let Some(before) = before {
        store::delete(&mut tx, org.id()).await?;
        let event = Event::new("sso.remove", "org", org.id()).in_org(org.id());
        audit::append(&mut tx, &org.actor(), event.with(audit_details(&before))).await?;
    }
    tx.commit().await?;
    Ok(Data(Done {}))
}
