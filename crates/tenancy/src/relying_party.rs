//! What passkeys are bound to: the domain at which people open the console.

use url::{Host, Url};
use webauthn_rs::{Webauthn, WebauthnBuilder};

use atrium_core::config::ServerSettings;

pub struct RelyingParty {
    pub domain: String,
    pub webauthn: Webauthn,
}

/// None where browsers would not make a passkey: on plain HTTP, or if the console is opened by IP
/// address. On this machine `localhost` replaces the loopback address.
pub fn of(server: &ServerSettings) -> anyhow::Result<Option<RelyingParty>> {
    let mut origin = server.public_url.clone();
    let loopback = match origin.host() {
        Some(Host::Domain(domain)) => domain == "localhost" || domain.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    if loopback && origin.domain().is_none() {
        origin.set_host(Some("localhost"))?;
    }
    if !(server.is_https() || loopback) {
        return Ok(None);
    }
    let Some(domain) = origin.domain().map(str::to_owned) else { return Ok(None) };
    build(domain, &origin).map(Some)
}

fn build(domain: String, origin: &Url) -> anyhow::Result<RelyingParty> {
    let webauthn = WebauthnBuilder::new(&domain, origin)?.rp_name("Atrium").build()?;
    Ok(RelyingParty { domain, webauthn })
}

#[cfg(test)]
mod tests {
    use super::*;
    use atrium_core::config::{RawSettings, Settings};

    #[test]
    fn passkeys_need_a_domain_and_a_safe_way_to_it() {
        let domain = |public_url: &str| {
            let raw = RawSettings { public_url: Some(public_url.to_owned()), ..Default::default() };
            let settings = Settings::check(raw).unwrap();
            of(&settings.server).unwrap().map(|party| party.domain)
        };
        assert_eq!(domain("https://atrium.example.com").as_deref(), Some("atrium.example.com"));
        assert_eq!(domain("http://localhost:8080").as_deref(), Some("localhost"));
        assert_eq!(domain("http://127.0.0.1:8080").as_deref(), Some("localhost"));
        assert_eq!(domain("http://atrium.example.com"), None);
        assert_eq!(domain("https://203.0.113.9"), None);
    }
}
