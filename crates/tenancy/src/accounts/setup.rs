//! The first account of an empty instance. There is no default password: anyone who can read the server's
//! output gets a link that works once.

use crate::state::Tenancy;
use crate::store::accounts::{self as store, NewToken};
use crate::token::{hash_token, new_token};
use atrium_core::error::Result;
use atrium_core::types::Millis;

pub const PURPOSE: &str = "setup";
const LIFETIME: i64 = Millis::DAY;

/// A new setup link, while there is no account. Only hashes are kept, so every start prints its own link;
/// using one invalidates all of them.
pub async fn link(atrium: &Tenancy) -> Result<Option<String>> {
    let mut tx = atrium.db.write_relaxed().await?;
    if !store::awaits_setup(&mut tx).await? {
        return Ok(None);
    }
    let token = new_token(atrium);
    let now = atrium.now();
    let hash = hash_token(&token);
    let row = NewToken {
        id: &atrium.new_id(),
        purpose: PURPOSE,
        hash: &hash,
        email: None,
        user_id: None,
        code_hash: None,
        payload: None,
        at: now,
        expires_at: now.plus(LIFETIME),
    };
    store::insert_token(&mut tx, row).await?;
    tx.commit().await?;
    Ok(Some(atrium.settings.server.link(&format!("/emailValidator/{token}"))))
}
