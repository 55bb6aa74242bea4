//! Where a `redirect` parameter may lead. Anyone can put one into a link, so only our own origin and
//! configured regions' endpoints are accepted; anything else is ignored. The console applies the same
//! rule to the redirects it makes itself.

use axum::response::{AppendHeaders, IntoResponse, Response};
use http::header::{CACHE_CONTROL, HeaderValue, LOCATION, SET_COOKIE};
use http::{HeaderName, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use url::Url;

use crate::config::Settings;

const LONGEST: usize = 8192;
/// What `encodeURIComponent` leaves alone.
const QUERY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The target in a form that is safe to hand to a browser: a path of ours, or a URL below a region's
/// endpoint.
pub fn checked(settings: &Settings, raw: &str) -> Option<String> {
    if raw.len() > LONGEST || raw.chars().any(is_deceptive) {
        return None;
    }
    let own = &settings.server.public_url;
    let rooted = raw.starts_with('/') && !raw.starts_with("//");
    let url = if rooted { own.join(raw).ok()? } else { absolute(raw)? };
    if !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    if url.origin() == own.origin() {
        return internal(&url);
    }
    let mut endpoints = settings.console.regions.iter().map(|region| region.endpoint.as_str());
    endpoints.any(|endpoint| is_within(&url, endpoint)).then(|| url.into())
}

/// Browsers drop control characters and read a backslash as a slash, so such a URL does not open what
/// it shows. None of ours contains either.
fn is_deceptive(c: char) -> bool {
    matches!(c, '\0'..='\u{20}' | '\u{7f}'..='\u{9f}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\\')
}

fn absolute(raw: &str) -> Option<Url> {
    let (scheme, rest) = raw.split_once("://")?;
    let web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    (web && !rest.starts_with('/')).then(|| Url::parse(raw).ok())?
}

fn internal(url: &Url) -> Option<String> {
    // "/x/..//evil.example" parses to a path that would leave our origin when used as a URL.
    let path = url.path();
    let decoded = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
    let page = decoded.trim_end_matches('/').to_ascii_lowercase();
    // Signing in must not lead back to itself, and an API call is not a page.
    if path.starts_with("//") || page == "/login" || page == "/api" || page.starts_with("/api/") {
        return None;
    }
    Some(url[url::Position::BeforePath..].to_owned())
}

/// Whether the origin is the same and the path lies below the endpoint's, at a segment boundary.
fn is_within(url: &Url, endpoint: &str) -> bool {
    let Ok(base) = Url::parse(endpoint) else { return false };
    let prefix = base.path().trim_end_matches('/');
    let rest = url.path().strip_prefix(prefix);
    url.origin() == base.origin()
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A console path with query parameters; those without a value are left out.
pub fn with_query(path: &str, query: &[(&str, Option<&str>)]) -> String {
    let mut text = path.to_owned();
    for (name, value) in query.iter().filter_map(|(name, value)| Some((name, (*value)?))) {
        text.push(if text.len() == path.len() { '?' } else { '&' });
        text.push_str(&format!("{name}={}", utf8_percent_encode(value, QUERY)));
    }
    text
}

/// Redirects the browser with GET, whatever the request's method, and sets the cookies.
pub fn redirect_to(to: &str, cookies: impl IntoIterator<Item = HeaderValue>) -> Response {
    let to = HeaderValue::try_from(to).unwrap_or(HeaderValue::from_static("/"));
    let cookies: Vec<(HeaderName, HeaderValue)> =
        cookies.into_iter().map(|cookie| (SET_COOKIE, cookie)).collect();
    let fixed = [(LOCATION, to), (CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    let mut response = (StatusCode::SEE_OTHER, AppendHeaders(fixed)).into_response();
    for (name, cookie) in cookies {
        response.headers_mut().append(name, cookie);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RawSettings;

    fn settings() -> Settings {
        let regions = ["local|Local=https://atrium.example.com", "eu=https://eu.example.com/below"];
        let raw = RawSettings {
            public_url: Some("https://atrium.example.com".into()),
            regions: Some(regions.map(|text| crate::config::region::parse(text).unwrap()).to_vec()),
            ..Default::default()
        };
        Settings::check(raw).unwrap()
    }

    #[test]
    fn redirects_to_us() {
        let cases = [
            ("/", "/"),
            ("/organization/list?org=1#top", "/organization/list?org=1#top"),
            ("/a/../b", "/b"),
            ("/团队", "/%E5%9B%A2%E9%98%9F"),
            ("/%2F%2Fevil.example", "/%2F%2Fevil.example"),
            ("/x?next=//evil.example", "/x?next=//evil.example"),
            ("https://atrium.example.com/x", "/x"),
            ("HTTPS://ATRIUM.example.com:443/x", "/x"),
            ("https://eu.example.com/below", "https://eu.example.com/below"),
            ("https://eu.example.com/below/org-id/1", "https://eu.example.com/below/org-id/1"),
        ];
        for (raw, expected) in cases {
            assert_eq!(checked(&settings(), raw).as_deref(), Some(expected), "{raw}");
        }
    }

    #[test]
    fn redirects_away() {
        let long = format!("/{}", "a".repeat(LONGEST));
        let cases = [
            "",
            "x",
            "evil.example",
            "//evil.example",
            "///evil.example",
            "////evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            " //evil.example",
            "\u{feff}//evil.example",
            "/x/..//evil.example",
            "/%2e%2e//evil.example",
            "/.//evil.example",
            "http:evil.example",
            "https:///evil.example",
            "https:/evil.example",
            "https:\\\\evil.example",
            "https://evil.example",
            "https://evil.example/?https://atrium.example.com",
            "https://evil.example#https://atrium.example.com",
            "https://evil.example\\@atrium.example.com",
            "https://atrium.example.com@evil.example",
            "https://atrium.example.com:secret@evil.example",
            "https://user@atrium.example.com/",
            "https://atrium.example.com.evil.example",
            "https://atrium.example.com:8443/",
            "http://atrium.example.com/",
            "https://atrium.example.com%2eevil.example/",
            "https://atrium.example.com%00.evil.example/",
            "https://atrıum.example.com/",
            "https://atrium\u{2024}example.com.evil.example/",
            "https://evil.example\u{ff0f}atrium.example.com/",
            "/\u{202e}moc.elpmaxe",
            "https://eu.example.com/",
            "https://eu.example.com/belowish",
            "https://eu.example.com/below/../x",
            "https://eu.example.com/below/%2e%2e/x",
            "javascript:alert(1)",
            "JavaScript://atrium.example.com/%0aalert(1)",
            "data:text/html,x",
            "blob:https://atrium.example.com/x",
            "ftp://atrium.example.com/",
            "/login",
            "/LOGIN/?redirect=/x",
            "/%6cogin",
            "/api/v1/logout",
            "/api",
            long.as_str(),
        ];
        for raw in cases {
            assert_eq!(checked(&settings(), raw), None, "{raw:?}");
        }
    }

    #[test]
    fn parameters_are_encoded() {
        let query = [("failed", Some("cancelled")), ("none", None), ("redirect", Some("/a?b=c&d"))];
        let address = with_query("/login", &query);
        assert_eq!(address, "/login?failed=cancelled&redirect=%2Fa%3Fb%3Dc%26d");
        assert_eq!(with_query("/login", &[]), "/login");
        let answer =
            redirect_to("/x", [HeaderValue::from_static("a=1"), HeaderValue::from_static("b=2")]);
        assert_eq!(answer.status(), StatusCode::SEE_OTHER);
        assert_eq!(answer.headers()[LOCATION], "/x");
        assert_eq!(answer.headers().get_all(SET_COOKIE).iter().count(), 2);
    }
}
