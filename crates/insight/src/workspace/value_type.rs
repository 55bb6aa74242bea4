//! The type of a property's values: derived from the data, or set by a person who knows better.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use warehouse::PropertyKind;

/// A type, which determines the operators that make sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    Text,
    Number,
    Boolean,
    /// A date, or a moment.
    Time,
    List,
}

impl ValueType {
    const ALL: [Self; 5] = [Self::Text, Self::Number, Self::Boolean, Self::Time, Self::List];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Time => "time",
            Self::List => "list",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
    }

    /// The type that most events carry.
    pub fn seen(kinds: &[PropertyKind]) -> Self {
        let typed = kinds.iter().filter(|kind| !matches!(kind.kind.as_str(), "null" | "object"));
        let Some(most) = typed.max_by_key(|kind| kind.events) else { return Self::Text };
        match most.kind.as_str() {
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            "list" => Self::List,
            _ if most.examples.is_empty() => Self::Text,
            _ if most.examples.iter().all(|raw| is_time(raw)) => Self::Time,
            _ if most.examples.iter().all(|raw| is_number(raw)) => Self::Number,
            _ => Self::Text,
        }
    }
}

/// Whether a JSON text is a time.
fn is_time(raw: &str) -> bool {
    let Ok(text) = serde_json::from_str::<String>(raw) else { return false };
    text.parse::<Timestamp>().is_ok()
        || (text.contains('-')
            && (text.parse::<DateTime>().is_ok() || text.parse::<Date>().is_ok()))
}

/// Whether a JSON text is a number; with leading zeros it is a code instead.
fn is_number(raw: &str) -> bool {
    let Ok(text) = serde_json::from_str::<String>(raw) else { return false };
    let digits = text.trim_start_matches('-');
    let is_code = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    !is_code && digits.starts_with(|c: char| c.is_ascii_digit()) && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(kind: &str, events: u64, examples: &[&str]) -> PropertyKind {
        let examples = examples.iter().map(|it| (*it).to_owned()).collect();
        PropertyKind { property: String::new(), kind: kind.to_owned(), events, examples, hidden: 0 }
    }

    #[test]
    fn a_type_is_what_most_events_carry() {
        let seen = |kinds: &[PropertyKind]| ValueType::seen(kinds);
        assert_eq!(seen(&[]), ValueType::Text);
        assert_eq!(seen(&[kind("null", 9, &[]), kind("number", 2, &["3"])]), ValueType::Number);
        assert_eq!(seen(&[kind("boolean", 2, &["true"])]), ValueType::Boolean);
        assert_eq!(seen(&[kind("list", 2, &["[1]"]), kind("string", 1, &[])]), ValueType::List);
        let text = |examples: &[&str]| seen(&[kind("string", 5, examples)]);
        assert_eq!(text(&["\"2026-11-18T10:00:00Z\"", "\"2026-11-18\""]), ValueType::Time);
        assert_eq!(text(&["\"2026-11-18\"", "\"soon\""]), ValueType::Text);
        assert_eq!(text(&["\"19.90\"", "\"-3\"", "\"0.5\""]), ValueType::Number);
        assert_eq!(text(&["\"0123\""]), ValueType::Text);
        assert_eq!(text(&["\"20261118\""]), ValueType::Number);
        assert_eq!(text(&["\"NaN\"", "\"\""]), ValueType::Text);
    }

    #[test]
    fn every_type_has_a_name() {
        for one in ValueType::ALL {
            assert_eq!(ValueType::parse(one.as_str()), Some(one));
            assert_eq!(serde_json::to_value(one).unwrap(), one.as_str());
        }
    }
}
