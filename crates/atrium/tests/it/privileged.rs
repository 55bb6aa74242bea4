//! Owners and operators need a second factor after a grace period to set one up.

use crate::second_factor::enroll;
use crate::support::{PASSWORD, Store, TestServer, on_both};
use atrium::types::Millis;
use serde_json::{Value, json};

const JANE: &str = "jane@example.com";

async fn org_of(actor: &crate::support::Actor) -> String {
    let orgs = actor.get("/api/v1/orgs").await;
    format!("/api/v1/orgs/{}", orgs.body["data"]["items"][0]["id"].as_str().unwrap())
}

on_both! {
    async fn owners_and_operators_have_two_weeks(server: TestServer) {
        // Made on an instance that did not require it yet. The first account is an operator.
        server.account(JANE).await;
        let server = server.second_instance_with(|raw| raw.privileged_mfa = Some(true)).await;
        let (jane, member) = (server.signed_in(JANE).await, server.member("member@example.com").await);
        let (org, theirs) = (org_of(&jane).await, org_of(&member).await);
        let mfa = |user: &Value| user["data"]["mfa"].clone();
        let current = jane.get("/api/v1/current").await.body;
        assert_eq!(mfa(&current)["required"], false);
        assert!(mfa(&current)["required_from"].is_string(), "{current}");
        assert_eq!(mfa(&member.get("/api/v1/current").await.body)["required_from"], Value::Null);

        server.clock.advance(13 * Millis::DAY);
        for actor in [&jane, &member] {
            assert_eq!(actor.get("/api/v1/current").await.status, 200);
        }
        assert_eq!(jane.get(&org).await.status, 200);
        assert_eq!(jane.get("/api/v1/error-groups").await.status, 200);

        server.clock.advance(Millis::DAY);
        for path in [org.as_str(), "/api/v1/error-groups"] {
            let answer = jane.get(path).await;
            assert_eq!((answer.status, answer.code()), (403, "second_factor_required"), "{path}");
        }
        let current = jane.get("/api/v1/current").await.body;
        assert_eq!(mfa(&current)["required"], true);
        assert_eq!(current["data"]["allow_visited_app"], false);
        assert_eq!(member.get(&theirs).await.status, 200, "no owner");

        // Setting one up is always possible, and then everything is open.
        let proof = jane.post("/api/v1/current/reauth", json!({ "password": PASSWORD })).await;
        assert_eq!(proof.status, 200);
        enroll(&server, &jane).await;
        for path in [org.as_str(), "/api/v1/error-groups"] {
            assert_eq!(jane.get(path).await.status, 200, "{path}");
        }
        let off = jane.delete("/api/v1/current/mfa/totp").await;
        assert_eq!((off.status, off.code()), (409, "mfa_required_by_role"));
    }
}

on_both! {
    async fn a_new_owner_has_time_of_their_own(server: TestServer) {
        let server = server.second_instance_with(|raw| raw.privileged_mfa = Some(true)).await;
        let jane = server.owner(JANE).await;
        enroll(&server, &jane).await;
        let org = org_of(&jane).await;
        let (id, li) = server.person("li@example.com").await;
        let org_id = org.rsplit('/').next().unwrap();
        server.run("INSERT INTO org_members (org_id, user_id, role, joined_at) VALUES ($1, $2, 'admin', 1)", &[org_id, id.as_str()]).await;
        // `last_seen_at` is written after the answer.
        for both_seen in [
            "SELECT 2 - COUNT(*) FROM sessions WHERE last_seen_at >= created_at + 1123200000",
            "SELECT 2 - COUNT(*) FROM sessions WHERE last_seen_at >= created_at + 2246400000",
        ] {
            server.clock.advance(13 * Millis::DAY);
            assert_eq!(jane.get(&org).await.status, 200);
            assert_eq!(li.get(&org).await.status, 200, "admins are not asked");
            server.until_count(both_seen, 0).await;
        }
        jane.post("/api/v1/current/reauth", json!({ "password": PASSWORD })).await;
        let made = jane.put(&format!("{org}/members/{id}"), json!({ "role": "owner" })).await;
        assert_eq!(made.status, 200, "{made:?}");
        assert_eq!(li.get(&org).await.status, 200);
        let li = server.signed_in("li@example.com").await;
        server.clock.advance(13 * Millis::DAY);
        assert_eq!(li.get(&org).await.status, 200);
        let not_seen = "SELECT COUNT(*) FROM sessions WHERE last_seen_at < created_at + 1123200000
            AND created_at = (SELECT MAX(created_at) FROM sessions)";
        server.until_count(not_seen, 0).await;
        server.clock.advance(Millis::DAY + 1);
        assert_eq!(li.get(&org).await.code(), "second_factor_required");
    }
}

on_both! {
    async fn at_once_where_the_settings_say_so_and_a_provider_is_a_factor(server: TestServer) {
        server.account(JANE).await;
        let server = server.second_instance_with(|raw| {
            raw.privileged_mfa = Some(true);
            raw.privileged_mfa_grace_days = Some(0);
        }).await;
        let jane = server.signed_in(JANE).await;
        let org = org_of(&jane).await;
        assert_eq!(jane.get(&org).await.code(), "second_factor_required");
        assert_eq!(jane.get("/api/v1/current").await.body["data"]["allow_visited_app"], false);
        // A session that came through the organization's provider needs no second factor there.
        let org_id = org.rsplit('/').next().unwrap();
        server.execute("INSERT INTO session_orgs (session_id, org_id, came_at) SELECT id, $1, 1 FROM sessions", org_id).await;
        assert_eq!(jane.get(&org).await.status, 200);
        assert_eq!(jane.get("/api/v1/current").await.body["data"]["allow_visited_app"], true);
        assert_eq!(jane.get("/api/v1/error-groups").await.code(), "second_factor_required");
    }
}

on_both! {
    async fn a_rule_that_is_switched_off_asks_nothing_and_starts_anew(server: TestServer) {
        let strict = server.second_instance_with(|raw| raw.privileged_mfa = Some(true)).await;
        assert_eq!(server.count("SELECT COUNT(*) FROM instance WHERE privileged_mfa_since IS NOT NULL").await, 1);
        let jane = strict.owner(JANE).await;
        assert!(jane.get("/api/v1/current").await.body["data"]["mfa"]["required_from"].is_string());
        let lax = server.second_instance().await;
        lax.clock.advance(13 * Millis::DAY);
        let jane = lax.signed_in(JANE).await;
        lax.clock.advance(13 * Millis::DAY);
        assert_eq!(jane.get(&org_of(&jane).await).await.status, 200);
        assert_eq!(jane.get("/api/v1/current").await.body["data"]["mfa"]["required_from"], Value::Null);
        assert_eq!(server.count("SELECT COUNT(*) FROM instance WHERE privileged_mfa_since IS NOT NULL").await, 0);
    }
}
