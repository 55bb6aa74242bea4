//! Who may call what. Every operation of the OpenAPI document has a case here; one without fails
//! the test, so a route cannot be added and its authorisation forgotten.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::Value;
use support::{Actor, Store, TestServer, on_both};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    /// Anyone, signed in or not.
    Public,
    /// Anyone who is signed in.
    SignedIn,
    /// Anyone who is signed in, for what is theirs: another's is not found.
    OwnThing,
}

const CASES: &[(&str, Access)] = &[
    ("account_delete", Access::SignedIn),
    ("account_export", Access::SignedIn),
    ("app_zone_list", Access::SignedIn),
    ("build_info_view", Access::Public),
    ("current_view", Access::SignedIn),
    ("deletion_view", Access::SignedIn),
    ("email_change", Access::SignedIn),
    ("email_confirm", Access::Public),
    ("env_view", Access::Public),
    ("login", Access::Public),
    ("login_by_code", Access::Public),
    ("login_by_link", Access::Public),
    ("login_code_send", Access::Public),
    ("login_mfa", Access::Public),
    ("login_passkey", Access::Public),
    ("login_passkey_options", Access::Public),
    ("logout", Access::Public),
    ("notification_list", Access::SignedIn),
    ("notification_mark_read", Access::SignedIn),
    ("notification_types_update", Access::SignedIn),
    ("notification_unread_view", Access::SignedIn),
    ("openapi_view", Access::Public),
    ("passkey_create", Access::SignedIn),
    ("passkey_delete", Access::OwnThing),
    ("passkey_list", Access::SignedIn),
    ("passkey_options", Access::SignedIn),
    ("passkey_update", Access::OwnThing),
    ("password_forget", Access::Public),
    ("password_reset", Access::Public),
    ("password_reset_token_view", Access::Public),
    ("password_update", Access::SignedIn),
    ("profile_update", Access::SignedIn),
    ("reauth", Access::SignedIn),
    ("recovery_codes_renew", Access::SignedIn),
    ("region_list", Access::Public),
    ("register", Access::Public),
    ("register_profile", Access::Public),
    ("register_token_view", Access::Public),
    ("session_delete", Access::OwnThing),
    ("session_delete_others", Access::SignedIn),
    ("session_list", Access::SignedIn),
    ("totp_confirm", Access::SignedIn),
    ("totp_delete", Access::SignedIn),
    ("totp_enrol", Access::SignedIn),
    ("totp_view", Access::SignedIn),
];

const NOBODYS_ID: &str = "01a1dd08-6e8b-7c12-a86d-ab85cdefca48";

struct Operation {
    id: String,
    method: Method,
    path: String,
    wants_session: bool,
}

fn operations() -> Vec<Operation> {
    let document = serde_json::to_value(atrium::router::openapi()).unwrap();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            operations.push(Operation {
                id: operation["operationId"].as_str().unwrap().to_owned(),
                method: method.to_uppercase().parse().unwrap(),
                // An id that is somebody's, or nobody's.
                path: format!("/api/v1{path}").replace("{id}", NOBODYS_ID),
                wants_session: declares_session(&operation["security"]),
            });
        }
    }
    operations
}

fn declares_session(security: &Value) -> bool {
    security.as_array().is_some_and(|list| list.iter().any(|item| item.get("session").is_some()))
}

#[test]
fn every_operation_has_a_case_and_says_the_same_in_the_document() {
    let documented: BTreeSet<String> = operations().into_iter().map(|op| op.id).collect();
    let cases: BTreeSet<String> = CASES.iter().map(|(id, _)| (*id).to_owned()).collect();
    assert_eq!(documented, cases, "operations (left) and cases (right) differ");
    for operation in operations() {
        let (_, access) = CASES.iter().find(|(id, _)| *id == operation.id).unwrap();
        assert_eq!(operation.wants_session, *access != Access::Public, "{}", operation.id);
    }
}

on_both! {
    async fn every_actor_gets_the_right_answer(server: TestServer) {
        let actors: [(&str, Actor); 3] = [
            ("anonymous", server.anonymous()),
            ("member", server.member("member@example.com").await),
            ("owner", server.owner("owner@example.com").await),
        ];
        for operation in operations().into_iter().filter(|operation| operation.id != "logout") {
            let (_, access) = CASES.iter().find(|(id, _)| *id == operation.id).unwrap();
            for (name, actor) in &actors {
                let answer = actor.send(actor.request(operation.method.clone(), &operation.path)).await;
                let expected = match (access, *name) {
                    (Access::Public, _) => None,
                    (_, "anonymous") => Some((401, "not_signed_in")),
                    (Access::SignedIn, _) => None,
                    (Access::OwnThing, _) => Some((404, "not_found")),
                };
                let refused = matches!(answer.status, 401 | 403 | 404)
                    .then(|| (answer.status, answer.code()));
                assert_eq!(refused, expected, "{} as {name}: {answer:?}", operation.id);
            }
        }
    }
}
