//! Hides parts of a saved question from callers who may not see personal data: people type ids,
//! addresses and names of others into filters, and someone else opens what they saved.

use serde_json::{Map, Value, json};

use atrium_collect::personal::{self, HIDDEN, Ids};

/// Removes what must be hidden, and returns whether anything was: the values of tests on people's ids
/// and profiles and on personal properties, and every text that looks personal.
pub fn hide(value: &mut Value) -> bool {
    let breakdown = value["question"]["breakdown"].clone();
    let group = value.pointer_mut("/pick/group");
    let hidden = group.is_some_and(|group| hide_group(group, &breakdown));
    hide_below(value, "") | hidden
}

/// Hides values in the group of a figure: values of the properties that its question is broken down by.
fn hide_group(group: &mut Value, breakdown: &Value) -> bool {
    let Some(values) = group.get_mut("values").and_then(Value::as_array_mut) else { return false };
    let mut places = Vec::new();
    for (place, value) in values.iter_mut().enumerate() {
        let property = breakdown[place].as_str().unwrap_or_default();
        let text = value.as_str().unwrap_or_default();
        if !value.is_null() && is_hidden(property, &[text]) {
            *value = Value::Null;
            places.push(place);
        }
    }
    for place in &places {
        if let Some(mark) = group.pointer_mut(&format!("/redacted/{place}")) {
            *mark = json!(true);
        }
    }
    !places.is_empty()
}

fn hide_below(value: &mut Value, key: &str) -> bool {
    match value {
        Value::Object(map) => match hide_test(map) {
            Some(hidden) => hidden,
            None => {
                map.iter_mut().fold(false, |hidden, (key, value)| hide_below(value, key) | hidden)
            }
        },
        Value::Array(list) => {
            list.iter_mut().fold(false, |hidden, value| hide_below(value, key) | hidden)
        }
        Value::String(text) => {
            let shown = match key {
                "page" => personal::path(text, Ids::default()),
                _ => Ids::default().shown(text.clone()),
            };
            let hidden = shown != *text;
            *text = shown;
            hidden
        }
        _ => false,
    }
}

/// None if it is not a test.
fn hide_test(map: &mut Map<String, Value>) -> Option<bool> {
    let property = map.get("property")?.as_str()?.to_owned();
    let values = map.get_mut("values")?.as_array_mut()?;
    let texts: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
    let hidden = !values.is_empty() && is_hidden(&property, &texts);
    if hidden {
        values.clear();
    }
    Some(hidden)
}

fn is_hidden(property: &str, values: &[&str]) -> bool {
    let is_person = ["$user_id", "$device_id"].contains(&property)
        || ["$user:", "$device:"].iter().any(|profile| property.starts_with(profile));
    let path: Vec<String> = property.split('.').map(str::to_owned).collect();
    is_person
        || !property.starts_with('$') && personal::is_personal_path(&path)
        || values.iter().any(|value| personal::looks_personal(value))
}

/// Whether any text contains the mark of a hidden part.
pub fn has_mark(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.values().any(has_mark),
        Value::Array(list) => list.iter().any(has_mark),
        Value::String(text) => text.contains(HIDDEN),
        _ => false,
    }
}

/// Restores the values of tests that were sent back without them from the same tests as stored, and the
/// stored figure if it was sent back as shown.
pub fn put_back(value: &mut Value, stored: &Value) {
    let mut shown = stored.clone();
    hide(&mut shown);
    if value.get("pick").is_some_and(|pick| *pick == shown["pick"]) {
        value["pick"] = stored["pick"].clone();
    }
    let mut tests = Vec::new();
    collect(stored, &mut tests);
    fill(value, &mut tests);
}

fn collect<'a>(value: &'a Value, tests: &mut Vec<&'a Map<String, Value>>) {
    match value {
        Value::Object(map) if map.contains_key("property") && map.contains_key("values") => {
            tests.push(map);
        }
        Value::Object(map) => map.values().for_each(|value| collect(value, tests)),
        Value::Array(list) => list.iter().for_each(|value| collect(value, tests)),
        _ => {}
    }
}

fn fill(value: &mut Value, tests: &mut Vec<&Map<String, Value>>) {
    match value {
        Value::Object(map) if map.contains_key("property") => {
            if map.get("values") != Some(&json!([])) {
                return;
            }
            let is_same = |test: &&Map<String, Value>| {
                ["property", "operator"].iter().all(|key| test.get(*key) == map.get(*key))
            };
            if let Some(place) = tests.iter().position(is_same) {
                map.insert("values".to_owned(), tests.remove(place)["values"].clone());
            }
        }
        Value::Object(map) => map.values_mut().for_each(|value| fill(value, tests)),
        Value::Array(list) => list.iter_mut().for_each(|value| fill(value, tests)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(value: Value) -> (Value, bool) {
        let mut shown = value;
        let hidden = hide(&mut shown);
        (shown, hidden)
    }

    #[test]
    fn what_tells_nobody_stays() {
        let question = json!({
            "kind": "trend", "start": "2026-01-01", "end": "2026-12-31", "range": "7d",
            "timezone": "Asia/Shanghai", "formula": "A / B * 100", "granularity": "day",
            "breakdown": ["$os", "cart.total"], "color": "#1a2b3c", "version": 12,
            "series": [{
                "events": ["order_paid", "下单"], "measure": { "of": "sum", "property": "amount" },
                "filters": { "all": [
                    { "property": "$cohort:01a1dd08-6e8b-7c12-a86d-ab85cdefca48", "operator": "is", "values": [] },
                    { "property": "plan", "operator": "is", "values": ["pro", "free"] },
                    { "property": "amount", "operator": "gt", "values": ["100.5"] },
                    { "property": "$user_id", "operator": "set", "values": [] },
                ] },
            }],
        });
        assert_eq!(hidden(question.clone()), (question, false));
    }

    #[test]
    fn what_names_people_is_hidden_wherever_it_stands() {
        let test = |property: &str, value: &str| json!({ "property": property, "operator": "is", "values": [value] });
        for (property, value) in [
            ("$user_id", "u1"),
            ("$device_id", "d1"),
            ("$user:plan", "pro"),
            ("$device:model", "X"),
            ("email", "x"),
            ("card.number", "1"),
            ("note", "jane.roe@example.com"),
        ] {
            let deep = json!({ "steps": [{ "filters": { "any": [{ "all": [test(property, value)] }] } }] });
            let (shown, is_hidden) = hidden(deep);
            let shown = &shown["steps"][0]["filters"]["any"][0]["all"][0];
            assert!(is_hidden, "{property}");
            assert_eq!(shown, &json!({ "property": property, "operator": "is", "values": [] }));
        }
        let (shown, is_hidden) = hidden(json!({
            "question": { "breakdown": ["$os", "$user_id"], "series": [{ "events": ["to jane.roe@example.com"] }] },
            "pick": {
                "group": { "values": ["iOS", "u-1"], "other": false, "redacted": [false, false] },
                "target": { "kind": "event", "name": "view", "page": "/u/jane.roe%40example.com?m=1" },
            },
        }));
        assert!(is_hidden);
        assert_eq!(shown["pick"]["group"]["values"], json!(["iOS", null]));
        assert_eq!(shown["pick"]["group"]["redacted"], json!([false, true]));
        assert_eq!(shown["question"]["series"][0]["events"], json!([HIDDEN]));
        assert!(!shown.to_string().contains("jane"), "{shown}");
    }

    #[test]
    fn what_was_hidden_comes_back_with_a_change() {
        let test = |operator: &str, values: Value| json!({ "property": "$user:age", "operator": operator, "values": values });
        let stored = json!({ "kind": "trend", "granularity": "day", "filters": { "all": [
            test("gt", json!(["30"])), test("lt", json!(["40"])), test("gt", json!(["35"])),
        ] } });
        let mut change = stored.clone();
        assert!(hide(&mut change));
        change["granularity"] = json!("week");
        // One of them replaced, one removed.
        change["filters"]["all"][1]["values"] = json!(["50"]);
        change["filters"]["all"].as_array_mut().unwrap().pop();
        put_back(&mut change, &stored);
        assert_eq!(change["granularity"], "week");
        let tests = json!([test("gt", json!(["30"])), test("lt", json!(["50"]))]);
        assert_eq!(change["filters"]["all"], tests);

        let stored = json!({
            "question": { "breakdown": ["$user_id"] },
            "pick": { "group": { "values": ["u-1"], "redacted": [false] } },
        });
        let mut change = stored.clone();
        assert!(hide(&mut change));
        assert_ne!(change, stored);
        put_back(&mut change, &stored);
        assert_eq!(change, stored);
    }
}
