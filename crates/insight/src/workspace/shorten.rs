//! Bounds the size of pages in lists: long values are cut, and marked as such. They are complete in the
//! answer about a single item, or on a page with fewer items.

use serde_json::{Map, Value};

use atrium_collect::collect::fold::length;

/// The limit for the properties of all items of a page; with everything else a page stays below 1 MB.
const PAGE_BYTES: usize = 640 << 10;
/// Marks where the end of a text or a list was cut off.
const MARK: &str = "…";
/// A shorter part of a value would say nothing.
const LEAST: usize = 16;

/// How many bytes each of this many items may take.
pub fn share(items: usize) -> usize {
    PAGE_BYTES / items.max(1)
}

/// Cuts properties down to this many bytes of JSON. True if something was cut.
pub fn shorten(properties: &mut Map<String, Value>, most: usize) -> bool {
    if length(properties) <= most {
        return false;
    }
    *properties = object(std::mem::take(properties), most);
    true
}

/// Short values leave their unused share to later ones.
fn object(properties: Map<String, Value>, most: usize) -> Map<String, Value> {
    let mut left = most.saturating_sub(2);
    let count = properties.len();
    let mut kept = Map::new();
    for (index, (key, value)) in properties.into_iter().enumerate() {
        let name = length(&key) + 2;
        if name + LEAST > left {
            break;
        }
        let fair = (left / (count - index)).max(name + LEAST).min(left);
        let value = cut(value, fair - name);
        left = left.saturating_sub(name + length(&value));
        kept.insert(key, value);
    }
    kept
}

fn cut(value: Value, most: usize) -> Value {
    match value {
        value if length(&value) <= most => value,
        Value::String(text) => Value::String(beginning(&text, most)),
        Value::Array(list) => {
            let mut left = most.saturating_sub(2 + MARK.len() + 3);
            let mut kept = Vec::new();
            for item in list {
                let item = cut(item, left.saturating_sub(1));
                let taken = length(&item) + 1;
                if taken > left {
                    break;
                }
                left -= taken;
                kept.push(item);
            }
            if kept.last().is_none_or(|last| last.as_str() != Some(MARK)) {
                kept.push(MARK.into());
            }
            Value::Array(kept)
        }
        Value::Object(properties) => Value::Object(object(properties, most)),
        // A number that does not fit even though it is short.
        _ => MARK.into(),
    }
}

/// The beginning of a text that fits, quotes and escapes included.
fn beginning(text: &str, most: usize) -> String {
    let mut left = most.saturating_sub(2 + MARK.len());
    let fits = |c: &char| {
        let taken = match c {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            c if c.is_ascii_control() => 6,
            c => c.len_utf8(),
        };
        let room = taken <= left;
        left = left.saturating_sub(taken);
        room
    };
    let mut kept: String = text.chars().take_while(fits).collect();
    kept.push_str(MARK);
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shortened(value: Value, most: usize) -> (Value, bool) {
        let Value::Object(mut properties) = value else { panic!("an object") };
        let was_cut = shorten(&mut properties, most);
        (Value::Object(properties), was_cut)
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        let value = json!({ "a": "x", "b": [1, 2], "c": { "d": null } });
        assert_eq!(shortened(value.clone(), 100), (value, false));
    }

    #[test]
    fn what_is_long_is_cut_and_marked_and_what_is_short_stays() {
        let long = "长\"".repeat(5_000);
        let list: Vec<u32> = (0..5_000).collect();
        let value =
            json!({ "a": long, "b": list, "c": { "d": long, "e": 1 }, "f": 7, "g": "short" });
        let (cut, was_cut) = shortened(value, 2_000);
        assert!(was_cut);
        assert!(length(&cut) <= 2_000, "{}", length(&cut));
        assert!(cut["a"].as_str().unwrap().starts_with("长\"长"));
        assert!(cut["a"].as_str().unwrap().ends_with(MARK));
        let kept = cut["b"].as_array().unwrap();
        assert_eq!((&kept[0], kept.last().unwrap()), (&json!(0), &json!(MARK)));
        assert!(cut["c"]["d"].as_str().unwrap().ends_with(MARK));
        assert_eq!((&cut["f"], &cut["g"]), (&json!(7), &json!("short")));
    }

    #[test]
    fn nothing_is_longer_than_it_may_be() {
        let deep = json!({ "a": [[[{ "b": "x".repeat(50) }, 1], 2], vec![3; 40]], "c": "\u{1}\n".repeat(99) });
        let wide: Map<_, _> =
            (0..1_000).map(|n| (format!("name {n}"), json!("x".repeat(64)))).collect();
        for value in [deep, Value::Object(wide)] {
            for most in [2, 10, 30, 60, 100, 150, 1_000, 10_000] {
                let (cut, _) = shortened(value.clone(), most);
                assert!(length(&cut) <= most, "{most}: {} {cut}", length(&cut));
            }
        }
    }
}
