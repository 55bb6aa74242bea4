//! Who is calling, as far as the network tells: the address behind trusted proxies, and the
//! browser's name.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use http::HeaderMap;
use http::header::USER_AGENT;
use http::request::Parts;
use ipnet::IpNet;

use crate::app::AppState;

/// The caller's address and browser, for sessions, throttling and the audit log.
#[derive(Clone, Debug)]
pub struct Client {
    pub ip: IpAddr,
    pub user_agent: String,
}

const USER_AGENT_MAX: usize = 400;

impl Client {
    pub fn of(extensions: &http::Extensions, headers: &HeaderMap, trusted: &[IpNet]) -> Self {
        let peer = extensions
            .get::<ConnectInfo<SocketAddr>>()
            .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ConnectInfo(address)| address.ip());
        let user_agent = headers
            .get(USER_AGENT)
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
            .unwrap_or_default()
            .chars()
            .filter(|c| !c.is_control())
            .take(USER_AGENT_MAX)
            .collect();
        Self { ip: address_behind_proxies(peer.to_canonical(), headers, trusted), user_agent }
    }
}

impl Client {
    /// The one that `edge` found, or found now where a request comes another way.
    pub fn of_parts(parts: &Parts, atrium: &AppState) -> Self {
        parts.extensions.get::<Self>().cloned().unwrap_or_else(|| {
            let trusted = &atrium.settings.server.trusted_proxies;
            Self::of(&parts.extensions, &parts.headers, trusted)
        })
    }
}

impl FromRequestParts<AppState> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, atrium: &AppState) -> Result<Self, Infallible> {
        Ok(Self::of_parts(parts, atrium))
    }
}

/// Walks X-Forwarded-For from the right while the hop before it is a proxy we trust: what stands
/// further left was written by the caller.
fn address_behind_proxies(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|net| net.contains(address));
    if !is_trusted(&peer) {
        return peer;
    }
    let mut address = peer;
    let forwarded: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .collect();
    for hop in forwarded.iter().rev().take(16) {
        match hop.trim().parse::<IpAddr>() {
            Ok(hop) => address = hop.to_canonical(),
            Err(_) => break,
        }
        if !is_trusted(&address) {
            break;
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trusted_proxies_are_believed() {
        let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap()];
        let cases = [
            ("203.0.113.9", "1.2.3.4", "203.0.113.9"),
            ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
            ("10.0.0.1", "6.6.6.6, 198.51.100.7", "198.51.100.7"),
            ("10.0.0.1", "198.51.100.7, 10.0.0.2", "198.51.100.7"),
            ("10.0.0.1", "garbage", "10.0.0.1"),
            ("10.0.0.1", "", "10.0.0.1"),
            ("10.0.0.1", "6.6.6.6, garbage, 10.0.0.2", "10.0.0.2"),
        ];
        for (peer, header, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert("x-forwarded-for", header.parse().unwrap());
            let address = address_behind_proxies(peer.parse().unwrap(), &headers, &trusted);
            assert_eq!(address, expected.parse::<IpAddr>().unwrap(), "{peer} {header}");
        }
    }
}
