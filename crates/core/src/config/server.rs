//! How the server is reached, and what it accepts.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, bail};
use ipnet::IpNet;
use url::Url;

use super::{RawSettings, web_address};

/// What browsers are told to remember about a host that is reached over HTTPS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hsts {
    Off,
    On,
    Subdomains,
    Preload,
}

#[derive(Clone, Debug)]
pub struct ServerSettings {
    pub listen: SocketAddr,
    pub public_url: Url,
    /// No public URL was set, so it follows the listen address.
    pub(super) public_url_follows_listen: bool,
    pub trusted_proxies: Vec<IpNet>,
    pub max_connections: usize,
    /// How long an answer may stay unread.
    pub write_timeout: Duration,
    pub metrics_token: Option<String>,
    /// What browsers are told about HTTPS, where people connect over it.
    pub hsts: Hsts,
    /// The default, except in tests: hundreds of them sign in.
    pub password_cost: PasswordCost,
}

impl ServerSettings {
    pub fn is_https(&self) -> bool {
        self.public_url.scheme() == "https"
    }

    /// The address at which this machine itself reaches the server.
    pub fn own_address(&self) -> SocketAddr {
        reachable(self.listen)
    }

    /// A URL of the console: `path` begins with a slash. Links are built from the setting, never from
    /// the request's Host header.
    pub fn link(&self, path: &str) -> String {
        format!("{}{path}", self.public_url.as_str().trim_end_matches('/'))
    }
}

/// The cost of one password hash.
#[derive(Clone, Copy, Debug)]
pub struct PasswordCost {
    pub memory_kib: u32,
    pub passes: u32,
}

impl Default for PasswordCost {
    fn default() -> Self {
        Self { memory_kib: 19 * 1024, passes: 2 }
    }
}

pub fn server(raw: &RawSettings) -> anyhow::Result<ServerSettings> {
    let listen = raw.listen.as_deref().unwrap_or("127.0.0.1:8080");
    let listen: SocketAddr = listen.parse().ok().with_context(|| {
        format!("listen: {listen:?} is not an address and a port, such as 127.0.0.1:8080")
    })?;
    let public_url = match &raw.public_url {
        Some(text) => web_address("public_url", text)?,
        None => Url::parse(&format!("http://{}", reachable(listen)))?,
    };
    let trusted_proxies = raw
        .trusted_proxies
        .iter()
        .flatten()
        .map(|text| {
            let address = text.parse::<std::net::IpAddr>().map(IpNet::from);
            text.parse::<IpNet>().or(address).ok().with_context(|| {
                format!("trusted_proxies: {text:?} is neither an address nor a network such as 10.0.0.0/8")
            })
        })
        .collect::<anyhow::Result<_>>()?;
    let max_connections = raw.max_connections.unwrap_or(16_384);
    if !(64..=1_000_000).contains(&max_connections) {
        bail!("max_connections: {max_connections} is not between 64 and 1000000");
    }
    let write_timeout = raw.write_timeout_seconds.unwrap_or(30);
    if !(1..=3_600).contains(&write_timeout) {
        bail!("write_timeout_seconds: {write_timeout} is not between 1 and 3600");
    }
    let metrics_token = raw.metrics_token.clone();
    if metrics_token.as_ref().is_some_and(|token| token.len() < 16) {
        bail!("metrics_token: must have at least 16 characters");
    }
    let hsts = match raw.hsts.as_deref() {
        None | Some("on") => Hsts::On,
        Some("off") => Hsts::Off,
        Some("subdomains") => Hsts::Subdomains,
        Some("preload") => Hsts::Preload,
        Some(other) => {
            bail!("hsts: {other:?} is not one of \"on\", \"off\", \"subdomains\", and \"preload\"")
        }
    };
    Ok(ServerSettings {
        listen,
        public_url,
        public_url_follows_listen: raw.public_url.is_none(),
        trusted_proxies,
        max_connections,
        write_timeout: Duration::from_secs(write_timeout),
        metrics_token,
        hsts,
        password_cost: PasswordCost::default(),
    })
}

/// A browser cannot open "all addresses"; on the machine itself, that means loopback.
fn reachable(listen: SocketAddr) -> SocketAddr {
    match listen {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => ([127, 0, 0, 1], v4.port()).into(),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => {
            (std::net::Ipv6Addr::LOCALHOST, v6.port()).into()
        }
        other => other,
    }
}
