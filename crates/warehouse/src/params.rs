//! Values for the placeholders `{name:Type}`, which the server fills in.

use uuid::Uuid;

/// A bound value. Its type is named by the placeholder; this only determines how it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Param {
    Int(i64),
    UInt(u64),
    Float(f64),
    Text(String),
    Uuid(Uuid),
    Texts(Vec<String>),
    Uuids(Vec<Uuid>),
    UInts(Vec<u64>),
    Floats(Vec<f64>),
}

impl Param {
    /// The form in which ClickHouse reads parameters: escaped text, like a field of a TSV file.
    pub(crate) fn render(&self) -> String {
        match self {
            Self::Int(value) => value.to_string(),
            Self::UInt(value) => value.to_string(),
            Self::Float(value) => value.to_string(),
            Self::Text(value) => escape(value),
            Self::Uuid(value) => value.to_string(),
            Self::Texts(values) => list(values.iter().map(|value| format!("'{}'", escape(value)))),
            Self::Uuids(values) => list(values.iter().map(|value| format!("'{value}'"))),
            Self::UInts(values) => list(values.iter().map(ToString::to_string)),
            Self::Floats(values) => list(values.iter().map(ToString::to_string)),
        }
    }
}

fn list(values: impl Iterator<Item = String>) -> String {
    format!("[{}]", values.collect::<Vec<_>>().join(","))
}

/// Escapes that are valid in a TSV field as well as in a quoted string.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\\\"),
            '\'' => escaped.push_str("\\'"),
            '\t' => escaped.push_str("\\t"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\0' => escaped.push_str("\\0"),
            c => escaped.push(c),
        }
    }
    escaped
}

impl From<&str> for Param {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Param {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<Uuid> for Param {
    fn from(value: Uuid) -> Self {
        Self::Uuid(value)
    }
}

impl From<i64> for Param {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u64> for Param {
    fn from(value: u64) -> Self {
        Self::UInt(value)
    }
}

impl From<u32> for Param {
    fn from(value: u32) -> Self {
        Self::UInt(value.into())
    }
}

impl From<f64> for Param {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<Vec<String>> for Param {
    fn from(values: Vec<String>) -> Self {
        Self::Texts(values)
    }
}

impl From<&[Uuid]> for Param {
    fn from(values: &[Uuid]) -> Self {
        Self::Uuids(values.to_vec())
    }
}

impl From<Vec<u64>> for Param {
    fn from(values: Vec<u64>) -> Self {
        Self::UInts(values)
    }
}

/// A text as an SQL literal, for statements that take no bound values.
pub(crate) fn text_literal(text: &str) -> String {
    format!("'{}'", escape(text))
}

/// Ids as SQL literals. They contain only digits, letters and dashes, so they need no escaping.
pub(crate) fn literals(apps: impl IntoIterator<Item = Uuid>) -> String {
    let quoted: Vec<String> = apps.into_iter().map(|app| format!("'{app}'")).collect();
    quoted.join(", ")
}
