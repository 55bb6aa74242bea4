//! Which addresses the server may call on behalf of someone who chose them. A cloud's metadata service
//! hands a machine's credentials to any caller on that machine, so it is never called, whoever chose
//! the address and whatever the settings allow.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// How far calls may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Public addresses only, for those that anyone can choose.
    Public,
    /// Internal addresses too, where the operator allows it.
    Internal,
    /// Any address that the operator wrote into the settings.
    Operator,
}

/// Metadata services by name. Some resolve to public addresses, and a resolver may answer anything.
const METADATA_NAMES: [&str; 12] = [
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "metadata.azure.internal",
    "metadata.azure.com",
    "metadata.tencentyun.com",
    "metadata.cloud.ibm.com",
    "metadata.platformequinix.com",
    "metadata.packet.net",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata.oraclecloud.com",
];

/// Metadata services outside the link-local network: Azure, Alibaba Cloud, Oracle Cloud, Equinix.
const METADATA_V4: [Ipv4Addr; 4] = [
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
    Ipv4Addr::new(192, 80, 8, 124),
];

/// Why a call was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    NameUnknown,
    Forbidden,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NameUnknown => "the name is unknown",
            Self::Forbidden => "the address is not allowed",
        })
    }
}

impl std::error::Error for Refused {}

impl Guard {
    pub fn new(internal: bool) -> Self {
        if internal { Self::Internal } else { Self::Public }
    }

    /// Whether a URL may be called as written. Host names are checked again once resolved.
    pub fn allows_url(self, url: &Url) -> bool {
        match url.host() {
            Some(Host::Ipv4(address)) => self.allows(address.into()),
            Some(Host::Ipv6(address)) => self.allows(address.into()),
            // For schemes other than HTTP, the parser does not tell an address from a name.
            Some(Host::Domain(name)) => match name.parse::<IpAddr>() {
                Ok(address) => self.allows(address),
                Err(_) => !is_metadata_name(name),
            },
            None => false,
        }
    }

    pub fn allows(self, address: IpAddr) -> bool {
        match address {
            IpAddr::V4(v4) => self.allows_v4(v4),
            IpAddr::V6(v6) => match embedded(v6) {
                Some(v4) => self.allows_v4(v4),
                None => self.allows_v6(v6),
            },
        }
    }

    fn allows_v4(self, address: Ipv4Addr) -> bool {
        let [a, b, c, _] = address.octets();
        let metadata = address.is_link_local() || METADATA_V4.contains(&address);
        let never = metadata || a == 0 || a >= 240 || address.is_multicast();
        let internal = address.is_loopback()
            || address.is_private()
            || (a == 100 && (64..128).contains(&b))
            || (a == 192 && b == 0 && c == 0)
            || (a == 198 && (18..20).contains(&b));
        match self {
            Self::Public => !never && !internal,
            Self::Internal => !never,
            Self::Operator => !metadata,
        }
    }

    fn allows_v6(self, address: Ipv6Addr) -> bool {
        let [first, second, ..] = address.segments();
        // AWS, Google and Scaleway; others use link-local addresses.
        let metadata = first & 0xffc0 == 0xfe80
            || matches!((first, second), (0xfd00, 0x0ec2) | (0xfd20, 0x00ce) | (0xfd00, 0x0042));
        let never = metadata || address.is_unspecified() || address.is_multicast();
        // Site-local addresses are deprecated, but some networks still use them.
        let internal =
            address.is_loopback() || first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfec0;
        match self {
            Self::Public => !never && !internal,
            Self::Internal => !never,
            Self::Operator => !metadata,
        }
    }
}

/// Also matches subdomains, and a name with its trailing dot.
fn is_metadata_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    METADATA_NAMES.iter().any(|known| {
        name.strip_suffix(known)
            .is_some_and(|rest| rest.is_empty() || (rest.ends_with('.') && known.contains('.')))
    })
}

/// Resolves names as the system does, and drops addresses that may not be called.
pub struct GuardedNames(pub Guard);

impl Resolve for GuardedNames {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.0;
        Box::pin(async move {
            if is_metadata_name(name.as_str()) {
                return Err(Refused::Forbidden.into());
            }
            let found = tokio::net::lookup_host((name.as_str(), 0)).await;
            let found: Vec<SocketAddr> = found.map_err(|_| Refused::NameUnknown)?.collect();
            if found.is_empty() {
                return Err(Refused::NameUnknown.into());
            }
            let allowed: Vec<SocketAddr> =
                found.into_iter().filter(|address| guard.allows(address.ip())).collect();
            if allowed.is_empty() {
                return Err(Refused::Forbidden.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

/// The IPv4 address that an IPv6 address embeds: mapped, compatible, translated, tunneled.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let joined = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    // ISATAP, in any network.
    if matches!(e, 0 | 0x0200) && f == 0x5efe {
        return Some(joined(g, h));
    }
    match [a, b, c, d, e, f] {
        [0, 0, 0, 0, 0, 0xffff] | [0, 0, 0, 0, 0xffff, 0] => Some(joined(g, h)),
        [0x64, 0xff9b, 0, 0, 0, 0] => Some(joined(g, h)),
        // A site's own NAT64 prefix: only the site knows where the address is, so it is refused unless
        // the operator set it.
        [0x64, 0xff9b, 1, ..] => Some(Ipv4Addr::UNSPECIFIED),
        [0x2001, 0, ..] => Some(joined(!g, !h)),
        [0, 0, 0, 0, 0, 0] if !address.is_unspecified() && !address.is_loopback() => {
            Some(joined(g, h))
        }
        [0x2002, high, low, ..] => Some(joined(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_addresses_are_called() {
        const NEVER: [&str; 31] = [
            "0.0.0.0",
            "0.1.2.3",
            "169.254.169.254",
            "169.254.0.1",
            "100.100.100.200",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "fe80::1",
            "febf::1",
            "ff02::1",
            "fd00:ec2::254",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::a9fe:a9fe",
            "::ffff:0:a9fe:a9fe",
            "2001:0:1:2:3:4:5601:5601",
            "2002:a9fe:a9fe::1",
            "168.63.129.16",
            "::ffff:168.63.129.16",
            "64:ff9b::a83f:8110",
            "2002:a83f:8110::1",
            "192.0.0.192",
            "::ffff:100.100.100.200",
            "192.80.8.124",
            "169.254.0.23",
            "fd00:ec2::23",
            "fd20:ce::254",
            "2a00:1450::5efe:a9fe:a9fe",
        ];
        const INTERNAL: [&str; 17] = [
            "127.0.0.1",
            "127.255.255.254",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "192.0.0.1",
            "198.18.0.1",
            "::1",
            "fc00::1",
            "fd12:3456::1",
            "fec0::1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::c0a8:1",
        ];
        const PUBLIC: [&str; 8] = [
            "1.1.1.1",
            "100.63.255.255",
            "172.32.0.1",
            "192.0.1.1",
            "198.20.0.1",
            "2606:4700::1111",
            "::ffff:1.1.1.1",
            "2002:101:101::1",
        ];
        let judged = |text: &str| {
            let address = text.parse().unwrap();
            (Guard::new(false).allows(address), Guard::new(true).allows(address))
        };
        for (list, expected) in [
            (&NEVER[..], (false, false)),
            (&INTERNAL[..], (false, true)),
            (&PUBLIC[..], (true, true)),
        ] {
            for text in list {
                assert_eq!(judged(text), expected, "{text}");
            }
        }
    }

    /// An operator may configure any address, but never one that hands out the cloud's credentials.
    #[test]
    fn metadata_services_are_refused_in_every_mode() {
        const METADATA: [&str; 17] = [
            "http://169.254.169.254/",
            "http://169.254.0.23/",
            "smtp://169.254.169.254",
            "http://168.63.129.16/",
            "http://100.100.100.200/",
            "http://192.0.0.192/",
            "http://2852039166/",
            "http://0xa9.0xfe.0xa9.0xfe/",
            "http://[::ffff:a9fe:a9fe]/",
            "http://[64:ff9b::a83f:8110]/",
            "http://[fd00:ec2::254]/",
            "http://[fd20:ce::254]/",
            "http://[fe80::a9fe:a9fe]/",
            "http://metadata.google.internal/",
            "http://METADATA.Google.Internal./",
            "http://metadata.tencentyun.com/",
            "http://api.metadata.cloud.ibm.com/",
        ];
        for guard in [Guard::Public, Guard::Internal, Guard::Operator] {
            for text in METADATA {
                assert!(!guard.allows_url(&Url::parse(text).unwrap()), "{guard:?} {text}");
            }
            let fine = Url::parse("https://mymetadata.example.com/").unwrap();
            assert!(guard.allows_url(&fine), "{guard:?}");
        }
        for text in ["http://127.0.0.1:9000/", "http://10.0.0.1/", "http://[::1]/"] {
            assert!(Guard::Operator.allows_url(&Url::parse(text).unwrap()), "{text}");
        }
    }

    /// `localhost` stands for any name that resolves to an internal address.
    #[tokio::test]
    async fn a_name_is_judged_by_where_it_leads() {
        let lookup = async |guard: Guard, name: &str| {
            let found = GuardedNames(guard).resolve(name.parse().unwrap()).await;
            found.map(Iterator::count).map_err(|error| *error.downcast::<Refused>().unwrap())
        };
        assert_eq!(lookup(Guard::Public, "localhost").await, Err(Refused::Forbidden));
        assert!(lookup(Guard::Internal, "localhost").await.unwrap() > 0);
        assert!(lookup(Guard::Operator, "localhost").await.unwrap() > 0);
        let unknown = lookup(Guard::Internal, "no-such-name.invalid").await;
        assert_eq!(unknown, Err(Refused::NameUnknown));
        for guard in [Guard::Public, Guard::Internal, Guard::Operator] {
            let metadata = lookup(guard, "metadata.google.internal").await;
            assert_eq!(metadata, Err(Refused::Forbidden), "{guard:?}");
        }
    }
}
