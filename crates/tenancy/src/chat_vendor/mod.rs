//! The vendors of work chat, WeChat Work and Feishu: their sign-in pages, who came back from one, and
//! messages to people. Nothing here knows about accounts.

mod answer;
mod feishu;
mod rate_limit;
mod token;
mod wechatwork;

use url::Url;

use crate::sign_in_failure::SignInFailure;
use crate::store::chat::Person;
use atrium_core::chat_provider::Provider;
use atrium_core::config::ChatSettings;
use atrium_core::locale::Locale;
use atrium_core::types::{Id, Millis};

pub use answer::Failure;
pub use feishu::Feishu;
use rate_limit::RateLimit;
pub use wechatwork::WechatWork;

/// The providers that are configured.
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
pub enum RetryDecision {
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
    pub fn page(self, callback: &str, state: &str, verifier: &str, locale: Locale) -> Url {
        match self {
            Self::Wechatwork(vendor) => vendor.page(callback, state, locale),
            Self::Feishu(vendor) => vendor.page(callback, state, verifier),
        }
    }

    /// Exchanges a code for the person. The whole call has a time limit.
    pub async fn who(self, ask: Ask<'_>) -> Result<Person, SignInFailure> {
        match self {
            Self::Wechatwork(vendor) => vendor.who(ask).await,
            Self::Feishu(vendor) => vendor.who(ask).await,
        }
    }

    pub async fn send(self, message: Message<'_>) -> Result<(), Failure> {
        match self {
            Self::Wechatwork(vendor) => vendor.send(message).await,
            Self::Feishu(vendor) => vendor.send(message).await,
        }
    }

    pub fn retry_decision(self, failure: Failure) -> RetryDecision {
        match (self, failure) {
            (Self::Wechatwork(_), Failure::Code(code)) => wechatwork::retry_decision(code),
            (Self::Feishu(_), Failure::Code(code)) => feishu::retry_decision(code),
            (_, Failure::Gone) => RetryDecision::GiveUp,
            _ => RetryDecision::ProviderDown,
        }
    }

    pub fn rate_limit(&self) -> &RateLimit {
        match self {
            Self::Wechatwork(vendor) => &vendor.rate_limit,
            Self::Feishu(vendor) => &vendor.rate_limit,
        }
    }

    /// Whether people of that company can sign in through the configured app.
    pub fn serves(self, tenant: &str) -> bool {
        match self {
            Self::Wechatwork(vendor) => vendor.serves(tenant),
            Self::Feishu(_) => true,
        }
    }
}

/// A code to exchange.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    pub code: &'a str,
    pub verifier: &'a str,
    pub callback: &'a str,
    /// Whether to ask for the name too.
    pub with_name: bool,
    pub now: Millis,
}

/// A message to one person.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    pub id: &'a Id,
    pub tenant: &'a str,
    pub subject: &'a str,
    pub text: &'a str,
    pub now: Millis,
}
