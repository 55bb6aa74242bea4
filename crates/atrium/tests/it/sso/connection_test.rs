//! "Test connection": each step can fail by itself, and nothing of the provider's answers is shown.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Company, with_provider};
use crate::support::Store;
use crate::support::openid::CLIENT_SECRET;
use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::response::IntoResponse;
use serde_json::{Value, json};
use tokio::net::TcpListener;

const STEPS: [&str; 7] =
    ["address", "discovery", "issuer", "endpoints", "features", "keys", "client"];

/// A provider with one fault.
struct Fake {
    url: String,
    token_requests: Arc<AtomicUsize>,
}

impl Fake {
    /// `change` is merged into a correct document; other paths answer with `answers`.
    async fn start(change: Value, answers: &'static [(&'static str, u16, &'static str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut document = json!({
            "issuer": url,
            "authorization_endpoint": format!("{url}/auth"),
            "token_endpoint": format!("{url}/token"),
            "jwks_uri": format!("{url}/jwks"),
            "response_types_supported": ["code"],
            "id_token_signing_alg_values_supported": ["RS256", "EdDSA"],
        });
        for (name, value) in change.as_object().unwrap() {
            document[name] = value.clone();
        }
        let token_requests = Arc::new(AtomicUsize::new(0));
        let counted = token_requests.clone();
        let answer = move |uri: Uri| async move {
            let path = uri.path();
            counted.fetch_add(usize::from(path == "/token"), Ordering::SeqCst);
            let fixed = answers.iter().find(|(known, _, _)| *known == path);
            match fixed {
                Some((_, 0, _)) => std::future::pending().await,
                Some((_, 1, _)) => (StatusCode::OK, "x".repeat(2 << 20)).into_response(),
                Some((_, status @ 300..400, to)) => {
                    let status = StatusCode::from_u16(*status).unwrap();
                    (status, [("location", *to)], "").into_response()
                }
                Some((_, status, body)) => {
                    (StatusCode::from_u16(*status).unwrap(), *body).into_response()
                }
                None if path.ends_with("/openid-configuration") => {
                    (StatusCode::OK, document.to_string()).into_response()
                }
                None => (StatusCode::OK, "{\"keys\":[]}").into_response(),
            }
        };
        let router = Router::new().fallback(answer);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, token_requests }
    }
}

async fn try_out(company: &Company, issuer: &str) -> Value {
    let answer = company.owner.post(&company.path("/sso/test"), json!({ "issuer": issuer })).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["data"].clone()
}

/// One step failed: the steps before it succeeded, and the ones after it were skipped.
fn failed_at(view: &Value, step: &str, code: &str, detail: Value) {
    let at = STEPS.iter().position(|known| *known == step).unwrap();
    let expected: Vec<Value> = STEPS
        .iter()
        .enumerate()
        .map(|(index, name)| match index.cmp(&at) {
            std::cmp::Ordering::Less => {
                json!({ "step": name, "state": "ok", "code": null, "detail": null })
            }
            std::cmp::Ordering::Equal => {
                json!({ "step": name, "state": "failed", "code": code, "detail": detail })
            }
            std::cmp::Ordering::Greater => {
                json!({ "step": name, "state": "skipped", "code": null, "detail": null })
            }
        })
        .collect();
    assert_eq!(view, &json!({ "ok": false, "steps": expected }), "{step} {code}");
}

const DISCOVERY: &str = "/.well-known/openid-configuration";

with_provider! {
    async fn a_right_one_passes_every_step(company: Company) {
        let answer = company.owner.post(&company.path("/sso/test"), json!({})).await;
        assert_eq!(answer.body["data"]["ok"], true, "{answer:?}");
        let steps = answer.body["data"]["steps"].as_array().unwrap();
        let names: Vec<&str> = steps.iter().map(|step| step["step"].as_str().unwrap()).collect();
        assert_eq!(names, STEPS);
        // Tests settings before they are saved.
        company.owner.delete(&company.path("/sso")).await;
        let body = json!({ "issuer": company.issuer(), "client_id": "atrium", "client_secret": CLIENT_SECRET });
        let answer = company.owner.post(&company.path("/sso/test"), body).await;
        assert_eq!(answer.body["data"]["ok"], true, "{answer:?}");
        for (body, field, code) in [
            (json!({}), "issuer", "required"),
            (json!({ "issuer": "http://login.example.com", "client_id": "x" }), "issuer", "bad_issuer"),
            (json!({ "issuer": "https://login.example.com" }), "client_id", "required"),
        ] {
            let answer = company.owner.post(&company.path("/sso/test"), body).await;
            assert_eq!((answer.status, answer.code(), answer.field()), (422, code, field));
        }
    }
}

with_provider! {
    async fn a_wrong_secret_or_client_is_refused_at_the_last_step(company: Company) {
        for body in [json!({ "client_secret": "guessed" }), json!({ "client_id": "unknown" })] {
            let answer = company.owner.post(&company.path("/sso/test"), body).await;
            failed_at(&answer.body["data"], "client", "client_refused", Value::Null);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_step_fails_for_itself() {
    let company = Company::start_impatient(Store::Sqlite).await;
    let elsewhere = json!({ "token_endpoint": "http://login.example.com/token" });
    let cases: Vec<(Fake, &str, &str, Value)> = vec![
        (
            Fake::start(json!({}), &[(DISCOVERY, 404, "secret words")]).await,
            "discovery",
            "http_status",
            json!("404"),
        ),
        (
            Fake::start(json!({}), &[(DISCOVERY, 503, "secret words")]).await,
            "discovery",
            "http_status",
            json!("503"),
        ),
        (
            Fake::start(json!({}), &[(DISCOVERY, 302, "/elsewhere")]).await,
            "discovery",
            "redirected",
            json!("302"),
        ),
        (
            Fake::start(json!({}), &[(DISCOVERY, 200, "<html>secret words")]).await,
            "discovery",
            "not_json",
            Value::Null,
        ),
        (
            Fake::start(json!({}), &[(DISCOVERY, 1, "")]).await,
            "discovery",
            "too_large",
            Value::Null,
        ),
        (Fake::start(json!({}), &[(DISCOVERY, 0, "")]).await, "discovery", "timeout", Value::Null),
        (
            Fake::start(json!({ "issuer": "https://a.example/" }), &[]).await,
            "issuer",
            "issuer_differs",
            json!("https://a.example/"),
        ),
        (
            Fake::start(json!({ "token_endpoint": null }), &[]).await,
            "endpoints",
            "endpoint_missing",
            Value::Null,
        ),
        (Fake::start(elsewhere, &[]).await, "endpoints", "endpoint_insecure", Value::Null),
        (
            Fake::start(json!({ "response_types_supported": ["id_token"] }), &[]).await,
            "features",
            "no_code_flow",
            Value::Null,
        ),
        (
            Fake::start(json!({ "id_token_signing_alg_values_supported": ["none", "HS256"] }), &[])
                .await,
            "features",
            "no_algorithm",
            Value::Null,
        ),
        (
            Fake::start(json!({}), &[("/jwks", 500, "secret words")]).await,
            "keys",
            "http_status",
            json!("500"),
        ),
        (Fake::start(json!({}), &[("/jwks", 200, "[]")]).await, "keys", "not_json", Value::Null),
        (
            Fake::start(
                json!({}),
                &[("/jwks", 200, "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"}]}")],
            )
            .await,
            "keys",
            "no_keys",
            Value::Null,
        ),
    ];
    let views = cases.iter().map(|(fake, ..)| try_out(&company, &fake.url));
    let views = futures::future::join_all(views).await;
    for ((fake, step, code, detail), view) in cases.iter().zip(views) {
        failed_at(&view, step, code, detail.clone());
        assert!(!view.to_string().contains("secret words"));
        assert_eq!(fake.token_requests.load(Ordering::SeqCst), 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_cannot_be_reached_says_why() {
    let company = Company::start(Store::Sqlite).await;
    let plain = Fake::start(json!({}), &[]).await.url.replace("http://", "https://");
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let refusing = format!("http://{}", closed.local_addr().unwrap());
    drop(closed);
    for (issuer, code) in [
        (plain.as_str(), "tls"),
        (&refusing, "refused"),
        ("https://no-such-name.invalid", "name_not_found"),
        ("https://169.254.169.254", "address_forbidden"),
        ("https://[fe80::1]", "address_forbidden"),
        ("https://0.0.0.0", "address_forbidden"),
        ("https://[::ffff:169.254.169.254]", "address_forbidden"),
    ] {
        failed_at(&try_out(&company, issuer).await, "address", code, Value::Null);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_stored_secret_goes_to_its_own_issuer_only() {
    let company = Company::start(Store::Sqlite).await;
    const KEY: &str = "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"use\":\"sig\",\"kid\":\"a\",\
        \"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}";
    let fake = Fake::start(
        json!({}),
        &[("/jwks", 200, KEY), ("/token", 400, "{\"error\":\"invalid_grant\"}")],
    )
    .await;
    let view = try_out(&company, &fake.url).await;
    assert_eq!(
        (&view["ok"], &view["steps"][6]["state"], &view["steps"][5]["state"]),
        (&json!(false), &json!("skipped"), &json!("ok")),
        "{view}"
    );
    assert_eq!(fake.token_requests.load(Ordering::SeqCst), 0);
    // A secret that is given with the test is sent.
    let body = json!({ "issuer": fake.url, "client_secret": "its own" });
    let answer = company.owner.post(&company.path("/sso/test"), body).await;
    assert_eq!(
        (&answer.body["data"]["ok"], fake.token_requests.load(Ordering::SeqCst)),
        (&json!(true), 1),
        "{answer:?}"
    );
}

/// Where anyone can register, nobody may reach into the server's own network.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_instance_calls_public_addresses_only() {
    let fake = Fake::start(json!({}), &[]).await;
    let server = crate::support::TestServer::start(Store::Sqlite).await;
    let owner = server.owner(super::OWNER).await;
    let teams = owner.get("/api/v1/orgs").await;
    let path =
        format!("/api/v1/orgs/{}/sso/test", teams.body["data"]["items"][0]["id"].as_str().unwrap());
    let port = url::Url::parse(&fake.url).unwrap().port().unwrap();
    for issuer in [
        fake.url.clone(),
        // Names that resolve to it are refused like its addresses.
        format!("http://localhost:{port}"),
        format!("https://localhost:{port}"),
        "https://10.0.0.1".to_owned(),
        "https://192.168.1.1".to_owned(),
        "https://[fd00::1]".to_owned(),
        "https://2130706433".to_owned(),
    ] {
        let answer = owner.post(&path, json!({ "issuer": issuer, "client_id": "x" })).await;
        failed_at(&answer.body["data"], "address", "address_forbidden", Value::Null);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_person_cannot_have_us_ask_for_ever() {
    let company = Company::start(Store::Sqlite).await;
    let mut last = 0;
    for _ in 0..61 {
        let body = json!({ "issuer": "https://169.254.169.254", "client_id": "x" });
        last = company.owner.post(&company.path("/sso/test"), body).await.status;
    }
    assert_eq!(last, 429);
}
