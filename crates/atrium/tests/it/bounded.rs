//! Profiles and pages have a maximum size that no application can exceed.

use serde_json::{Value, json};

use crate::ingest::drain;
use crate::people::by;
use crate::support::sender::{AccessKey, event_at, mutation};
use crate::support::{Actor, TestServer, in_either_size};

const MB: usize = 1 << 20;

fn append(server: &TestServer, id: &str, at: i64, value: &str) -> Value {
    let mut message = mutation(server, "UserMutation", "append", id, json!({ "seen": value }));
    message["data"]["timestamp"] = json!(at);
    message
}

async fn send(server: &TestServer, signer: &AccessKey, messages: &[Value]) {
    for some in messages.chunks(25) {
        let sent = server.collect_signed(signer, json!(some)).await;
        assert_eq!(sent.body["data"]["accepted"], some.len(), "{sent:?}");
    }
    drain(server).await;
}

async fn profile(actor: &Actor, app: &str, id: &str) -> Value {
    let answer = actor.get(&format!("/api/v1/apps/{app}/profile?kind=user&ref={id}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["data"].clone()
}

/// The size of an answer in bytes, and its body.
async fn weigh(actor: &Actor, path: &str) -> (usize, Value) {
    let response = actor.request(reqwest::Method::GET, path).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    let text = response.text().await.unwrap();
    (text.len(), serde_json::from_str::<Value>(&text).unwrap()["data"].clone())
}

in_either_size! {
    async fn a_profile_stops_growing_whatever_order_its_changes_come_in(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let signer = server.access_key(owner, app).await;
        let now = server.atrium.now().0;
        let values: Vec<String> = (0..60).map(|n| format!("{n:0>20000}")).collect();
        let changes = |id: &str| -> Vec<Value> {
            let each = values.iter().zip(0..);
            each.map(|(value, n)| append(&server, id, now - 100_000 + n * 100, value)).collect()
        };
        // In order, a third of them in each batch; then with the last third first.
        for some in changes("forward").chunks(20) {
            send(&server, &signer, some).await;
        }
        for some in changes("backward").chunks(20).rev() {
            send(&server, &signer, some).await;
        }
        let (forward, backward) = (profile(owner, app, "forward").await, profile(owner, app, "backward").await);
        assert_eq!(forward["properties"], backward["properties"]);
        assert_eq!((&forward["truncated"], &backward["truncated"]), (&json!(true), &json!(true)));
        let kept = forward["properties"]["seen"].as_array().unwrap();
        assert_eq!((kept.len(), kept[2].as_str().unwrap()), (3, values[59].as_str()), "the newest stay");
        assert!(forward["properties"].get("$truncated").is_none());
        // A deleted profile starts empty.
        let delete = mutation(&server, "UserMutation", "delete", "forward", json!({}));
        let mut set = mutation(&server, "UserMutation", "set", "forward", json!({ "plan": "pro" }));
        set["data"]["timestamp"] = json!(server.atrium.now().0 + 10);
        send(&server, &signer, &[delete, set]).await;
        let anew = profile(owner, app, "forward").await;
        assert_eq!((&anew["properties"], &anew["truncated"]), (&json!({ "plan": "pro" }), &json!(false)));
    }
}

in_either_size! {
    async fn a_profile_of_many_changes_is_read_in_parts(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let signer = server.access_key(owner, app).await;
        let now = server.atrium.now().0;
        let change = |id: &str, at: i64| {
            let mut message = mutation(&server, "UserMutation", "increment", id, json!({ "visits": 1 }));
            message["data"]["timestamp"] = json!(at);
            message
        };
        // Several changes share a timestamp, so that reads are cut between them; other people's changes lie
        // around them.
        let mut all: Vec<_> = (0..1_300).map(|n| change("busy", now - 60_000 + n / 7)).collect();
        all.extend((0..3).flat_map(|n| [change("a", now - n), change("z", now - n)]));
        for some in all.chunks(500) {
            let sent = server.collect_signed(&signer, json!(some)).await;
            assert_eq!(sent.body["data"]["accepted"], some.len());
        }
        drain(&server).await;
        assert_eq!(profile(owner, app, "busy").await["properties"]["visits"], 1_300);
        // A late change has the whole profile rebuilt.
        send(&server, &signer, &[change("busy", now - 90_000), change("a", now - 90_000)]).await;
        for (id, visits) in [("busy", 1_301), ("a", 4), ("z", 3)] {
            assert_eq!(profile(owner, app, id).await["properties"]["visits"], visits, "{id}");
        }
    }
}

in_either_size! {
    async fn pages_are_bounded_and_what_was_cut_is_whole_elsewhere(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let signer = server.access_key(owner, app).await;
        let now = server.atrium.now().0;
        let long = "长".repeat(9_000);
        let people: Vec<_> = (0..60)
            .map(|n| mutation(&server, "UserMutation", "set", &format!("user{n:02}"), json!({ "note": long, "plan": "pro" })))
            .collect();
        send(&server, &signer, &people).await;
        let events: Vec<_> = (0..60)
            .map(|n| {
                let mut message = by("user00", "phone", event_at(now - n * 1_000, "visit"));
                message["data"]["properties"] = json!({ "note": long, "n": n });
                message
            })
            .collect();
        send(&server, &signer, &events).await;

        let (bytes, list) = weigh(owner, &format!("/api/v1/apps/{app}/profiles?kind=user&page_size=100&sort=id")).await;
        assert!(bytes < MB, "{bytes}");
        let first = &list["items"][0];
        assert_eq!((list["items"].as_array().unwrap().len(), &first["shortened"]), (60, &json!(true)));
        assert!(first["properties"]["note"].as_str().unwrap().ends_with("长…"));
        assert_eq!(first["properties"]["plan"], "pro", "what is short stays");
        let whole = profile(owner, app, "user00").await;
        assert_eq!((&whole["properties"]["note"], &whole["shortened"], &whole["truncated"]), (&json!(long), &json!(false), &json!(false)));

        let path = format!("/api/v1/apps/{app}/profile/events?kind=user&ref=user00");
        let (bytes, list) = weigh(owner, &format!("{path}&limit=100")).await;
        assert!(bytes < MB, "{bytes}");
        assert_eq!((list["items"].as_array().unwrap().len(), &list["items"][0]["shortened"]), (60, &json!(true)));
        let (_, one) = weigh(owner, &format!("{path}&limit=1")).await;
        assert_eq!((&one["items"][0]["properties"]["note"], &one["items"][0]["shortened"]), (&json!(long), &json!(false)));
    }
}

in_either_size! {
    async fn a_profile_from_before_there_was_a_limit_is_not_read(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let signer = server.access_key(owner, app).await;
        let set = |id: &str| mutation(&server, "UserMutation", "set", id, json!({ "plan": "pro" }));
        send(&server, &signer, &[set("old"), set("new")]).await;
        let grow = format!(
            "INSERT INTO profiles SELECT app_id, kind, id, concat('{{\"a\":\"', repeat('x', 900000), '\"}}'), \
             updated_at, last_log_id, 0, version + 1 FROM profiles FINAL WHERE id = 'old' AND app_id = '{app}'"
        );
        server.atrium.warehouse.execute(&grow, &[]).await.unwrap();
        let old = profile(owner, app, "old").await;
        assert_eq!((&old["properties"], &old["truncated"]), (&json!({}), &json!(true)));
        let (bytes, _) = weigh(owner, &format!("/api/v1/apps/{app}/profiles?kind=user")).await;
        assert!(bytes < 2_000, "{bytes}");
        // The next change rebuilds it, within the limits.
        let mut later = set("old");
        later["data"]["timestamp"] = json!(server.atrium.now().0 + 1_000);
        later["data"]["properties"] = json!({ "seats": 3 });
        send(&server, &signer, &[later]).await;
        let made = profile(owner, app, "old").await;
        assert_eq!((&made["properties"], &made["truncated"]), (&json!({ "plan": "pro", "seats": 3 }), &json!(false)));
    }
}
