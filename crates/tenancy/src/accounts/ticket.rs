//! Unfinished actions: a sign-in waiting for its second step, a passkey ceremony. The browser holds a
//! secret in a cookie, the database holds the sealed rest, and it works once.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::state::Tenancy;
use crate::store::accounts::{self as store, NewToken, TokenRow};
use crate::token::{hash_token, new_token};
use atrium_core::db::Write;
use atrium_core::error::{Error, Result};
use atrium_core::types::Id;

pub struct Ticket<'a> {
    pub purpose: &'static str,
    pub lifetime: i64,
    pub user_id: Option<&'a Id>,
    /// The address under which attempts are throttled.
    pub email: Option<&'a str>,
}

/// Stores the unfinished action and returns the secret that finds it.
pub async fn issue(
    atrium: &Tenancy,
    tx: &mut Write,
    ticket: Ticket<'_>,
    state: &impl Serialize,
) -> Result<String> {
    let token = new_token(atrium);
    keep(atrium, tx, ticket, &token, state).await?;
    Ok(token)
}

/// Like `issue`, with a secret from the caller.
pub async fn keep(
    atrium: &Tenancy,
    tx: &mut Write,
    ticket: Ticket<'_>,
    token: &str,
    state: &impl Serialize,
) -> Result<()> {
    let now = atrium.now();
    let json = serde_json::to_vec(state).map_err(Error::internal)?;
    let payload = atrium.keyring.seal(ticket.purpose, &json, &atrium.entropy)?;
    let row = NewToken {
        id: &atrium.new_id(),
        purpose: ticket.purpose,
        hash: &hash_token(token),
        email: ticket.email,
        user_id: ticket.user_id,
        code_hash: None,
        payload: Some(&payload),
        at: now,
        expires_at: now.plus(ticket.lifetime),
    };
    store::insert_token(tx, row).await
}

/// Opens what was stored.
pub fn open<T: DeserializeOwned>(atrium: &Tenancy, row: &TokenRow) -> Result<T> {
    let sealed = row.payload.as_deref().unwrap_or_default();
    let json = atrium.keyring.open_sealed(&row.purpose, sealed)?;
    serde_json::from_slice(&json).map_err(Error::internal)
}
