//! What a caller without the right to personal data sees of an event, as SQL: a value, or nothing.
//! Filters, groups, suggestions and examples all read events through these conditions, so hidden values
//! cannot be tested for either: they are treated as absent.
//!
//! A text is hidden if it looks personal (`patterns`), if it is or contains the id of the event's own
//! user or device, or if it is the id of anyone in the app. `docs/decisions/0016-personal-data.md` says
//! why.

mod patterns;
mod values;

pub use patterns::PEOPLE_IN_PATHS;
use patterns::{ADDRESS, COULD_BE_ID, PERSONAL, PLAIN, RUN, SECRETS, TOKEN, TURNS, WRITTEN, any};
use values::{ID_DIGITS_MIN, ID_MIN};
pub use values::{
    could_be_id, looks_like_token, looks_personal, looks_personal_as, number_looks_personal,
    says_version, whole_part,
};

/// A group of hidden values is shown only if it has at least this many people. Smaller groups count as
/// not set.
pub const PEOPLE_MIN: u64 = 5;

/// Replaces hidden parts of a path.
pub const HIDDEN: &str = "***";

/// A shorter id may be part of a text by coincidence.
pub const CONTAINED_MIN: usize = 5;

/// A number with fewer digits may equal an id by coincidence.
pub const NUMBER_MIN: usize = 4;

/// How many ids a statement compares with. The set of this many takes about 160 MB.
const IDS_MAX: u64 = 5_000_000;

/// The conditions of a statement about the events of one app.
pub struct Shown {
    /// Hashes of the ids of the app's people and devices.
    ids: String,
}

impl Shown {
    /// `app` is the placeholder of the app's id.
    pub fn of(app: &str) -> Self {
        let ids = format!("(SELECT hash FROM identities WHERE app_id = {app} LIMIT {IDS_MAX})");
        Self { ids }
    }

    /// Whether an element `e` of a property, as JSON, is hidden. Booleans and null never identify
    /// anyone; the values inside an object are queried by their own names.
    pub fn hides_json(&self, e: &str, is_version: bool) -> String {
        let (own, looks, known) = (own("x"), looks("x", is_version), self.is_id("x"));
        // A number is compared by the digits of its whole part, without a sign.
        let whole = format!(
            "if(match({e}, '[.eE]'), toString(toUInt64(least(abs(toFloat64OrZero({e})), 9e18))), \
             replaceOne({e}, '-', ''))"
        );
        let is_text = format!("startsWith({e}, '\"')");
        let value = format!("if({is_text}, JSONExtractString({e}), {whole})");
        let hides = format!(
            "(if({is_text}, {own}, length(x) >= {NUMBER_MIN} AND (x = user_id OR x = device_id)) \
             OR ({is_text} OR length(x) >= {ID_DIGITS_MIN}) AND {looks} OR {known})"
        );
        format!(
            "({e} NOT IN ('', 'null', 'true', 'false') AND NOT startsWith({e}, '{{') \
             AND NOT startsWith({e}, '[') AND {})",
            of("x", &value, &hides)
        )
    }

    /// Whether a text `x` is hidden. The cheapest tests come first.
    pub fn hides_text(&self, x: &str, is_version: bool) -> String {
        let (own, known, looks) = (own(x), self.is_id(x), looks(x, is_version));
        format!("({own} OR {looks} OR {known})")
    }

    /// Whether a text `x` is the id of a person or device in the app. Only texts that meet `could_be_id`
    /// are looked up.
    pub fn is_id(&self, x: &str) -> String {
        let (could_be, ids) = (quote(COULD_BE_ID), &self.ids);
        format!(
            "(length({x}) >= {ID_MIN} AND match({x}, {could_be}) \
             AND (xxHash64(concat('u', {x})) IN {ids} OR xxHash64(concat('d', {x})) IN {ids}))"
        )
    }

    /// Whether the property name `x`, a placeholder, is hidden because it is an id. Names that look
    /// personal never get here.
    pub fn hides_name(&self, x: &str) -> String {
        format!("({} OR {})", is_own(x), self.is_id(x))
    }

    /// The path of an event without its query and fragment, and with personal parts hidden.
    pub fn path(&self) -> String {
        let local = "replaceRegexpOne(extract(url_path, '^[^?#;]*'), \
                     '^[A-Za-z][A-Za-z0-9+.-]*://[^/]*', '')";
        let local = format!(
            "if(empty({local}) AND match(url_path, '^[A-Za-z][A-Za-z0-9+.-]*://'), '/', {local})"
        );
        let parts = format!("splitByChar('/', {local})");
        let people = PEOPLE_IN_PATHS.iter().map(|word| quote(word)).collect::<Vec<_>>().join(", ");
        let plain = format!("({} OR {})", self.hides_text("x", false), token("x"));
        let hides = format!(
            "notEmpty(part) AND (part = user_id OR part = device_id \
             OR lower(before) IN ({people}) AND match(part, '[0-9]') OR {})",
            of("x", &decoded("part"), &plain)
        );
        format!(
            "arrayStringConcat(arrayMap((part, before) -> if({hides}, {}, part), {parts}, \
             arrayPopBack(arrayPushFront({parts}, ''))), '/')",
            quote(HIDDEN)
        )
    }
}

/// A condition about `name`, which stands for an expression. If the expression were repeated in every
/// place, the engine would take longer to parse it than to compute it.
fn of(name: &str, expression: &str, condition: &str) -> String {
    format!("arrayExists({name} -> {condition}, [{expression}])")
}

/// Whether `x` is the id of the event's own user or device.
pub fn is_own(x: &str) -> String {
    format!("(notEmpty({x}) AND ({x} = user_id OR {x} = device_id))")
}

/// Whether `x` is the id of the event's own user or device, or contains it.
fn own(x: &str) -> String {
    let contains =
        |id: &str| format!("length({id}) >= {CONTAINED_MIN} AND position({x}, {id}) > 0");
    format!("({} OR {} OR {})", is_own(x), contains("user_id"), contains("device_id"))
}

/// The same as `looks_personal_as`. Nearly all texts are plain ASCII; the others are also tested in the
/// normalized form that Rust uses. No cheaper tests go first: a single pattern for everything is as
/// fast, and the time to plan a statement grows with the square of a lambda's size.
fn looks(x: &str, is_version: bool) -> String {
    let all = quote(&format!("{}|{}", personal(is_version), any(SECRETS)));
    let plain = |x: &str| format!("translateUTF8({x}, {}, {})", quote(WRITTEN), quote(PLAIN));
    let decoded = decoded(&format!("replaceAll({x}, '%25', '%')"));
    let (decoded, written) = (plain(&decoded), plain(x));
    format!(
        "(match({x}, {all}) OR length({x}) != lengthUTF8({x}) AND match({written}, {all}) \
         OR position({x}, '%') > 0 AND match({decoded}, {all}))"
    )
}

/// URL-decoded. The engine fails to decode a character after a stray percent sign, as in `%%40`.
fn decoded(x: &str) -> String {
    let signs = format!("replaceAll(replaceAll({x}, '%40', '@'), '%20', ' ')");
    format!("toValidUTF8(decodeURLComponent({signs}))")
}

fn personal(is_version: bool) -> String {
    let address = (!is_version).then_some(ADDRESS);
    let patterns: Vec<&str> = PERSONAL.iter().copied().chain(address).collect();
    any(&patterns)
}

/// The same as `looks_like_token`.
fn token(x: &str) -> String {
    let (token, run, turns) = (quote(TOKEN), quote(RUN), quote(TURNS));
    format!("(match({x}, {token}) OR match({x}, {run}) AND match({x}, {turns}))")
}

/// One of our own texts as a literal.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
