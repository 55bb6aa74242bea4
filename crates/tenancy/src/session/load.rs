//! What a session token stands for, read from the database.

use sqlx::AnyConnection;

use crate::current_user::{AppEntry, CurrentUser, Mfa};
use crate::notification_types::channels;
use crate::session_cache::Principal;
use crate::state::Tenancy;
use crate::store::accounts::{self as store, Shown};
use crate::store::{apps, chat, factors, orgs, sso};
use crate::token::TokenHash;
use atrium_core::error::Result;
use atrium_core::types::Id;

/// The person behind a session token, unless the session is unknown or the account disabled.
pub async fn principal(
    atrium: &Tenancy,
    hash: &TokenHash,
    epoch: i64,
) -> Result<Option<Principal>> {
    let mut db = atrium.db.read().await?;
    let Some(session) = store::session_by_hash(&mut db, hash).await? else { return Ok(None) };
    let through = store::orgs_of_session(&mut db, hash, &session.user_id).await?;
    let two_factors = session.second_factor_at.is_some();
    let shown = shown(atrium, &session.id, two_factors);
    let user = current_user(atrium, &mut db, &session.user_id, shown).await?;
    Ok(user.map(|user| Principal::new(session, through, user, epoch)))
}

/// A user who is not disabled, with everything derived, including from what their session has proven,
/// which some organizations require.
pub async fn current_user(
    atrium: &Tenancy,
    db: &mut AnyConnection,
    id: &Id,
    shown: Shown<'_>,
) -> Result<Option<CurrentUser>> {
    let user = store::user_by_id(db, id).await?.filter(|user| user.disabled_at.is_none());
    let Some(user) = user else { return Ok(None) };
    let runs_an_org = orgs::runs_any(db, id, shown).await?;
    let entry = apps::entry_for(db, id, user.last_app_id.as_ref(), shown).await?;
    let rule = &atrium.privileged_mfa;
    let required_from = rule.deadline_of(db, id, user.operator_at, shown).await?;
    let mfa = Mfa {
        totp: factors::has_totp(db, id).await?,
        passkeys: factors::passkey_count(db, id).await?,
        required: orgs::any_requires_mfa(db, id).await?
            || required_from.is_some_and(|from| from <= atrium.now()),
        required_from,
    };
    let sso = sso::linked(db, id).await?;
    let bindings = chat::bindings_view(db, id).await?;
    let console = &atrium.settings.console;
    let last_app = entry.map(|app| AppEntry {
        // An app whose region was removed from the settings is still reachable here.
        endpoint: console
            .endpoint(&app.region)
            .map_or_else(|| atrium.settings.server.link(""), str::to_owned),
        is_local: console.is_local(&app.region),
        org_id: app.org_id,
        app_id: app.id,
    });
    Ok(Some(CurrentUser {
        allow_visited_app: runs_an_org || last_app.is_some(),
        id: user.id,
        email: user.email,
        name: user.name,
        locale: user.locale,
        timezone: user.timezone,
        email_verified_at: user.email_verified_at,
        last_login_at: user.last_login_at,
        created_at: user.created_at,
        operator: user.operator_at.is_some(),
        operator_since: user.operator_at,
        notification_types: channels(user.notification_types.as_deref()),
        bindings,
        mfa,
        has_password: user.password_hash.is_some(),
        sso,
        last_app,
    }))
}

/// What a session has proven, and what owners must have proven by now.
pub fn shown<'a>(atrium: &Tenancy, session_id: &'a Id, two_factors: bool) -> Shown<'a> {
    let factor_due_before = atrium.privileged_mfa.due_before(atrium.now());
    Shown { session_id, two_factors, factor_due_before }
}
