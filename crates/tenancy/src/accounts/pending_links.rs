//! Links that people requested and no mail server can deliver: an operator sees who is waiting and hands
//! a link over. Only if no mail server is configured.

use std::collections::HashSet;

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use sqlx::AnyConnection;
use utoipa::ToSchema;

use super::{email, register, reset};
use crate::orgs::invitation_link::refuse_with_mail;
use crate::orgs::invitations;
use crate::session::Operator;
use crate::state::Tenancy;
use crate::store::accounts::{self as store, NewToken, PendingRow};
use crate::store::orgs;
use crate::token::{hash_token, new_token};
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Result};
use atrium_core::http::json::Data;
use atrium_core::http::path::PathId;
use atrium_core::text::Email;
use atrium_core::types::{Id, Millis};

/// More than an operator would ever hand over manually.
const MOST: i64 = 500;

/// What a link is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    Register,
    PasswordReset,
    EmailChange,
    Invitation,
}

impl LinkKind {
    fn parse(purpose: &str) -> Option<Self> {
        match purpose {
            register::PURPOSE => Some(Self::Register),
            reset::PURPOSE => Some(Self::PasswordReset),
            email::PURPOSE => Some(Self::EmailChange),
            invitations::PURPOSE => Some(Self::Invitation),
            _ => None,
        }
    }

    fn path(self, token: &str) -> String {
        match self {
            Self::PasswordReset => format!("/pwdReset/{token}"),
            _ => format!("/emailValidator/{token}"),
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct PendingLink {
    id: Id,
    kind: LinkKind,
    /// The address that the link is for.
    email: String,
    created_at: Millis,
    expires_at: Millis,
}

#[derive(Serialize, ToSchema)]
pub struct PendingLinks {
    /// Newest first, one of each kind and address.
    items: Vec<PendingLink>,
}

/// Links that people requested and are waiting for.
#[utoipa::path(
    get,
    path = "/api/v1/operator/links",
    operation_id = "pending_link_list",
    tag = "instance",
    security(("session" = [])),
    responses((status = 200, body = Data<PendingLinks>), (status = 403), (status = 409))
)]
pub async fn pending_link_list(
    State(atrium): State<Tenancy>,
    _: Operator,
) -> Result<Data<PendingLinks>> {
    refuse_with_mail(&atrium)?;
    let mut db = atrium.db.read().await?;
    let (mut items, mut listed) = (Vec::new(), HashSet::new());
    for row in store::pending_links(&mut db, atrium.now(), MOST).await? {
        let Some(kind) = works(&atrium, &mut db, &row).await? else { continue };
        if listed.insert((kind, row.email.clone())) {
            let PendingRow { id, email, created_at, expires_at, .. } = row;
            items.push(PendingLink { id, kind, email, created_at, expires_at });
        }
    }
    Ok(Data(PendingLinks { items }))
}

#[derive(Serialize, ToSchema)]
pub struct CopiedLink {
    link: String,
    expires_at: Millis,
}

/// Makes a new link in place of one that someone is waiting for. It expires when the old one would have,
/// and the old one stops working.
#[utoipa::path(
    post,
    path = "/api/v1/operator/links/{id}",
    operation_id = "pending_link_copy",
    tag = "instance",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<CopiedLink>), (status = 403), (status = 404), (status = 409))
)]
pub async fn pending_link_copy(
    State(atrium): State<Tenancy>,
    by: Operator,
    PathId(id): PathId,
) -> Result<Data<CopiedLink>> {
    by.want_recent(&atrium)?;
    refuse_with_mail(&atrium)?;
    let (now, token) = (atrium.now(), new_token(&atrium));
    let mut tx = atrium.db.write().await?;
    let row = store::pending_link(&mut tx, &id, now).await?.ok_or(Code::NotFound)?;
    let kind = works(&atrium, &mut tx, &row).await?.ok_or(Code::NotFound)?;
    store::delete_tokens_for(&mut tx, &row.purpose, &row.email).await?;
    let new = NewToken {
        id: &atrium.new_id(),
        purpose: &row.purpose,
        hash: &hash_token(&token),
        email: Some(&row.email),
        user_id: row.user_id.as_ref(),
        code_hash: None,
        payload: row.payload.as_deref(),
        at: row.created_at,
        expires_at: row.expires_at,
    };
    store::insert_token(&mut tx, new).await?;
    let event = Event::new("account.link_copy", "link", &id);
    let details = json!({ "kind": kind, "email": row.email });
    audit::append(&mut tx, &by.actor(), event.with(details)).await?;
    tx.commit().await?;
    let link = atrium.settings.server.link(&kind.path(&token));
    Ok(Data(CopiedLink { link, expires_at: row.expires_at }))
}

/// The kind of a link, if it still works. Rows are also written for addresses without an account, or that
/// already have one, so that outsiders cannot tell the difference.
async fn works(
    atrium: &Tenancy,
    db: &mut AnyConnection,
    row: &PendingRow,
) -> Result<Option<LinkKind>> {
    let Some(kind) = LinkKind::parse(&row.purpose) else { return Ok(None) };
    let is_taken = store::user_by_email(db, &Email::new(&row.email)).await?.is_some();
    let works = match kind {
        LinkKind::Register => !is_taken,
        LinkKind::EmailChange => row.user_id.is_some() && !is_taken,
        LinkKind::PasswordReset => match &row.user_id {
            Some(id) => {
                let user = store::user_by_id(db, id).await?;
                user.is_some_and(|user| user.disabled_at.is_none())
            }
            None => false,
        },
        LinkKind::Invitation => !is_taken && is_open(atrium, db, row).await?,
    };
    Ok(works.then_some(kind))
}

async fn is_open(atrium: &Tenancy, db: &mut AnyConnection, row: &PendingRow) -> Result<bool> {
    let Some(id) = row.payload.as_deref().and_then(Id::parse) else { return Ok(false) };
    let invitation = orgs::invitation(db, &id).await?;
    Ok(invitation.is_some_and(|row| row.state == "pending" && row.expires_at > atrium.now()))
}
