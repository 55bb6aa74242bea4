//! Time zones by IANA name, from tables inside the binary.

use crate::types::Millis;

/// Used where nothing else is known.
pub const DEFAULT: &str = "UTC";

/// Whether this is the name of a zone, spelled as in the tables.
pub fn exists(name: &str) -> bool {
    jiff::tz::TimeZone::get(name).is_ok_and(|zone| zone.iana_name() == Some(name))
}

/// A time as people in that zone write it: "2026-03-01 08:05 Asia/Shanghai".
pub fn in_words(at: Millis, zone: &str) -> String {
    let moment = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
    let zone = jiff::tz::TimeZone::get(zone).unwrap_or(jiff::tz::TimeZone::UTC);
    let name = zone.iana_name().unwrap_or(DEFAULT).to_owned();
    format!("{} {name}", moment.to_zoned(zone).strftime("%Y-%m-%d %H:%M"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_reads_as_its_zone_writes_it() {
        let at = Millis(1_760_000_000_120);
        assert_eq!(in_words(at, "Asia/Shanghai"), "2025-10-09 16:53 Asia/Shanghai");
        assert_eq!(in_words(at, "Mars/Base"), "2025-10-09 08:53 UTC");
    }

    #[test]
    fn names_of_zones() {
        for good in ["UTC", "Asia/Shanghai", "Europe/Berlin", "Asia/Kathmandu"] {
            assert!(exists(good), "{good}");
        }
        for bad in ["", "Mars/Base", "asia/shanghai", "+08:00", "../etc/passwd"] {
            assert!(!exists(bad), "{bad}");
        }
    }
}
