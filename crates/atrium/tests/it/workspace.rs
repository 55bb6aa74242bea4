//! The workspace of an app: what its events contain, what people wrote about them, and what was refused.

use crate::ingest::drain;
use crate::support::sender::{event, event_at, mutation};
use crate::support::{Store, TestServer, in_either_size, on_both};
use serde_json::{Value, json};

const DAY: i64 = 24 * 60 * 60 * 1_000;

in_either_size! {
    async fn events_are_listed_described_and_hidden(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let key = server.collect_key(app).await;
        let now = server.atrium.now().0;
        let mut batch = vec![event_at(now - 40 * DAY, "old"), event_at(now, "often")];
        for n in 0..3 {
            batch.push(event_at(now - n * 1_000 - 5, "often"));
        }
        batch.push(event_at(now - 60_000, "Rare"));
        assert_eq!(server.collect(&key, json!(batch)).await.body["data"]["accepted"], 6);
        drain(&server).await;
        let path = format!("/api/v1/apps/{app}/events");
        let names = async |query: &str| {
            let list = owner.get(&format!("{path}?{query}")).await;
            assert_eq!(list.status, 200, "{list:?}");
            let items = list.body["data"]["items"].as_array().unwrap().clone();
            let names = items.iter().map(|item| item["event"].as_str().unwrap().to_owned());
            names.collect::<Vec<_>>().join(" ")
        };
        let list = owner.get(&path).await.body["data"].clone();
        assert_eq!((&list["total"], &list["page"], &list["can_manage"]), (&json!(3), &json!(1), &json!(true)));
        let first = &list["items"][0];
        assert_eq!((&first["event"], &first["events_30d"], &first["users_30d"]), (&json!("often"), &json!(4), &json!(1)));
        // To the millisecond, although the counts have quarters of an hour.
        let iso = |ms: i64| json!(atrium::types::Millis(ms));
        assert_eq!((&first["first_seen"], &first["last_seen"]), (&iso(now - 2_005), &iso(now)));
        let old = list["items"].as_array().unwrap().iter().find(|item| item["event"] == "old").unwrap();
        assert_eq!((&old["events_30d"], &old["last_seen"]), (&json!(0), &iso(now - 40 * DAY)));
        assert_eq!(names("sort=name").await, "often old Rare");
        assert_eq!(names("sort=name&order=desc").await, "Rare old often");
        assert_eq!(names("sort=last_seen").await, "often Rare old");
        assert_eq!(names("sort=first_seen&order=asc").await, "old Rare often");
        assert_eq!(names("sort=name&page=2&page_size=2").await, "Rare");
        assert_eq!(names("search=RA").await, "Rare");
        assert_eq!(owner.get(&format!("{path}?sort=nonsense")).await.status, 422);

        let put = format!("/api/v1/apps/{app}/event-metadata");
        let analyst = team.actor("analyst");
        assert_eq!(analyst.put(&put, json!({ "event": "old", "hidden": true })).await.status, 403);
        let said = json!({ "event": "old", "description": " 旧的首页 ", "hidden": true });
        let said = owner.put(&put, said).await;
        assert_eq!(said.body["data"], json!({ "event": "old", "description": "旧的首页", "hidden": true }));
        // Planned, but not seen yet.
        owner.put(&put, json!({ "event": "planned", "description": "soon" })).await;
        assert_eq!(names("sort=name").await, "often planned Rare");
        assert_eq!(names("status=hidden").await, "old");
        assert_eq!(names(&format!("status=all&search={}", "首页")).await, "old");
        let seen = analyst.get(&format!("{path}?status=all&search=old")).await.body["data"].clone();
        assert_eq!((&seen["items"][0]["description"], &seen["can_manage"]), (&json!("旧的首页"), &json!(false)));
        // An omitted field stays; null removes it.
        owner.put(&put, json!({ "event": "old", "hidden": false })).await;
        let cleared = owner.put(&put, json!({ "event": "old", "description": null })).await;
        assert_eq!(cleared.body["data"]["description"], Value::Null);
        assert_eq!(server.count("SELECT COUNT(*) FROM event_metadata").await, 1);
        let long = json!({ "event": "", "description": "x".repeat(501) });
        let long = owner.put(&put, long).await;
        assert_eq!((long.status, long.body["errors"].as_array().unwrap().len()), (422, 2), "{long:?}");
        let audit = owner.get(&format!("/api/v1/apps/{app}/audit-logs?action=event.")).await;
        assert_eq!(audit.body["data"]["total"], 4, "{audit:?}");
        owner.post(&format!("/api/v1/apps/{app}/archive"), json!({})).await;
        assert_eq!(owner.put(&put, json!({ "event": "old", "hidden": true })).await.code(), "app_not_active");
        assert_eq!(names("sort=name").await, "often old planned Rare", "an archived app can be read");
    }
}

in_either_size! {
    async fn properties_are_found_with_their_types(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let key = server.collect_key(app).await;
        let with = |properties: Value| {
            let mut message = event(&server, "order");
            message["data"]["properties"] = properties;
            message
        };
        let batch = json!([
            with(json!({ "plan": "pro", "seats": 3, "email": "a@b.co", "note": "call 13800138000" })),
            with(json!({ "plan": "pro", "seats": "many", "tags": ["x", "y"] })),
            with(json!({ "plan": "free", "seats": 2.5, "deep": { "a": 1 }, "none": null, "who": "user-1" })),
            with(json!({})),
            event(&server, "another"),
        ]);
        assert_eq!(server.collect(&key, batch).await.body["data"]["accepted"], 5);
        drain(&server).await;
        let path = format!("/api/v1/apps/{app}/event-properties?event=order");
        let found = owner.get(&path).await.body["data"].clone();
        assert_eq!(found["sampled"], 4, "{found}");
        let of = |found: &Value, name: &str| {
            let items = found["items"].as_array().unwrap();
            items.iter().find(|item| item["property"] == name).cloned().unwrap()
        };
        let plan = of(&found, "plan");
        assert_eq!(plan["types"], json!([{ "type": "string", "share": 1.0 }]));
        assert_eq!((&plan["share"], &plan["examples"]), (&json!(0.75), &json!(["pro", "free"])));
        assert_eq!(plan["personal"], false);
        let seats = of(&found, "seats");
        assert_eq!(seats["types"][0]["type"], "number");
        assert_eq!(seats["types"][1]["type"], "string");
        assert_eq!(of(&found, "tags")["types"][0]["type"], "list");
        assert_eq!(of(&found, "deep")["examples"], json!(["{\"a\":1}"]));
        assert_eq!(of(&found, "none")["types"][0]["type"], "null");
        // A caller who may see the examples does; others only learn that there are some.
        for (name, example) in [("email", "a@b.co"), ("note", "call 13800138000"), ("who", "user-1")] {
            assert_eq!(of(&found, name)["examples"], json!([example]));
        }
        let seen = team.actor("analyst").get(&path).await.body["data"].clone();
        for name in ["email", "note", "who"] {
            assert_eq!(of(&seen, name)["examples"], json!([]), "{name}");
        }
        assert_eq!((&of(&seen, "email")["personal"], &of(&seen, "note")["personal"]), (&json!(true), &json!(true)));
        let put = format!("/api/v1/apps/{app}/property-metadata");
        let said = json!({ "event": "order", "property": "plan", "description": "套餐" });
        assert_eq!(team.actor("developer").put(&put, said).await.status, 200);
        assert_eq!(of(&owner.get(&path).await.body["data"], "plan")["description"], "套餐");
        let cleared = json!({ "event": "order", "property": "plan", "description": null });
        assert_eq!(owner.put(&put, cleared).await.status, 200);
        assert_eq!(server.count("SELECT COUNT(*) FROM property_metadata").await, 0);
        // The type is what the data suggests until a person sets it; an omitted field stays.
        let type_of = |found: &Value| {
            let plan = of(found, "plan");
            (plan["value_type"].clone(), plan["corrected"].clone(), plan["description"].clone())
        };
        assert_eq!(type_of(&found), (json!("text"), json!(false), Value::Null));
        assert_eq!(of(&found, "seats")["value_type"], "number");
        assert_eq!(of(&found, "tags")["value_type"], "list");
        let say = |value: Value| json!({ "event": "order", "property": "plan", "value_type": value });
        let described = json!({ "event": "order", "property": "plan", "description": "套餐" });
        owner.put(&put, described).await;
        assert_eq!(team.actor("analyst").put(&put, say(json!("list"))).await.status, 403);
        assert_eq!(owner.put(&put, say(json!("object"))).await.status, 422);
        let answer = owner.put(&put, say(json!("list"))).await;
        assert_eq!(answer.body["data"]["value_type"], "list");
        let found = owner.get(&path).await.body["data"].clone();
        assert_eq!(type_of(&found), (json!("list"), json!(true), json!("套餐")));
        assert_eq!(owner.put(&put, say(Value::Null)).await.status, 200);
        let found = owner.get(&path).await.body["data"].clone();
        assert_eq!(type_of(&found), (json!("text"), json!(false), json!("套餐")));
        let none = owner.get(&format!("/api/v1/apps/{app}/event-properties?event=nothing")).await;
        assert_eq!(none.body["data"], json!({ "sampled": 0, "items": [], "more": 0 }));
        assert_eq!(owner.get(&format!("/api/v1/apps/{app}/event-properties?event=")).await.status, 422);
    }
}

in_either_size! {
    async fn refused_messages_leave_their_outlines(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let key = server.collect_key(app).await;
        let mut late = event(&server, "a");
        late["data"]["timestamp"] = json!(1);
        late["data"]["properties"] = json!({ "email": "jane@example.com", "n": 1, "ok": true });
        let change = mutation(&server, "UserMutation", "set", "jane", json!({}));
        server.collect(&key, json!([late, late, late, late, change, 7])).await;
        drain(&server).await;
        atrium::collect::samples::write(&server.atrium).await.unwrap();
        assert_eq!(server.count("SELECT COUNT(*) FROM ingest_samples").await, 5);
        // The newest samples are kept.
        server.clock.advance(60_000);
        server.collect(&key, json!([late])).await;
        atrium::collect::samples::write(&server.atrium).await.unwrap();
        assert_eq!(server.count("SELECT COUNT(*) FROM ingest_samples").await, 5);
        let ingest = owner.get(&format!("/api/v1/apps/{app}/ingest")).await;
        let reasons = ingest.body["data"]["reasons"].as_array().unwrap().clone();
        let of = |reason: &str| reasons.iter().find(|it| it["reason"] == reason).unwrap()["samples"].clone();
        let samples = of("timestamp_out_of_range");
        assert_eq!(samples.as_array().unwrap().len(), 3, "{ingest:?}");
        assert!(samples[0]["at"].as_str() > samples[1]["at"].as_str());
        let sample: Value = serde_json::from_str(samples[0]["sample"].as_str().unwrap()).unwrap();
        assert_eq!(sample["data"]["timestamp"], "<number>");
        assert_eq!(sample["data"]["properties"], json!({ "email": "<string 16>", "n": "<number>", "ok": "<boolean>" }));
        assert_eq!(of("bad_message")[0]["sample"], "\"<number>\"");
        assert_eq!(of("unsigned_mutation").as_array().unwrap().len(), 1);
        assert!(!ingest.body.to_string().contains("jane"), "{ingest:?}");
        server.clock.advance(31 * DAY);
        assert_eq!(atrium::collect::samples::sweep(&server.atrium).await.unwrap(), 5);
    }
}

on_both! {
    async fn the_app_that_was_opened_last_is_where_one_lands(server: TestServer) {
        let (team, other) = (server.team("one").await, server.team("two").await);
        let owner = team.actor("owner");
        let made = owner.post(
            &format!("/api/v1/orgs/{}/apps", team.org_id),
            json!({ "name": "Second", "region": "local", "timezone": "UTC" }),
        ).await;
        let second = made.body["data"]["id"].clone();
        let instance = server.second_instance().await;
        let landing = async || {
            let here = owner.get("/api/v1/current").await.body["data"]["last_app"]["app_id"].clone();
            instance.catch_up().await;
            let there = owner.at(&instance.url).get("/api/v1/current").await;
            assert_eq!(there.body["data"]["last_app"]["app_id"], here);
            here
        };
        assert_eq!(landing().await, json!(team.app_id));
        let open = async |id: &Value| owner.put("/api/v1/current/last-app", json!({ "app_id": id })).await;
        assert_eq!(open(&second).await.status, 200);
        assert_eq!(landing().await, second);
        assert_eq!(open(&json!(other.app_id)).await.status, 404);
        assert_eq!(open(&json!("nonsense")).await.status, 422);
        // Without a change nothing is written, because a write would have every session read again.
        let epoch = server.atrium.db.epoch().await.unwrap();
        assert_eq!(open(&second).await.status, 200);
        assert_eq!(server.atrium.db.epoch().await.unwrap(), epoch);
        owner.post(&format!("/api/v1/apps/{}/archive", second.as_str().unwrap()), json!({})).await;
        assert_eq!(landing().await, json!(team.app_id));
        assert_eq!(team.actor("member").put("/api/v1/current/last-app", json!({ "app_id": team.app_id })).await.status, 404);
    }
}
