//! The checks in the program and those in SQL give a role the same permissions.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::world::Team;
use crate::support::{Store, TestServer, on_both};
use atrium::permissions::Permission;
use atrium::store::keys;

/// Makes a role through the API and gives it to a member of the app.
async fn give(server: &TestServer, team: &Team, name: &str, codes: &[&str], to: &str) {
    let path = format!("/api/v1/apps/{}/roles", team.app_id);
    let made = team.actor("owner").post(&path, json!({ "name": name, "permissions": codes })).await;
    assert_eq!(made.status, 200, "{made:?}");
    let role_id = made.body["data"]["id"].as_str().unwrap();
    let moved = "UPDATE app_members SET role_id = $1 WHERE user_id = $2";
    server.run(moved, &[role_id, team.id(to).as_str()]).await;
}

/// Everyone's role and permissions, the roles, and who sees the app in the list of deleted ones.
async fn visible_to(team: &Team) -> Value {
    let mut visible = json!({});
    for (name, person) in &team.people {
        let mine = person.actor.get(&format!("/api/v1/apps/{}/role", team.app_id)).await;
        let apps = person.actor.get(&format!("/api/v1/orgs/{}/apps", team.org_id)).await;
        visible[name] = json!([mine.status, mine.body["data"], apps.body["data"]["items"]]);
    }
    let roles = team.actor("owner").get(&format!("/api/v1/apps/{}/roles", team.app_id)).await;
    visible["roles"] = roles.body["data"]["items"].clone();
    visible
}

on_both! {
    async fn statements_and_program_agree_on_who_may(server: TestServer) {
        let team = server.team("one").await;
        give(&server, &team, "Restorer", &["app:view", "app:delete"], "viewer").await;
        give(&server, &team, "Keeper", &["app:view", "key:manage"], "analyst").await;
        let app = format!("/api/v1/apps/{}", team.app_id);
        let mut manage_keys = BTreeSet::new();
        for (name, person) in &team.people {
            let mine = person.actor.get(&format!("{app}/role")).await;
            let codes = mine.body["data"]["permissions"].as_array();
            if codes.is_some_and(|codes| codes.contains(&json!(Permission::KeyManage.code()))) {
                manage_keys.insert(*name);
            }
        }
        assert_eq!(manage_keys, BTreeSet::from(["admin", "analyst", "app_admin", "developer", "owner"]));
        let mut db = server.atrium.db.read().await.unwrap();
        let found = keys::managers(&mut db, &team.app_id, &team.org_id).await.unwrap();
        drop(db);
        let found: BTreeSet<_> = found.iter().collect();
        assert_eq!(found, manage_keys.iter().map(|name| team.id(name)).collect());

        let deleted = team.actor("owner").delete_with(&app, json!({ "name": "App" })).await;
        assert_eq!(deleted.status, 200, "{deleted:?}");
        let mut see = BTreeSet::new();
        for (name, person) in &team.people {
            let list = person.actor.get(&format!("/api/v1/orgs/{}/apps?status=deleted", team.org_id)).await;
            let listed = list.body["data"]["total"] == 1;
            assert_eq!(person.actor.get(&app).await.status == 200, listed, "{name} {list:?}");
            if listed {
                see.insert(*name);
            }
        }
        assert_eq!(see, BTreeSet::from(["admin", "app_admin", "owner", "viewer"]));
    }
}

on_both! {
    async fn a_changed_role_loses_what_it_no_longer_has(server: TestServer) {
        let team = server.team("one").await;
        give(&server, &team, "Keeper", &["app:view", "key:view", "key:manage"], "analyst").await;
        let role = team.actor("analyst").get(&format!("/api/v1/apps/{}/role", team.app_id)).await;
        let id = role.body["data"]["role"]["id"].as_str().unwrap().to_owned();
        let path = format!("/api/v1/apps/{}/roles/{id}", team.app_id);
        let change = json!({ "name": "Keeper", "permissions": ["key:view", "app:view"] });
        let changed = team.actor("owner").put(&path, change).await;
        let permissions = json!(["app:view", "key:view"]);
        assert_eq!(changed.body["data"]["permissions"], permissions, "{changed:?}");
        let mine = team.actor("analyst").get(&format!("/api/v1/apps/{}/role", team.app_id)).await;
        assert_eq!(mine.body["data"]["permissions"], permissions);
    }
}

on_both! {
    async fn roles_of_before_are_the_same_after_the_upgrade(server: TestServer) {
        let team = server.team("one").await;
        // All permissions that existed then.
        let later = [Permission::AnalysisManage, Permission::CohortManage];
        let app_permissions: Vec<&str> = atrium::permissions::app_permissions()
            .iter().filter(|it| !later.contains(it)).map(|it| it.code()).collect();
        give(&server, &team, "All", &app_permissions, "viewer").await;
        give(&server, &team, "Half", &["app:view", "app:delete", "key:view", "event:export"], "analyst").await;
        give(&server, &team, "Least", &["app:view"], "developer").await;
        let before = visible_to(&team).await;
        assert_eq!(before["viewer"][1]["permissions"], json!(app_permissions), "{before}");
        // The column of the earlier version: a list in JSON.
        server.run("ALTER TABLE app_roles ADD COLUMN permissions TEXT NOT NULL DEFAULT '[]'", &[]).await;
        for role in before["roles"].as_array().unwrap().iter().filter(|role| role["builtin"] == false) {
            let (json, id) = (role["permissions"].to_string(), role["id"].as_str().unwrap());
            server.run("UPDATE app_roles SET permissions = $1 WHERE id = $2", &[&json, id]).await;
        }
        server.run("DROP TABLE role_permissions", &[]).await;
        let mut tx = server.atrium.db.write().await.unwrap();
        let migration = include_str!("../../migrations/0019_role_permissions.sql");
        sqlx::raw_sql(migration).execute(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(visible_to(&team).await, before);
    }
}
