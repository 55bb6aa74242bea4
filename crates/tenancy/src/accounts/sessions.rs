//! A person's own sessions: where they are signed in, and ending sessions.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::session::{RecentlySignedIn, SignedIn};
use crate::state::Tenancy;
use crate::store::accounts as store;
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Result};
use atrium_core::http::json::{Data, Done, Query};
use atrium_core::http::page::{Items, PageQuery};
use atrium_core::http::path::PathId;
use atrium_core::http::user_agent;
use atrium_core::types::{Id, Millis};

#[derive(Serialize, ToSchema)]
pub struct SessionView {
    id: Id,
    created_at: Millis,
    last_seen_at: Millis,
    ip: String,
    /// In words: "Chrome on macOS".
    user_agent: String,
    is_current: bool,
}

/// Where the person is signed in, last seen first.
#[utoipa::path(
    get,
    path = "/api/v1/current/sessions",
    operation_id = "session_list",
    tag = "account",
    security(("session" = [])),
    params(PageQuery),
    responses((status = 200, body = Data<Items<SessionView>>))
)]
pub async fn session_list(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
    Query(query): Query<PageQuery>,
) -> Result<Data<Items<SessionView>>> {
    let page = query.check()?;
    let mut db = atrium.db.read().await?;
    let (rows, total) = store::sessions_of(&mut db, &signed_in.user().id, page).await?;
    let items = rows
        .into_iter()
        .map(|row| SessionView {
            is_current: row.id == *signed_in.session_id(),
            id: row.id,
            created_at: row.created_at,
            last_seen_at: row.last_seen_at,
            ip: row.ip,
            user_agent: user_agent::in_words(&row.user_agent),
        })
        .collect();
    Ok(Data(Items { items, total }))
}

/// Ends one of the person's own sessions.
#[utoipa::path(
    delete,
    path = "/api/v1/current/sessions/{id}",
    operation_id = "session_delete",
    tag = "account",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<Done>))
)]
pub async fn session_delete(
    State(atrium): State<Tenancy>,
    RecentlySignedIn(signed_in): RecentlySignedIn,
    PathId(id): PathId,
) -> Result<Data<Done>> {
    let user = signed_in.user();
    let mut tx = atrium.db.write().await?;
    if !store::delete_session_of(&mut tx, &user.id, &id).await? {
        return Err(Code::NotFound.into());
    }
    let event = Event::new("account.session_end", "user", &user.id).with(json!({ "session": id }));
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    tx.commit().await?;
    Ok(Data(Done {}))
}

/// Ends every session of the person but this one.
#[utoipa::path(
    delete,
    path = "/api/v1/current/sessions",
    operation_id = "session_delete_others",
    tag = "account",
    security(("session" = [])),
    responses((status = 200, body = Data<Done>))
)]
pub async fn session_delete_others(
    State(atrium): State<Tenancy>,
    RecentlySignedIn(signed_in): RecentlySignedIn,
) -> Result<Data<Done>> {
    let user = signed_in.user();
    let mut tx = atrium.db.write().await?;
    let ended = store::delete_sessions_of(&mut tx, &user.id, Some(signed_in.session_id())).await?;
    store::delete_tokens_of(&mut tx, &user.id).await?;
    let event = Event::new("account.session_end_others", "user", &user.id);
    let event = event.with(json!({ "ended": ended }));
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    tx.commit().await?;
    Ok(Data(Done {}))
}
