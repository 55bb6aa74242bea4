//! Limits on JSON that are checked without parsing it into values: depth and number of keys. For a
//! message that cannot be read as a whole, also finds the field to blame.

use memchr::memchr2;
use serde_json::Value;

use super::message::{Label, sdk_version};
use super::reason::Reason;

const DEPTH_MAX: usize = 8;
const KEYS_MAX: usize = 256;

/// Whether valid JSON text is an object within our limits. The parser has already checked its strings, so
/// quotes and backslashes can be trusted here.
pub fn is_plain_object(text: &str) -> bool {
    let bytes = text.trim_ascii().as_bytes();
    if bytes.first() != Some(&b'{') {
        return false;
    }
    let (mut depth, mut keys, mut at) = (0_usize, 0_usize, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return false;
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b':' => {
                keys += 1;
                if keys > KEYS_MAX {
                    return false;
                }
            }
            b'"' => at = end_of_string(bytes, at),
            _ => {}
        }
        at += 1;
    }
    true
}

/// The position of the closing quote of the string that begins at `start`.
pub fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes.get(at) == Some(&b'"') {
            return at;
        }
        at += 2;
    }
    bytes.len()
}

/// Whether every value of an object is a number usable in arithmetic.
pub fn all_numbers(object: &str) -> bool {
    serde_json::from_str::<std::collections::BTreeMap<String, f64>>(object)
        .is_ok_and(|values| values.values().all(|value| value.is_finite()))
}

/// The slow path for an event that could not be read: only senders of such events pay for it.
pub fn fault_of_event(data: &str, label: &mut Label) -> Reason {
    let Some(data) = object(data, label) else { return Reason::BadMessage };
    if !is_text(&data, "log_id", true) {
        return Reason::BadLogId;
    }
    if !is_text(&data, "event", true) {
        return Reason::BadEvent;
    }
    if !is_whole(&data, "timestamp") {
        return Reason::BadTimestamp;
    }
    if !is_text(&data, "device_id", true) {
        return Reason::BadDeviceId;
    }
    Reason::BadField
}

pub fn fault_of_mutation(data: &str, label: &mut Label) -> Reason {
    let Some(data) = object(data, label) else { return Reason::BadMessage };
    if !is_text(&data, "log_id", true) {
        return Reason::BadLogId;
    }
    if !is_text(&data, "operation", true) {
        return Reason::BadOperation;
    }
    if !is_whole(&data, "timestamp") {
        return Reason::BadTimestamp;
    }
    if !is_text(&data, "id", true) {
        return Reason::BadId;
    }
    Reason::BadField
}

fn object(data: &str, label: &mut Label) -> Option<serde_json::Map<String, Value>> {
    let Ok(Value::Object(object)) = serde_json::from_str(data) else { return None };
    let version = object.get("sdk_version").and_then(Value::as_str).unwrap_or_default();
    label.sdk_version = sdk_version(version);
    Some(object)
}

fn is_text(data: &serde_json::Map<String, Value>, field: &str, required: bool) -> bool {
    match data.get(field) {
        Some(Value::String(_)) => true,
        Some(Value::Number(number)) => number.is_i64() || number.is_u64(),
        Some(Value::Null) | None => !required,
        Some(_) => false,
    }
}

fn is_whole(data: &serde_json::Map<String, Value>, field: &str) -> bool {
    data.get(field).is_some_and(Value::is_i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_within_limits_are_plain() {
        assert!(is_plain_object("{}"));
        assert!(is_plain_object(r#" {"a": "}{][:\"", "b": [1, {"c": null}]} "#));
        assert!(!is_plain_object("[]"));
        assert!(!is_plain_object("null"));
        assert!(!is_plain_object("\"{}\""));
    }

    #[test]
    fn depth_and_keys_are_bounded() {
        let nested = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        assert!(is_plain_object(&nested(DEPTH_MAX)));
        assert!(!is_plain_object(&nested(DEPTH_MAX + 1)));
        let wide = |keys: usize| {
            let pairs: Vec<_> = (0..keys).map(|key| format!("\"k{key}\":1")).collect();
            format!("{{{}}}", pairs.join(","))
        };
        assert!(is_plain_object(&wide(KEYS_MAX)));
        assert!(!is_plain_object(&wide(KEYS_MAX + 1)));
    }

    #[test]
    fn increments_are_numbers() {
        assert!(all_numbers(r#"{"a": 1, "b": -2.5}"#));
        assert!(!all_numbers(r#"{"a": "1"}"#));
        assert!(!all_numbers(r#"{"a": null}"#));
    }
}
