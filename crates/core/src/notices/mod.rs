//! What people are notified about, with texts in both languages, shared by the console and mail.

mod texts;

use serde::{Deserialize, Serialize};

use crate::chat_provider::Provider;
use crate::config::cardinality::Limit;
use crate::locale::Locale;
use crate::permissions::OrgRole;
use crate::text::isolated;
use crate::types::Id;

/// One notice. Stored as JSON, so a variant's name and fields never change once released.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Notice {
    /// Someone signed in from a browser that had not signed in to the account before.
    NewDevice {
        device: String,
        ip: String,
        at: String,
    },
    PasswordChanged,
    /// Sent to the old address while the change can still be stopped.
    EmailChangeAsked {
        email: String,
    },
    EmailChanged {
        email: String,
    },
    TotpAdded,
    TotpRemoved,
    RecoveryCodesRenewed,
    RecoveryCodeUsed {
        left: i64,
    },
    PasskeyAdded {
        name: String,
    },
    PasskeyRemoved {
        name: String,
    },
    /// By an operator, on the command line.
    SecondFactorReset,
    /// By an operator, on the command line.
    SessionsEnded {
        count: u64,
    },
    /// By someone who manages the organization's members, for this organization only.
    OrgSessionsEnded {
        org: String,
    },
    /// An organization's provider can now open the account.
    SsoLinked {
        org: String,
        email: String,
    },
    /// A work-chat account can now sign in.
    ChatBound {
        provider: Provider,
        name: String,
    },
    ChatUnbound {
        provider: Provider,
        name: String,
    },
    Invited {
        org: String,
        by: String,
    },
    /// Someone with the owners' mail domain asks to join.
    AccessAsked {
        org_id: Id,
        org: String,
        name: String,
        email: String,
        message: String,
    },
    OrgRoleChanged {
        org_id: Id,
        org: String,
        role: OrgRole,
    },
    RemovedFromOrg {
        org: String,
    },
    /// Added to an app, or given another role there.
    AppRoleChanged {
        org_id: Id,
        app_id: Id,
        app: String,
        role_zh: String,
        role_en: String,
    },
    RemovedFromApp {
        app: String,
    },
    /// Archived, deleted or restored. `action` is the audit log's.
    AppMoved {
        org_id: Id,
        app: String,
        by: String,
        action: String,
    },
    /// An unusual share of an app's messages was rejected.
    RejectionsSpike {
        app_id: Id,
        app: String,
        count: i64,
    },
    /// An app has more distinct names or values than are counted on one day.
    LimitReached {
        app_id: Id,
        app: String,
        limit: Limit,
        max: i64,
    },
    /// An app that regularly sends events has sent none for two days.
    AppSilent {
        app_id: Id,
        app: String,
    },
    /// The warehouse has been down for a long time, and the spool is close to its limit.
    SpoolFilling {
        org_id: Id,
    },
    /// An access key expires within a week, or within a day.
    KeyExpiring {
        app_id: Id,
        app: String,
        key_id: String,
        name: String,
        at: String,
    },
    KeyExpired {
        app_id: Id,
        app: String,
        key_id: String,
        name: String,
        at: String,
    },
}

pub struct Words {
    pub title: String,
    pub text: String,
}

impl Notice {
    /// The notice's type in the person's notification settings.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NewDevice { .. }
            | Self::PasswordChanged
            | Self::EmailChangeAsked { .. }
            | Self::EmailChanged { .. }
            | Self::TotpAdded
            | Self::TotpRemoved
            | Self::RecoveryCodesRenewed
            | Self::RecoveryCodeUsed { .. }
            | Self::PasskeyAdded { .. }
            | Self::PasskeyRemoved { .. }
            | Self::SecondFactorReset
            | Self::SessionsEnded { .. }
            | Self::OrgSessionsEnded { .. }
            | Self::SsoLinked { .. }
            | Self::ChatBound { .. }
            | Self::ChatUnbound { .. } => "security",
            Self::Invited { .. } | Self::AccessAsked { .. } => "invitation",
            Self::OrgRoleChanged { .. }
            | Self::RemovedFromOrg { .. }
            | Self::AppRoleChanged { .. }
            | Self::RemovedFromApp { .. } => "role_change",
            Self::AppMoved { .. } => "app_lifecycle",
            Self::RejectionsSpike { .. }
            | Self::LimitReached { .. }
            | Self::AppSilent { .. }
            | Self::SpoolFilling { .. } => "ingest_alert",
            Self::KeyExpiring { .. } | Self::KeyExpired { .. } => "key_expiry",
        }
    }

    /// The related console page.
    pub fn link(&self) -> Option<String> {
        match self {
            Self::NewDevice { .. } => Some("/account/user-info#sessions".to_owned()),
            Self::Invited { .. } => Some("/organization/list".to_owned()),
            Self::AccessAsked { org_id, email, .. } => {
                let email = percent_encoding::utf8_percent_encode(
                    email,
                    percent_encoding::NON_ALPHANUMERIC,
                );
                Some(format!("/organization/config/member?org={org_id}&invite={email}"))
            }
            Self::OrgRoleChanged { org_id, .. } => {
                Some(format!("/organization/config/member?org={org_id}"))
            }
            Self::AppRoleChanged { app_id, .. }
            | Self::RejectionsSpike { app_id, .. }
            | Self::LimitReached { app_id, .. }
            | Self::AppSilent { app_id, .. } => Some(format!("/{app_id}/authManagement/appDetail")),
            Self::SpoolFilling { org_id } => {
                Some(format!("/organization/config/config-app?org={org_id}"))
            }
            Self::AppMoved { org_id, action, .. } => {
                let page = match action.as_str() {
                    "app.archive" => "archived-app",
                    "app.delete" => "delete-app",
                    _ => "config-app",
                };
                Some(format!("/organization/config/{page}?org={org_id}"))
            }
            Self::KeyExpiring { app_id, .. } | Self::KeyExpired { app_id, .. } => {
                Some(format!("/{app_id}/authManagement/appSecretKey"))
            }
            Self::RemovedFromOrg { .. } | Self::RemovedFromApp { .. } => None,
            _ => Some("/account/user-info".to_owned()),
        }
    }

    pub fn words(&self, locale: Locale) -> Words {
        let notice = self.with_isolated_names();
        let (title, text) = match locale {
            Locale::ZhCn => notice.chinese(),
            Locale::EnUs => notice.english(),
        };
        Words { title: title.to_owned(), text }
    }

    /// Isolates every text that came from a person, so that it cannot disturb the sentence around it.
    /// Done on the JSON form, so that no variant is forgotten.
    fn with_isolated_names(&self) -> Self {
        let isolate = || {
            let mut fields = serde_json::to_value(self).ok()?;
            for value in fields.as_object_mut()?.values_mut() {
                if let serde_json::Value::String(text) = value {
                    *text = isolated(text);
                }
            }
            serde_json::from_value(fields).ok()
        };
        isolate().unwrap_or_else(|| self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_stays_readable() {
        let notice = Notice::RecoveryCodeUsed { left: 9 };
        let json = serde_json::to_string(&notice).unwrap();
        assert_eq!(json, r#"{"kind":"recovery_code_used","left":9}"#);
        assert_eq!(serde_json::from_str::<Notice>(&json).unwrap(), notice);
        let json = serde_json::to_string(&Notice::TotpAdded).unwrap();
        assert_eq!(json, r#"{"kind":"totp_added"}"#);
    }

    #[test]
    fn names_do_not_reorder_the_words_around_them() {
        let notice = Notice::Invited { org: "\u{202e}evil".to_owned(), by: "مريم".to_owned() };
        for locale in Locale::ALL {
            let text = notice.words(locale).text;
            assert!(text.contains("\u{2068}\u{202e}evil\u{2069}"), "{text:?}");
            assert!(text.contains("\u{2068}مريم\u{2069}"), "{text:?}");
        }
    }
}
