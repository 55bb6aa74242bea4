//! Apps: their life cycle, their members and roles, and their audit log.

use crate::support::world::Team;
use crate::support::{Actor, Answer, Store, TestServer, on_both};
use atrium::erasures::purge;
use atrium::permissions::BuiltinRole;
use atrium::types::Millis;
use futures::future::join_all;
use serde_json::{Value, json};

fn app(team: &Team, rest: &str) -> String {
    format!("/api/v1/apps/{}{rest}", team.app_id)
}

async fn create(actor: &Actor, team: &Team, name: &str) -> Answer {
    let body = json!({ "name": name, "region": "local", "timezone": "Asia/Shanghai" });
    actor.post(&format!("/api/v1/orgs/{}/apps", team.org_id), body).await
}

async fn act(actor: &Actor, team: &Team, action: &str) -> Answer {
    actor.post(&app(team, action), Value::Null).await
}

on_both! {
    async fn an_app_lives_through_its_states_and_back(server: TestServer) {
        let team = server.team("one").await;
        let (admin, viewer) = (team.actor("app_admin"), team.actor("viewer"));
        let lists = |status: &'static str| {
            let (viewer, path) = (viewer.clone(), format!("/api/v1/orgs/{}/apps?status={status}", team.org_id));
            async move { viewer.get(&path).await.body["data"]["total"].clone() }
        };
        assert_eq!(act(admin, &team, "/unarchive").await.code(), "app_not_archived");
        let archived = act(admin, &team, "/archive").await;
        assert_eq!((archived.status, &archived.body["data"]["status"]), (200, &json!("archived")));
        assert_eq!(act(admin, &team, "/archive").await.code(), "app_not_active");
        assert_eq!((lists("active").await, lists("archived").await), (json!(0), json!(1)));
        // Read-only: reading works, changing does not.
        assert_eq!(admin.get(&app(&team, "/members")).await.status, 200);
        let member = app(&team, &format!("/members/{}", team.id("viewer")));
        let role = json!({ "role_id": BuiltinRole::Viewer.id() });
        let changes = [
            admin.put(&app(&team, ""), json!({ "name": "New" })).await,
            admin.put(&member, role.clone()).await,
            admin.post(&app(&team, "/members"), json!({ "user_ids": [team.id("member")], "role_id": BuiltinRole::Viewer.id() })).await,
            admin.post(&app(&team, "/roles"), json!({ "name": "R", "permissions": ["app:view"] })).await,
            admin.delete(&app(&team, &format!("/roles/{}", team.role_id))).await,
        ];
        for answer in changes {
            assert_eq!((answer.status, answer.code()), (409, "app_not_active"), "{answer:?}");
        }

        let wrong = admin.delete_with(&app(&team, ""), json!({ "name": "Ap" })).await;
        assert_eq!((wrong.code(), wrong.field()), ("wrong_name", "name"));
        let deleted = admin.delete_with(&app(&team, ""), json!({ "name": "App" })).await;
        assert_eq!(deleted.body["data"]["status"], "deleted");
        assert!(deleted.body["data"]["purge_at"].is_string());
        // Not found for people who could not restore it.
        assert_eq!(viewer.get(&app(&team, "")).await.status, 404);
        assert_eq!((lists("archived").await, lists("deleted").await), (json!(0), json!(0)));
        let seen = admin.get(&format!("/api/v1/orgs/{}/apps?status=deleted", team.org_id)).await;
        assert_eq!(seen.body["data"]["total"], 1);
        // Restored to the state before: archived, then active.
        assert_eq!(act(admin, &team, "/restore").await.body["data"]["status"], "archived");
        assert_eq!(act(admin, &team, "/restore").await.code(), "app_not_deleted");
        assert_eq!(act(admin, &team, "/unarchive").await.body["data"]["status"], "active");
        assert_eq!(viewer.get(&app(&team, "")).await.status, 200);

        let notices = viewer.get("/api/v1/current/notifications").await;
        let kinds: Vec<&str> = notices.body["data"]["items"].as_array().unwrap().iter().map(|it| it["title"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["应用已取消归档", "应用已恢复", "应用已删除", "应用已归档"]);
    }
}

on_both! {
    async fn names_are_unique_among_apps_that_are_not_deleted(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        let taken = create(owner, &team, "App").await;
        assert_eq!((taken.status, taken.code(), taken.field()), (409, "app_name_taken", "name"));
        owner.delete_with(&app(&team, ""), json!({ "name": "App" })).await;
        assert_eq!(create(owner, &team, "App").await.status, 200);
        assert_eq!(act(owner, &team, "/restore").await.code(), "app_name_taken");
        let bad = json!({ "name": "X", "region": "moon", "timezone": "UTC" });
        let answer = owner.post(&format!("/api/v1/orgs/{}/apps", team.org_id), bad).await;
        assert_eq!((answer.code(), answer.field()), ("bad_region", "region"));
    }
}

on_both! {
    async fn of_fifty_who_want_one_name_one_gets_it(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        let creating = join_all((0..50).map(|_| create(owner, &team, "Wanted"))).await;
        let made = creating.iter().filter(|it| it.status == 200).count();
        assert!(made == 1 && creating.iter().all(|it| matches!(it.status, 200 | 409)), "{creating:?}");

        let mut ids = Vec::new();
        for n in 0..10 {
            let made = create(owner, &team, &format!("App {n}")).await;
            ids.push(made.body["data"]["id"].as_str().unwrap().to_owned());
        }
        let renaming = (0..50).map(|n| {
            let (owner, id) = (owner.clone(), ids[n % 10].clone());
            async move { (id.clone(), owner.put(&format!("/api/v1/apps/{id}"), json!({ "name": "Same" })).await.status) }
        });
        let renamed = join_all(renaming).await;
        assert!(renamed.iter().all(|(_, status)| matches!(status, 200 | 409)), "{renamed:?}");
        let mut winners: Vec<&String> = renamed.iter().filter(|(_, status)| *status == 200).map(|(id, _)| id).collect();
        winners.dedup();
        winners.sort();
        winners.dedup();
        assert_eq!(winners.len(), 1, "{renamed:?}");
        assert_eq!(server.count("SELECT COUNT(*) FROM apps WHERE name = 'Same'").await, 1);
    }
}

on_both! {
    async fn an_app_is_purged_after_thirty_days_by_one_instance(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        owner.delete_with(&app(&team, ""), json!({ "name": "App" })).await;
        server.clock.advance(29 * Millis::DAY);
        assert_eq!(purge::run_due(&server.atrium).await.unwrap(), 0);
        server.clock.advance(Millis::DAY);
        // Sessions end too.
        let owner = server.signed_in(&team.people["owner"].email).await;
        assert_eq!(owner.get(&app(&team, "")).await.status, 200);
        let second = server.second_instance().await;
        second.clock.advance(30 * Millis::DAY);
        let (one, two) = tokio::join!(purge::run_due(&server.atrium), purge::run_due(&second.atrium));
        assert_eq!(one.unwrap() + two.unwrap(), 1);
        server.catch_up().await;
        assert_eq!(owner.get(&app(&team, "")).await.status, 404);
        for table in ["SELECT COUNT(*) FROM app_members", "SELECT COUNT(*) FROM app_roles", "SELECT COUNT(*) FROM role_permissions"] {
            assert_eq!(server.count(table).await, 0, "{table}");
        }
        let log = owner.get(&format!("/api/v1/orgs/{}/audit-logs?action=app.purge", team.org_id)).await;
        let entry = &log.body["data"]["items"][0];
        assert_eq!((&entry["actor"]["kind"], &entry["target"]["name"]), (&json!("system"), &json!("App")));
    }
}

on_both! {
    async fn a_purge_that_was_broken_off_goes_on_and_cannot_be_taken_back(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        owner.delete_with(&app(&team, ""), json!({ "name": "App" })).await;
        // As after a crash in the middle of a purge: begun, and its lease has run out.
        let now = server.atrium.now();
        server.run("UPDATE apps SET purge_at = 1, purge_started_at = 1, purge_leased_until = 1 WHERE id = $1", &[team.app_id.as_str()]).await;
        let answer = act(owner, &team, "/restore").await;
        assert_eq!((answer.status, answer.code()), (409, "purge_started"));
        assert!(now.0 > 1);
        assert_eq!(purge::run_due(&server.atrium).await.unwrap(), 1);
    }
}

on_both! {
    async fn restoring_while_the_purge_starts_leaves_nothing_half_done(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        for _ in 0..10 {
            server.restore(&team).await;
            owner.delete_with(&app(&team, ""), json!({ "name": "App" })).await;
            server.run("UPDATE apps SET purge_at = 1 WHERE id = $1", &[team.app_id.as_str()]).await;
            let restores = join_all((0..5).map(|_| act(owner, &team, "/restore")));
            let (restores, purged) = tokio::join!(restores, purge::run_due(&server.atrium));
            let restored = restores.iter().filter(|it| it.status == 200).count();
            let purged = purged.unwrap();
            assert_eq!(restored as u64 + purged, 1, "{restores:?}");
            assert!(restores.iter().all(|it| matches!(it.status, 200 | 404 | 409)), "{restores:?}");
            let left = server.count("SELECT COUNT(*) FROM apps WHERE deleted_at IS NULL").await;
            assert_eq!(left, restored as i64);
        }
    }
}

on_both! {
    async fn members_come_from_the_team_and_roles_explain_themselves(server: TestServer) {
        let (team, other) = (server.team("one").await, server.team("two").await);
        let admin = team.actor("app_admin");
        let candidates = admin.get(&app(&team, "/candidates")).await;
        assert_eq!(candidates.body["data"]["total"], 1);
        assert_eq!(candidates.body["data"]["items"][0]["user_id"], team.id("member").as_str());
        let ids = json!([team.id("member"), other.id("member"), team.id("viewer"), team.id("owner")]);
        let added = admin.post(&app(&team, "/members"), json!({ "user_ids": ids, "role_id": team.role_id })).await;
        assert_eq!(added.body["data"], json!({ "added": 1, "skipped": 3 }));
        let foreign = json!({ "user_ids": [team.id("member")], "role_id": other.role_id });
        assert_eq!(admin.post(&app(&team, "/members"), foreign).await.code(), "bad_role");

        let list = admin.get(&app(&team, "/members?sort=role&page_size=100")).await;
        // Four roles, one custom role and the plain target; owner and admin through the organization.
        assert_eq!(list.body["data"]["total"], 8);
        let via: Vec<&str> = list.body["data"]["items"].as_array().unwrap().iter().map(|it| it["via"].as_str().unwrap()).collect();
        assert_eq!(via[..3], ["organization", "organization", "app"]);
        let only = admin.get(&app(&team, &format!("/members?role_id={}", team.role_id))).await;
        assert_eq!(only.body["data"]["total"], 1);

        let path = |name: &str| app(&team, &format!("/members/{}/access", team.id(name)));
        let explained = admin.get(&path("developer")).await;
        let about = |answer: &Answer, code: &str| {
            answer.body["data"]["permissions"].as_array().unwrap().iter().find(|it| it["code"] == code).unwrap().clone()
        };
        let held = about(&explained, "key:manage");
        assert_eq!((&held["held"], &held["through"]["role"]["key"]), (&json!(true), &json!("developer")));
        let missing = about(&explained, "event:export");
        assert_eq!((&missing["held"], &missing["through"]), (&json!(false), &Value::Null));
        let giving: Vec<&str> = missing["roles_that_give"].as_array().unwrap().iter().map(|it| it["key"].as_str().unwrap()).collect();
        assert_eq!(giving, ["admin", "analyst"]);
        assert_eq!(about(&admin.get(&path("owner")).await, "app:delete")["through"]["kind"], "organization");
        assert_eq!(admin.get(&app(&team, &format!("/members/{}/access", other.id("viewer")))).await.status, 404);
    }
}

on_both! {
    async fn nobody_grants_or_changes_more_than_they_hold(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        // A role that manages members and roles, and little else.
        let body = json!({ "name": "Manager", "permissions": ["app:view", "member:view", "member:manage", "role:view", "role:manage"] });
        let manager_role = owner.post(&app(&team, "/roles"), body).await.body["data"]["id"].as_str().unwrap().to_owned();
        let manager_path = app(&team, &format!("/members/{}", team.id("viewer")));
        assert_eq!(owner.put(&manager_path, json!({ "role_id": manager_role })).await.status, 200);
        let manager = team.actor("viewer");
        let beyond = [
            manager.put(&manager_path, json!({ "role_id": BuiltinRole::Admin.id() })).await,
            manager.post(&app(&team, "/members"), json!({ "user_ids": [team.id("member")], "role_id": BuiltinRole::Developer.id() })).await,
            manager.post(&app(&team, "/roles"), json!({ "name": "More", "permissions": ["app:view", "key:reveal"] })).await,
            manager.put(&app(&team, &format!("/roles/{manager_role}")), json!({ "name": "Manager", "permissions": ["app:view", "app:delete"] })).await,
            manager.put(&app(&team, &format!("/members/{}", team.id("app_admin"))), json!({ "role_id": team.role_id })).await,
            manager.delete(&app(&team, &format!("/members/{}", team.id("developer")))).await,
        ];
        for answer in beyond {
            assert_eq!((answer.status, answer.code()), (403, "beyond_own"), "{answer:?}");
        }
        assert_eq!(manager.post(&app(&team, "/roles"), json!({ "name": "Less", "permissions": ["app:view"] })).await.status, 200);
    }
}

on_both! {
    async fn roles_are_made_changed_and_replaced(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        let make = |name: &str, permissions: Value| {
            let (owner, path) = (owner.clone(), app(&team, "/roles"));
            let body = json!({ "name": name, "permissions": permissions });
            async move { owner.post(&path, body).await }
        };
        assert_eq!(make("R", json!(["dashboard:view"])).await.code(), "app_view_required");
        assert_eq!(make("R", json!(["app:view", "fly"])).await.code(), "bad_permission");
        assert_eq!(make("R", json!(["app:view", "org:delete"])).await.code(), "bad_permission");
        assert_eq!(make("CUSTOM", json!(["app:view"])).await.code(), "role_name_taken");
        let made = make("R", json!(["dashboard:view", "app:view", "app:view"])).await;
        assert_eq!(made.body["data"]["permissions"], json!(["app:view", "dashboard:view"]));
        let id = made.body["data"]["id"].as_str().unwrap().to_owned();
        let path = app(&team, &format!("/roles/{id}"));
        let builtin = app(&team, &format!("/roles/{}", BuiltinRole::Viewer.id()));
        assert_eq!(owner.delete(&builtin).await.code(), "builtin_role");
        assert_eq!(owner.put(&builtin, json!({ "name": "V", "permissions": ["app:view"] })).await.code(), "builtin_role");
        assert_eq!(owner.put(&path, json!({ "name": "custom", "permissions": ["app:view"] })).await.code(), "role_name_taken");

        // A change of a role takes effect at once for its members.
        let member = app(&team, &format!("/members/{}", team.id("viewer")));
        owner.put(&member, json!({ "role_id": id })).await;
        let viewer = team.actor("viewer");
        assert_eq!(viewer.get(&app(&team, "/members")).await.status, 403);
        assert_eq!(owner.put(&path, json!({ "name": "R", "permissions": ["app:view", "member:view"] })).await.status, 200);
        assert_eq!(viewer.get(&app(&team, "/members")).await.status, 200);

        assert_eq!(owner.delete(&path).await.code(), "role_in_use");
        assert_eq!(owner.delete(&format!("{path}?replacement={id}")).await.code(), "role_in_use");
        let replaced = owner.delete(&format!("{path}?replacement={}", BuiltinRole::Analyst.id())).await;
        assert_eq!(replaced.status, 200, "{replaced:?}");
        let role = viewer.get(&app(&team, "/role")).await;
        assert_eq!(role.body["data"]["role"]["key"], "analyst");
        for n in 0..29 {
            assert_eq!(make(&format!("Role {n}"), json!(["app:view"])).await.status, 200);
        }
        assert_eq!(make("One more", json!(["app:view"])).await.code(), "too_many_roles");
    }
}

on_both! {
    async fn a_role_is_not_deleted_under_someone_who_gets_it(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        for _ in 0..15 {
            server.restore(&team).await;
            let add = json!({ "user_ids": [team.id("member")], "role_id": team.role_id });
            let (members, role) = (app(&team, "/members"), app(&team, &format!("/roles/{}", team.role_id)));
            let (added, deleted) = tokio::join!(owner.post(&members, add), owner.delete(&role));
            let orphans = server.count(
                "SELECT COUNT(*) FROM app_members WHERE role_id NOT LIKE '00000000-%'
                 AND role_id NOT IN (SELECT id FROM app_roles)").await;
            assert_eq!(orphans, 0, "{added:?} {deleted:?}");
            assert!(matches!((added.status, deleted.status), (200, 409) | (422, 200)), "{added:?} {deleted:?}");
        }
    }
}

on_both! {
    async fn the_log_is_read_filtered_and_exported(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        create(owner, &team, "=cmd|'x'").await;
        act(team.actor("app_admin"), &team, "/archive").await;
        let logs = format!("/api/v1/orgs/{}/audit-logs", team.org_id);
        let all = owner.get(&logs).await;
        assert_eq!(all.body["data"]["total"], 2);
        let newest = &all.body["data"]["items"][0];
        assert_eq!((&newest["action"], &newest["action_name"]), (&json!("app.archive"), &json!("归档应用")));
        assert_eq!(newest["actor"]["email"], team.people["app_admin"].email.as_str());
        assert_eq!(newest["details"]["after"], "archived");
        let name = owner.get(&app(&team, "")).await.body["data"]["name"].clone();
        assert!(name.is_string());
        assert_eq!((&newest["app_id"], &newest["app_name"]), (&json!(team.app_id), &name));
        for (filter, expected) in [
            ("?action=app.", 2),
            ("?action=app.arch", 1),
            ("?actor=app_admin%40", 1),
            ("?actor=100%25", 0),
            ("?from=2020-01-01&to=2020-12-31", 0),
            ("?from=2020-01-01", 2),
            ("?page_size=1&page=2", 2),
        ] {
            let answer = owner.get(&format!("{logs}{filter}")).await;
            assert_eq!(answer.body["data"]["total"], expected, "{filter}: {answer:?}");
        }
        assert_eq!(owner.get(&format!("{logs}?from=yesterday")).await.field(), "from");
        let by_id = owner.get(&format!("{logs}?actor={}&target={}", team.id("app_admin"), team.app_id)).await;
        assert_eq!(by_id.body["data"]["total"], 1);
        assert_eq!(team.actor("app_admin").get(&app(&team, "/audit-logs")).await.body["data"]["total"], 1);

        let csv = owner.get(&format!("{logs}/export?format=csv")).await;
        let text = csv.body.as_str().unwrap();
        assert!(csv.header("content-type").starts_with("text/csv"), "{csv:?}");
        assert!(text.starts_with("\u{feff}at,actor_kind"), "{text}");
        // The export itself is in the log, and no cell is a formula.
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(text.contains("'=cmd|'x'"), "{text}");
        let archived = text.lines().find(|line| line.contains("app.archive")).unwrap();
        assert!(archived.contains(&format!("{},{}", team.app_id, name.as_str().unwrap())), "{archived}");
        let lines = owner.get(&format!("{logs}/export?format=ndjson&action=app.")).await;
        assert_eq!(lines.body.as_str().unwrap().lines().count(), 2);
        assert_eq!(owner.get(&format!("{logs}/export?format=xml")).await.status, 422);
    }
}

on_both! {
    async fn a_long_log_is_exported_whole(server: TestServer) {
        let team = server.team("one").await;
        let mut tx = server.atrium.db.write().await.unwrap();
        for n in 0..1_201 {
            let event = atrium::audit::Event::new("app.update", "app", &team.app_id).in_org(&team.org_id);
            let event = event.with(json!({ "n": n }));
            atrium::audit::append(&mut tx, &atrium::audit::Actor::system(), event).await.unwrap();
        }
        tx.commit().await.unwrap();
        let path = format!("/api/v1/orgs/{}/audit-logs/export?format=ndjson&action=app.update", team.org_id);
        let answer = team.actor("owner").get(&path).await;
        let text = answer.body.as_str().unwrap();
        let numbers: std::collections::BTreeSet<i64> = text.lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["details"]["n"].as_i64().unwrap()).collect();
        assert_eq!((text.lines().count(), numbers.len()), (1_201, 1_201));
    }
}
