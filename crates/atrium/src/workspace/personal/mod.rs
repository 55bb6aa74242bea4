//! What may leave the server for people without `profile:pii`, and what may not. Everything that
//! shows event or profile data goes through here.
//!
//! A name that sounds personal hides its value, and so does a value that looks personal under
//! whatever name; ids of people and devices are shown as pseudonyms only (`pseudonym.rs`).

mod names;
mod values;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

pub use names::sounds_personal;
pub use values::looks_personal;

/// What stands in a path for what was there; the event store says it so too.
pub const HIDDEN: &str = "***";

/// A number of fewer digits may well be the same as an id and have nothing to do with it.
const ID_DIGITS: usize = 5;

/// The ids that an event belongs to, which may stand in its properties and its path too.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnIds<'a> {
    pub user: &'a str,
    pub device: &'a str,
}

impl OwnIds<'_> {
    fn contains(&self, text: &str) -> bool {
        !text.is_empty() && (text == self.user || text == self.device)
    }
}

/// Takes everything personal out of an event's properties, and says how many values that were.
pub fn redact_event(properties: &mut Map<String, Value>, ids: OwnIds<'_>) -> u64 {
    redact_map(properties, ids, Strictness::Event, false)
}

/// Takes everything personal out of a profile's properties: of those, no text is shown at all.
pub fn redact_profile(properties: &mut Map<String, Value>) -> u64 {
    redact_map(properties, OwnIds::default(), Strictness::Profile, false)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Strictness {
    Event,
    Profile,
}

fn redact_map(
    map: &mut Map<String, Value>,
    ids: OwnIds<'_>,
    strictness: Strictness,
    under_personal: bool,
) -> u64 {
    let mut redacted = 0;
    // A name can be somebody's address too; then not even the name is shown.
    map.retain(|name, _| {
        let keep = !looks_personal(name) && !ids.contains(name);
        redacted += u64::from(!keep);
        keep
    });
    for (name, value) in map {
        let personal = under_personal || sounds_personal(name);
        redacted += redact_value(value, ids, strictness, personal);
    }
    redacted
}

fn redact_value(value: &mut Value, ids: OwnIds<'_>, strictness: Strictness, personal: bool) -> u64 {
    let hide = match value {
        // Yes, no and nothing say nothing about who it is.
        Value::Null | Value::Bool(_) => false,
        Value::String(text) => {
            personal
                || strictness == Strictness::Profile
                || looks_personal(text)
                || ids.contains(text)
        }
        Value::Number(number) => {
            let text = number.to_string();
            // Few digits are an id by accident.
            let is_id = text.len() >= ID_DIGITS && ids.contains(&text);
            personal || is_id || looks_personal(&text)
        }
        Value::Array(list) => {
            let each = |value| redact_value(value, ids, strictness, personal);
            return list.iter_mut().map(each).sum();
        }
        Value::Object(map) => return redact_map(map, ids, strictness, personal),
    };
    if hide {
        *value = Value::Null;
    }
    u64::from(hide)
}

/// A plain value on its own, if it may be shown.
pub fn shown(text: &str) -> Option<String> {
    (!looks_personal(text)).then(|| text.to_owned())
}

/// The path of an address, without what comes after it and without what is personal in it.
pub fn path(address: &str, ids: OwnIds<'_>) -> String {
    let path = address.split(['?', '#', ';']).next().unwrap_or_default();
    let path = match path.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |at| &rest[at..]),
        None => path,
    };
    let segment = |segment: &str| {
        let plain = percent_decode_str(segment).decode_utf8_lossy();
        let hide = looks_personal(&plain) || ids.contains(&plain) || ids.contains(segment);
        if hide { HIDDEN.to_owned() } else { segment.to_owned() }
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const IDS: OwnIds<'_> = OwnIds { user: "u-7", device: "d-9" };

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
        let ids = OwnIds { user: "40001", device: "3" };
        let mut properties = map(json!({ "who": 40001, "level": 3, "on": "3" }));
        redact_event(&mut properties, ids);
        assert_eq!(Value::Object(properties), json!({ "who": null, "level": 3, "on": null }));
    }

    #[test]
    fn of_profiles_no_text_is_shown() {
        let mut properties = map(json!({
            "plan": "pro", "age": 31, "vip": true, "phone": 1, "tags": ["a", 2], "o": { "x": "y" },
        }));
        assert_eq!(redact_profile(&mut properties), 4);
        let expected = json!({
            "plan": null, "age": 31, "vip": true, "phone": null, "tags": [null, 2], "o": { "x": null },
        });
        assert_eq!(Value::Object(properties), expected);
    }

    #[test]
    fn paths_lose_queries_and_people() {
        let path = |text| path(text, IDS);
        assert_eq!(path("/pricing"), "/pricing");
        assert_eq!(path("/a?email=jane@example.com#top"), "/a");
        assert_eq!(path("/users/jane%40example.com/orders"), "/users/***/orders");
        assert_eq!(path("/users/u-7/13800138000"), "/users/***/***");
        assert_eq!(path("https://shop.example/a/b?c"), "/a/b");
        assert_eq!(path("https://shop.example"), "/");
        assert_eq!(path(""), "");
    }
}
