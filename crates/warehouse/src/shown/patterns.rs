//! Patterns of personal values: one table, used by the classifier in Rust (`values`) and by the
//! conditions in SQL (`super`). Both engines are of the RE2 family, so a pattern means the same to both.
//! They have no look-around, so what must come before or after is part of the pattern.

/// Ensures that the digits after it are not part of a word, an id or a hash.
macro_rules! before {
    () => {
        r"(?:^|[^0-9A-Za-z_.-])"
    };
}

macro_rules! after {
    () => {
        r"(?:$|[^0-9A-Za-z_-])"
    };
}

/// Between the groups of a phone number.
macro_rules! gap {
    () => {
        r"[ .()-]{1,2}"
    };
}

/// An optional country code.
macro_rules! country {
    () => {
        r"(?:[0-9]{1,3}[ .()-]{1,2})?"
    };
}

/// Values that identify a person, anywhere in a text.
pub const PERSONAL: &[&str] = &[
    // Email addresses. All non-ASCII characters count as letters: the store compiles a pattern again
    // for every few thousand rows, and the Unicode tables of letters took four times as long as
    // everything else together.
    concat!(
        r"[0-9A-Za-z\x{80}-\x{10FFFF}._%+-]@(?:[0-9A-Za-z\x{80}-\x{10FFFF}-]+\.)+",
        r"[A-Za-z\x{80}-\x{10FFFF}]{2}"
    ),
    // Phone numbers with a plus: eight to fifteen digits.
    concat!(r"\+[ (]{0,2}[0-9](?:[ .()-]{0,2}[0-9]){7,14}", after!()),
    // Chinese mobile numbers, unbroken, in any groups, or in the usual groups.
    concat!(before!(), country!(), r"(?:(?:00)?86[ .()-]{0,2})?1[3-9](?:[ -]?[0-9]){9}", after!()),
    concat!(before!(), country!(), "1[3-9][0-9](?:", gap!(), "[0-9]{4}){2}", after!()),
    // North American numbers.
    concat!(
        before!(),
        country!(),
        "[2-9][0-9]{2}",
        gap!(),
        "[0-9]{3}",
        gap!(),
        "[0-9]{4}",
        after!()
    ),
    // Landline numbers with an area code.
    concat!(before!(), country!(), "0[0-9]{2,3}", gap!(), "[0-9]{7,8}", after!()),
    // US social security numbers.
    concat!(before!(), country!(), "[0-9]{3}", gap!(), "[0-9]{2}", gap!(), "[0-9]{4}", after!()),
    // Chinese identity cards, which contain a date of birth. The check digit is not verified: few other
    // numbers of this length contain such a date.
    concat!(
        r"(?:^|[^0-9A-Za-z])[1-9][0-9]{5}[ -]?(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])",
        r"(?:0[1-9]|[12][0-9]|3[01])[ -]?[0-9]{3}[0-9Xx](?:$|[^0-9A-Za-z])"
    ),
    // Bank cards: 15 to 19 digits with a card's prefix, unbroken or in the usual groups.
    concat!(
        before!(),
        r"(?:4[0-9]|5[1-5]|2[2-7]|3[4-7]|6[0-9])(?:[0-9]{13,17}|[0-9]{2}[ -][0-9]{6}[ -][0-9]{5}",
        r"|[0-9]{2}[ -][0-9]{4}[ -][0-9]{4}[ -][0-9]{3,4}(?:[ -][0-9]{1,3})?)",
        after!()
    ),
    // The number of a phone (IMEI).
    concat!(before!(), "(?:01|35|86|9[19])[0-9]{13}", after!()),
    // MAC and IPv6 addresses.
    r"(?:^|[^0-9A-Za-z:-])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?:$|[^0-9A-Za-z:-])",
    r"(?:^|[^0-9A-Za-z:])(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}(?:$|[^0-9A-Za-z:])",
    r"(?:^|[^0-9A-Za-z:])(?:[0-9A-Fa-f]{1,4}:){1,6}(?::[0-9A-Fa-f]{1,4}){1,6}(?:$|[^0-9A-Za-z:])",
];

/// IPv4 addresses. A version of four numbers looks the same, so this is not tested where a property's
/// name says version. An address whose last number is 0, as in a browser's version, never matches.
pub const ADDRESS: &str = concat!(
    before!(),
    r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])",
    r"(?:\.(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])){2}",
    r"\.(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9][0-9]?)(?:$|[^0-9A-Za-z_-])",
);

/// Secrets: URL parameters with a name that says so, and tokens.
pub const SECRETS: &[&str] = &[
    concat!(
        r"(?i)(?:^|[^0-9A-Za-z])(?:token|secret|passwd|password|pwd|apikey|key|auth|authorization|code",
        r"|sig|sign|signature|session|sessionid|sid|ticket|jwt|otp|credential)=[^& ]"
    ),
    r"(?i)bearer [0-9A-Za-z._~+/-]{8}",
    r"eyJ[0-9A-Za-z_-]{8,}\.",
];

/// Parts of a path that identify one thing: ids and tokens.
pub const TOKEN: &str = concat!(
    r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}",
    r"|(?:^|[^0-9A-Za-z])[0-9A-Fa-f]{16,}(?:$|[^0-9A-Za-z])"
);
/// A long run of letters and digits, and alternating letters and digits: both together make a token.
pub const RUN: &str = "[0-9A-Za-z]{20}";
pub const TURNS: &str = "[0-9][A-Za-z]+[0-9][A-Za-z]+[0-9]";

/// The same as `could_be_id` except for the length: digits next to other characters, or many digits, and
/// no space.
pub const COULD_BE_ID: &str = "^[^ ]*(?:[0-9][^ 0-9]|[^ 0-9][0-9])[^ ]*$|^[0-9]{8,}$";

/// Parts of a path that come before a person's id: `/users/1001`.
pub const PEOPLE_IN_PATHS: &[&str] = &[
    "account",
    "accounts",
    "client",
    "clients",
    "customer",
    "customers",
    "device",
    "devices",
    "friend",
    "friends",
    "member",
    "members",
    "people",
    "person",
    "profile",
    "profiles",
    "u",
    "user",
    "users",
];

/// Lookalike characters, each replaced by the one in `PLAIN` at the same position. Those beyond the
/// length of `PLAIN` are invisible and removed.
pub const WRITTEN: &str = "０１２３４５６７８９٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९＠．－‐‑‒–—−（）＋＝\u{3000}\u{a0}\u{2009}\u{202f}\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{ad}";
pub const PLAIN: &str = "0123456789012345678901234567890123456789@.-------()+=    ";

/// Combines patterns into one.
pub fn any(patterns: &[&str]) -> String {
    patterns.iter().map(|pattern| format!("(?:{pattern})")).collect::<Vec<_>>().join("|")
}
