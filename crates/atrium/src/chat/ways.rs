//! By what else someone could sign in, once a bound account is gone.

use sqlx::AnyConnection;

use super::{Provider, store};
use crate::accounts::factors;
use crate::accounts::store::UserRow;
use crate::app::AppState;
use crate::error::Result;

/// Whether anything is left. What is there but does not work here counts for nothing: a code by mail
/// where no mail leaves, a passkey at an address that has none, a provider that was taken out of the
/// settings.
pub async fn remain(
    atrium: &AppState,
    db: &mut AnyConnection,
    user: &UserRow,
    without: Provider,
) -> Result<bool> {
    if user.password_hash.is_some() || atrium.settings.mail.smtp.is_some() {
        return Ok(true);
    }
    let passkeys = factors::store::passkey_count(db, &user.id).await?;
    if passkeys > 0 && atrium.relying_party.is_some() {
        return Ok(true);
    }
    for provider in Provider::ALL.into_iter().filter(|provider| *provider != without) {
        let Some(vendor) = atrium.chat.vendor(provider) else { continue };
        let bound = store::binding(db, &user.id, provider).await?;
        if bound.is_some_and(|row| vendor.serves(&row.tenant)) {
            return Ok(true);
        }
    }
    store::comes_by_sso(db, &user.id).await
}
