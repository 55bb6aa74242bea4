//! Cookies, read without a jar: the server needs two names and sets one at a time.

use http::HeaderMap;
use http::header::{COOKIE, HeaderValue};

/// The value of a cookie. None if the name comes twice: a subdomain may have planted one of them.
pub fn read<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut found = None;
    for header in headers.get_all(COOKIE) {
        let Ok(header) = header.to_str() else { continue };
        for pair in header.split(';') {
            if let Some((key, value)) = pair.trim().split_once('=')
                && key == name
                && found.replace(value).is_some()
            {
                return None;
            }
        }
    }
    found
}

/// A host-only cookie that scripts cannot read. On HTTPS its name starts with `__Host-`, so that the
/// browser enforces this.
#[derive(Clone, Debug)]
pub struct CookieName {
    name: String,
    secure: bool,
}

impl CookieName {
    pub fn new(base: &str, https: bool) -> Self {
        let name = if https { format!("__Host-{base}") } else { base.to_owned() };
        Self { name, secure: https }
    }

    pub fn read<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        read(headers, &self.name)
    }

    /// `value` must be our own text, of URL-safe characters only.
    pub fn set(&self, value: &str, max_age_seconds: i64) -> HeaderValue {
        let secure = if self.secure { "; Secure" } else { "" };
        let text = format!(
            "{}={value}; Path=/; Max-Age={max_age_seconds}; HttpOnly; SameSite=Lax{secure}",
            self.name
        );
        HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
    }

    pub fn clear(&self) -> HeaderValue {
        self.set("", 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_that_comes_twice_counts_as_none() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, "a=1; b=2".parse().unwrap());
        assert_eq!(read(&headers, "b"), Some("2"));
        assert_eq!(read(&headers, "c"), None);
        headers.append(COOKIE, "b=3".parse().unwrap());
        assert_eq!(read(&headers, "b"), None);
    }

    #[test]
    fn https_cookies_are_bound_to_the_host() {
        let text = CookieName::new("atrium_session", true).set("v", 60);
        assert_eq!(
            text,
            "__Host-atrium_session=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure"
        );
        let text = CookieName::new("atrium_session", false).clear();
        assert_eq!(text, "atrium_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
    }
}
