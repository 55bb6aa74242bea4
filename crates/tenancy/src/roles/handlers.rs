//! An app's roles: list, make, change, delete.

use axum::extract::{FromRef, FromRequestParts, State};
use http::request::Parts;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use super::{CustomRole, Role, all, find, lock};
use crate::access::InApp;
use crate::notifications::{self, Notice};
use crate::state::Tenancy;
use crate::store::apps::AppAccess;
use crate::store::roles::{self as store, RoleText};
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::http::json::{Data, Done, Json, Query};
use atrium_core::http::page::Items;
use atrium_core::http::path::{PathId, SecondId};
use atrium_core::locale::Locale;
use atrium_core::permissions::{Permission, RoleManage, RoleView as ViewRole, Scope};
use atrium_core::text::Checks;
use atrium_core::types::{Id, Millis};

const MOST: usize = 30;
const DESCRIPTION_MAX: usize = 300;

#[derive(Serialize, ToSchema)]
pub struct RoleView {
    id: Id,
    /// Of built-in ones: admin, developer, analyst, viewer.
    key: Option<&'static str>,
    name: String,
    description: String,
    /// Built-in roles cannot be changed.
    builtin: bool,
    #[schema(value_type = Vec<Permission>)]
    permissions: Vec<&'static str>,
    member_count: i64,
    created_at: Option<Millis>,
}

impl RoleView {
    fn new(role: Role, member_count: i64, locale: Locale) -> Self {
        let permissions = role.permissions().iter().map(|it| it.code()).collect();
        match role {
            Role::Builtin(role) => Self {
                id: role.id(),
                key: Some(role.key()),
                name: role.name().in_locale(locale).to_owned(),
                description: role.description().in_locale(locale).to_owned(),
                builtin: true,
                permissions,
                member_count,
                created_at: None,
            },
            Role::Custom(role) => Self {
                id: role.id,
                key: None,
                name: role.name,
                description: role.description,
                builtin: false,
                permissions,
                member_count,
                created_at: Some(role.created_at),
            },
        }
    }
}

/// The app's roles: built-in ones first, then by name. There are never more than 34.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/roles",
    operation_id = "role_list",
    tag = "role",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<Items<RoleView>>))
)]
pub async fn role_list(
    State(atrium): State<Tenancy>,
    app: InApp<ViewRole>,
    locale: Locale,
) -> Result<Data<Items<RoleView>>> {
    let mut db = atrium.db.read().await?;
    let holders = store::holders(&mut db, app.id()).await?;
    let count = |role: &Role| holders.get(&role.id()).copied().unwrap_or(0);
    let items: Vec<RoleView> = all(&mut db, app.id())
        .await?
        .into_iter()
        .map(|role| {
            let members = count(&role);
            RoleView::new(role, members, locale)
        })
        .collect();
    let total = i64::try_from(items.len()).unwrap_or(i64::MAX);
    Ok(Data(Items { items, total }))
}

/// One role.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/roles/{role_id}",
    operation_id = "role_view",
    tag = "role",
    security(("session" = [])),
    params(("id" = Id, Path), ("role_id" = Id, Path)),
    responses((status = 200, body = Data<RoleView>))
)]
pub async fn role_view(
    State(atrium): State<Tenancy>,
    app: InApp<ViewRole>,
    SecondId(role_id): SecondId,
    locale: Locale,
) -> Result<Data<RoleView>> {
    let mut db = atrium.db.read().await?;
    let role = find(&mut db, app.id(), &role_id).await?.ok_or(Code::NotFound)?;
    let members = store::holders(&mut db, app.id()).await?.get(&role_id).copied().unwrap_or(0);
    Ok(Data(RoleView::new(role, members, locale)))
}

/// A role of the app, from the path's second parameter. Any other is not found, which is checked before
/// a body is read.
pub struct RoleInPath(Id);

impl<S> FromRequestParts<S> for RoleInPath
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let atrium = &Tenancy::from_ref(state);
        let PathId(app_id) = PathId::from_request_parts(parts, state).await?;
        let SecondId(role_id) = SecondId::from_request_parts(parts, state).await?;
        let role = find(&mut *atrium.db.read().await?, &app_id, &role_id).await?;
        role.map(|_| Self(role_id)).ok_or_else(|| Code::NotFound.into())
    }
}

#[derive(Deserialize, ToSchema)]
pub struct RoleBody {
    name: String,
    description: Option<String>,
    /// Codes from GET /permissions within an app; app:view must be among them.
    permissions: Vec<String>,
}

/// The validated form.
struct Wanted {
    name: String,
    description: String,
    permissions: Vec<Permission>,
}

impl RoleBody {
    fn check(&self) -> Result<Wanted> {
        let mut checks = Checks::default();
        let name = checks.name("name", &self.name);
        let description = self.description.as_deref().unwrap_or_default();
        let description = checks.text("description", description, DESCRIPTION_MAX);
        let parse = |code: &String| {
            Permission::parse(code).filter(|permission| permission.scope() == Scope::App)
        };
        let known: Option<Vec<Permission>> = self.permissions.iter().map(parse).collect();
        match &known {
            None => checks.fail(Fault::new(Code::BadPermission).on("permissions")),
            Some(list) if !list.contains(&Permission::AppView) => {
                checks.fail(Fault::new(Code::AppViewRequired).on("permissions"));
            }
            Some(_) => {}
        }
        checks.finish()?;
        // In the registry's order, without duplicates.
        let wanted = known.unwrap_or_default();
        let permissions =
            Permission::ALL.iter().copied().filter(|it| wanted.contains(it)).collect();
        Ok(Wanted { name, description, permissions })
    }
}

fn codes(permissions: &[Permission]) -> Vec<&'static str> {
    permissions.iter().map(|it| it.code()).collect()
}

/// Nobody can grant what they do not hold, nor change a role that holds more than they do.
fn refuse_beyond(access: &AppAccess, permissions: &[Permission]) -> Result<()> {
    if access.covers(permissions) { Ok(()) } else { Err(Code::BeyondOwn.into()) }
}

/// Makes a role.
#[utoipa::path(
    post,
    path = "/api/v1/apps/{id}/roles",
    operation_id = "role_create",
    tag = "role",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = RoleBody,
    responses((status = 200, body = Data<RoleView>))
)]
pub async fn role_create(
    State(atrium): State<Tenancy>,
    app: InApp<RoleManage>,
    locale: Locale,
    Json(input): Json<RoleBody>,
) -> Result<Data<RoleView>> {
    let wanted = input.check()?;
    let (id, now) = (atrium.new_id(), atrium.now());
    let mut tx = atrium.db.write().await?;
    let (_, access) = app.lock_and_recheck_active(&mut tx).await?;
    refuse_beyond(&access, &wanted.permissions)?;
    if store::roles(&mut tx, app.id()).await?.len() >= MOST {
        return Err(Fault::new(Code::TooManyRoles).with("max", MOST).into());
    }
    let text = RoleText {
        id: &id,
        name: &wanted.name,
        description: &wanted.description,
        permissions: &wanted.permissions,
    };
    if !store::insert(&mut tx, app.id(), &text, now).await? {
        return Err(Fault::new(Code::RoleNameTaken).on("name").into());
    }
    let event = Event::new("role.create", "role", &id).in_org(&app.app.org_id).in_app(app.id());
    let details = json!({ "name": wanted.name, "permissions": codes(&wanted.permissions) });
    audit::append(&mut tx, &app.actor(), event.with(details)).await?;
    tx.commit().await?;
    let Wanted { name, description, permissions } = wanted;
    let role = CustomRole { id, name, description, permissions, created_at: now };
    Ok(Data(RoleView::new(Role::Custom(role), 0, locale)))
}

/// Changes a custom role; this applies from its members' next request.
#[utoipa::path(
    put,
    path = "/api/v1/apps/{id}/roles/{role_id}",
    operation_id = "role_update",
    tag = "role",
    security(("session" = [])),
    params(("id" = Id, Path), ("role_id" = Id, Path)),
    request_body = RoleBody,
    responses((status = 200, body = Data<RoleView>))
)]
pub async fn role_update(
    State(atrium): State<Tenancy>,
    app: InApp<RoleManage>,
    RoleInPath(role_id): RoleInPath,
    locale: Locale,
    Json(input): Json<RoleBody>,
) -> Result<Data<RoleView>> {
    let wanted = input.check()?;
    let mut tx = atrium.db.write().await?;
    let (_, access) = app.lock_and_recheck_active(&mut tx).await?;
    let before = custom(&mut tx, app.id(), &role_id).await?;
    refuse_beyond(&access, &before.permissions)?;
    refuse_beyond(&access, &wanted.permissions)?;
    let text = RoleText {
        id: &role_id,
        name: &wanted.name,
        description: &wanted.description,
        permissions: &wanted.permissions,
    };
    if !store::update(&mut tx, app.id(), &text).await? {
        return Err(Fault::new(Code::RoleNameTaken).on("name").into());
    }
    let event = Event::new("role.update", "role", &role_id);
    let event = event.in_org(&app.app.org_id).in_app(app.id()).with(json!({
        "before": { "name": before.name, "permissions": codes(&before.permissions) },
        "after": { "name": wanted.name, "permissions": codes(&wanted.permissions) },
    }));
    audit::append(&mut tx, &app.actor(), event).await?;
    let members = store::holders(&mut tx, app.id()).await?.get(&role_id).copied().unwrap_or(0);
    tx.commit().await?;
    let Wanted { name, description, permissions } = wanted;
    let role =
        CustomRole { id: role_id, name, description, permissions, created_at: before.created_at };
    Ok(Data(RoleView::new(Role::Custom(role), members, locale)))
}

async fn custom(db: &mut sqlx::AnyConnection, app_id: &Id, role_id: &Id) -> Result<CustomRole> {
    match lock(db, app_id, role_id).await? {
        Some(Role::Custom(role)) => Ok(role),
        Some(Role::Builtin(_)) => Err(Code::BuiltinRole.into()),
        None => Err(Code::NotFound.into()),
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Replacement {
    /// The new role for members with the deleted one.
    replacement: Option<Id>,
}

/// Deletes a custom role. If members hold it, a replacement must be given.
#[utoipa::path(
    delete,
    path = "/api/v1/apps/{id}/roles/{role_id}",
    operation_id = "role_delete",
    tag = "role",
    security(("session" = [])),
    params(("id" = Id, Path), ("role_id" = Id, Path), Replacement),
    responses((status = 200, body = Data<Done>))
)]
pub async fn role_delete(
    State(atrium): State<Tenancy>,
    app: InApp<RoleManage>,
    SecondId(role_id): SecondId,
    Query(query): Query<Replacement>,
) -> Result<Data<Done>> {
    let mut tx = atrium.db.write().await?;
    let (_, access) = app.lock_and_recheck_active(&mut tx).await?;
    let role = custom(&mut tx, app.id(), &role_id).await?;
    refuse_beyond(&access, &role.permissions)?;
    let members = store::holders(&mut tx, app.id()).await?.get(&role_id).copied().unwrap_or(0);
    let replacement = query.replacement.filter(|to| *to != role_id);
    if members > 0 {
        let to = replacement.clone().ok_or(Code::RoleInUse)?;
        let other = lock(&mut tx, app.id(), &to).await?;
        let other = other.ok_or_else(|| Fault::new(Code::BadRole).on("replacement"))?;
        refuse_beyond(&access, &other.permissions())?;
        for user_id in store::members_with(&mut tx, app.id(), &role_id).await? {
            let event = Event::new("app_member.role", "user", &user_id);
            let event = event.in_org(&app.app.org_id).in_app(app.id()).with(json!({
                "before": { "role": role.name, "role_id": role_id },
                "after": { "role": other.name(Locale::EnUs), "role_id": to },
            }));
            audit::append(&mut tx, &app.actor(), event).await?;
            let notice = Notice::AppRoleChanged {
                org_id: app.app.org_id.clone(),
                app_id: app.id().clone(),
                app: app.app.name.clone(),
                role_zh: other.name(Locale::ZhCn),
                role_en: other.name(Locale::EnUs),
            };
            notifications::notify_id(&atrium, &mut tx, &user_id, &notice).await?;
        }
        store::replace(&mut tx, app.id(), &role_id, &to).await?;
    }
    store::delete(&mut tx, app.id(), &role_id).await?;
    let event = Event::new("role.delete", "role", &role_id);
    let event = event.in_org(&app.app.org_id).in_app(app.id());
    let details = json!({ "name": role.name, "members": members, "replacement": replacement });
    audit::append(&mut tx, &app.actor(), event.with(details)).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(Done {}))
}
