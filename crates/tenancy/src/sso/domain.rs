//! Mail domains: their canonical form, and the DNS record that proves ownership.

/// The form in which domains are stored and compared: lowercase, other alphabets as in DNS. None if
/// mail could not go to it.
pub fn normalized(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('.');
    let plain = |c: char| c.is_alphanumeric() || c == '-' || c == '.';
    if text.is_empty() || !text.chars().all(plain) {
        return None;
    }
    let url::Host::Domain(domain) = url::Host::parse(text).ok()? else { return None };
    let label = |label: &str| {
        !label.is_empty() && label.len() <= 63 && !label.starts_with('-') && !label.ends_with('-')
    };
    // Leaves room for the name of the record.
    let fits = domain.len() < 253 - CHALLENGE.len();
    (fits && domain.contains('.') && domain.split('.').all(label)).then_some(domain)
}

/// The domain of an address, in canonical form.
pub fn of_email(email: &str) -> Option<String> {
    normalized(email.rsplit_once('@')?.1)
}

const CHALLENGE: &str = "_atrium-challenge";

/// The name of the DNS record.
pub fn record_name(domain: &str) -> String {
    format!("{CHALLENGE}.{domain}")
}

/// The value of the DNS record.
pub fn record_value(proof: &str) -> String {
    format!("atrium-verification={proof}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_has_one_spelling() {
        for (typed, kept) in [
            ("Example.COM", "example.com"),
            (" example.com. ", "example.com"),
            ("mail.example.co.uk", "mail.example.co.uk"),
            ("例子.中国", "xn--fsqu00a.xn--fiqs8s"),
            ("XN--fsqu00a.xn--fiqs8s", "xn--fsqu00a.xn--fiqs8s"),
        ] {
            assert_eq!(normalized(typed).as_deref(), Some(kept), "{typed}");
        }
        let long = format!("{}.com", "a.".repeat(120));
        let label = format!("{}.com", "a".repeat(64));
        for wrong in [
            "",
            "localhost",
            "example",
            "127.0.0.1",
            "0x7f.1",
            "[::1]",
            "example..com",
            ".example.com",
            "-a.example.com",
            "a_b.example.com",
            "example.com/path",
            "user@example.com",
            "https://example.com",
            "example.com:80",
            "exam ple.com",
            "*.example.com",
            &long,
            &label,
        ] {
            assert_eq!(normalized(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_last_at_sign_counts() {
        assert_eq!(of_email("anna@Acme.test").as_deref(), Some("acme.test"));
        assert_eq!(of_email("\"a@evil.test\"@acme.test").as_deref(), Some("acme.test"));
        assert_eq!(of_email("acme.test"), None);
    }
}
