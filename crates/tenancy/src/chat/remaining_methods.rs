//! The sign-in methods that remain after a chat account is unbound.

use sqlx::AnyConnection;

use super::Provider;
use crate::state::Tenancy;
use crate::store::accounts::UserRow;
use crate::store::{chat as store, factors};
use atrium_core::error::Result;

/// Whether any method is left that works on this instance: a mailed code needs SMTP, a passkey needs
/// HTTPS, a chat provider must still be configured.
pub async fn any_left(
    atrium: &Tenancy,
    db: &mut AnyConnection,
    user: &UserRow,
    without: Provider,
) -> Result<bool> {
    if user.password_hash.is_some() || atrium.settings.mail.smtp.is_some() {
        return Ok(true);
    }
    let passkeys = factors::passkey_count(db, &user.id).await?;
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
