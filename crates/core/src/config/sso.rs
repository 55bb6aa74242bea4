//! Single sign-on: where an organization's provider may be, and which name server answers for its
//! domains.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use anyhow::{Context, bail};

use super::{RawSettings, Registration};

#[derive(Clone, Debug)]
pub struct SsoSettings {
    /// Whether providers other than on this machine may be reached without encryption.
    pub allow_http: bool,
    /// Whether providers may have private addresses.
    pub internal_networks: bool,
    /// None: the system's resolver.
    pub dns_server: Option<SocketAddr>,
    /// How long a provider may take for one answer.
    pub provider_limit: Duration,
}

/// Where anyone can make an account, anyone can make this server call an address of their choice. So by
/// default it then calls public ones only.
pub fn check(raw: &RawSettings, registration: Registration) -> anyhow::Result<SsoSettings> {
    let internal = raw.sso_internal_networks.unwrap_or(registration == Registration::Invite);
    let dns_server = match &raw.dns_server {
        Some(text) => {
            let address = text.parse::<SocketAddr>().ok();
            let address = address.or_else(|| Some((text.parse::<IpAddr>().ok()?, 53).into()));
            Some(address.with_context(|| {
                format!("dns_server: {text:?} is not an address such as 192.0.2.53:53")
            })?)
        }
        None => None,
    };
    if dns_server.is_some_and(|address| address.port() == 0 || address.ip().is_unspecified()) {
        bail!("dns_server: must be an address that can be queried");
    }
    Ok(SsoSettings {
        allow_http: raw.sso_allow_http.unwrap_or(false),
        internal_networks: internal,
        dns_server,
        provider_limit: raw.provider_limit()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_for_closed_instances_by_default() {
        let internal = |given: Option<bool>, registration| {
            let raw = RawSettings { sso_internal_networks: given, ..Default::default() };
            check(&raw, registration).unwrap().internal_networks
        };
        assert!(!internal(None, Registration::Open));
        assert!(internal(None, Registration::Invite));
        assert!(internal(Some(true), Registration::Open));
        assert!(!internal(Some(false), Registration::Invite));
    }

    #[test]
    fn a_name_server_is_an_address() {
        let parse = |text: &str| {
            let raw = RawSettings { dns_server: Some(text.into()), ..Default::default() };
            check(&raw, Registration::Open).map(|settings| settings.dns_server.unwrap())
        };
        assert_eq!(parse("127.0.0.1:5353").unwrap().to_string(), "127.0.0.1:5353");
        assert_eq!(parse("192.0.2.53").unwrap().to_string(), "192.0.2.53:53");
        assert_eq!(parse("[2001:db8::1]:53").unwrap().to_string(), "[2001:db8::1]:53");
        for wrong in ["", "dns.example.com", "127.0.0.1:0", "0.0.0.0:53"] {
            assert!(parse(wrong).unwrap_err().to_string().starts_with("dns_server: "), "{wrong}");
        }
    }
}
