//! The basic values used everywhere: ids, times, and the sources they come from.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

use crate::error::{Error, Result};

/// A UUIDv7 as text, which is how both databases store it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, sqlx_macros::Type)]
#[sqlx(transparent)]
#[serde(transparent)]
pub struct Id(String);

impl Id {
    /// Accepts only the canonical spelling, so that an id looks the same in logs and rows.
    pub fn parse(text: &str) -> Option<Self> {
        let uuid = Uuid::try_parse(text).ok()?;
        let canonical = uuid.hyphenated().to_string();
        (canonical == text).then_some(Self(canonical))
    }

    /// An id defined in the code rather than in a row.
    pub fn fixed(number: u8) -> Self {
        Self(format!("00000000-0000-7000-8000-0000000000{number:02x}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form the warehouse stores. An invalid id in a row is a bug of ours, and fails as one.
    pub fn uuid(&self) -> Result<Uuid> {
        Uuid::try_parse(&self.0).map_err(Error::internal)
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not an id"))
    }
}

impl utoipa::PartialSchema for Id {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .format(Some(utoipa::openapi::SchemaFormat::KnownFormat(
                utoipa::openapi::KnownFormat::Uuid,
            )))
            .into()
    }
}

impl utoipa::ToSchema for Id {}

/// Milliseconds since 1970 in the database, RFC 3339 UTC with milliseconds in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, sqlx_macros::Type)]
#[sqlx(transparent)]
pub struct Millis(pub i64);

impl Millis {
    pub const SECOND: i64 = 1_000;
    pub const MINUTE: i64 = 60 * Self::SECOND;
    pub const HOUR: i64 = 60 * Self::MINUTE;
    pub const DAY: i64 = 24 * Self::HOUR;

    pub fn plus(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// Milliseconds since `earlier`; negative if that lies ahead.
    pub fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl std::fmt::Display for Millis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(at) => write!(f, "{at:.3}"),
            Err(_) => write!(f, "{}", self.0),
        }
    }
}

impl Serialize for Millis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl utoipa::PartialSchema for Millis {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .format(Some(utoipa::openapi::SchemaFormat::KnownFormat(
                utoipa::openapi::KnownFormat::DateTime,
            )))
            .into()
    }
}

impl utoipa::ToSchema for Millis {}

/// Puts a closed set of codes into the OpenAPI document under its own name, so that clients need no
/// copy of it.
#[macro_export]
macro_rules! code_schema {
    ($type:ty, $name:literal, $codes:expr) => {
        impl utoipa::PartialSchema for $type {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .enum_values(Some($codes))
                    .into()
            }
        }

        impl utoipa::ToSchema for $type {
            fn name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }
        }
    };
}

/// The only reader of the system's time. Tests move it by an offset.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// How far tests have moved the time.
    offset: Arc<AtomicI64>,
    /// The error that tests give the system's clock.
    skew: Arc<AtomicI64>,
    /// How far the system's clock is behind the database's (`clock_sync`).
    correction: Arc<AtomicI64>,
    /// How far it was ahead at the last comparison, even if too little to correct.
    ahead: Arc<AtomicI64>,
}

impl Clock {
    pub fn now(&self) -> Millis {
        self.system_now().plus(self.advanced() + self.correction.load(Ordering::Relaxed))
    }

    /// The machine's own time, right or wrong.
    #[allow(clippy::disallowed_methods)]
    pub fn system_now(&self) -> Millis {
        let now = jiff::Timestamp::now().as_millisecond();
        Millis(now + self.skew.load(Ordering::Relaxed))
    }

    pub fn skew(&self, millis: i64) {
        self.skew.store(millis, Ordering::Relaxed);
    }

    /// How far the system's clock is behind the shared one.
    pub fn correction(&self) -> i64 {
        self.correction.load(Ordering::Relaxed)
    }

    /// How far the system's clock was ahead of the database's at the last comparison.
    pub fn ahead(&self) -> i64 {
        self.ahead.load(Ordering::Relaxed)
    }

    pub fn note_ahead(&self, millis: i64) {
        self.ahead.store(millis, Ordering::Relaxed);
    }

    pub fn correct(&self, behind: i64) {
        self.correction.store(behind, Ordering::Relaxed);
    }

    pub fn advance(&self, millis: i64) {
        self.offset.fetch_add(millis, Ordering::Relaxed);
    }

    /// How far tests have moved the time.
    pub fn advanced(&self) -> i64 {
        self.offset.load(Ordering::Relaxed)
    }
}

/// The only reader of the system's random generator.
#[derive(Clone, Debug, Default)]
pub struct Entropy;

impl Entropy {
    /// Random bytes. Panics without a working generator: it must never go on to make secrets.
    #[allow(clippy::disallowed_methods, clippy::expect_used)]
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0_u8; N];
        getrandom::fill(&mut bytes).expect("the system's random generator works");
        bytes
    }

    pub fn id(&self, now: Millis) -> Id {
        let millis = u64::try_from(now.0).unwrap_or(0);
        let uuid = uuid::Builder::from_unix_timestamp_millis(millis, &self.bytes()).into_uuid();
        Id(uuid.hyphenated().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_in_utc_with_milliseconds() {
        assert_eq!(Millis(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Millis(1_760_000_000_120).to_string(), "2025-10-09T08:53:20.120Z");
    }

    #[test]
    fn an_id_has_one_spelling() {
        let id = Entropy.id(Millis(1_760_000_000_000));
        assert_eq!(Id::parse(id.as_str()), Some(id.clone()));
        assert_eq!(Id::parse(&id.as_str().to_uppercase()), None);
        assert_eq!(Id::parse(&id.as_str().replace('-', "")), None);
        assert_eq!(Id::parse("../../etc/passwd"), None);
        assert_eq!(Id::parse(""), None);
    }

    #[test]
    fn later_ids_sort_after_earlier_ones() {
        assert!(Entropy.id(Millis(1_000)) < Entropy.id(Millis(2_000)));
    }
}
