//! Values beyond an app's limits. They are stored as they are, with a bit set in the row's
//! `over_limit`, and everything that counts by value counts them together, as `OTHER`.

/// What such values are counted as. No app can send it: the collector refuses zero bytes.
pub const OTHER: &str = "\0other";

/// The same in a statement.
pub(crate) const OTHER_SQL: &str = r"'\0other'";

/// Bits of a row's `over_limit`. They are part of what is stored.
pub const EVENT: u8 = 1;
pub const OS: u8 = 2;
pub const BROWSER: u8 = 4;
pub const DEVICE_TYPE: u8 = 8;
pub const LANGUAGE: u8 = 16;
/// A name in its properties.
pub const PROPERTIES: u8 = 32;
/// The page of a page view.
pub const PAGE: u8 = 64;
/// The site that led to it.
pub const SITE: u8 = 128;
