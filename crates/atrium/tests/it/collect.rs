//! `/v1/collect` on the wire: who may send, what is accepted, what is refused, and how it is counted.

use std::io::Write as _;

use crate::support::sender::{AccessKey, PATH, Signing, event, event_at, mutation, nonce};
use crate::support::{Answer, Store, TestServer, on_both};
use atrium::collect::spool::{Change, Range};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

fn counts(answer: &Answer) -> (u64, u64, u64) {
    let count = |name: &str| answer.body["data"][name].as_u64().unwrap_or(u64::MAX);
    (count("accepted"), count("duplicate"), count("rejected"))
}

fn codes(answer: &Answer) -> Vec<(u64, String)> {
    let errors = answer.body["data"]["errors"].as_array().unwrap();
    let code = |error: &Value| error["code"].as_str().unwrap().to_owned();
    errors.iter().map(|error| (error["index"].as_u64().unwrap(), code(error))).collect()
}

on_both! {
    async fn a_page_sends_by_post_beacon_and_address(server: TestServer) {
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        let page = server.anonymous();
        let answer = server.collect(&key, json!([event(&server, "a"), event(&server, "b")])).await;
        assert_eq!((answer.status, counts(&answer)), (200, (2, 0, 0)), "{answer:?}");
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(answer.header("access-control-allow-credentials"), "");

        let body = json!({ "app_key": key, "messages": [event(&server, "c")] }).to_string();
        let beacon = page.request(Method::POST, PATH).header("content-type", "text/plain;charset=UTF-8");
        let answer = page.send(beacon.header("origin", "https://elsewhere.test").body(body.clone())).await;
        assert_eq!((answer.status, counts(&answer)), (200, (1, 0, 0)), "{answer:?}");

        let messages = json!([event(&server, "d")]).to_string();
        let query = [("app_key", key.as_str()), ("messages", messages.as_str())];
        let answer = page.send(page.request(Method::GET, PATH).query(&query)).await;
        assert_eq!((answer.status, counts(&answer)), (200, (1, 0, 0)), "{answer:?}");

        let form = page.request(Method::POST, PATH).header("content-type", "text/html").body(body);
        assert_eq!(page.send(form).await.status, 415);
    }
}

on_both! {
    async fn a_preflight_is_answered_for_a_day(server: TestServer) {
        let page = server.anonymous();
        let request = page
            .request(Method::OPTIONS, PATH)
            .header("origin", "https://elsewhere.test")
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "x-signature,content-type");
        let answer = page.send(request).await;
        assert_eq!(answer.status, 204);
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(answer.header("access-control-max-age"), "86400");
        let allowed = answer.header("access-control-allow-headers").to_lowercase();
        for name in ["content-type", "x-access-key-id", "x-timestamp", "x-nonce", "x-signature"] {
            assert!(allowed.contains(name), "{allowed}");
        }
        // The page can read failures too.
        let refused = server.collect("ck_nobody", json!([])).await;
        assert_eq!((refused.status, refused.code()), (401, "bad_app_key"));
        assert_eq!(refused.header("access-control-allow-origin"), "*");
    }
}

on_both! {
    async fn bodies_come_packed(server: TestServer) {
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        let page = server.anonymous();
        let body = || json!({ "app_key": key, "messages": [event(&server, "a")] }).to_string();
        let gzip = |text: &[u8]| {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), Default::default());
            packer.write_all(text).unwrap();
            packer.finish().unwrap()
        };
        let zlib = |text: &[u8]| {
            let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), Default::default());
            packer.write_all(text).unwrap();
            packer.finish().unwrap()
        };
        let bare = |text: &[u8]| {
            let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), Default::default());
            packer.write_all(text).unwrap();
            packer.finish().unwrap()
        };
        let send = |encoding: &'static str, packed: Vec<u8>| {
            let request = page.request(Method::POST, PATH);
            page.send(request.header("content-encoding", encoding).body(packed))
        };
        for (encoding, packed) in [
            ("gzip", gzip(body().as_bytes())),
            ("deflate", zlib(body().as_bytes())),
            ("deflate", bare(body().as_bytes())),
            ("zstd", zstd::encode_all(body().as_bytes(), 3).unwrap()),
            ("identity", body().into_bytes()),
        ] {
            let answer = send(encoding, packed).await;
            assert_eq!((answer.status, counts(&answer)), (200, (1, 0, 0)), "{encoding} {answer:?}");
        }
        assert_eq!(send("br", body().into_bytes()).await.status, 415);
        assert_eq!(send("gzip", body().into_bytes()).await.code(), "bad_encoding");
        // Small when compressed, large when unpacked.
        let bomb = vec![b' '; 9 << 20];
        assert_eq!(send("gzip", gzip(&bomb)).await.status, 413);
        assert_eq!(send("zstd", zstd::encode_all(&bomb[..], 3).unwrap()).await.status, 413);
    }
}

on_both! {
    async fn sizes_and_numbers_are_limited(server: TestServer) {
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        let many = |count: usize| Value::Array((0..count).map(|_| json!({})).collect());
        let answer = server.collect(&key, many(1_000)).await;
        assert_eq!((answer.status, counts(&answer)), (200, (0, 0, 1_000)));
        let answer = server.collect(&key, many(1_001)).await;
        assert_eq!((answer.status, answer.code()), (413, "too_many_messages"));
        let page = server.anonymous();
        let large = page.request(Method::POST, PATH).body(vec![b' '; (1 << 20) + 1]);
        assert_eq!(page.send(large).await.status, 413);
        for broken in ["", "{", "[]", "{\"app_key\":\"x\"}", "{\"messages\":{}}", "\u{0}"] {
            let answer = page.send(page.request(Method::POST, PATH).body(broken)).await;
            assert_eq!((answer.status, answer.code()), (400, "malformed_json"), "{broken:?}");
        }
    }
}

on_both! {
    async fn one_bad_message_never_costs_its_neighbours(server: TestServer) {
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        let now = server.atrium.now().0;
        let day = 24 * 60 * 60 * 1_000;
        let with = |field: &str, value: Value| {
            let mut message = event(&server, "a");
            message["data"][field] = value;
            message
        };
        let mut without = event(&server, "a");
        without["data"].as_object_mut().unwrap().remove("log_id");
        let deep = serde_json::from_str::<Value>(&format!("{}1{}", "{\"a\":".repeat(9), "}".repeat(9)));
        let bad: Vec<(Value, &str)> = vec![
            (json!(null), "bad_message"),
            (json!([]), "bad_message"),
            (json!({ "type": "Event" }), "bad_message"),
            (json!({ "type": "Event", "data": 3 }), "bad_message"),
            (json!({ "type": "Page", "data": {} }), "unknown_type"),
            (without, "bad_log_id"),
            (with("log_id", json!("not-a-uuid")), "bad_log_id"),
            (with("log_id", json!({})), "bad_log_id"),
            (with("event", json!("")), "bad_event"),
            (with("event", json!("x".repeat(129))), "bad_event"),
            (with("event", json!(["a"])), "bad_event"),
            (with("timestamp", json!("now")), "bad_timestamp"),
            (with("timestamp", json!(1.5)), "bad_timestamp"),
            (with("timestamp", json!(now - 181 * day)), "timestamp_out_of_range"),
            (with("timestamp", json!(now + 11 * 60_000)), "timestamp_out_of_range"),
            (with("device_id", json!("")), "bad_device_id"),
            (with("device_id", Value::Null), "bad_device_id"),
            (with("user_id", json!({ "a": 1 })), "bad_field"),
            (with("os", json!("x".repeat(300))), "bad_field"),
            (with("os", json!("a\u{0}b")), "bad_field"),
            (with("timezone_offset", json!(99)), "bad_field"),
            (with("properties", json!([])), "bad_properties"),
            (with("properties", json!("x")), "bad_properties"),
            (with("properties", deep.unwrap()), "bad_properties"),
            (with("properties", json!({ "a": "x".repeat(33_000) })), "properties_too_large"),
            (with("properties", json!({ "a": "x".repeat(70_000) })), "message_too_large"),
            (mutation(&server, "DeviceMutation", "set", "d", json!({})), "unsigned_mutation"),
        ];
        let mut messages = Vec::new();
        for (message, _) in &bad {
            messages.push(event(&server, "good"));
            messages.push(message.clone());
        }
        let answer = server.collect(&key, Value::Array(messages)).await;
        let (good, wrong) = (bad.len() as u64, bad.len() as u64);
        assert_eq!((answer.status, counts(&answer)), (200, (good, 0, wrong)), "{answer:?}");
        let expected: Vec<_> =
            (1..).step_by(2).zip(&bad).map(|(index, (_, code))| (index, (*code).to_owned())).collect();
        assert_eq!(codes(&answer), expected);
        // Values at the edges of what is allowed.
        let edges = [
            with("timestamp", json!(now - 179 * day)),
            with("timestamp", json!(now + 9 * 60_000)),
            with("user_id", json!(42)),
            with("user_id", Value::Null),
            with("properties", Value::Null),
            with("event", json!("事".repeat(128))),
            with("timezone_offset", json!(5.75)),
            with("log_id", json!(Uuid::new_v4().simple().to_string())),
        ];
        let answer = server.collect(&key, json!(edges)).await;
        assert_eq!(counts(&answer), (8, 0, 0), "{answer:?}");
    }
}

on_both! {
    async fn the_texts_follow_the_language(server: TestServer) {
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        let page = server.anonymous();
        let body = json!({ "app_key": key, "messages": [{}] });
        let send = |language: &'static str| {
            let request = page.request(Method::POST, PATH).header("accept-language", language);
            page.send(request.json(&body))
        };
        let chinese = send("zh-CN").await.body["data"]["errors"][0]["error"].clone();
        let english = send("en-US").await.body["data"]["errors"][0]["error"].clone();
        assert!(chinese.as_str().unwrap().contains("消息"), "{chinese}");
        assert!(english.as_str().unwrap().contains("message"), "{english}");
    }
}

on_both! {
    async fn the_same_message_counts_once(server: TestServer) {
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        let message = event(&server, "a");
        let first = server.collect(&key, json!([message, event(&server, "b")])).await;
        assert_eq!(counts(&first), (2, 0, 0));
        let again = server.collect(&key, json!([message, message, event(&server, "c")])).await;
        assert_eq!(counts(&again), (1, 2, 0));
        // Twenty at once: one is accepted.
        let message = event(&server, "d");
        let sends = (0..20).map(|_| server.collect(&key, json!([message])));
        let answers = futures::future::join_all(sends).await;
        assert!(answers.iter().all(|answer| answer.status == 200));
        assert_eq!(answers.iter().map(|answer| counts(answer).0).sum::<u64>(), 1);
    }
}

on_both! {
    async fn a_signed_request_may_change_profiles(server: TestServer) {
        let team = server.team("one").await;
        let app = team.app_id.as_str();
        let key = server.access_key(team.actor("owner"), app).await;
        let change = |operation: &str, properties: Value| {
            mutation(&server, "UserMutation", operation, "user-1", properties)
        };
        let mut no_id = change("set", json!({}));
        no_id["data"]["id"] = json!("");
        let messages = json!([
            event(&server, "a"),
            change("set", json!({ "plan": "pro" })),
            change("increment", json!({ "seats": 1 })),
            change("rename", json!({})),
            change("increment", json!({ "seats": "one" })),
            no_id,
        ]);
        let answer = server.collect_signed(&key, messages).await;
        assert_eq!((answer.status, counts(&answer)), (200, (3, 0, 3)), "{answer:?}");
        let expected = [(3, "bad_operation"), (4, "bad_increment"), (5, "bad_id")];
        assert_eq!(codes(&answer), expected.map(|(index, code)| (index, code.to_owned())));
    }
}

on_both! {
    async fn whatever_is_wrong_with_a_signature_has_one_answer(server: TestServer) {
        let team = server.team("one").await;
        let other = server.team("two").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let key = server.access_key(owner, app).await;
        let body = || {
            serde_json::to_vec(&json!({ "messages": [event(&server, "a")] })).unwrap()
        };
        let anyone = server.anonymous();
        let good = server.signing();
        let sent = body();
        let answer = anyone.send(server.signed(&key, &good, sent.clone())).await;
        assert_eq!(answer.status, 200, "{answer:?}");

        let refused = async |what: &str, request: reqwest::RequestBuilder| {
            let answer = anyone.send(request).await;
            assert_eq!((answer.status, answer.code()), (401, "bad_signature"), "{what}");
            assert_eq!(answer.body["errors"].as_array().unwrap().len(), 1);
        };
        refused("replayed", server.signed(&key, &good, sent)).await;
        let minutes = |count: i64| Signing {
            timestamp: server.atrium.now().0 + count * 60_000,
            ..server.signing()
        };
        refused("too old", server.signed(&key, &minutes(-6), body())).await;
        refused("too new", server.signed(&key, &minutes(6), body())).await;
        let altered = server.signed(&key, &server.signing(), body()).body(body());
        refused("altered", altered).await;
        let elsewhere = Signing { path: "/v1/other".to_owned(), ..server.signing() };
        refused("another path", server.signed(&key, &elsewhere, body())).await;
        let get = Signing { method: "GET", ..server.signing() };
        refused("another method", server.signed(&key, &get, body())).await;
        let swapped = server.signing();
        let reordered = Signing { nonce: nonce(), ..swapped.clone() };
        let request = server.signed(&key, &swapped, body()).header("x-nonce", &reordered.nonce);
        refused("a header twice", request).await;
        let unknown = AccessKey { id: format!("AK{}", "A".repeat(20)), ..key.clone() };
        refused("an unknown key", server.signed(&unknown, &server.signing(), body())).await;
        let wrong = AccessKey { secret: "x".repeat(43), ..key.clone() };
        refused("a wrong secret", server.signed(&wrong, &server.signing(), body())).await;
        let bare = anyone.request(Method::POST, PATH).header("x-access-key-id", &key.id).body(body());
        refused("half signed", bare).await;

        // The state of the key itself, and a key of another app.
        let named = server.collect_key(other.app_id.as_str()).await;
        let crossed = json!({ "app_key": named, "messages": [event(&server, "a")] });
        let crossed = serde_json::to_vec(&crossed).unwrap();
        refused("another app's key", server.signed(&key, &server.signing(), crossed)).await;
        let path = format!("/api/v1/apps/{app}/access-keys/{}", key.id);
        assert_eq!(owner.put(&path, json!({ "enabled": false })).await.status, 200);
        refused("disabled", server.signed(&key, &server.signing(), body())).await;
        assert_eq!(owner.put(&path, json!({ "enabled": true })).await.status, 200);
        let answer = anyone.send(server.signed(&key, &server.signing(), body())).await;
        assert_eq!(answer.status, 200, "enabled again");
        server
            .run("UPDATE access_keys SET expires_at = 1 WHERE id = $1", &[key.id.as_str()])
            .await;
        refused("expired", server.signed(&key, &server.signing(), body())).await;
        assert_eq!(owner.delete(&path).await.status, 200);
        refused("deleted", server.signed(&key, &server.signing(), body())).await;
    }
}

on_both! {
    async fn a_signed_address_covers_its_query(server: TestServer) {
        let team = server.team("one").await;
        let key = server.access_key(team.actor("owner"), team.app_id.as_str()).await;
        let messages = json!([event(&server, "a")]).to_string();
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("messages", &messages)
            .finish();
        let page = server.anonymous();
        let send = |query: String, signed: String| {
            let signing = Signing { method: "GET", ..server.signing() };
            let request = page
                .request(Method::GET, &format!("{PATH}?{query}"))
                .header("x-access-key-id", &key.id)
                .header("x-timestamp", signing.timestamp.to_string())
                .header("x-nonce", &signing.nonce)
                .header("x-signature", key.sign(&signing, signed.as_bytes()));
            page.send(request)
        };
        assert_eq!(send(query.clone(), query.clone()).await.status, 200);
        let more = format!("{query}&x=1");
        assert_eq!(send(more, query).await.code(), "bad_signature");
    }
}

on_both! {
    async fn an_app_that_rests_takes_nothing(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let key = server.collect_key(app).await;
        let signer = server.access_key(owner, app).await;
        let send = || server.collect(&key, json!([event(&server, "a"), event(&server, "b")]));
        assert_eq!(send().await.status, 200);
        assert_eq!(owner.post(&format!("/api/v1/apps/{app}/archive"), json!({})).await.status, 200);
        let answer = send().await;
        assert_eq!((answer.status, answer.code()), (410, "app_archived"));
        let signed = server.collect_signed(&signer, json!([event(&server, "a")])).await;
        assert_eq!(signed.code(), "app_archived");
        assert_eq!(owner.post(&format!("/api/v1/apps/{app}/unarchive"), json!({})).await.status, 200);
        assert_eq!(send().await.status, 200);
        let name = owner.get(&format!("/api/v1/apps/{app}")).await.body["data"]["name"].clone();
        let gone = owner.delete_with(&format!("/api/v1/apps/{app}"), json!({ "name": name })).await;
        assert_eq!(gone.status, 200, "{gone:?}");
        assert_eq!(send().await.code(), "app_deleted");
        assert_eq!(owner.post(&format!("/api/v1/apps/{app}/restore"), json!({})).await.status, 200);
        assert_eq!(send().await.status, 200);
    }
}

on_both! {
    async fn a_reset_key_works_through_its_grace(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let old = server.collect_key(app).await;
        let path = format!("/api/v1/apps/{app}/api-keys");
        let reset = owner.put(&path, json!({ "kinds": ["collect"], "grace_hours": 1 })).await;
        assert_eq!(reset.status, 200, "{reset:?}");
        let new = server.collect_key(app).await;
        assert_ne!(old, new);
        for key in [&old, &new] {
            assert_eq!(server.collect(key, json!([event(&server, "a")])).await.status, 200);
        }
        server.clock.advance(61 * 60_000);
        assert_eq!(server.collect(&old, json!([])).await.code(), "bad_app_key");
        assert_eq!(server.collect(&new, json!([])).await.status, 200);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_app_has_a_quota() {
    let change = |raw: &mut atrium::config::RawSettings| {
        raw.collect_quota = Some(10);
        raw.collect_address_share = Some(100);
    };
    let server = TestServer::start_with(Store::Sqlite, change).await;
    let (one, two) = (server.team("one").await, server.team("two").await);
    let key = server.collect_key(one.app_id.as_str()).await;
    let batch = |count: usize| Value::Array((0..count).map(|_| event(&server, "a")).collect());
    assert_eq!(server.collect(&key, batch(8)).await.status, 200);
    let answer = server.collect(&key, batch(3)).await;
    assert_eq!((answer.status, answer.code()), (429, "quota_exceeded"));
    let wait: i64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    let other = server.collect_key(two.app_id.as_str()).await;
    assert_eq!(server.collect(&other, batch(10)).await.status, 200);
    server.clock.advance(60_000);
    assert_eq!(server.collect(&key, batch(10)).await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_spool_says_so_and_forgets_nothing() {
    let server = TestServer::start_with(Store::Sqlite, |raw| raw.spool_max_mb = Some(1)).await;
    let team = server.team("one").await;
    let key = server.collect_key(team.app_id.as_str()).await;
    let mut taken = 0;
    let refused = loop {
        let batch: Vec<_> = (0..500).map(|_| event(&server, "a")).collect();
        let answer = server.collect(&key, json!(batch)).await;
        if answer.status != 200 {
            break (answer, batch);
        }
        taken += counts(&answer).0;
        assert!(taken < 100_000, "the limit was never reached");
    };
    let (answer, batch) = refused;
    assert_eq!((answer.status, answer.code()), (503, "spool_full"));
    assert!(!answer.header("retry-after").is_empty());
    assert_eq!(server.atrium.collector.spool.usage().messages(), i64::try_from(taken).unwrap());
    let ready = server.anonymous().get("/readyz").await;
    assert_eq!((ready.status, &ready.body["spool"]), (503, &json!("full")));
    // A message that was refused is not taken for a duplicate once there is room again.
    let spool = &server.atrium.collector.spool;
    let app = team.app_id.as_str().parse().unwrap();
    let (_, upto) = spool.ends(app).await.unwrap().unwrap();
    spool.write(Change::Finish(vec![Range { app, after: 0, upto }])).await.unwrap();
    let answer = server.collect(&key, json!(batch)).await;
    assert_eq!(counts(&answer), (500, 0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_past_is_taken_as_far_as_it_is_kept() {
    let server = TestServer::start(Store::Sqlite).await;
    let team = server.team("one").await;
    let key = server.collect_key(team.app_id.as_str()).await;
    let long_ago = server.atrium.now().0 - 100 * 24 * 60 * 60 * 1_000;
    let answer = server.collect(&key, json!([event_at(long_ago, "a")])).await;
    assert_eq!(counts(&answer), (1, 0, 0));
}
