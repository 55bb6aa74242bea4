//! The site of a referrer, as precisely as giving places to sites requires. The store derives it from the
//! same text by rules of its own. Where the store sees two sites, this must see two as well: otherwise a
//! flood would get counts without places.

use std::borrow::Cow;

/// Longer ones are rare, and the store does not recognize them.
const SCHEME_MAX: usize = 12;

/// The site of a JSON value; empty if there is none.
pub fn site_in(json: &[u8]) -> Cow<'_, str> {
    let plain = json.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    match plain.filter(|text| !text.contains(&b'\\')).map(str::from_utf8) {
        Some(Ok(text)) => Cow::Borrowed(site_of(text)),
        _ => match serde_json::from_slice::<String>(json) {
            Ok(text) => Cow::Owned(site_of(&text).to_owned()),
            Err(_) => Cow::Borrowed(""),
        },
    }
}

fn site_of(referrer: &str) -> &str {
    let is_scheme = |text: &str| {
        text.len() <= SCHEME_MAX && text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-')
    };
    let rest = match referrer.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => rest,
        // Passed on as is, whatever the store makes of it.
        Some(_) => return referrer,
        None => referrer.strip_prefix("//").unwrap_or(referrer),
    };
    rest.split([':', '/', '?', '#']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_of_referrers() {
        for (json, site) in [
            (r#""https://www.example.com/a?b""#, "www.example.com"),
            (r#""http://example.com:8080/""#, "example.com"),
            (r#""https:\/\/example.com\/a""#, "example.com"),
            (r#""android-app://com.example""#, "com.example"),
            (r#""//example.com?x""#, "example.com"),
            (r#""example.com/a""#, "example.com"),
            (r#""a_b.c://x""#, "a_b.c://x"),
            (r#""""#, ""),
            ("null", ""),
            ("{}", ""),
        ] {
            assert_eq!(site_in(json.as_bytes()), site, "{json}");
        }
    }
}
