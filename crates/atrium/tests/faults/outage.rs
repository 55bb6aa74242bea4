//! A warehouse that goes away: behind a network that is cut, and as a process that is killed.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::support::sender::event;
use crate::support::{RemoteEngine, Store, TestServer};
use atrium::config::RawSettings;
use atrium::jobs;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

/// A connection that can be cut: data on its way then hangs, and nothing new gets through.
struct Wire {
    address: SocketAddr,
    cut: Arc<AtomicBool>,
}

impl Wire {
    async fn to(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let cut = Arc::new(AtomicBool::new(false));
        let is_cut = cut.clone();
        tokio::spawn(async move {
            loop {
                let (near, _) = listener.accept().await.unwrap();
                let is_cut = is_cut.clone();
                tokio::spawn(async move {
                    if is_cut.load(Ordering::Relaxed) {
                        return;
                    }
                    let far = TcpStream::connect(("127.0.0.1", target)).await.unwrap();
                    carry(near, far, &is_cut).await;
                });
            }
        });
        Self { address, cut }
    }
}

async fn carry(mut near: TcpStream, mut far: TcpStream, is_cut: &AtomicBool) {
    let watch = async {
        while !is_cut.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
        () = watch => {}
    }
}

async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let started = Instant::now();
    while !is_so().await {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn count(engine: &RemoteEngine, sql: &str) -> i64 {
    let rows: Vec<Value> = engine.store.query(sql, &[]).await.unwrap();
    rows[0]["n"].as_i64().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_network_that_is_cut_again_and_again_loses_and_doubles_nothing() {
    let engine = RemoteEngine::start().await;
    let mut url = engine.url();
    let wire = Wire::to(url.port().unwrap()).await;
    url.set_port(Some(wire.address.port())).unwrap();
    let change = |raw: &mut RawSettings| raw.warehouse_url = Some(url.to_string());
    let server = TestServer::start_with(Store::Postgres, change).await;
    jobs::start(&server.atrium);
    let team = server.team("one").await;
    let key = server.collect_key(team.app_id.as_str()).await;
    let mut sent = 0;
    for round in 0..8 {
        for _ in 0..5 {
            let batch: Vec<_> = (0..200).map(|_| event(&server, "a")).collect();
            let answer = server.collect(&key, json!(batch)).await;
            assert_eq!(answer.status, 200, "whatever the store is up to");
            sent += 200;
        }
        // Often cut while a batch is on its way.
        tokio::time::sleep(Duration::from_millis(650 + 40 * round)).await;
        wire.cut.store(true, Ordering::Relaxed);
        let answer = server.collect(&key, json!([event(&server, "away")])).await;
        assert_eq!(answer.status, 200);
        sent += 1;
        tokio::time::sleep(Duration::from_millis(150)).await;
        wire.cut.store(false, Ordering::Relaxed);
    }
    let spool = &server.atrium.collector.spool;
    until("the backlog drains by itself", async || spool.usage().messages() == 0).await;
    assert_eq!(count(&engine, "SELECT toInt64(count()) AS n FROM events").await, sent);
    assert_eq!(count(&engine, "SELECT toInt64(uniqExact(log_id)) AS n FROM events").await, sent);
    assert_eq!(count(&engine, "SELECT toInt64(sum(events)) AS n FROM totals_15m").await, sent);
    assert_eq!(count(&engine, "SELECT toInt64(sum(events)) AS n FROM events_15m").await, sent);
    until("the ledger is booked", async || {
        server.count("SELECT CAST(SUM(messages) AS BIGINT) FROM ingest_ledger").await == sent
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_is_away_is_reported_and_does_not_gate() {
    let change = |raw: &mut RawSettings| {
        // Nothing listens there.
        raw.warehouse_url = Some("http://127.0.0.1:9/atrium".to_owned());
    };
    let server = TestServer::start_with(Store::Sqlite, change).await;
    jobs::start(&server.atrium);
    let team = server.team("one").await;
    let key = server.collect_key(team.app_id.as_str()).await;
    let answer = server.collect(&key, json!([event(&server, "a")])).await;
    assert_eq!(answer.status, 200);
    let owner = team.actor("owner");
    until("readyz says so", async || {
        let ready = owner.get("/readyz").await;
        assert_eq!((ready.status, &ready.body["waiting"]), (200, &json!(1)), "{ready:?}");
        ready.body["events"].as_str().unwrap().starts_with("down")
    })
    .await;
    // Lists do not wait for the warehouse; the dashboard says that it is unavailable.
    let started = Instant::now();
    let apps = owner.get(&format!("/api/v1/orgs/{}/apps", team.org_id)).await;
    assert_eq!(apps.body["data"]["items"][0]["events_24h"], Value::Null);
    assert!(started.elapsed() < Duration::from_secs(2));
    let body = json!({ "start": "2026-01-01", "end": "2026-01-02" });
    let overall = owner.post(&format!("/api/v1/orgs/{}/data-overall", team.org_id), body).await;
    assert_eq!(overall.status, 503, "{overall:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn known_keys_go_on_sending_while_the_database_is_away() {
    let near = TestServer::start(Store::Postgres).await;
    let mut url = url::Url::parse(near.database_url()).unwrap();
    let wire = Wire::to(url.port().unwrap_or(5_432)).await;
    url.set_port(Some(wire.address.port())).unwrap();
    let behind = |raw: &mut RawSettings| raw.database_url = Some(url.to_string());
    let server = near.second_instance_with(behind).await;
    let team = near.team("one").await;
    let (key, other) = (near.collect_key(team.app_id.as_str()).await, near.team("two").await);
    let unseen = near.collect_key(other.app_id.as_str()).await;
    let send = async |key: &str| server.collect(key, json!([event(&server, "a")])).await;
    assert_eq!(send(&key).await.status, 200);
    wire.cut.store(true, Ordering::Relaxed);
    // Statements under way fail; from then on no request waits for the database.
    until("the database is away", async || send(&key).await.status == 200).await;
    let begun = Instant::now();
    for _ in 0..50 {
        assert_eq!(send(&key).await.status, 200);
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(send(&unseen).await.status, 503, "nobody can say whether it is a key");
    let ready = server.anonymous().get("/readyz").await;
    assert_eq!(ready.status, 200, "or nothing would be sent here: {ready:?}");
    assert_eq!(ready.body["database"], "away: messages of known keys are accepted");
    // The key is revoked on another instance.
    near.run("UPDATE api_keys SET valid_until = 1 WHERE value = $1", &[&key]).await;
    near.run("UPDATE instance SET epoch = epoch + 1", &[]).await;
    assert_eq!(send(&key).await.status, 200, "that is not known here yet");
    wire.cut.store(false, Ordering::Relaxed);
    until("the database is back", async || send(&key).await.status == 401).await;
    assert_eq!(send(&unseen).await.status, 200);
}
