//! Sign-in, sign-out, sessions, the setup link, throttling.

use crate::support::{PASSWORD, Store, TestServer, on_both};
use atrium::types::Millis;
use futures::future::join_all;
use reqwest::Method;
use reqwest::header::{COOKIE, SET_COOKIE};
use serde_json::json;

on_both! {
    async fn a_person_signs_in_and_out(server: TestServer) {
        let id = server.account("jane@example.com").await;
        let jane = server.anonymous();
        assert_eq!(jane.get("/api/v1/current").await.status, 401);

        let answer = jane.login(" Jane@EXAMPLE.com ", PASSWORD).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.body["data"]["id"], id.as_str());

        let current = jane.get("/api/v1/current").await;
        assert_eq!(current.status, 200);
        let user = &current.body["data"];
        assert_eq!(user["email"], "jane@example.com");
        assert_eq!(user["allow_visited_app"], true);
        assert_eq!(user["last_app"]["endpoint"], server.url);
        assert_eq!(user["last_app"]["is_local"], true);
        assert!(user["last_login_at"].as_str().unwrap().ends_with('Z'));
        assert!(user.get("password_hash").is_none());

        assert_eq!(jane.post("/api/v1/logout", json!({})).await.status, 200);
        assert_eq!(jane.get("/api/v1/current").await.status, 401);
        assert_eq!(jane.post("/api/v1/logout", json!({})).await.status, 200);
        assert_eq!(server.count("SELECT COUNT(*) FROM sessions").await, 0);
    }
}

on_both! {
    async fn wrong_unknown_and_disabled_answer_alike(server: TestServer) {
        server.account("jane@example.com").await;
        server.account("gone@example.com").await;
        server.execute("UPDATE users SET disabled_at = 1 WHERE email = $1", "gone@example.com").await;
        let stranger = server.anonymous();
        let mut bodies = Vec::new();
        for (email, password) in [
            ("jane@example.com", "wrong password"),
            ("nobody@example.com", PASSWORD),
            ("gone@example.com", PASSWORD),
            ("", ""),
        ] {
            let answer = stranger.login(email, password).await;
            assert_eq!((answer.status, answer.code()), (401, "bad_credentials"), "{email}");
            assert!(answer.headers.get(SET_COOKIE).is_none());
            bodies.push(answer.body);
        }
        assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]));
    }
}

on_both! {
    async fn signing_in_replaces_the_session_the_browser_came_with(server: TestServer) {
        let jane = server.owner("jane@example.com").await;
        let planted = jane.login("jane@example.com", PASSWORD).await;
        let cookie = planted.header("set-cookie").split(';').next().unwrap().to_owned();
        // The attacker's copy of the cookie stops working at the next sign-in.
        jane.login("jane@example.com", PASSWORD).await;
        let attacker = server.anonymous();
        let request = attacker.request(Method::GET, "/api/v1/current").header(COOKIE, cookie);
        assert_eq!(attacker.send(request).await.status, 401);
        assert_eq!(jane.get("/api/v1/current").await.status, 200);
    }
}

on_both! {
    async fn a_session_ends_after_14_idle_days(server: TestServer) {
        let jane = server.owner("jane@example.com").await;
        server.clock.advance(14 * Millis::DAY - Millis::MINUTE);
        assert_eq!(jane.get("/api/v1/current").await.status, 200);
        server.clock.advance(14 * Millis::DAY - Millis::MINUTE);
        assert_eq!(jane.get("/api/v1/current").await.status, 200, "being seen renews it");
        // It is stored, not only cached: another instance would know it too.
        let seen = "SELECT COUNT(*) FROM sessions WHERE last_seen_at > created_at + 86400000";
        server.until_count(seen, 1).await;
        let idle = server.signed_in("jane@example.com").await;
        server.clock.advance(14 * Millis::DAY);
        assert_eq!(idle.get("/api/v1/current").await.status, 401);
    }
}

on_both! {
    async fn a_session_ends_after_30_days_whatever_happens(server: TestServer) {
        let jane = server.owner("jane@example.com").await;
        for _ in 0..29 {
            server.clock.advance(Millis::DAY);
            assert_eq!(jane.get("/api/v1/current").await.status, 200);
        }
        server.clock.advance(Millis::DAY);
        assert_eq!(jane.get("/api/v1/current").await.status, 401);
        assert!(atrium::accounts::sweep(&server.atrium).await.unwrap() >= 1);
        assert_eq!(server.count("SELECT COUNT(*) FROM sessions").await, 0);
    }
}

on_both! {
    async fn tokens_are_kept_as_hashes(server: TestServer) {
        server.account("jane@example.com").await;
        let answer = server.anonymous().login("jane@example.com", PASSWORD).await;
        let cookie = answer.header("set-cookie");
        let token = cookie.split(['=', ';']).nth(1).unwrap();
        assert!(token.len() >= 43, "256 bits: {token}");
        let mut db = server.atrium.db.read().await.unwrap();
        let stored: String =
            sqlx::query_scalar("SELECT token_hash FROM sessions").fetch_one(&mut *db).await.unwrap();
        assert_ne!(stored, token);
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
        assert!(!cookie.contains("Domain"), "{cookie}");
    }
}

on_both! {
    async fn what_one_instance_changes_the_other_knows_at_the_next_request(server: TestServer) {
        let other = server.second_instance().await;
        let jane = server.owner("jane@example.com").await;
        let answer = jane.login("jane@example.com", PASSWORD).await;
        let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
        let there = other.anonymous();
        let see = || there.send(there.request(Method::GET, "/api/v1/current").header(COOKIE, &cookie));
        for round in 0..20 {
            let name = format!("Name {round}");
            server.execute("UPDATE users SET name = $1", &name).await;
            other.catch_up().await;
            assert_eq!(see().await.body["data"]["name"], name);
            assert_eq!(jane.get("/api/v1/current").await.body["data"]["name"], name);
        }
        server.execute("UPDATE users SET disabled_at = 1 WHERE email = $1", "jane@example.com").await;
        other.catch_up().await;
        assert_eq!(see().await.status, 401);
        assert_eq!(jane.get("/api/v1/current").await.status, 401);
    }
}

on_both! {
    async fn someone_who_runs_nothing_may_not_visit(server: TestServer) {
        let member = server.member("member@example.com").await;
        let current = member.get("/api/v1/current").await;
        assert_eq!(current.body["data"]["allow_visited_app"], false);
        assert!(current.body["data"]["last_app"].is_null());
    }
}

fn profile(token: &str) -> serde_json::Value {
    json!({
        "token": token, "email": "first@example.com", "name": "First", "password": PASSWORD,
        "organization_name": "Team One", "timezone": "Asia/Shanghai",
    })
}

on_both! {
    async fn the_setup_link_makes_the_first_account_once(server: TestServer) {
        let token = server.setup_token().await;
        let spare = server.setup_token().await;
        let browser = server.anonymous();
        let view = browser.get(&format!("/api/v1/register/token?token={token}")).await;
        assert_eq!(view.body["data"], json!({ "email": null, "kind": "setup", "organization": null, "account": null }));

        let answer = browser.post("/api/v1/register/profile", profile(&token)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let user = &browser.get("/api/v1/current").await.body["data"];
        assert_eq!(user["timezone"], "Asia/Shanghai");
        assert_eq!(user["allow_visited_app"], true);
        assert!(user["last_app"]["app_id"].is_string());

        for used in [&token, &spare] {
            let view = browser.get(&format!("/api/v1/register/token?token={used}")).await;
            assert_eq!((view.status, view.code()), (410, "token_gone"));
            let answer = browser.post("/api/v1/register/profile", profile(used)).await;
            assert_eq!((answer.status, answer.code()), (410, "token_gone"));
        }
        assert!(atrium::accounts::setup::link(&server.atrium).await.unwrap().is_none());
    }
}

on_both! {
    async fn fifty_at_once_make_one_first_account(server: TestServer) {
        let (one, two) = (server.setup_token().await, server.setup_token().await);
        let tries = (0..50).map(|n| {
            let (actor, token) = (server.anonymous(), if n % 2 == 0 { &one } else { &two });
            let mut body = profile(token);
            body["email"] = json!(format!("first{n}@example.com"));
            async move { actor.post("/api/v1/register/profile", body).await.status }
        });
        let statuses = join_all(tries).await;
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 410).count(), 49, "{statuses:?}");
        assert_eq!(server.count("SELECT COUNT(*) FROM users").await, 1);
        assert_eq!(server.count("SELECT COUNT(*) FROM organizations").await, 1);
        assert_eq!(server.count("SELECT COUNT(*) FROM apps").await, 1);
    }
}

on_both! {
    async fn a_setup_link_dies_after_a_day(server: TestServer) {
        let token = server.setup_token().await;
        server.clock.advance(Millis::DAY);
        let answer = server.anonymous().post("/api/v1/register/profile", profile(&token)).await;
        assert_eq!((answer.status, answer.code()), (410, "token_gone"));
    }
}

on_both! {
    async fn the_profile_form_names_every_wrong_field(server: TestServer) {
        let token = server.setup_token().await;
        let body = json!({
            "token": token, "email": "nope", "name": " ", "password": "12345678",
            "organization_name": "x".repeat(81), "timezone": "Mars/Base",
        });
        let answer = server.anonymous().post("/api/v1/register/profile", body).await;
        assert_eq!(answer.status, 422);
        let mut found: Vec<_> = answer.body["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|e| (e["field"].as_str().unwrap(), e["code"].as_str().unwrap()))
            .collect();
        found.sort_unstable();
        assert_eq!(found, [
            ("email", "bad_email"),
            ("name", "required"),
            ("organization_name", "too_long"),
            ("password", "password_common"),
        ]);
    }
}

on_both! {
    async fn guessing_is_slowed_down_but_the_owner_gets_in(server: TestServer) {
        let jane = server.owner("jane@example.com").await;
        let stranger = server.anonymous();
        for _ in 0..10 {
            assert_eq!(stranger.login("jane@example.com", "guess guess").await.status, 401);
        }
        let refused = stranger.login("jane@example.com", PASSWORD).await;
        assert_eq!((refused.status, refused.code()), (429, "throttled"));
        let wait: i64 = refused.header("retry-after").parse().unwrap();
        assert!((1..=15).contains(&wait), "{wait}");
        // Jane's own browser has signed in before and has a counter of its own.
        assert_eq!(jane.login("jane@example.com", PASSWORD).await.status, 200);
        // Another account is not affected, and signing in to it on the same browser does not make that
        // browser forget Jane.
        server.account("john@example.com").await;
        assert_eq!(jane.login("john@example.com", PASSWORD).await.status, 200);
        assert_eq!(jane.login("jane@example.com", PASSWORD).await.status, 200);

        server.clock.advance(16 * Millis::SECOND);
        assert_eq!(stranger.login("jane@example.com", "guess guess").await.status, 401);
        let refused = stranger.login("jane@example.com", PASSWORD).await;
        let longer: i64 = refused.header("retry-after").parse().unwrap();
        assert!(longer > 15, "the wait grows: {longer}");
        server.clock.advance(15 * Millis::MINUTE);
        assert_eq!(stranger.login("jane@example.com", PASSWORD).await.status, 200);
    }
}

on_both! {
    async fn guesses_at_once_cannot_slip_past_the_count(server: TestServer) {
        server.account("jane@example.com").await;
        let tries = (0..40).map(|_| {
            let stranger = server.anonymous();
            async move { stranger.login("jane@example.com", "guess guess").await.status }
        });
        let statuses = join_all(tries).await;
        assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 10, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 30, "{statuses:?}");
    }
}

on_both! {
    async fn one_address_cannot_try_many_accounts(server: TestServer) {
        let stranger = server.anonymous();
        for n in 0..50 {
            let answer = stranger.login(&format!("user{n}@example.com"), "guess guess").await;
            assert_eq!(answer.status, 401, "{n}");
        }
        assert_eq!(stranger.login("user50@example.com", "guess guess").await.status, 429);
    }
}
