//! The access log: one line per request, with the caller's id and nothing else that identifies them.

use crate::process::{Server, post};
use crate::support::sender::{AccessKey, PATH, Signing, nonce};
use serde_json::Value;

/// The program with its first account, signed in from a browser.
struct Visit {
    server: Server,
    cookie: String,
}

impl Visit {
    fn start(folder: &std::path::Path) -> Self {
        let server = Server::start(folder, &["--log", "debug", "--log-format", "json"]);
        let token = server.setup_link().unwrap().rsplit('/').next().unwrap().to_owned();
        let body = format!(
            r#"{{"token":"{token}","email":"jane@example.com","name":"J","password":"correct horse battery","organization_name":"T"}}"#
        );
        let answer = server.request(&post("/api/v1/register/profile", &body));
        let cookie = answer.split("atrium_session=").nth(1).unwrap().split(';').next().unwrap();
        Self { cookie: cookie.to_owned(), server }
    }

    fn call(&self, request: &str) -> Value {
        let headers = format!("host: a\r\ncookie: atrium_session={}\r\n", self.cookie);
        let answer = self.server.request(&request.replace("host: a\r\n", &headers));
        let body = answer.split("\r\n\r\n").nth(1).unwrap();
        serde_json::from_str::<Value>(body).unwrap()["data"].clone()
    }
}

fn get(path: &str, header: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n{header}\r\n")
}

#[test]
fn the_access_log_names_people_and_keys_by_id() {
    let folder = tempfile::tempdir().unwrap();
    let visit = Visit::start(folder.path());
    let current = visit.call(&get("/api/v1/current", ""));
    let (user, app) = (current["id"].as_str().unwrap(), &current["last_app"]["app_id"]);
    let app = app.as_str().unwrap();
    // A program with the app's query key, and one that signs with an access key.
    let reset = r#"{"kinds":["query"],"grace_hours":0}"#;
    let reset = post(&format!("/api/v1/apps/{app}/api-keys"), reset).replace("POST", "PUT");
    let query_key = visit.call(&reset)["items"][0]["key"].as_str().unwrap().to_owned();
    let bearer = format!("authorization: Bearer {query_key}\r\n");
    visit.server.request(&get(&format!("/api/v1/apps/{app}/events"), &bearer));
    let made = visit.call(&post(&format!("/api/v1/apps/{app}/access-keys"), r#"{"name":"K"}"#));
    let text = |field: &str| made[field].as_str().unwrap().to_owned();
    let key = AccessKey { id: text("id"), secret: text("secret") };
    visit.server.request(&signed(&key));
    visit.server.signal("-INT");
    let (_, log) = visit.server.finish();

    let lines = || log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let requests = |route: &str| {
        let found = lines().filter(|line| line["fields"]["route"] == route);
        found.map(|line| line["fields"].clone()).collect::<Vec<_>>()
    };
    let signed_in = &requests("/api/v1/current")[0];
    assert_eq!(
        (&signed_in["user"], signed_in.get("key")),
        (&Value::from(user), None),
        "{signed_in}"
    );
    let read = &requests("/api/v1/apps/{id}/events")[0];
    assert!(read.get("user").is_none() && read["key"].as_str().unwrap().len() == 36, "{read}");
    let sent = &requests(PATH)[0];
    assert_eq!(
        (sent["status"].as_u64(), &sent["key"]),
        (Some(200), &Value::from(key.id)),
        "{sent}"
    );
    let unknown = &requests("/api/v1/register/profile")[0];
    assert!(unknown.get("user").is_none() && unknown.get("key").is_none(), "{unknown}");
    for secret in ["jane@example.com", &visit.cookie, &query_key, &key.secret] {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
}

/// A signed request whose only message is empty.
fn signed(key: &AccessKey) -> String {
    let body = r#"{"messages":[{}]}"#;
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
    let timestamp = i64::try_from(now.as_millis()).unwrap();
    let signing = Signing { method: "POST", path: PATH.to_owned(), nonce: nonce(), timestamp };
    let headers = format!(
        "host: a\r\nx-access-key-id: {}\r\nx-timestamp: {timestamp}\r\nx-nonce: {}\r\nx-signature: {}\r\n",
        key.id,
        signing.nonce,
        key.sign(&signing, body.as_bytes())
    );
    post(PATH, body).replace("host: a\r\n", &headers)
}
