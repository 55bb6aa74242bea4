//! Values beyond an app's limits. They are stored unchanged, with a bit set in the row's `over_limit`,
//! and everything that counts by value counts them together, as `OTHER`.

/// The name that such values are counted under. No app can send it: the collector refuses zero bytes.
pub const OTHER: &str = "\0other";

/// The same as an SQL literal.
pub(crate) const OTHER_SQL: &str = r"'\0other'";

/// Bits of a row's `over_limit`. They are stored, so their meaning must never change.
pub const EVENT: u8 = 1;
pub const OS: u8 = 2;
pub const BROWSER: u8 = 4;
pub const DEVICE_TYPE: u8 = 8;
pub const LANGUAGE: u8 = 16;
/// A property name.
pub const PROPERTIES: u8 = 32;
/// The page of a page view.
pub const PAGE: u8 = 64;
/// The referring site of a page view.
pub const SITE: u8 = 128;
