//! A new master key while servers run: nothing stops working, wherever the rotation is interrupted.

use std::time::Duration;

use crate::second_factor::{App, enroll};
use crate::support::sender::{AccessKey, event};
use crate::support::{Actor, PASSWORD, Store, TestServer, on_both};
use atrium::app::AppState;
use atrium::audit;
use atrium::config::Settings;
use atrium::key_rotation;
use atrium::types::{Clock, Millis};
use serde_json::json;

const JANE: &str = "jane@example.com";
const AT_ONCE: Duration = Duration::ZERO;

/// Signs in with the authenticator app. A code works once, so the clock moves on each time.
async fn sign_in(server: &TestServer, app: &App) -> u16 {
    server.clock.advance(30 * Millis::SECOND);
    let browser = server.anonymous();
    browser.login(JANE, PASSWORD).await;
    browser.post("/api/v1/login/mfa", json!({ "code": app.code(server) })).await.status
}

async fn send(server: &TestServer, key: &AccessKey) -> u16 {
    server.collect_signed(key, json!([event(server, "a")])).await.status
}

/// Waiting mails: more than a few batches of them.
async fn fill(server: &TestServer) {
    for n in 0..350 {
        let sealed = server.atrium.keyring.seal("mail", b"{}", &server.atrium.entropy).unwrap();
        let id = format!("waiting-{n:04}");
        server
            .run(
                "INSERT INTO outbox (id, channel, body, created_at, next_try_at, tries, leased_until)
            VALUES ($1, 'mail', $2, 1, 9000000000000, 0, 0)",
                &[&id, &sealed],
            )
            .await;
    }
}

async fn left_behind(server: &TestServer) -> i64 {
    let fingerprint = format!("{}.%", server.atrium.keyring.fingerprint());
    let mut db = server.atrium.db.read().await.unwrap();
    let mut left = 0;
    for sql in [
        "SELECT COUNT(*) FROM outbox WHERE body NOT LIKE $1",
        "SELECT COUNT(*) FROM access_keys WHERE secret_sealed NOT LIKE $1 AND secret_sealed <> ''",
        "SELECT COUNT(*) FROM totp_factors WHERE secret NOT LIKE $1",
        "SELECT COUNT(*) FROM org_sso WHERE client_secret NOT LIKE $1",
        "SELECT COUNT(*) FROM erasures WHERE subject NOT LIKE $1",
        "SELECT COUNT(*) FROM one_time_tokens WHERE payload NOT LIKE $1 AND purpose <> 'invitation'",
    ] {
        left +=
            sqlx::query_scalar::<_, i64>(sql).bind(&fingerprint).fetch_one(&mut *db).await.unwrap();
    }
    left
}

async fn sealed_things(server: &TestServer) -> (App, Vec<String>, AccessKey, Actor) {
    let jane = server.owner(JANE).await;
    let org = jane.get("/api/v1/orgs").await.body["data"]["items"][0]["id"].clone();
    let app_id = jane.get("/api/v1/current").await.body["data"]["last_app"]["app_id"].clone();
    let (org, app_id) = (org.as_str().unwrap(), app_id.as_str().unwrap());
    let key = server.access_key(&jane, app_id).await;
    let secret =
        server.atrium.keyring.seal("sso_client_secret", b"secret", &server.atrium.entropy).unwrap();
    server.run("INSERT INTO org_sso (org_id, issuer, client_id, client_secret, default_role, updated_at)
        VALUES ($1, '', '', $2, 'member', 1)", &[org, &secret]).await;
    let erasure = jane
        .post(
            &format!("/api/v1/apps/{app_id}/erasures"),
            json!({ "kind": "user", "subject": "someone" }),
        )
        .await;
    assert_eq!(erasure.status, 200, "{erasure:?}");
    let (app, codes) = enroll(server, &jane).await;
    fill(server).await;
    (app, codes, key, jane)
}

on_both! {
    async fn the_key_is_rotated_while_servers_run(server: TestServer) {
        let second = server.second_instance().await;
        let (app, codes, key, jane) = sealed_things(&server).await;
        second.clock.advance(60 * Millis::SECOND);
        let half_way = server.anonymous();
        half_way.login(JANE, PASSWORD).await;
        let before = server.atrium.keyring.fingerprint();
        let derived = server.atrium.keyring.derive("pseudonym");

        // Both servers are in use throughout, and the rotation is interrupted again and again.
        let (stop, mut stopped) = tokio::sync::watch::channel(false);
        let load = tokio::spawn({
            let (server, second, key) = (server.again(), second.again(), key.clone());
            async move {
                let mut sent = 0;
                while !*stopped.borrow_and_update() {
                    assert_eq!(send(&server, &key).await, 200);
                    assert_eq!(send(&second, &key).await, 200);
                    sent += 2;
                }
                sent
            }
        });
        for tenths in [0, 1, 5, 20, 60] {
            let rotating = key_rotation::rotate(&server.atrium, Duration::from_secs(600));
            let broken_off = tokio::time::timeout(Duration::from_micros(tenths * 1_000), rotating).await;
            assert!(broken_off.is_err());
            assert_eq!(sign_in(&server, &app).await, 200, "after {tenths}");
            second.clock.advance(30 * Millis::SECOND);
            assert_eq!(sign_in(&second, &app).await, 200, "after {tenths}, at the other");
            server.clock.advance(30 * Millis::SECOND);
        }
        let done = key_rotation::rotate(&server.atrium, AT_ONCE).await.unwrap();
        stop.send(true).unwrap();
        assert!(load.await.unwrap() > 0);
        assert_eq!((done.from.as_str(), done.unreadable), (before.as_str(), 0), "{done:?}");
        assert_ne!(done.to, before);
        assert_eq!(server.atrium.keyring.fingerprint(), done.to);

        // A server that was not notified finds the new key when it needs it, and others can read what it
        // still seals with the old one.
        assert_eq!(second.atrium.keyring.fingerprint(), before);
        assert_eq!(sign_in(&second, &app).await, 200);
        let current = jane.get("/api/v1/current").await.body;
        let app_id = current["data"]["last_app"]["app_id"].as_str().unwrap();
        let late = second.access_key(&jane.at(&second.url), app_id).await;
        assert_eq!(send(&server, &late).await, 200);
        assert!(second.atrium.keyring.refresh(&second.atrium.db).await.unwrap());
        assert_eq!(second.atrium.keyring.fingerprint(), done.to);

        // Everything derived from the key stays the same: pseudonyms, recovery codes, the audit log.
        assert_eq!(server.atrium.keyring.derive("pseudonym"), derived);
        let browser = server.anonymous();
        browser.login(JANE, PASSWORD).await;
        let by_code = browser.post("/api/v1/login/mfa", json!({ "code": codes[0] })).await;
        assert_eq!(by_code.status, 200, "{by_code:?}");
        let mut db = server.atrium.db.read().await.unwrap();
        let (_, faults) = audit::verify(&mut db, &server.atrium.keyring).await.unwrap();
        assert!(faults.is_empty());
        drop(db);

        // The next rotation includes what came late, and the first key is no longer needed.
        let done = key_rotation::rotate(&server.atrium, AT_ONCE).await.unwrap();
        assert_eq!(left_behind(&server).await, 0);
        let file = server.folder().join("master.key");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.lines().next().unwrap()).unwrap();
        let settings = Settings::check(server.raw_settings()).unwrap();
        let alone = AppState::start(settings, Clock::default()).await.unwrap();
        assert_eq!(alone.keyring.fingerprint(), done.to);
        assert_eq!(alone.keyring.derive("pseudonym"), derived);
        assert_eq!(send(&server, &late).await, 200);
        // The first key alone no longer opens anything.
        std::fs::write(&file, text.lines().nth(1).unwrap()).unwrap();
        let settings = Settings::check(server.raw_settings()).unwrap();
        assert!(AppState::start(settings, Clock::default()).await.is_err());
    }
}

on_both! {
    async fn keys_of_the_settings_are_rotated_in_two_steps(server: TestServer) {
        let (app, ..) = sealed_things(&server).await;
        let old = std::fs::read_to_string(server.folder().join("master.key")).unwrap();
        let new = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
        // Settings with only the current key leave nothing to rotate to.
        let given = old.clone();
        let first = server.second_instance_with(|raw| raw.master_key = Some(given)).await;
        let error = key_rotation::rotate(&first.atrium, AT_ONCE).await.unwrap_err().to_string();
        assert!(error.contains("master_key_previous"), "{error}");

        let given = old.clone();
        let both = server.second_instance_with(|raw| {
            raw.master_key = Some(new.into());
            raw.master_key_previous = Some(given);
        }).await;
        assert_eq!(both.atrium.keyring.fingerprint(), first.atrium.keyring.fingerprint());
        both.clock.advance(120 * Millis::SECOND);
        assert_eq!(sign_in(&both, &app).await, 200);
        let done = key_rotation::rotate(&both.atrium, AT_ONCE).await.unwrap();
        assert_eq!(done.from, first.atrium.keyring.fingerprint());
        assert_eq!(left_behind(&both).await, 0);

        let alone = server.second_instance_with(|raw| raw.master_key = Some(new.into())).await;
        alone.clock.advance(240 * Millis::SECOND);
        assert_eq!(sign_in(&alone, &app).await, 200);
        let mut raw = server.raw_settings();
        raw.master_key = Some(old);
        let error = AppState::start(Settings::check(raw).unwrap(), Clock::default()).await.err().unwrap();
        assert!(error.to_string().contains("a different key"), "{error:#}");
    }
}
