//! Validates what people type. Collects every fault, so that a form can show all of them at once.

use crate::error::{Code, Error, Fault, Result};

pub const NAME_MAX: usize = 80;
pub const EMAIL_MAX: usize = 254;

#[derive(Default)]
pub struct Checks {
    faults: Vec<Fault>,
}

impl Checks {
    pub fn fail(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    /// A display name: trimmed, not empty, without control characters.
    pub fn name(&mut self, field: &'static str, text: &str) -> String {
        self.name_up_to(field, text, NAME_MAX)
    }

    pub fn name_up_to(&mut self, field: &'static str, text: &str, max: usize) -> String {
        let name = text.trim();
        if name.is_empty() {
            self.fail(Fault::new(Code::Required).on(field));
        } else if name.chars().count() > max {
            self.fail(Fault::new(Code::TooLong).on(field).with("max", max));
        } else if name.chars().any(char::is_control) {
            self.fail(Fault::new(Code::NulCharacter).on(field));
        }
        name.to_owned()
    }

    /// Multi-line text, trimmed; may be empty.
    pub fn text(&mut self, field: &'static str, text: &str, max: usize) -> String {
        let text = text.trim();
        if text.chars().count() > max {
            self.fail(Fault::new(Code::TooLong).on(field).with("max", max));
        }
        text.to_owned()
    }

    pub fn timezone(&mut self, field: &'static str, name: &str) {
        if !crate::timezone::exists(name) {
            self.fail(Fault::new(Code::BadTimezone).on(field));
        }
    }

    pub fn range(&mut self, field: &'static str, value: i64, min: i64, max: i64) {
        if !(min..=max).contains(&value) {
            self.fail(Fault::new(Code::OutOfRange).on(field).with("min", min).with("max", max));
        }
    }

    pub fn length(&mut self, field: &'static str, length: usize, min: usize, max: usize) {
        if !(min..=max).contains(&length) {
            self.fail(Fault::new(Code::BadLength).on(field).with("min", min).with("max", max));
        }
    }

    pub fn email(&mut self, field: &'static str, text: &str) -> Email {
        let email = Email::new(text);
        if email.as_typed.is_empty() {
            self.fail(Fault::new(Code::Required).on(field));
        } else if !email.is_plausible() {
            self.fail(Fault::new(Code::BadEmail).on(field));
        }
        email
    }

    pub fn finish(self) -> Result<()> {
        if self.faults.is_empty() { Ok(()) } else { Err(Error::invalid(self.faults)) }
    }
}

/// A person's name for use in a sentence. Right-to-left letters and direction marks would reorder the
/// words around them, so such a name is wrapped in a Unicode isolate. Isolates inside the name are
/// dropped: an unbalanced one would end ours early.
pub fn isolated(name: &str) -> String {
    if !name.chars().any(changes_direction) {
        return name.to_owned();
    }
    let inner: String =
        name.chars().filter(|letter| !matches!(letter, '\u{2066}'..='\u{2069}')).collect();
    format!("\u{2068}{inner}\u{2069}")
}

fn changes_direction(letter: char) -> bool {
    matches!(letter,
        '\u{590}'..='\u{8ff}'
        | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// A mail address as typed, and in the form used for comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email {
    pub as_typed: String,
    pub normalized: String,
}

impl Email {
    pub fn new(text: &str) -> Self {
        let as_typed = text.trim().to_owned();
        let normalized = as_typed.to_lowercase();
        Self { as_typed, normalized }
    }

    /// Whether mail could be sent there. Only a mail that arrives proves it, so this only stops obvious
    /// typos and anything that could break out of a header or a log line.
    fn is_plausible(&self) -> bool {
        let Some((local, domain)) = self.as_typed.rsplit_once('@') else { return false };
        let forbidden = |c: char| {
            c.is_control()
                || c.is_whitespace()
                || matches!(
                    c,
                    '<' | '>' | '(' | ')' | ',' | ';' | ':' | '"' | '\\' | '[' | ']' | '@'
                )
        };
        let label = |label: &str| {
            !label.is_empty()
                && label.len() <= 63
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        // Some non-ASCII letters lowercase to ASCII, which would turn two mailboxes into one account.
        let pretends = |c: char| !c.is_ascii() && c.to_lowercase().any(|lower| lower.is_ascii());
        self.as_typed.len() <= EMAIL_MAX
            && !self.as_typed.contains(pretends)
            && !local.is_empty()
            && local.len() <= 64
            && !local.contains(forbidden)
            && !local.starts_with('.')
            && !local.ends_with('.')
            && !local.contains("..")
            && !domain.contains(forbidden)
            && domain.split('.').all(label)
            && (domain.contains('.') || domain == "localhost")
            && domain.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '.')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_does_not_reorder_the_sentence_around_it() {
        assert_eq!(
            isolated("林小雨 Zoë 👨\u{200d}👩\u{200d}👧"),
            "林小雨 Zoë 👨\u{200d}👩\u{200d}👧"
        );
        assert_eq!(isolated("مريم"), "\u{2068}مريم\u{2069}");
        assert_eq!(isolated("a\u{202e}b"), "\u{2068}a\u{202e}b\u{2069}");
        assert_eq!(isolated("\u{2069}a\u{2067}"), "\u{2068}a\u{2069}");
    }

    #[test]
    fn plausible_addresses() {
        for good in ["a@b.co", "Jane.Doe+tag@Example.com", "数据@例子.中国", "root@localhost"]
        {
            assert!(Email::new(good).is_plausible(), "{good}");
        }
        let long = format!("{}@example.com", "a".repeat(65));
        for bad in [
            "",
            "a",
            "@b.co",
            "a@",
            "a b@c.de",
            "a@b",
            "a@b..c",
            "a@-b.co",
            "a@b.co\r\nBcc: x@y.z",
            "<a@b.co>",
            "a,b@c.de",
            ".a@b.co",
            "a..b@c.de",
            "a@b@c.de",
            "\u{212a}ate@example.com",
            &long,
        ] {
            assert!(!Email::new(bad).is_plausible(), "{bad}");
        }
    }

    #[test]
    fn addresses_compare_without_case() {
        assert_eq!(Email::new(" Jane@Example.COM ").normalized, "jane@example.com");
    }

    #[test]
    fn every_fault_is_reported_at_once() {
        let mut checks = Checks::default();
        checks.name("name", "  ");
        checks.email("email", "nope");
        checks.range("days", 0, 1, 9);
        assert_eq!(checks.faults.len(), 3);
    }
}
