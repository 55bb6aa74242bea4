//! Reminders about expiring keys, and records of their use.

use std::net::IpAddr;

use atrium::key_uses::Use;
use atrium::keys::{self, reminders};
use atrium::permissions::BuiltinRole;
use atrium::store::keys::by_collect_key;
use atrium::types::{Id, Millis};
use futures::future::join_all;
use serde_json::{Value, json};

use super::{app, create, list, reset, team};
use crate::support::world::Team;
use crate::support::{Store, TestServer, on_both};

/// Titles of a person's notifications about keys, newest first.
async fn notices_of(team: &Team, name: &str) -> Vec<String> {
    let list = team.actor(name).get("/api/v1/current/notifications?page_size=100").await;
    let items = list.body["data"]["items"].as_array().unwrap().clone();
    let of_keys = items.iter().filter(|it| it["type"] == "key_expiry");
    of_keys.map(|it| it["title"].as_str().unwrap().to_owned()).collect()
}

on_both! {
    async fn those_who_manage_keys_are_reminded_once_each_time(server: TestServer) {
        let team = team(&server).await;
        let second = server.second_instance().await;
        let owner = team.actor("owner");
        server.run("INSERT INTO role_permissions (role_id, permission) VALUES ($1, 'key:manage')", &[team.role_id.as_str()]).await;
        server.run("UPDATE app_members SET role_id = $1 WHERE user_id = $2", &[team.role_id.as_str(), team.id("analyst").as_str()]).await;
        let end = server.atrium.now().plus(10 * Millis::DAY);
        let made = owner.post(&app(&team, "/access-keys"), json!({ "name": "Backend", "expires_at": end.to_string() })).await;
        let id = made.body["data"]["id"].as_str().unwrap().to_owned();
        create(owner, &team, "Endless").await;
        let run = async || {
            let runs = join_all([&server.atrium, &second.atrium, &server.atrium, &second.atrium].map(|atrium| reminders::run_due(atrium))).await;
            runs.into_iter().map(Result::unwrap).sum::<u64>()
        };
        let pass = |days: i64| {
            server.clock.advance(days * Millis::DAY);
            second.clock.advance(days * Millis::DAY);
        };
        assert_eq!(run().await, 0);
        pass(3);
        let epoch = server.atrium.db.epoch().await.unwrap();
        assert_eq!((run().await, run().await), (1, 0));
        assert_eq!(server.atrium.db.epoch().await.unwrap(), epoch);
        // Everyone who manages keys: the owner and the admin, two built-in roles, one custom role.
        assert_eq!(server.count("SELECT COUNT(*) FROM notifications WHERE notice LIKE '%key_expiring%'").await, 5);
        for name in ["owner", "admin", "app_admin", "developer", "analyst"] {
            assert_eq!(notices_of(&team, name).await, ["访问密钥即将到期"], "{name}");
        }
        assert!(notices_of(&team, "viewer").await.is_empty());
        let list = owner.get("/api/v1/current/notifications").await;
        let item = &list.body["data"]["items"][0];
        assert_eq!(item["link"], format!("/{}/authManagement/appSecretKey", team.app_id));
        assert!(item["text"].as_str().unwrap().contains(&id), "{item}");
        let mail = server.mail_about(&team.people["owner"].email, "access key").await;
        assert!(mail.text.contains("Backend") && mail.text.contains("appSecretKey"), "{mail:?}");
        pass(6);
        assert_eq!((run().await, run().await), (1, 0));
        pass(1);
        assert_eq!((run().await, run().await), (1, 0));
        assert_eq!(notices_of(&team, "owner").await, ["访问密钥已到期", "访问密钥即将到期", "访问密钥即将到期"]);
        assert_eq!(notices_of(&team, "viewer").await.len(), 0);

        // A new expiry starts the reminders again; the ones already past when it was set are not sent.
        let owner = &server.signed_in(&team.people["owner"].email).await;
        let path = app(&team, &format!("/access-keys/{id}"));
        let end = server.atrium.now().plus(3 * Millis::DAY);
        assert_eq!(owner.put(&path, json!({ "expires_at": end.to_string() })).await.status, 200);
        assert_eq!(run().await, 0);
        pass(2);
        assert_eq!((run().await, run().await), (1, 0));
        // No reminders for a key that is disabled or whose app is archived.
        pass(1);
        server.run("UPDATE access_keys SET enabled = 0 WHERE id = $1", &[&id]).await;
        assert_eq!(run().await, 0);
        server.run("UPDATE access_keys SET enabled = 1 WHERE id = $1", &[&id]).await;
        server.run("UPDATE apps SET archived_at = 1 WHERE id = $1", &[team.app_id.as_str()]).await;
        assert_eq!(run().await, 0);
        server.run("UPDATE apps SET archived_at = NULL WHERE id = $1", &[team.app_id.as_str()]).await;
        assert_eq!(run().await, 1);
    }
}

on_both! {
    async fn uses_are_written_down_without_disturbing_anyone(server: TestServer) {
        let team = team(&server).await;
        let owner = team.actor("owner");
        let id = create(owner, &team, "Backend").await.body["data"]["id"].as_str().unwrap().to_owned();
        let collect = list(owner, &team).await[0]["key"].as_str().unwrap().to_owned();
        let mut db = server.atrium.db.read().await.unwrap();
        let api = by_collect_key(&mut db, &collect).await.unwrap().unwrap();
        assert_eq!((&api.app_id, api.valid_until), (&team.app_id, None));
        drop(db);
        let now = server.atrium.now();
        let used = |key: &str, last: u8, at: i64| Use { key_id: key.to_owned(), ip: IpAddr::from([10, 0, 0, last]), at: now.plus(at) };
        let epoch = server.atrium.db.epoch().await.unwrap();
        let uses = [used(&id, 1, -20), used(&id, 2, -5), used(&id, 1, -30), used(api.key_id.as_str(), 9, 0), used("AKNOBODYS", 1, 0)];
        keys::record_uses(&server.atrium, &uses).await.unwrap();
        // An older use does not replace a newer one.
        keys::record_uses(&server.atrium, &[used(&id, 3, -8 * Millis::DAY), used(&id, 2, -50)]).await.unwrap();
        keys::record_uses(&server.atrium, &[]).await.unwrap();
        assert_eq!(server.atrium.db.epoch().await.unwrap(), epoch);
        let found = owner.get(&app(&team, &format!("/access-keys/{id}/use"))).await.body["data"].clone();
        assert_eq!((&found["last_used_ip"], &found["last_used_at"]), (&json!("10.0.0.2"), &json!(now.plus(-5).to_string())));
        let ips: Vec<&str> = found["addresses"].as_array().unwrap().iter().map(|it| it["ip"].as_str().unwrap()).collect();
        assert_eq!((ips, &found["messages_7d"]), (vec!["10.0.0.2", "10.0.0.1", "10.0.0.3"], &Value::Null));
        let item = owner.get(&app(&team, "/access-keys")).await.body["data"]["items"][0].clone();
        assert_eq!((&item["addresses"], &item["last_used_ip"]), (&json!(2), &json!("10.0.0.2")));
        let item = list(owner, &team).await[0].clone();
        assert_eq!((&item["addresses"], &item["last_used_ip"]), (&json!(1), &json!("10.0.0.9")));
        assert_eq!(server.count("SELECT COUNT(*) FROM key_addresses").await, 4);
        // After a reset the previous value keeps its history.
        reset(owner, &team, &["collect"], 24).await;
        let item = list(owner, &team).await[0].clone();
        assert_eq!((&item["last_used_at"], &item["addresses"]), (&Value::Null, &json!(0)));
        assert_eq!((&item["previous"]["last_used_ip"], &item["previous"]["addresses"]), (&json!("10.0.0.9"), &json!(1)));
        // Sorted by use. After a month the addresses are gone.
        let sorted = owner.get(&app(&team, "/access-keys?sort=last_used_at&order=desc")).await;
        assert_eq!(sorted.status, 200);
        server.clock.advance(31 * Millis::DAY);
        keys::sweep(&server.atrium).await.unwrap();
        assert_eq!(server.count("SELECT COUNT(*) FROM key_addresses").await, 0);
    }
}

on_both! {
    async fn fifty_addresses_are_kept_of_a_key(server: TestServer) {
        let team = team(&server).await;
        let id = create(team.actor("owner"), &team, "Backend").await.body["data"]["id"].as_str().unwrap().to_owned();
        let now = server.atrium.now();
        let uses = |from: u8, to: u8| -> Vec<Use> {
            (from..to).map(|n| Use { key_id: id.clone(), ip: IpAddr::from([10, 0, 1, n]), at: now.plus(n.into()) }).collect()
        };
        // Several instances write at once.
        let batches = [uses(0, 80), uses(40, 120), uses(100, 200), uses(0, 200)];
        for written in join_all(batches.iter().map(|batch| keys::record_uses(&server.atrium, batch))).await {
            written.unwrap();
        }
        assert_eq!(server.count("SELECT COUNT(*) FROM key_addresses").await, 50);
        let ips = server.count("SELECT COUNT(*) FROM key_addresses WHERE ip IN ('10.0.1.150', '10.0.1.199')").await;
        assert_eq!(ips, 2);
        let found = team.actor("owner").get(&app(&team, &format!("/access-keys/{id}/use"))).await;
        assert_eq!(found.body["data"]["addresses"].as_array().unwrap().len(), 20);
        assert_eq!(found.body["data"]["last_used_ip"], "10.0.1.199");
    }
}

on_both! {
    async fn uses_and_changes_at_once_do_not_wait_in_a_circle(server: TestServer) {
        let team = team(&server).await;
        let owner = team.actor("owner");
        let mut ids: Vec<String> = Vec::new();
        for name in ["One", "Two", "Three"] {
            ids.push(create(owner, &team, name).await.body["data"]["id"].as_str().unwrap().to_owned());
        }
        let mut db = server.atrium.db.read().await.unwrap();
        let api: Vec<Id> = sqlx::query_scalar("SELECT id FROM api_keys").fetch_all(&mut *db).await.unwrap();
        drop(db);
        ids.extend(api.iter().map(Id::to_string));
        let now = server.atrium.now();
        let uses: Vec<Use> = (0..200_u8).map(|n| Use { key_id: ids[usize::from(n) % 5].clone(), ip: IpAddr::from([10, 0, 2, n]), at: now }).collect();
        let recording = join_all((0..20).map(|_| keys::record_uses(&server.atrium, &uses)));
        let resetting = join_all((0..10).map(|_| reset(owner, &team, &["query", "collect"], 1)));
        let (recorded, reset) = tokio::join!(recording, resetting);
        assert!(recorded.iter().all(Result::is_ok), "{recorded:?}");
        assert!(reset.iter().all(|it| it.status == 200), "{reset:?}");
    }
}

on_both! {
    async fn a_person_who_goes_leaves_their_keys_to_the_team(server: TestServer) {
        let team = team(&server).await;
        assert_eq!(create(team.actor("developer"), &team, "One").await.status, 200);
        assert_eq!(reset(team.actor("developer"), &team, &["query"], 0).await.status, 200);
        server.run("UPDATE app_members SET role_id = $1 WHERE user_id = $2", &[BuiltinRole::Viewer.id().as_str(), team.id("developer").as_str()]).await;
        server.run("DELETE FROM users WHERE id = $1", &[team.id("developer").as_str()]).await;
        let owner = team.actor("owner");
        let item = owner.get(&app(&team, "/access-keys")).await.body["data"]["items"][0].clone();
        assert_eq!((&item["name"], &item["created_by"]), (&json!("One"), &Value::Null));
        assert_eq!(list(owner, &team).await[1]["created_by"], Value::Null);
    }
}
