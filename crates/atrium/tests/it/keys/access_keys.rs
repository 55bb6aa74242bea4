//! Access keys: shown once, named, expired, disabled, and who gets to see them.

use std::net::IpAddr;

use atrium::erasures::purge;
use atrium::key_uses::Use;
use atrium::keys;
use atrium::types::Millis;
use futures::future::join_all;
use serde_json::{Value, json};

use super::{actions, app, create, list, reset, team, whole_database, works};
use crate::support::{Store, TestServer, on_both};

on_both! {
    async fn a_secret_is_shown_once_and_kept_nowhere_in_clear(server: TestServer) {
        let team = team(&server).await;
        let developer = team.actor("developer");
        let made = create(developer, &team, " Backend ").await;
        assert_eq!(made.status, 200, "{made:?}");
        let data = &made.body["data"];
        let (id, secret) = (data["id"].as_str().unwrap(), data["secret"].as_str().unwrap());
        assert!(id.starts_with("AK") && id.len() == 22, "{id}");
        assert!(secret.len() >= 40, "{secret}");
        assert_eq!((&data["name"], &data["state"], &data["enabled"]), (&json!("Backend"), &json!("active"), &json!(true)));
        assert_eq!(data["created_by"]["id"], team.id("developer").as_str());

        let mut db = server.atrium.db.read().await.unwrap();
        let key = keys::by_access_key(&server.atrium, &mut db, id).await.unwrap().unwrap();
        assert_eq!((key.secret.as_slice(), key.enabled, key.expires_at), (secret.as_bytes(), true, None));
        assert_eq!((key.id.as_str(), &key.app_id), (id, &team.app_id));
        for other in ["", "AK", &id.to_lowercase(), "AKAAAAAAAAAAAAAAAAAAAA", secret] {
            assert!(keys::by_access_key(&server.atrium, &mut db, other).await.unwrap().is_none());
        }
        drop(db);

        assert_eq!(create(developer, &team, "Other").await.status, 200);
        server.run("UPDATE access_keys SET secret_sealed = (SELECT secret_sealed FROM access_keys WHERE name = 'Other') WHERE id = $1", &[id]).await;
        let mut db = server.atrium.db.read().await.unwrap();
        assert!(keys::by_access_key(&server.atrium, &mut db, id).await.is_err(), "a secret opens in its own row only");
        drop(db);

        let path = app(&team, &format!("/access-keys/{id}"));
        let answers = [
            developer.get(&app(&team, "/access-keys")).await,
            developer.get(&format!("{path}/use")).await,
            developer.put(&path, json!({ "name": "New" })).await,
            team.actor("owner").get(&format!("/api/v1/orgs/{}/audit-logs", team.org_id)).await,
        ];
        for answer in answers {
            assert_eq!(answer.status, 200);
            assert!(!answer.body.to_string().contains(secret), "{answer:?}");
        }
        assert!(!whole_database(&server).await.contains(secret));
        assert_eq!(actions(&team, &format!("target={id}")).await, ["key.create", "key.reveal", "key.update"]);
    }
}

on_both! {
    async fn an_app_has_ten_access_keys_at_most(server: TestServer) {
        let team = team(&server).await;
        let owner = team.actor("owner");
        let names: Vec<String> = (0..20).map(|n| format!("Key {n}")).collect();
        let made = join_all(names.iter().map(|name| create(owner, &team, name))).await;
        assert_eq!(made.iter().filter(|it| it.status == 200).count(), 10, "{made:?}");
        assert!(made.iter().all(|it| it.status == 200 || (it.status, it.code()) == (409, "too_many_keys")), "{made:?}");
        assert_eq!(server.count("SELECT COUNT(*) FROM access_keys").await, 10);
        let list = owner.get(&app(&team, "/access-keys?sort=created_at&order=desc&page_size=4&page=3")).await;
        assert_eq!((&list.body["data"]["total"], list.body["data"]["items"].as_array().unwrap().len()), (&json!(10), 2));
        let id = list.body["data"]["items"][0]["id"].as_str().unwrap();
        assert_eq!(owner.delete(&app(&team, &format!("/access-keys/{id}"))).await.status, 200);
        assert_eq!(create(owner, &team, "One more").await.status, 200);
    }
}

on_both! {
    async fn names_are_unique_in_an_app(server: TestServer) {
        let team = team(&server).await;
        let owner = team.actor("owner");
        let first = create(owner, &team, "Backend").await.body["data"]["id"].as_str().unwrap().to_owned();
        let taken = create(owner, &team, "BACKEND").await;
        assert_eq!((taken.status, taken.code(), taken.field()), (409, "key_name_taken", "name"));
        let second = create(owner, &team, "Worker").await.body["data"]["id"].as_str().unwrap().to_owned();
        let taken = owner.put(&app(&team, &format!("/access-keys/{second}")), json!({ "name": "backend" })).await;
        assert_eq!((taken.status, taken.code(), taken.field()), (409, "key_name_taken", "name"));
        let same = owner.put(&app(&team, &format!("/access-keys/{first}")), json!({ "name": "backend" })).await;
        assert_eq!(same.body["data"]["name"], "backend");
        for (name, code) in [("  ", "required"), ("a\u{7}b", "nul_character"), (&*"x".repeat(101), "too_long")] {
            let answer = create(owner, &team, name).await;
            assert_eq!((answer.status, answer.code(), answer.field()), (422, code, "name"));
        }
        assert_eq!(create(owner, &team, &"数".repeat(100)).await.status, 200);
        for (search, expected) in [("WORK", 1), ("100%25", 0), (&*second.to_lowercase(), 1), ("", 3)] {
            let found = owner.get(&app(&team, &format!("/access-keys?search={search}"))).await;
            assert_eq!(found.body["data"]["total"], expected, "{search}");
        }
    }
}

on_both! {
    async fn an_end_lies_ahead_and_can_be_moved_or_taken_away(server: TestServer) {
        let team = team(&server).await;
        let owner = team.actor("owner");
        let keys_path = app(&team, "/access-keys");
        let now = server.atrium.now();
        for (end, code) in [
            (now.plus(-Millis::SECOND).to_string(), "expiry_in_past"),
            ("2020-01-01T00:00:00Z".to_owned(), "expiry_in_past"),
            ("tomorrow".to_owned(), "bad_moment"),
            ("2030-01-01".to_owned(), "bad_moment"),
        ] {
            let answer = owner.post(&keys_path, json!({ "name": "K", "expires_at": end })).await;
            assert_eq!((answer.status, answer.code(), answer.field()), (422, code, "expires_at"), "{end}");
        }
        let end = now.plus(Millis::HOUR);
        let made = owner.post(&keys_path, json!({ "name": "K", "expires_at": end.to_string() })).await;
        assert_eq!(made.body["data"]["expires_at"], end.to_string());
        let path = format!("{keys_path}/{}", made.body["data"]["id"].as_str().unwrap());
        let kept = owner.put(&path, json!({ "enabled": true })).await;
        assert_eq!(kept.body["data"]["expires_at"], end.to_string());
        let past = owner.put(&path, json!({ "expires_at": "2020-01-01T00:00:00Z" })).await;
        assert_eq!((past.code(), past.field()), ("expiry_in_past", "expires_at"));
        server.clock.advance(Millis::HOUR);
        let owner = &server.signed_in(&team.people["owner"].email).await;
        let items = owner.get(&keys_path).await.body["data"]["items"].clone();
        assert_eq!((&items[0]["state"], &items[0]["enabled"]), (&json!("expired"), &json!(true)));
        // Set in another time zone, returned in UTC.
        let moved = owner.put(&path, json!({ "expires_at": "2099-01-01T08:00:00+08:00" })).await;
        assert_eq!((&moved.body["data"]["expires_at"], &moved.body["data"]["state"]), (&json!("2099-01-01T00:00:00.000Z"), &json!("active")));
        let gone = owner.put(&path, json!({ "expires_at": null })).await;
        assert_eq!(gone.body["data"]["expires_at"], Value::Null);
        let log = owner.get(&format!("/api/v1/orgs/{}/audit-logs?action=key.update", team.org_id)).await;
        assert_eq!(log.body["data"]["total"], 2);
        assert_eq!(log.body["data"]["items"][0]["target"]["name"], "K");
        assert_eq!(log.body["data"]["items"][0]["details"]["before"]["expires_at"], "2099-01-01T00:00:00.000Z");
    }
}

on_both! {
    async fn a_key_is_disabled_enabled_and_deleted(server: TestServer) {
        let team = team(&server).await;
        let admin = team.actor("app_admin");
        let id = create(admin, &team, "Backend").await.body["data"]["id"].as_str().unwrap().to_owned();
        let path = app(&team, &format!("/access-keys/{id}"));
        let epoch = server.atrium.db.epoch().await.unwrap();
        let off = admin.put(&path, json!({ "enabled": false, "name": "Old backend" })).await;
        assert_eq!((&off.body["data"]["state"], &off.body["data"]["enabled"]), (&json!("disabled"), &json!(false)));
        assert!(server.atrium.db.epoch().await.unwrap() > epoch);
        let mut db = server.atrium.db.read().await.unwrap();
        assert!(!keys::by_access_key(&server.atrium, &mut db, &id).await.unwrap().unwrap().enabled);
        drop(db);
        // A repeated change does nothing and is not logged.
        assert_eq!(admin.put(&path, json!({ "enabled": false })).await.status, 200);
        assert_eq!(admin.put(&path, json!({ "enabled": true })).await.body["data"]["state"], "active");
        assert_eq!(admin.delete(&path).await.status, 200);
        assert_eq!(admin.delete(&path).await.status, 404);
        assert_eq!(admin.get(&format!("{path}/use")).await.status, 404);
        // 404 takes precedence over a bad body.
        assert_eq!(admin.put(&path, json!({ "enabled": 7 })).await.status, 404);
        let done = actions(&team, &format!("target={id}")).await;
        assert_eq!(done, ["key.create", "key.delete", "key.disable", "key.enable", "key.reveal", "key.update"]);
        let mut db = server.atrium.db.read().await.unwrap();
        let (_, faults) = atrium::audit::verify(&mut db, &server.atrium.keyring).await.unwrap();
        assert_eq!(faults, []);
    }
}

on_both! {
    async fn a_key_of_another_app_is_not_there(server: TestServer) {
        let (one, two) = (team(&server).await, server.team("two").await);
        let path = app(&one, &format!("/access-keys/{}", two.key_id));
        let owner = one.actor("owner");
        assert_eq!(owner.put(&path, json!({ "enabled": false })).await.status, 404);
        assert_eq!(owner.delete(&path).await.status, 404);
        assert_eq!(owner.get(&format!("{path}/use")).await.status, 404);
        assert_eq!(owner.delete(&app(&one, "/access-keys/..%2F..")).await.status, 404);
    }
}

on_both! {
    async fn an_app_that_is_not_active_keeps_its_keys_as_they_are(server: TestServer) {
        let team = team(&server).await;
        let owner = team.actor("owner");
        let id = create(owner, &team, "Backend").await.body["data"]["id"].as_str().unwrap().to_owned();
        let value = reset(owner, &team, &["collect"], 24).await.body["data"]["items"][0]["key"].as_str().unwrap().to_owned();
        let impact = owner.get(&app(&team, "/impact")).await;
        // Two API keys, one previous value, one access key.
        assert_eq!(impact.body["data"]["live_keys"], 4);
        let key = app(&team, &format!("/access-keys/{id}"));
        for deed in ["archive", "delete"] {
            match deed {
                "archive" => owner.post(&app(&team, "/archive"), Value::Null).await,
                _ => owner.delete_with(&app(&team, ""), json!({ "name": "App" })).await,
            };
            let changes = [
                create(owner, &team, "New").await,
                reset(owner, &team, &["query"], 1).await,
                owner.delete(&app(&team, "/api-keys/collect/previous")).await,
                owner.put(&key, json!({ "enabled": false })).await,
                owner.delete(&key).await,
            ];
            for answer in changes {
                assert_eq!((answer.status, answer.code()), (409, "app_not_active"), "{deed} {answer:?}");
            }
            assert_eq!(list(owner, &team).await[0]["key"], value.as_str());
        }
        owner.post(&app(&team, "/restore"), Value::Null).await;
        owner.post(&app(&team, "/unarchive"), Value::Null).await;
        assert!(works(&server, &value).await);
        assert_eq!(owner.put(&key, json!({ "enabled": false })).await.status, 200);
        assert_eq!(owner.get(&app(&team, "/impact")).await.body["data"]["live_keys"], 3);

        // Purging leaves nothing of them.
        let used = Use { key_id: id, ip: IpAddr::from([10, 0, 0, 1]), at: server.atrium.now() };
        keys::record_uses(&server.atrium, &[used]).await.unwrap();
        owner.delete_with(&app(&team, ""), json!({ "name": "App" })).await;
        server.run("UPDATE apps SET purge_at = 1 WHERE id = $1", &[team.app_id.as_str()]).await;
        assert_eq!(purge::run_due(&server.atrium).await.unwrap(), 1);
        for table in ["SELECT COUNT(*) FROM api_keys", "SELECT COUNT(*) FROM access_keys", "SELECT COUNT(*) FROM key_addresses"] {
            assert_eq!(server.count(table).await, 0, "{table}");
        }
    }
}

on_both! {
    async fn a_value_is_handed_out_to_those_who_proved_themselves_lately(server: TestServer) {
        let team = team(&server).await;
        let developer = team.actor("developer");
        let id = create(developer, &team, "Backend").await.body["data"]["id"].as_str().unwrap().to_owned();
        server.clock.advance(16 * Millis::MINUTE);
        for answer in [create(developer, &team, "New").await, reset(developer, &team, &["query"], 0).await] {
            assert_eq!((answer.status, answer.code()), (403, "reauth_required"), "{answer:?}");
        }
        // Calls that reveal no secret need no recent sign-in.
        let path = app(&team, &format!("/access-keys/{id}"));
        assert_eq!(developer.put(&path, json!({ "enabled": false })).await.status, 200);
        let proof = developer.post("/api/v1/current/reauth", json!({ "password": crate::support::PASSWORD })).await;
        assert_eq!(proof.status, 200, "{proof:?}");
        assert_eq!(create(developer, &team, "New").await.status, 200);
        // Callers without the permission are refused before they are asked to sign in again.
        server.clock.advance(16 * Millis::MINUTE);
        assert_eq!(create(team.actor("viewer"), &team, "New").await.code(), "forbidden");
    }
}

on_both! {
    async fn managing_without_receiving_hands_out_nothing(server: TestServer) {
        let team = team(&server).await;
        let owner = team.actor("owner");
        let id = create(owner, &team, "Backend").await.body["data"]["id"].as_str().unwrap().to_owned();
        server.run("INSERT INTO role_permissions (role_id, permission) VALUES ($1, 'key:view'), ($1, 'key:manage')", &[team.role_id.as_str()]).await;
        server.run("UPDATE app_members SET role_id = $1 WHERE user_id = $2", &[team.role_id.as_str(), team.id("viewer").as_str()]).await;
        let keeper = team.actor("viewer");
        assert_eq!(create(keeper, &team, "New").await.code(), "forbidden");
        assert_eq!(reset(keeper, &team, &["collect"], 0).await.code(), "forbidden");
        assert_eq!(keeper.put(&app(&team, &format!("/access-keys/{id}")), json!({ "enabled": false })).await.status, 200);
        assert!(list(keeper, &team).await[1]["key"].as_str().unwrap().contains('…'));
    }
}

on_both! {
    async fn the_collect_key_is_shown_to_those_who_view_keys(server: TestServer) {
        let team = team(&server).await;
        let value = list(team.actor("owner"), &team).await[0]["key"].clone();
        for (name, sees) in [("owner", true), ("developer", true), ("analyst", false), ("viewer", false)] {
            let seen = team.actor(name).get(&app(&team, "")).await.body["data"]["collect_key"].clone();
            assert_eq!(seen, if sees { value.clone() } else { Value::Null }, "{name}");
        }
        let updated = team.actor("owner").put(&app(&team, ""), json!({ "description": "x" })).await;
        assert_eq!(updated.body["data"]["collect_key"], value);
    }
}

on_both! {
    async fn removing_someone_can_disable_the_keys_they_made(server: TestServer) {
        let team = team(&server).await;
        let (owner, developer) = (team.actor("owner"), team.actor("developer"));
        let kept = create(owner, &team, "Kept").await.body["data"]["id"].as_str().unwrap().to_owned();
        for name in ["One", "Two", "Off"] {
            assert_eq!(create(developer, &team, name).await.status, 200);
        }
        server.run("UPDATE access_keys SET enabled = 0 WHERE name = $1", &["Off"]).await;
        let member = format!("/api/v1/orgs/{}/members/{}", team.org_id, team.id("developer"));
        let impact = owner.get(&format!("{member}/impact")).await.body["data"].clone();
        assert_eq!(impact["access_key_count"], 2, "{impact}");
        let mut names: Vec<&str> = impact["access_keys"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
        names.sort_unstable();
        assert_eq!(names, ["One", "Two"]);
        assert_eq!(impact["access_keys"][0]["app_name"], "App");
        assert_eq!(owner.delete(&format!("{member}?disable_keys=true")).await.status, 200);
        assert_eq!(server.count("SELECT COUNT(*) FROM access_keys WHERE enabled = 1").await, 1);
        let mut db = server.atrium.db.read().await.unwrap();
        assert!(keys::by_access_key(&server.atrium, &mut db, &kept).await.unwrap().unwrap().enabled);
        drop(db);
        assert_eq!(actions(&team, "action=key.disable").await.len(), 2);
        let log = owner.get(&format!("/api/v1/orgs/{}/audit-logs?action=org_member.remove", team.org_id)).await;
        assert_eq!(log.body["data"]["items"][0]["details"]["keys_disabled"], 2);
    }
}

on_both! {
    async fn keys_stay_on_unless_asked(server: TestServer) {
        let team = team(&server).await;
        assert_eq!(create(team.actor("developer"), &team, "One").await.status, 200);
        let member = format!("/api/v1/orgs/{}/members/{}", team.org_id, team.id("developer"));
        assert_eq!(team.actor("owner").delete(&member).await.status, 200);
        assert_eq!(server.count("SELECT COUNT(*) FROM access_keys WHERE enabled = 1").await, 1);
    }
}

on_both! {
    async fn nobody_leaves_with_a_key_made_while_they_were_removed(server: TestServer) {
        let team = team(&server).await;
        let member = format!("/api/v1/orgs/{}/members/{}?disable_keys=true", team.org_id, team.id("developer"));
        for _ in 0..8 {
            let (developer, owner) = (team.actor("developer"), team.actor("owner"));
            let making = join_all(["One", "Two", "Three"].map(|name| create(developer, &team, name)));
            let (made, removed) = tokio::join!(making, owner.delete(&member));
            assert_eq!(removed.status, 200, "{removed:?}");
            assert!(made.iter().all(|it| matches!(it.status, 200 | 404 | 409)), "{made:?}");
            assert_eq!(server.count("SELECT COUNT(*) FROM access_keys WHERE enabled = 1 AND name <> 'Key'").await, 0, "{made:?}");
            server.restore(&team).await;
        }
    }
}
