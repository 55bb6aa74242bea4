//! Which addresses this server calls on behalf of somebody who chose them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Public addresses, and internal ones where the operator has it so.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    internal: bool,
}

impl Guard {
    pub fn new(internal: bool) -> Self {
        Self { internal }
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
        // Clouds tell a machine's secrets to whoever asks from it. One of them does so at an
        // address that looks like any internal one.
        let never = a == 0
            || a >= 240
            || address.is_link_local()
            || address.is_multicast()
            || address == Ipv4Addr::new(100, 100, 100, 200);
        let internal = address.is_loopback()
            || address.is_private()
            || (a == 100 && (64..128).contains(&b))
            || (a == 192 && b == 0 && c == 0)
            || (a == 198 && (18..20).contains(&b));
        !never && (self.internal || !internal)
    }

    fn allows_v6(self, address: Ipv6Addr) -> bool {
        let first = address.segments()[0];
        let metadata = Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254);
        let never = address.is_unspecified()
            || address.is_multicast()
            || first & 0xffc0 == 0xfe80
            || address == metadata;
        // Site-local addresses are out of use, and somewhere in use.
        let internal =
            address.is_loopback() || first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfec0;
        !never && (self.internal || !internal)
    }
}

/// The IPv4 address that an IPv6 address leads to: mapped, compatible, translated, tunnelled.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let joined = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match [a, b, c, d, e, f] {
        [0, 0, 0, 0, 0, 0xffff] | [0, 0, 0, 0, 0xffff, 0] => Some(joined(g, h)),
        [0x64, 0xff9b, 0, 0, 0, 0] => Some(joined(g, h)),
        // A site's own translator keeps the address where only the site knows.
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
        const NEVER: [&str; 20] = [
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
}
