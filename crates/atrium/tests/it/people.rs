//! Users and devices: who is shown, and under which name.

use crate::ingest::drain;
use crate::support::sender::{event_at, mutation};
use crate::support::world::Team;
use crate::support::{Actor, TestServer, in_either_size};
use serde_json::{Value, json};

const DAY: i64 = 24 * 60 * 60 * 1_000;

pub fn by(user: &str, device: &str, mut message: Value) -> Value {
    message["data"]["user_id"] = json!(user);
    message["data"]["device_id"] = json!(device);
    message
}

/// Three users on two devices, and a user who has only a profile.
async fn populate(server: &TestServer, team: &Team) {
    let app = team.app_id.as_str();
    let now = server.atrium.now().0;
    let key = server.collect_key(app).await;
    let signer = server.access_key(team.actor("owner"), app).await;
    let batch = json!([
        by("anna", "phone", event_at(now - 3 * DAY, "visit")),
        by("anna", "laptop", event_at(now - DAY, "order")),
        by("anna", "phone", event_at(now - 1_000, "visit")),
        by("ben", "phone", event_at(now - 2 * DAY, "visit")),
        by("", "laptop", event_at(now - 4 * DAY, "visit")),
        by("anton", "laptop", event_at(now - 5 * DAY, "visit")),
    ]);
    assert_eq!(server.collect(&key, batch).await.body["data"]["accepted"], 6);
    let profiles = json!([
        mutation(
            server,
            "UserMutation",
            "set",
            "anna",
            json!({ "city": "Köln \"am\" Rhein", "age": 30, "vip": true })
        ),
        mutation(server, "UserMutation", "set", "zoe", json!({ "plan": "pro" })),
        mutation(server, "UserMutation", "set", "gone", json!({ "plan": "pro" })),
        mutation(server, "DeviceMutation", "set", "phone", json!({ "model": "X" })),
    ]);
    assert_eq!(server.collect_signed(&signer, profiles).await.body["data"]["accepted"], 4);
    let gone = mutation(server, "UserMutation", "delete", "gone", json!({}));
    server.collect_signed(&signer, json!([gone])).await;
    drain(server).await;
}

async fn list(actor: &Actor, app: &str, query: &str) -> Value {
    let answer = actor.get(&format!("/api/v1/apps/{app}/profiles?{query}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["data"].clone()
}

fn ids(list: &Value) -> String {
    let items = list["items"].as_array().unwrap().iter();
    items.map(|item| item["id"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

in_either_size! {
    async fn people_are_listed_searched_and_sorted(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        assert_eq!(list(owner, app, "kind=user").await["total"], 0);
        populate(&server, &team).await;
        let users = async |query: &str| ids(&list(owner, app, &format!("kind=user&{query}")).await);
        let all = list(owner, app, "kind=user").await;
        assert_eq!((ids(&all).as_str(), &all["total"]), ("anna ben anton zoe", &json!(4)), "{all}");
        let anna = &all["items"][0];
        assert_eq!(anna["properties"], json!({ "city": "Köln \"am\" Rhein", "age": 30, "vip": true }));
        assert_eq!((&anna["ref"], &anna["redacted"]), (&json!("anna"), &json!(false)));
        let iso = |offset: i64| json!(atrium::types::Millis(server.atrium.now().0 + offset));
        assert!(anna["first_seen"].as_str() < iso(-2 * DAY).as_str());
        assert_eq!((&all["items"][3]["first_seen"], &all["items"][3]["last_seen"]), (&Value::Null, &Value::Null));
        assert_eq!(users("sort=last_seen&order=asc").await, "anton ben anna zoe");
        assert_eq!(users("sort=first_seen&order=desc").await, "ben anna anton zoe");
        assert_eq!(users("sort=id").await, "anna anton ben zoe");
        assert_eq!(users("sort=id&order=desc").await, "zoe ben anton anna");
        assert_eq!(users("sort=id&page=2&page_size=3").await, "zoe");
        let beyond = list(owner, app, "kind=user&page=9").await;
        assert_eq!((ids(&beyond).as_str(), &beyond["total"], &beyond["page"]), ("", &json!(4), &json!(9)));
        assert_eq!(users("search=an").await, "anna anton");
        assert_eq!(users("search=zo").await, "zoe");
        assert_eq!(users("search=rhein").await, "anna");
        assert_eq!(users("search=PRO").await, "zoe");
        assert_eq!(users("search=plan").await, "", "names of properties are not searched");
        assert_eq!(users("search=%25").await, "");
        assert_eq!(ids(&list(owner, app, "kind=device").await), "phone laptop");
        for wrong in ["", "kind=robot", "kind=user&sort=city", "kind=user&page_size=101"] {
            assert_eq!(owner.get(&format!("/api/v1/apps/{app}/profiles?{wrong}")).await.status, 422, "{wrong}");
        }
    }
}

in_either_size! {
    async fn one_of_them_and_what_they_did(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        populate(&server, &team).await;
        let one = async |kind: &str, id: &str| owner.get(&format!("/api/v1/apps/{app}/profile?kind={kind}&ref={id}")).await;
        let anna = one("user", "anna").await.body["data"].clone();
        assert_eq!((&anna["id"], &anna["events"]), (&json!("anna"), &json!(3)), "{anna}");
        assert_eq!(anna["top_events"], json!([{ "event": "visit", "events": 2 }, { "event": "order", "events": 1 }]));
        assert_eq!((&anna["devices"], &anna["users"]), (&json!(["phone", "laptop"]), &Value::Null));
        assert_eq!(anna["properties"]["age"], 30);
        assert!(anna["updated_at"].is_string());
        let phone = one("device", "phone").await.body["data"].clone();
        assert_eq!((&phone["events"], &phone["users"]), (&json!(3), &json!(["anna", "ben"])));
        let zoe = one("user", "zoe").await.body["data"].clone();
        assert_eq!((&zoe["events"], &zoe["devices"], &zoe["first_seen"]), (&json!(0), &json!([]), &Value::Null));
        for (kind, id) in [("user", "nobody"), ("device", "anna"), ("user", "gone"), ("user", "")] {
            assert_eq!(one(kind, id).await.status, 404, "{kind} {id}");
        }
        let events = async |query: &str| {
            let answer = owner.get(&format!("/api/v1/apps/{app}/profile/events?{query}")).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            answer.body["data"].clone()
        };
        let all = events("kind=user&ref=anna").await;
        let names = |list: &Value| {
            let items = list["items"].as_array().unwrap().iter();
            items.map(|item| item["event"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!((names(&all).as_str(), &all["next"]), ("visit order visit", &Value::Null));
        let first = &all["items"][0];
        assert_eq!((&first["url_path"], &first["os"], &first["redacted"]), (&json!("/pricing"), &json!("macOS"), &json!(0)));
        assert_eq!(first["properties"], json!({ "plan": "pro", "seats": 3 }));
        let mut pages = Vec::new();
        let mut next = json!(i64::MAX);
        while !next.is_null() {
            let page = events(&format!("kind=user&ref=anna&limit=1&before={next}")).await;
            pages.push(names(&page));
            next = page["next"].clone();
        }
        assert_eq!(pages, ["visit", "order", "visit"]);
        assert_eq!(names(&events("kind=device&ref=laptop").await), "order visit visit");
        assert_eq!(events("kind=user&ref=zoe").await, json!({ "items": [], "next": null }));
        assert_eq!(owner.get(&format!("/api/v1/apps/{app}/profile/events?kind=user&ref=anna&limit=101")).await.status, 422);
    }
}

in_either_size! {
    async fn events_of_one_moment_are_not_lost_between_pages(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let key = server.collect_key(app).await;
        let now = server.atrium.now().0;
        let times = [0, 0, 1, 1, 1, 2, 3, 3];
        let batch: Vec<_> = times.iter().map(|back| event_at(now - back, "a")).collect();
        server.collect(&key, json!(batch)).await;
        drain(&server).await;
        let (mut found, mut next) = (Vec::new(), json!(i64::MAX));
        while !next.is_null() {
            let path = format!("/api/v1/apps/{app}/profile/events?kind=user&ref=user-1&limit=3&before={next}");
            let page = owner.get(&path).await.body["data"].clone();
            found.extend(page["items"].as_array().unwrap().iter().map(|item| item["log_id"].clone()));
            next = page["next"].clone();
        }
        assert_eq!(found.len(), times.len());
        found.sort_by_key(Value::to_string);
        found.dedup();
        assert_eq!(found.len(), times.len(), "none twice");
    }
}

in_either_size! {
    async fn those_who_may_not_see_ids_know_people_by_pseudonyms(server: TestServer) {
        let (team, other) = (server.team("one").await, server.team("two").await);
        let (analyst, app) = (team.actor("analyst"), team.app_id.as_str());
        populate(&server, &team).await;
        populate(&server, &other).await;
        let users = list(analyst, app, "kind=user").await;
        assert_eq!(users["total"], 4);
        let refs: Vec<String> = users["items"].as_array().unwrap().iter()
            .map(|item| item["ref"].as_str().unwrap().to_owned()).collect();
        for name in &refs {
            assert!(name.len() == 34 && name.starts_with("p_"), "{name}");
        }
        let anna = &users["items"][0];
        assert_eq!((&anna["id"], &anna["redacted"]), (&anna["ref"], &json!(true)));
        assert_eq!(anna["properties"], json!({ "city": null, "age": 30, "vip": true }));
        // A pseudonym leads to the same person in every call, and to nobody else.
        let one = async |actor: &Actor, app: &str, kind: &str, name: &str| {
            actor.get(&format!("/api/v1/apps/{app}/profile?kind={kind}&ref={name}")).await
        };
        let seen = one(analyst, app, "user", &refs[0]).await;
        assert_eq!((&seen.body["data"]["id"], &seen.body["data"]["events"]), (&json!(refs[0]), &json!(3)), "{seen:?}");
        let device = seen.body["data"]["devices"][0].as_str().unwrap().to_owned();
        let device = one(analyst, app, "device", &device).await.body["data"].clone();
        assert_eq!((&device["events"], &device["users"][0]), (&json!(3), &json!(refs[0])));
        let profile_only = one(analyst, app, "user", &refs[3]).await.body["data"].clone();
        assert_eq!((&profile_only["events"], &profile_only["properties"]), (&json!(0), &json!({ "plan": null })));
        let events = analyst.get(&format!("/api/v1/apps/{app}/profile/events?kind=user&ref={}", refs[0])).await;
        assert_eq!(events.body["data"]["items"].as_array().unwrap().len(), 3);
        assert_eq!(one(analyst, app, "user", "anna").await.status, 404);
        assert_eq!(one(analyst, app, "device", &refs[0]).await.status, 404);
        let there = one(other.actor("analyst"), other.app_id.as_str(), "user", &refs[0]).await;
        assert_eq!(there.status, 404, "another app's pseudonyms are others");
        // An analyst's link works for callers who may see more, and shows them more.
        assert_eq!(one(team.actor("owner"), app, "user", &refs[0]).await.body["data"]["id"], "anna");
        let search = async |text: &str| ids(&list(analyst, app, &format!("kind=user&search={text}")).await);
        assert_eq!(search(&refs[1]).await, refs[1]);
        assert_eq!(search(&refs[1][..8]).await, refs[1]);
        for letters in ["a", "an", "anna", "rhein", "pro"] {
            assert_eq!(search(letters).await, "", "{letters}");
        }
        let mut sorted = refs.clone();
        sorted.sort();
        assert_eq!(ids(&list(analyst, app, "kind=user&sort=id").await), sorted.join(" "));
    }
}
