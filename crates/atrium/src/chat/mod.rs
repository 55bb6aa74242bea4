//! Work chat: WeChat Work and Feishu. People bind the account they have there, sign in with it, and
//! are written to through it. An account is known by its company and its id in it, never by an
//! address (docs/decisions/0019).

mod answer;
mod feishu;
pub mod handlers;
pub mod outbox;
mod pace;
mod returning;
pub mod store;
pub mod token;
mod ways;
mod wechatwork;

use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use crate::accounts::login::Way;
use crate::config::ChatSettings;
use crate::http::locale::Locale;
use crate::types::{Id, Millis};
pub use answer::Failure;
pub use feishu::Feishu;
pub use wechatwork::WechatWork;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    Wechatwork,
    Feishu,
}

impl Provider {
    pub const ALL: [Self; 2] = [Self::Wechatwork, Self::Feishu];

    /// As in paths, settings, notification channels and rows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wechatwork => "wechatwork",
            Self::Feishu => "feishu",
        }
    }

    pub fn name(self, locale: Locale) -> &'static str {
        match (self, locale) {
            (Self::Wechatwork, Locale::ZhCn) => "企业微信",
            (Self::Wechatwork, Locale::EnUs) => "WeChat Work",
            (Self::Feishu, Locale::ZhCn) => "飞书",
            (Self::Feishu, Locale::EnUs) => "Feishu",
        }
    }

    fn way(self) -> Way {
        match self {
            Self::Wechatwork => Way::Wechatwork,
            Self::Feishu => Way::Feishu,
        }
    }

    /// What tells trips to one provider from those to another.
    fn trip(self) -> &'static str {
        match self {
            Self::Wechatwork => "chat_wechatwork",
            Self::Feishu => "chat_feishu",
        }
    }

    fn callback(self) -> String {
        format!("/api/v1/{}/callback", self.as_str())
    }
}

/// What a trip to a provider is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    Bind,
    Login,
}

/// What the way back needs to know.
#[derive(Serialize, Deserialize)]
struct Trip {
    purpose: Purpose,
    /// Checked on the way out.
    redirect: Option<String>,
    /// Only whoever holds it can turn the code into anything, where the provider knows such a thing.
    verifier: String,
}

/// Why a trip ended without what it was for. The console has a text for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    Cancelled,
    StateInvalid,
    ProviderUnavailable,
    ProviderError,
    CodeRefused,
    AccountDisabled,
    Throttled,
    NotBound,
    BoundElsewhere,
    AlreadyBound,
    Outsider,
    NotAllowed,
    WrongUser,
}

impl Door {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::StateInvalid => "state_invalid",
            Self::ProviderUnavailable => "provider_unavailable",
            Self::ProviderError => "provider_error",
            Self::CodeRefused => "code_refused",
            Self::AccountDisabled => "account_disabled",
            Self::Throttled => "throttled",
            Self::NotBound => "not_bound",
            Self::BoundElsewhere => "bound_elsewhere",
            Self::AlreadyBound => "already_bound",
            Self::Outsider => "outsider",
            Self::NotAllowed => "not_allowed",
            Self::WrongUser => "wrong_user",
        }
    }
}

/// Someone, as a provider knows them.
pub struct Person {
    /// The company over there.
    pub tenant: String,
    pub subject: String,
    pub union_id: Option<String>,
    pub name: String,
}

/// The providers that are set up.
pub struct Chat {
    wechatwork: Option<WechatWork>,
    feishu: Option<Feishu>,
}

impl Chat {
    pub fn open(settings: &ChatSettings) -> anyhow::Result<Self> {
        Ok(Self {
            wechatwork: settings.wechatwork.clone().map(WechatWork::new).transpose()?,
            feishu: settings.feishu.clone().map(Feishu::new).transpose()?,
        })
    }

    pub fn vendor(&self, provider: Provider) -> Option<Vendor<'_>> {
        match provider {
            Provider::Wechatwork => self.wechatwork.as_ref().map(Vendor::Wechatwork),
            Provider::Feishu => self.feishu.as_ref().map(Vendor::Feishu),
        }
    }

    pub fn is_configured(&self, provider: Provider) -> bool {
        self.vendor(provider).is_some()
    }
}

#[derive(Clone, Copy)]
pub enum Vendor<'a> {
    Wechatwork(&'a WechatWork),
    Feishu(&'a Feishu),
}

/// What became of a message that could not be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// The provider is away: so it is for every message.
    Away,
    /// Too many at once.
    Rate,
    /// It may work later.
    Retry,
    /// It never will for this person.
    Never,
}

impl Vendor<'_> {
    /// The page to send the browser to.
    fn page(self, callback: &str, state: &str, verifier: &str, locale: Locale) -> Url {
        match self {
            Self::Wechatwork(vendor) => vendor.page(callback, state, locale),
            Self::Feishu(vendor) => vendor.page(callback, state, verifier),
        }
    }

    /// Who came back with a code. Bounded in time as a whole.
    async fn who(self, ask: Ask<'_>) -> Result<Person, Door> {
        match self {
            Self::Wechatwork(vendor) => vendor.who(ask).await,
            Self::Feishu(vendor) => vendor.who(ask).await,
        }
    }

    async fn send(self, message: Message<'_>) -> Result<(), Failure> {
        match self {
            Self::Wechatwork(vendor) => vendor.send(message).await,
            Self::Feishu(vendor) => vendor.send(message).await,
        }
    }

    fn fate(self, failure: Failure) -> Fate {
        match (self, failure) {
            (Self::Wechatwork(_), Failure::Code(code)) => wechatwork::fate(code),
            (Self::Feishu(_), Failure::Code(code)) => feishu::fate(code),
            (_, Failure::Gone) => Fate::Never,
            _ => Fate::Away,
        }
    }

    fn pace(&self) -> &pace::Pace {
        match self {
            Self::Wechatwork(vendor) => &vendor.pace,
            Self::Feishu(vendor) => &vendor.pace,
        }
    }

    /// Whether someone of that company can come in through the app that is set up now.
    fn serves(self, tenant: &str) -> bool {
        match self {
            Self::Wechatwork(vendor) => vendor.serves(tenant),
            Self::Feishu(_) => true,
        }
    }
}

/// A code to ask about.
#[derive(Clone, Copy)]
struct Ask<'a> {
    code: &'a str,
    verifier: &'a str,
    callback: &'a str,
    /// Whether their name is worth asking for.
    with_name: bool,
    now: Millis,
}

/// Something to tell someone.
#[derive(Clone, Copy)]
struct Message<'a> {
    id: &'a Id,
    tenant: &'a str,
    subject: &'a str,
    text: &'a str,
    now: Millis,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_stored_under_the_name_it_has_everywhere() {
        for provider in Provider::ALL {
            assert_eq!(serde_json::to_value(provider).unwrap(), provider.as_str());
            assert_eq!(serde_json::to_value(provider.way()).unwrap(), provider.as_str());
        }
    }
}
