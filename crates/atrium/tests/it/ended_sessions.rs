//! Ending sessions: one's own, a member's within an organization, and anyone's by an operator.

use crate::support::{PASSWORD, Store, TestServer, on_both};
use atrium::accounts::operator;
use atrium::audit::Actor;
use atrium::types::{Id, Millis};
use serde_json::json;

const JANE: &str = "jane@example.com";

on_both! {
    async fn a_members_sessions_end_for_one_organization(server: TestServer) {
        let second = server.second_instance().await;
        let team = server.team("one").await;
        let (org, viewer) = (format!("/api/v1/orgs/{}", team.org_id), team.actor("viewer"));
        let end = |name: &str| format!("{org}/members/{}/end-sessions", team.id(name));
        let own = viewer.post("/api/v1/orgs", json!({ "name": "Elsewhere" })).await;
        let own = format!("/api/v1/orgs/{}", own.body["data"]["id"].as_str().unwrap());
        let stolen = server.signed_in(&team.people["viewer"].email).await;
        // Both instances have the sessions in their caches.
        for url in [&server.url, &second.url] {
            assert_eq!(viewer.at(url).get(&org).await.status, 200);
            assert_eq!(stolen.at(url).get(&org).await.status, 200);
        }

        let ended = team.actor("admin").post(&end("viewer"), json!({})).await;
        assert_eq!(ended.status, 200, "{ended:?}");
        second.catch_up().await;
        for url in [&second.url, &server.url] {
            let answer = viewer.at(url).get(&org).await;
            assert_eq!((answer.status, answer.code()), (403, "reauth_required"));
            assert_eq!(viewer.at(url).get(&format!("/api/v1/apps/{}", team.app_id)).await.status, 403);
            assert_eq!(viewer.at(url).get(&own).await.status, 200, "another organization");
            assert_eq!(viewer.at(url).get("/api/v1/current").await.status, 200);
        }
        server.clock.advance(1);
        let proof = viewer.post("/api/v1/current/reauth", json!({ "password": PASSWORD })).await;
        assert_eq!(proof.status, 200, "{proof:?}");
        second.catch_up().await;
        for url in [&second.url, &server.url] {
            assert_eq!(viewer.at(url).get(&org).await.status, 200);
            assert_eq!(stolen.at(url).get(&org).await.status, 403, "it proved nothing");
        }
        // Also a session that has started since.
        let fresh = server.signed_in(&team.people["viewer"].email).await;
        assert_eq!(fresh.get(&org).await.status, 200);

        let mail = server.mail_about(&team.people["viewer"].email, "Identity confirmation").await;
        assert!(mail.text.contains("Team"), "{}", mail.text);
        let log = team.actor("owner").get(&format!("{org}/audit-logs?action=org_member.end_sessions")).await;
        assert_eq!(log.body["data"]["total"], 1, "{log:?}");
    }
}

on_both! {
    async fn nobody_ends_sessions_of_someone_who_holds_more(server: TestServer) {
        let team = server.team("one").await;
        let other = server.team("two").await;
        let end = |id: &Id| format!("/api/v1/orgs/{}/members/{id}/end-sessions", team.org_id);
        for (who, whom, status) in [
            ("admin", "owner", 403),
            ("viewer", "member", 403),
            ("admin", "viewer", 200),
            ("owner", "admin", 200),
        ] {
            let answer = team.actor(who).post(&end(team.id(whom)), json!({})).await;
            assert_eq!(answer.status, status, "{who} {whom}: {answer:?}");
        }
        let stranger = team.actor("owner").post(&end(other.id("viewer")), json!({})).await;
        assert_eq!(stranger.status, 404, "not of this organization");
        assert_eq!(other.actor("owner").post(&end(team.id("viewer")), json!({})).await.status, 404);
        // A stolen session must not be able to do it.
        server.clock.advance(16 * Millis::MINUTE);
        let late = team.actor("owner").post(&end(team.id("viewer")), json!({})).await;
        assert_eq!((late.status, late.code()), (403, "reauth_required"));
        assert_eq!(server.count("SELECT COUNT(*) FROM org_members WHERE sessions_ended_at IS NOT NULL").await, 2);
    }
}

on_both! {
    async fn ending_own_sessions_wants_a_recent_proof(server: TestServer) {
        let (here, phone) = (server.owner(JANE).await, server.signed_in(JANE).await);
        let list = here.get("/api/v1/current/sessions").await;
        let items = list.body["data"]["items"].as_array().unwrap();
        let other = items.iter().find(|item| item["is_current"] == false).unwrap()["id"].as_str().unwrap();
        let one = format!("/api/v1/current/sessions/{other}");
        server.clock.advance(16 * Millis::MINUTE);
        for path in [one.as_str(), "/api/v1/current/sessions"] {
            let answer = here.delete(path).await;
            assert_eq!((answer.status, answer.code()), (403, "reauth_required"), "{path}");
        }
        assert_eq!(phone.get("/api/v1/current").await.status, 200);
        here.post("/api/v1/current/reauth", json!({ "password": PASSWORD })).await;
        assert_eq!(here.delete(&one).await.status, 200);
        assert_eq!(phone.get("/api/v1/current").await.status, 401);
        assert_eq!(here.delete("/api/v1/current/sessions").await.status, 200);
    }
}

on_both! {
    async fn the_operator_ends_one_session_or_all(server: TestServer) {
        let second = server.second_instance().await;
        let (desk, phone) = (server.owner(JANE).await, server.signed_in(JANE).await);
        let other = server.owner("other@example.com").await;
        let list = phone.get("/api/v1/current/sessions").await;
        let items = list.body["data"]["items"].as_array().unwrap();
        let id = items.iter().find(|item| item["is_current"] == true).unwrap()["id"].as_str().unwrap();
        let id = Id::parse(id).unwrap();
        assert_eq!(phone.at(&second.url).get("/api/v1/current").await.status, 200);
        assert_eq!(operator::end_sessions(&server.atrium, &Actor::operator(), "other@example.com", Some(&id)).await.unwrap().unwrap().1, 0);
        assert_eq!(phone.get("/api/v1/current").await.status, 200, "another account's session");
        assert_eq!(operator::end_sessions(&server.atrium, &Actor::operator(), JANE, Some(&id)).await.unwrap().unwrap().1, 1);
        second.catch_up().await;
        assert_eq!(phone.at(&second.url).get("/api/v1/current").await.status, 401);
        assert_eq!(desk.get("/api/v1/current").await.status, 200);
        assert_eq!(operator::end_sessions(&server.atrium, &Actor::operator(), JANE, None).await.unwrap().unwrap().1, 1);
        second.catch_up().await;
        assert_eq!(desk.at(&second.url).get("/api/v1/current").await.status, 401);
        assert_eq!(other.get("/api/v1/current").await.status, 200);
        assert!(operator::end_sessions(&server.atrium, &Actor::operator(), "nobody@example.com", None).await.unwrap().is_none());
        server.mail_about(JANE, "signed out").await;
        assert_eq!(server.count("SELECT COUNT(*) FROM audit_entries WHERE action = 'account.sessions_ended'").await, 3);
    }
}

on_both! {
    async fn operators_do_it_in_the_console_too(server: TestServer) {
        // The first account becomes an operator.
        let root = server.owner("root@example.com").await;
        let (jane, phone) = (server.owner(JANE).await, server.signed_in(JANE).await);
        let list = format!("/api/v1/operator/sessions?email={JANE}");
        let found = root.get(&list).await;
        let sessions = found.body["data"]["sessions"].as_array().unwrap();
        assert_eq!((sessions.len(), &found.body["data"]["email"]), (2, &json!(JANE)), "{found:?}");
        assert_eq!(jane.get(&list).await.status, 403);
        let end = |body| root.post("/api/v1/operator/sessions/end", body);
        let one = &sessions[0]["id"];
        assert_eq!(end(json!({ "email": JANE, "session_id": one })).await.body["data"]["ended"], 1);
        assert_eq!(end(json!({ "email": JANE, "session_id": one })).await.status, 404);
        assert_eq!(end(json!({ "email": JANE })).await.body["data"]["ended"], 1);
        for ended in [&jane, &phone] {
            assert_eq!(ended.get("/api/v1/current").await.status, 401);
        }
        assert_eq!(end(json!({ "email": "nobody@example.com" })).await.status, 404);
        assert_eq!(root.get("/api/v1/operator/sessions?email=nobody").await.status, 404);
        server.clock.advance(16 * Millis::MINUTE);
        assert_eq!(end(json!({ "email": JANE })).await.code(), "reauth_required");
    }
}

on_both! {
    async fn an_account_has_fifty_sessions_at_most(server: TestServer) {
        let first = server.owner(JANE).await;
        let mut last = first.clone();
        for _ in 0..50 {
            server.clock.advance(10);
            last = server.signed_in(JANE).await;
        }
        assert_eq!(server.count("SELECT COUNT(*) FROM sessions").await, 50);
        assert_eq!(first.get("/api/v1/current").await.status, 401, "seen longest ago");
        assert_eq!(last.get("/api/v1/current").await.status, 200);
    }
}
