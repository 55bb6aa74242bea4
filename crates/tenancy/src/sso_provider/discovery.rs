//! What a provider says about itself, and its signing keys. Cached for ten minutes per organization and
//! issuer; of several concurrent callers, one looks it up.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use openidconnect::core::{CoreJsonWebKey, CoreJwsSigningAlgorithm as Alg};
use openidconnect::{JsonWebKey, JsonWebKeySet, JsonWebKeyUse, JwsSigningAlgorithm};
use quick_cache::sync::Cache;
use serde::Deserialize;
use tokio::sync::Mutex;
use url::Url;

use super::Sso;
use super::network::{self, ProviderClient, Reason};
use atrium_core::Core;
use atrium_core::config::SsoSettings;
use atrium_core::outbound::web::Answer;
use atrium_core::types::{Id, Millis};

const KEEP: i64 = 10 * Millis::MINUTE;
/// How often an unknown key may cause another lookup.
const LOOK_AGAIN: i64 = 10 * Millis::SECOND;
const MOST: usize = 1_000;

pub type Keys = JsonWebKeySet<CoreJsonWebKey>;

/// Algorithms that prove something, because only the provider has the key.
const ALGORITHMS: [Alg; 9] = [
    Alg::RsaSsaPkcs1V15Sha256,
    Alg::RsaSsaPkcs1V15Sha384,
    Alg::RsaSsaPkcs1V15Sha512,
    Alg::RsaSsaPssSha256,
    Alg::RsaSsaPssSha384,
    Alg::RsaSsaPssSha512,
    Alg::EcdsaP256Sha256,
    Alg::EcdsaP384Sha384,
    Alg::EdDsa,
];

/// The part of a provider's discovery document that we use, unchecked.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Document {
    pub issuer: String,
    pub authorization_endpoint: Option<String>,
    pub token_endpoint: Option<String>,
    pub userinfo_endpoint: Option<String>,
    pub jwks_uri: Option<String>,
    pub response_types_supported: Vec<String>,
    pub id_token_signing_alg_values_supported: Option<Vec<serde_json::Value>>,
    pub token_endpoint_auth_methods_supported: Option<Vec<String>>,
    pub authorization_response_iss_parameter_supported: bool,
}

/// What is wrong with a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    EndpointMissing,
    EndpointInsecure,
    NoCodeFlow,
    NoAlgorithm,
}

pub struct Endpoints {
    pub authorization: Url,
    pub token: Url,
    pub userinfo: Option<Url>,
    pub keys: Url,
}

impl Document {
    /// The document's URL. A trailing slash of the issuer is not doubled.
    pub fn address(issuer: &str) -> Option<Url> {
        let issuer = issuer.strip_suffix('/').unwrap_or(issuer);
        Url::parse(&format!("{issuer}/.well-known/openid-configuration")).ok()
    }

    pub fn endpoints(&self, issuer: &Url, settings: &SsoSettings) -> Result<Endpoints, Flaw> {
        let secure =
            |text: &str| network::endpoint(text, issuer, settings).ok_or(Flaw::EndpointInsecure);
        let wanted = |text: &Option<String>| secure(text.as_deref().ok_or(Flaw::EndpointMissing)?);
        Ok(Endpoints {
            authorization: wanted(&self.authorization_endpoint)?,
            token: wanted(&self.token_endpoint)?,
            keys: wanted(&self.jwks_uri)?,
            userinfo: self.userinfo_endpoint.as_deref().map(secure).transpose()?,
        })
    }

    /// The algorithms that both sides accept.
    pub fn algorithms(&self) -> Result<Vec<Alg>, Flaw> {
        // The words may come in any order; we need "code" alone.
        if !self.response_types_supported.iter().any(|kind| kind == "code") {
            return Err(Flaw::NoCodeFlow);
        }
        // If the document says nothing: the one every provider must support.
        let Some(offered) = &self.id_token_signing_alg_values_supported else {
            return Ok(vec![Alg::RsaSsaPkcs1V15Sha256]);
        };
        let offered = offered.iter().filter_map(|name| serde_json::from_value(name.clone()).ok());
        let shared: Vec<Alg> = offered.filter(|name| ALGORITHMS.contains(name)).collect();
        if shared.is_empty() { Err(Flaw::NoAlgorithm) } else { Ok(shared) }
    }

    /// Whether the secret goes into the body, for providers that do not accept it in a header.
    pub fn wants_secret_in_body(&self) -> bool {
        let methods = self.token_endpoint_auth_methods_supported.as_deref().unwrap_or_default();
        let takes = |name: &str| methods.iter().any(|method| method == name);
        takes("client_secret_post") && !takes("client_secret_basic")
    }
}

/// Whether one of the keys can make one of the signatures.
pub fn can_sign(keys: &Keys, algorithms: &[Alg]) -> bool {
    keys.keys().iter().any(|key| {
        let signs = key.key_use().is_none_or(|purpose| purpose.allows_signature());
        let kind = Some(key.key_type().clone());
        signs && algorithms.iter().any(|algorithm| algorithm.key_type() == kind)
    })
}

/// A usable provider.
pub struct Provider {
    pub issuer: String,
    pub endpoints: Endpoints,
    pub algorithms: Vec<Alg>,
    pub keys: Keys,
    pub secret_in_body: bool,
    /// Whether its redirects always say who it is.
    pub names_itself: bool,
}

/// Queries the provider. On any error it cannot be used now.
pub async fn discover(
    outside: &ProviderClient,
    settings: &SsoSettings,
    issuer: &str,
) -> Result<Provider, Reason> {
    let unusable = Reason::Unexpected(200);
    let url = network::issuer(issuer, settings).ok_or(Reason::Forbidden)?;
    let address = Document::address(issuer).ok_or(Reason::Forbidden)?;
    let document: Document = read(&outside.get(address).await?)?;
    if document.issuer != issuer {
        return Err(unusable);
    }
    let endpoints = document.endpoints(&url, settings).map_err(|_| unusable)?;
    let algorithms = document.algorithms().map_err(|_| unusable)?;
    let keys: Keys = read(&outside.get(endpoints.keys.clone()).await?)?;
    Ok(Provider {
        issuer: document.issuer.clone(),
        endpoints,
        algorithms,
        keys,
        secret_in_body: document.wants_secret_in_body(),
        names_itself: document.authorization_response_iss_parameter_supported,
    })
}

fn read<T: serde::de::DeserializeOwned>(answer: &Answer) -> Result<T, Reason> {
    let found = answer.status.is_success().then(|| answer.json()).flatten();
    found.ok_or(Reason::Unexpected(answer.status.as_u16()))
}

/// Providers that were looked up recently.
pub(super) type Slots = Cache<(Id, String), Arc<Slot>>;

pub(super) fn no_slots() -> Slots {
    Cache::new(MOST)
}

#[derive(Default)]
pub(super) struct Slot {
    /// How many lookups have finished.
    rounds: AtomicU64,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    provider: Option<(Arc<Provider>, Millis)>,
    failure: Option<Reason>,
    looked_again: Option<Millis>,
}

impl Sso {
    /// An organization's provider, from the cache if fresh.
    pub async fn provider(
        &self,
        core: &Core,
        org_id: &Id,
        issuer: &str,
    ) -> Result<Arc<Provider>, Reason> {
        let slot = self.slot(org_id, issuer);
        let round = slot.rounds.load(Ordering::Acquire);
        let mut held = slot.held.lock().await;
        if let Some((provider, at)) = &held.provider
            && core.now().since(*at) < KEEP
        {
            return Ok(provider.clone());
        }
        // Callers who waited for a failed lookup do not start another one.
        if let Some(failure) = held.failure
            && slot.rounds.load(Ordering::Acquire) != round
        {
            return Err(failure);
        }
        self.look(core, &slot, &mut held, issuer).await
    }

    /// The provider after its keys did not fit: looked up again, unless that was done just now.
    pub async fn renewed(
        &self,
        core: &Core,
        org_id: &Id,
        stale: &Arc<Provider>,
    ) -> Result<Arc<Provider>, Reason> {
        let slot = self.slot(org_id, &stale.issuer);
        let mut held = slot.held.lock().await;
        if let Some((provider, _)) = &held.provider
            && !Arc::ptr_eq(provider, stale)
        {
            return Ok(provider.clone());
        }
        let now = core.now();
        if held.looked_again.is_some_and(|at| now.since(at) < LOOK_AGAIN) {
            return Ok(stale.clone());
        }
        held.looked_again = Some(now);
        self.look(core, &slot, &mut held, &stale.issuer).await
    }

    fn slot(&self, org_id: &Id, issuer: &str) -> Arc<Slot> {
        let key = (org_id.clone(), issuer.to_owned());
        let made = self.slots.get_or_insert_with(&key, || Ok::<_, ()>(Arc::default()));
        made.unwrap_or_default()
    }

    async fn look(
        &self,
        core: &Core,
        slot: &Slot,
        held: &mut Held,
        issuer: &str,
    ) -> Result<Arc<Provider>, Reason> {
        let found = discover(&self.client, &core.settings.sso, issuer).await;
        slot.rounds.fetch_add(1, Ordering::Release);
        match found {
            Ok(provider) => {
                let provider = Arc::new(provider);
                *held = Held {
                    provider: Some((provider.clone(), core.now())),
                    failure: None,
                    looked_again: held.looked_again,
                };
                Ok(provider)
            }
            Err(reason) => {
                tracing::warn!(issuer, %reason, "a sign-in provider could not be used");
                held.failure = Some(reason);
                Err(reason)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(change: serde_json::Value) -> Document {
        let mut text = serde_json::json!({
            "issuer": "https://login.example.com",
            "authorization_endpoint": "https://login.example.com/auth",
            "token_endpoint": "https://login.example.com/token",
            "jwks_uri": "https://keys.example.com/jwks",
            "response_types_supported": ["code", "id_token"],
            "id_token_signing_alg_values_supported": ["RS256"],
        });
        for (name, value) in change.as_object().unwrap() {
            text[name] = value.clone();
        }
        serde_json::from_value(text).unwrap()
    }

    fn settings(allow_http: bool) -> SsoSettings {
        let provider_limit = std::time::Duration::from_secs(10);
        SsoSettings { allow_http, internal_networks: false, dns_server: None, provider_limit }
    }

    #[test]
    fn a_slash_at_the_end_is_not_doubled() {
        for issuer in ["https://a.example/t", "https://a.example/t/"] {
            let address = Document::address(issuer).unwrap();
            assert_eq!(address.path(), "/t/.well-known/openid-configuration", "{issuer}");
        }
    }

    #[test]
    fn endpoints_are_as_secure_as_their_issuer() {
        let issuer = Url::parse("https://login.example.com").unwrap();
        let flaw =
            |change, allow_http| document(change).endpoints(&issuer, &settings(allow_http)).err();
        assert_eq!(flaw(serde_json::json!({}), false), None);
        let cases = [
            (serde_json::json!({ "token_endpoint": null }), Flaw::EndpointMissing),
            (serde_json::json!({ "jwks_uri": null }), Flaw::EndpointMissing),
            (
                serde_json::json!({ "token_endpoint": "http://login.example.com/t" }),
                Flaw::EndpointInsecure,
            ),
            (serde_json::json!({ "jwks_uri": "http://127.0.0.1/jwks" }), Flaw::EndpointInsecure),
            (
                serde_json::json!({ "userinfo_endpoint": "file:///etc/passwd" }),
                Flaw::EndpointInsecure,
            ),
            (
                serde_json::json!({ "token_endpoint": "https://u:p@login.example.com/" }),
                Flaw::EndpointInsecure,
            ),
            (
                serde_json::json!({ "authorization_endpoint": "javascript:alert(1)" }),
                Flaw::EndpointInsecure,
            ),
        ];
        for (change, expected) in cases {
            for allow_http in [false, true] {
                assert_eq!(flaw(change.clone(), allow_http), Some(expected), "{change}");
            }
        }
    }

    #[test]
    fn only_signatures_that_prove_something_are_taken() {
        let taken = |names: serde_json::Value| {
            let change = serde_json::json!({ "id_token_signing_alg_values_supported": names });
            document(change).algorithms()
        };
        let all = serde_json::json!(["none", "HS256", "PS256", "ES256", "EdDSA", "new", 7]);
        let expected = vec![Alg::RsaSsaPssSha256, Alg::EcdsaP256Sha256, Alg::EdDsa];
        assert_eq!(taken(all), Ok(expected));
        assert_eq!(taken(serde_json::json!(null)), Ok(vec![Alg::RsaSsaPkcs1V15Sha256]));
        assert_eq!(taken(serde_json::json!(["none", "HS256"])), Err(Flaw::NoAlgorithm));
        let change = serde_json::json!({ "response_types_supported": ["id_token"] });
        assert_eq!(document(change).algorithms(), Err(Flaw::NoCodeFlow));
    }

    #[test]
    fn the_secret_goes_where_the_provider_takes_it() {
        let in_body = |methods: serde_json::Value| {
            let change = serde_json::json!({ "token_endpoint_auth_methods_supported": methods });
            document(change).wants_secret_in_body()
        };
        assert!(!in_body(serde_json::json!(null)));
        assert!(!in_body(serde_json::json!(["client_secret_post", "client_secret_basic"])));
        assert!(in_body(serde_json::json!(["private_key_jwt", "client_secret_post"])));
    }
}
