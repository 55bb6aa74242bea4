//! The profile of a device or user: its mutations, applied in the order of their timestamps, whatever
//! order they arrived in.
//!
//! A profile is bounded, and depends only on its mutations in their order. The bound is applied after
//! each of them, so a profile that is extended equals one that is rebuilt. Lists keep their newest items;
//! everything else keeps what came first. Once something was left out, the profile says so until it is
//! deleted.

use std::io::Write;

use serde::Serialize;
use serde_json::{Map, Number, Value};

/// Lists that only grow need a limit.
const LIST_MAX: usize = 1_000;
const KEYS_MAX: usize = 1_000;
/// Limit for all names and values, as JSON.
pub const BYTES_MAX: usize = 64 << 10;

/// Marks properties of which something was left out. No application can set it.
pub const TRUNCATED: &str = "$truncated";

/// The properties of a device or user while mutations are applied.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    properties: Map<String, Value>,
    /// The total size of the properties, kept up to date: weighing all of them after each mutation would
    /// take quadratic time for a long list.
    bytes: usize,
    truncated: bool,
}

impl Profile {
    /// Reads a stored profile; None if it exceeds today's limits or is no longer readable.
    pub fn stored(text: &str) -> Option<Self> {
        let mut properties: Map<String, Value> = serde_json::from_str(text).ok()?;
        let truncated = properties.remove(TRUNCATED).is_some();
        let bytes = properties.iter().map(|(key, value)| weigh(key, value)).sum();
        let is_short = |value: &Value| value.as_array().is_none_or(|list| list.len() <= LIST_MAX);
        let fits =
            bytes <= BYTES_MAX && properties.len() <= KEYS_MAX && properties.values().all(is_short);
        fits.then_some(Self { properties, bytes, truncated })
    }

    /// The stored form.
    pub fn into_text(self) -> String {
        let mut properties = self.properties;
        if self.truncated {
            properties.insert(TRUNCATED.to_owned(), true.into());
        }
        Value::Object(properties).to_string()
    }

    /// Whether something was left out.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Applies one mutation. One that makes no sense (adding to a text) changes nothing.
    pub fn apply(&mut self, operation: &str, given: Map<String, Value>) {
        if operation == "delete" {
            *self = Self::default();
            return;
        }
        for (key, value) in given {
            if key == TRUNCATED {
                continue;
            }
            let current = self.properties.get(&key);
            let changed = match operation {
                "set" => Some(value),
                "set_once" => current.is_none().then_some(value),
                "increment" => sum(current, &value),
                "append" => {
                    self.append(key, value);
                    continue;
                }
                "unset" => {
                    self.take(&key);
                    continue;
                }
                _ => None,
            };
            if let Some(changed) = changed {
                self.put(key, changed);
            }
        }
    }

    fn take(&mut self, key: &str) -> Option<Value> {
        let value = self.properties.remove(key)?;
        self.bytes -= weigh(key, &value);
        Some(value)
    }

    /// Sets a value. If there is no room for it, it is left out and the old value stays.
    fn put(&mut self, key: String, mut value: Value) {
        if let Value::Array(list) = &mut value {
            self.truncated |= shorten(list, LIST_MAX) > 0;
        }
        let current = self.properties.get(&key).map(|current| weigh(&key, current));
        let bytes = self.bytes - current.unwrap_or(0) + weigh(&key, &value);
        if bytes > BYTES_MAX || current.is_none() && self.properties.len() >= KEYS_MAX {
            self.truncated = true;
            return;
        }
        self.bytes = bytes;
        self.properties.insert(key, value);
    }

    /// Appends to a list: a given list adds its items, and a single value becomes a list. The oldest
    /// items make room for the new ones.
    fn append(&mut self, key: String, more: Value) {
        if !self.properties.contains_key(&key) && self.properties.len() >= KEYS_MAX {
            self.truncated = true;
            return;
        }
        // Only what comes and goes is weighed, except when a value becomes a list.
        if !matches!(self.properties.get(&key), Some(Value::Array(_))) {
            let first = self.take(&key).filter(|value| !value.is_null());
            let list = Value::Array(first.into_iter().collect());
            self.bytes += weigh(&key, &list);
            self.properties.insert(key.clone(), list);
        }
        let Some(Value::Array(list)) = self.properties.get_mut(&key) else { return };
        match more {
            Value::Array(items) => {
                self.bytes += items.iter().map(weigh_item).sum::<usize>();
                list.extend(items);
            }
            single => {
                self.bytes += weigh_item(&single);
                list.push(single);
            }
        }
        let freed = shorten(list, LIST_MAX);
        self.bytes -= freed;
        let mut gone = 0;
        while self.bytes > BYTES_MAX && gone < list.len() {
            self.bytes -= weigh_item(&list[gone]);
            gone += 1;
        }
        list.drain(..gone);
        self.truncated |= freed > 0 || gone > 0;
        if list.is_empty() && gone > 0 {
            self.take(&key);
        }
    }
}

/// Drops the oldest items. Returns their total size.
fn shorten(list: &mut Vec<Value>, most: usize) -> usize {
    let gone = list.len().saturating_sub(most);
    list.drain(..gone).map(|item| weigh_item(&item)).sum()
}

/// The size of a property as JSON, including its name and punctuation. For a list it is the sum over its
/// items, so that items can come and go without weighing the others again.
fn weigh(key: &str, value: &Value) -> usize {
    let value = match value {
        Value::Array(list) => 2 + list.iter().map(weigh_item).sum::<usize>(),
        value => length(value),
    };
    length(key) + 2 + value
}

fn weigh_item(item: &Value) -> usize {
    length(item) + 1
}

/// The length of a value as JSON.
pub fn length<T: Serialize + ?Sized>(value: &T) -> usize {
    struct Counter(usize);
    impl Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    // Neither counting nor a value that came as JSON can fail.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}

/// Integers stay integers for as long as they fit.
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

#[cfg(test)]
#[path = "fold_tests.rs"]
mod tests;
