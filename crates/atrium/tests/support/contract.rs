//! Checks every answer that a test gets against the OpenAPI document.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::Value;

const PREFIX: &str = "/api/v1";

/// The answers that a call declares: content types by status.
type Answers = BTreeMap<u16, Vec<String>>;

static CALLS: LazyLock<matchit::Router<BTreeMap<String, Answers>>> = LazyLock::new(|| {
    let document = serde_json::to_value(atrium::router::openapi()).unwrap();
    let mut calls = matchit::Router::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let methods = item.as_object().unwrap().iter();
        let answers =
            methods.map(|(method, call)| (method.to_uppercase(), answers(&document, call)));
        calls.insert(path.clone(), answers.collect()).unwrap();
    }
    calls
});

fn answers(document: &Value, call: &Value) -> Answers {
    let types = |response: &Value| {
        let shared = response["$ref"].as_str().map(|place| place.trim_start_matches('#'));
        let response = shared.map_or(response, |place| document.pointer(place).unwrap());
        let content = response["content"].as_object();
        content.into_iter().flat_map(|content| content.keys().cloned()).collect()
    };
    let responses = call["responses"].as_object().unwrap().iter();
    responses.map(|(status, response)| (status.parse().unwrap(), types(response))).collect()
}

/// Fails the test when an answer has a status or a content type that the document does not declare
/// for the call.
pub fn check(method: &Method, path: &str, status: u16, headers: &HeaderMap) {
    if let Err(what) = fault(method, path, status, headers) {
        panic!("the contract does not declare this answer: {method} {path}: {what}");
    }
}

fn fault(method: &Method, path: &str, status: u16, headers: &HeaderMap) -> Result<(), String> {
    let Some(relative) = path.strip_prefix(PREFIX) else { return Ok(()) };
    let mime = headers.get("content-type").map(|value| value.to_str().unwrap_or_default());
    let mime = mime.map(|mime| mime.split(';').next().unwrap_or_default().trim());
    let Ok(found) = CALLS.at(relative) else {
        // Calls that the document does not have do not exist.
        return expect(status == 404 || status == 403, format!("{status} where nothing is"));
    };
    let as_asked = if method == Method::HEAD { "GET" } else { method.as_str() };
    let Some(answers) = found.value.get(as_asked) else {
        return expect(matches!(status, 403..=405), format!("{status} for no such method"));
    };
    if headers.get_all("content-type").iter().count() > 1 {
        return Err(format!("{status} with two content types"));
    }
    let Some(types) = answers.get(&status) else { return Err(format!("status {status}")) };
    match mime {
        Some(mime) => expect(types.iter().any(|known| known == mime), format!("{status}: {mime}")),
        None => expect(types.is_empty(), format!("{status} without a content type")),
    }
}

fn expect(holds: bool, otherwise: String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check notices an undeclared status, content type and route.
    #[test]
    fn an_answer_that_is_not_declared_is_a_fault() {
        let fault = |method: Method, path: &str, status: u16, mime: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("content-type", mime.parse().unwrap());
            fault(&method, path, status, &headers).is_err()
        };
        let json = "application/json";
        assert!(!fault(Method::GET, "/api/v1/envs", 200, json));
        assert!(!fault(Method::GET, "/healthz", 418, json), "not an API call");
        assert!(fault(Method::GET, "/api/v1/envs", 418, json));
        assert!(fault(Method::GET, "/api/v1/envs", 200, "text/html"));
        assert!(fault(Method::GET, "/api/v1/nothing-here", 200, json));
        assert!(fault(Method::DELETE, "/api/v1/envs", 200, json));
        let export = "/api/v1/orgs/x/audit-logs/export";
        assert!(!fault(Method::GET, export, 200, "application/x-ndjson"));
        assert!(!fault(Method::GET, export, 200, "text/csv; charset=utf-8"));
        assert!(fault(Method::GET, export, 200, json));
    }
}
