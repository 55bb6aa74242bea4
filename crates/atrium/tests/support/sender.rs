//! An application that sends messages: events, signatures, encodings.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use sha2::Sha256;
use uuid::Uuid;

use super::{Actor, Answer, TestServer};

pub const PATH: &str = "/v1/collect";

/// An event with every field of the SDK, at the current time.
pub fn event(server: &TestServer, name: &str) -> Value {
    event_at(server.atrium.now().0, name)
}

pub fn event_at(timestamp: i64, name: &str) -> Value {
    json!({ "type": "Event", "data": {
        "log_id": Uuid::new_v4().to_string(), "event": name, "timestamp": timestamp,
        "device_id": "device-1", "user_id": "user-1", "sdk_type": "js", "sdk_version": "0.2.4",
        "timezone_offset": 8, "os": "macOS", "language": "zh-CN", "url_path": "/pricing",
        "device_type": "PC", "browser": "Chrome", "browser_version": "130", "user_agent": "Mozilla",
        "client_version": "1.2.3", "source": "web", "properties": { "plan": "pro", "seats": 3 },
    }})
}

pub fn mutation(
    server: &TestServer,
    kind: &str,
    operation: &str,
    id: &str,
    properties: Value,
) -> Value {
    json!({ "type": kind, "data": {
        "operation": operation, "log_id": Uuid::new_v4().to_string(),
        "timestamp": server.atrium.now().0, "id": id, "sdk_type": "js", "sdk_version": "0.2.4",
        "properties": properties,
    }})
}

#[derive(Clone)]
pub struct AccessKey {
    pub id: String,
    pub secret: String,
}

/// The parts that a signature covers. A test may change each of them.
#[derive(Clone)]
pub struct Signing {
    pub method: &'static str,
    pub path: String,
    pub nonce: String,
    pub timestamp: i64,
}

impl AccessKey {
    pub fn sign(&self, signing: &Signing, payload: &[u8]) -> String {
        let Signing { method, path, nonce, timestamp } = signing;
        let head = format!("{method}\n{path}\n{}\n{nonce}\n{timestamp}\n", self.id);
        let mut mac = Hmac::<Sha256>::new_from_slice(self.secret.as_bytes()).unwrap();
        mac.update(head.as_bytes());
        mac.update(payload);
        STANDARD.encode(mac.finalize().into_bytes())
    }
}

pub fn nonce() -> String {
    format!("{:06}", Uuid::new_v4().as_u128() % 1_000_000)
}

impl TestServer {
    /// The collect key of an app.
    pub async fn collect_key(&self, app_id: &str) -> String {
        let mut db = self.atrium.db.read().await.unwrap();
        sqlx::query_scalar(
            "SELECT value FROM api_keys WHERE app_id = $1 AND kind = 'collect' AND valid_until IS NULL",
        )
        .bind(app_id)
        .fetch_one(&mut *db)
        .await
        .unwrap()
    }

    pub async fn access_key(&self, by: &Actor, app_id: &str) -> AccessKey {
        let name = Uuid::new_v4().to_string();
        let made =
            by.post(&format!("/api/v1/apps/{app_id}/access-keys"), json!({ "name": name })).await;
        assert_eq!(made.status, 200, "{made:?}");
        let text = |field: &str| made.body["data"][field].as_str().unwrap().to_owned();
        AccessKey { id: text("id"), secret: text("secret") }
    }

    pub async fn collect(&self, key: &str, messages: Value) -> Answer {
        let body = json!({ "app_key": key, "messages": messages });
        self.anonymous().post(PATH, body).await
    }

    pub fn signing(&self) -> Signing {
        Signing {
            method: "POST",
            path: PATH.to_owned(),
            nonce: nonce(),
            timestamp: self.atrium.now().0,
        }
    }

    pub fn signed(&self, key: &AccessKey, signing: &Signing, body: Vec<u8>) -> RequestBuilder {
        let signature = key.sign(signing, &body);
        self.anonymous()
            .request(Method::POST, PATH)
            .header("content-type", "application/json")
            .header("x-access-key-id", &key.id)
            .header("x-timestamp", signing.timestamp.to_string())
            .header("x-nonce", &signing.nonce)
            .header("x-signature", signature)
            .body(body)
    }

    pub async fn collect_signed(&self, key: &AccessKey, messages: Value) -> Answer {
        let body = serde_json::to_vec(&json!({ "messages": messages })).unwrap();
        let request = self.signed(key, &self.signing(), body);
        self.anonymous().send(request).await
    }
}
