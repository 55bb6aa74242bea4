//! The members of an organization, and their roles.

use axum::extract::{FromRef, FromRequestParts, State};
use http::request::Parts;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use super::OrgRole;
use crate::access::InOrg;
use crate::notifications::{self, Notice};
use crate::rules;
use crate::state::Tenancy;
use crate::store::keys;
use crate::store::orgs::{self as store, MemberRow};
use atrium_core::audit::{self, Event};
use atrium_core::db::Write;
use atrium_core::error::{Code, Error, Result};
use atrium_core::http::json::{Data, Done, Json, Query};
use atrium_core::http::list::{ListQuery, Sort};
use atrium_core::http::page::Items;
use atrium_core::http::path::{PathId, SecondId};
use atrium_core::locale::Locale;
use atrium_core::permissions::{BuiltinRole, OrgMemberManage, OrgMemberView, Permission};
use atrium_core::types::{Id, Millis};

#[derive(Serialize, ToSchema)]
pub struct OrgMember {
    user_id: Id,
    email: String,
    name: String,
    role: OrgRole,
    joined_at: Millis,
    /// Only shown to those who manage members.
    last_login_at: Option<Millis>,
    /// Whether they have a second factor or a passkey; only shown to those who manage members.
    mfa: Option<bool>,
    /// The number of active apps they can open.
    app_count: i64,
    is_me: bool,
}

impl OrgMember {
    fn new(row: MemberRow, me: &Id, managed: bool) -> Self {
        Self {
            is_me: row.user_id == *me,
            role: OrgRole::parse(&row.role).unwrap_or(OrgRole::Member),
            user_id: row.user_id,
            email: row.email,
            name: row.name,
            joined_at: row.joined_at,
            last_login_at: row.last_login_at.filter(|_| managed),
            mfa: managed.then_some(row.mfa == 1),
            app_count: row.app_count,
        }
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MemberFilter {
    /// Only those with this role.
    role: Option<OrgRole>,
}

const SORTS: &[Sort] = &[
    ("name", "name_order"),
    ("email", "email_normalized"),
    ("role", rules::ORG_ROLE_ORDER),
    ("joined_at", "joined_at"),
    // Must be last: only for those who manage members.
    ("last_login_at", "COALESCE(last_login_at, 0)"),
];

/// The members of an organization.
#[utoipa::path(
    get,
    path = "/api/v1/orgs/{id}/members",
    operation_id = "org_member_list",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path), ListQuery, MemberFilter),
    responses((status = 200, body = Data<Items<OrgMember>>))
)]
pub async fn org_member_list(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgMemberView>,
    Query(query): Query<ListQuery>,
    Query(filter): Query<MemberFilter>,
) -> Result<Data<Items<OrgMember>>> {
    let managed = org.role.permissions().contains(&Permission::OrgMemberManage);
    // Sorting by a hidden field would reveal it.
    let sorts = if managed { SORTS } else { &SORTS[..SORTS.len() - 1] };
    let listing = query.check(sorts, "user_id")?;
    let role = filter.role.map_or("", OrgRole::as_str);
    let mut db = atrium.db.read().await?;
    let (rows, total) = store::members(&mut db, org.id(), role, &listing).await?;
    let view = |row| OrgMember::new(row, org.user_id(), managed);
    Ok(Data(Items { items: rows.into_iter().map(view).collect(), total }))
}

/// A member of the organization, from the path's second parameter. Anyone else is not found, which is
/// checked before a body is read.
pub struct InTeam(pub Id);

impl<S> FromRequestParts<S> for InTeam
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let atrium = &Tenancy::from_ref(state);
        let PathId(org_id) = PathId::from_request_parts(parts, state).await?;
        let SecondId(user_id) = SecondId::from_request_parts(parts, state).await?;
        let role = store::role_of(&mut *atrium.db.read().await?, &org_id, &user_id).await?;
        role.map(|_| Self(user_id)).ok_or_else(|| Code::NotFound.into())
    }
}

#[derive(Deserialize, ToSchema)]
pub struct MemberRole {
    role: OrgRole,
}

/// Changes a member's role. Admins neither make nor demote owners; the last owner stays one.
#[utoipa::path(
    put,
    path = "/api/v1/orgs/{id}/members/{user_id}",
    operation_id = "org_member_update",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path), ("user_id" = Id, Path)),
    request_body = MemberRole,
    responses((status = 200, body = Data<Done>))
)]
pub async fn org_member_update(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgMemberManage>,
    InTeam(user_id): InTeam,
    Json(input): Json<MemberRole>,
) -> Result<Data<Done>> {
    let mut tx = atrium.db.write().await?;
    let (_, mine) = org.lock_and_recheck(&mut tx).await?;
    let before = store::role_of(&mut tx, org.id(), &user_id).await?.ok_or(Code::NotFound)?;
    if before.max(input.role) > mine {
        return Err(Code::Forbidden.into());
    }
    if before.max(input.role) == OrgRole::Owner {
        org.signed_in.want_recent(&atrium)?;
    }
    if before == input.role {
        return Ok(Data(Done {}));
    }
    keep_an_owner(&mut tx, org.id(), &user_id, before).await?;
    store::set_role(&mut tx, org.id(), &user_id, input.role, atrium.now()).await?;
    if input.role < before {
        store::revoke_invitations_by(&mut tx, org.id(), &user_id).await?;
    }
    let event = Event::new("org_member.role", "user", &user_id).in_org(org.id());
    let event = event.with(json!({ "before": before, "after": input.role }));
    audit::append(&mut tx, &org.actor(), event).await?;
    let notice = Notice::OrgRoleChanged {
        org_id: org.id().clone(),
        org: org.org.name.clone(),
        role: input.role,
    };
    notifications::notify_id(&atrium, &mut tx, &user_id, &notice).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(Done {}))
}

async fn keep_an_owner(
    db: &mut sqlx::AnyConnection,
    org_id: &Id,
    user_id: &Id,
    role: OrgRole,
) -> Result<()> {
    if role == OrgRole::Owner && store::other_owners(db, org_id, user_id).await? == 0 {
        return Err(Code::LastOwner.into());
    }
    Ok(())
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RemoveMember {
    /// Whether to disable the access keys they made in the organization's apps.
    disable_keys: Option<bool>,
}

/// Removes someone from the organization and all of its apps.
#[utoipa::path(
    delete,
    path = "/api/v1/orgs/{id}/members/{user_id}",
    operation_id = "org_member_remove",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path), ("user_id" = Id, Path), RemoveMember),
    responses((status = 200, body = Data<Done>))
)]
pub async fn org_member_remove(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgMemberManage>,
    SecondId(user_id): SecondId,
    Query(query): Query<RemoveMember>,
) -> Result<Data<Done>> {
    let mut tx = atrium.db.write().await?;
    let (_, mine) = org.lock_and_recheck(&mut tx).await?;
    let role = store::role_of(&mut tx, org.id(), &user_id).await?.ok_or(Code::NotFound)?;
    if role > mine {
        return Err(Code::Forbidden.into());
    }
    if role == OrgRole::Owner {
        org.signed_in.want_recent(&atrium)?;
    }
    keep_an_owner(&mut tx, org.id(), &user_id, role).await?;
    store::delete_member(&mut tx, org.id(), &user_id).await?;
    store::note_removal(&mut tx, org.id(), &user_id, atrium.now()).await?;
    store::revoke_invitations_by(&mut tx, org.id(), &user_id).await?;
    let keys_disabled = match query.disable_keys.unwrap_or(false) {
        true => disable_keys(&atrium, &mut tx, &org, &user_id).await?,
        false => 0,
    };
    let event = Event::new("org_member.remove", "user", &user_id).in_org(org.id());
    let details = json!({ "role": role, "keys_disabled": keys_disabled });
    audit::append(&mut tx, &org.actor(), event.with(details)).await?;
    let notice = Notice::RemovedFromOrg { org: org.org.name.clone() };
    notifications::notify_id(&atrium, &mut tx, &user_id, &notice).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(Done {}))
}

/// Disables the keys someone made and may have kept. Returns how many.
async fn disable_keys(
    atrium: &Tenancy,
    tx: &mut Write,
    org: &InOrg<OrgMemberManage>,
    user_id: &Id,
) -> Result<usize> {
    let made = keys::live_keys_by(tx, org.id(), user_id, atrium.now()).await?;
    // Disable all keys before the first log entry: the audit log is always locked last.
    for key in &made {
        keys::set_enabled(tx, &key.id, false).await?;
    }
    for key in &made {
        let event = Event::new("key.disable", "access_key", &key.id);
        let event = event.in_org(org.id()).in_app(&key.app_id);
        let details = json!({ "name": key.name, "made_by": user_id });
        audit::append(tx, &org.actor(), event.with(details)).await?;
    }
    Ok(made.len())
}

/// Ends a member's sessions for this organization: before acting in it again, the member must prove who
/// they are. Nothing changes for the member's other organizations.
#[utoipa::path(
    post,
    path = "/api/v1/orgs/{id}/members/{user_id}/end-sessions",
    operation_id = "org_member_end_sessions",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path), ("user_id" = Id, Path)),
    responses((status = 200, body = Data<Done>))
)]
pub async fn org_member_end_sessions(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgMemberManage>,
    InTeam(user_id): InTeam,
) -> Result<Data<Done>> {
    org.signed_in.want_recent(&atrium)?;
    let mut tx = atrium.db.write().await?;
    let (_, mine) = org.lock_and_recheck(&mut tx).await?;
    let role = store::role_of(&mut tx, org.id(), &user_id).await?.ok_or(Code::NotFound)?;
    if role > mine {
        return Err(Code::Forbidden.into());
    }
    store::end_sessions(&mut tx, org.id(), &user_id, atrium.now()).await?;
    let event = Event::new("org_member.end_sessions", "user", &user_id).in_org(org.id());
    audit::append(&mut tx, &org.actor(), event).await?;
    let notice = Notice::OrgSessionsEnded { org: org.org.name.clone() };
    notifications::notify_id(&atrium, &mut tx, &user_id, &notice).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(Done {}))
}

#[derive(Serialize, ToSchema)]
pub struct RemovalImpact {
    /// Apps they would lose, up to twenty.
    apps: Vec<LostApp>,
    app_count: i64,
    /// Access keys they made, which keep working unless disabled; up to twenty.
    access_keys: Vec<MadeKey>,
    access_key_count: i64,
}

#[derive(Serialize, ToSchema)]
pub struct LostApp {
    id: Id,
    name: String,
    /// Their role in the app, or the role in the organization that opens every app.
    role: String,
}

#[derive(Serialize, ToSchema)]
pub struct MadeKey {
    id: String,
    name: String,
    app_id: Id,
    app_name: String,
}

/// What removing a member would affect.
#[utoipa::path(
    get,
    path = "/api/v1/orgs/{id}/members/{user_id}/impact",
    operation_id = "org_member_impact",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path), ("user_id" = Id, Path)),
    responses((status = 200, body = Data<RemovalImpact>))
)]
pub async fn org_member_impact(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgMemberManage>,
    SecondId(user_id): SecondId,
    locale: Locale,
) -> Result<Data<RemovalImpact>> {
    let mut db = atrium.db.read().await?;
    let held = store::role_of(&mut db, org.id(), &user_id).await?.ok_or(Code::NotFound)?;
    let reached = store::reached_apps(&mut db, org.id(), &user_id, held).await?;
    let app_count = i64::try_from(reached.len()).unwrap_or(i64::MAX);
    let name = |role_id: Option<Id>, custom: Option<String>| match role_id {
        None => held.name().in_locale(locale).to_owned(),
        Some(id) => match BuiltinRole::by_id(&id) {
            Some(role) => role.name().in_locale(locale).to_owned(),
            None => custom.unwrap_or_default(),
        },
    };
    let apps = reached
        .into_iter()
        .take(20)
        .map(|app| LostApp { role: name(app.role_id, app.role_name), id: app.id, name: app.name })
        .collect();
    let made = keys::live_keys_by(&mut db, org.id(), &user_id, atrium.now()).await?;
    let access_key_count = i64::try_from(made.len()).unwrap_or(i64::MAX);
    let view = |key: keys::MadeKeyRow| MadeKey {
        id: key.id,
        name: key.name,
        app_id: key.app_id,
        app_name: key.app_name,
    };
    let access_keys = made.into_iter().take(20).map(view).collect();
    Ok(Data(RemovalImpact { apps, app_count, access_keys, access_key_count }))
}
