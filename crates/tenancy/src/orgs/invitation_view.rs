//! An invitation, as those who manage members see it.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use utoipa::ToSchema;

use super::{OrgRole, PersonRef};
use crate::roles;
use crate::store::apps;
use crate::store::orgs::InvitationRow;
use atrium_core::error::Result;
use atrium_core::locale::Locale;
use atrium_core::types::{Id, Millis};

/// An app that the invitation grants, and the role in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct AppGrant {
    pub app_id: Id,
    pub role_id: Id,
}

#[derive(Serialize, ToSchema)]
pub struct GrantView {
    app_id: Id,
    app_name: String,
    role_id: Id,
    role_name: String,
}

#[derive(Serialize, ToSchema)]
pub struct InvitationView {
    id: Id,
    email: String,
    role: OrgRole,
    apps: Vec<GrantView>,
    state: InvitationState,
    invited_by: Option<PersonRef>,
    created_at: Millis,
    expires_at: Millis,
}

impl InvitationView {
    pub fn new(row: InvitationRow, names: &GrantNames, now: Millis) -> Self {
        let view = |grant: AppGrant| {
            // Skips what was deleted since, as accepting the invitation does.
            let (app_name, role_name) = names.found.get(&grant)?.clone()?;
            let AppGrant { app_id, role_id } = grant;
            Some(GrantView { app_id, app_name, role_id, role_name })
        };
        Self {
            state: InvitationState::of(&row, now),
            apps: grants(&row).into_iter().filter_map(view).collect(),
            id: row.id,
            email: row.email,
            role: OrgRole::parse(&row.role).unwrap_or(OrgRole::Member),
            invited_by: PersonRef::of(row.invited_by, row.inviter),
            created_at: row.created_at,
            expires_at: row.expires_at,
        }
    }
}

/// Names of apps and roles, looked up once for the whole list.
#[derive(Default)]
pub struct GrantNames {
    found: HashMap<AppGrant, Option<(String, String)>>,
}

impl GrantNames {
    pub async fn of(
        db: &mut AnyConnection,
        rows: &[InvitationRow],
        locale: Locale,
    ) -> Result<Self> {
        let mut names = Self::default();
        for (org_id, grant) in rows
            .iter()
            .flat_map(|row| grants(row).into_iter().map(move |grant| (&row.org_id, grant)))
        {
            if names.found.contains_key(&grant) {
                continue;
            }
            let app = apps::active_of_org(db, &grant.app_id, org_id).await?;
            let role = roles::find(db, &grant.app_id, &grant.role_id).await?;
            let both = app.zip(role).map(|(app, role)| (app.name, role.name(locale)));
            names.found.insert(grant, both);
        }
        Ok(names)
    }
}

pub fn grants(row: &InvitationRow) -> Vec<AppGrant> {
    serde_json::from_str(&row.app_grants).unwrap_or_default()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InvitationState {
    Pending,
    Accepted,
    Expired,
    Revoked,
    Declined,
}

impl InvitationState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted => "accepted",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
            Self::Declined => "declined",
        }
    }

    /// A pending invitation past its time is expired, even if its row does not say so yet.
    fn of(row: &InvitationRow, now: Millis) -> Self {
        match row.state.as_str() {
            "accepted" => Self::Accepted,
            "revoked" => Self::Revoked,
            "declined" => Self::Declined,
            "pending" if row.expires_at > now => Self::Pending,
            _ => Self::Expired,
        }
    }
}
