//! A caller who hangs up ends the statement, and questions wait for their turn at the gate.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use url::Url;
use warehouse::{Denied, Error, Gate, Location, Turn, Warehouse};

use crate::engine::by_hand;
use crate::support::{Store, number};

/// Takes far longer than a statement's time limit. It has a parameter, as every question of the product does:
/// the engine lists such a statement in its own form, not as it was written.
const ENDLESS: &str = "SELECT max(sipHash64(number, {salt:UInt8})) FROM numbers(1000000000000)";
/// Long enough for a busy machine, and far shorter than the statement's time limit.
const SOON: Duration = Duration::from_secs(4);

async fn running(warehouse: &Warehouse) -> u64 {
    let sql = "SELECT count() AS n FROM system.processes WHERE position(query, 'numbers(1000000000000') > 0 \
               AND position(query, 'system.processes') = 0";
    number(warehouse, sql, &[]).await
}

async fn until_running(warehouse: &Warehouse, wanted: u64, within: Duration) {
    let started = Instant::now();
    while running(warehouse).await != wanted {
        assert!(started.elapsed() < within, "{} statements run", running(warehouse).await);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn ask(warehouse: &Warehouse) -> tokio::task::JoinHandle<Result<Vec<serde_json::Value>, Error>> {
    let warehouse = warehouse.clone();
    tokio::spawn(async move { warehouse.query(ENDLESS, &[("salt", 1_u64.into())]).await })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_ends_with_its_caller() {
    let store = Store::open().await;
    let questions: Vec<_> = (0..3).map(|_| ask(&store.warehouse)).collect();
    until_running(&store.warehouse, 3, Duration::from_secs(20)).await;
    for question in &questions[..2] {
        question.abort();
    }
    // One continues: the right statements were ended, and no others.
    until_running(&store.warehouse, 1, SOON).await;
    assert!(!questions[2].is_finished());
    questions[2].abort();
    until_running(&store.warehouse, 0, SOON).await;
    // The engine and its sessions are unaffected.
    assert_eq!(number(&store.warehouse, "SELECT 1 AS n", &[]).await, 1);
    assert_eq!(store.warehouse.generation(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_on_a_server_gives_its_place_up_with_its_caller() {
    let folder = tempfile::tempdir().unwrap();
    // There are two places for reading statements: the third would wait for ten seconds in vain.
    let (_engine, port) = by_hand(folder.path(), "s").await;
    let url = Url::parse(&format!("http://u:s@127.0.0.1:{port}")).unwrap();
    let warehouse = Warehouse::open(Location::Remote { url });
    warehouse.ready(Duration::from_secs(60)).await.unwrap();
    let first = ask(&warehouse);
    until_running(&warehouse, 1, Duration::from_secs(20)).await;
    let second = ask(&warehouse);
    let waiting = {
        let warehouse = warehouse.clone();
        tokio::spawn(async move { number(&warehouse, "SELECT 7 AS n", &[]).await })
    };
    first.abort();
    second.abort();
    assert_eq!(tokio::time::timeout(SOON, waiting).await.unwrap().unwrap(), 7);
    until_running(&warehouse, 0, SOON).await;
}

#[tokio::test]
async fn a_server_ends_what_nobody_waits_for() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = Url::parse(&format!("http://u:s@127.0.0.1:{port}")).unwrap();
    let warehouse = Warehouse::open(Location::Remote { url });
    let question = ask(&warehouse);
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut head = vec![0; 8192];
    let length = stream.read(&mut head).await.unwrap();
    let head = String::from_utf8_lossy(&head[..length]).into_owned();
    assert!(head.contains("readonly=1"), "{head}");
    assert!(head.contains("cancel_http_readonly_queries_on_client_close=1"), "{head}");
    question.abort();
    // The server notices that the connection has ended.
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(SOON, stream.read_to_end(&mut rest)).await;
    ended.expect("the connection ends").unwrap();

    // A statement that changes something must not be ended halfway.
    let change = {
        let warehouse = warehouse.clone();
        tokio::spawn(async move { warehouse.execute("OPTIMIZE TABLE t", &[]).await })
    };
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut head = vec![0; 8192];
    let length = stream.read(&mut head).await.unwrap();
    let head = String::from_utf8_lossy(&head[..length]).into_owned();
    assert!(!head.contains("cancel_http"), "{head}");
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
    change.await.unwrap().unwrap();
}

/// Lets this many in at once, and counts them.
#[derive(Default)]
struct CountingGate {
    inside: Arc<AtomicUsize>,
    entered: AtomicUsize,
    most: usize,
}

struct Inside(Arc<AtomicUsize>);

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Gate for CountingGate {
    fn enter(&self) -> Pin<Box<dyn Future<Output = Result<Turn, Denied>> + Send + '_>> {
        Box::pin(async {
            if self.inside.load(Ordering::SeqCst) >= self.most {
                return Err(Denied::TooManyWaiting);
            }
            self.entered.fetch_add(1, Ordering::SeqCst);
            self.inside.fetch_add(1, Ordering::SeqCst);
            Ok(Box::new(Inside(self.inside.clone())) as Turn)
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_question_takes_one_turn_and_gives_it_back() {
    let store = Store::open().await;
    let gate = Arc::new(CountingGate { most: 1, ..CountingGate::default() });
    let guarded = store.warehouse.behind(gate.clone());
    for _ in 0..3 {
        assert_eq!(number(&guarded, "SELECT 1 AS n", &[]).await, 1);
    }
    assert!(guarded.query::<()>("SELECT nothing", &[]).await.is_err());
    assert_eq!(gate.entered.load(Ordering::SeqCst), 4);
    assert_eq!(gate.inside.load(Ordering::SeqCst), 0);
    // Changes do not wait at the gate, and questions with a longer time limit do not bypass it.
    guarded.execute("OPTIMIZE TABLE profiles", &[]).await.unwrap();
    assert_eq!(gate.entered.load(Ordering::SeqCst), 4);
    let question = ask(&guarded.patient(Duration::from_secs(60)));
    until_running(&store.warehouse, 1, Duration::from_secs(20)).await;
    let denied = guarded.query::<()>("SELECT 1", &[]).await.unwrap_err();
    assert!(matches!(denied, Error::Denied(Denied::TooManyWaiting)), "{denied}");
    question.abort();
    let _ = question.await;
    assert_eq!(gate.inside.load(Ordering::SeqCst), 0);
    until_running(&store.warehouse, 0, SOON).await;
}
