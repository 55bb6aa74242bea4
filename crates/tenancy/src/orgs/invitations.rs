//! Inviting people into an organization.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::AnyConnection;
use utoipa::{IntoParams, ToSchema};

use super::OrgRole;
use super::invitation_view::{AppGrant, GrantNames, InvitationState, InvitationView};
use crate::access::InOrg;
use crate::current_user::CurrentUser;
use crate::notifications::{self, Notice, Recipient};
use crate::roles;
use crate::state::Tenancy;
use crate::store::accounts::{self, NewToken};
use crate::store::apps;
use crate::store::orgs::{self as store, InvitationRow, NewInvitation, OrgRow};
use crate::throttle;
use crate::token::{hash_token, new_token};
use atrium_core::audit::{self, Event};
use atrium_core::db::Write;
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::http::json::{Data, Done, Json, Query};
use atrium_core::http::list::{ListQuery, Sort};
use atrium_core::http::page::Items;
use atrium_core::http::path::SecondId;
use atrium_core::locale::Locale;
use atrium_core::mail::templates;
use atrium_core::outbox::mail;
use atrium_core::permissions::OrgMemberManage;
use atrium_core::text::{Checks, Email};
use atrium_core::types::{Id, Millis};

/// The purpose of a mailed link for someone without an account.
pub const PURPOSE: &str = "invitation";
pub(super) const LIFETIME: i64 = 7 * Millis::DAY;
const RESEND_AFTER: i64 = Millis::MINUTE;
const MOST_ADDRESSES: usize = 50;
const MOST_GRANTS: usize = 20;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct InvitationFilter {
    /// Pending and expired ones unless given.
    #[param(inline)]
    state: Option<InvitationState>,
}

const SORTS: &[Sort] = &[
    ("created_at", "invitations.created_at"),
    ("email", "invitations.email_normalized"),
    ("expires_at", "invitations.expires_at"),
];

/// The organization's invitations.
#[utoipa::path(
    get,
    path = "/api/v1/orgs/{id}/invitations",
    operation_id = "invitation_list",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path), ListQuery, InvitationFilter),
    responses((status = 200, body = Data<Items<InvitationView>>))
)]
pub async fn invitation_list(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgMemberManage>,
    locale: Locale,
    Query(query): Query<ListQuery>,
    Query(filter): Query<InvitationFilter>,
) -> Result<Data<Items<InvitationView>>> {
    let listing = query.check(SORTS, "invitations.id")?;
    let (state, now) = (filter.state.map_or("", InvitationState::as_str), atrium.now());
    let mut db = atrium.db.read().await?;
    let (rows, total) = store::invitations(&mut db, org.id(), state, now, &listing).await?;
    let names = GrantNames::of(&mut db, &rows, locale).await?;
    let items = rows.into_iter().map(|row| InvitationView::new(row, &names, now)).collect();
    Ok(Data(Items { items, total }))
}

#[derive(Deserialize, ToSchema)]
pub struct NewInvitations {
    #[schema(max_items = 50)]
    emails: Vec<String>,
    role: OrgRole,
    apps: Option<Vec<AppGrant>>,
}

#[derive(Serialize, ToSchema)]
pub struct InvitationResults {
    results: Vec<InvitationResult>,
}

#[derive(Serialize, ToSchema)]
pub struct InvitationResult {
    email: String,
    status: InvitationStatus,
    invitation: Option<InvitationView>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InvitationStatus {
    Invited,
    AlreadyMember,
    AlreadyInvited,
    Invalid,
}

/// Invites up to fifty addresses at once, with a result for each.
#[utoipa::path(
    post,
    path = "/api/v1/orgs/{id}/invitations",
    operation_id = "invitation_create",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = NewInvitations,
    responses((status = 200, body = Data<InvitationResults>), (status = 429))
)]
pub async fn invitation_create(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgMemberManage>,
    locale: Locale,
    Json(input): Json<NewInvitations>,
) -> Result<Data<InvitationResults>> {
    let grants = input.apps.unwrap_or_default();
    let mut checks = Checks::default();
    checks.length("emails", input.emails.len(), 1, MOST_ADDRESSES);
    checks.length("apps", grants.len(), 0, MOST_GRANTS);
    checks.finish()?;
    throttle::count_invitations(&atrium, org.user_id(), &input.emails).await?;
    let mut tx = atrium.db.write().await?;
    let (_, mine) = org.lock_and_recheck(&mut tx).await?;
    if input.role > mine {
        return Err(Code::Forbidden.into());
    }
    if input.role == OrgRole::Owner {
        org.signed_in.want_recent(&atrium)?;
    }
    check_grants(&mut tx, org.id(), &grants).await?;
    store::expire_invitations(&mut tx, org.id(), atrium.now()).await?;
    let json = serde_json::to_string(&grants).map_err(Error::internal)?;
    let mut outcomes = Vec::with_capacity(input.emails.len());
    for text in &input.emails {
        let email = Email::new(text);
        let (status, id) = invite(&atrium, &mut tx, &org, &email, input.role, &json).await?;
        outcomes.push((email.as_typed, status, store::invitation(&mut tx, &id).await?));
    }
    tx.commit().await?;
    atrium.outbox.wake();
    let mut db = atrium.db.read().await?;
    let first: Vec<InvitationRow> =
        outcomes.iter().find_map(|(_, _, row)| row.clone()).into_iter().collect();
    // All invitations of a request carry the same grants.
    let names = GrantNames::of(&mut db, &first, locale).await?;
    let now = atrium.now();
    let result = |(email, status, row): (String, InvitationStatus, Option<InvitationRow>)| {
        let invitation = row.map(|row| InvitationView::new(row, &names, now));
        InvitationResult { email, status, invitation }
    };
    Ok(Data(InvitationResults { results: outcomes.into_iter().map(result).collect() }))
}

async fn check_grants(db: &mut AnyConnection, org_id: &Id, grants: &[AppGrant]) -> Result<()> {
    for grant in grants {
        let app = apps::active_of_org(db, &grant.app_id, org_id).await?;
        let role = roles::find(db, &grant.app_id, &grant.role_id).await?;
        if app.is_none() || role.is_none() {
            return Err(Fault::new(Code::BadGrant).on("apps").into());
        }
    }
    Ok(())
}

async fn invite(
    atrium: &Tenancy,
    tx: &mut Write,
    org: &InOrg<OrgMemberManage>,
    email: &Email,
    role: OrgRole,
    grants: &str,
) -> Result<(InvitationStatus, Id)> {
    let (id, now) = (atrium.new_id(), atrium.now());
    let mut checks = Checks::default();
    checks.email("emails", &email.as_typed);
    if checks.finish().is_err() {
        return Ok((InvitationStatus::Invalid, id));
    }
    let user = accounts::user_by_email(tx, email).await?;
    if let Some(user) = &user
        && store::role_of(tx, org.id(), &user.id).await?.is_some()
    {
        return Ok((InvitationStatus::AlreadyMember, id));
    }
    let new = NewInvitation {
        id: &id,
        org_id: org.id(),
        email,
        role: role.as_str(),
        app_grants: grants,
        invited_by: org.user_id(),
        at: now,
        expires_at: now.plus(LIFETIME),
    };
    if !store::insert_invitation(tx, new).await? {
        return Ok((InvitationStatus::AlreadyInvited, id));
    }
    let event = Event::new("invitation.create", "invitation", &id).in_org(org.id());
    let apps: serde_json::Value = serde_json::from_str(grants).unwrap_or_default();
    let details = json!({ "email": email.as_typed, "role": role, "apps": apps });
    audit::append(tx, &org.actor(), event.with(details)).await?;
    send(atrium, tx, &org.org, org.signed_in.user(), &id, email).await?;
    Ok((InvitationStatus::Invited, id))
}

/// Notifies the invited person: through their own channels if they have an account, otherwise by a mail
/// with a link to make one.
async fn send(
    atrium: &Tenancy,
    tx: &mut Write,
    org: &OrgRow,
    inviter: &CurrentUser,
    invitation_id: &Id,
    email: &Email,
) -> Result<()> {
    if let Some(user) = accounts::user_by_email(tx, email).await? {
        // The owner of a disabled account can neither read this nor make a second one.
        if user.disabled_at.is_some() {
            return Ok(());
        }
        let notice = Notice::Invited { org: org.name.clone(), by: inviter.name.clone() };
        return notifications::notify(atrium, tx, &Recipient::from(&user), &notice).await;
    }
    let token = new_link(atrium, tx, invitation_id, email).await?;
    let locale = Locale::parse(&inviter.locale).unwrap_or_default();
    let link = atrium.settings.server.link(&format!("/emailValidator/{token}"));
    let letter = templates::invitation(locale, &org.name, &inviter.name, &link);
    mail::enqueue(atrium, tx, Some(&email.as_typed), letter).await
}

/// A new secret for a link with which an invited address makes an account.
pub(super) async fn new_link(
    atrium: &Tenancy,
    tx: &mut Write,
    id: &Id,
    email: &Email,
) -> Result<String> {
    let (token, now) = (new_token(atrium), atrium.now());
    let row = NewToken {
        id: &atrium.new_id(),
        purpose: PURPOSE,
        hash: &hash_token(&token),
        email: Some(&email.as_typed),
        user_id: None,
        code_hash: None,
        payload: Some(id.as_str()),
        at: now,
        expires_at: now.plus(LIFETIME),
    };
    accounts::insert_token(tx, row).await?;
    Ok(token)
}

/// Revokes an invitation.
#[utoipa::path(
    delete,
    path = "/api/v1/orgs/{id}/invitations/{inv_id}",
    operation_id = "invitation_revoke",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path), ("inv_id" = Id, Path)),
    responses((status = 200, body = Data<Done>))
)]
pub async fn invitation_revoke(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgMemberManage>,
    SecondId(id): SecondId,
) -> Result<Data<Done>> {
    let mut tx = atrium.db.write().await?;
    let (_, mine) = org.lock_and_recheck(&mut tx).await?;
    let row = of_org(&mut tx, &org, &id).await?;
    if OrgRole::parse(&row.role).is_some_and(|role| role > mine) {
        return Err(Code::Forbidden.into());
    }
    if !store::close_invitation(&mut tx, &id, "revoked", atrium.now()).await? {
        return Err(Code::InvitationClosed.into());
    }
    let event = Event::new("invitation.revoke", "invitation", &id).in_org(org.id());
    audit::append(&mut tx, &org.actor(), event.with(json!({ "email": row.email }))).await?;
    tx.commit().await?;
    Ok(Data(Done {}))
}

/// Sends an invitation again, valid for another seven days.
#[utoipa::path(
    post,
    path = "/api/v1/orgs/{id}/invitations/{inv_id}/resend",
    operation_id = "invitation_resend",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path), ("inv_id" = Id, Path)),
    responses((status = 200, body = Data<InvitationView>), (status = 429))
)]
pub async fn invitation_resend(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgMemberManage>,
    SecondId(id): SecondId,
    locale: Locale,
) -> Result<Data<InvitationView>> {
    let now = atrium.now();
    let row = of_org(&mut *atrium.db.read().await?, &org, &id).await?;
    let wait = RESEND_AFTER - now.since(row.sent_at);
    if wait > 0 {
        let seconds = (wait + 999) / Millis::SECOND;
        return Err(Error::throttled(u64::try_from(seconds).unwrap_or(1)));
    }
    throttle::count_invitations(&atrium, org.user_id(), std::slice::from_ref(&row.email)).await?;
    let mut tx = atrium.db.write().await?;
    let (_, mine) = org.lock_and_recheck(&mut tx).await?;
    if OrgRole::parse(&row.role).is_some_and(|role| role > mine) {
        return Err(Code::Forbidden.into());
    }
    if !store::renew_invitation(&mut tx, &id, now, now.plus(LIFETIME)).await? {
        return Err(Code::InvitationClosed.into());
    }
    let event = Event::new("invitation.resend", "invitation", &id).in_org(org.id());
    audit::append(&mut tx, &org.actor(), event.with(json!({ "email": row.email }))).await?;
    let email = Email::new(&row.email);
    send(&atrium, &mut tx, &org.org, org.signed_in.user(), &id, &email).await?;
    let row = store::invitation(&mut tx, &id).await?.ok_or(Code::NotFound)?;
    let names = GrantNames::of(&mut tx, std::slice::from_ref(&row), locale).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(InvitationView::new(row, &names, now)))
}

pub(super) async fn of_org(
    db: &mut AnyConnection,
    org: &InOrg<OrgMemberManage>,
    id: &Id,
) -> Result<InvitationRow> {
    let row = store::invitation(db, id).await?.filter(|row| row.org_id == *org.id());
    row.ok_or_else(|| Code::NotFound.into())
}
