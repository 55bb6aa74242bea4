//! Accounts: sign-in, the first account, profiles, second factors, and the sessions a person sees.

pub mod code;
pub mod create;
pub mod current;
pub mod delete_account;
pub mod email;
pub mod factors;
pub(crate) mod flow;
pub mod link;
pub mod login;
mod mailed_tokens;
pub mod operator;
pub mod operator_sessions;
pub mod password_check;
pub mod pending_links;
pub mod profile;
pub mod reauth;
pub mod register;
pub mod reset;
pub mod second_step;
pub mod sessions;
pub mod setup;
pub(crate) mod ticket;

use crate::notifications;
use crate::state::Tenancy;
use crate::store::{accounts as store, orgs};
use crate::{session, throttle};
use atrium_core::error::Result;
use atrium_core::locale::Locale;
use atrium_core::types::Millis;

/// The language for mails to someone: the account's own, or that of the page.
fn user_locale(user: Option<&store::UserRow>, otherwise: Locale) -> Locale {
    user.and_then(|user| Locale::parse(&user.locale)).unwrap_or(otherwise)
}

/// Removes expired sessions, links and counters.
pub async fn sweep(atrium: &Tenancy) -> Result<u64> {
    let mut tx = atrium.db.write_relaxed().await?;
    let tokens = store::delete_dead_tokens(&mut tx, atrium.now().plus(-Millis::DAY)).await?;
    tx.commit().await?;
    let mut tx = atrium.db.write_relaxed().await?;
    let before = atrium.now().plus(-180 * Millis::DAY);
    let invitations = orgs::delete_old_invitations(&mut tx, before).await?;
    tx.commit().await?;
    let notices = invitations + notifications::sweep(atrium).await?;
    Ok(tokens + notices + session::sweep(atrium).await? + throttle::sweep(atrium).await?)
}
