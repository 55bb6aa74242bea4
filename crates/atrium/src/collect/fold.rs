//! What a device or a user is known to be: their mutations, one after the other in the order of
//! their timestamps, whatever order they came in.

use serde_json::{Map, Number, Value};

/// Lists that only grow must end somewhere.
const LIST_MAX: usize = 1_000;
const KEYS_MAX: usize = 1_000;

/// The properties after one more mutation. What makes no sense (adding to a text) changes nothing.
pub fn apply(properties: &mut Map<String, Value>, operation: &str, given: Map<String, Value>) {
    if operation == "delete" {
        properties.clear();
        return;
    }
    for (key, value) in given {
        if operation == "unset" {
            properties.remove(&key);
            continue;
        }
        if !properties.contains_key(&key) && properties.len() >= KEYS_MAX {
            continue;
        }
        let current = properties.get_mut(&key);
        let changed = match operation {
            "set" => Some(value),
            "set_once" => current.is_none().then_some(value),
            "increment" => sum(current.as_deref(), &value),
            "append" => Some(longer(current.map(std::mem::take), value)),
            _ => None,
        };
        if let Some(changed) = changed {
            properties.insert(key, changed);
        }
    }
}

/// Whole numbers stay whole for as long as they fit.
fn sum(current: Option<&Value>, by: &Value) -> Option<Value> {
    let zero = Value::from(0);
    let current = current.unwrap_or(&zero);
    if let (Some(a), Some(b)) = (current.as_i64(), by.as_i64())
        && let Some(sum) = a.checked_add(b)
    {
        return Some(sum.into());
    }
    Number::from_f64(current.as_f64()? + by.as_f64()?).map(Value::Number)
}

/// A list with more at its end; a list that is given adds its items, a single value becomes one.
fn longer(current: Option<Value>, more: Value) -> Value {
    let mut list = match current {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(list)) => list,
        Some(single) => vec![single],
    };
    match more {
        Value::Array(items) => list.extend(items),
        single => list.push(single),
    }
    if list.len() > LIST_MAX {
        list.drain(..list.len() - LIST_MAX);
    }
    Value::Array(list)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn after(steps: &[(&str, Value)]) -> Value {
        let mut properties = Map::new();
        for (operation, given) in steps {
            apply(&mut properties, operation, given.as_object().unwrap().clone());
        }
        Value::Object(properties)
    }

    #[test]
    fn each_operation_does_what_its_name_says() {
        assert_eq!(
            after(&[("set", json!({"a": 1})), ("set", json!({"a": 2, "b": 3}))]),
            json!({"a": 2, "b": 3})
        );
        assert_eq!(
            after(&[("set_once", json!({"a": 1})), ("set_once", json!({"a": 2, "b": 2}))]),
            json!({"a": 1, "b": 2})
        );
        assert_eq!(
            after(&[("set", json!({"a": 1, "b": 2})), ("unset", json!({"a": null}))]),
            json!({"b": 2})
        );
        assert_eq!(
            after(&[("increment", json!({"a": 2})), ("increment", json!({"a": -5}))]),
            json!({"a": -3})
        );
        assert_eq!(
            after(&[("set", json!({"a": 0.5})), ("increment", json!({"a": 1}))]),
            json!({"a": 1.5})
        );
        assert_eq!(
            after(&[("append", json!({"a": 1})), ("append", json!({"a": [2, 3]}))]),
            json!({"a": [1, 2, 3]})
        );
        assert_eq!(
            after(&[("set", json!({"a": "x"})), ("append", json!({"a": "y"}))]),
            json!({"a": ["x", "y"]})
        );
        assert_eq!(
            after(&[("set", json!({"a": 1})), ("delete", json!({})), ("set", json!({"b": 1}))]),
            json!({"b": 1})
        );
    }

    #[test]
    fn what_makes_no_sense_changes_nothing() {
        assert_eq!(
            after(&[("set", json!({"a": "x"})), ("increment", json!({"a": 1}))]),
            json!({"a": "x"})
        );
        let sum = after(&[("set", json!({"a": i64::MAX})), ("increment", json!({"a": 1}))]);
        assert!(sum["a"].is_f64());
    }

    #[test]
    fn profiles_are_bounded() {
        let many: Vec<_> = (0..LIST_MAX + 5).collect();
        let list = after(&[("append", json!({"a": many}))]);
        assert_eq!(list["a"].as_array().unwrap().len(), LIST_MAX);
        assert_eq!(list["a"][0], 5);
        let wide: Map<_, _> = (0..KEYS_MAX + 5).map(|key| (key.to_string(), json!(1))).collect();
        assert_eq!(after(&[("set", Value::Object(wide))]).as_object().unwrap().len(), KEYS_MAX);
    }
}
