//! What someone may do in an app.

use atrium_core::permissions::{BuiltinRole, OrgRole, Permission, app_permissions};
use atrium_core::types::Id;

/// What someone may do in an app, and where that comes from.
#[derive(Clone, Debug)]
pub struct AppAccess {
    pub via: Via,
    pub permissions: Vec<Permission>,
}

#[derive(Clone, Debug)]
pub enum Via {
    Organization(OrgRole),
    Builtin(BuiltinRole),
    Custom { id: Id, name: String },
}

impl AppAccess {
    pub fn through_org(role: OrgRole) -> Self {
        Self { via: Via::Organization(role), permissions: app_permissions() }
    }

    pub fn holds(&self, permission: Permission) -> bool {
        self.permissions.contains(&permission)
    }

    /// Whether the caller holds all of these. Nobody can grant what they do not hold.
    pub fn covers(&self, permissions: &[Permission]) -> bool {
        permissions.iter().all(|permission| self.holds(*permission))
    }
}
