//! The shape of a message without its content: every value is replaced by its kind. For people who must
//! find out why their message was refused, but may not see what is in it.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use warehouse::shown::could_be_id;

use crate::personal;

const NAME_MAX: usize = 64;
const DEPTH_MAX: usize = 3;
const FIELDS_MAX: usize = 50;

/// The outline of a JSON text. If the text cannot be parsed, even its outline is unknown.
pub fn outline(text: &str) -> Value {
    let left = Cell::new(FIELDS_MAX);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let seed = Outline { depth: 0, left: &left };
    seed.deserialize(&mut deserializer).unwrap_or_else(|_| "<unreadable>".into())
}

/// Deserializes a value so that only its outline is ever in memory.
#[derive(Clone, Copy)]
struct Outline<'a> {
    depth: usize,
    /// How many more fields may be shown.
    left: &'a Cell<usize>,
}

impl Outline<'_> {
    /// Uses up one of the remaining fields.
    fn takes_field(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }

    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

/// Names are shown as field names, unless they look like values that were sent as names by mistake.
fn name(text: &str) -> String {
    let cut: String = text.chars().take(NAME_MAX).collect();
    // The app's ids are not known here, so anything that could be an id is left out.
    let hide = personal::looks_personal(text) || could_be_id(text);
    if hide { "<name>".to_owned() } else { cut }
}

impl<'de> DeserializeSeed<'de> for Outline<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, input: D) -> Result<Value, D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Outline<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok("<null>".into())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Value, E> {
        Ok("<boolean>".into())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Value, E> {
        Ok("<number>".into())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Value, E> {
        Ok("<number>".into())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Value, E> {
        Ok("<number>".into())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(format!("<string {}>", text.chars().count()).into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut input: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while self.depth < DEPTH_MAX && self.takes_field() {
            match input.next_element_seed(self.deeper())? {
                Some(element) => list.push(element),
                None => return Ok(list.into()),
            }
        }
        while input.next_element::<IgnoredAny>()?.is_some() {}
        Ok(if self.depth < DEPTH_MAX { list.into() } else { "<list>".into() })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut input: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while self.depth < DEPTH_MAX && self.left.get() > 0 {
            let Some(key) = input.next_key::<String>()? else { return Ok(object.into()) };
            self.takes_field();
            object.insert(name(&key), input.next_value_seed(self.deeper())?);
        }
        while input.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(if self.depth < DEPTH_MAX { object.into() } else { "<object>".into() })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_become_their_kinds() {
        let message = json!({
            "type": "Event", "data": { "timestamp": 1.5, "log_id": 7, "user_id": "小王",
            "flag": true, "none": null, "list": ["a", 2], "properties": { "deep": {}, "flat": -1 } },
        });
        let expected = json!({
            "type": "<string 5>", "data": { "timestamp": "<number>", "log_id": "<number>",
            "user_id": "<string 2>", "flag": "<boolean>", "none": "<null>",
            "list": ["<string 1>", "<number>"],
            "properties": { "deep": "<object>", "flat": "<number>" } },
        });
        assert_eq!(outline(&message.to_string()), expected);
        assert_eq!(outline("\"text\""), json!("<string 4>"));
        assert_eq!(outline("[[[[1]]]]"), json!([[["<list>"]]]));
        assert_eq!(outline("{"), json!("<unreadable>"));
    }

    #[test]
    fn names_are_cut_and_none_of_them_is_somebodys() {
        let long = "x".repeat(100);
        let message = json!({ (long.clone()): 1, "jane@example.com": 1, "13800138000": 1 });
        let text = outline(&message.to_string());
        assert_eq!(text, json!({ (long[..64].to_owned()): "<number>", "<name>": "<number>" }));
    }

    #[test]
    fn fields_are_few() {
        let wide: Map<_, _> = (0..200).map(|n| (n.to_string(), json!([1, 2]))).collect();
        let text = outline(&Value::Object(wide).to_string());
        let fields: usize =
            text.as_object().unwrap().values().map(|list| 1 + list.as_array().unwrap().len()).sum();
        assert!(fields <= FIELDS_MAX, "{fields}");
        let long = outline(&json!(vec![0; 1_000]).to_string());
        assert_eq!(long.as_array().unwrap().len(), FIELDS_MAX);
    }
}
