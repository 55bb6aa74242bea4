//! Who reaches an app, and in what role.

use axum::extract::{FromRef, FromRequestParts, State};
use http::request::Parts;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::AnyConnection;
use utoipa::{IntoParams, ToSchema};

use super::handlers::ViaKind;
use crate::access::InApp;
use crate::notifications::{self, Notice};
use crate::orgs::{OrgRole, PersonRef};
use crate::roles::{self, Role, RoleRef};
use crate::rules;
use crate::state::Tenancy;
use crate::store::apps::{self as store, AppAccess, AppMemberRow, AppStatus, Via};
use crate::store::orgs;
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::http::json::{Data, Done, Json, Query};
use atrium_core::http::list::{ListQuery, Sort};
use atrium_core::http::page::Items;
use atrium_core::http::path::{PathId, SecondId};
use atrium_core::locale::Locale;
use atrium_core::permissions::{BuiltinRole, MemberManage, MemberView};
use atrium_core::text::Checks;
use atrium_core::types::{Id, Millis};

#[derive(Serialize, ToSchema)]
pub struct AppMember {
    user_id: Id,
    email: String,
    name: String,
    /// Null for people who reach the app only through the organization.
    role: Option<RoleRef>,
    via: ViaKind,
    org_role: OrgRole,
    added_at: Option<Millis>,
    added_by: Option<PersonRef>,
    is_me: bool,
}

impl AppMember {
    fn new(row: AppMemberRow, me: &Id, locale: Locale) -> Self {
        let org_role = OrgRole::parse(&row.org_role).unwrap_or(OrgRole::Member);
        let role = row.role_id.and_then(|id| match BuiltinRole::by_id(&id) {
            Some(role) => Some(RoleRef::builtin(role, locale)),
            None => row.role_name.map(|name| RoleRef { id, key: None, name }),
        });
        Self {
            is_me: row.user_id == *me,
            user_id: row.user_id,
            email: row.email,
            name: row.name,
            role,
            via: if org_role.runs_apps() { ViaKind::Organization } else { ViaKind::App },
            org_role,
            added_at: row.added_at,
            added_by: PersonRef::of(row.added_by, row.adder),
        }
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AppMemberFilter {
    /// Only those with this role.
    role_id: Option<Id>,
}

const SORTS: &[Sort] = &[
    ("name", "users.name_order"),
    ("email", "users.email_normalized"),
    ("role", rules::APP_ROLE_ORDER),
    ("added_at", "COALESCE(reaching.added_at, 0)"),
];

/// Everyone who reaches the app: by a role in it, or by running its organization.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/members",
    operation_id = "app_member_list",
    tag = "app",
    security(("session" = [])),
    params(("id" = Id, Path), ListQuery, AppMemberFilter),
    responses((status = 200, body = Data<Items<AppMember>>))
)]
pub async fn app_member_list(
    State(atrium): State<Tenancy>,
    app: InApp<MemberView>,
    locale: Locale,
    Query(query): Query<ListQuery>,
    Query(filter): Query<AppMemberFilter>,
) -> Result<Data<Items<AppMember>>> {
    let listing = query.check(SORTS, "users.id")?;
    let role_id = filter.role_id.as_ref().map_or("", Id::as_str);
    let mut db = atrium.db.read().await?;
    let (rows, total) =
        store::members(&mut db, app.id(), &app.app.org_id, role_id, &listing).await?;
    let view = |row| AppMember::new(row, app.user_id(), locale);
    Ok(Data(Items { items: rows.into_iter().map(view).collect(), total }))
}

#[derive(Serialize, ToSchema)]
pub struct Candidate {
    user_id: Id,
    email: String,
    name: String,
}

/// Members of the organization who could be added.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/candidates",
    operation_id = "app_candidate_list",
    tag = "app",
    security(("session" = [])),
    params(("id" = Id, Path), ListQuery),
    responses((status = 200, body = Data<Items<Candidate>>))
)]
pub async fn app_candidate_list(
    State(atrium): State<Tenancy>,
    app: InApp<MemberManage>,
    Query(query): Query<ListQuery>,
) -> Result<Data<Items<Candidate>>> {
    let listing = query.check(&SORTS[..2], "users.id")?;
    let mut db = atrium.db.read().await?;
    let (rows, total) = store::candidates(&mut db, app.id(), &app.app.org_id, &listing).await?;
    let view = |row: store::CandidateRow| Candidate {
        user_id: row.user_id,
        email: row.email,
        name: row.name,
    };
    Ok(Data(Items { items: rows.into_iter().map(view).collect(), total }))
}

#[derive(Deserialize, ToSchema)]
pub struct NewAppMembers {
    #[schema(max_items = 100)]
    user_ids: Vec<Id>,
    role_id: Id,
}

#[derive(Serialize, ToSchema)]
pub struct Added {
    added: u64,
    /// Already in the app, or not in the organization.
    skipped: u64,
}

/// Adds members of the organization to the app.
#[utoipa::path(
    post,
    path = "/api/v1/apps/{id}/members",
    operation_id = "app_member_add",
    tag = "app",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = NewAppMembers,
    responses((status = 200, body = Data<Added>))
)]
pub async fn app_member_add(
    State(atrium): State<Tenancy>,
    app: InApp<MemberManage>,
    Json(input): Json<NewAppMembers>,
) -> Result<Data<Added>> {
    let mut checks = Checks::default();
    checks.length("user_ids", input.user_ids.len(), 1, 100);
    checks.finish()?;
    let now = atrium.now();
    let mut tx = atrium.db.write().await?;
    // Someone being removed from the organization must not end up in its app.
    orgs::lock(&mut tx, &app.app.org_id).await?;
    let (_, access) = app.lock_and_recheck_active(&mut tx).await?;
    let role = grantable(&mut tx, app.id(), &access, &input.role_id).await?;
    let (mut added, mut skipped) = (0, 0);
    for user_id in &input.user_ids {
        let org_role = orgs::role_of(&mut tx, &app.app.org_id, user_id).await?;
        let is_new = org_role == Some(OrgRole::Member)
            && store::insert_member(
                &mut tx,
                app.id(),
                user_id,
                &role.id(),
                Some(app.user_id()),
                now,
            )
            .await?;
        if !is_new {
            skipped += 1;
            continue;
        }
        added += 1;
        let event = event(&app, "app_member.add", user_id);
        let details = json!({ "role": role.name(Locale::EnUs), "role_id": role.id() });
        audit::append(&mut tx, &app.actor(), event.with(details)).await?;
        notify_member(&atrium, &mut tx, &app, user_id, Some(&role)).await?;
    }
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(Added { added, skipped }))
}

fn event(app: &InApp<MemberManage>, action: &'static str, user_id: &Id) -> Event {
    Event::new(action, "user", user_id).in_org(&app.app.org_id).in_app(app.id())
}

/// Notifies someone of their new role in the app, or of their removal.
async fn notify_member(
    atrium: &Tenancy,
    tx: &mut atrium_core::db::Write,
    app: &InApp<MemberManage>,
    user_id: &Id,
    role: Option<&Role>,
) -> Result<()> {
    if user_id == app.user_id() {
        return Ok(());
    }
    let (org_id, name) = (app.app.org_id.clone(), app.app.name.clone());
    let notice = match role {
        Some(role) => Notice::AppRoleChanged {
            org_id,
            app_id: app.id().clone(),
            app: name,
            role_zh: role.name(Locale::ZhCn),
            role_en: role.name(Locale::EnUs),
        },
        None => Notice::RemovedFromApp { app: name },
    };
    notifications::notify_id(atrium, tx, user_id, &notice).await
}

/// A role of the app with no permission that the caller lacks.
async fn grantable(
    db: &mut AnyConnection,
    app_id: &Id,
    access: &AppAccess,
    role_id: &Id,
) -> Result<Role> {
    let role = roles::lock(db, app_id, role_id).await?;
    let role = role.ok_or_else(|| Fault::new(Code::BadRole).on("role_id"))?;
    if !access.covers(&role.permissions()) {
        return Err(Code::BeyondOwn.into());
    }
    Ok(role)
}

/// The current role of a member of the app; refused if it exceeds the caller's.
async fn changeable(
    db: &mut AnyConnection,
    app: &InApp<MemberManage>,
    access: &AppAccess,
    user_id: &Id,
) -> Result<Role> {
    let org_role = orgs::role_of(db, &app.app.org_id, user_id).await?;
    let role_id = store::member_role(db, app.id(), user_id).await?.ok_or(Code::NotFound)?;
    let role = roles::find(db, app.id(), &role_id).await?.ok_or(Code::NotFound)?;
    let holds_more =
        org_role.is_some_and(OrgRole::runs_apps) || !access.covers(&role.permissions());
    let by_org = matches!(access.via, Via::Organization(_));
    if holds_more && !by_org {
        return Err(Code::BeyondOwn.into());
    }
    Ok(role)
}

/// A member of the app, named second in the path. Anyone else is not found, and that is decided before
/// the body is read.
pub struct InThisApp(Id);

impl<S> FromRequestParts<S> for InThisApp
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let atrium = &Tenancy::from_ref(state);
        let PathId(app_id) = PathId::from_request_parts(parts, state).await?;
        let SecondId(user_id) = SecondId::from_request_parts(parts, state).await?;
        let role = store::member_role(&mut *atrium.db.read().await?, &app_id, &user_id).await?;
        role.map(|_| Self(user_id)).ok_or_else(|| Code::NotFound.into())
    }
}

#[derive(Deserialize, ToSchema)]
pub struct AppMemberRole {
    role_id: Id,
}

/// Gives a member of the app a different role.
#[utoipa::path(
    put,
    path = "/api/v1/apps/{id}/members/{user_id}",
    operation_id = "app_member_update",
    tag = "app",
    security(("session" = [])),
    params(("id" = Id, Path), ("user_id" = Id, Path)),
    request_body = AppMemberRole,
    responses((status = 200, body = Data<Done>))
)]
pub async fn app_member_update(
    State(atrium): State<Tenancy>,
    app: InApp<MemberManage>,
    InThisApp(user_id): InThisApp,
    Json(input): Json<AppMemberRole>,
) -> Result<Data<Done>> {
    let mut tx = atrium.db.write().await?;
    let (_, access) = app.lock_and_recheck_active(&mut tx).await?;
    let before = changeable(&mut tx, &app, &access, &user_id).await?;
    let after = grantable(&mut tx, app.id(), &access, &input.role_id).await?;
    store::set_member_role(&mut tx, app.id(), &user_id, &after.id()).await?;
    let details = json!({
        "before": { "role": before.name(Locale::EnUs), "role_id": before.id() },
        "after": { "role": after.name(Locale::EnUs), "role_id": after.id() },
    });
    let event = event(&app, "app_member.role", &user_id).with(details);
    audit::append(&mut tx, &app.actor(), event).await?;
    notify_member(&atrium, &mut tx, &app, &user_id, Some(&after)).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(Done {}))
}

/// Removes someone from the app; they stay in the organization.
#[utoipa::path(
    delete,
    path = "/api/v1/apps/{id}/members/{user_id}",
    operation_id = "app_member_remove",
    tag = "app",
    security(("session" = [])),
    params(("id" = Id, Path), ("user_id" = Id, Path)),
    responses((status = 200, body = Data<Done>))
)]
pub async fn app_member_remove(
    State(atrium): State<Tenancy>,
    app: InApp<MemberManage>,
    SecondId(user_id): SecondId,
) -> Result<Data<Done>> {
    let mut tx = atrium.db.write().await?;
    // Also from an archived app: it stays readable, and they may no longer read it.
    let (row, access) = app.lock_and_recheck(&mut tx).await?;
    if row.status() == AppStatus::Deleted {
        return Err(Code::AppNotActive.into());
    }
    let role = changeable(&mut tx, &app, &access, &user_id).await?;
    store::delete_member(&mut tx, app.id(), &user_id).await?;
    let details = json!({ "role": role.name(Locale::EnUs), "role_id": role.id() });
    let event = event(&app, "app_member.remove", &user_id).with(details);
    audit::append(&mut tx, &app.actor(), event).await?;
    notify_member(&atrium, &mut tx, &app, &user_id, None).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(Done {}))
}
