//! The registry of permissions, for the console.

use serde::Serialize;
use utoipa::ToSchema;

use crate::session::SignedIn;
use atrium_core::http::json::Data;
use atrium_core::locale::Locale;
use atrium_core::permissions::{BuiltinRole, GROUPS, OrgRole, Permission, Scope};

#[derive(Serialize, ToSchema)]
pub struct PermissionRegistry {
    groups: Vec<PermissionGroup>,
    roles: Vec<RegisteredRole>,
}

#[derive(Serialize, ToSchema)]
pub struct PermissionGroup {
    key: &'static str,
    name: &'static str,
    #[schema(value_type = Scope)]
    scope: &'static str,
    permissions: Vec<PermissionView>,
}

#[derive(Serialize, ToSchema)]
pub struct PermissionView {
    #[schema(value_type = Permission)]
    code: &'static str,
    name: &'static str,
    description: &'static str,
}

/// A role defined in the code.
#[derive(Serialize, ToSchema)]
pub struct RegisteredRole {
    key: &'static str,
    name: &'static str,
    #[schema(value_type = Scope)]
    scope: &'static str,
    #[schema(value_type = Vec<Permission>)]
    permissions: Vec<&'static str>,
}

/// All permissions, in groups, and the built-in roles, in the language of the request.
#[utoipa::path(
    get,
    path = "/api/v1/permissions",
    operation_id = "permission_list",
    tag = "role",
    security(("session" = [])),
    responses((status = 200, body = Data<PermissionRegistry>))
)]
pub async fn permission_list(_: SignedIn, locale: Locale) -> Data<PermissionRegistry> {
    let view = |permission: &Permission| PermissionView {
        code: permission.code(),
        name: permission.name().in_locale(locale),
        description: permission.description().in_locale(locale),
    };
    let groups = GROUPS
        .iter()
        .map(|group| PermissionGroup {
            key: group.key,
            name: group.name.in_locale(locale),
            scope: group.scope.as_str(),
            permissions: group.permissions.iter().map(view).collect(),
        })
        .collect();
    let codes = |held: Vec<Permission>| held.iter().map(|it| it.code()).collect();
    let in_apps = BuiltinRole::ALL.into_iter().map(|role| RegisteredRole {
        key: role.key(),
        name: role.name().in_locale(locale),
        scope: "app",
        permissions: codes(role.permissions()),
    });
    let in_orgs = OrgRole::ALL.into_iter().map(|role| RegisteredRole {
        key: role.as_str(),
        name: role.name().in_locale(locale),
        scope: "organization",
        permissions: codes(role.permissions()),
    });
    Data(PermissionRegistry { groups, roles: in_apps.chain(in_orgs).collect() })
}
