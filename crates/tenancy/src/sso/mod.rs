//! Single sign-on: an organization's own OpenID provider, the mail domains that it answers for, and
//! the people who come through it. A provider is trusted for addresses of its organization's proven
//! domains and for nothing else, and it never opens an account that was there before it
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
/// What the client secret is sealed for.
const SECRET: &str = "sso_client_secret";

/// An organization's single sign-on, as its owners see it. The secret is never told.
#[derive(Debug, Serialize, ToSchema)]
pub struct SsoView {
    /// Whether there is a provider; without one its fields are empty.
    pub configured: bool,
    pub enabled: bool,
    /// Whether members other than owners have to come in through it.
    pub enforced: bool,
    pub issuer: String,
    pub client_id: String,
    pub has_secret: bool,
    /// What someone becomes who comes for the first time without an invitation.
    pub default_role: DefaultRole,
    /// What to register with the provider.
    pub redirect_uri: String,
    pub domains: Vec<SsoDomain>,
    /// Members who have come through it.
    pub linked_members: i64,
    /// Members, owners aside, who have not.
    pub unlinked_members: i64,
    /// Linked members who could sign in with nothing else, if it were removed.
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
    /// Where the TXT record goes.
    #[schema(example = "_atrium-challenge.example.com")]
    pub record_name: String,
    /// What the TXT record says.
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

/// How a domain was proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerifiedBy {
    Dns,
    /// The word of whoever runs the instance.
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

/// Nobody becomes an owner by signing in.
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

/// Whether any organization of the instance uses it.
pub async fn is_used(atrium: &Tenancy) -> Result<bool> {
    store::any_enabled(&mut *atrium.db.read().await?).await
}
