//! The OpenAPI document: the declarations of handlers, completed by the responses that every call of a
//! kind can have. A handler declares its success and its specific failures, as `(status = 409)`; the
//! others follow from its path, its parameters and who may call it. Tests check every response against
//! it.

use http::Method;
use utoipa::openapi::path::{Operation, Parameter, ParameterIn};
use utoipa::openapi::{ContentBuilder, OpenApi, Ref, RefOr, Response, ResponseBuilder};

/// POST calls that depend on nothing that others could change meanwhile: questions, and requests for
/// access.
const HOLD_NOTHING: [&str; 6] = [
    "data_overall",
    "data_overall_export",
    "explore",
    "explore_export",
    "org_access_ask",
    "sso_test",
];

/// Completes a document whose paths begin with `prefix`, and makes them relative to it, as clients use
/// them.
pub fn complete(mut document: OpenApi, prefix: &str) -> OpenApi {
    let paths = std::mem::take(&mut document.paths.paths);
    document.paths.paths = paths
        .into_iter()
        .map(|(path, item)| (path.trim_start_matches(prefix).to_owned(), item))
        .collect();
    let shared = &mut document.components.get_or_insert_default().responses;
    for (_, name, meaning) in FAILURES {
        shared.insert(name.to_owned(), failure(meaning).into());
    }
    for (path, item) in &mut document.paths.paths {
        let operations = [
            (Method::GET, &mut item.get),
            (Method::POST, &mut item.post),
            (Method::PUT, &mut item.put),
            (Method::DELETE, &mut item.delete),
        ];
        for (method, operation) in operations {
            if let Some(operation) = operation {
                declare_failures(&method, path, operation);
            }
        }
    }
    document
}

fn declare_failures(method: &Method, path: &str, operation: &mut Operation) {
    for status in failures_of_kind(method, path, operation) {
        let declared = &mut operation.responses.responses;
        declared.entry(status.to_string()).or_insert_with(|| RefOr::T(Response::default()));
    }
    for (status, response) in &mut operation.responses.responses {
        if let Some((_, name, _)) = FAILURES.iter().find(|(known, _, _)| known == status) {
            *response = RefOr::Ref(Ref::from_response_name(*name));
        }
    }
}

/// The failures that any call of this kind can have.
fn failures_of_kind(method: &Method, path: &str, operation: &Operation) -> Vec<u16> {
    let is_safe = *method == Method::GET;
    let in_org_or_app = path.starts_with("/orgs/{id}") || path.starts_with("/apps/{id}");
    let holds = !operation.operation_id.as_deref().is_some_and(|id| HOLD_NOTHING.contains(&id));
    let wants_session = requires_somebody(operation);
    // Anything can fail, and the database can be unavailable for a moment.
    let mut failures = vec![500, 503];
    if wants_session {
        failures.push(401);
    }
    // A cross-site request, or a missing permission.
    if !is_safe || (wants_session && in_org_or_app) {
        failures.push(403);
    }
    if has_parameter(operation, ParameterIn::Path) {
        failures.push(404);
    }
    // The caller's permissions can have changed meanwhile.
    if wants_session && !is_safe && in_org_or_app && holds {
        failures.push(409);
    }
    // A browser that a provider redirects back expects a page, whatever the query says.
    let is_way_back = operation.responses.responses.contains_key("303");
    if has_parameter(operation, ParameterIn::Query) && !is_way_back {
        failures.push(422);
    }
    if operation.request_body.is_some() {
        failures.extend([400, 413, 415, 422]);
    }
    // Too many of the caller's questions wait for the warehouse.
    let asks = |tag: &String| matches!(tag.as_str(), "data" | "workspace");
    if operation.tags.as_ref().is_some_and(|tags| tags.iter().any(asks)) {
        failures.push(429);
    }
    failures
}

fn requires_somebody(operation: &Operation) -> bool {
    let none = utoipa::openapi::security::SecurityRequirement::default();
    operation.security.as_ref().is_some_and(|list| !list.is_empty() && !list.contains(&none))
}

fn has_parameter(operation: &Operation, place: ParameterIn) -> bool {
    let is_there = |parameter: &RefOr<Parameter>| match parameter {
        RefOr::T(parameter) => parameter.parameter_in == place,
        RefOr::Ref(_) => false,
    };
    operation.parameters.as_ref().is_some_and(|list| list.iter().any(is_there))
}

/// All failures have the same envelope.
fn failure(meaning: &str) -> Response {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("ErrorBody"))).build();
    ResponseBuilder::new().description(meaning).content("application/json", content).build()
}

/// Status, name in the document, meaning.
const FAILURES: [(&str, &str, &str); 12] = [
    ("400", "Malformed", "The request cannot be read"),
    ("401", "Unauthorized", "Not signed in, or the proof of who it is does not hold"),
    ("403", "Forbidden", "Not allowed"),
    ("404", "NotFound", "Not there, or not for the caller"),
    ("409", "Conflict", "Does not go with how things are, or they have changed meanwhile"),
    ("410", "Gone", "Used or expired"),
    ("413", "TooLarge", "Too large"),
    ("415", "UnsupportedType", "Not a type that is taken here"),
    ("422", "Invalid", "Not valid; `field` says what"),
    ("429", "TooManyRequests", "Too often; `Retry-After` says when again"),
    ("500", "Internal", "Something went wrong on the server"),
    ("503", "Unavailable", "Not now; `Retry-After` says when again"),
];

#[cfg(test)]
mod tests {
    use crate::router;

    fn statuses(path: &str, method: &str) -> Vec<String> {
        let document = serde_json::to_value(router::openapi()).unwrap();
        let responses = &document["paths"][path][method]["responses"];
        responses.as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn failures_follow_from_the_kind_of_call() {
        assert_eq!(statuses("/envs", "get"), ["200", "500", "503"]);
        assert_eq!(statuses("/current", "get"), ["200", "401", "500", "503"]);
        let list = ["200", "401", "403", "404", "422", "500", "503"];
        assert_eq!(statuses("/orgs/{id}/members", "get"), list);
        let change = ["200", "400", "401", "403", "404", "409", "413", "415", "422", "500", "503"];
        assert_eq!(statuses("/apps/{id}/roles/{role_id}", "put"), change);
    }

    /// All failures have the same envelope, and none is undeclared.
    #[test]
    fn every_failure_is_the_envelope() {
        let document = serde_json::to_value(router::openapi()).unwrap();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                for (status, response) in operation["responses"].as_object().unwrap() {
                    let label = format!("{method} {path} {status}");
                    assert_ne!(status, "default", "{label}");
                    if status.as_str() >= "400" {
                        let place = response["$ref"].as_str().expect(&label);
                        let shared = document.pointer(place.trim_start_matches('#')).unwrap();
                        let schema = &shared["content"]["application/json"]["schema"];
                        assert_eq!(schema["$ref"], "#/components/schemas/ErrorBody", "{label}");
                    }
                }
            }
        }
    }
}
