//! New passwords: what is refused, wherever a password is set, and that the answer gives the reason.

use crate::support::{Answer, PASSWORD, Store, TestServer, on_both};
use atrium::accounts::create::{self, NewAccount};
use atrium::locale::Locale;
use serde_json::{Value, json};

const JANE: &str = "jane.miller@harbor.example";

/// Passwords and what is wrong with them, for Jane Miller of the team Blue Whale.
const REFUSED: &[(&str, &[&str])] = &[
    ("password1", &["password_common"]),
    ("P@ssw0rd1", &["password_common"]),
    ("Winter2026!", &["password_guessable", "password_common"]),
    ("W1NT3R2026!", &["password_guessable", "password_common"]),
    ("Atrium2026!", &["password_guessable", "password_common"]),
    ("letmein2024!", &["password_guessable", "password_common"]),
    ("L3tm31n_2024!", &["password_guessable", "password_common"]),
    ("Dongtian2026!", &["password_guessable", "password_common"]),
    ("Miller2026!", &["password_personal"]),
    ("bluewhale!2026", &["password_personal"]),
    ("H@rb0r-2026", &["password_personal"]),
    ("short", &["password_too_short"]),
];
const FINE: &str = "vier Biber bauen";

fn refused(answer: &Answer, field: &str, codes: &[&str], password: &str) {
    let seen = (answer.status, answer.field());
    assert_eq!(seen, (422, field), "{password}: {answer:?}");
    assert!(codes.contains(&answer.code()), "{password}: {answer:?}");
}

async fn check(server: &TestServer, body: Value) -> Value {
    let answer = server.anonymous().post("/api/v1/password/check", body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["data"].clone()
}

on_both! {
    async fn guessable_passwords_are_refused_wherever_one_is_set(server: TestServer) {
        let setup = server.setup_token().await;
        let profile = |password: &str| json!({
            "token": setup, "email": JANE, "name": "Jane Miller", "password": password,
            "organization_name": "Blue Whale",
        });
        let browser = server.anonymous();
        for (password, codes) in REFUSED {
            let answer = browser.post("/api/v1/register/profile", profile(password)).await;
            refused(&answer, "password", codes, password);
            // The check while typing gives the same verdict as the form's submission.
            let about = json!([JANE, "Jane Miller", "Blue Whale"]);
            let verdict = check(&server, json!({ "password": password, "about": about })).await;
            assert_eq!((&verdict["acceptable"], verdict["code"].as_str()), (&json!(false), Some(answer.code())));
        }
        assert_eq!(browser.post("/api/v1/register/profile", profile(FINE)).await.status, 200);
        let jane = browser;

        for (password, codes) in REFUSED {
            let body = json!({ "current_password": FINE, "new_password": password });
            refused(&jane.put("/api/v1/current/password", body).await, "new_password", codes, password);
            let verdict = jane.post("/api/v1/password/check", json!({ "password": password })).await;
            assert!(codes.contains(&verdict.body["data"]["code"].as_str().unwrap()), "{password}: {verdict:?}");
        }

        server.anonymous().post("/api/v1/password/forget", json!({ "email": JANE })).await;
        let token = server.mail_about(JANE, "").await.token();
        for (password, codes) in REFUSED {
            let body = json!({ "token": token, "password": password });
            refused(&server.anonymous().post("/api/v1/password/reset", body).await, "password", codes, password);
            let verdict = check(&server, json!({ "password": password, "token": token })).await;
            assert!(codes.contains(&verdict["code"].as_str().unwrap()), "{password}: {verdict}");
        }

        for (password, _) in REFUSED {
            let account = NewAccount {
                email: JANE.to_owned(), name: "Jane Miller".to_owned(), password: (*password).to_owned(),
                organization: Some("Blue Whale".to_owned()), locale: Locale::EnUs, timezone: None,
            };
            assert!(create::by_operator(&server.atrium, account).await.is_err(), "{password}");
        }
    }
}

on_both! {
    async fn the_team_of_an_invitation_is_known(server: TestServer) {
        let jane = server.owner(JANE).await;
        let org = jane.get("/api/v1/orgs").await.body["data"]["items"][0]["id"].clone();
        let org = org.as_str().unwrap();
        jane.put(&format!("/api/v1/orgs/{org}"), json!({ "name": "Kingfisher" })).await;
        let body = json!({ "emails": ["li@else.example"], "role": "member" });
        let sent = jane.post(&format!("/api/v1/orgs/{org}/invitations"), body).await;
        assert_eq!(sent.status, 200, "{sent:?}");
        let token = server.mail_about("li@else.example", "").await.token();
        let verdict = check(&server, json!({ "password": "Kingfisher2026!", "token": token })).await;
        assert_eq!(verdict["code"], "password_personal", "{verdict}");
        let body = json!({ "token": token, "name": "Li", "password": "Kingfisher2026!" });
        let answer = server.anonymous().post("/api/v1/register/profile", body).await;
        refused(&answer, "password", &["password_personal"], "Kingfisher2026!");
    }
}

on_both! {
    async fn the_check_tells_why_in_both_languages_and_is_bounded(server: TestServer) {
        let browser = server.anonymous();
        let ask = |locale: &'static str| {
            let request = browser.request(reqwest::Method::POST, "/api/v1/password/check");
            browser.send(request.header("accept-language", locale).json(&json!({ "password": "Winter2026!" })))
        };
        assert!(ask("en-US").await.body["data"]["message"].as_str().unwrap().contains("guess"));
        assert!(ask("zh-CN").await.body["data"]["message"].as_str().unwrap().contains('猜'));
        let verdict = check(&server, json!({ "password": PASSWORD, "token": "nothing behind it" })).await;
        assert_eq!(verdict, json!({ "acceptable": true, "code": null, "message": null }));
        // A stranger cannot keep the server busy checking passwords.
        server.execute("UPDATE throttles SET failures = 700 WHERE scope LIKE $1", "new-password:%").await;
        ask("en-US").await;
        assert_eq!(ask("en-US").await.status, 429);
    }
}
