//! Validates what is saved: a question of a known kind, or one of the three kinds of cohort definitions.
//! The question itself is checked when it is run.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::hidden;
use super::store::SavedRow;
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::text::Checks;

pub const KINDS: [&str; 6] = ["trend", "funnel", "retention", "paths", "distribution", "lifecycle"];
pub const WAYS: [&str; 3] = ["ids", "figure", "rule"];

/// Bytes of a question, or of a definition without ids.
const TEXT_MAX: usize = 64 * 1024;
const IDS_MAX: usize = 10_000;
const ID_MAX: usize = 256;
const RULES_MAX: usize = 10;
/// The field for faults.
const IDS: &str = "definition.ids";

/// The content to store.
pub struct Content {
    pub kind: String,
    pub text: String,
    pub listed: i64,
}

/// A question to save. `before` is the one it replaces: a caller who may not see all of that sends back
/// what they were shown, and the hidden parts are kept.
pub fn question(
    checks: &mut Checks,
    question: Map<String, Value>,
    before: Option<&SavedRow>,
    pii: bool,
) -> Result<Content> {
    let question = complete(Value::Object(question), before, pii)?;
    let kind = check_kind(checks, &question, "question.kind");
    Ok(Content { kind, text: text(checks, "question", &question), listed: 0 })
}

/// The same for a cohort's definition.
pub fn definition(
    checks: &mut Checks,
    mut definition: Map<String, Value>,
    before: Option<&SavedRow>,
    pii: bool,
) -> Result<Content> {
    // Only part of answers: it is computed from the ids.
    definition.remove("count");
    let kind = known(checks, definition.get("of"), &WAYS, "definition.of");
    if kind == "ids" {
        return ids(checks, definition.get("ids"), before, pii);
    }
    let definition = complete(Value::Object(definition), before, pii)?;
    match kind.as_str() {
        "figure" => {
            check_kind(checks, &definition["question"], "definition.question.kind");
            known(checks, definition["pick"].get("of"), &KINDS, "definition.pick.of");
        }
        "rule" => check_rules(checks, &definition),
        _ => {}
    }
    Ok(Content { kind, text: text(checks, "definition", &definition), listed: 0 })
}

/// Without ids, as lists of cohorts show a definition, the existing ones are kept.
fn ids(
    checks: &mut Checks,
    ids: Option<&Value>,
    before: Option<&SavedRow>,
    pii: bool,
) -> Result<Content> {
    let kind = "ids".to_owned();
    let Some(ids) = ids.and_then(Value::as_array) else {
        checks.fail(Fault::new(Code::WrongType).on(IDS));
        return Ok(Content { kind, text: String::new(), listed: 0 });
    };
    if let Some(before) = before.filter(|row| ids.is_empty() && row.kind == "ids") {
        return Ok(Content { kind, text: before.text.clone(), listed: before.listed });
    }
    if !pii {
        return Err(Fault::new(Code::PersonalData).on(IDS).into());
    }
    checks.length(IDS, ids.len(), 1, IDS_MAX);
    // Only the first fault: a list of ten thousand could have as many.
    if let Some(fault) = ids.iter().enumerate().find_map(|(index, id)| id_fault(index, id)) {
        checks.fail(fault);
    }
    let mut seen = HashSet::new();
    let kept: Vec<&str> =
        ids.iter().filter_map(Value::as_str).filter(|id| seen.insert(*id)).collect();
    let listed = i64::try_from(kept.len()).unwrap_or(i64::MAX);
    Ok(Content { kind, text: json!({ "of": "ids", "ids": kept }).to_string(), listed })
}

fn id_fault(index: usize, id: &Value) -> Option<Fault> {
    let fault = match id.as_str() {
        None => Fault::new(Code::WrongType),
        Some("") => Fault::new(Code::Required),
        Some(id) if id.chars().count() > ID_MAX => Fault::new(Code::TooLong).with("max", ID_MAX),
        Some(_) => return None,
    };
    Some(fault.on(format!("{IDS}[{index}]")))
}

fn check_rules(checks: &mut Checks, definition: &Value) {
    let rules = match (definition.get("all"), definition.get("any")) {
        (Some(rules), None) | (None, Some(rules)) => rules.as_array(),
        _ => None,
    };
    match rules {
        Some(rules) if rules.iter().all(Value::is_object) => {
            checks.length("definition", rules.len(), 1, RULES_MAX);
        }
        _ => checks.fail(Fault::new(Code::WrongType).on("definition")),
    }
}

/// Puts back the parts of the previous version that were hidden from the caller.
fn complete(mut value: Value, before: Option<&SavedRow>, pii: bool) -> Result<Value> {
    let Some(before) = before.filter(|_| !pii) else { return Ok(value) };
    let stored = serde_json::from_str(&before.text).map_err(Error::internal)?;
    hidden::put_back(&mut value, &stored);
    // A hidden part that cannot be put back would be lost.
    if hidden::has_mark(&value) && !hidden::has_mark(&stored) {
        return Err(Code::PersonalData.into());
    }
    Ok(value)
}

fn check_kind(checks: &mut Checks, question: &Value, field: &'static str) -> String {
    known(checks, question.get("kind"), &KINDS, field)
}

fn known(checks: &mut Checks, word: Option<&Value>, words: &[&str], field: &'static str) -> String {
    match word {
        None => checks.fail(Fault::new(Code::Required).on(field)),
        Some(word) => match word.as_str().filter(|word| words.contains(word)) {
            Some(word) => return word.to_owned(),
            None => checks.fail(Fault::new(Code::WrongType).on(field)),
        },
    }
    String::new()
}

fn text(checks: &mut Checks, field: &'static str, value: &Value) -> String {
    let text = value.to_string();
    if text.len() > TEXT_MAX {
        checks.fail(Fault::new(Code::TooLong).on(field).with("max", TEXT_MAX));
    }
    text
}
