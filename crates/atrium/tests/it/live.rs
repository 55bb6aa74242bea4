//! Watching messages as they arrive.

use std::collections::HashSet;
use std::time::Duration;

use crate::ingest::drain;
use crate::readers::{counts, occupy_all, until};
use crate::support::sender::{event, mutation};
use crate::support::{Actor, Store, TestServer, in_both_sizes, on_both};
use atrium::fair_queue::Class;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::timeout;

/// An open stream.
struct Stream {
    response: Response,
    unread: String,
}

impl Stream {
    async fn open(actor: &Actor, app: &str) -> Self {
        let response = actor.request(Method::GET, &path(app)).send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let mut stream = Self { response, unread: String::new() };
        // The first block means that the stream is live: nothing is missed from here on.
        assert_eq!(stream.block().await.as_deref(), Some(":"));
        stream
    }

    /// Reads up to the next empty line; None at the end.
    async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.unread.split_once("\n\n") {
                let (block, rest) = (block.trim().to_owned(), rest.to_owned());
                self.unread = rest;
                return Some(block);
            }
            let chunk = timeout(Duration::from_secs(40), self.response.chunk()).await.unwrap();
            self.unread.push_str(std::str::from_utf8(&chunk.ok().flatten()?).unwrap());
        }
    }

    /// The next event of this kind.
    async fn next(&mut self, kind: &str) -> Value {
        loop {
            let block = self.block().await.unwrap();
            if let Some(data) = block.strip_prefix(&format!("event: {kind}\ndata: ")) {
                return serde_json::from_str(data).unwrap();
            }
        }
    }

    async fn end(&mut self) {
        while self.block().await.is_some() {}
    }
}

fn path(app: &str) -> String {
    format!("/api/v1/apps/{app}/live")
}

on_both! {
    async fn messages_are_shown_with_what_became_of_them(server: TestServer) {
        let team = server.team("one").await;
        let other = server.team("two").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let key = server.collect_key(app).await;
        let signer = server.access_key(owner, app).await;
        let mut stream = Stream::open(owner, app).await;
        let mut message = event(&server, "order");
        message["data"]["properties"] = json!({ "mail": "jane@example.com" });
        let mut late = event(&server, "late");
        late["data"]["timestamp"] = json!(1);
        server.collect(&server.collect_key(other.app_id.as_str()).await, json!([event(&server, "elsewhere")])).await;
        let english = server.anonymous();
        let body = json!({ "app_key": key, "messages": [message, late, message] });
        english.post("/v1/collect", body).await;
        let seen = stream.next("message").await;
        assert_eq!((&seen["type"], &seen["outcome"], &seen["event"]), (&json!("Event"), &json!("accepted"), &json!("order")));
        assert_eq!((&seen["user"], &seen["device"]), (&json!("user-1"), &json!("device-1")));
        assert_eq!((&seen["url_path"], &seen["sdk"]), (&json!("/pricing"), &json!("js 0.2.4")));
        assert_eq!(seen["properties"], json!({ "mail": "jane@example.com" }));
        assert_eq!(seen["reason"], Value::Null);
        let seen = stream.next("message").await;
        assert_eq!((&seen["outcome"], &seen["reason"]), (&json!("rejected"), &json!("timestamp_out_of_range")));
        assert!(seen["reason_name"].as_str().unwrap().contains("timestamp"));
        assert_eq!(seen["properties"]["data"]["event"], "<string 4>");
        assert_eq!((&seen["event"], &seen["user"]), (&json!("late"), &Value::Null));
        assert_eq!(stream.next("message").await["outcome"], "duplicate");
        let change = mutation(&server, "UserMutation", "set", "jane", json!({ "age": 3 }));
        server.collect_signed(&signer, json!([change])).await;
        let seen = stream.next("message").await;
        assert_eq!((&seen["type"], &seen["user"], &seen["device"]), (&json!("UserMutation"), &json!("jane"), &Value::Null));
        // Messages to an archived app are refused, and the stream shows it.
        owner.post(&format!("/api/v1/apps/{app}/archive"), json!({})).await;
        server.collect(&key, json!([event(&server, "a")])).await;
        assert_eq!(stream.next("message").await["reason"], "app_archived");
    }
}

on_both! {
    async fn the_name_of_a_rejected_event_tells_nobody_an_id(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let key = server.collect_key(app).await;
        let (mut seeing, mut blind) =
            (Stream::open(owner, app).await, Stream::open(team.actor("analyst"), app).await);
        for name in ["jane@example.com", "customer-4711", "order"] {
            let mut message = event(&server, name);
            message["data"]["timestamp"] = json!(1);
            message["data"]["user_id"] = json!("customer-4711");
            server.collect(&key, json!([message])).await;
            assert_eq!(seeing.next("message").await["event"], name);
            let shown = blind.next("message").await["event"].clone();
            assert_eq!(shown == name, name == "order", "{shown}");
        }
    }
}

on_both! {
    async fn what_is_too_much_is_counted(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let key = server.collect_key(app).await;
        let mut stream = Stream::open(owner, app).await;
        let many: Vec<_> = (0..400).map(|_| event(&server, "a")).collect();
        server.collect(&key, json!(many)).await;
        let dropped = stream.next("dropped").await["count"].as_u64().unwrap();
        // Fifty a second; the batch may be spread over two seconds.
        assert!((300..=350).contains(&dropped), "{dropped}");
        let mut long = event(&server, "long");
        long["data"]["properties"] = json!({ "text": "x".repeat(20_000) });
        tokio::time::sleep(Duration::from_millis(1_100)).await;
        server.collect(&key, json!([long])).await;
        loop {
            let seen = stream.next("message").await;
            if seen["event"] == "long" {
                assert_eq!(seen["properties"]["data"]["properties"]["text"], "<string 20000>");
                break;
            }
        }
    }
}

on_both! {
    async fn seats_are_few(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let mut streams = Vec::new();
        for _ in 0..20 {
            streams.push(Stream::open(owner, app).await);
        }
        let full = owner.get(&path(app)).await;
        assert_eq!((full.status, full.code(), full.header("retry-after")), (429, "too_many_viewers", "60"));
        streams.pop();
        // The server notices a closed stream when it next writes to it.
        let key = server.collect_key(app).await;
        for _ in 0..50 {
            server.collect(&key, json!([event(&server, "a")])).await;
            if owner.get(&path(app)).await.status == 200 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the seat stays taken");
    }
}

/// Permissions are checked every fifteen seconds, so this test takes that long.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_ends_with_the_right_to_it() {
    let server = TestServer::start(Store::Sqlite).await;
    let team = server.team("one").await;
    let app = team.app_id.as_str();
    let mut removed = Stream::open(team.actor("analyst"), app).await;
    let mut signed_out = Stream::open(team.actor("developer"), app).await;
    let mut stays = Stream::open(team.actor("owner"), app).await;
    let owner = team.actor("owner");
    let member = format!("/api/v1/apps/{app}/members/{}", team.id("analyst"));
    assert_eq!(owner.delete(&member).await.status, 200);
    assert_eq!(team.actor("developer").post("/api/v1/logout", json!({})).await.status, 200);
    removed.end().await;
    signed_out.end().await;
    assert_eq!(stays.block().await.as_deref(), Some(":"), "a sign of life");
    let key = server.collect_key(app).await;
    server.collect(&key, json!([event(&server, "a")])).await;
    assert_eq!(stays.next("message").await["event"], "a");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_ends_its_streams() {
    let server = TestServer::start(Store::Sqlite).await;
    let team = server.team("one").await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let atrium = server.atrium.clone();
    let serving = tokio::spawn(async move {
        let stop = async {
            let _ = stopped.await;
        };
        atrium::server::run(listener, &atrium, stop).await;
    });
    let owner = team.actor("owner").at(&url);
    let mut stream = Stream::open(&owner, team.app_id.as_str()).await;
    stop.send(()).unwrap();
    timeout(Duration::from_secs(5), stream.end()).await.unwrap();
    timeout(Duration::from_secs(5), serving).await.unwrap().unwrap();
}

in_both_sizes! {
    async fn a_stream_begins_with_the_latest_hundred(server: TestServer) {
        let (team, other) = (server.team("one").await, server.team("two").await);
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let key = server.collect_key(app).await;
        let many: Vec<_> = (0..150).map(|n| {
            let mut message = event(&server, &format!("n{n}"));
            message["data"]["timestamp"] = json!(server.atrium.now().0 - 200_000 + n * 1_000);
            message
        }).collect();
        server.collect(&key, json!(many)).await;
        drain(&server).await;
        server.clock.advance(1_000);
        let mut wrong = event(&server, "wrong");
        wrong["data"]["timestamp"] = json!(1);
        server.collect(&key, json!([wrong])).await;
        atrium::collect::samples::write(&server.atrium).await.unwrap();
        server.clock.advance(1_000);

        let mut stream = Stream::open(owner, app).await;
        let first = stream.next("message").await;
        assert_eq!((&first["earlier"], &first["event"]), (&json!(true), &json!("n51")));
        assert_eq!((&first["user"], &first["outcome"]), (&json!("user-1"), &json!("accepted")));
        assert_eq!(first["log_id"], many[51]["data"]["log_id"]);
        for n in 52..150 {
            assert_eq!(stream.next("message").await["event"], format!("n{n}"));
        }
        let refused = stream.next("message").await;
        assert_eq!((&refused["earlier"], &refused["reason"]), (&json!(true), &json!("timestamp_out_of_range")));
        // And then new messages.
        server.collect(&key, json!([event(&server, "now")])).await;
        let now = stream.next("message").await;
        assert_eq!((&now["event"], &now["earlier"]), (&json!("now"), &json!(false)));

        // Another team's stream shows its own app, and no message of this one.
        let mut stream = Stream::open(other.actor("owner"), other.app_id.as_str()).await;
        let key = server.collect_key(other.app_id.as_str()).await;
        server.collect(&key, json!([event(&server, "theirs")])).await;
        assert_eq!(stream.next("message").await["event"], "theirs");
    }
}

in_both_sizes! {
    async fn the_first_watcher_sees_what_is_already_stored(server: TestServer) {
        let team = server.team("one").await;
        let app = team.app_id.as_str();
        let key = server.collect_key(app).await;
        server.collect(&key, json!([event(&server, "stored")])).await;
        drain(&server).await;
        // As after a start: no loader runs, and nothing has used this instance's warehouse yet.
        let fresh = server.second_instance_on_same_engine().await;
        fresh.clock.advance(60_000);
        assert!(!fresh.atrium.warehouse.is_up());
        let mut stream = Stream::open(&team.actor("owner").at(&fresh.url), app).await;
        let seen = timeout(Duration::from_secs(20), stream.next("message")).await;
        let seen = seen.expect("what is stored is told of");
        assert_eq!((&seen["event"], &seen["earlier"]), (&json!("stored"), &json!(true)));
    }
}

in_both_sizes! {
    async fn what_another_instance_receives_is_shown_once_it_is_stored(server: TestServer) {
        let other = server.second_instance_on_same_engine().await;
        let team = server.team("one").await;
        let app = team.app_id.as_str();
        let key = server.collect_key(app).await;
        other.catch_up().await;
        other.collect(&key, json!([event(&server, "before")])).await;
        drain(&other).await;
        let mut stream = Stream::open(team.actor("owner"), app).await;
        assert_eq!(stream.next("message").await["event"], "before");
        other.collect(&key, json!([event(&server, "there")])).await;
        drain(&other).await;
        let seen = stream.next("message").await;
        assert_eq!((&seen["event"], &seen["earlier"]), (&json!("there"), &json!(false)));
        // This instance shows its own messages as they arrive, and does not repeat them once they are stored.
        server.collect(&key, json!([event(&server, "here")])).await;
        drain(&server).await;
        other.collect(&key, json!([event(&server, "last")])).await;
        drain(&other).await;
        assert_eq!(stream.next("message").await["event"], "here");
        assert_eq!(stream.next("message").await["event"], "last");
    }
}

in_both_sizes! {
    async fn what_waits_to_be_stored_is_shown_once(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let key = server.collect_key(app).await;
        server.collect(&key, json!([event(&server, "before")])).await;
        server.clock.advance(1_000);
        let mut stream = Stream::open(owner, app).await;
        server.collect(&key, json!([event(&server, "since")])).await;
        assert_eq!(stream.next("message").await["event"], "since");
        drain(&server).await;
        let before = stream.next("message").await;
        assert_eq!((&before["event"], &before["earlier"]), (&json!("before"), &json!(true)));
        // Both are stored by now, and neither is repeated.
        server.collect(&key, json!([event(&server, "last")])).await;
        assert_eq!(stream.next("message").await["event"], "last");
    }
}

in_both_sizes! {
    async fn earlier_messages_are_shown_once_the_warehouse_has_time(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let key = server.collect_key(app).await;
        let mut wrong = event(&server, "wrong");
        wrong["data"]["timestamp"] = json!(1);
        server.collect(&key, json!([event(&server, "before"), wrong])).await;
        drain(&server).await;
        atrium::collect::samples::write(&server.atrium).await.unwrap();
        server.clock.advance(1_000);

        let busy = occupy_all(&server).await;
        let mut stream = Stream::open(owner, app).await;
        until("it is looked for", || counts(&server, Class::AdHoc).1 > 0).await;
        // New messages are shown once the first look has waited long enough.
        server.collect(&key, json!([event(&server, "meanwhile")])).await;
        let message = timeout(Duration::from_secs(20), stream.next("message")).await.unwrap();
        assert_eq!((&message["earlier"], &message["event"]), (&json!(false), &json!("meanwhile")));
        drop(busy);
        let mut outcomes = HashSet::new();
        for _ in 0..2 {
            let message = timeout(Duration::from_secs(20), stream.next("message")).await.unwrap();
            assert_eq!(message["earlier"], true);
            outcomes.insert(message["outcome"].as_str().unwrap().to_owned());
        }
        assert_eq!(outcomes, ["accepted", "rejected"].map(str::to_owned).into());
    }
}

in_both_sizes! {
    async fn an_app_says_whether_it_ever_had_events(server: TestServer) {
        let team = server.team("one").await;
        let (owner, path) = (team.actor("owner"), format!("/api/v1/apps/{}", team.app_id));
        assert_eq!(owner.get(&path).await.body["data"]["has_events"], false);
        let key = server.collect_key(team.app_id.as_str()).await;
        let mut wrong = event(&server, "wrong");
        wrong["data"]["timestamp"] = json!(1);
        server.collect(&key, json!([wrong])).await;
        drain(&server).await;
        assert_eq!(owner.get(&path).await.body["data"]["has_events"], false, "refused ones are none");
        server.collect(&key, json!([event(&server, "right")])).await;
        drain(&server).await;
        assert_eq!(owner.get(&path).await.body["data"]["has_events"], true);
    }
}
