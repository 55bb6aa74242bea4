//! Invitation links, for an instance without mail.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::OrgRole;
use super::invitations::{LIFETIME, PURPOSE, new_link, of_org};
use crate::access::InOrg;
use crate::state::Tenancy;
use crate::store::{accounts, orgs as store};
use crate::throttle;
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Result};
use atrium_core::http::json::Data;
use atrium_core::http::path::SecondId;
use atrium_core::permissions::OrgMemberManage;
use atrium_core::text::Email;
use atrium_core::types::{Id, Millis};

/// A link into the organization, for someone who cannot be reached by mail.
#[derive(Serialize, ToSchema)]
pub struct InvitationLink {
    link: String,
    /// False where the address already has an account, whose owner signs in and accepts.
    makes_account: bool,
    expires_at: Millis,
}

/// Makes a new link for an invitation, to be passed on by other means than mail; earlier links stop
/// working. Only available without a mail server: otherwise opening the link proves that mail reached
/// the address.
#[utoipa::path(
    post,
    path = "/api/v1/orgs/{id}/invitations/{inv_id}/link",
    operation_id = "invitation_link",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path), ("inv_id" = Id, Path)),
    responses((status = 200, body = Data<InvitationLink>), (status = 409), (status = 429))
)]
pub async fn invitation_link(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgMemberManage>,
    SecondId(id): SecondId,
) -> Result<Data<InvitationLink>> {
    let now = atrium.now();
    let row = of_org(&mut *atrium.db.read().await?, &org, &id).await?;
    refuse_with_mail(&atrium)?;
    throttle::count_link(&atrium, org.user_id()).await?;
    let mut tx = atrium.db.write().await?;
    let (_, mine) = org.lock_and_recheck(&mut tx).await?;
    let role = OrgRole::parse(&row.role).unwrap_or(OrgRole::Owner);
    if role > mine {
        return Err(Code::Forbidden.into());
    }
    if role == OrgRole::Owner {
        org.signed_in.want_recent(&atrium)?;
    }
    if !store::renew_invitation(&mut tx, &id, now, now.plus(LIFETIME)).await? {
        return Err(Code::InvitationClosed.into());
    }
    accounts::delete_tokens_about(&mut tx, PURPOSE, id.as_str()).await?;
    let email = Email::new(&row.email);
    let makes_account = accounts::user_by_email(&mut tx, &email).await?.is_none();
    let path = match makes_account {
        true => format!("/emailValidator/{}", new_link(&atrium, &mut tx, &id, &email).await?),
        false => "/organization/list".to_owned(),
    };
    let event = Event::new("invitation.link", "invitation", &id).in_org(org.id());
    audit::append(&mut tx, &org.actor(), event.with(json!({ "email": row.email }))).await?;
    tx.commit().await?;
    let link = atrium.settings.server.link(&path);
    Ok(Data(InvitationLink { link, makes_account, expires_at: now.plus(LIFETIME) }))
}

/// With mail, opening a link proves that its address was reached, so links are not handed out
/// otherwise.
pub fn refuse_with_mail(atrium: &Tenancy) -> Result<()> {
    match atrium.settings.mail.smtp {
        Some(_) => Err(Code::LinksByMail.into()),
        None => Ok(()),
    }
}
