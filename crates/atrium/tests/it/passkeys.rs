//! Passkeys: adding, signing in, and everything that must not work.

use crate::support::authenticator::Authenticator;
use crate::support::{Actor, Answer, Store, TestServer, on_both};
use atrium::types::Millis;
use futures::future::join_all;
use serde_json::{Value, json};

const PASSKEYS: &str = "/api/v1/current/passkeys";
const JANE: &str = "jane@example.com";

fn authenticator(server: &TestServer, seed: u8) -> Authenticator {
    Authenticator::new(&server.url.replace("127.0.0.1", "localhost"), seed)
}

async fn options(actor: &Actor, path: &str) -> Value {
    let answer = actor.post(path, json!({})).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["data"]["publicKey"].clone()
}

async fn add(actor: &Actor, device: &mut Authenticator) -> Answer {
    let options = options(actor, "/api/v1/current/passkeys/options").await;
    let credential = device.create(&options);
    actor.post(PASSKEYS, json!({ "name": "My phone", "credential": credential })).await
}

async fn challenge(browser: &Actor) -> Value {
    options(browser, "/api/v1/login/passkey/options").await
}

async fn sign_in(browser: &Actor, device: &mut Authenticator) -> Answer {
    let credential = device.get(&challenge(browser).await);
    enter(browser, credential).await
}

async fn enter(browser: &Actor, credential: Value) -> Answer {
    browser.post("/api/v1/login/passkey", json!({ "credential": credential })).await
}

on_both! {
    async fn a_passkey_signs_in_without_address_or_second_step(server: TestServer) {
        let jane = server.owner(JANE).await;
        let mut phone = authenticator(&server, 1);
        let wanted = options(&jane, "/api/v1/current/passkeys/options").await;
        assert_eq!(wanted["authenticatorSelection"]["residentKey"], "required");
        assert_eq!(wanted["authenticatorSelection"]["userVerification"], "required");
        assert_eq!(wanted["rp"]["id"], "localhost");
        let added = add(&jane, &mut phone).await;
        assert_eq!(added.status, 200, "{added:?}");
        assert_eq!(jane.get("/api/v1/current").await.body["data"]["mfa"]["passkeys"], 1);

        let browser = server.anonymous();
        let answer = sign_in(&browser, &mut phone).await;
        assert_eq!((answer.status, &answer.body["data"]["email"]), (200, &json!(JANE)));
        let list = jane.get(PASSKEYS).await;
        assert_eq!(list.body["data"]["items"][0]["name"], "My phone");
        assert!(list.body["data"]["items"][0]["last_used_at"].is_string());
        // A second registration is refused, for this account and for another.
        assert_eq!(add(&jane, &mut phone).await.code(), "refused_passkey");
        let other = server.owner("other@example.com").await;
        assert_eq!(add(&other, &mut authenticator(&server, 1)).await.code(), "refused_passkey");
    }
}

on_both! {
    async fn a_passkey_is_renamed_and_removed_by_its_owner(server: TestServer) {
        let jane = server.owner(JANE).await;
        let mut phone = authenticator(&server, 1);
        let id = add(&jane, &mut phone).await.body["data"]["id"].as_str().unwrap().to_owned();
        let path = format!("{PASSKEYS}/{id}");
        let other = server.owner("other@example.com").await;
        assert_eq!(other.put(&path, json!({ "name": "Mine" })).await.status, 404);
        assert_eq!(other.delete(&path).await.status, 404);
        assert_eq!(jane.put(&path, json!({ "name": "  " })).await.field(), "name");
        assert_eq!(jane.put(&path, json!({ "name": "Old phone" })).await.body["data"]["name"], "Old phone");
        assert_eq!(jane.delete(&path).await.status, 200);
        assert_eq!(sign_in(&server.anonymous(), &mut phone).await.code(), "bad_passkey");
        server.mail_about(JANE, "passkey was added").await;
        assert!(server.mail_about(JANE, "passkey was removed").await.text.contains("Old phone"));
    }
}

on_both! {
    async fn what_is_forged_replayed_or_foreign_is_refused_alike(server: TestServer) {
        let jane = server.owner(JANE).await;
        let mut phone = authenticator(&server, 1);
        add(&jane, &mut phone).await;
        let refused = |answer: Answer| assert_eq!((answer.status, answer.code()), (401, "bad_passkey"), "{answer:?}");

        // A credential answers one challenge, once, in the browser that requested it.
        let browser = server.anonymous();
        let credential = phone.get(&challenge(&browser).await);
        refused(enter(&server.anonymous(), credential.clone()).await);
        assert_eq!(enter(&browser, credential.clone()).await.status, 200);
        refused(enter(&browser, credential.clone()).await);
        challenge(&browser).await;
        refused(enter(&browser, credential).await);

        // A page of another origin, an authenticator that did not verify the user, and another key.
        let mut phishing = authenticator(&server, 1);
        phishing.create(&options(&jane, "/api/v1/current/passkeys/options").await);
        phishing.counter = 100;
        phishing.origin = "https://atrium.evil.example".to_owned();
        refused(sign_in(&browser, &mut phishing).await);
        phone.flags = 0x01;
        refused(sign_in(&browser, &mut phone).await);
        phone.flags = 0x05;
        let mut forged = authenticator(&server, 2);
        forged.create(&options(&jane, "/api/v1/current/passkeys/options").await);
        forged.credential_id = phone.credential_id.clone();
        forged.counter = 200;
        refused(sign_in(&browser, &mut forged).await);
        // A cloned authenticator whose counter lags behind.
        assert_eq!(sign_in(&browser, &mut phone).await.status, 200);
        phone.counter = 0;
        refused(sign_in(&browser, &mut phone).await);
        phone.counter = 300;

        for nonsense in [json!(null), json!({}), json!("x"), json!({ "id": "AA", "rawId": "AA", "type": "public-key", "response": {} })] {
            challenge(&browser).await;
            refused(enter(&browser, nonsense).await);
        }
        // Too late: the challenge has expired.
        let credential = phone.get(&challenge(&browser).await);
        server.clock.advance(6 * Millis::MINUTE);
        refused(enter(&browser, credential).await);
        // The account is disabled.
        server.execute("UPDATE users SET disabled_at = 1 WHERE email = $1", JANE).await;
        refused(sign_in(&browser, &mut phone).await);
    }
}

on_both! {
    async fn a_registration_belongs_to_the_person_who_began_it(server: TestServer) {
        let (jane, eve) = (server.owner(JANE).await, server.owner("eve@example.com").await);
        let wanted = options(&jane, "/api/v1/current/passkeys/options").await;
        let credential = authenticator(&server, 1).create(&wanted);
        let body = json!({ "name": "x", "credential": credential });
        assert_eq!(eve.post(PASSKEYS, body.clone()).await.code(), "refused_passkey");
        let tries = (0..20).map(|_| {
            let (jane, body) = (jane.clone(), body.clone());
            async move { jane.post(PASSKEYS, body).await.status }
        });
        let statuses = join_all(tries).await;
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    }
}

on_both! {
    async fn twenty_passkeys_are_enough(server: TestServer) {
        let jane = server.owner(JANE).await;
        for seed in 1..=20 {
            assert_eq!(add(&jane, &mut authenticator(&server, seed)).await.status, 200);
        }
        let answer = jane.post("/api/v1/current/passkeys/options", json!({})).await;
        assert_eq!((answer.status, answer.code()), (409, "too_many_passkeys"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_domain_there_are_no_passkeys() {
    let server = TestServer::start_with(Store::Sqlite, |raw| {
        raw.public_url = Some("https://203.0.113.9".into());
    })
    .await;
    let browser = server.anonymous();
    assert_eq!(browser.get("/api/v1/envs").await.body["data"]["passkey_domain"], Value::Null);
    let answer = browser.post("/api/v1/login/passkey/options", json!({})).await;
    assert_eq!((answer.status, answer.code()), (404, "passkeys_unavailable"));
}
