//! Accounts: sign-in, the first account, sessions, who is signed in.

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
pub(crate) mod privileged;
pub mod profile;
pub mod reauth;
pub mod register;
pub mod reset;
pub mod second_step;
pub mod session;
pub mod sessions;
pub mod setup;
pub mod store;
pub(crate) mod ticket;

use serde::Serialize;
use utoipa::ToSchema;

use crate::notification_types::Channels;
use crate::notifications;
use crate::sso::LinkedOrg;
use crate::state::Tenancy;
use crate::throttle;
use atrium_core::error::Result;
use atrium_core::locale::Locale;
use atrium_core::types::{Id, Millis};

/// The signed-in person, as the console needs them.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CurrentUser {
    pub id: Id,
    pub email: String,
    pub name: String,
    /// Language of mails and messages: zh-CN or en-US.
    pub locale: String,
    /// IANA name.
    pub timezone: String,
    pub email_verified_at: Option<Millis>,
    pub last_login_at: Option<Millis>,
    pub created_at: Millis,
    /// Whether there is an app to open or an organisation to run; without it the console goes to
    /// /no-auth.
    pub allow_visited_app: bool,
    /// Whether the person runs this instance and sees what its console reports.
    pub operator: bool,
    #[serde(skip)]
    pub operator_since: Option<Millis>,
    /// Which channels each type of notification takes.
    pub notification_types: Channels,
    pub bindings: Bindings,
    pub mfa: Mfa,
    /// Whether the person can sign in with a password at all.
    pub has_password: bool,
    /// Organisations whose single sign-on opens the account.
    pub sso: Vec<LinkedOrg>,
    /// Where the application entry leads.
    pub last_app: Option<AppEntry>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Bindings {
    pub wechatwork: Option<Binding>,
    pub feishu: Option<Binding>,
}

/// A bound work-chat account.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Binding {
    pub name: String,
    pub bound_at: Millis,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Mfa {
    /// Whether signing in asks for a code of the authenticator app.
    pub totp: bool,
    pub passkeys: i64,
    /// Whether an organisation of the person asks for a second factor, or this instance does
    /// because of what they are.
    pub required: bool,
    /// From when on this instance asks owners of organisations and operators for one. Null for
    /// everybody else.
    pub required_from: Option<Millis>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AppEntry {
    pub org_id: Id,
    pub app_id: Id,
    /// Origin and path prefix of the app's region.
    pub endpoint: String,
    /// Whether that is this instance: the console then stays where it is, whatever address the
    /// person reached it by.
    pub is_local: bool,
}

/// The language to write to someone in: the account's own, or the one the page was in.
fn user_locale(user: Option<&store::UserRow>, otherwise: Locale) -> Locale {
    user.and_then(|user| Locale::parse(&user.locale)).unwrap_or(otherwise)
}

/// Removes sessions, links and counters that are past their time.
pub async fn sweep(atrium: &Tenancy) -> Result<u64> {
    let mut tx = atrium.db.write_relaxed().await?;
    let tokens = store::delete_dead_tokens(&mut tx, atrium.now().plus(-Millis::DAY)).await?;
    tx.commit().await?;
    let mut tx = atrium.db.write_relaxed().await?;
    let before = atrium.now().plus(-180 * Millis::DAY);
    let invitations = crate::orgs::store::delete_old_invitations(&mut tx, before).await?;
    tx.commit().await?;
    let notices = invitations + notifications::sweep(atrium).await?;
    Ok(tokens + notices + session::sweep(atrium).await? + throttle::sweep(atrium).await?)
}
