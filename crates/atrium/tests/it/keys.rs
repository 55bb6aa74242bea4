//! Keys: API keys and their resets, access keys and their secrets, reminders, use.

use std::net::IpAddr;

use crate::support::world::Team;
use crate::support::{Actor, Answer, Store, TestServer, on_both};
use atrium::apps::purge;
use atrium::keys::{self, Use, reminders};
use atrium::permissions::BuiltinRole;
use atrium::types::{Id, Millis};
use futures::future::join_all;
use serde_json::{Value, json};

/// A team whose app has its two API keys and nothing else.
async fn team(server: &TestServer) -> Team {
    let team = server.team("one").await;
    server.run("DELETE FROM access_keys WHERE app_id = $1", &[team.app_id.as_str()]).await;
    server.run("DELETE FROM api_keys WHERE app_id = $1", &[team.app_id.as_str()]).await;
    keys::fill_missing(&server.atrium).await.unwrap();
    team
}

fn app(team: &Team, rest: &str) -> String {
    format!("/api/v1/apps/{}{rest}", team.app_id)
}

async fn create(actor: &Actor, team: &Team, name: &str) -> Answer {
    actor.post(&app(team, "/access-keys"), json!({ "name": name })).await
}

async fn reset(actor: &Actor, team: &Team, kinds: &[&str], grace_hours: i64) -> Answer {
    let body = json!({ "kinds": kinds, "grace_hours": grace_hours });
    actor.put(&app(team, "/api-keys"), body).await
}

async fn list(actor: &Actor, team: &Team) -> Value {
    let answer = actor.get(&app(team, "/api-keys")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["data"]["items"].clone()
}

/// Whether a value would let someone in now.
async fn works(server: &TestServer, value: &str) -> bool {
    let mut db = server.atrium.db.read().await.unwrap();
    let found = match value.starts_with("ck_") {
        true => keys::by_collect_key(&mut db, value).await.unwrap(),
        false => keys::by_query_key(&mut db, value).await.unwrap(),
    };
    found.is_some_and(|key| key.valid_until.is_none_or(|until| server.atrium.now() < until))
}

/// What the log says was done, by name: entries of one moment have no order.
async fn actions(team: &Team, filter: &str) -> Vec<String> {
    let path = format!("/api/v1/orgs/{}/audit-logs?page_size=100&{filter}", team.org_id);
    let log = team.actor("owner").get(&path).await;
    let items = log.body["data"]["items"].as_array().unwrap().clone();
    let mut actions: Vec<String> =
        items.iter().map(|it| it["action"].as_str().unwrap().to_owned()).collect();
    actions.sort();
    actions
}

/// Every text of every row of every table, as a thief of the database would read it.
async fn whole_database(server: &TestServer) -> String {
    let mut db = server.atrium.db.read().await.unwrap();
    let mut all = String::new();
    for statement in [
        "SELECT details || COALESCE(target_id, '') FROM audit_entries",
        "SELECT COALESCE(value, '') || value_hash || hint FROM api_keys",
        "SELECT id || name || secret_sealed FROM access_keys",
        "SELECT notice FROM notifications",
    ] {
        let rows: Vec<String> = sqlx::query_scalar(statement).fetch_all(&mut *db).await.unwrap();
        all.push_str(&rows.join("\n"));
    }
    all
}

on_both! {
    async fn every_app_is_made_with_its_keys(server: TestServer) {
        let owner = server.owner("jane@example.com").await;
        // By the command line, which registration shares its code with.
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
        // A name that is taken leaves no keys behind.
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
        // One that has half of them, and one that is on its way out.
        keys::fill_missing(&server.atrium).await.unwrap();
        server.run("DELETE FROM api_keys WHERE kind = 'query' OR app_id <> (SELECT MIN(id) FROM apps)", &[]).await;
        let kept = server.text("SELECT value FROM api_keys WHERE kind = $1", "collect").await.unwrap();
        server.run("UPDATE apps SET purge_started_at = 1 WHERE id = (SELECT MAX(id) FROM apps)", &[]).await;
        let starting = join_all((0..4).map(|_| server.second_instance())).await;
        assert_eq!(starting.len(), 4);
        assert_eq!(server.count("SELECT COUNT(*) FROM api_keys").await, 8);
        assert_eq!(server.count("SELECT COUNT(*) FROM (SELECT app_id, kind FROM api_keys GROUP BY app_id, kind) AS pairs").await, 8);
        assert!(works(&server, &kept).await);
        // And a start that finds nothing to do changes nothing.
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
        // The secret one is masked from now on, in its own shape.
        let masked = items[1]["key"].as_str().unwrap();
        assert_eq!(masked, format!("{}…{}", &query[..7], &query[42..]));
        assert!(!whole_database(&server).await.contains(&query));
        for value in [&first, &second, &query] {
            assert!(works(&server, value).await);
        }
        // A kind is not the other, and near is not enough.
        let mut db = server.atrium.db.read().await.unwrap();
        assert!(keys::by_query_key(&mut db, &first).await.unwrap().is_none());
        assert!(keys::by_collect_key(&mut db, &query).await.unwrap().is_none());
        assert!(keys::by_collect_key(&mut db, &first.to_lowercase()).await.unwrap().is_none());
        assert!(keys::by_collect_key(&mut db, "").await.unwrap().is_none());
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

        // No grace: only the new one.
        let fourth = reset(owner, &team, &["collect"], 0).await;
        assert_eq!(fourth.body["data"]["items"][0]["previous"], Value::Null);
        let fourth = fourth.body["data"]["items"][0]["key"].as_str().unwrap().to_owned();
        assert!(!works(&server, &second).await && !works(&server, &third).await);
        assert!(works(&server, &fourth).await);
        assert_eq!(list(owner, &team).await[0]["previous"], Value::Null);
        // The other key was not touched, and the default is a day.
        assert_eq!(list(owner, &team).await[1]["previous"], Value::Null);
        let answer = owner.put(&app(&team, "/api-keys"), json!({ "kinds": ["collect"] })).await;
        assert!(answer.body["data"]["items"][0]["previous"]["valid_until"].is_string());
        server.clock.advance(23 * Millis::HOUR);
        assert!(works(&server, &fourth).await);
        server.clock.advance(Millis::HOUR);
        assert!(!works(&server, &fourth).await);

        // What ended is swept a month on.
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

on_both! {
    async fn a_secret_is_told_once_and_kept_nowhere_in_clear(server: TestServer) {
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
        // Named in another zone, told in UTC.
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
        // The same again changes nothing and says nothing.
        assert_eq!(admin.put(&path, json!({ "enabled": false })).await.status, 200);
        assert_eq!(admin.put(&path, json!({ "enabled": true })).await.body["data"]["state"], "active");
        assert_eq!(admin.delete(&path).await.status, 200);
        assert_eq!(admin.delete(&path).await.status, 404);
        assert_eq!(admin.get(&format!("{path}/use")).await.status, 404);
        // Not found is said before what is wrong with the body.
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
        // Two API keys, one value before, one access key.
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

        // Purged, nothing of them is left.
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
        // What hands out nothing does not ask.
        let path = app(&team, &format!("/access-keys/{id}"));
        assert_eq!(developer.put(&path, json!({ "enabled": false })).await.status, 200);
        let proof = developer.post("/api/v1/current/reauth", json!({ "password": crate::support::PASSWORD })).await;
        assert_eq!(proof.status, 200, "{proof:?}");
        assert_eq!(create(developer, &team, "New").await.status, 200);
        // Those who may not at all are not sent to prove anything.
        server.clock.advance(16 * Millis::MINUTE);
        assert_eq!(create(team.actor("viewer"), &team, "New").await.code(), "forbidden");
    }
}

on_both! {
    async fn managing_without_receiving_hands_out_nothing(server: TestServer) {
        let team = team(&server).await;
        let owner = team.actor("owner");
        let id = create(owner, &team, "Backend").await.body["data"]["id"].as_str().unwrap().to_owned();
        server.run("UPDATE app_roles SET permissions = '[\"app:view\",\"key:view\",\"key:manage\"]' WHERE id = $1", &[team.role_id.as_str()]).await;
        server.run("UPDATE app_members SET role_id = $1 WHERE user_id = $2", &[team.role_id.as_str(), team.id("viewer").as_str()]).await;
        let keeper = team.actor("viewer");
        assert_eq!(create(keeper, &team, "New").await.code(), "forbidden");
        assert_eq!(reset(keeper, &team, &["collect"], 0).await.code(), "forbidden");
        assert_eq!(keeper.put(&app(&team, &format!("/access-keys/{id}")), json!({ "enabled": false })).await.status, 200);
        assert!(list(keeper, &team).await[1]["key"].as_str().unwrap().contains('…'));
    }
}

on_both! {
    async fn the_collect_key_is_told_to_those_who_view_keys(server: TestServer) {
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

/// Titles of what someone was told of keys, newest first.
async fn told(team: &Team, name: &str) -> Vec<String> {
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
        server.run("UPDATE app_roles SET permissions = '[\"app:view\",\"key:manage\"]' WHERE id = $1", &[team.role_id.as_str()]).await;
        server.run("UPDATE app_members SET role_id = $1 WHERE user_id = $2", &[team.role_id.as_str(), team.id("analyst").as_str()]).await;
        let end = server.atrium.now().plus(10 * Millis::DAY);
        let made = owner.post(&app(&team, "/access-keys"), json!({ "name": "Backend", "expires_at": end.to_string() })).await;
        let id = made.body["data"]["id"].as_str().unwrap().to_owned();
        create(owner, &team, "Endless").await;
        let run = async || {
            let runs = join_all([&server.atrium, &second.atrium, &server.atrium, &second.atrium].map(reminders::run_due)).await;
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
        // Whoever manages keys: two who run the team, two built-in roles, one custom one.
        assert_eq!(server.count("SELECT COUNT(*) FROM notifications WHERE notice LIKE '%key_expiring%'").await, 5);
        for name in ["owner", "admin", "app_admin", "developer", "analyst"] {
            assert_eq!(told(&team, name).await, ["访问密钥即将到期"], "{name}");
        }
        assert!(told(&team, "viewer").await.is_empty());
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
        assert_eq!(told(&team, "owner").await, ["访问密钥已到期", "访问密钥即将到期", "访问密钥即将到期"]);
        assert_eq!(told(&team, "viewer").await.len(), 0);

        // Another end, and it begins anew; what had passed when it was set is not said.
        let owner = &server.signed_in(&team.people["owner"].email).await;
        let path = app(&team, &format!("/access-keys/{id}"));
        let end = server.atrium.now().plus(3 * Millis::DAY);
        assert_eq!(owner.put(&path, json!({ "expires_at": end.to_string() })).await.status, 200);
        assert_eq!(run().await, 0);
        pass(2);
        assert_eq!((run().await, run().await), (1, 0));
        // A key that is off, or whose app is, reminds of nothing.
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
        let api = keys::by_collect_key(&mut db, &collect).await.unwrap().unwrap();
        assert_eq!((&api.app_id, api.valid_until), (&team.app_id, None));
        drop(db);
        let now = server.atrium.now();
        let used = |key: &str, last: u8, at: i64| Use { key_id: key.to_owned(), ip: IpAddr::from([10, 0, 0, last]), at: now.plus(at) };
        let epoch = server.atrium.db.epoch().await.unwrap();
        let uses = [used(&id, 1, -20), used(&id, 2, -5), used(&id, 1, -30), used(api.key_id.as_str(), 9, 0), used("AKNOBODYS", 1, 0)];
        keys::record_uses(&server.atrium, &uses).await.unwrap();
        // Old news does not replace new.
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
        // After a reset, the value before takes its history along.
        reset(owner, &team, &["collect"], 24).await;
        let item = list(owner, &team).await[0].clone();
        assert_eq!((&item["last_used_at"], &item["addresses"]), (&Value::Null, &json!(0)));
        assert_eq!((&item["previous"]["last_used_ip"], &item["previous"]["addresses"]), (&json!("10.0.0.9"), &json!(1)));
        // Sorted by use, and a month on nobody knows from where.
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
        let told = team.actor("owner").get(&app(&team, &format!("/access-keys/{id}/use"))).await;
        assert_eq!(told.body["data"]["addresses"].as_array().unwrap().len(), 20);
        assert_eq!(told.body["data"]["last_used_ip"], "10.0.1.199");
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
