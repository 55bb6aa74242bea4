use serde_json::json;

use super::*;

fn after(steps: &[(&str, Value)]) -> Value {
    let mut profile = Profile::default();
    for (operation, given) in steps {
        profile.apply(operation, given.as_object().unwrap().clone());
    }
    assert_eq!(profile.bytes, weighed(&profile), "the sum is kept in step");
    serde_json::from_str(&profile.into_text()).unwrap()
}

fn weighed(profile: &Profile) -> usize {
    profile.properties.iter().map(|(key, value)| weigh(key, value)).sum()
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
        after(&[("set", json!({"a": null})), ("append", json!({"a": "y"}))]),
        json!({"a": ["y"]})
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
fn lists_and_names_are_bounded() {
    let many: Vec<_> = (0..LIST_MAX + 5).collect();
    for operation in ["append", "set"] {
        let list = after(&[(operation, json!({ "a": many }))]);
        assert_eq!(list["a"].as_array().unwrap().len(), LIST_MAX);
        assert_eq!((&list["a"][0], &list[TRUNCATED]), (&json!(5), &json!(true)), "the newest stay");
    }
    let wide: Map<_, _> = (0..KEYS_MAX + 5).map(|key| (key.to_string(), json!(1))).collect();
    let wide = after(&[("set", Value::Object(wide)), ("append", json!({"more": 1}))]);
    assert_eq!(wide.as_object().unwrap().len(), KEYS_MAX + 1);
    assert_eq!(wide[TRUNCATED], true);
    assert!(wide.get("more").is_none());
}

#[test]
fn a_profile_is_bounded_in_bytes_and_says_what_it_lost() {
    let half = "x".repeat(BYTES_MAX / 2);
    let full = after(&[("set", json!({"a": half, "b": 1})), ("set", json!({"b": half, "c": 1}))]);
    assert_eq!((&full["a"], &full["b"], &full["c"]), (&json!(half), &json!(1), &json!(1)));
    assert_eq!(full[TRUNCATED], true);
    // The oldest items of a list make room.
    let items: Vec<_> = (0..100).map(|n| ("append", json!({"a": format!("{n:0>1000}")}))).collect();
    let list = after(&items);
    let kept = list["a"].as_array().unwrap();
    assert!((60..=65).contains(&kept.len()), "{}", kept.len());
    assert_eq!(kept.last().unwrap(), &json!(format!("{:0>1000}", 99)));
    assert!(list.to_string().len() <= BYTES_MAX + 32);
    // A single item that is too large for the room left is dropped entirely.
    let steps = [("set", json!({"a": half})), ("append", json!({"b": half}))];
    assert_eq!(after(&steps), json!({"a": half, TRUNCATED: true}));
    assert_eq!(after(&[("set", json!({"a": half, "b": half})), ("delete", json!({}))]), json!({}));
    assert_eq!(after(&[("set", json!({TRUNCATED: true, "a": 1}))]), json!({"a": 1}));
}

/// A small random generator with a fixed sequence.
fn dice(state: &mut u64, below: u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state % below
}

/// Ten profiles here, whose values are so long that most come to their bound; forty longer ones with
/// `LONG_TESTS=1`. Every step reads and writes a whole profile of up to 64 KB.
#[test]
fn a_profile_that_is_extended_equals_one_that_is_rebuilt() {
    let long = std::env::var_os("LONG_TESTS").is_some();
    let (profiles, steps) = if long { (40, 300) } else { (10, 60) };
    let mut truncated = 0;
    for seed in 1..=profiles {
        let mut state = seed * 7_919;
        let mut rebuilt = Profile::default();
        let mut added_to = Profile::default();
        for _ in 0..steps {
            let operations =
                ["set", "set_once", "append", "append", "append", "increment", "unset"];
            let operation = operations[dice(&mut state, 7) as usize];
            let key = format!("k{}", dice(&mut state, 6));
            let value = match dice(&mut state, 4) {
                0 => json!(dice(&mut state, 1_000)),
                1 => json!(["a", "b\n\"", 7, {"x": [1.5, null]}]),
                _ => json!("é".repeat(dice(&mut state, 12_000) as usize)),
            };
            let given: Map<_, _> = [(key, value)].into_iter().collect();
            rebuilt.apply(operation, given.clone());
            // Each in a batch of its own.
            added_to = Profile::stored(&added_to.into_text()).unwrap();
            added_to.apply(operation, given);
            assert!(rebuilt.bytes <= BYTES_MAX);
            assert_eq!(rebuilt.bytes, weighed(&rebuilt));
        }
        truncated += u64::from(rebuilt.is_truncated());
        assert_eq!(rebuilt.into_text(), added_to.into_text(), "seed {seed}");
    }
    assert!(truncated > profiles / 2, "{truncated} of them came to their bound");
}

#[test]
fn what_was_stored_without_bounds_is_not_added_to() {
    assert!(Profile::stored("").is_none(), "too long to be read");
    assert!(Profile::stored(&json!({"a": "x".repeat(BYTES_MAX)}).to_string()).is_none());
    assert!(Profile::stored(&json!({"a": vec![0; LIST_MAX + 1]}).to_string()).is_none());
    assert!(Profile::stored("{}").is_some());
}
