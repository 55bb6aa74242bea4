//! Refuses unsafe requests that another site makes a browser send. Callers other than browsers send
//! neither header and are let through.

use axum::extract::Request;
use http::header::{HOST, ORIGIN};
use http::{HeaderMap, Method};
use url::Url;

use crate::state::Core;

pub fn refuses(atrium: &Core, request: &Request) -> bool {
    let safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let authority = request.uri().authority().map(|authority| authority.as_str());
    !safe && is_cross_site(request.headers(), authority, &atrium.settings.server.public_url)
}

/// HTTP/2 puts the host into the request's authority, HTTP/1 into its Host header.
fn is_cross_site(headers: &HeaderMap, authority: Option<&str>, public_url: &Url) -> bool {
    if headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site") {
        return true;
    }
    let Some(origin) = headers.get(ORIGIN) else { return false };
    let Some(origin) = origin.to_str().ok().and_then(|text| Url::parse(text).ok()) else {
        return true;
    };
    if !matches!(origin.scheme(), "http" | "https") {
        return true;
    }
    if origin.origin() == public_url.origin() {
        return false;
    }
    let host = authority.or_else(|| headers.get(HOST).and_then(|value| value.to_str().ok()));
    let own = host.and_then(|host| Url::parse(&format!("{}://{host}", origin.scheme())).ok());
    own.is_none_or(|own| own.origin() != origin.origin())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_of_the_product() {
        // (Sec-Fetch-Site, Origin, Host) → refused?
        let cases = [
            (None, None, "atrium.example.com", false),
            (Some("same-origin"), Some("https://atrium.example.com"), "10.0.0.5:8080", false),
            (Some("same-origin"), Some("http://localhost:8080"), "localhost:8080", false),
            (None, Some("http://localhost:8080"), "localhost:8080", false),
            (None, Some("http://localhost:8081"), "localhost:8080", true),
            (None, Some("https://evil.example"), "atrium.example.com", true),
            (None, Some("null"), "atrium.example.com", true),
            (None, Some("file:///etc"), "atrium.example.com", true),
            (None, Some("https://atrium.example.com.evil.example"), "atrium.example.com", true),
            (Some("cross-site"), None, "atrium.example.com", true),
            (Some("cross-site"), Some("https://atrium.example.com"), "atrium.example.com", true),
            (Some("none"), None, "atrium.example.com", false),
        ];
        let public_url = Url::parse("https://atrium.example.com").unwrap();
        for (site, origin, host, refused) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, host.parse().unwrap());
            if let Some(site) = site {
                headers.insert("sec-fetch-site", site.parse().unwrap());
            }
            if let Some(origin) = origin {
                headers.insert(ORIGIN, origin.parse().unwrap());
            }
            assert_eq!(is_cross_site(&headers, None, &public_url), refused, "{headers:?}");
        }
    }
}
