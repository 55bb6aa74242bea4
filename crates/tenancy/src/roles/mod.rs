//! Roles in an app: the built-in ones from the registry, and custom ones.

pub mod handlers;
pub mod registry;

use serde::Serialize;
use sqlx::AnyConnection;
use utoipa::ToSchema;

use crate::rules::parse_permissions;
use crate::store::roles::{self as store, RoleRow};
use atrium_core::error::Result;
use atrium_core::locale::Locale;
use atrium_core::permissions::{BuiltinRole, Permission};
use atrium_core::types::{Id, Millis};

/// A role, as shown next to a person.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RoleRef {
    pub id: Id,
    /// Only for built-in roles.
    pub key: Option<&'static str>,
    pub name: String,
}

impl RoleRef {
    pub fn builtin(role: BuiltinRole, locale: Locale) -> Self {
        let name = role.name().in_locale(locale).to_owned();
        Self { id: role.id(), key: Some(role.key()), name }
    }
}

/// A role of an app.
#[derive(Clone, Debug)]
pub enum Role {
    Builtin(BuiltinRole),
    Custom(CustomRole),
}

#[derive(Clone, Debug)]
pub struct CustomRole {
    pub id: Id,
    pub name: String,
    pub description: String,
    pub permissions: Vec<Permission>,
    pub created_at: Millis,
}

impl Role {
    pub fn id(&self) -> Id {
        match self {
            Self::Builtin(role) => role.id(),
            Self::Custom(role) => role.id.clone(),
        }
    }

    pub fn name(&self, locale: Locale) -> String {
        match self {
            Self::Builtin(role) => role.name().in_locale(locale).to_owned(),
            Self::Custom(role) => role.name.clone(),
        }
    }

    pub fn permissions(&self) -> Vec<Permission> {
        match self {
            Self::Builtin(role) => role.permissions(),
            Self::Custom(role) => role.permissions.clone(),
        }
    }

    pub fn reference(&self, locale: Locale) -> RoleRef {
        match self {
            Self::Builtin(role) => RoleRef::builtin(*role, locale),
            Self::Custom(role) => {
                RoleRef { id: role.id.clone(), key: None, name: role.name.clone() }
            }
        }
    }
}

impl From<RoleRow> for CustomRole {
    fn from(row: RoleRow) -> Self {
        Self {
            permissions: parse_permissions(row.permissions.as_deref()),
            id: row.id,
            name: row.name,
            description: row.description,
            created_at: row.created_at,
        }
    }
}

/// A role of an app by its id.
pub async fn find(db: &mut AnyConnection, app_id: &Id, role_id: &Id) -> Result<Option<Role>> {
    if let Some(role) = BuiltinRole::by_id(role_id) {
        return Ok(Some(Role::Builtin(role)));
    }
    let row = store::role(db, app_id, role_id).await?;
    Ok(row.map(|row| Role::Custom(row.into())))
}

/// Like `find`, but also keeps the role from being deleted until the transaction ends.
pub async fn lock(db: &mut AnyConnection, app_id: &Id, role_id: &Id) -> Result<Option<Role>> {
    store::lock(db, app_id, role_id).await?;
    find(db, app_id, role_id).await
}

/// Every role of an app: built-in ones first, then by name.
pub async fn all(db: &mut AnyConnection, app_id: &Id) -> Result<Vec<Role>> {
    let custom = store::roles(db, app_id).await?;
    let builtin = BuiltinRole::ALL.into_iter().map(Role::Builtin);
    Ok(builtin.chain(custom.into_iter().map(|row| Role::Custom(row.into()))).collect())
}
