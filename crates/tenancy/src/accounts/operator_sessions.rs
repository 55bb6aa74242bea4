//! Lets an operator see where any account is signed in, and end its sessions.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::operator;
use crate::session::Operator;
use crate::state::Tenancy;
use crate::store::accounts::SessionListRow;
use atrium_core::error::{Code, Result};
use atrium_core::http::json::{Data, Json, Query};
use atrium_core::http::user_agent;
use atrium_core::types::{Id, Millis};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OfAccount {
    /// The address of the account.
    email: String,
}

#[derive(Serialize, ToSchema)]
pub struct AccountSessions {
    user_id: Id,
    email: String,
    name: String,
    /// Last seen first.
    sessions: Vec<AccountSession>,
}

#[derive(Serialize, ToSchema)]
pub struct AccountSession {
    id: Id,
    created_at: Millis,
    last_seen_at: Millis,
    ip: String,
    /// In words: "Chrome on macOS".
    user_agent: String,
}

/// Where someone is signed in. Looking is audited.
#[utoipa::path(
    get,
    path = "/api/v1/operator/sessions",
    operation_id = "operator_session_list",
    tag = "instance",
    security(("session" = [])),
    params(OfAccount),
    responses((status = 200, body = Data<AccountSessions>), (status = 403), (status = 404))
)]
pub async fn operator_session_list(
    State(atrium): State<Tenancy>,
    by: Operator,
    Query(query): Query<OfAccount>,
) -> Result<Data<AccountSessions>> {
    let found = operator::sessions(&atrium, &by.actor(), &query.email).await?;
    let (user, rows) = found.ok_or(Code::NotFound)?;
    let view = |row: SessionListRow| AccountSession {
        id: row.id,
        created_at: row.created_at,
        last_seen_at: row.last_seen_at,
        ip: row.ip,
        user_agent: user_agent::in_words(&row.user_agent),
    };
    let sessions = rows.into_iter().map(view).collect();
    Ok(Data(AccountSessions { user_id: user.id, email: user.email, name: user.name, sessions }))
}

#[derive(Deserialize, ToSchema)]
pub struct EndSessions {
    /// The address of the account.
    email: String,
    /// Only this session; without it, all of them.
    session_id: Option<Id>,
}

#[derive(Serialize, ToSchema)]
pub struct SessionsEnded {
    ended: u64,
}

/// Ends one or all of someone's sessions, and notifies them.
#[utoipa::path(
    post,
    path = "/api/v1/operator/sessions/end",
    operation_id = "operator_session_end",
    tag = "instance",
    security(("session" = [])),
    request_body = EndSessions,
    responses((status = 200, body = Data<SessionsEnded>), (status = 404))
)]
pub async fn operator_session_end(
    State(atrium): State<Tenancy>,
    by: Operator,
    Json(input): Json<EndSessions>,
) -> Result<Data<SessionsEnded>> {
    by.want_recent(&atrium)?;
    let session = input.session_id.as_ref();
    let ended = operator::end_sessions(&atrium, &by.actor(), &input.email, session).await?;
    let (_, ended) = ended.ok_or(Code::NotFound)?;
    if session.is_some() && ended == 0 {
        return Err(Code::NotFound.into());
    }
    atrium.outbox.wake();
    Ok(Data(SessionsEnded { ended }))
}
