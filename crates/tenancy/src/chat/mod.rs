//! Work chat: WeChat Work and Feishu. People bind the account they have there, sign in with it, and
//! are written to through it. An account is known by its company and its id in it, never by an
//! address (docs/decisions/0019).

mod answer;
mod callback;
mod feishu;
pub mod handlers;
pub mod outbox;
mod rate_limit;
mod remaining_methods;
pub mod store;
pub(crate) mod token;
mod wechatwork;

use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use crate::accounts::login::SignInMethod;
use crate::accounts::sign_in_failure::SignInFailure;
pub use answer::Failure;
pub use atrium_core::chat_provider::Provider;
use atrium_core::config::ChatSettings;
use atrium_core::locale::Locale;
use atrium_core::types::{Id, Millis};
pub use feishu::Feishu;
use rate_limit::RateLimit;
pub use wechatwork::WechatWork;

fn method(provider: Provider) -> SignInMethod {
    match provider {
        Provider::Wechatwork => SignInMethod::Wechatwork,
        Provider::Feishu => SignInMethod::Feishu,
    }
}

/// Keeps flows to different providers apart.
fn flow_purpose(provider: Provider) -> &'static str {
    match provider {
        Provider::Wechatwork => "chat_wechatwork",
        Provider::Feishu => "chat_feishu",
    }
}

fn callback_path(provider: Provider) -> String {
    format!("/api/v1/{}/callback", provider.as_str())
}

/// What a trip to a provider is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    Bind,
    Login,
}

/// What the callback needs to know.
#[derive(Serialize, Deserialize)]
struct OAuthFlow {
    purpose: Purpose,
    /// Checked when the flow starts.
    redirect: Option<String>,
    /// The PKCE verifier, for providers that support PKCE.
    verifier: String,
}

/// A person as the provider knows them.
pub struct Person {
    /// The company at the provider.
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

/// What to do about a message that could not be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RetryDecision {
    /// The provider is down; no message will get through.
    ProviderDown,
    /// Too many messages at once.
    RateLimited,
    /// It may work later.
    Later,
    /// It will never work for this person.
    GiveUp,
}

impl Vendor<'_> {
    /// The page to send the browser to.
    fn page(self, callback: &str, state: &str, verifier: &str, locale: Locale) -> Url {
        match self {
            Self::Wechatwork(vendor) => vendor.page(callback, state, locale),
            Self::Feishu(vendor) => vendor.page(callback, state, verifier),
        }
    }

    /// Exchanges a code for the person. The whole call has a time limit.
    async fn who(self, ask: Ask<'_>) -> Result<Person, SignInFailure> {
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

    fn retry_decision(self, failure: Failure) -> RetryDecision {
        match (self, failure) {
            (Self::Wechatwork(_), Failure::Code(code)) => wechatwork::retry_decision(code),
            (Self::Feishu(_), Failure::Code(code)) => feishu::retry_decision(code),
            (_, Failure::Gone) => RetryDecision::GiveUp,
            _ => RetryDecision::ProviderDown,
        }
    }

    fn rate_limit(&self) -> &RateLimit {
        match self {
            Self::Wechatwork(vendor) => &vendor.rate_limit,
            Self::Feishu(vendor) => &vendor.rate_limit,
        }
    }

    /// Whether people of that company can sign in through the configured app.
    fn serves(self, tenant: &str) -> bool {
        match self {
            Self::Wechatwork(vendor) => vendor.serves(tenant),
            Self::Feishu(_) => true,
        }
    }
}

/// A code to exchange.
#[derive(Clone, Copy)]
struct Ask<'a> {
    code: &'a str,
    verifier: &'a str,
    callback: &'a str,
    /// Whether to ask for the name too.
    with_name: bool,
    now: Millis,
}

/// A message to one person.
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
            assert_eq!(serde_json::to_value(method(provider)).unwrap(), provider.as_str());
        }
    }
}
