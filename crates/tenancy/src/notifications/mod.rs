//! Notifications. All of them go through `notify`, which looks up the channels in the person's
//! settings.

pub mod channels;
pub mod chat_outbox;
pub mod handlers;

use crate::current_user::CurrentUser;
use crate::notification_types::{Channels, channels};
use crate::state::Tenancy;
use crate::store::accounts::{self, UserRow};
use crate::store::notifications as store;
use atrium_core::chat_provider::Provider;
use atrium_core::db::Write;
use atrium_core::error::{Error, Result};
use atrium_core::locale::Locale;
use atrium_core::mail::templates;
use atrium_core::outbox::mail;
use atrium_core::types::{Id, Millis};

pub use atrium_core::notices::Notice;

/// How long a notification stays in the console.
const KEEP: i64 = 180 * Millis::DAY;

/// Who to notify, where and in which language.
pub struct Recipient {
    pub id: Id,
    pub email: String,
    locale: Locale,
    channels: Channels,
}

impl From<&UserRow> for Recipient {
    fn from(user: &UserRow) -> Self {
        Self {
            id: user.id.clone(),
            email: user.email.clone(),
            locale: Locale::parse(&user.locale).unwrap_or_default(),
            channels: channels(user.notification_types.as_deref()),
        }
    }
}

impl From<&CurrentUser> for Recipient {
    fn from(user: &CurrentUser) -> Self {
        Self {
            id: user.id.clone(),
            email: user.email.clone(),
            locale: Locale::parse(&user.locale).unwrap_or_default(),
            channels: user.notification_types.clone(),
        }
    }
}

impl Recipient {
    /// Security notices always go to mail and the console, whatever the settings: they are how people
    /// learn of a theft.
    fn takes(&self, notice: &Notice, channel: &str) -> bool {
        notice.kind() == "security" || self.chose(notice, channel)
    }

    fn chose(&self, notice: &Notice, channel: &str) -> bool {
        let chosen = self.channels.get(notice.kind());
        chosen.is_some_and(|list| list.iter().any(|name| name == channel))
    }
}

/// Notifies someone, in the transaction that causes it. Wake the outbox after the commit.
pub async fn notify(
    atrium: &Tenancy,
    tx: &mut Write,
    to: &Recipient,
    notice: &Notice,
) -> Result<()> {
    if to.takes(notice, "in_app") {
        let json = serde_json::to_string(notice).map_err(Error::internal)?;
        store::insert(tx, &atrium.new_id(), &to.id, &json, atrium.now()).await?;
    }
    if to.takes(notice, "email") {
        let letter = templates::notice(to.locale, notice, &atrium.settings.server);
        mail::enqueue(atrium, tx, Some(&to.email), letter).await?;
    }
    for provider in Provider::ALL.into_iter().filter(|it| to.chose(notice, it.as_str())) {
        chat_outbox::enqueue(atrium, tx, provider, (&to.id, to.locale), notice).await?;
    }
    Ok(())
}

/// Like `notify`, for someone known by id. Does nothing if the account is gone or disabled.
pub async fn notify_id(
    atrium: &Tenancy,
    tx: &mut Write,
    user_id: &Id,
    notice: &Notice,
) -> Result<()> {
    let user = accounts::user_by_id(tx, user_id).await?;
    match user.filter(|user| user.disabled_at.is_none()) {
        Some(user) => notify(atrium, tx, &Recipient::from(&user), notice).await,
        None => Ok(()),
    }
}

/// Removes notifications that are too old to matter.
pub async fn sweep(atrium: &Tenancy) -> Result<u64> {
    let mut tx = atrium.db.write_relaxed().await?;
    let removed = store::delete_before(&mut tx, atrium.now().plus(-KEEP)).await?;
    tx.commit().await?;
    Ok(removed)
}
