//! Decides what people without `profile:pii` may see. Everything that shows event or profile data goes
//! through here; the warehouse's own answers were filtered by the same rules in SQL (`warehouse::shown`).
//!
//! A property name that sounds personal hides its value, and a value that looks personal is hidden under
//! any name. Ids of people and devices are only shown as pseudonyms (`pseudonym.rs`), and not at all in
//! properties, paths and names of events.

mod names;
mod others;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use warehouse::shown;

pub use names::{is_personal_path, names_person, sounds_personal};
pub use others::{Others, candidates, path_candidates};
pub use warehouse::shown::{HIDDEN, looks_personal};

/// The ids that may occur in an event's properties, path and name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ids<'a> {
    /// Whose event it is.
    pub user: &'a str,
    pub device: &'a str,
    /// Ids of other people in the app.
    pub others: Option<&'a Others>,
}

impl Ids<'_> {
    fn contains(&self, text: &str) -> bool {
        let is = |id: &str| {
            !id.is_empty() && text == id
                || id.len() >= shown::CONTAINED_MIN && text.len() > id.len() && text.contains(id)
        };
        is(self.user) || is(self.device) || self.others.is_some_and(|others| others.contains(text))
    }

    fn is_number(&self, whole: &str) -> bool {
        // A short run of digits matches an id by accident.
        let is_own = whole == self.user || whole == self.device;
        whole.len() >= shown::NUMBER_MIN && is_own
            || self.others.is_some_and(|others| others.contains(whole))
    }

    /// Whether a standalone text, such as the name of an event, must be hidden.
    pub fn hide(&self, text: &str) -> bool {
        looks_personal(text) || self.contains(text)
    }

    /// The same for a field that may hold a version, where four numbers are not an IP address.
    fn hide_as(&self, text: &str, is_version: bool) -> bool {
        shown::looks_personal_as(text, is_version) || self.contains(text)
    }

    /// A standalone text in the form that is shown.
    pub fn shown(&self, text: String) -> String {
        if self.hide(&text) { HIDDEN.to_owned() } else { text }
    }

    /// A field that names software or a device, in the form that is shown.
    pub fn shown_version(&self, text: String) -> String {
        if self.hide_as(&text, true) { HIDDEN.to_owned() } else { text }
    }
}

/// Removes everything personal from an event's properties. Returns how many values that were.
pub fn redact_event(properties: &mut Map<String, Value>, ids: Ids<'_>) -> u64 {
    Redaction { ids, strictness: Strictness::Event }.map(properties, &Place::default())
}

/// Removes everything personal from a profile's properties: no text in them is shown at all.
pub fn redact_profile(properties: &mut Map<String, Value>, ids: Ids<'_>) -> u64 {
    Redaction { ids, strictness: Strictness::Profile }.map(properties, &Place::default())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Strictness {
    Event,
    Profile,
}

/// The position of a value: `card.number` is judged as a whole.
#[derive(Default)]
struct Place {
    path: String,
    /// A name along the path says that everything below it is personal.
    is_personal: bool,
    /// The last name says that a plain value under it identifies a person.
    is_person: bool,
    is_version: bool,
}

impl Place {
    fn below(&self, name: &str) -> Self {
        let path = match self.path.as_str() {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        Self {
            is_personal: self.is_personal || sounds_personal(name) || sounds_personal(&path),
            is_person: names_person(name),
            is_version: shown::says_version(name),
            path,
        }
    }
}

struct Redaction<'a> {
    ids: Ids<'a>,
    strictness: Strictness,
}

impl Redaction<'_> {
    fn map(&self, map: &mut Map<String, Value>, place: &Place) -> u64 {
        let mut redacted = 0;
        // A name can also be someone's address; then not even the name is shown.
        map.retain(|name, _| {
            let keep = !self.ids.hide(name);
            redacted += u64::from(!keep);
            keep
        });
        for (name, value) in map {
            redacted += self.value(value, &place.below(name));
        }
        redacted
    }

    fn value(&self, value: &mut Value, place: &Place) -> u64 {
        let personal = place.is_personal || place.is_person;
        let hide = match value {
            // True, false and null do not reveal who it is.
            Value::Null | Value::Bool(_) => false,
            Value::String(text) => {
                personal
                    || self.strictness == Strictness::Profile
                    || self.ids.hide_as(text, place.is_version)
            }
            Value::Number(number) => {
                let whole = shown::whole_part(number);
                personal || shown::number_looks_personal(&whole) || self.ids.is_number(&whole)
            }
            Value::Array(list) => {
                return list.iter_mut().map(|value| self.value(value, place)).sum();
            }
            Value::Object(map) => return self.map(map, place),
        };
        if hide {
            *value = Value::Null;
        }
        u64::from(hide)
    }
}

/// The prefix with which the event store marks ids of the event's own person in what it counts by.
pub const OWN: char = '\0';

/// The path of a URL, without what follows it and without anything personal in it.
pub fn path(address: &str, ids: Ids<'_>) -> String {
    let mut before = String::new();
    let segment = |segment: &str| {
        let (is_own, segment) = match segment.strip_prefix(OWN) {
            Some(segment) => (true, segment),
            None => (false, segment),
        };
        let plain = percent_decode_str(segment).decode_utf8_lossy();
        let is_people = shown::PEOPLE_IN_PATHS.contains(&before.to_lowercase().as_str());
        let hide = is_own
            || ids.hide(&plain)
            || ids.contains(segment)
            || shown::looks_like_token(&plain)
            || is_people && segment.bytes().any(|byte| byte.is_ascii_digit());
        before = segment.to_owned();
        if hide { HIDDEN.to_owned() } else { segment.to_owned() }
    };
    local(address).split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// The path alone: without the host before it and whatever follows it.
fn local(address: &str) -> &str {
    let path = address.split(['?', '#', ';']).next().unwrap_or_default();
    let is_scheme = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
    };
    match path.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => rest.find('/').map_or("/", |at| &rest[at..]),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const IDS: Ids<'_> = Ids { user: "u-7", device: "d-9", others: None };

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn events_lose_what_is_personal_and_keep_the_rest() {
        let mut properties = map(json!({
            "plan": "pro", "seats": 3, "email": "x", "note": "write to jane@example.com",
            "phone": 13_800_138_000_i64, "number": 13_800_138_000_i64, "who": "u-7", "on": "d-9",
            "mobile": true, "user": { "name": "小王", "level": 2, "tags": ["a", "138-0013-8000"] },
            "contact": { "city": "上海" }, "jane@example.com": 1, "list": [{ "tel": "1" }, null],
        }));
        let redacted = redact_event(&mut properties, IDS);
        let expected = json!({
            "plan": "pro", "seats": 3, "email": null, "note": null, "phone": null, "number": null,
            "who": null, "on": null, "mobile": true,
            "user": { "name": null, "level": 2, "tags": ["a", null] },
            "contact": { "city": null }, "list": [{ "tel": null }, null],
        });
        assert_eq!(Value::Object(properties), expected);
        assert_eq!(redacted, 11);
    }

    #[test]
    fn a_number_is_an_id_if_it_is_long() {
        let ids = Ids { user: "40001", device: "3", others: None };
        let mut properties = map(json!({ "who": 40001, "was": 40001.0, "level": 3, "on": "3" }));
        redact_event(&mut properties, ids);
        assert_eq!(
            Value::Object(properties),
            json!({ "who": null, "was": null, "level": 3, "on": null })
        );
    }

    #[test]
    fn of_profiles_no_text_is_shown() {
        let mut properties = map(json!({
            "plan": "pro", "age": 31, "vip": true, "phone": 1, "tags": ["a", 2], "o": { "x": "y" },
        }));
        assert_eq!(redact_profile(&mut properties, IDS), 4);
        let expected = json!({
            "plan": null, "age": 31, "vip": true, "phone": null, "tags": [null, 2], "o": { "x": null },
        });
        assert_eq!(Value::Object(properties), expected);
    }

    #[test]
    fn a_profile_does_not_tell_its_own_id() {
        let ids = Ids { user: "40001", ..Ids::default() };
        let mut properties = map(json!({ "number": 40001, "age": 31 }));
        redact_profile(&mut properties, ids);
        assert_eq!(Value::Object(properties), json!({ "number": null, "age": 31 }));
    }

    #[test]
    fn names_are_judged_with_those_above_them() {
        let mut properties = map(json!({
            "card": { "number": "x", "type": "visa" }, "driver": [{ "license": "y", "age": 3 }],
            "friend": "z", "invited_by": 7, "friends": ["v"], "user": { "level": 2 },
            "app_version": "10.1.2.3", "host": "10.1.2.3", "password": "w",
        }));
        redact_event(&mut properties, IDS);
        let expected = json!({
            "card": { "number": null, "type": "visa" }, "driver": [{ "license": null, "age": 3 }],
            "friend": null, "invited_by": null, "friends": [null], "user": { "level": 2 },
            "app_version": "10.1.2.3", "host": null, "password": null,
        });
        assert_eq!(Value::Object(properties), expected);
    }

    #[test]
    fn others_are_hidden_like_oneself() {
        let others = Others::from(["user-bob-12", "10020030"]);
        let ids = Ids { others: Some(&others), ..IDS };
        let mut properties =
            map(json!({ "to": "user-bob-12", "n": 10_020_030, "user-bob-12": 1, "x": "y" }));
        assert_eq!(redact_event(&mut properties, ids), 3);
        assert_eq!(Value::Object(properties), json!({ "to": null, "n": null, "x": "y" }));
        assert_eq!(path("/to/user-bob-12", ids), "/to/***");
        assert_eq!(ids.shown("user-bob-12".to_owned()), HIDDEN);
        assert_eq!(ids.shown("order".to_owned()), "order");
        assert_eq!(ids.shown("mail to a@b.co".to_owned()), HIDDEN);
    }

    #[test]
    fn paths_lose_queries_and_people() {
        let path = |text| path(text, IDS);
        assert_eq!(path("/pricing"), "/pricing");
        assert_eq!(path("/a?email=jane@example.com#top"), "/a");
        assert_eq!(path("/users/jane%40example.com/orders"), "/users/***/orders");
        assert_eq!(path("/users/u-7/13800138000"), "/users/***/***");
        assert_eq!(path("/of/\0jane?x"), "/of/***", "as it was counted");
        assert_eq!(path("https://shop.example/a/b?c"), "/a/b");
        assert_eq!(path("https://shop.example"), "/");
        assert_eq!(path("/to?x=https://other.example/y"), "/to");
        assert_eq!(path("/users/1001/orders"), "/users/***/orders");
        assert_eq!(path("/users/settings"), "/users/settings");
        assert_eq!(path("/reset/5f7c8ec7c33c6c004bbafe82"), "/reset/***");
        assert_eq!(path(""), "");
    }
}
