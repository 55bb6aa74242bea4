//! Invitations, as the invited person sees them.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use sqlx::AnyConnection;
use utoipa::ToSchema;

use super::{OrgRole, OrgView, handlers, invitation_view};
use crate::roles;
use crate::session::SignedIn;
use crate::state::Tenancy;
use crate::store::apps;
use crate::store::orgs::{self as store, InvitationRow};
use atrium_core::audit::{self, Actor, Event};
use atrium_core::db::Write;
use atrium_core::error::{Code, Fault, Result};
use atrium_core::http::json::{Data, Done};
use atrium_core::http::page::Items;
use atrium_core::http::path::PathId;
use atrium_core::locale::Locale;
use atrium_core::text::Email;
use atrium_core::types::{Id, Millis};

/// An organization, as outsiders see it.
#[derive(Serialize, ToSchema)]
pub struct OrgRef {
    id: Id,
    name: String,
}

#[derive(Serialize, ToSchema)]
pub struct MyInvitation {
    id: Id,
    organization: OrgRef,
    role: OrgRole,
    /// The name of the person who sent the invitation.
    invited_by: Option<String>,
    expires_at: Millis,
}

/// Invitations waiting for the caller.
#[utoipa::path(
    get,
    path = "/api/v1/current/invitations",
    operation_id = "my_invitation_list",
    tag = "organization",
    security(("session" = [])),
    responses((status = 200, body = Data<Items<MyInvitation>>))
)]
pub async fn my_invitation_list(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
) -> Result<Data<Items<MyInvitation>>> {
    let mut db = atrium.db.read().await?;
    let email = Email::new(&signed_in.user().email);
    let rows = store::invitations_to(&mut db, &email, atrium.now()).await?;
    let view = |row: InvitationRow| MyInvitation {
        id: row.id,
        organization: OrgRef { id: row.org_id, name: row.org_name },
        role: OrgRole::parse(&row.role).unwrap_or(OrgRole::Member),
        invited_by: row.inviter,
        expires_at: row.expires_at,
    };
    let items: Vec<MyInvitation> = rows.into_iter().map(view).collect();
    let total = i64::try_from(items.len()).unwrap_or(i64::MAX);
    Ok(Data(Items { items, total }))
}

/// Accepts an invitation and joins the organization.
#[utoipa::path(
    post,
    path = "/api/v1/invitations/{id}/accept",
    operation_id = "invitation_accept",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<OrgView>), (status = 409))
)]
pub async fn invitation_accept(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
    PathId(id): PathId,
) -> Result<Data<OrgView>> {
    let mut tx = atrium.db.write().await?;
    let row = mine(&mut tx, &signed_in, &id).await?;
    accept(&atrium, &mut tx, &signed_in.actor(), &signed_in.user().id, &row).await?;
    let view = store::view(&mut tx, &signed_in.user().id, &row.org_id).await?;
    tx.commit().await?;
    Ok(Data(OrgView::new(view.ok_or(Code::NotFound)?)))
}

/// Declines an invitation.
#[utoipa::path(
    post,
    path = "/api/v1/invitations/{id}/decline",
    operation_id = "invitation_decline",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<Done>), (status = 409))
)]
pub async fn invitation_decline(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
    PathId(id): PathId,
) -> Result<Data<Done>> {
    let mut tx = atrium.db.write().await?;
    let row = mine(&mut tx, &signed_in, &id).await?;
    if !store::close_invitation(&mut tx, &id, "declined", atrium.now()).await? {
        return Err(Code::InvitationClosed.into());
    }
    let event = Event::new("invitation.decline", "invitation", &id).in_org(&row.org_id);
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    tx.commit().await?;
    Ok(Data(Done {}))
}

/// An invitation to the caller's own address; any other is not found.
async fn mine(db: &mut AnyConnection, signed_in: &SignedIn, id: &Id) -> Result<InvitationRow> {
    let user = signed_in.user();
    let address = Email::new(&user.email).normalized;
    let row = store::invitation(db, id).await?;
    let row = row.filter(|row| row.email_normalized == address && user.email_verified_at.is_some());
    row.ok_or_else(|| Code::NotFound.into())
}

/// Makes someone a member according to the invitation. Grants in apps that no longer exist are skipped.
pub async fn accept(
    atrium: &Tenancy,
    tx: &mut Write,
    actor: &Actor,
    user_id: &Id,
    row: &InvitationRow,
) -> Result<()> {
    let now = atrium.now();
    store::lock(tx, &row.org_id).await?;
    let role = OrgRole::parse(&row.role).unwrap_or(OrgRole::Member);
    // The inviter's current role limits what the invitation grants.
    let mut inviter = None;
    if let Some(id) = &row.invited_by {
        inviter = store::role_of(tx, &row.org_id, id).await?;
    }
    if !inviter.is_some_and(|inviter| inviter.runs_apps() && inviter >= role) {
        return Err(Code::InvitationClosed.into());
    }
    if store::memberships(tx, user_id).await?.len() >= handlers::MOST {
        return Err(Fault::new(Code::TooManyOrgs).with("max", handlers::MOST).into());
    }
    if !store::close_invitation(tx, &row.id, "accepted", now).await? {
        return Err(Code::InvitationClosed.into());
    }
    // Someone who joined another way in the meantime keeps their role.
    if !store::insert_member(tx, &row.org_id, user_id, role, now).await? {
        return Ok(());
    }
    for grant in invitation_view::grants(row) {
        let app = apps::active_of_org(tx, &grant.app_id, &row.org_id).await?;
        let given = roles::lock(tx, &grant.app_id, &grant.role_id).await?;
        let (Some(app), Some(given)) = (app, given) else { continue };
        let by = row.invited_by.as_ref();
        if apps::insert_member(tx, &app.id, user_id, &grant.role_id, by, now).await? {
            let event = Event::new("app_member.add", "user", user_id);
            let event = event.in_org(&row.org_id).in_app(&app.id).with(json!({
                "role": given.name(Locale::EnUs), "role_id": grant.role_id, "invitation": row.id,
            }));
            audit::append(tx, actor, event).await?;
        }
    }
    let event = Event::new("org_member.join", "user", user_id).in_org(&row.org_id);
    let details = json!({ "role": role, "invitation": row.id, "email": row.email });
    audit::append(tx, actor, event.with(details)).await
}
