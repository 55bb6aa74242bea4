//! The classifier in Rust, for data that is not read by a statement: live messages, single events,
//! names. It matches the conditions in SQL; a test compares the two on thousands of texts.

use std::sync::LazyLock;

use percent_encoding::percent_decode_str;
use regex::Regex;

use super::patterns::{ADDRESS, PERSONAL, PLAIN, RUN, SECRETS, TOKEN, TURNS, WRITTEN, any};

/// Shorter values equal an id by coincidence.
pub(super) const ID_MIN: usize = 5;
/// So do shorter numbers.
pub(super) const ID_DIGITS_MIN: usize = 8;

static IS_PERSONAL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&any(PERSONAL)).ok());
static IS_ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(ADDRESS).ok());
static IS_SECRET: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&any(SECRETS)).ok());
static IS_TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(TOKEN).ok());
static IS_RUN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(RUN).ok());
static TAKES_TURNS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(TURNS).ok());

/// An invalid pattern, which a test rules out, hides everything.
fn found(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
}

/// Whether a text contains something that identifies a person, or a secret.
pub fn looks_personal(text: &str) -> bool {
    looks_personal_as(text, false)
}

/// The same for a value whose property name may say version: there, four numbers are not an IP address.
pub fn looks_personal_as(text: &str, is_version: bool) -> bool {
    form_looks_personal(text, is_version)
        || text.contains('%') && form_looks_personal(&decoded(text), is_version)
}

/// URL-decodes a text that was encoded once or twice.
fn decoded(text: &str) -> String {
    percent_decode_str(&text.replace("%25", "%")).decode_utf8_lossy().into_owned()
}

/// Tests one form of a text, original or decoded.
fn form_looks_personal(text: &str, is_version: bool) -> bool {
    let text = plain(text);
    found(&IS_PERSONAL, &text)
        || !is_version && found(&IS_ADDRESS, &text)
        || found(&IS_SECRET, &text)
}

/// Replaces lookalike characters with ASCII.
fn plain(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let plain = |c: char| match WRITTEN.chars().position(|written| written == c) {
        Some(place) => PLAIN.chars().nth(place),
        None => Some(c),
    };
    text.chars().filter_map(plain).collect()
}

/// Whether a number looks personal, by the digits of its whole part.
pub fn number_looks_personal(whole: &str) -> bool {
    whole.len() >= ID_DIGITS_MIN && found(&IS_PERSONAL, whole)
}

/// The digits of a number's whole part, without its sign, as in the SQL conditions.
pub fn whole_part(number: &serde_json::Number) -> String {
    let text = number.to_string();
    if !text.contains(['.', 'e', 'E']) {
        return text.trim_start_matches('-').to_owned();
    }
    let size = number.as_f64().map_or(0.0, f64::abs);
    format!("{:.0}", size.min(9e18).trunc())
}

/// Whether a part of a path identifies one thing: an id or a token.
pub fn looks_like_token(text: &str) -> bool {
    found(&IS_TOKEN, text) || found(&IS_RUN, text) && found(&TAKES_TURNS, text)
}

/// Whether a value can be a person's id and is unlikely to equal one by coincidence: it contains a digit
/// and no space, and is long enough. `unknown` or `free` could be ids too, but hide nothing.
pub fn could_be_id(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    text.len() >= ID_MIN
        && digits > 0
        && !text.contains(' ')
        && (digits < text.len() || digits >= ID_DIGITS_MIN)
}

/// Whether a property of this name holds versions.
pub fn says_version(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["version", "versions", "ver"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shown::patterns::COULD_BE_ID;

    /// Statements use a pattern for this.
    #[test]
    fn what_could_be_an_id_is_the_same_in_statements() {
        let pattern = Regex::new(COULD_BE_ID).unwrap();
        let plain =
            ["pro", "plan-2026", "u1", "user1", "1user", "free", "a b1c2", "订单1号", "a\n1bc"];
        let numbers = (1..12).map(|length| "7".repeat(length));
        for text in plain.map(str::to_owned).into_iter().chain(numbers) {
            let is_one = text.len() >= ID_MIN && pattern.is_match(&text);
            assert_eq!(is_one, could_be_id(&text), "{text}");
        }
    }

    #[test]
    fn every_pattern_can_be_read() {
        for pattern in PERSONAL.iter().chain(SECRETS).chain(&[ADDRESS, TOKEN, RUN, TURNS]) {
            assert!(Regex::new(pattern).is_ok(), "{pattern}");
        }
        assert!(WRITTEN.chars().count() > PLAIN.len());
    }

    #[test]
    fn addresses() {
        for text in [
            "jane@example.com",
            "Ask jane.doe+tag@mail.example.co.uk, please",
            "/users/jane%40example.com/orders",
            "jane%2540example.com",
            "数据@例子.中国",
            "jane＠example.com",
            "mailto:a@b.cn.",
            "jane@例子.😀😀",
        ] {
            assert!(looks_personal(text), "{text}");
        }
        for text in ["@handle", "a@b", "a @ b.co", "10@2.5", "package@1.2.3", "user@host"] {
            assert!(!looks_personal(text), "{text}");
        }
    }

    #[test]
    fn telephone_numbers() {
        for text in [
            "13800138000",
            "手机：13800138000，谢谢",
            "手机１３８００１３８０００",
            "１３８－００１３－８０００",
            "138\u{200b}0013\u{200b}8000",
            "+8613800138000",
            "+86 138 0013 8000",
            "8613800138000",
            "008613800138000",
            "138-0013-8000",
            "138%200013%208000",
            "13 800 138 000",
            "86-13800138000",
            "+49 30 1234567",
            "+1 (415) 555-2671",
            "(415) 555-2671",
            "415-555-2671",
            "1-415-555-2671",
            "+442071838750",
            "010-12345678",
            "0755-8888888",
            "078-05-1120",
            "call +33.1.23.45.67.89.",
        ] {
            assert!(looks_personal(text), "{text}");
        }
    }

    #[test]
    fn cards_and_machines() {
        for text in [
            "11010519491231002X",
            "身份证 11010519491231002x。",
            "110105 19491231 0021",
            "6222021234567890123",
            "4111 1111 1111 1111",
            "5105-1051-0510-5100",
            "3782 822463 10005",
            "352099001761481",
            "867530901234567",
            "203.0.113.7",
            "from 10.1.2.3:443",
            "2001:db8::8a2e:370:7334",
            "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
            "00:1B:44:11:3A:B7",
            "aa:bb:cc:dd:ee:ff",
        ] {
            assert!(looks_personal(text), "{text}");
        }
        assert!(!looks_personal_as("203.0.113.7", true));
        // An invalid month, too many digits, an invalid century.
        for text in ["11010519491331002X", "11010519491231002X1", "110105188001010014"] {
            assert!(!looks_personal(text), "{text}");
        }
    }

    #[test]
    fn secrets() {
        for text in [
            "https://shop.example/reset?token=abc",
            "/a?x=1&access_token=Zm9v",
            "https%3A%2F%2Fshop.example%2F%3Fcode%3Dabc",
            "Authorization: Bearer abcdef0123",
            "bEaReR abcdefgh",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x",
        ] {
            assert!(looks_personal(text), "{text}");
        }
        for text in ["https://shop.example/?utm_source=mail&keyword=shoes", "design=2", "a = b"] {
            assert!(!looks_personal(text), "{text}");
        }
    }

    #[test]
    fn other_numbers() {
        for text in [
            "",
            "3",
            "1,299.00",
            "19.99",
            "¥12800",
            "1762732800000",
            "1762732800000000",
            "2026-11-15",
            "25-11-2026 10-12-2026",
            "2026-11-15 08:00:00",
            "2026-11-15T08:00:00.000Z",
            "20261115000123",
            "ORD-2026-000123",
            "SO13800138000",
            "1.2.3",
            "130.0.6723.58",
            "140.0.7339.208",
            "130.0.0.0",
            "31.2304, 121.4737",
            "01a1dd08-6e8b-7c12-a86d-ab85cdefca48",
            "12345678-1234-1234-1234-123456789012",
            "10000000000",
            "12800138000",
            "v2.10.3",
            "50%",
            "1920x1080",
            "Chrome 130",
            "std::vec::Vec",
        ] {
            assert!(!looks_personal(text), "{text}");
        }
    }

    #[test]
    fn ids_and_tokens() {
        for text in ["user-77", "12345678", "u_1002", "01a1dd08-6e8b", "团队007"] {
            assert!(could_be_id(text), "{text}");
        }
        for text in ["", "pro", "unknown", "1234567", "v1", "Chrome 130", "android"] {
            assert!(!could_be_id(text), "{text}");
        }
        let token = "kXb2m9QpL4vT7sRw1ZyA";
        for text in ["01a1dd08-6e8b-7c12-a86d-ab85cdefca48", "5f7c8ec7c33c6c004bbafe82", token] {
            assert!(looks_like_token(text), "{text}");
        }
        for text in ["pricing", "CheckoutPaymentMethodSelected", "2026-11-15", "item-42"] {
            assert!(!looks_like_token(text), "{text}");
        }
        assert!(says_version("app_version") && says_version("appVersion") && !says_version("plan"));
    }
}
