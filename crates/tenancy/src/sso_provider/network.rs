//! Calls to providers. Organization owners choose the addresses, so calls on their behalf are checked:
//! not only how a name is spelled, but also where it leads. Answers are bounded in time and size, and
//! never passed on.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;

use anyhow::Context;
use openidconnect::{AsyncHttpClient, HttpRequest, HttpResponse};
use reqwest::{Client, RequestBuilder};
use url::{Host, Url};

use crate::sign_in_failure::SignInFailure;
use atrium_core::config::SsoSettings;
use atrium_core::outbound::guard::{Guard, GuardedNames, Refused};
use atrium_core::outbound::web::{self, Answer, WebError};

const ISSUER_MAX: usize = 500;

/// Why a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    NameUnknown,
    /// The address is not one that may be called.
    Forbidden,
    /// Nothing listens there.
    Refused,
    /// No connection in time.
    ConnectTimeout,
    /// Connected, but no answer in time.
    Timeout,
    Tls,
    TooLarge,
    /// The connection broke off midway, or it was not HTTP.
    Broken,
    /// An answer that is not what was asked for, with its status.
    Unexpected(u16),
}

impl From<Reason> for SignInFailure {
    fn from(_: Reason) -> Self {
        Self::ProviderUnavailable
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NameUnknown => "the name is unknown",
            Self::Forbidden => "the address is not allowed",
            Self::Refused => "the connection was refused",
            Self::ConnectTimeout | Self::Timeout => "no answer in time",
            Self::Tls => "its certificate is not trusted",
            Self::TooLarge => "the answer is too large",
            Self::Broken => "the connection was lost",
            Self::Unexpected(status) => return write!(f, "an unexpected answer, status {status}"),
        })
    }
}

impl std::error::Error for Reason {}

/// Parses an issuer that may be configured, as written.
pub fn issuer(text: &str, settings: &SsoSettings) -> Option<Url> {
    let plain = text.len() <= ISSUER_MAX && text.bytes().all(|byte| byte.is_ascii_graphic());
    let url = Url::parse(text).ok().filter(|_| plain)?;
    let clean = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none()
        && !text.ends_with(['?', '#']);
    (clean && url.host().is_some() && is_secure(&url, settings)).then_some(url)
}

/// Whether it is encrypted, on this machine, or allowed by the operator.
fn is_secure(url: &Url, settings: &SsoSettings) -> bool {
    match url.scheme() {
        "https" => true,
        "http" => settings.allow_http || is_loopback(url),
        _ => false,
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// A URL from a provider's own document: it must be as secure as the issuer's.
pub fn endpoint(text: &str, issuer: &Url, settings: &SsoSettings) -> Option<Url> {
    let url = Url::parse(text).ok().filter(|url| url.host().is_some())?;
    let clean = url.username().is_empty() && url.password().is_none();
    let as_issuer = issuer.scheme() != "https" || url.scheme() == "https";
    // A provider elsewhere must not point at this machine.
    let as_issuer = as_issuer && (!is_loopback(&url) || is_loopback(issuer));
    (clean && as_issuer && is_secure(&url, settings)).then_some(url)
}

/// The one client for all providers.
pub struct ProviderClient {
    client: Client,
    guard: Guard,
}

impl ProviderClient {
    pub fn new(settings: &SsoSettings) -> anyhow::Result<Self> {
        let guard = Guard::new(settings.internal_networks);
        let client = web::limited(settings.provider_limit)
            .dns_resolver(Arc::new(GuardedNames(guard)))
            // A proxy would resolve names itself, where the guard cannot check them.
            .no_proxy()
            .build()
            .context("the client for sign-in providers")?;
        Ok(Self { client, guard })
    }

    pub async fn get(&self, url: Url) -> Result<Answer, Reason> {
        self.allow(&url)?;
        let accept = http::header::ACCEPT;
        self.send(self.client.get(url).header(accept, "application/json")).await
    }

    /// Sends a request that the protocol's library has put together.
    async fn pass_on(&self, request: HttpRequest) -> Result<HttpResponse, Reason> {
        let (parts, body) = request.into_parts();
        let url = Url::parse(&parts.uri.to_string()).map_err(|_| Reason::Forbidden)?;
        self.allow(&url)?;
        let request = self.client.request(parts.method, url).headers(parts.headers).body(body);
        let answer = self.send(request).await?;
        // A redirect or a server error is never read as an answer.
        if answer.status.is_redirection() || answer.status.is_server_error() {
            return Err(Reason::Unexpected(answer.status.as_u16()));
        }
        let mut response = http::Response::new(answer.body.to_vec());
        *response.status_mut() = answer.status;
        if let Some(kind) = answer.content_type {
            response.headers_mut().insert(http::header::CONTENT_TYPE, kind);
        }
        Ok(response)
    }

    /// IP addresses are not resolved, so they are checked here.
    fn allow(&self, url: &Url) -> Result<(), Reason> {
        if self.guard.allows_url(url) { Ok(()) } else { Err(Reason::Forbidden) }
    }

    async fn send(&self, request: RequestBuilder) -> Result<Answer, Reason> {
        let response = request.send().await.map_err(|error| reason(&error))?;
        web::read(response).await.map_err(|trouble| match trouble {
            WebError::Timeout => Reason::Timeout,
            WebError::TooLarge => Reason::TooLarge,
            WebError::Unreachable | WebError::Broken => Reason::Broken,
        })
    }
}

impl<'c> AsyncHttpClient<'c> for ProviderClient {
    type Error = Reason;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, Reason>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.pass_on(request))
    }
}

/// The error itself quotes the URL with all its parameters, so it is not passed on.
fn reason(error: &reqwest::Error) -> Reason {
    if let Some(reason) = error.source().and_then(deepest) {
        return reason;
    }
    match (error.is_connect(), error.is_timeout()) {
        (true, true) => Reason::ConnectTimeout,
        (false, true) => Reason::Timeout,
        (true, false) => Reason::Refused,
        (false, false) => Reason::Broken,
    }
}

/// Finds the cause of an error, however deeply it is wrapped. The `source` of an I/O error skips the
/// error that it wraps.
fn deepest(error: &(dyn Error + 'static)) -> Option<Reason> {
    if let Some(refused) = error.downcast_ref::<Refused>() {
        return Some(match refused {
            Refused::NameUnknown => Reason::NameUnknown,
            Refused::Forbidden => Reason::Forbidden,
        });
    }
    if error.is::<rustls::Error>() {
        return Some(Reason::Tls);
    }
    let io = error.downcast_ref::<std::io::Error>();
    if io.is_some_and(|io| io.kind() == std::io::ErrorKind::ConnectionRefused) {
        return Some(Reason::Refused);
    }
    let wrapped = io.and_then(|io| io.get_ref()).map(|inner| inner as &(dyn Error + 'static));
    wrapped.or_else(|| error.source()).and_then(deepest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(allow_http: bool, internal_networks: bool) -> SsoSettings {
        let provider_limit = std::time::Duration::from_secs(10);
        SsoSettings { allow_http, internal_networks, dns_server: None, provider_limit }
    }

    #[tokio::test]
    async fn what_the_guard_refuses_is_not_called() {
        // The URL parser sees through disguised IP addresses.
        let outside = ProviderClient::new(&settings(false, false)).unwrap();
        for disguised in ["https://2130706433/", "https://0x7f.1/", "https://[::ffff:7f00:1]/"] {
            let url = Url::parse(disguised).unwrap();
            assert_eq!(outside.get(url).await.err(), Some(Reason::Forbidden), "{disguised}");
        }
        // A name that resolves to an internal address; and a cloud's credentials, even where internal
        // addresses are allowed.
        let url = Url::parse("https://localhost:1/").unwrap();
        assert_eq!(outside.get(url).await.err(), Some(Reason::Forbidden));
        let outside = ProviderClient::new(&settings(true, true)).unwrap();
        for metadata in ["http://168.63.129.16/", "http://metadata.google.internal/"] {
            let url = Url::parse(metadata).unwrap();
            assert_eq!(outside.get(url).await.err(), Some(Reason::Forbidden), "{metadata}");
        }
    }

    #[test]
    fn plain_http_is_for_this_machine_by_default() {
        for (text, by_default, with_http) in [
            ("https://login.example.com", true, true),
            ("https://login.example.com/tenant/v2.0", true, true),
            ("http://127.0.0.1:9000", true, true),
            ("http://[::1]:9000", true, true),
            ("http://localhost:9000", true, true),
            ("http://login.example.com", false, true),
            ("http://localhost.example.com", false, true),
            ("ftp://login.example.com", false, false),
            ("https://u@login.example.com", false, false),
            ("https://login.example.com/?a", false, false),
            ("https://login.example.com/#", false, false),
            ("https://login example.com", false, false),
            ("login.example.com", false, false),
        ] {
            assert_eq!(issuer(text, &settings(false, true)).is_some(), by_default, "{text}");
            assert_eq!(issuer(text, &settings(true, true)).is_some(), with_http, "{text}");
        }
    }
}
