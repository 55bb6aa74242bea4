//! Why a trip to a provider ended at the door. Each has a code that the console has words for, and
//! an entry in the audit log.

use serde_json::json;

use super::network::Reason;
use crate::app::AppState;
use crate::audit::{self, Actor, Event};
use crate::error::Result;
use crate::http::client::Client;
use crate::types::Id;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Cancelled,
    StateInvalid,
    ProviderUnavailable,
    ProviderError,
    CodeRefused,
    AccountDisabled,
    Throttled,
    SsoOff,
    IssuerMismatch,
    AudienceMismatch,
    TokenUnsigned,
    TokenSignature,
    TokenExpired,
    TokenInvalid,
    NonceMismatch,
    EmailMissing,
    EmailUnverified,
    DomainNotAllowed,
    MembershipEnded,
    LinkWrongAccount,
}

impl Refusal {
    /// What the console knows it by; never changes once released.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::StateInvalid => "state_invalid",
            Self::ProviderUnavailable => "provider_unavailable",
            Self::ProviderError => "provider_error",
            Self::CodeRefused => "code_refused",
            Self::AccountDisabled => "account_disabled",
            Self::Throttled => "throttled",
            Self::SsoOff => "sso_off",
            Self::IssuerMismatch => "issuer_mismatch",
            Self::AudienceMismatch => "audience_mismatch",
            Self::TokenUnsigned => "token_unsigned",
            Self::TokenSignature => "token_signature",
            Self::TokenExpired => "token_expired",
            Self::TokenInvalid => "token_invalid",
            Self::NonceMismatch => "nonce_mismatch",
            Self::EmailMissing => "email_missing",
            Self::EmailUnverified => "email_unverified",
            Self::DomainNotAllowed => "domain_not_allowed",
            Self::MembershipEnded => "membership_ended",
            Self::LinkWrongAccount => "link_wrong_account",
        }
    }
}

impl From<Reason> for Refusal {
    fn from(_: Reason) -> Self {
        Self::ProviderUnavailable
    }
}

/// Writes a refusal down: in the organisation's log, or in the instance's while no organisation is
/// known. The address only where the provider's word for it was verified.
pub async fn note(
    atrium: &AppState,
    client: &Client,
    org_id: Option<&Id>,
    refusal: Refusal,
    email: Option<&str>,
) -> Result<()> {
    let details = json!({ "reason": refusal.as_str(), "email": email });
    let mut tx = atrium.db.write_minor().await?;
    let event = match org_id {
        Some(id) => Event::new("sso.refused", "org", id).in_org(id),
        None => Event::without_target("sso.refused", "org"),
    };
    audit::append(atrium, &mut tx, &Actor::anonymous(client), event.with(details)).await?;
    tx.commit().await
}
