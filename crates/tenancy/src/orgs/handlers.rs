//! Organizations: list, make, change, transfer, leave, delete.

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{OrgRole, OrgView};
use crate::access::{InOrg, Member};
use crate::notifications::{self, Notice};
use crate::session::{RecentlySignedIn, SignedIn};
use crate::state::Tenancy;
use crate::store::orgs::{self as store, OrgChange};
use crate::store::{accounts, sso};
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Fault, Result};
use atrium_core::http::json::{Data, Done, Json, Query};
use atrium_core::http::list::{ListQuery, Sort};
use atrium_core::http::page::Items;
use atrium_core::permissions::{OrgDelete, OrgTransfer, OrgUpdate, OrgView as ViewOrg, Permission};
use atrium_core::text::Checks;
use atrium_core::types::Id;

const SORTS: &[Sort] = &[
    ("name", "name_order"),
    ("created_at", "created_at"),
    ("member_count", "member_count"),
    ("app_count", "app_count"),
];

/// The organizations the caller belongs to.
#[utoipa::path(
    get,
    path = "/api/v1/orgs",
    operation_id = "org_list",
    tag = "organization",
    security(("session" = [])),
    params(ListQuery),
    responses((status = 200, body = Data<Items<OrgView>>))
)]
pub async fn org_list(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
    Query(query): Query<ListQuery>,
) -> Result<Data<Items<OrgView>>> {
    let listing = query.check(SORTS, "id")?;
    let mut db = atrium.db.read().await?;
    let (rows, total) = store::list(&mut db, &signed_in.user().id, &listing).await?;
    Ok(Data(Items { items: rows.into_iter().map(OrgView::new).collect(), total }))
}

#[derive(Deserialize, ToSchema)]
pub struct NewOrg {
    name: String,
    /// IANA name; the caller's own unless given.
    timezone: Option<String>,
}

/// Makes an organization that the caller owns. It has no app yet.
#[utoipa::path(
    post,
    path = "/api/v1/orgs",
    operation_id = "org_create",
    tag = "organization",
    security(("session" = [])),
    request_body = NewOrg,
    responses((status = 200, body = Data<OrgView>), (status = 409))
)]
pub async fn org_create(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
    Json(input): Json<NewOrg>,
) -> Result<Data<OrgView>> {
    let user = signed_in.user();
    let mut checks = Checks::default();
    let name = checks.name("name", &input.name);
    let timezone = input.timezone.unwrap_or_else(|| user.timezone.clone());
    checks.timezone("timezone", &timezone);
    checks.finish()?;
    let (id, now) = (atrium.new_id(), atrium.now());
    let mut tx = atrium.db.write().await?;
    if store::memberships(&mut tx, &user.id).await?.len() >= MOST {
        return Err(Fault::new(Code::TooManyOrgs).with("max", MOST).into());
    }
    store::insert(&mut tx, &id, &name, &timezone, now).await?;
    store::insert_member(&mut tx, &id, &user.id, OrgRole::Owner, now).await?;
    let event = Event::new("org.create", "org", &id).in_org(&id).with(json!({ "name": name }));
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    let view = store::view(&mut tx, &user.id, &id).await?.ok_or(Code::NotFound)?;
    tx.commit().await?;
    Ok(Data(OrgView::new(view)))
}

/// How many organizations one person can belong to: far more than anyone needs, but too few to fill a
/// disk.
pub const MOST: usize = 200;

/// One organization.
#[utoipa::path(
    get,
    path = "/api/v1/orgs/{id}",
    operation_id = "org_view",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<OrgView>))
)]
pub async fn org_view(State(atrium): State<Tenancy>, org: InOrg<ViewOrg>) -> Result<Data<OrgView>> {
    let mut db = atrium.db.read().await?;
    let view = store::view(&mut db, org.user_id(), org.id()).await?;
    Ok(Data(OrgView::new(view.ok_or(Code::NotFound)?)))
}

#[derive(Deserialize, ToSchema)]
pub struct OrgUpdateBody {
    name: Option<String>,
    /// IANA name.
    timezone: Option<String>,
    /// How long events are kept.
    #[schema(minimum = 1, maximum = 3650)]
    retention_days: Option<i64>,
    /// Whether members need a second factor. Only owners with a second factor can change this.
    require_mfa: Option<bool>,
}

/// Changes an organization; fields left out stay as they are.
#[utoipa::path(
    put,
    path = "/api/v1/orgs/{id}",
    operation_id = "org_update",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = OrgUpdateBody,
    responses((status = 200, body = Data<OrgView>))
)]
pub async fn org_update(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgUpdate>,
    Json(input): Json<OrgUpdateBody>,
) -> Result<Data<OrgView>> {
    let mut checks = Checks::default();
    let name = input.name.map(|name| checks.name("name", &name));
    if let Some(timezone) = &input.timezone {
        checks.timezone("timezone", timezone);
    }
    if let Some(days) = input.retention_days {
        checks.range("retention_days", days, 1, 3650);
    }
    checks.finish()?;

    let mut tx = atrium.db.write().await?;
    let (before, role) = org.lock_and_recheck(&mut tx).await?;
    let required = before.require_mfa_at.is_some();
    let require_mfa = input.require_mfa.unwrap_or(required);
    if require_mfa != required {
        check_security_change(&atrium, &org.signed_in, role, require_mfa)?;
    }
    let change = OrgChange {
        name: name.as_deref().unwrap_or(&before.name),
        timezone: input.timezone.as_deref().unwrap_or(&before.timezone),
        retention_days: input.retention_days.unwrap_or(before.retention_days),
        require_mfa_at: require_mfa.then(|| before.require_mfa_at.unwrap_or_else(|| atrium.now())),
    };
    store::update(&mut tx, org.id(), &change).await?;
    let event = Event::new("org.update", "org", org.id()).in_org(org.id()).with(json!({
        "before": {
            "name": before.name, "timezone": before.timezone,
            "retention_days": before.retention_days, "require_mfa": required,
        },
        "after": {
            "name": change.name, "timezone": change.timezone,
            "retention_days": change.retention_days, "require_mfa": require_mfa,
        },
    }));
    audit::append(&mut tx, &org.actor(), event).await?;
    let view = store::view(&mut tx, org.user_id(), org.id()).await?.ok_or(Code::NotFound)?;
    tx.commit().await?;
    Ok(Data(OrgView::new(view)))
}

/// Only owners who recently proved who they are may require a second factor of members, and they must
/// not lock themselves out.
fn check_security_change(
    atrium: &Tenancy,
    signed_in: &SignedIn,
    role: OrgRole,
    require_mfa: bool,
) -> Result<()> {
    if !role.permissions().contains(&Permission::OrgSecurityManage) {
        return Err(Code::Forbidden.into());
    }
    if require_mfa && !signed_in.has_two_factors() {
        return Err(Code::MfaEnrolFirst.into());
    }
    signed_in.want_recent(atrium)
}

#[derive(Deserialize, ToSchema)]
pub struct TypedName {
    /// The name of what is to be deleted, typed by the person.
    pub name: String,
}

/// Deletes an organization. All of its apps must be purged first.
#[utoipa::path(
    delete,
    path = "/api/v1/orgs/{id}",
    operation_id = "org_delete",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = TypedName,
    responses((status = 200, body = Data<Done>))
)]
pub async fn org_delete(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgDelete>,
    _: RecentlySignedIn,
    Json(input): Json<TypedName>,
) -> Result<Data<Done>> {
    let mut tx = atrium.db.write().await?;
    let (row, _) = org.lock_and_recheck(&mut tx).await?;
    if input.name.trim() != row.name {
        return Err(Fault::new(Code::WrongName).on("name").into());
    }
    let apps = store::count_apps(&mut tx, org.id()).await?;
    if apps > 0 {
        return Err(Fault::new(Code::OrgHasApps).with("count", apps).into());
    }
    let event = Event::new("org.delete", "org", org.id()).in_org(org.id());
    audit::append(&mut tx, &org.actor(), event.with(json!({ "name": row.name }))).await?;
    store::delete(&mut tx, org.id()).await?;
    tx.commit().await?;
    Ok(Data(Done {}))
}

/// Leaves an organization and all of its apps. Its last owner cannot leave.
#[utoipa::path(
    post,
    path = "/api/v1/orgs/{id}/leave",
    operation_id = "org_leave",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<Done>))
)]
pub async fn org_leave(State(atrium): State<Tenancy>, member: Member) -> Result<Data<Done>> {
    let (org_id, user) = (&member.org.id, member.signed_in.user());
    let mut tx = atrium.db.write().await?;
    store::lock(&mut tx, org_id).await?;
    let role = store::role_of(&mut tx, org_id, &user.id).await?.ok_or(Code::AccessChanged)?;
    if role == OrgRole::Owner && store::other_owners(&mut tx, org_id, &user.id).await? == 0 {
        return Err(Code::LastOwner.into());
    }
    store::delete_member(&mut tx, org_id, &user.id).await?;
    // The organization's provider must no longer open an account that has left.
    sso::unlink(&mut tx, org_id, &user.id).await?;
    store::revoke_invitations_by(&mut tx, org_id, &user.id).await?;
    let event = Event::new("org_member.leave", "user", &user.id).in_org(org_id);
    let event = event.with(json!({ "email": user.email, "role": role }));
    audit::append(&mut tx, &member.signed_in.actor(), event).await?;
    tx.commit().await?;
    Ok(Data(Done {}))
}

#[derive(Deserialize, ToSchema)]
pub struct Transfer {
    /// The member who becomes the owner.
    user_id: Id,
}

/// Transfers ownership to another member; the caller becomes an admin.
#[utoipa::path(
    post,
    path = "/api/v1/orgs/{id}/transfer",
    operation_id = "org_transfer",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = Transfer,
    responses((status = 200, body = Data<Done>))
)]
pub async fn org_transfer(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgTransfer>,
    _: RecentlySignedIn,
    Json(input): Json<Transfer>,
) -> Result<Data<Done>> {
    let mut tx = atrium.db.write().await?;
    org.lock_and_recheck(&mut tx).await?;
    let to = &input.user_id;
    let role = store::role_of(&mut tx, org.id(), to).await?;
    // Someone who cannot sign in must not become the owner.
    let user = accounts::user_by_id(&mut tx, to).await?;
    let able = user.is_some_and(|user| user.disabled_at.is_none());
    if role.is_none() || !able || to == org.user_id() {
        return Err(Fault::new(Code::NotAMember).on("user_id").into());
    }
    store::set_role(&mut tx, org.id(), to, OrgRole::Owner, atrium.now()).await?;
    store::set_role(&mut tx, org.id(), org.user_id(), OrgRole::Admin, atrium.now()).await?;
    let event = Event::new("org.transfer", "user", to).in_org(org.id());
    audit::append(&mut tx, &org.actor(), event.with(json!({ "from": org.user_id() }))).await?;
    let notice = Notice::OrgRoleChanged {
        org_id: org.id().clone(),
        org: org.org.name.clone(),
        role: OrgRole::Owner,
    };
    notifications::notify_id(&atrium, &mut tx, to, &notice).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(Done {}))
}
