//! Single sign-on: an organization's own OpenID provider, the mail domains it is responsible for, and
//! the people who sign in through it. A provider is only trusted for addresses at its organization's
//! verified domains, and it never opens an account that existed before it
//! (docs/decisions/0018-single-sign-on.md).

pub mod connection_test;
pub mod dns;
pub mod domain;
pub mod domains;
pub mod linking;
mod provision;
pub mod settings;
pub mod sign_in;
mod token;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::state::Tenancy;
use crate::store::sso::{self as store, DomainRow};
use atrium_core::error::Result;
use atrium_core::permissions::OrgRole;
use atrium_core::types::Millis;

/// Where providers send people back to.
pub const CALLBACK: &str = "/api/v1/sso/callback";
/// The purpose under which the client secret is sealed.
const SECRET: &str = "sso_client_secret";

/// An organization's single sign-on, as its owners see it. Never includes the secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct SsoView {
    /// Whether there is a provider; without one its fields are empty.
    pub configured: bool,
    pub enabled: bool,
    /// Whether members other than owners must sign in through it.
    pub enforced: bool,
    pub issuer: String,
    pub client_id: String,
    pub has_secret: bool,
    /// The role of people who sign in for the first time without an invitation.
    pub default_role: DefaultRole,
    /// What to register with the provider.
    pub redirect_uri: String,
    pub domains: Vec<SsoDomain>,
    /// Members who have signed in through it.
    pub linked_members: i64,
    /// Members other than owners who have not.
    pub unlinked_members: i64,
    /// Linked members who could not sign in any other way if it were removed.
    pub only_way_members: i64,
    pub updated_at: Option<Millis>,
}

/// A mail domain of an organization.
#[derive(Debug, Serialize, ToSchema)]
pub struct SsoDomain {
    #[schema(example = "example.com")]
    pub domain: String,
    pub verified_at: Option<Millis>,
    pub verified_by: Option<VerifiedBy>,
    /// The name of the TXT record.
    #[schema(example = "_atrium-challenge.example.com")]
    pub record_name: String,
    /// The value of the TXT record.
    pub record_value: String,
}

impl From<DomainRow> for SsoDomain {
    fn from(row: DomainRow) -> Self {
        Self {
            record_name: domain::record_name(&row.domain),
            record_value: domain::record_value(&row.proof),
            verified_at: row.verified_at,
            verified_by: row.verified_by.as_deref().and_then(VerifiedBy::parse),
            domain: row.domain,
        }
    }
}

/// How a domain was verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerifiedBy {
    Dns,
    /// Confirmed by the instance's operator.
    Operator,
}

impl VerifiedBy {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Operator => "operator",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Dns, Self::Operator].into_iter().find(|way| way.as_str() == text)
    }
}

/// The role of new members. Nobody becomes an owner by signing in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DefaultRole {
    Member,
    Admin,
}

impl DefaultRole {
    pub fn role(self) -> OrgRole {
        match self {
            Self::Member => OrgRole::Member,
            Self::Admin => OrgRole::Admin,
        }
    }

    fn parse(text: &str) -> Self {
        if text == "admin" { Self::Admin } else { Self::Member }
    }
}

/// Whether any organization of the instance uses single sign-on.
pub async fn is_used(atrium: &Tenancy) -> Result<bool> {
    store::any_enabled(&mut *atrium.db.read().await?).await
}
