//! The caller's language, from Accept-Language. Chinese is the product's default.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::HeaderMap;
use http::header::ACCEPT_LANGUAGE;
use http::request::Parts;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Locale {
    #[default]
    ZhCn,
    EnUs,
}

impl Locale {
    pub const ALL: [Self; 2] = [Self::ZhCn, Self::EnUs];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::ZhCn => "zh-CN",
            Self::EnUs => "en-US",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|locale| locale.as_str() == text)
    }

    pub fn from_headers(headers: &HeaderMap) -> Self {
        headers
            .get(ACCEPT_LANGUAGE)
            .and_then(|value| value.to_str().ok())
            .and_then(Self::negotiate)
            .unwrap_or_default()
    }

    /// The supported language with the highest weight. Only the first few entries count, which bounds
    /// the work.
    fn negotiate(header: &str) -> Option<Self> {
        let mut best: Option<(f32, Self)> = None;
        for entry in header.split(',').take(16) {
            let mut parts = entry.split(';');
            let tag = parts.next().unwrap_or_default().trim();
            let weight = parts
                .find_map(|part| part.trim().strip_prefix("q="))
                .map_or(1.0, |q| q.parse().unwrap_or(0.0));
            let language = tag.split('-').next().unwrap_or_default();
            let locale = match language.to_ascii_lowercase().as_str() {
                "zh" => Self::ZhCn,
                "en" => Self::EnUs,
                _ => continue,
            };
            if weight > 0.0 && best.is_none_or(|(highest, _)| weight > highest) {
                best = Some((weight, locale));
            }
        }
        best.map(|(_, locale)| locale)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Locale {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::from_headers(&parts.headers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_language_we_speak_wins() {
        let cases = [
            ("en-US", Some(Locale::EnUs)),
            ("zh-CN,zh;q=0.9,en;q=0.8", Some(Locale::ZhCn)),
            ("de-DE, en;q=0.7, zh;q=0.8", Some(Locale::ZhCn)),
            ("en;q=0, zh;q=0.1", Some(Locale::ZhCn)),
            ("fr", None),
            ("", None),
            (";;;q=,", None),
        ];
        for (header, expected) in cases {
            assert_eq!(Locale::negotiate(header), expected, "{header}");
        }
    }
}
