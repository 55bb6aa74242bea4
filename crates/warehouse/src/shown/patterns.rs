//! What personal values look like: one table, read by the classifier in Rust (`values`) and by the
//! conditions in SQL (`super`). Both engines are of the RE2 family, so a pattern means the same to
//! both; there is no look-around, and what must stand before or after is part of the pattern.

/// Nothing that would make the digits after it a part of a word, an id or a hash.
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

/// Between the groups of a telephone number.
macro_rules! gap {
    () => {
        r"[ .()-]{1,2}"
    };
}

/// The country's own number, if it is there.
macro_rules! country {
    () => {
        r"(?:[0-9]{1,3}[ .()-]{1,2})?"
    };
}

/// What identifies a person, wherever it stands in a text.
pub const PERSONAL: &[&str] = &[
    // E-mail addresses. All that is not ASCII counts as letters: the store reads a pattern anew for every
    // few thousand rows, and the tables of real letters took it four times as long as all else together.
    concat!(
        r"[0-9A-Za-z\x{80}-\x{10FFFF}._%+-]@(?:[0-9A-Za-z\x{80}-\x{10FFFF}-]+\.)+",
        r"[A-Za-z\x{80}-\x{10FFFF}]{2}"
    ),
    // Telephone numbers with a plus: eight to fifteen digits.
    concat!(r"\+[ (]{0,2}[0-9](?:[ .()-]{0,2}[0-9]){7,14}", after!()),
    // Chinese mobile numbers, in one piece, in any groups, or in the usual ones.
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
    // A place and a number in it.
    concat!(before!(), country!(), "0[0-9]{2,3}", gap!(), "[0-9]{7,8}", after!()),
    // The number that American authorities give out.
    concat!(before!(), country!(), "[0-9]{3}", gap!(), "[0-9]{2}", gap!(), "[0-9]{4}", after!()),
    // Chinese identity cards: a date of birth stands in the middle. The check digit is not looked
    // at: few other numbers of this length hold such a date.
    concat!(
        r"(?:^|[^0-9A-Za-z])[1-9][0-9]{5}[ -]?(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])",
        r"(?:0[1-9]|[12][0-9]|3[01])[ -]?[0-9]{3}[0-9Xx](?:$|[^0-9A-Za-z])"
    ),
    // Bank cards: 15 to 19 digits that begin like one, in one piece or in the usual groups.
    concat!(
        before!(),
        r"(?:4[0-9]|5[1-5]|2[2-7]|3[4-7]|6[0-9])(?:[0-9]{13,17}|[0-9]{2}[ -][0-9]{6}[ -][0-9]{5}",
        r"|[0-9]{2}[ -][0-9]{4}[ -][0-9]{4}[ -][0-9]{3,4}(?:[ -][0-9]{1,3})?)",
        after!()
    ),
    // The number of a telephone set (IMEI).
    concat!(before!(), "(?:01|35|86|9[19])[0-9]{13}", after!()),
    // Addresses of network cards, and of machines in the newer notation.
    r"(?:^|[^0-9A-Za-z:-])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?:$|[^0-9A-Za-z:-])",
    r"(?:^|[^0-9A-Za-z:])(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}(?:$|[^0-9A-Za-z:])",
    r"(?:^|[^0-9A-Za-z:])(?:[0-9A-Fa-f]{1,4}:){1,6}(?::[0-9A-Fa-f]{1,4}){1,6}(?:$|[^0-9A-Za-z:])",
];

/// Addresses of machines. A version of four numbers looks the same, so this is not asked where a
/// name says version; a browser's version that ends with zeros is none anywhere.
pub const ADDRESS: &str = concat!(
    before!(),
    r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])",
    r"(?:\.(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])){2}",
    r"\.(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9][0-9]?)(?:$|[^0-9A-Za-z_-])",
);

/// What opens something: a parameter of an address that is a secret by its name, a token.
pub const SECRETS: &[&str] = &[
    concat!(
        r"(?i)(?:^|[^0-9A-Za-z])(?:token|secret|passwd|password|pwd|apikey|key|auth|authorization|code",
        r"|sig|sign|signature|session|sessionid|sid|ticket|jwt|otp|credential)=[^& ]"
    ),
    r"(?i)bearer [0-9A-Za-z._~+/-]{8}",
    r"eyJ[0-9A-Za-z_-]{8,}\.",
];

/// Parts of a path that stand for one thing only: ids and tokens.
pub const TOKEN: &str = concat!(
    r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}",
    r"|(?:^|[^0-9A-Za-z])[0-9A-Fa-f]{16,}(?:$|[^0-9A-Za-z])"
);
/// A long run of letters and digits, and letters and digits that take turns: together a token.
pub const RUN: &str = "[0-9A-Za-z]{20}";
pub const TURNS: &str = "[0-9][A-Za-z]+[0-9][A-Za-z]+[0-9]";

/// As `could_be_id`, but for the length: digits beside something else, or many of them, and no space.
pub const COULD_BE_ID: &str = "^[^ ]*(?:[0-9][^ 0-9]|[^ 0-9][0-9])[^ ]*$|^[0-9]{8,}$";

/// What stands in a path before somebody's id: `/users/1001`.
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

/// Characters that are written for others. Those beyond the length of `PLAIN` are left out: they are
/// not seen.
pub const WRITTEN: &str = "０１２３４５６７８９٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९＠．－‐‑‒–—−（）＋＝\u{3000}\u{a0}\u{2009}\u{202f}\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{ad}";
pub const PLAIN: &str = "0123456789012345678901234567890123456789@.-------()+=    ";

/// All of them as one.
pub fn any(patterns: &[&str]) -> String {
    patterns.iter().map(|pattern| format!("(?:{pattern})")).collect::<Vec<_>>().join("|")
}
