//! Saved analyses and cohorts: who owns them, who may change them, and how much of them is shown.

use crate::support::world::Team;
use crate::support::{Actor, Answer, Store, TestServer, on_both};
use atrium_core::types::Millis;
use futures::future::join_all;
use serde_json::{Value, json};

const KINDS: [(&str, &str); 2] = [("analyses", "analysis"), ("cohorts", "cohort")];

fn path(team: &Team, kind: &str) -> String {
    format!("/api/v1/apps/{}/{kind}", team.app_id)
}

/// A valid body for this kind.
fn body(kind: &str, name: &str, shared: bool) -> Value {
    let mut body = json!({ "name": name, "shared": shared });
    if kind == "analyses" {
        body["question"] =
            json!({ "kind": "funnel", "range": "7d", "steps": [{ "events": ["a"] }] });
    } else {
        let rule = json!({ "is": "did", "event": { "events": ["a"] }, "not": false, "times": 1, "days": 7 });
        body["definition"] = json!({ "of": "rule", "all": [rule] });
    }
    body
}

async fn made(actor: &Actor, path: &str, body: Value) -> Value {
    let answer = actor.post(path, body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["data"].clone()
}

fn id(saved: &Value) -> &str {
    saved["id"].as_str().unwrap()
}

/// A time in an answer, written as everywhere in the API.
fn moment(time: &Value) -> i64 {
    let text = time.as_str().unwrap();
    let at = text.parse::<jiff::Timestamp>().unwrap().as_millisecond();
    assert_eq!(text, Millis(at).to_string());
    at
}

async fn names(actor: &Actor, path: &str) -> String {
    let list = actor.get(path).await;
    assert_eq!(list.status, 200, "{list:?}");
    let items = list.body["data"]["items"].as_array().unwrap().clone();
    items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
}

/// A role that may ask questions, with or without personal data, and may not save anything for the app.
async fn make_asker(server: &TestServer, team: &Team, name: &str, extra: &[&str]) {
    let mut codes = vec!["app:view", "query:run"];
    codes.extend(extra);
    let roles = format!("/api/v1/apps/{}/roles", team.app_id);
    let role =
        made(team.actor("owner"), &roles, json!({ "name": name, "permissions": codes })).await;
    let moved = "UPDATE app_members SET role_id = $1 WHERE user_id = $2";
    server.run(moved, &[id(&role), team.id(name).as_str()]).await;
}

fn field(answer: &Answer) -> (u16, String, String) {
    let error = &answer.body["errors"][0];
    let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
    (answer.status, text("code"), text("field"))
}

on_both! {
    async fn what_is_saved_can_be_read_changed_and_removed(server: TestServer) {
        let team = server.team("one").await;
        let (owner, analyst) = (team.actor("owner"), team.actor("analyst"));
        for (kind, noun) in KINDS {
            let path = path(&team, kind);
            let mut wanted = body(kind, " 周报 ", true);
            wanted["description"] = json!("  ");
            let saved = made(analyst, &path, wanted).await;
            let (key, text) = if kind == "analyses" { ("question", "kind") } else { ("definition", "of") };
            assert_eq!(saved["name"], "周报");
            assert_eq!(saved["description"], Value::Null);
            assert_eq!(saved[key], body(kind, "", true)[key]);
            assert_eq!((&saved["version"], &saved["redacted"]), (&json!(1), &json!(false)));
            assert_eq!((&saved["mine"], &saved["may_change"]), (&json!(true), &json!(true)));
            assert_eq!(saved["created_by"]["id"], team.id("analyst").as_str());
            let now = server.atrium.now().0;
            assert!((now - 60_000..=now).contains(&moment(&saved["created_at"])), "{saved}");
            if kind == "analyses" {
                assert_eq!(saved["kind"], "funnel");
            }
            let one = format!("{path}/{}", id(&saved));
            let seen = owner.get(&one).await.body["data"].clone();
            assert_eq!((&seen["mine"], &seen["may_change"]), (&json!(false), &json!(true)));

            server.clock.advance(1_000);
            let mut change = body(kind, "Monthly", true);
            change["description"] = json!("每月");
            change["version"] = json!(1);
            change[key][text] = if kind == "analyses" { json!("paths") } else { json!("rule") };
            let changed = owner.put(&one, change.clone()).await;
            assert_eq!(changed.status, 200, "{changed:?}");
            let changed = changed.body["data"].clone();
            assert_eq!((&changed["name"], &changed["description"]), (&json!("Monthly"), &json!("每月")));
            assert_eq!((&changed["version"], &changed["mine"]), (&json!(2), &json!(false)));
            assert!(moment(&changed["updated_at"]) >= moment(&saved["updated_at"]) + 1_000);
            assert_eq!(changed["created_at"], saved["created_at"]);
            assert_eq!(changed["created_by"]["id"], team.id("analyst").as_str());
            // Another person's form is out of date.
            let late = analyst.put(&one, change.clone()).await;
            assert_eq!((late.status, late.code()), (409, "changed_meanwhile"));
            change["version"] = Value::Null;
            assert_eq!(analyst.put(&one, change).await.body["data"]["version"], 3);

            assert_eq!(analyst.delete(&one).await.status, 200);
            for answer in [analyst.get(&one).await, analyst.delete(&one).await] {
                assert_eq!(answer.status, 404);
            }
            let log = format!("/api/v1/apps/{}/audit-logs?action={noun}.", team.app_id);
            let log = owner.get(&log).await.body["data"].clone();
            let items = log["items"].as_array().unwrap();
            let actions: Vec<_> = items.iter().map(|item| item["action"].as_str().unwrap()).collect();
            let expected = ["delete", "update", "update", "create"].map(|what| format!("{noun}.{what}"));
            assert_eq!(actions, expected);
            assert!(log.to_string().contains("周报"), "{log}");
        }
    }
}

on_both! {
    async fn lists_are_searched_sorted_and_cut(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        server.run("DELETE FROM saved_analyses", &[]).await;
        server.run("DELETE FROM cohorts", &[]).await;
        for (kind, _) in KINDS {
            let path = path(&team, kind);
            for name in ["赵", "Beta", "陈", "alpha"] {
                server.clock.advance(1_000);
                made(owner, &path, body(kind, name, name != "Beta")).await;
            }
            assert_eq!(names(owner, &path).await, "陈 赵 alpha Beta");
            assert_eq!(names(owner, &format!("{path}?sort=updated_at&order=desc")).await, "alpha 陈 Beta 赵");
            assert_eq!(names(owner, &format!("{path}?search=A&page=2&page_size=1")).await, "Beta");
            assert_eq!(owner.get(&format!("{path}?page_size=1")).await.body["data"]["total"], 4);
            assert_eq!(owner.get(&format!("{path}?sort=kind")).await.status, 422);
        }
    }
}

on_both! {
    async fn what_is_private_is_there_for_one_person_alone(server: TestServer) {
        let team = server.team("one").await;
        let (analyst, program) = (team.actor("analyst"), server.anonymous());
        for (kind, noun) in KINDS {
            let path = path(&team, kind);
            let secret = made(analyst, &path, body(kind, "Secret plan", false)).await;
            made(analyst, &path, body(kind, "Ours", true)).await;
            let one = format!("{path}/{}", id(&secret));
            assert_eq!(names(analyst, &format!("{path}?search=s")).await.matches("Secret").count(), 1);
            assert_eq!(analyst.get(&one).await.body["data"]["shared"], false);
            // Not even people who run the team can see it.
            for name in ["owner", "admin", "app_admin", "developer"] {
                let other = team.actor(name);
                assert!(!names(other, &path).await.contains("Secret"), "{name}");
                assert_eq!(other.get(&one).await.status, 404, "{name}");
                assert_eq!(other.put(&one, body(kind, "Mine", true)).await.status, 404, "{name}");
                assert_eq!(other.delete(&one).await.status, 404, "{name}");
            }
            // A program sees what is shared, and may change nothing.
            let key = format!("qk_{}", team.app_id);
            let ask = async |path: &str| {
                let request = program.request(reqwest::Method::GET, path).bearer_auth(&key);
                program.send(request).await
            };
            let listed = ask(&path).await.body["data"].clone();
            assert_eq!(listed["total"], 2, "{listed}");
            for item in listed["items"].as_array().unwrap() {
                assert_eq!((&item["may_change"], &item["mine"]), (&json!(false), &json!(false)));
            }
            assert_eq!(ask(&one).await.status, 404);
            // The log does not contain its name.
            let log = format!("/api/v1/apps/{}/audit-logs?action={noun}.", team.app_id);
            let log = team.actor("owner").get(&log).await.body["data"].clone();
            assert_eq!(log["total"], 2);
            assert!(!log.to_string().contains("Secret"), "{log}");

            // Only the person who made it can share it and stop sharing it.
            let shared = analyst.put(&one, body(kind, "Plan", true)).await;
            assert_eq!(shared.body["data"]["shared"], true, "{shared:?}");
            let taken = team.actor("owner").put(&one, body(kind, "Plan", false)).await;
            assert_eq!((taken.status, taken.code()), (403, "forbidden"));
            assert_eq!(analyst.put(&one, body(kind, "Plan", false)).await.status, 200);
            assert_eq!(team.actor("owner").get(&one).await.status, 404);
        }
    }
}

on_both! {
    async fn keeping_for_the_app_needs_a_permission_of_its_own(server: TestServer) {
        let team = server.team("one").await;
        make_asker(&server, &team, "analyst", &[]).await;
        let (asker, owner) = (team.actor("analyst"), team.actor("owner"));
        for (kind, _) in KINDS {
            let path = path(&team, kind);
            let refused = asker.post(&path, body(kind, "For all", true)).await;
            assert_eq!((refused.status, refused.code()), (403, "forbidden"));
            let own = made(asker, &path, body(kind, "Mine", false)).await;
            let one = format!("{path}/{}", id(&own));
            assert_eq!(asker.put(&one, body(kind, "For all", true)).await.code(), "forbidden");
            assert_eq!(asker.put(&one, body(kind, "Still mine", false)).await.status, 200);

            let ours = made(owner, &path, body(kind, "Ours", true)).await;
            let shared = format!("{path}/{}", id(&ours));
            let seen = asker.get(&shared).await.body["data"].clone();
            assert_eq!((&seen["name"], &seen["may_change"]), (&json!("Ours"), &json!(false)));
            // The refusal comes before the body is checked.
            assert_eq!(asker.put(&shared, json!({})).await.code(), "forbidden");
            assert_eq!(asker.delete(&shared).await.code(), "forbidden");
            assert_eq!(asker.delete(&one).await.status, 200);
            for name in ["viewer", "member", "nobody"] {
                let status = team.actor(name).get(&path).await.status;
                assert_eq!(status, if name == "viewer" { 403 } else { 404 }, "{name}");
            }
        }
        owner.post(&format!("/api/v1/apps/{}/archive", team.app_id), json!({})).await;
        for (kind, _) in KINDS {
            let path = path(&team, kind);
            assert_eq!(owner.post(&path, body(kind, "Late", true)).await.code(), "app_not_active");
            assert!(names(owner, &path).await.contains("Ours"), "an archived app can be read");
        }
    }
}

on_both! {
    async fn another_apps_are_not_found(server: TestServer) {
        let (team, other) = (server.team("one").await, server.team("two").await);
        for (kind, _) in KINDS {
            let saved = made(other.actor("owner"), &path(&other, kind), body(kind, "Theirs", true)).await;
            let owner = team.actor("owner");
            for id in [id(&saved), "nonsense"] {
                let one = format!("{}/{id}", path(&team, kind));
                assert_eq!(owner.get(&one).await.status, 404);
                assert_eq!(owner.put(&one, body(kind, "Ours", true)).await.status, 404);
                assert_eq!(owner.delete(&one).await.status, 404);
            }
        }
    }
}

on_both! {
    async fn what_does_not_fit_is_refused_by_name(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        for (kind, _) in KINDS {
            let mut long = body(kind, &"x".repeat(101), true);
            long["description"] = json!("x".repeat(501));
            let long = owner.post(&path(&team, kind), long).await;
            assert_eq!((long.status, long.body["errors"].as_array().unwrap().len()), (422, 2), "{long:?}");
        }
        let big = "x".repeat(65_536);
        let analyses = path(&team, "analyses");
        for (question, code, at) in [
            (json!([]), "wrong_type", "question"),
            (json!({}), "required", "question.kind"),
            (json!({ "kind": "cohort" }), "wrong_type", "question.kind"),
            (json!({ "kind": 1 }), "wrong_type", "question.kind"),
            (json!({ "kind": "trend", "note": big }), "too_long", "question"),
        ] {
            let body = json!({ "name": "A", "shared": true, "question": question });
            assert_eq!(field(&owner.post(&analyses, body).await), (422, code.into(), at.into()));
        }
        let rules = |count: usize| vec![json!({ "is": "did" }); count];
        let cohorts = path(&team, "cohorts");
        for (definition, code, at) in [
            (json!({}), "required", "definition.of"),
            (json!({ "of": "all" }), "wrong_type", "definition.of"),
            (json!({ "of": "ids" }), "wrong_type", "definition.ids"),
            (json!({ "of": "ids", "ids": [] }), "bad_length", "definition.ids"),
            (json!({ "of": "ids", "ids": [1] }), "wrong_type", "definition.ids[0]"),
            (json!({ "of": "ids", "ids": ["a", ""] }), "required", "definition.ids[1]"),
            (json!({ "of": "ids", "ids": ["x".repeat(257)] }), "too_long", "definition.ids[0]"),
            (json!({ "of": "ids", "ids": vec!["x"; 10_001] }), "bad_length", "definition.ids"),
            (json!({ "of": "figure", "pick": { "of": "trend" } }), "required", "definition.question.kind"),
            (json!({ "of": "figure", "question": { "kind": "trend" } }), "required", "definition.pick.of"),
            (json!({ "of": "rule" }), "wrong_type", "definition"),
            (json!({ "of": "rule", "all": rules(1), "any": rules(1) }), "wrong_type", "definition"),
            (json!({ "of": "rule", "all": rules(11) }), "bad_length", "definition"),
            (json!({ "of": "rule", "any": [1] }), "wrong_type", "definition"),
            (json!({ "of": "rule", "all": rules(1), "note": big }), "too_long", "definition"),
        ] {
            let shown = definition.to_string().chars().take(80).collect::<String>();
            let body = json!({ "name": "A", "shared": true, "definition": definition });
            assert_eq!(field(&owner.post(&cohorts, body).await), (422, code.into(), at.into()), "{shown}");
        }
        // The maximum number of ids at the maximum length, one of them twice.
        let mut ids: Vec<String> = (0..9_999).map(|n| format!("{n:a>256}")).collect();
        ids.push(ids[0].clone());
        let body = json!({ "name": "Many", "shared": true, "definition": { "of": "ids", "ids": ids } });
        let many = made(owner, &cohorts, body).await;
        assert_eq!(many["definition"]["count"], 9_999);
        let figure = json!({ "of": "figure", "question": { "kind": "trend" }, "pick": { "of": "trend", "series": 0 } });
        let figure = made(owner, &cohorts, json!({ "name": "F", "shared": true, "definition": figure.clone() })).await;
        assert_eq!(figure["definition"]["pick"]["series"], 0);
    }
}

on_both! {
    async fn an_app_has_room_for_so_many_however_many_come_at_once(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        for (kind, most, code) in [("analyses", 500, "too_many_analyses"), ("cohorts", 200, "too_many_cohorts")] {
            let mut tx = server.atrium.db.write().await.unwrap();
            for n in 3..most {
                let column = if kind == "analyses" { "question" } else { "definition" };
                let table = if kind == "analyses" { "saved_analyses" } else { "cohorts" };
                let sql = format!(
                    "INSERT INTO {table} (id, app_id, name, name_key, name_order, kind, {column}, created_at,
                        updated_at, version) VALUES ($1, $2, 'x', 'x', '', 'trend', '{{}}', 1, 1, 1)");
                let query = sqlx::query(sqlx::AssertSqlSafe(sql));
                let query = query.bind(format!("{kind}-{n}")).bind(team.app_id.as_str());
                query.execute(&mut *tx).await.unwrap();
            }
            tx.commit().await.unwrap();
            let path = path(&team, kind);
            let tries = (0..8).map(|_| owner.post(&path, body(kind, "One more", false)));
            let answers = join_all(tries).await;
            let taken = answers.iter().filter(|answer| answer.status == 200).count();
            assert_eq!(taken, 2);
            let refused = answers.iter().find(|answer| answer.status != 200).unwrap();
            assert_eq!((refused.status, refused.code()), (409, code));
        }
    }
}

on_both! {
    async fn of_many_changes_at_once_one_wins(server: TestServer) {
        let team = server.team("one").await;
        let owner = team.actor("owner");
        for (kind, _) in KINDS {
            let path = path(&team, kind);
            let saved = made(owner, &path, body(kind, "Saved", true)).await;
            let one = format!("{path}/{}", id(&saved));
            let tries = (0..20).map(|n| {
                let mut change = body(kind, &format!("Change {n}"), true);
                change["version"] = json!(1);
                owner.put(&one, change)
            });
            let answers = join_all(tries).await;
            assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
            assert!(answers.iter().all(|it| it.status == 200 || it.code() == "changed_meanwhile"));
            assert_eq!(owner.get(&one).await.body["data"]["version"], 2);
        }
    }
}

on_both! {
    async fn ids_of_people_are_for_those_who_may_see_them(server: TestServer) {
        let team = server.team("one").await;
        let (owner, analyst, cohorts) = (team.actor("owner"), team.actor("analyst"), path(&team, "cohorts"));
        let listed = |ids: Value| json!({ "name": "VIPs", "shared": true, "definition": { "of": "ids", "ids": ids } });
        let refused = analyst.post(&cohorts, listed(json!(["u-1"]))).await;
        assert_eq!(field(&refused), (403, "personal_data".into(), "definition.ids".into()));
        let vips = made(owner, &cohorts, listed(json!(["u-1", "u-2"]))).await;
        assert_eq!(vips["definition"], json!({ "of": "ids", "ids": ["u-1", "u-2"], "count": 2 }));
        let one = format!("{cohorts}/{}", id(&vips));
        let seen = analyst.get(&one).await.body["data"].clone();
        assert_eq!(seen["definition"], json!({ "of": "ids", "ids": [], "count": 2 }));
        assert_eq!((&seen["redacted"], &seen["may_change"]), (&json!(true), &json!(true)));
        // The list of cohorts contains no ids, for anyone: it would be too long.
        for actor in [owner, analyst] {
            let list = actor.get(&format!("{cohorts}?search=vip")).await.body["data"].clone();
            assert_eq!(list["items"][0]["definition"], seen["definition"]);
            assert_eq!(list["items"][0]["redacted"], std::ptr::eq(actor, analyst));
        }
        // A caller who does not see the ids can rename the cohort, and the ids stay; changing them is
        // refused.
        let mut rename = listed(json!([]));
        rename["name"] = json!("Best");
        assert_eq!(analyst.put(&one, rename).await.body["data"]["definition"]["count"], 2);
        assert_eq!(analyst.put(&one, listed(json!(["u-9"]))).await.code(), "personal_data");
        let kept = owner.get(&one).await.body["data"].clone();
        assert_eq!((&kept["name"], &kept["definition"]["ids"]), (&json!("Best"), &json!(["u-1", "u-2"])));
        let fewer = owner.put(&one, listed(json!(["u-2"]))).await;
        assert_eq!(fewer.body["data"]["definition"], json!({ "of": "ids", "ids": ["u-2"], "count": 1 }));
        // A cohort that becomes a rule no longer counts toward the limit of listed ids.
        let ruled = owner.put(&one, body("cohorts", "Ruled", true)).await;
        assert_eq!(ruled.body["data"]["definition"]["of"], "rule");
        assert_eq!(server.count("SELECT COUNT(*) FROM cohorts WHERE listed > 0").await, 0);
        // The log contains no ids.
        let log = owner.get(&format!("/api/v1/apps/{}/audit-logs?action=cohort.", team.app_id)).await;
        assert!(!log.body.to_string().contains("u-2"), "{log:?}");
    }
}

on_both! {
    async fn what_questions_say_of_people_is_hidden_and_not_lost(server: TestServer) {
        let team = server.team("one").await;
        let (owner, analyst) = (team.actor("owner"), team.actor("analyst"));
        let test = |property: &str, value: &str| {
            json!({ "property": property, "operator": "is", "values": [value] })
        };
        let tests = json!([
            test("$user_id", "user-jane-77"), test("$user:plan", "gold-77"),
            { "any": [test("email", "jane.roe@example.com"), test("plan", "pro")] },
        ]);
        let question = json!({ "kind": "trend", "series": [{ "events": ["a"], "filters": { "all": tests } }] });
        let program = server.anonymous();
        for (kind, content) in [
            ("analyses", json!({ "question": question })),
            ("cohorts", json!({ "definition": { "of": "figure", "question": question, "pick": { "of": "trend" } } })),
        ] {
            let path = path(&team, kind);
            let mut wanted = content.clone();
            wanted["name"] = json!("About Jane");
            wanted["shared"] = json!(true);
            let saved = made(owner, &path, wanted.clone()).await;
            assert_eq!(saved["redacted"], false);
            let one = format!("{path}/{}", id(&saved));
            let key = format!("qk_{}", team.app_id);
            let asked = |path: &str| program.send(program.request(reqwest::Method::GET, path).bearer_auth(&key));
            for answer in [analyst.get(&one).await, analyst.get(&path).await, asked(&one).await, asked(&path).await] {
                let said = answer.body.to_string();
                for planted in ["user-jane-77", "gold-77", "jane.roe@example.com"] {
                    assert!(!said.contains(planted), "{planted} in {said}");
                }
                assert!(said.contains("\"pro\"") && said.contains("\"redacted\":true"), "{said}");
            }
            // A caller who does not see everything changes it: the hidden parts stay.
            let seen = analyst.get(&one).await.body["data"].clone();
            let mut change = json!({ "name": "About J.", "shared": true, "version": 1 });
            let (key, series) = if kind == "analyses" {
                ("question", "/question/series")
            } else {
                ("definition", "/definition/question/series")
            };
            change[key] = seen[key].clone();
            change.pointer_mut(series).unwrap()[0]["events"] = json!(["b"]);
            let changed = analyst.put(&one, change).await;
            assert_eq!((changed.status, &changed.body["data"]["redacted"]), (200, &json!(true)), "{changed:?}");
            let kept = owner.get(&one).await.body["data"].clone();
            assert_eq!(kept.pointer(series).unwrap()[0]["events"], json!(["b"]));
            assert_eq!(kept.pointer(series).unwrap()[0]["filters"]["all"], tests);
            assert_eq!(kept["redacted"], false);

            // A hidden name that cannot be restored is not overwritten either.
            wanted.pointer_mut(series).unwrap()[0]["events"] = json!(["to jane.roe@example.com"]);
            assert_eq!(owner.put(&one, wanted).await.status, 200);
            let mut change = analyst.get(&one).await.body["data"].clone();
            assert_eq!(change.pointer(series).unwrap()[0]["events"], json!(["***"]));
            change.as_object_mut().unwrap().retain(|name, _| ["name", "shared", key].contains(&name.as_str()));
            assert_eq!(analyst.put(&one, change).await.code(), "personal_data");
        }
    }
}

on_both! {
    async fn deleting_an_account_keeps_what_it_shared(server: TestServer) {
        let team = server.team("one").await;
        let (analyst, owner) = (team.actor("analyst"), team.actor("owner"));
        for (kind, _) in KINDS {
            made(analyst, &path(&team, kind), body(kind, "Private", false)).await;
            made(analyst, &path(&team, kind), body(kind, "Shared", true)).await;
        }
        let export = analyst.get("/api/v1/current/export").await.body;
        for (kind, list) in [("saved_analyses", "analyses"), ("cohorts", "cohorts")] {
            assert_eq!(export[kind].as_array().map(Vec::len), Some(2), "{list}: {export}");
        }
        let email = team.people["analyst"].email.clone();
        let deleted = analyst.delete_with("/api/v1/current", json!({ "email": email })).await;
        assert_eq!(deleted.status, 200, "{deleted:?}");
        for (kind, _) in KINDS {
            let list = owner.get(&format!("{}?search=shared", path(&team, kind))).await.body["data"].clone();
            assert_eq!(list["items"][0]["created_by"], Value::Null, "{list}");
            assert_eq!(list["items"][0]["mine"], false);
        }
        for left in [
            "SELECT COUNT(*) FROM saved_analyses WHERE name = 'Private'",
            "SELECT COUNT(*) FROM cohorts WHERE name = 'Private'",
        ] {
            assert_eq!(server.count(left).await, 0, "{left}");
        }
        // Purging the app deletes all of it.
        server.run("DELETE FROM apps WHERE id = $1", &[team.app_id.as_str()]).await;
        for left in ["SELECT COUNT(*) FROM saved_analyses", "SELECT COUNT(*) FROM cohorts"] {
            assert_eq!(server.count(left).await, 0, "{left}");
        }
    }
}
