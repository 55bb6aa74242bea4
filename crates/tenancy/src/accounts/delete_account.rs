//! Deleting one's account, and what prevents it.

use axum::extract::State;
use axum::response::{AppendHeaders, IntoResponse};
use http::header::SET_COOKIE;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::session::{RecentlySignedIn, SignedIn};
use crate::state::Tenancy;
use crate::store::{accounts as store, orgs};
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Fault, Result};
use atrium_core::http::json::{Data, Done, Json};
use atrium_core::locale::Locale;
use atrium_core::mail::templates;
use atrium_core::outbox::mail;
use atrium_core::text::Email;
use atrium_core::types::Id;

#[derive(Serialize, ToSchema)]
pub struct Deletion {
    /// Organizations that would be left without an owner. Each must get another owner or be deleted
    /// first.
    blocked_by: Vec<OwnedOrg>,
}

#[derive(Serialize, ToSchema)]
pub struct OwnedOrg {
    id: Id,
    name: String,
    member_count: i64,
}

/// What prevents deleting one's account.
#[utoipa::path(
    get,
    path = "/api/v1/current/deletion",
    operation_id = "deletion_view",
    tag = "account",
    security(("session" = [])),
    responses((status = 200, body = Data<Deletion>))
)]
pub async fn deletion_view(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
) -> Result<Data<Deletion>> {
    let mut db = atrium.db.read().await?;
    let orgs = orgs::owned_alone(&mut db, &signed_in.user().id).await?;
    let blocked_by = orgs
        .into_iter()
        .map(|org| OwnedOrg { id: org.id, name: org.name, member_count: org.member_count })
        .collect();
    Ok(Data(Deletion { blocked_by }))
}

#[derive(Deserialize, ToSchema)]
pub struct DeleteAccount {
    /// The person's own address, typed.
    email: String,
}

/// Deletes the person's account for good and ends every session. Refused while an organization
/// would be left without an owner.
#[utoipa::path(
    delete,
    path = "/api/v1/current",
    operation_id = "account_delete",
    tag = "account",
    security(("session" = [])),
    request_body = DeleteAccount,
    responses((status = 200, body = Data<Done>, description = "Deleted; clears the session cookie"), (status = 409))
)]
pub async fn account_delete(
    State(atrium): State<Tenancy>,
    RecentlySignedIn(signed_in): RecentlySignedIn,
    Json(input): Json<DeleteAccount>,
) -> Result<impl IntoResponse> {
    let user = signed_in.user();
    if Email::new(&input.email).normalized != Email::new(&user.email).normalized {
        return Err(Fault::new(Code::WrongEmail).on("email").into());
    }
    let mut tx = atrium.db.write().await?;
    // Locked first, in order: if two owners leave at once, the second must see that the first is gone,
    // and nobody can be made an owner while leaving.
    let org_ids = orgs::of_member(&mut tx, &user.id).await?;
    for org_id in &org_ids {
        orgs::lock(&mut tx, org_id).await?;
    }
    if !store::lock_user(&mut tx, &user.id, None).await? {
        return Err(Code::NotSignedIn.into());
    }
    let blocking = orgs::owned_alone(&mut tx, &user.id).await?;
    if !blocking.is_empty() {
        let names: Vec<&str> = blocking.iter().map(|org| org.name.as_str()).collect();
        return Err(Fault::new(Code::SoleOwner).with("names", names.join(", ")).into());
    }
    for org_id in &org_ids {
        orgs::revoke_invitations_by(&mut tx, org_id, &user.id).await?;
        let event = Event::new("org_member.leave", "user", &user.id).in_org(org_id);
        let event = event.with(json!({ "email": user.email, "reason": "account_deleted" }));
        audit::append(&mut tx, &signed_in.actor(), event).await?;
    }
    let event = Event::new("account.delete", "user", &user.id);
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    let locale = Locale::parse(&user.locale).unwrap_or_default();
    mail::enqueue(&atrium, &mut tx, Some(&user.email), templates::account_deleted(locale)).await?;
    store::delete_user(&mut tx, &user.id).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    let cookies = AppendHeaders([(SET_COOKIE, atrium.session_cookie.clear())]);
    Ok((cookies, Data(Done {})))
}
