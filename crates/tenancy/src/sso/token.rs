//! From a code to a person: the token request, the ID token and its verification, and userinfo for what
//! the ID token leaves out.

use std::sync::Arc;

use chrono::DateTime;
use openidconnect::core::{
    CoreClient, CoreErrorResponseType, CoreGenderClaim, CoreIdToken, CoreIdTokenClaims,
    CoreJwsSigningAlgorithm as Alg, CoreRequestTokenError, CoreTokenResponse,
};
use openidconnect::{
    AccessToken, AccessTokenHash, AuthType, AuthorizationCode, ClaimsVerificationError, ClientId,
    ClientSecret, EmptyAdditionalClaims, IdTokenVerifier, IssuerUrl, Nonce, OAuth2TokenResponse,
    PkceCodeVerifier, RedirectUrl, RequestTokenError, SignatureVerificationError, StandardClaims,
    StandardErrorResponse, TokenUrl, UserInfoClaims, UserInfoError, UserInfoUrl,
};
use url::Url;

use super::CALLBACK;
use crate::sign_in_failure::SignInFailure;
use crate::sso_provider::discovery::{Keys, Provider};
use crate::sso_provider::network::Reason;
use crate::state::Tenancy;
use crate::token::new_token;
use atrium_core::text::{Email, NAME_MAX};
use atrium_core::types::{Id, Millis};

/// No real subject is longer.
const SUBJECT_MAX: usize = 255;

/// Someone whom a provider vouches for.
#[derive(Clone, Debug)]
pub struct Person {
    pub subject: String,
    pub email: Email,
    /// None if the provider gives none.
    pub name: Option<String>,
    /// When the person last proved who they are to the provider, if it says so.
    pub proven_at: Option<Millis>,
}

/// Where codes are exchanged for tokens, and the client to do it as.
pub struct TokenEndpoint<'a> {
    pub token: &'a Url,
    pub secret_in_body: bool,
    pub client_id: &'a str,
    pub client_secret: &'a str,
}

type TokenError = CoreRequestTokenError<Reason>;

impl TokenEndpoint<'_> {
    async fn exchange(
        &self,
        atrium: &Tenancy,
        code: &str,
        verifier: &str,
    ) -> Result<CoreTokenResponse, TokenError> {
        let broken = |_| RequestTokenError::Other("an address that cannot be".to_owned());
        let redirect = RedirectUrl::new(atrium.settings.server.link(CALLBACK)).map_err(broken)?;
        let auth = if self.secret_in_body { AuthType::RequestBody } else { AuthType::BasicAuth };
        // This request uses neither issuer nor keys.
        let issuer = IssuerUrl::from_url(self.token.clone());
        let client =
            CoreClient::new(ClientId::new(self.client_id.to_owned()), issuer, Keys::default())
                .set_client_secret(ClientSecret::new(self.client_secret.to_owned()))
                .set_token_uri(TokenUrl::from_url(self.token.clone()))
                .set_redirect_uri(redirect)
                .set_auth_type(auth);
        client
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .set_pkce_verifier(PkceCodeVerifier::new(verifier.to_owned()))
            .request_async(&atrium.sso.client)
            .await
    }

    /// How a provider answers a made-up code; None if the answer cannot be read.
    pub async fn probe_with_fake_code(
        &self,
        atrium: &Tenancy,
    ) -> Result<CoreErrorResponseType, Option<Reason>> {
        let verifier = new_token(atrium);
        match self.exchange(atrium, "made-up-by-atrium-to-test-the-client", &verifier).await {
            Err(RequestTokenError::ServerResponse(answer)) => Ok(answer.error().clone()),
            Err(RequestTokenError::Request(reason)) => Err(Some(reason)),
            Ok(_) | Err(_) => Err(None),
        }
    }
}

/// What proves that a callback answers our own request.
pub struct Proof<'a> {
    pub code: &'a str,
    pub verifier: &'a str,
    pub nonce: &'a str,
}

/// Exchanges a code for a person. If the keys do not match, they are fetched again, once.
pub async fn redeem(
    atrium: &Tenancy,
    org_id: &Id,
    provider: Arc<Provider>,
    client: (&str, &str),
    proof: Proof<'_>,
) -> Result<Person, SignInFailure> {
    let (client_id, client_secret) = client;
    let endpoint = TokenEndpoint {
        token: &provider.endpoints.token,
        secret_in_body: provider.secret_in_body,
        client_id,
        client_secret,
    };
    let answer = endpoint.exchange(atrium, proof.code, proof.verifier).await.map_err(refused)?;
    let token = answer.extra_fields().id_token().ok_or(SignInFailure::TokenInvalid)?;
    let verify = |provider: &Provider| {
        verified(token, provider, client_id, proof.nonce, atrium.now()).cloned()
    };
    let (provider, claims) = match verify(&provider) {
        Err(SignInFailure::TokenSignature) => {
            let renewed = atrium.sso.renewed(atrium, org_id, &provider).await?;
            let claims = verify(&renewed)?;
            (renewed, claims)
        }
        claims => (provider, claims?),
    };
    check_access_token(token, &claims, &provider, answer.access_token())?;
    person(atrium, &provider, client_id, &claims, answer.access_token().clone()).await
}

fn refused(error: TokenError) -> SignInFailure {
    match error {
        RequestTokenError::ServerResponse(answer) => code_refused(&answer),
        RequestTokenError::Request(reason) => reason.into(),
        // There was an answer, and its ID token is what is wrong.
        RequestTokenError::Parse(_, body) => match algorithm(&body).as_deref() {
            Some("none") => SignInFailure::TokenUnsigned,
            Some(_) => SignInFailure::TokenInvalid,
            None => SignInFailure::ProviderUnavailable,
        },
        RequestTokenError::Other(_) => SignInFailure::ProviderUnavailable,
    }
}

fn code_refused(answer: &StandardErrorResponse<CoreErrorResponseType>) -> SignInFailure {
    match answer.error() {
        CoreErrorResponseType::InvalidGrant => SignInFailure::CodeRefused,
        _ => SignInFailure::ProviderError,
    }
}

/// The algorithm of the ID token in an answer that cannot be read; empty if unreadable, None if there
/// is no ID token.
fn algorithm(body: &[u8]) -> Option<String> {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let answer: serde_json::Value = serde_json::from_slice(body).ok()?;
    let token = answer.get("id_token")?.as_str()?;
    let header = URL_SAFE_NO_PAD.decode(token.split('.').next()?).unwrap_or_default();
    let header: serde_json::Value = serde_json::from_slice(&header).unwrap_or_default();
    Some(header["alg"].as_str().unwrap_or_default().to_owned())
}

/// The claims of an ID token, after all checks.
fn verified<'a>(
    token: &'a CoreIdToken,
    provider: &Provider,
    client_id: &str,
    nonce: &str,
    now: Millis,
) -> Result<&'a CoreIdTokenClaims, SignInFailure> {
    if matches!(token.signing_alg(), Ok(Alg::None)) {
        return Err(SignInFailure::TokenUnsigned);
    }
    let issuer =
        IssuerUrl::new(provider.issuer.clone()).map_err(|_| SignInFailure::IssuerMismatch)?;
    let client = ClientId::new(client_id.to_owned());
    // Treated as a client without a secret: signatures made with the secret prove nothing to us.
    let verifier = IdTokenVerifier::new_public_client(client, issuer, provider.keys.clone())
        .set_allowed_algs(provider.algorithms.iter().cloned())
        .set_time_fn(move || DateTime::from_timestamp_millis(now.0).unwrap_or_default());
    let nonce = Nonce::new(nonce.to_owned());
    let claims = token.claims(&verifier, &nonce).map_err(|error| unproven(&error))?;
    // The library does not check this: the token must not be for another client.
    if claims.authorized_party().is_some_and(|party| party.as_str() != client_id) {
        return Err(SignInFailure::AudienceMismatch);
    }
    Ok(claims)
}

fn unproven(error: &ClaimsVerificationError) -> SignInFailure {
    match error {
        ClaimsVerificationError::Expired(_) => SignInFailure::TokenExpired,
        ClaimsVerificationError::InvalidAudience(_) => SignInFailure::AudienceMismatch,
        ClaimsVerificationError::InvalidIssuer(_) => SignInFailure::IssuerMismatch,
        ClaimsVerificationError::InvalidNonce(_) => SignInFailure::NonceMismatch,
        ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoSignature) => {
            SignInFailure::TokenUnsigned
        }
        ClaimsVerificationError::SignatureVerification(_) => SignInFailure::TokenSignature,
        _ => SignInFailure::TokenInvalid,
    }
}

/// If the ID token names its access token, it must be the one that came with it.
fn check_access_token(
    token: &CoreIdToken,
    claims: &CoreIdTokenClaims,
    provider: &Provider,
    access: &AccessToken,
) -> Result<(), SignInFailure> {
    let Some(expected) = claims.access_token_hash() else { return Ok(()) };
    let issuer =
        IssuerUrl::new(provider.issuer.clone()).map_err(|_| SignInFailure::TokenInvalid)?;
    let any = ClientId::new(String::new());
    let verifier = IdTokenVerifier::new_public_client(any, issuer, provider.keys.clone());
    let algorithm = token.signing_alg().map_err(|_| SignInFailure::TokenInvalid)?;
    let key = token.signing_key(&verifier).map_err(|_| SignInFailure::TokenInvalid)?;
    match AccessTokenHash::from_token(access, algorithm, key) {
        Ok(actual) if actual == *expected => Ok(()),
        _ => Err(SignInFailure::TokenInvalid),
    }
}

type Claims = StandardClaims<CoreGenderClaim>;

/// Reads the person. Providers that follow the standard strictly give address and name only in
/// userinfo.
async fn person(
    atrium: &Tenancy,
    provider: &Provider,
    client_id: &str,
    claims: &CoreIdTokenClaims,
    access: AccessToken,
) -> Result<Person, SignInFailure> {
    let subject = claims.subject().as_str();
    if subject.is_empty() || subject.chars().count() > SUBJECT_MAX {
        return Err(SignInFailure::TokenInvalid);
    }
    let in_token = claims_of(claims.email(), claims.email_verified(), claims.name());
    let profile = match &provider.endpoints.userinfo {
        Some(url) if !in_token.is_complete() => {
            let asked = userinfo(atrium, provider, client_id, claims, url, access).await;
            in_token.filled(asked)?
        }
        _ => in_token,
    };
    let email = Email::new(profile.email.as_deref().unwrap_or_default());
    let mut checks = atrium_core::text::Checks::default();
    checks.email("email", &email.as_typed);
    checks.finish().map_err(|_| SignInFailure::EmailMissing)?;
    if profile.verified != Some(true) {
        return Err(SignInFailure::EmailUnverified);
    }
    let name = profile.name.map(|name| shown(&name)).filter(|name| !name.is_empty());
    let proven_at = claims.auth_time().map(|at| Millis(at.timestamp_millis()));
    Ok(Person { subject: subject.to_owned(), email, name, proven_at })
}

struct ProfileClaims {
    email: Option<String>,
    verified: Option<bool>,
    name: Option<String>,
}

fn claims_of(
    email: Option<&openidconnect::EndUserEmail>,
    verified: Option<bool>,
    name: Option<&openidconnect::LocalizedClaim<openidconnect::EndUserName>>,
) -> ProfileClaims {
    let name = name.and_then(|name| name.get(None).or_else(|| Some(name.iter().next()?.1)));
    ProfileClaims {
        email: email.map(|email| email.to_string()).filter(|email| !email.is_empty()),
        verified,
        name: name.map(|name| name.to_string()),
    }
}

impl ProfileClaims {
    fn is_complete(&self) -> bool {
        self.email.is_some() && self.verified.is_some() && self.name.is_some()
    }

    /// Adds what userinfo says. A failure only matters if the ID token has no address, and the
    /// "verified" flag of userinfo only applies to the address it names.
    fn filled(self, asked: Result<ProfileClaims, SignInFailure>) -> Result<Self, SignInFailure> {
        let asked = match asked {
            Ok(asked) => asked,
            Err(failure) if self.email.is_none() => return Err(failure),
            Err(_) => return Ok(self),
        };
        let name = self.name.or(asked.name);
        Ok(match self.email {
            None => Self { email: asked.email, verified: asked.verified, name },
            Some(email) => {
                let same = asked.email.as_ref() == Some(&email);
                let verified = self.verified.or(asked.verified.filter(|_| same));
                Self { email: Some(email), verified, name }
            }
        })
    }
}

async fn userinfo(
    atrium: &Tenancy,
    provider: &Provider,
    client_id: &str,
    claims: &CoreIdTokenClaims,
    url: &Url,
    access: AccessToken,
) -> Result<ProfileClaims, SignInFailure> {
    let issuer =
        IssuerUrl::new(provider.issuer.clone()).map_err(|_| SignInFailure::TokenInvalid)?;
    let client =
        CoreClient::new(ClientId::new(client_id.to_owned()), issuer, provider.keys.clone())
            .set_user_info_url(UserInfoUrl::from_url(url.clone()));
    let subject = claims.subject().clone();
    let asked = client.user_info(access, Some(subject)).request_async(&atrium.sso.client).await;
    let answer: UserInfoClaims<EmptyAdditionalClaims, CoreGenderClaim> =
        asked.map_err(|error| match error {
            UserInfoError::ClaimsVerification(_) => SignInFailure::TokenInvalid,
            UserInfoError::Response(..) => SignInFailure::ProviderError,
            _ => SignInFailure::ProviderUnavailable,
        })?;
    let standard: &Claims = answer.standard_claims();
    Ok(claims_of(standard.email(), standard.email_verified(), standard.name()))
}

/// A name in displayable form.
fn shown(name: &str) -> String {
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    name.trim().chars().take(NAME_MAX).collect()
}
