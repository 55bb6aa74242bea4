//! Two-step verification: enrolling, signing in with it, and attempts to get around it.

use crate::support::{Actor, Answer, PASSWORD, Store, TestServer, on_both};
use atrium::accounts::{link, operator};
use atrium::types::Millis;
use futures::future::join_all;
use serde_json::{Value, json};
use totp_rs::{Builder, Secret, Totp};

const TOTP: &str = "/api/v1/current/mfa/totp";
const JANE: &str = "jane@example.com";

/// The person's authenticator app.
pub(crate) struct App(Totp);

impl App {
    fn of(enrollment: &Value) -> Self {
        let secret = Secret::try_from_base32(enrollment["secret"].as_str().unwrap()).unwrap();
        Self(Builder::new().with_secret(secret).with_account_name("x").build().unwrap())
    }

    pub(crate) fn code(&self, server: &TestServer) -> String {
        let seconds = u64::try_from(server.atrium.now().0 / Millis::SECOND).unwrap();
        self.0.generate(seconds).to_string()
    }
}

/// Turns two-step verification on. The code that confirmed it is used up, so the clock moves on one step.
pub(crate) async fn enroll(server: &TestServer, actor: &Actor) -> (App, Vec<String>) {
    let begun = actor.post(TOTP, json!({})).await;
    assert_eq!(begun.status, 200, "{begun:?}");
    let app = App::of(&begun.body["data"]);
    let done = actor.put(TOTP, json!({ "code": app.code(server) })).await;
    assert_eq!(done.status, 200, "{done:?}");
    let codes = done.body["data"]["recovery_codes"].as_array().unwrap();
    server.clock.advance(60 * Millis::SECOND);
    (app, codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect())
}

async fn second_step(browser: &Actor, code: &str) -> Answer {
    browser.post("/api/v1/login/mfa", json!({ "code": code })).await
}

/// A browser that has passed the first step.
async fn half_way(server: &TestServer) -> Actor {
    let browser = server.anonymous();
    let answer = browser.login(JANE, PASSWORD).await;
    assert_eq!((answer.status, &answer.body), (200, &json!({ "data": { "mfa_required": true } })));
    browser
}

on_both! {
    async fn enrolled_people_are_asked_for_a_code(server: TestServer) {
        let jane = server.owner(JANE).await;
        let begun = jane.post(TOTP, json!({})).await;
        let data = &begun.body["data"];
        assert!(data["otpauth_uri"].as_str().unwrap().starts_with("otpauth://totp/Atrium:jane%40example.com?"), "{data}");
        assert!(data["qr_svg"].as_str().unwrap().contains("<svg"));
        // Enrollment has begun, but it is not on yet.
        assert_eq!(jane.get(TOTP).await.body["data"]["enabled"], false);
        assert_eq!(server.anonymous().login(JANE, PASSWORD).await.body["data"]["email"], JANE);
        let wrong = jane.put(TOTP, json!({ "code": "000000" })).await;
        assert_eq!((wrong.status, wrong.code(), wrong.field()), (422, "wrong_code", "code"));

        let (app, codes) = enroll(&server, &jane).await;
        assert_eq!(codes.len(), 10);
        assert_eq!(jane.get("/api/v1/current").await.body["data"]["mfa"]["totp"], true);
        assert_eq!(jane.get(TOTP).await.body["data"]["recovery_codes_left"], 10);
        let again = jane.post(TOTP, json!({})).await;
        assert_eq!((again.status, again.code()), (409, "totp_enabled"));

        let browser = half_way(&server).await;
        assert_eq!(browser.get("/api/v1/current").await.status, 401);
        let wrong = second_step(&browser, "000000").await;
        assert_eq!((wrong.status, wrong.code()), (401, "bad_code"));
        let code = app.code(&server);
        assert_eq!(second_step(&browser, &code).await.body["data"]["email"], JANE);
        assert_eq!(browser.get("/api/v1/current").await.status, 200);
        // The half-done sign-in is used up, and so is the code.
        assert_eq!(second_step(&browser, &code).await.status, 410);
        let other = half_way(&server).await;
        assert_eq!(second_step(&other, &code).await.code(), "bad_code");
        server.clock.advance(30 * Millis::SECOND);
        assert_eq!(second_step(&other, &app.code(&server)).await.status, 200);
        assert_eq!(server.count("SELECT COUNT(*) FROM totp_factors WHERE secret LIKE '%=' OR length(secret) > 40").await, 1);
    }
}

on_both! {
    async fn no_other_way_in_goes_around_the_second_step(server: TestServer) {
        let jane = server.owner(JANE).await;
        let (app, _) = enroll(&server, &jane).await;

        let browser = server.anonymous();
        browser.post("/api/v1/send-login-code-email", json!({ "email": JANE })).await;
        let code = server.mail_about(JANE, "sign-in code").await.code();
        let body = json!({ "email": JANE, "code": code });
        let answer = browser.post("/api/v1/login-by-email-code", body).await;
        assert_eq!(answer.body["data"], json!({ "mfa_required": true }));
        assert_eq!(browser.get("/api/v1/current").await.status, 401);

        let (_, link) = link::make(&server.atrium, JANE).await.unwrap().unwrap();
        let token = link.split_once("/login#link=").unwrap().1;
        let browser = server.anonymous();
        let body = json!({ "token": token });
        let answer = browser.post("/api/v1/login/link", body.clone()).await;
        assert_eq!(answer.body["data"], json!({ "mfa_required": true }));
        assert_eq!(server.anonymous().post("/api/v1/login/link", body).await.status, 410);
        assert_eq!(second_step(&browser, &app.code(&server)).await.status, 200);

        // A new password does not get around it either.
        server.anonymous().post("/api/v1/password/forget", json!({ "email": JANE })).await;
        let token = server.mail_about(JANE, "Reset").await.token();
        let body = json!({ "token": token, "password": "quite another one" });
        assert_eq!(server.anonymous().post("/api/v1/password/reset", body).await.status, 200);
        let answer = server.anonymous().login(JANE, "quite another one").await;
        assert_eq!(answer.body["data"], json!({ "mfa_required": true }));
    }
}

on_both! {
    async fn a_recovery_code_works_once_under_fifty_at_once(server: TestServer) {
        let jane = server.owner(JANE).await;
        let (_, codes) = enroll(&server, &jane).await;
        // Known browsers have counters of their own, so the tries below are not throttled together.
        let mut browsers = Vec::new();
        for _ in 0..8 {
            browsers.push(half_way(&server).await);
            server.execute("DELETE FROM throttles WHERE scope <> $1", "").await;
        }
        let tries = (0..50).map(|n| {
            let (browser, code) = (browsers[n % browsers.len()].clone(), codes[0].clone());
            async move { second_step(&browser, &code).await.status }
        });
        let statuses = join_all(tries).await;
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert_eq!(jane.get(TOTP).await.body["data"]["recovery_codes_left"], 9);
        let mail = server.mail_about(JANE, "recovery code").await;
        assert!(mail.text.contains("Codes left: 9"), "{}", mail.text);

        // Spaces, capitals and the dash do not matter.
        server.execute("DELETE FROM throttles WHERE scope <> $1", "").await;
        let browser = half_way(&server).await;
        let typed = codes[1].to_uppercase().replace('-', " ");
        assert_eq!(second_step(&browser, &typed).await.status, 200);
    }
}

on_both! {
    async fn five_wrong_codes_end_the_half_done_sign_in(server: TestServer) {
        let jane = server.owner(JANE).await;
        let (app, _) = enroll(&server, &jane).await;
        let browser = half_way(&server).await;
        for _ in 0..5 {
            assert_eq!(second_step(&browser, "000000").await.code(), "bad_code");
        }
        assert_eq!(second_step(&browser, &app.code(&server)).await.status, 410);

        // Knowing the password gives no extra tries: first and second steps count together.
        let browser = half_way(&server).await;
        for _ in 0..5 {
            second_step(&browser, "000000").await;
        }
        let answer = server.anonymous().login(JANE, PASSWORD).await;
        assert_eq!((answer.status, answer.code()), (429, "throttled"));

        server.clock.advance(Millis::HOUR);
        let browser = half_way(&server).await;
        server.clock.advance(11 * Millis::MINUTE);
        let late = second_step(&browser, &app.code(&server)).await;
        assert_eq!((late.status, late.code()), (410, "token_gone"));
    }
}

on_both! {
    async fn the_half_done_sign_in_belongs_to_its_browser(server: TestServer) {
        let jane = server.owner(JANE).await;
        let (app, _) = enroll(&server, &jane).await;
        half_way(&server).await;
        let stranger = server.anonymous();
        assert_eq!(second_step(&stranger, &app.code(&server)).await.status, 410);
    }
}

on_both! {
    async fn codes_can_be_renewed_and_the_factor_removed(server: TestServer) {
        let jane = server.owner(JANE).await;
        let (_, old) = enroll(&server, &jane).await;
        let renewed = jane.post("/api/v1/current/mfa/recovery-codes", json!({})).await;
        assert_eq!(renewed.body["data"]["recovery_codes"].as_array().unwrap().len(), 10);
        let browser = half_way(&server).await;
        assert_eq!(second_step(&browser, &old[0]).await.code(), "bad_code");

        assert_eq!(jane.delete(TOTP).await.status, 200);
        assert_eq!(server.signed_in(JANE).await.get("/api/v1/current").await.status, 200);
        assert_eq!(server.count("SELECT COUNT(*) FROM recovery_codes").await, 0);
        let subjects: Vec<String> = {
            server.mail_to(JANE).await;
            server.mails().into_iter().map(|mail| mail.subject).collect()
        };
        for subject in [
            "Security alert: Two-step verification is on",
            "Security alert: Your recovery codes were renewed",
            "Security alert: Two-step verification is off",
        ] {
            assert!(subjects.iter().any(|found| found == subject), "{subject}: {subjects:?}");
        }
    }
}

on_both! {
    async fn a_factor_that_an_organization_asks_for_stays(server: TestServer) {
        let jane = server.owner(JANE).await;
        server.execute("UPDATE organizations SET require_mfa_at = 1 WHERE id <> $1", "").await;
        assert_eq!(jane.get("/api/v1/current").await.body["data"]["mfa"]["required"], true);
        enroll(&server, &jane).await;
        let answer = jane.delete(TOTP).await;
        assert_eq!((answer.status, answer.code()), (409, "mfa_required_by_org"));
    }
}

on_both! {
    async fn an_old_sign_in_must_be_proven_again(server: TestServer) {
        let jane = server.owner(JANE).await;
        server.clock.advance(16 * Millis::MINUTE);
        let refused = [
            jane.post(TOTP, json!({})).await,
            jane.delete(TOTP).await,
            jane.post("/api/v1/current/mfa/recovery-codes", json!({})).await,
            jane.post("/api/v1/current/passkeys/options", json!({})).await,
            jane.post("/api/v1/current/email", json!({ "email": "new@example.com" })).await,
            jane.delete_with("/api/v1/current", json!({ "email": JANE })).await,
            jane.get("/api/v1/current/export").await,
        ];
        for answer in refused {
            assert_eq!((answer.status, answer.code()), (403, "reauth_required"), "{answer:?}");
        }
        let wrong = jane.post("/api/v1/current/reauth", json!({ "password": "wrong one" })).await;
        assert_eq!((wrong.status, wrong.code(), wrong.field()), (422, "wrong_password", "password"));
        assert_eq!(jane.post(TOTP, json!({})).await.status, 403);
        let right = jane.post("/api/v1/current/reauth", json!({ "password": PASSWORD })).await;
        assert_eq!(right.status, 200);
        // The same on another instance.
        let second = server.second_instance().await;
        second.clock.advance(16 * Millis::MINUTE);
        assert_eq!(jane.post(TOTP, json!({})).await.status, 200);
    }
}

on_both! {
    async fn an_operator_resets_a_lost_factor(server: TestServer) {
        let jane = server.owner(JANE).await;
        enroll(&server, &jane).await;
        let reset = operator::reset_second_factor(&server.atrium, JANE).await.unwrap().unwrap();
        assert!(reset.totp);
        assert_eq!(jane.get("/api/v1/current").await.status, 401);
        server.signed_in(JANE).await;
        server.mail_about(JANE, "second factor was reset").await;
        let reset = operator::reset_second_factor(&server.atrium, "nobody@example.com").await;
        assert!(reset.unwrap().is_none());
        let audited = "SELECT COUNT(*) FROM audit_entries WHERE action = 'account.second_factor_reset' AND actor_kind = 'operator'";
        assert_eq!(server.count(audited).await, 1);
    }
}

on_both! {
    async fn an_older_session_and_the_password_do_not_disarm_the_factor(server: TestServer) {
        let (stolen, jane) = (server.owner(JANE).await, server.signed_in(JANE).await);
        let (app, _) = enroll(&server, &jane).await;
        // Sessions that began without it end.
        assert_eq!(stolen.get("/api/v1/current").await.status, 401);
        assert_eq!(jane.get("/api/v1/current").await.status, 200);

        // A session that survives must still prove the factor.
        server.execute("UPDATE sessions SET second_factor_at = NULL WHERE id <> $1", "").await;
        let again = |body: Value| {
            let jane = jane.clone();
            async move { jane.post("/api/v1/current/reauth", body).await }
        };
        let missing = again(json!({ "password": PASSWORD })).await;
        assert_eq!((missing.status, missing.code(), missing.field()), (422, "code_required", "code"));
        for answer in [jane.delete(TOTP).await, jane.post("/api/v1/current/mfa/recovery-codes", json!({})).await] {
            assert_eq!((answer.status, answer.code()), (403, "reauth_required"));
        }
        let wrong = again(json!({ "password": PASSWORD, "code": "000000" })).await;
        assert_eq!((wrong.status, wrong.code()), (422, "wrong_code"));
        let right = again(json!({ "password": PASSWORD, "code": app.code(&server) })).await;
        assert_eq!(right.status, 200, "{right:?}");
        assert_eq!(jane.delete(TOTP).await.status, 200);
    }
}

on_both! {
    async fn an_enrollment_is_neither_guessed_nor_left_lying(server: TestServer) {
        let jane = server.owner(JANE).await;
        let begun = jane.post(TOTP, json!({})).await;
        let app = App::of(&begun.body["data"]);
        let mut statuses = Vec::new();
        for _ in 0..12 {
            statuses.push(jane.put(TOTP, json!({ "code": "000000" })).await.status);
        }
        assert_eq!(statuses.last(), Some(&429), "{statuses:?}");
        server.clock.advance(Millis::HOUR);
        assert_eq!(jane.post("/api/v1/current/reauth", json!({ "password": PASSWORD })).await.status, 200);
        let late = jane.put(TOTP, json!({ "code": app.code(&server) })).await;
        assert_eq!((late.status, late.code()), (409, "totp_not_started"));
    }
}

on_both! {
    async fn two_factors_do_not_outlive_the_factors(server: TestServer) {
        let jane = server.owner(JANE).await;
        enroll(&server, &jane).await;
        assert_eq!(jane.delete(TOTP).await.status, 200);
        assert_eq!(server.count("SELECT COUNT(*) FROM sessions WHERE second_factor_at IS NOT NULL").await, 0);
    }
}

on_both! {
    async fn a_half_done_sign_in_dies_with_the_password_it_began_with(server: TestServer) {
        let jane = server.owner(JANE).await;
        let (app, _) = enroll(&server, &jane).await;
        let thief = half_way(&server).await;
        let body = json!({ "current_password": PASSWORD, "new_password": "quite another one" });
        assert_eq!(jane.put("/api/v1/current/password", body).await.status, 200);
        assert_eq!(second_step(&thief, &app.code(&server)).await.status, 410);
    }
}
