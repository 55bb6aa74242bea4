//! API keys: made with the app, reset with a grace period.

use atrium::keys;
use atrium::store::keys::{by_collect_key, by_query_key};
use atrium::types::Millis;
use futures::future::join_all;
use serde_json::{Value, json};

use super::{actions, app, list, reset, team, whole_database, works};
use crate::support::{Store, TestServer, on_both};

on_both! {
    async fn every_app_is_made_with_its_keys(server: TestServer) {
        let owner = server.owner("jane@example.com").await;
        // From the command line, which shares its code with registration.
        assert_eq!(server.count("SELECT COUNT(*) FROM api_keys").await, 2);
        let org = owner.get("/api/v1/orgs").await.body["data"]["items"][0]["id"].as_str().unwrap().to_owned();
        let body = json!({ "name": "Shop", "region": "local", "timezone": "UTC" });
        let made = owner.post(&format!("/api/v1/orgs/{org}/apps"), body.clone()).await;
        let id = made.body["data"]["id"].as_str().unwrap();
        let keys = owner.get(&format!("/api/v1/apps/{id}/api-keys")).await.body["data"].clone();
        assert_eq!(keys["total"], 2);
        let (collect, query) = (&keys["items"][0], &keys["items"][1]);
        assert_eq!((&collect["kind"], &query["kind"]), (&json!("collect"), &json!("query")));
        let value = collect["key"].as_str().unwrap();
        assert!(value.starts_with("ck_") && value.len() == 35, "{value}");
        assert_eq!(made.body["data"]["collect_key"], value);
        assert!(works(&server, value).await);
        let masked = query["key"].as_str().unwrap();
        assert!(masked.starts_with("qk_") && masked.contains('…') && masked.chars().count() == 12, "{masked}");
        assert_eq!((&query["previous"], &query["last_used_at"], &query["addresses"]), (&Value::Null, &Value::Null, &json!(0)));
        assert_eq!(query["created_by"]["name"], "Test Person");
        // A failed creation (the name is taken) leaves no keys behind.
        assert_eq!(owner.post(&format!("/api/v1/orgs/{org}/apps"), body).await.code(), "app_name_taken");
        assert_eq!(server.count("SELECT COUNT(*) FROM api_keys").await, 4);
    }
}

on_both! {
    async fn registration_makes_them_too(server: TestServer) {
        let token = server.setup_token().await;
        let body = json!({ "token": token, "email": "jane@example.com", "name": "Jane", "password": crate::support::PASSWORD, "organization_name": "Team" });
        let answer = server.anonymous().post("/api/v1/register/profile", body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(server.count("SELECT COUNT(*) FROM apps").await, 1);
        assert_eq!(server.count("SELECT COUNT(*) FROM api_keys").await, 2);
    }
}

on_both! {
    async fn apps_of_earlier_versions_get_theirs_at_start(server: TestServer) {
        for n in 0..5 {
            server.account(&format!("p{n}@example.com")).await;
        }
        server.run("DELETE FROM api_keys", &[]).await;
        // One app that has only one of its two keys, and one that is being purged.
        keys::fill_missing(&server.atrium).await.unwrap();
        server.run("DELETE FROM api_keys WHERE kind = 'query' OR app_id <> (SELECT MIN(id) FROM apps)", &[]).await;
        let kept = server.text("SELECT value FROM api_keys WHERE kind = $1", "collect").await.unwrap();
        server.run("UPDATE apps SET purge_started_at = 1 WHERE id = (SELECT MAX(id) FROM apps)", &[]).await;
        let starting = join_all((0..4).map(|_| server.second_instance())).await;
        assert_eq!(starting.len(), 4);
        assert_eq!(server.count("SELECT COUNT(*) FROM api_keys").await, 8);
        assert_eq!(server.count("SELECT COUNT(*) FROM (SELECT app_id, kind FROM api_keys GROUP BY app_id, kind) AS pairs").await, 8);
        assert!(works(&server, &kept).await);
        // A start that finds nothing to do changes nothing.
        let epoch = server.atrium.db.epoch().await.unwrap();
        assert_eq!(keys::fill_missing(&server.atrium).await.unwrap(), 0);
        assert_eq!(server.atrium.db.epoch().await.unwrap(), epoch);
    }
}

on_both! {
    async fn a_reset_leaves_the_value_before_working_for_a_while(server: TestServer) {
        let team = team(&server).await;
        let developer = team.actor("developer");
        let first = list(developer, &team).await[0]["key"].as_str().unwrap().to_owned();
        let epoch = server.atrium.db.epoch().await.unwrap();
        let answer = reset(developer, &team, &["collect", "query"], 2).await;
        assert!(server.atrium.db.epoch().await.unwrap() > epoch);
        assert_eq!(answer.body["data"]["total"], 2, "{answer:?}");
        let second = answer.body["data"]["items"][0]["key"].as_str().unwrap().to_owned();
        let query = answer.body["data"]["items"][1]["key"].as_str().unwrap().to_owned();
        assert!(query.starts_with("qk_") && query.len() == 46, "{query}");
        assert_ne!(first, second);
        let items = list(developer, &team).await;
        let until = items[0]["previous"]["valid_until"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
        let left = until.as_millisecond() - server.atrium.now().0;
        assert!((2 * Millis::HOUR - Millis::MINUTE..=2 * Millis::HOUR).contains(&left), "{left}");
        assert_eq!(items[0]["key"], second.as_str());
        assert_eq!(items[0]["created_by"]["id"], team.id("developer").as_str());
        // The secret key is masked from now on, and keeps its shape.
        let masked = items[1]["key"].as_str().unwrap();
        assert_eq!(masked, format!("{}…{}", &query[..7], &query[42..]));
        assert!(!whole_database(&server).await.contains(&query));
        for value in [&first, &second, &query] {
            assert!(works(&server, value).await);
        }
        // A key of one kind does not work as the other, and a near match does not work at all.
        let mut db = server.atrium.db.read().await.unwrap();
        assert!(by_query_key(&mut db, &first).await.unwrap().is_none());
        assert!(by_collect_key(&mut db, &query).await.unwrap().is_none());
        assert!(by_collect_key(&mut db, &first.to_lowercase()).await.unwrap().is_none());
        assert!(by_collect_key(&mut db, "").await.unwrap().is_none());
        drop(db);

        server.clock.advance(2 * Millis::HOUR);
        let developer = &server.signed_in(&team.people["developer"].email).await;
        assert!(!works(&server, &first).await);
        assert!(works(&server, &second).await);
        assert_eq!(list(developer, &team).await[0]["previous"], Value::Null);
        assert_eq!(developer.delete(&app(&team, "/api-keys/collect/previous")).await.code(), "not_found");
        let done = actions(&team, "action=").await;
        assert_eq!(done.iter().filter(|it| *it == "api_key.reset").count(), 2, "{done:?}");
        assert_eq!(done.iter().filter(|it| *it == "key.reveal").count(), 1, "{done:?}");
    }
}

on_both! {
    async fn of_three_values_the_oldest_ends_at_the_second_reset(server: TestServer) {
        let team = team(&server).await;
        let owner = team.actor("owner");
        let first = list(owner, &team).await[0]["key"].as_str().unwrap().to_owned();
        let second = reset(owner, &team, &["collect"], 24).await.body["data"]["items"][0]["key"].as_str().unwrap().to_owned();
        let answer = reset(owner, &team, &["collect", "collect"], 24).await;
        assert_eq!(answer.body["data"]["total"], 1);
        let third = answer.body["data"]["items"][0]["key"].as_str().unwrap().to_owned();
        assert!(!works(&server, &first).await);
        assert!(works(&server, &second).await && works(&server, &third).await);

        // Without a grace period only the new value works.
        let fourth = reset(owner, &team, &["collect"], 0).await;
        assert_eq!(fourth.body["data"]["items"][0]["previous"], Value::Null);
        let fourth = fourth.body["data"]["items"][0]["key"].as_str().unwrap().to_owned();
        assert!(!works(&server, &second).await && !works(&server, &third).await);
        assert!(works(&server, &fourth).await);
        assert_eq!(list(owner, &team).await[0]["previous"], Value::Null);
        // The other key was not touched, and the default grace period is a day.
        assert_eq!(list(owner, &team).await[1]["previous"], Value::Null);
        let answer = owner.put(&app(&team, "/api-keys"), json!({ "kinds": ["collect"] })).await;
        assert!(answer.body["data"]["items"][0]["previous"]["valid_until"].is_string());
        server.clock.advance(23 * Millis::HOUR);
        assert!(works(&server, &fourth).await);
        server.clock.advance(Millis::HOUR);
        assert!(!works(&server, &fourth).await);

        // Ended values are swept after a month.
        assert_eq!(server.count("SELECT COUNT(*) FROM api_keys").await, 6);
        keys::sweep(&server.atrium).await.unwrap();
        assert_eq!(server.count("SELECT COUNT(*) FROM api_keys").await, 6);
        server.clock.advance(31 * Millis::DAY);
        keys::sweep(&server.atrium).await.unwrap();
        assert_eq!(server.count("SELECT COUNT(*) FROM api_keys").await, 2);
    }
}

on_both! {
    async fn the_value_before_can_be_dropped_at_once(server: TestServer) {
        let team = team(&server).await;
        let admin = team.actor("app_admin");
        let first = list(admin, &team).await[0]["key"].as_str().unwrap().to_owned();
        let previous = app(&team, "/api-keys/collect/previous");
        assert_eq!(admin.delete(&previous).await.status, 404);
        reset(admin, &team, &["collect"], 168).await;
        assert_eq!(admin.delete(&app(&team, "/api-keys/query/previous")).await.status, 404);
        assert_eq!(admin.delete(&app(&team, "/api-keys/other/previous")).await.status, 404);
        assert!(works(&server, &first).await);
        assert_eq!(admin.delete(&previous).await.status, 200);
        assert!(!works(&server, &first).await);
        assert_eq!(list(admin, &team).await[0]["previous"], Value::Null);
        assert_eq!(admin.delete(&previous).await.status, 404);
        assert_eq!(actions(&team, "action=api_key.").await, ["api_key.drop_previous", "api_key.reset"]);
    }
}

on_both! {
    async fn resets_at_once_leave_one_current_value(server: TestServer) {
        let team = team(&server).await;
        let owner = team.actor("owner");
        let answers = join_all((0..20).map(|n| reset(owner, &team, &["collect", "query"], n % 3))).await;
        assert!(answers.iter().all(|it| it.status == 200), "{answers:?}");
        assert_eq!(server.count("SELECT COUNT(*) FROM api_keys WHERE valid_until IS NULL").await, 2);
        let now = server.atrium.now().0.to_string();
        let live = server.text("SELECT CAST(COUNT(*) AS TEXT) FROM api_keys WHERE valid_until > CAST($1 AS BIGINT)", &now).await;
        assert!(["0", "2"].contains(&live.as_deref().unwrap()), "{live:?}");
    }
}

on_both! {
    async fn a_reset_is_checked(server: TestServer) {
        let team = team(&server).await;
        let owner = team.actor("owner");
        for (body, code, field) in [
            (json!({ "kinds": [] }), "bad_length", "kinds"),
            (json!({ "kinds": ["collect", "query", "collect"] }), "bad_length", "kinds"),
            (json!({ "kinds": ["other"] }), "wrong_type", "kinds[0]"),
            (json!({}), "required", "kinds"),
            (json!({ "kinds": ["query"], "grace_hours": -1 }), "out_of_range", "grace_hours"),
            (json!({ "kinds": ["query"], "grace_hours": 169 }), "out_of_range", "grace_hours"),
            (json!({ "kinds": ["query"], "grace_hours": 1.5 }), "wrong_type", "grace_hours"),
        ] {
            let answer = owner.put(&app(&team, "/api-keys"), body.clone()).await;
            assert_eq!((answer.status, answer.code(), answer.field()), (422, code, field), "{body}");
        }
        assert_eq!(server.count("SELECT COUNT(*) FROM api_keys").await, 2);
    }
}
