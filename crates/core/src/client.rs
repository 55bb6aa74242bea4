//! Who is calling, at the network level: the address behind trusted proxies, and the browser's name.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::ConnectInfo;
use http::HeaderMap;
use http::header::{FORWARDED, USER_AGENT};
use ipnet::IpNet;

/// The caller's address and browser, for sessions, throttling and the audit log.
#[derive(Clone, Debug)]
pub struct Client {
    pub ip: IpAddr,
    pub user_agent: String,
}

const FORWARDED_FOR: &str = "x-forwarded-for";
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

/// Walks X-Forwarded-For from the right for as long as the hops are trusted proxies; anything further
/// left could have been forged by the caller.
fn address_behind_proxies(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|net| net.contains(address));
    if !is_trusted(&peer) {
        return peer;
    }
    let mut address = peer;
    let forwarded: Vec<&[u8]> = headers
        .get_all(FORWARDED_FOR)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .collect();
    for hop in forwarded.iter().rev().take(16) {
        match parse_hop(hop) {
            Some(hop) => address = hop.to_canonical(),
            None => break,
        }
        if !is_trusted(&address) {
            break;
        }
    }
    address
}

/// Parses an address, with the port that some proxies add.
fn parse_hop(hop: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(hop).ok()?.trim();
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// Whether the request comes directly from this machine. A proxied one never does, whatever its headers
/// say.
pub fn is_local(extensions: &http::Extensions, headers: &HeaderMap) -> bool {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>();
    let forwarded = headers.contains_key(FORWARDED_FOR) || headers.contains_key(FORWARDED);
    !forwarded && peer.is_some_and(|ConnectInfo(peer)| peer.ip().to_canonical().is_loopback())
}

/// The unit for throttling a client: an IPv4 address, or the /64 that an IPv6 client picks addresses
/// from.
pub fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::V6([a, b, c, d, 0, 0, 0, 0].into())
        }
    }
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
            ("10.0.0.1", "198.51.100.7:4242", "198.51.100.7"),
            ("10.0.0.1", "[2001:db8::7]:4242", "2001:db8::7"),
            ("10.0.0.1", "\u{e9}, 198.51.100.7", "198.51.100.7"),
            ("10.0.0.1", "garbage", "10.0.0.1"),
            ("10.0.0.1", "", "10.0.0.1"),
            ("10.0.0.1", "6.6.6.6, garbage, 10.0.0.2", "10.0.0.2"),
        ];
        for (peer, header, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(
                "x-forwarded-for",
                http::HeaderValue::from_bytes(header.as_bytes()).unwrap(),
            );
            let address = address_behind_proxies(peer.parse().unwrap(), &headers, &trusted);
            assert_eq!(address, expected.parse::<IpAddr>().unwrap(), "{peer} {header}");
        }
    }

    #[test]
    fn an_ipv6_client_is_its_network() {
        let network = |text: &str| network_of(text.parse().unwrap()).to_string();
        assert_eq!(network("203.0.113.9"), "203.0.113.9");
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
    }
}
