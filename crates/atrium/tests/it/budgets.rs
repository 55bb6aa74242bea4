//! An app's budgets: what a stranger with its public key cannot take from other senders.

use std::collections::BTreeMap;

use crate::support::sender::{PATH, event};
use crate::support::{Answer, Store, TestServer};
use atrium::config::RawSettings;
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

async fn start(store: Store, change: impl FnOnce(&mut RawSettings)) -> TestServer {
    TestServer::start_with(store, |raw| {
        // Addresses come from a header, so that one test can use several.
        raw.trusted_proxies = Some(vec!["127.0.0.1".to_owned()]);
        change(raw);
    })
    .await
}

async fn send(server: &TestServer, from: &str, key: &str, messages: Vec<Value>) -> Answer {
    let body = json!({ "app_key": key, "messages": messages });
    let actor = server.anonymous();
    let request = actor.request(Method::POST, PATH).header("x-forwarded-for", from).json(&body);
    actor.send(request).await
}

fn events(server: &TestServer, count: usize) -> Vec<Value> {
    (0..count).map(|_| event(server, "a")).collect()
}

/// The ledger lines in the spool, summed by outcome.
fn booked(server: &TestServer) -> BTreeMap<String, i64> {
    let file = server.folder().join("spool/1/spool.db");
    let spool = rusqlite::Connection::open(file).unwrap();
    let mut lines = spool.prepare("SELECT ledger FROM groups").unwrap();
    let mut sums = BTreeMap::new();
    for ledger in lines.query_map([], |row| row.get::<_, String>(0)).unwrap() {
        let ledger: Value = serde_json::from_str(&ledger.unwrap()).unwrap();
        for line in ledger.as_array().unwrap() {
            let outcome = line[0]["outcome"].as_str().unwrap().to_owned();
            *sums.entry(outcome).or_default() += line[1].as_i64().unwrap();
        }
    }
    sums
}

/// 601 requests with 50,000 invalid messages: many times the app's quota.
async fn invalid_messages_cost_their_sender(store: Store) {
    let server = start(store, |raw| {
        raw.collect_quota = Some(600);
        raw.collect_rejected_quota = Some(20_000);
    })
    .await;
    let team = server.team("one").await;
    let (owner, app) = (team.actor("owner"), team.app_id.as_str());
    let key = server.collect_key(app).await;
    let signer = server.access_key(owner, app).await;
    let mut rubbish = 0;
    for some in (0..601).collect::<Vec<_>>().chunks(40) {
        let sent = some.iter().map(|n| {
            let from = format!("198.51.100.{}", n % 3);
            let (server, key) = (&server, &key);
            async move { send(server, &from, key, vec![json!({})]).await }
        });
        for answer in join_all(sent).await {
            assert_eq!(answer.body["data"]["rejected"], 1, "{answer:?}");
            rubbish += 1;
        }
    }
    let mut refused = 0;
    for n in 0..50 {
        let answer =
            send(&server, &format!("203.0.113.{}", n % 4), &key, vec![json!({}); 1_000]).await;
        match answer.status {
            200 => rubbish += 1_000,
            429 => {
                assert_eq!(answer.code(), "too_many_rejected", "{answer:?}");
                assert!(!answer.header("retry-after").is_empty());
                refused += 1_000;
            }
            _ => panic!("{answer:?}"),
        }
    }
    // On a slow machine a minute ends in between, and 20,000 more are read in the next.
    assert!(refused >= 9_000, "{refused}");
    // Addresses with a clean record get through, and so do signed requests from any address.
    let good = send(&server, "192.0.2.1", &key, events(&server, 100)).await;
    assert_eq!((good.status, &good.body["data"]["accepted"]), (200, &json!(100)), "{good:?}");
    let signed = server.collect_signed(&signer, json!(events(&server, 600))).await;
    assert_eq!((signed.status, &signed.body["data"]["accepted"]), (200, &json!(600)), "{signed:?}");
    let body = serde_json::to_vec(&json!({ "messages": [] })).unwrap();
    let from_there =
        server.signed(&signer, &server.signing(), body).header("x-forwarded-for", "203.0.113.1");
    assert_eq!(owner.send(from_there).await.status, 200);
    // Every message is in exactly one counter.
    let expected = [("accepted", 700), ("bad_message", rubbish), ("too_many_rejected", refused)];
    let expected = expected.map(|(name, count)| (name.to_owned(), count));
    assert_eq!(booked(&server), BTreeMap::from(expected));
    // The next minute starts with full budgets.
    server.clock.advance(60_000);
    assert_eq!(send(&server, "203.0.113.1", &key, events(&server, 1)).await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_messages_cost_their_sender_on_sqlite() {
    invalid_messages_cost_their_sender(Store::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_messages_cost_their_sender_on_postgres() {
    invalid_messages_cost_their_sender(Store::Postgres).await;
}

/// Valid, unsigned and far too many: neither the app's servers nor its other visitors are affected.
async fn a_flood_of_good_events_stays_within_its_share(store: Store) {
    let server = start(store, |raw| raw.collect_quota = Some(100)).await;
    let team = server.team("one").await;
    let (owner, app) = (team.actor("owner"), team.app_id.as_str());
    let key = server.collect_key(app).await;
    let signer = server.access_key(owner, app).await;
    assert_eq!(send(&server, "203.0.113.1", &key, events(&server, 25)).await.status, 200);
    let answer = send(&server, "203.0.113.1", &key, events(&server, 1)).await;
    assert_eq!((answer.status, answer.code()), (429, "quota_exceeded"));
    // An IPv6 network counts as one sender.
    for last in 1..=2 {
        let from = format!("2001:db8::{last}");
        let answer = send(&server, &from, &key, events(&server, 25)).await;
        assert_eq!(answer.status, if last == 1 { 200 } else { 429 });
    }
    for last in 2..=3 {
        let from = format!("203.0.113.{last}");
        assert_eq!(send(&server, &from, &key, events(&server, 25)).await.status, 200);
    }
    let mixed = vec![event(&server, "a"), json!({})];
    let answer = send(&server, "203.0.113.9", &key, mixed).await;
    assert_eq!((answer.status, answer.code()), (429, "quota_exceeded"), "the app's is used up");
    let signed = server.collect_signed(&signer, json!(events(&server, 100))).await;
    assert_eq!(signed.status, 200, "{signed:?}");
    let signed = server.collect_signed(&signer, json!(events(&server, 1))).await;
    assert_eq!((signed.status, signed.code()), (429, "quota_exceeded"));
    let expected = [("accepted", 200), ("bad_message", 1), ("quota_exceeded", 28)];
    let expected = expected.map(|(name, count)| (name.to_owned(), count));
    assert_eq!(booked(&server), BTreeMap::from(expected));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_good_events_stays_within_its_share_on_sqlite() {
    a_flood_of_good_events_stays_within_its_share(Store::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_good_events_stays_within_its_share_on_postgres() {
    a_flood_of_good_events_stays_within_its_share(Store::Postgres).await;
}

/// Invalid messages for every app of an instance: the address is refused before its request is read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rubbish_everywhere_is_not_even_read() {
    let server = start(Store::Sqlite, |raw| {
        raw.collect_rejected_quota = Some(1_000);
        raw.collect_address_share = Some(100);
    })
    .await;
    let key = server.collect_key(server.team("one").await.app_id.as_str()).await;
    assert_eq!(send(&server, "203.0.113.1", &key, vec![json!({}); 1_000]).await.status, 200);
    let actor = server.anonymous();
    let request = actor.request(Method::POST, PATH).header("x-forwarded-for", "203.0.113.1");
    let request = request.header("content-type", "application/json").body("no JSON at all");
    let answer = actor.send(request).await;
    assert_eq!((answer.status, answer.code()), (429, "too_many_rejected"));
}
