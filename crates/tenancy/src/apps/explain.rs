//! "Why can they do this?": what gives someone each permission in an app, or what would give it.

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::handlers::ViaKind;
use crate::access::InApp;
use crate::roles::{self, RoleRef};
use crate::state::Tenancy;
use crate::store::apps::{self as store, Via};
use crate::store::{accounts, orgs};
use atrium_core::error::{Code, Result};
use atrium_core::http::json::Data;
use atrium_core::http::path::SecondId;
use atrium_core::locale::Locale;
use atrium_core::permissions::{MemberView, Permission, app_permissions};
use atrium_core::types::Id;

#[derive(Serialize, ToSchema)]
pub struct AccessExplained {
    user: ExplainedUser,
    permissions: Vec<ExplainedPermission>,
}

#[derive(Serialize, ToSchema)]
pub struct ExplainedUser {
    id: Id,
    name: String,
    email: String,
}

#[derive(Serialize, ToSchema)]
pub struct ExplainedPermission {
    #[schema(value_type = Permission)]
    code: &'static str,
    name: &'static str,
    held: bool,
    /// Where it comes from, if it is held.
    through: Option<Through>,
    /// Roles of the app that give it.
    roles_that_give: Vec<RoleRef>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Through {
    kind: ViaKind,
    role: ThroughRole,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ThroughRole {
    key: Option<&'static str>,
    name: String,
}

fn through(via: &Via, locale: Locale) -> Through {
    let role = match via {
        Via::Organization(role) => {
            ThroughRole { key: Some(role.as_str()), name: role.name().in_locale(locale).to_owned() }
        }
        Via::Builtin(role) => {
            ThroughRole { key: Some(role.key()), name: role.name().in_locale(locale).to_owned() }
        }
        Via::Custom { name, .. } => ThroughRole { key: None, name: name.clone() },
    };
    Through { kind: ViaKind::from(via), role }
}

/// What a member of the organization may do in the app, and why.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/members/{user_id}/access",
    operation_id = "app_member_access",
    tag = "app",
    security(("session" = [])),
    params(("id" = Id, Path), ("user_id" = Id, Path)),
    responses((status = 200, body = Data<AccessExplained>))
)]
pub async fn app_member_access(
    State(atrium): State<Tenancy>,
    app: InApp<MemberView>,
    SecondId(user_id): SecondId,
    locale: Locale,
) -> Result<Data<AccessExplained>> {
    let mut db = atrium.db.read().await?;
    let org_id = &app.app.org_id;
    orgs::role_of(&mut db, org_id, &user_id).await?.ok_or(Code::NotFound)?;
    let user = accounts::user_by_id(&mut db, &user_id).await?.ok_or(Code::NotFound)?;
    let access = store::for_user(&mut db, app.id(), &user_id).await?.map(|(_, access, _)| access);
    let roles = roles::all(&mut db, app.id()).await?;
    let explain = |permission| {
        let held = access.as_ref().filter(|access| access.holds(permission));
        let giving = roles.iter().filter(|role| role.permissions().contains(&permission));
        ExplainedPermission {
            code: permission.code(),
            name: permission.name().in_locale(locale),
            held: held.is_some(),
            through: held.map(|access| through(&access.via, locale)),
            roles_that_give: giving.map(|role| role.reference(locale)).collect(),
        }
    };
    Ok(Data(AccessExplained {
        user: ExplainedUser { id: user.id, name: user.name, email: user.email },
        permissions: app_permissions().into_iter().map(explain).collect(),
    }))
}
