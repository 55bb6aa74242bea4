//! WeChat Work: the sign-in page, the app's token, who came with a code, and messages. Every answer is
//! HTTP 200, and `errcode` decides it.

use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

use super::rate_limit::{Limit, RateLimit};
use super::token::{Fresh, TokenCache};
use super::{Ask, Failure, Message, RetryDecision, answer};
use crate::sign_in_failure::SignInFailure;
use crate::store::chat::Person;
use atrium_core::config::WechatWorkSettings;
use atrium_core::config::chat::below;
use atrium_core::locale::Locale;
use atrium_core::outbound::web::{self, WebError};
use atrium_core::types::Millis;

const FIELD: &str = "errcode";
const LIMITS: [Limit; 2] = [(Millis::MINUTE, 30), (Millis::HOUR, 1_000)];

pub struct WechatWork {
    settings: Arc<WechatWorkSettings>,
    client: Client,
    tokens: TokenCache,
    /// The total time for all calls that serve one purpose.
    patience: Duration,
    pub(super) rate_limit: RateLimit,
}

fn is_busy(code: i64) -> bool {
    code == -1
}

/// The token is invalid or has expired.
fn is_stale(code: i64) -> bool {
    matches!(code, 40014 | 42001 | 41001)
}

pub fn retry_decision(code: i64) -> RetryDecision {
    match code {
        // Unknown, outside the app's visibility, or no longer a member.
        60111 | 60011 | 81013 => RetryDecision::GiveUp,
        45009 | 45033 => RetryDecision::RateLimited,
        _ => RetryDecision::Later,
    }
}

fn sign_in_failure(failure: Failure) -> SignInFailure {
    match failure {
        Failure::Code(40029) => SignInFailure::CodeRefused,
        Failure::Code(_) => SignInFailure::ProviderError,
        _ => SignInFailure::ProviderUnavailable,
    }
}

impl WechatWork {
    pub fn new(settings: WechatWorkSettings) -> anyhow::Result<Self> {
        Ok(Self {
            client: web::limited(settings.provider_limit).build()?,
            tokens: TokenCache::new(settings.provider_limit),
            // One call may be slow and the others still finish in time.
            patience: settings.provider_limit * 6 / 5,
            settings: Arc::new(settings),
            rate_limit: RateLimit::new(&LIMITS),
        })
    }

    pub fn page(&self, callback: &str, state: &str, locale: Locale) -> Url {
        let mut url = below(&self.settings.login_url, "/wwlogin/sso/login");
        let lang = match locale {
            Locale::ZhCn => "zh",
            Locale::EnUs => "en",
        };
        url.query_pairs_mut()
            .append_pair("login_type", "CorpApp")
            .append_pair("appid", &self.settings.corp_id)
            .append_pair("agentid", &self.settings.agent_id.to_string())
            .append_pair("redirect_uri", callback)
            .append_pair("state", state)
            .append_pair("lang", lang);
        url
    }

    pub fn serves(&self, tenant: &str) -> bool {
        self.settings.corp_id == tenant
    }

    pub(super) async fn who(&self, ask: Ask<'_>) -> Result<Person, SignInFailure> {
        let found = tokio::time::timeout(self.patience, self.member(ask.code, ask.now));
        let found = found
            .await
            .map_err(|_| SignInFailure::ProviderUnavailable)?
            .map_err(sign_in_failure)?;
        let Some(userid) = answer::id(&found["userid"]) else {
            let is_stranger = found["openid"].is_string() || found["external_userid"].is_string();
            return Err(if is_stranger {
                SignInFailure::Outsider
            } else {
                SignInFailure::ProviderUnavailable
            });
        };
        let mut name = None;
        if ask.with_name {
            // If a member's name cannot be queried, the account is bound under their id.
            let asked = tokio::time::timeout(self.patience / 4, self.name(userid, ask.now)).await;
            name = asked.unwrap_or_default();
        }
        Ok(Person {
            tenant: self.settings.corp_id.clone(),
            // The same member's id may come in upper or lower case.
            subject: userid.to_lowercase(),
            union_id: None,
            name: name.unwrap_or_else(|| userid.to_owned()),
        })
    }

    async fn member(&self, code: &str, now: Millis) -> Result<Value, Failure> {
        self.call(now, |token| {
            self.get("/cgi-bin/auth/getuserinfo", &[("access_token", token), ("code", code)])
        })
        .await
    }

    async fn name(&self, userid: &str, now: Millis) -> Option<String> {
        let asked = self.call(now, |token| {
            self.get("/cgi-bin/user/get", &[("access_token", token), ("userid", userid)])
        });
        answer::name(&asked.await.ok()?["name"])
    }

    pub(super) async fn send(&self, message: Message<'_>) -> Result<(), Failure> {
        if !self.serves(message.tenant) {
            return Err(Failure::Gone);
        }
        let body = json!({
            "touser": message.subject,
            "msgtype": "text",
            "agentid": self.settings.agent_id,
            "text": { "content": message.text },
            // An attempt whose answer was lost is repeated.
            "enable_duplicate_check": 1,
        })
        .to_string();
        let sending = self.call(message.now, |token| {
            let mut url = below(&self.settings.api_url, "/cgi-bin/message/send");
            url.query_pairs_mut().append_pair("access_token", token);
            web::json(self.client.post(url), body.clone())
        });
        let sent = tokio::time::timeout(self.patience, sending).await;
        let sent = sent.unwrap_or(Err(Failure::WebError(WebError::Timeout)))?;
        // For a single recipient, this too is reported as a success.
        let unknown = sent["invaliduser"].as_str().is_some_and(|list| !list.is_empty());
        if unknown { Err(Failure::Code(81013)) } else { Ok(()) }
    }

    /// A call with the app's token, repeated once with a new one if the first is refused.
    async fn call(
        &self,
        now: Millis,
        request: impl Fn(&str) -> RequestBuilder,
    ) -> Result<Value, Failure> {
        let token = self.token(now, None).await?;
        match answer::patiently(FIELD, is_busy, || request(&token)).await {
            Err(Failure::Code(code)) if is_stale(code) => {
                let token = self.token(now, Some(&token)).await?;
                answer::patiently(FIELD, is_busy, || request(&token)).await
            }
            outcome => outcome,
        }
    }

    /// The app's token. `refused` is one that the vendor no longer accepts.
    pub async fn token(&self, now: Millis, refused: Option<&str>) -> Result<Arc<str>, Failure> {
        self.tokens.get(now, refused, || self.fetch()).await
    }

    /// Fetches a token. Success shows that the app's id and secret are right.
    pub fn fetch(&self) -> impl Future<Output = Result<Fresh, Failure>> + Send + use<> {
        let (settings, client) = (self.settings.clone(), self.client.clone());
        async move {
            let mut url = below(&settings.api_url, "/cgi-bin/gettoken");
            url.query_pairs_mut()
                .append_pair("corpid", &settings.corp_id)
                .append_pair("corpsecret", settings.secret.reveal());
            let answer = answer::patiently(FIELD, is_busy, || client.get(url.clone())).await?;
            let token = answer["access_token"].as_str().ok_or(Failure::Nonsense)?.to_owned();
            Ok(Fresh { token, seconds: answer["expires_in"].as_i64().unwrap_or(0) })
        }
    }

    fn get(&self, path: &str, query: &[(&str, &str)]) -> RequestBuilder {
        let mut url = below(&self.settings.api_url, path);
        url.query_pairs_mut().extend_pairs(query);
        self.client.get(url)
    }
}
