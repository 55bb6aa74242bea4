//! Organizations (teams), their members, and how people join.

pub mod handlers;
pub mod invitation_link;
pub(crate) mod invitation_view;
pub mod invitations;
pub mod joining;
pub mod members;
pub mod my_invitations;
pub(crate) mod public_domains;

pub use atrium_core::permissions::OrgRole;

use serde::Serialize;
use utoipa::ToSchema;

use crate::store::orgs::OrgListRow;
use atrium_core::permissions::Permission;
use atrium_core::types::{Id, Millis};

/// An organization, as its members see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct OrgView {
    pub id: Id,
    pub name: String,
    /// IANA name; the default for its dashboard.
    pub timezone: String,
    /// The caller's role.
    pub role: OrgRole,
    /// What the caller may do in it.
    #[schema(value_type = Vec<Permission>)]
    pub permissions: Vec<&'static str>,
    pub member_count: i64,
    /// Apps that are not deleted and that the caller can see.
    pub app_count: i64,
    /// Whether members need a second factor.
    pub require_mfa: bool,
    /// Whether members other than owners must sign in through its provider.
    pub require_sso: bool,
    /// How long events are kept.
    pub retention_days: i64,
    pub created_at: Millis,
}

impl OrgView {
    fn new(row: OrgListRow) -> Self {
        let role = OrgRole::parse(&row.role).unwrap_or(OrgRole::Member);
        Self {
            id: row.id,
            name: row.name,
            timezone: row.timezone,
            role,
            permissions: role.permissions().iter().map(|it| it.code()).collect(),
            member_count: row.member_count,
            app_count: row.app_count,
            require_mfa: row.require_mfa_at.is_some(),
            require_sso: row.require_sso_at.is_some(),
            retention_days: row.retention_days,
            created_at: row.created_at,
        }
    }
}

/// A person, with what others need to know.
#[derive(Debug, Serialize, ToSchema)]
pub struct PersonRef {
    pub id: Id,
    pub name: String,
}

impl PersonRef {
    pub fn of(id: Option<Id>, name: Option<String>) -> Option<Self> {
        Some(Self { id: id?, name: name? })
    }
}
