//! Feishu, and Lark at its own addresses: the sign-in page, the token for a code, who came with it, the
//! app's own token, and messages. `code` decides an answer, whatever its status.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Client;
use serde_json::json;
use sha2::{Digest, Sha256};
use url::Url;

use super::rate_limit::{Limit, RateLimit};
use super::token::{Fresh, TokenCache};
use super::{Ask, Failure, Message, RetryDecision, answer};
use crate::sign_in_failure::SignInFailure;
use crate::store::chat::Person;
use atrium_core::config::FeishuSettings;
use atrium_core::config::chat::below;
use atrium_core::outbound::web::{self, WebError};
use atrium_core::types::Millis;

const FIELD: &str = "code";
const LIMITS: [Limit; 1] = [(Millis::SECOND, 5)];

pub struct Feishu {
    settings: Arc<FeishuSettings>,
    client: Client,
    tokens: TokenCache,
    /// The total time for all calls that serve one purpose.
    patience: Duration,
    pub(super) rate_limit: RateLimit,
}

/// The documentation says that these may be retried.
fn is_busy(code: i64) -> bool {
    matches!(code, 20050 | 20072)
}

/// The app's token is missing or invalid.
fn is_stale(code: i64) -> bool {
    matches!(code, 99991661 | 99991663)
}

pub fn retry_decision(code: i64) -> RetryDecision {
    match code {
        // No such person, outside the app's reach, or they no longer want its messages.
        230001 | 230013 | 230053 => RetryDecision::GiveUp,
        99991400 | 230020 => RetryDecision::RateLimited,
        _ => RetryDecision::Later,
    }
}

fn sign_in_failure(failure: Failure) -> SignInFailure {
    match failure {
        Failure::Code(20003 | 20004 | 20065) => SignInFailure::CodeRefused,
        Failure::Code(20010) => SignInFailure::NotAllowed,
        Failure::Code(_) => SignInFailure::ProviderError,
        _ => SignInFailure::ProviderUnavailable,
    }
}

impl Feishu {
    pub fn new(settings: FeishuSettings) -> anyhow::Result<Self> {
        Ok(Self {
            client: web::limited(settings.provider_limit).build()?,
            tokens: TokenCache::new(settings.provider_limit),
            // One call may be slow and the others still finish in time.
            patience: settings.provider_limit * 6 / 5,
            settings: Arc::new(settings),
            rate_limit: RateLimit::new(&LIMITS),
        })
    }

    /// Without a scope: ids and the name need none, and nothing else is wanted.
    pub fn page(&self, callback: &str, state: &str, verifier: &str) -> Url {
        let mut url = below(&self.settings.accounts_url, "/open-apis/authen/v1/authorize");
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
        url.query_pairs_mut()
            .append_pair("client_id", &self.settings.app_id)
            .append_pair("response_type", "code")
            .append_pair("redirect_uri", callback)
            .append_pair("state", state)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        url
    }

    pub(super) async fn who(&self, ask: Ask<'_>) -> Result<Person, SignInFailure> {
        let asking = async {
            let token = self.exchange(ask).await?;
            self.person(&token).await
        };
        let asked = tokio::time::timeout(self.patience, asking).await;
        asked.map_err(|_| SignInFailure::ProviderUnavailable)?.map_err(sign_in_failure)
    }

    async fn exchange(&self, ask: Ask<'_>) -> Result<String, Failure> {
        let body = json!({
            "grant_type": "authorization_code",
            "client_id": self.settings.app_id,
            "client_secret": self.settings.app_secret.reveal(),
            "code": ask.code,
            "redirect_uri": ask.callback,
            "code_verifier": ask.verifier,
        })
        .to_string();
        let url = &self.settings.token_url;
        let request = || web::json(self.client.post(url.clone()), body.clone());
        let answer = answer::patiently(FIELD, is_busy, request).await?;
        answer["access_token"].as_str().map(str::to_owned).ok_or(Failure::Nonsense)
    }

    /// Nobody has verified the address in the answer, so it is not even read.
    async fn person(&self, token: &str) -> Result<Person, Failure> {
        let url = below(&self.settings.api_url, "/open-apis/authen/v1/user_info");
        let request = || self.client.get(url.clone()).bearer_auth(token);
        let answer = answer::patiently(FIELD, is_busy, request).await?;
        let about = &answer["data"];
        let subject = answer::id(&about["open_id"]).ok_or(Failure::Nonsense)?;
        Ok(Person {
            tenant: answer::id(&about["tenant_key"]).ok_or(Failure::Nonsense)?.to_owned(),
            union_id: answer::id(&about["union_id"]).map(str::to_owned),
            name: answer::name(&about["name"])
                .or_else(|| answer::name(&about["en_name"]))
                .unwrap_or_else(|| subject.to_owned()),
            subject: subject.to_owned(),
        })
    }

    pub(super) async fn send(&self, message: Message<'_>) -> Result<(), Failure> {
        let sending = async {
            let token = self.token(message.now, None).await?;
            match self.post(&token, message).await {
                Err(Failure::Code(code)) if is_stale(code) => {
                    let token = self.token(message.now, Some(&token)).await?;
                    self.post(&token, message).await
                }
                outcome => outcome,
            }
        };
        let sent = tokio::time::timeout(self.patience, sending).await;
        sent.unwrap_or(Err(Failure::WebError(WebError::Timeout)))
    }

    async fn post(&self, token: &str, message: Message<'_>) -> Result<(), Failure> {
        let mut url = below(&self.settings.api_url, "/open-apis/im/v1/messages");
        url.query_pairs_mut().append_pair("receive_id_type", "open_id");
        let body = json!({
            "receive_id": message.subject,
            "msg_type": "text",
            "content": json!({ "text": message.text }).to_string(),
            // An attempt whose answer was lost is repeated.
            "uuid": message.id,
        });
        let request = web::json(self.client.post(url), body.to_string()).bearer_auth(token);
        answer::ask(request, FIELD).await.map(|_| ())
    }

    /// The app's token. `refused` is one that the vendor no longer accepts.
    pub async fn token(&self, now: Millis, refused: Option<&str>) -> Result<Arc<str>, Failure> {
        self.tokens.get(now, refused, || self.fetch()).await
    }

    /// Fetches a token. Success shows that the app's id and secret are right.
    pub fn fetch(&self) -> impl Future<Output = Result<Fresh, Failure>> + Send + use<> {
        let (settings, client) = (self.settings.clone(), self.client.clone());
        async move {
            let path = "/open-apis/auth/v3/tenant_access_token/internal";
            let url = below(&settings.api_url, path);
            let (id, secret) = (&settings.app_id, settings.app_secret.reveal());
            let body = json!({ "app_id": id, "app_secret": secret });
            let answer = answer::ask(web::json(client.post(url), body.to_string()), FIELD).await?;
            let token = answer["tenant_access_token"].as_str().ok_or(Failure::Nonsense)?;
            let seconds = answer["expire"].as_i64().unwrap_or(0);
            Ok(Fresh { token: token.to_owned(), seconds })
        }
    }
}
