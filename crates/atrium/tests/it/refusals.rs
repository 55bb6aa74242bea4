//! Refused requests of people and keys are in the audit log: sampled, bounded, and in the log of the team
//! concerned.

use crate::support::world::Team;
use crate::support::{Actor, Store, TestServer, on_both};
use atrium::audit_log::refusals;
use reqwest::Method;
use serde_json::{Value, json};

/// Writes everything that waits, and reads the team's log entries about refusals.
async fn log(server: &TestServer, team: &Team) -> Vec<Value> {
    refusals::write_due(&server.atrium).await.unwrap();
    let path = format!("/api/v1/orgs/{}/audit-logs?action=access.&page_size=100", team.org_id);
    let answer = team.actor("owner").get(&path).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["data"]["items"].as_array().unwrap().clone()
}

async fn instance_entries(server: &TestServer) -> i64 {
    server
        .count(
            "SELECT COUNT(*) FROM audit_entries WHERE action = 'access.refused' AND org_id IS NULL",
        )
        .await
}

on_both! {
    async fn what_somebody_was_refused_is_in_the_log_of_whom_it_concerns(server: TestServer) {
        let (team, other) = (server.team("one").await, server.team("two").await);
        let viewer = team.actor("viewer");
        let app = format!("/api/v1/apps/{}", team.app_id);
        // The viewer may not change the app (a hundred tries), the member may not see it, and the last caller
        // belongs to another team.
        for _ in 0..100 {
            assert_eq!(viewer.put(&app, json!({ "name": "Mine" })).await.status, 403);
        }
        assert_eq!(team.actor("member").get(&app).await.status, 404);
        let members = format!("/api/v1/orgs/{}/members", team.org_id);
        assert_eq!(other.actor("owner").get(&members).await.status, 404);

        let entries = log(&server, &team).await;
        assert_eq!(entries.len(), 3, "{entries:?}");
        let by = |name: &str, team: &Team| {
            let id = team.id(name).as_str();
            entries.iter().find(|entry| entry["actor"]["id"] == id).unwrap_or_else(|| panic!("{name}: {entries:?}"))
        };
        let first = by("viewer", &team);
        assert_eq!(first["details"], json!({ "route": "PUT /api/v1/apps/{id}", "code": "forbidden", "permission": "app:update" }));
        assert_eq!((&first["app_id"], &first["target"]["kind"]), (&json!(team.app_id), &json!("app")));
        assert_eq!((&first["action_name"], &first["ip"]), (&json!("访问被拒绝"), &json!("127.0.0.1")));
        assert_eq!(by("member", &team)["details"]["code"], "not_found");
        let stranger = by("owner", &other);
        assert_eq!((&stranger["target"]["kind"], &stranger["details"]["permission"]), (&json!("org"), &Value::Null));
        // The other team's log has none of it, and nothing waits to be written.
        assert!(log(&server, &other).await.is_empty());
        assert_eq!(log(&server, &team).await.len(), 3);

        // An hour later one entry gives the number of tries; and this time in English.
        server.clock.advance(3_600_000);
        let path = format!("/api/v1/orgs/{}/audit-logs?action=access.", team.org_id);
        refusals::write_due(&server.atrium).await.unwrap();
        let owner = team.actor("owner");
        let request = owner.request(Method::GET, &path).header("accept-language", "en-US");
        let entries = owner.send(request).await.body["data"]["items"].clone();
        assert_eq!(entries.as_array().unwrap().len(), 4);
        assert_eq!((&entries[0]["details"]["again"], &entries[0]["action_name"]), (&json!(99), &json!("Access refused")));
        let mut db = server.atrium.db.read().await.unwrap();
        let faults = atrium::audit::verify(&mut db, &server.atrium.keyring).await.unwrap().1;
        assert_eq!(faults, []);
    }
}

on_both! {
    async fn keys_and_those_who_do_not_run_the_instance_are_noted_too(server: TestServer) {
        let (team, other) = (server.team("one").await, server.team("two").await);
        server.run("UPDATE users SET operator_at = NULL", &[]).await;
        let program = server.anonymous();
        let asked = async |app: &str| {
            let request = program.request(Method::GET, &format!("/api/v1/apps/{app}/events"));
            program.send(request.bearer_auth(format!("qk_{}", team.app_id))).await.status
        };
        assert_eq!(asked(other.app_id.as_str()).await, 404);
        let entries = log(&server, &other).await;
        assert_eq!(entries.len(), 1, "{entries:?}");
        let actor = &entries[0]["actor"];
        assert_eq!((&actor["kind"], &actor["id"]), (&json!("key"), &json!(format!("now/query{}", team.app_id))));
        assert!(!entries[0].to_string().contains("qk_"));

        assert_eq!(team.actor("owner").get("/api/v1/error-groups").await.status, 403);
        refusals::write_due(&server.atrium).await.unwrap();
        assert_eq!(instance_entries(&server).await, 1);
    }
}

on_both! {
    async fn what_is_no_refusal_is_not_noted_and_nobody_floods_a_log(server: TestServer) {
        let (team, other) = (server.team("one").await, server.team("two").await);
        let owner = team.actor("owner");
        let nobody = |actor: &Actor| {
            let actor = actor.clone();
            async move { actor.get("/api/v1/current").await.status }
        };
        // Not signed in, an unknown app, and an unknown role are not logged.
        assert_eq!(nobody(&server.anonymous()).await, 401);
        let nothing = server.atrium.new_id();
        assert_eq!(owner.get(&format!("/api/v1/apps/{nothing}")).await.status, 404);
        assert_eq!(owner.get(&format!("/api/v1/apps/{}/roles/{nothing}", team.app_id)).await.status, 404);
        assert!(log(&server, &team).await.is_empty());
        assert_eq!(instance_entries(&server).await, 0);

        // A caller who tries every call of another team leaves a bounded number of entries in its log.
        let stranger = other.actor("owner");
        for rest in ["", "/impact", "/role", "/roles", "/members", "/candidates", "/api-keys", "/access-keys",
            "/audit-logs", "/events", "/profiles", "/ingest", "/erasures", "/live", "/engagement",
            "/event-properties", "/profile", "/profile/events", "/explore/values", "/audit-logs/export"] {
            stranger.get(&format!("/api/v1/apps/{}{rest}", team.app_id)).await;
        }
        for rest in ["/archive", "/unarchive", "/restore", "/explore"] {
            stranger.post(&format!("/api/v1/apps/{}{rest}", team.app_id), json!({})).await;
        }
        assert_eq!(log(&server, &team).await.len(), 20);
        // The excess becomes one entry in the instance's log.
        assert_eq!(instance_entries(&server).await, 1);
    }
}
