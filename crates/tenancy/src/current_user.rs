//! The signed-in person, with everything derived from their memberships.

use serde::Serialize;
use utoipa::ToSchema;

use crate::notification_types::Channels;
use crate::store::chat::Bindings;
use crate::store::sso::LinkedOrg;
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
    /// Whether there is an app to open or an organization to manage; if not, the console goes to
    /// /no-auth.
    pub allow_visited_app: bool,
    /// Whether the person operates this instance and sees what its console reports.
    pub operator: bool,
    #[serde(skip)]
    pub operator_since: Option<Millis>,
    /// The channels of each type of notification.
    pub notification_types: Channels,
    pub bindings: Bindings,
    pub mfa: Mfa,
    /// Whether the person can sign in with a password at all.
    pub has_password: bool,
    /// Organizations whose single sign-on opens the account.
    pub sso: Vec<LinkedOrg>,
    /// Where the application entry leads.
    pub last_app: Option<AppEntry>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Mfa {
    /// Whether signing in asks for a code of the authenticator app.
    pub totp: bool,
    pub passkeys: i64,
    /// Whether the person needs a second factor, because one of their organizations requires it, or
    /// because this instance does for owners and operators.
    pub required: bool,
    /// The time from which this instance requires a second factor of owners of organizations and
    /// operators. Null for everyone else.
    pub required_from: Option<Millis>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AppEntry {
    pub org_id: Id,
    pub app_id: Id,
    /// Origin and path prefix of the app's region.
    pub endpoint: String,
    /// Whether that is this instance: the console then stays where it is, whatever address the person
    /// used to reach it.
    pub is_local: bool,
}
