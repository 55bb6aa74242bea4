//! Mail domains at which anyone can have an address: free mail, internet providers, disposable
//! addresses, and suffixes under which anyone can register. Sharing one does not mean working together,
//! so nobody joins a team through one and no team can own one.

use std::collections::HashSet;
use std::sync::LazyLock;

/// One domain per line, including its subdomains.
const LIST: &str = include_str!("free_mail_domains.txt");

static DOMAINS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| LIST.lines().collect());

/// Providers with a domain in most countries: `yahoo.co.jp`, `hotmail.fr`.
const FAMILIES: [&str; 9] =
    ["yahoo", "hotmail", "outlook", "gmail", "googlemail", "gmx", "yandex", "ymail", "protonmail"];

/// Whether anyone can have an address at this domain. Ignores case.
pub fn is_public(domain: &str) -> bool {
    let domain = domain.trim().trim_end_matches('.').to_ascii_lowercase();
    let Some(registered) = psl::domain_str(&domain) else {
        // A suffix itself, a name without a dot, or nothing.
        return true;
    };
    let name = registered.split('.').next().unwrap_or_default();
    FAMILIES.contains(&name) || and_above(&domain).any(|domain| DOMAINS.contains(domain))
}

/// A domain and its parents: `a.b.c`, `b.c`, `c`.
fn and_above(domain: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(domain), |domain| domain.split_once('.').map(|(_, above)| above))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_mail_is_public_in_every_spelling() {
        for public in [
            "gmail.com",
            "qq.com",
            "vip.qq.com",
            "163.com",
            "126.com",
            "foxmail.com",
            "sina.com",
            "sina.com.cn",
            "outlook.com",
            "outlook.fr",
            "hotmail.co.uk",
            "yahoo.co.jp",
            "yahoo.com",
            "icloud.com",
            "proton.me",
            "gmx.net",
            "gmx.de",
            "yandex.ru",
            "mail.ru",
            "naver.com",
            "mailinator.com",
            "GMail.com",
            "gmail.com.",
            " gmail.com",
            "deep.below.gmail.com",
        ] {
            assert!(is_public(public), "{public}");
        }
    }

    #[test]
    fn suffixes_are_public() {
        for suffix in
            ["com", "co.uk", "com.cn", "公司.cn", "xn--55qx5d.cn", "github.io", "localhost", ""]
        {
            assert!(is_public(suffix), "{suffix}");
        }
    }

    #[test]
    fn a_company_is_not() {
        for own in [
            "example.com",
            "acme.test",
            "mail.acme.co.uk",
            "notgmail.com",
            "gmail.example.com",
            "yahoo.acme.com",
            "qq.com.example.org",
            "例子.公司.cn",
        ] {
            assert!(!is_public(own), "{own}");
        }
    }

    /// Keeps additions sorted, and no domain listed along with a parent of it.
    #[test]
    fn the_list_is_in_order_and_says_nothing_twice() {
        let lines: Vec<&str> = LIST.lines().collect();
        assert!(lines.len() > 500, "{}", lines.len());
        assert!(lines.is_sorted_by(|a, b| a < b));
        for line in &lines {
            assert_eq!(*line, line.trim().to_ascii_lowercase());
            assert!(line.contains('.') && psl::domain_str(line).is_some(), "{line}");
            let mut above = and_above(line).skip(1);
            assert!(!above.any(|domain| DOMAINS.contains(domain)), "{line}");
        }
    }
}
