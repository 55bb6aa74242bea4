//! Time zones by their IANA names, from tables inside the binary.

/// Where nothing else is known.
pub const DEFAULT: &str = "UTC";

/// Whether this is the name of a zone, spelt as the tables spell it.
pub fn exists(name: &str) -> bool {
    jiff::tz::TimeZone::get(name).is_ok_and(|zone| zone.iana_name() == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

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
