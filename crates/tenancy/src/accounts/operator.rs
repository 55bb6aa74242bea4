//! What an operator can do with accounts, on the command line and partly in the console. All of it is
//! audited.

use serde_json::json;

use crate::notifications::{self, Notice, Recipient};
use crate::state::Tenancy;
use crate::store::accounts::{self as store, SessionListRow, UserRow};
use crate::store::factors;
use atrium_core::audit::{self, Actor, Event};
use atrium_core::db::Write;
use atrium_core::db::page::Page;
use atrium_core::error::Result;
use atrium_core::text::Email;
use atrium_core::types::Id;

/// Disables or enables an account. All sessions of a disabled account end with the next request, on every
/// instance. None if there is no such account.
pub async fn set_disabled(
    atrium: &Tenancy,
    email: &str,
    disabled: bool,
) -> Result<Option<UserRow>> {
    let mut tx = atrium.db.write().await?;
    let Some(user) = store::user_by_email(&mut tx, &Email::new(email)).await? else {
        return Ok(None);
    };
    store::set_disabled(&mut tx, &user.id, disabled.then(|| atrium.now())).await?;
    let mut ended = 0;
    if disabled {
        ended = store::delete_sessions_of(&mut tx, &user.id, None).await?;
        store::delete_tokens_of(&mut tx, &user.id).await?;
    }
    let action = if disabled { "account.disable" } else { "account.enable" };
    let event = Event::new(action, "user", &user.id).with(json!({ "sessions_ended": ended }));
    audit::append(&mut tx, &Actor::operator(), event).await?;
    tx.commit().await?;
    Ok(Some(user))
}

/// Grants or revokes access to the operator's pages of the console. None if there is no such account.
pub async fn set_operator(
    atrium: &Tenancy,
    email: &str,
    operator: bool,
) -> Result<Option<UserRow>> {
    let mut tx = atrium.db.write().await?;
    let Some(user) = store::user_by_email(&mut tx, &Email::new(email)).await? else {
        return Ok(None);
    };
    if store::set_operator(&mut tx, &user.id, operator.then(|| atrium.now())).await? {
        let action = if operator { "account.operator_add" } else { "account.operator_remove" };
        let event = Event::new(action, "user", &user.id);
        audit::append(&mut tx, &Actor::operator(), event).await?;
    }
    tx.commit().await?;
    Ok(Some(user))
}

/// Where someone is signed in. Looking is audited too, because it shows a person's IP addresses.
pub async fn sessions(
    atrium: &Tenancy,
    by: &Actor,
    email: &str,
) -> Result<Option<(UserRow, Vec<SessionListRow>)>> {
    const ALL: Page = Page { limit: 1000, offset: 0 };
    let mut tx: Write = atrium.db.write_uncached().await?;
    let Some(user) = store::user_by_email(&mut tx, &Email::new(email)).await? else {
        return Ok(None);
    };
    let (sessions, _) = store::sessions_of(&mut tx, &user.id, ALL).await?;
    let event = Event::new("account.session_list", "user", &user.id);
    audit::append(&mut tx, by, event).await?;
    tx.commit().await?;
    Ok(Some((user, sessions)))
}

/// Ends one or all of someone's sessions, and notifies them. Returns how many ended. None if there is no
/// such account.
pub async fn end_sessions(
    atrium: &Tenancy,
    by: &Actor,
    email: &str,
    session: Option<&Id>,
) -> Result<Option<(UserRow, u64)>> {
    let mut tx = atrium.db.write().await?;
    let Some(user) = store::user_by_email(&mut tx, &Email::new(email)).await? else {
        return Ok(None);
    };
    let ended = match session {
        Some(id) => u64::from(store::delete_session_of(&mut tx, &user.id, id).await?),
        None => {
            // A half-finished sign-in would soon be a session.
            store::delete_tokens_of(&mut tx, &user.id).await?;
            store::delete_sessions_of(&mut tx, &user.id, None).await?
        }
    };
    let event = Event::new("account.sessions_ended", "user", &user.id);
    let event = event.with(json!({ "session": session, "ended": ended }));
    audit::append(&mut tx, by, event).await?;
    if ended > 0 {
        let notice = Notice::SessionsEnded { count: ended };
        notifications::notify(atrium, &mut tx, &Recipient::from(&user), &notice).await?;
    }
    tx.commit().await?;
    Ok(Some((user, ended)))
}

/// What a reset removed.
pub struct ResetFactors {
    pub user: UserRow,
    pub totp: bool,
    pub passkeys: u64,
}

/// Removes every second factor and passkey of someone who lost theirs, and notifies them. Ends their
/// sessions, in case of theft rather than loss. None if there is no such account.
pub async fn reset_second_factor(atrium: &Tenancy, email: &str) -> Result<Option<ResetFactors>> {
    let mut tx = atrium.db.write().await?;
    let Some(user) = store::user_by_email(&mut tx, &Email::new(email)).await? else {
        return Ok(None);
    };
    let totp = factors::delete_totp(&mut tx, &user.id).await?;
    let passkeys = factors::delete_passkeys_of(&mut tx, &user.id).await?;
    let ended = store::delete_sessions_of(&mut tx, &user.id, None).await?;
    store::delete_tokens_of(&mut tx, &user.id).await?;
    let event = Event::new("account.second_factor_reset", "user", &user.id);
    let details = json!({ "totp": totp, "passkeys": passkeys, "sessions_ended": ended });
    audit::append(&mut tx, &Actor::operator(), event.with(details)).await?;
    let notice = Notice::SecondFactorReset;
    notifications::notify(atrium, &mut tx, &Recipient::from(&user), &notice).await?;
    tx.commit().await?;
    Ok(Some(ResetFactors { user, totp, passkeys }))
}
