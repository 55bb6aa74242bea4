//! Mail domains of organizations: several may claim one, only one can verify it.

use axum::extract::{FromRef, FromRequestParts, RawPathParams, State};
use http::request::Parts;
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::dns::{self, Answer};
use super::{SsoDomain, VerifiedBy, domain};
use crate::access::InOrg;
use crate::orgs::public_domains::is_public;
use crate::session::RecentlySignedIn;
use crate::state::Tenancy;
use crate::store::orgs;
use crate::store::sso::{self as store, DomainRow};
use crate::throttle;
use atrium_core::audit::{self, Actor, Event};
use atrium_core::db::Write;
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::http::json::{Data, Done, Json};
use atrium_core::http::path::PathId;
use atrium_core::permissions::OrgSsoManage;
use atrium_core::types::Id;

const MOST: usize = 20;

#[derive(Deserialize, ToSchema)]
pub struct NewDomain {
    #[schema(example = "example.com")]
    domain: String,
}

/// Claims a mail domain. It counts once it is verified.
#[utoipa::path(
    post,
    path = "/api/v1/orgs/{id}/sso/domains",
    operation_id = "sso_domain_add",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = NewDomain,
    responses((status = 200, body = Data<SsoDomain>))
)]
pub async fn sso_domain_add(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgSsoManage>,
    _: RecentlySignedIn,
    Json(input): Json<NewDomain>,
) -> Result<Data<SsoDomain>> {
    let name = domain::normalized(&input.domain);
    let name = name.ok_or_else(|| Fault::new(Code::BadDomain).on("domain"))?;
    if is_public(&name) {
        return Err(Fault::new(Code::PublicDomain).on("domain").into());
    }
    let mut tx = atrium.db.write().await?;
    org.lock_and_recheck(&mut tx).await?;
    let row = claim(&atrium, &mut tx, &org.actor(), org.id(), &name).await?;
    tx.commit().await?;
    Ok(Data(row.into()))
}

/// Adds a claim for a locked organization, or returns the existing one.
async fn claim(
    atrium: &Tenancy,
    tx: &mut Write,
    actor: &Actor,
    org_id: &Id,
    name: &str,
) -> Result<DomainRow> {
    let domains = store::domains(tx, org_id).await?;
    if let Some(row) = domains.iter().find(|row| row.domain == name) {
        return Ok(row.clone());
    }
    if store::is_taken(tx, org_id, name).await? {
        return Err(Code::DomainTaken.into());
    }
    if domains.len() >= MOST {
        return Err(Fault::new(Code::TooManyDomains).with("max", MOST).into());
    }
    let proof = hex::encode(atrium.entropy.bytes::<20>());
    store::insert_domain(tx, org_id, name, &proof, atrium.now()).await?;
    let event = Event::new("sso.domain_add", "domain", name).in_org(org_id);
    audit::append(tx, actor, event).await?;
    let row = store::domain(tx, org_id, name).await?;
    row.ok_or_else(|| Code::NotFound.into())
}

/// A domain of the organization, from the path's second parameter; any other is not found.
pub struct DomainInPath(DomainRow);

impl<S> FromRequestParts<S> for DomainInPath
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let atrium = &Tenancy::from_ref(state);
        let PathId(org_id) = PathId::from_request_parts(parts, state).await?;
        let params = RawPathParams::from_request_parts(parts, state).await.ok();
        let text = params.and_then(|params| params.iter().nth(1).map(|(_, text)| text.to_owned()));
        let name = text.and_then(|text| domain::normalized(&text)).ok_or(Code::NotFound)?;
        let row = store::domain(&mut *atrium.db.read().await?, &org_id, &name).await?;
        row.map(Self).ok_or_else(|| Code::NotFound.into())
    }
}

/// Removes a mail domain. The last verified one stays while single sign-on is on.
#[utoipa::path(
    delete,
    path = "/api/v1/orgs/{id}/sso/domains/{domain}",
    operation_id = "sso_domain_remove",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path), ("domain" = String, Path)),
    responses((status = 200, body = Data<Done>))
)]
pub async fn sso_domain_remove(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgSsoManage>,
    DomainInPath(row): DomainInPath,
    _: RecentlySignedIn,
) -> Result<Data<Done>> {
    let mut tx = atrium.db.write().await?;
    org.lock_and_recheck(&mut tx).await?;
    let enabled = store::of_org(&mut tx, org.id()).await?.is_some_and(|it| it.enabled_at.is_some());
    let domains = store::domains(&mut tx, org.id()).await?;
    let mut others = domains.iter().filter(|other| other.domain != row.domain);
    if enabled && !others.any(|other| other.verified_at.is_some()) {
        return Err(Code::SsoNoDomain.into());
    }
    if !store::delete_domain(&mut tx, org.id(), &row.domain).await? {
        return Err(Code::NotFound.into());
    }
    let event = Event::new("sso.domain_remove", "domain", &row.domain).in_org(org.id());
    audit::append(&mut tx, &org.actor(), event).await?;
    tx.commit().await?;
    Ok(Data(Done {}))
}

/// Looks up the DNS record that proves a domain.
#[utoipa::path(
    post,
    path = "/api/v1/orgs/{id}/sso/domains/{domain}/verify",
    operation_id = "sso_domain_verify",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path), ("domain" = String, Path)),
    responses((status = 200, body = Data<SsoDomain>), (status = 429), (status = 422))
)]
pub async fn sso_domain_verify(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgSsoManage>,
    DomainInPath(row): DomainInPath,
    _: RecentlySignedIn,
) -> Result<Data<SsoDomain>> {
    if row.verified_at.is_some() {
        return Ok(Data(row.into()));
    }
    // It may have been claimed before it was known as public.
    if is_public(&row.domain) {
        return Err(Fault::new(Code::PublicDomain).on("domain").into());
    }
    throttle::count_probe(&atrium, org.user_id()).await?;
    let name = domain::record_name(&row.domain);
    let found = dns::txt(&atrium.settings.sso, &name).await;
    match found {
        Answer::Unavailable => return Err(Error::busy(Code::DnsUnavailable, 5)),
        Answer::Records(records) if records.is_empty() => return Err(Code::RecordMissing.into()),
        Answer::Records(records) => {
            let wanted = domain::record_value(&row.proof);
            if !records.iter().any(|record| record.trim() == wanted) {
                return Err(Code::RecordWrong.into());
            }
        }
    }
    let mut tx = atrium.db.write().await?;
    org.lock_and_recheck(&mut tx).await?;
    let (actor, by) = (org.actor(), VerifiedBy::Dns);
    let row = verify(&atrium, &mut tx, &actor, org.id(), &row, by).await?;
    tx.commit().await?;
    Ok(Data(row.into()))
}

/// Records the proof for a locked organization. The claim must be the one that was proven: a newer one
/// needs another record.
async fn verify(
    atrium: &Tenancy,
    tx: &mut Write,
    actor: &Actor,
    org_id: &Id,
    proven: &DomainRow,
    by: VerifiedBy,
) -> Result<DomainRow> {
    let name = &proven.domain;
    let row = store::domain(tx, org_id, name).await?;
    let row = row.filter(|row| row.proof == proven.proof).ok_or(Code::NotFound)?;
    if row.verified_at.is_some() {
        return Ok(row);
    }
    let free = !store::is_taken(tx, org_id, name).await?;
    if !free || !store::verify_domain(tx, org_id, name, by.as_str(), atrium.now()).await? {
        return Err(Code::DomainTaken.into());
    }
    let event = Event::new("sso.domain_verify", "domain", name).in_org(org_id);
    audit::append(tx, actor, event.with(json!({ "by": by }))).await?;
    let row = store::domain(tx, org_id, name).await?;
    row.ok_or_else(|| Code::NotFound.into())
}

/// Verifies a domain on an operator's word, and claims it first where needed. None if there is no such
/// organization.
pub async fn by_operator(atrium: &Tenancy, org_id: &Id, domain: &str) -> Result<Option<SsoDomain>> {
    let name = domain::normalized(domain).ok_or_else(|| Fault::new(Code::BadDomain))?;
    if is_public(&name) {
        return Err(Code::PublicDomain.into());
    }
    let mut tx = atrium.db.write().await?;
    if !orgs::lock(&mut tx, org_id).await? {
        return Ok(None);
    }
    let actor = Actor::operator();
    let row = claim(atrium, &mut tx, &actor, org_id, &name).await?;
    let row = verify(atrium, &mut tx, &actor, org_id, &row, VerifiedBy::Operator).await?;
    tx.commit().await?;
    Ok(Some(row.into()))
}
