//! The program under load, killed at random moments: every message that it acknowledged is stored, once.
//!
//! Five kills here, fifty with `LONG_TESTS=1`.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::engine_library;
use crate::support::running::Running;
use crate::support::sender::event_at;
use serde_json::{Value, json};
use uuid::Uuid;
use warehouse::{Location, Warehouse};

pub(crate) const ATRIUM: &str = env!("CARGO_BIN_EXE_atrium");
const SENDERS: usize = 6;

pub(crate) fn atrium(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(ATRIUM);
    command
        .args(arguments)
        .args(["--data-dir", folder.to_str().unwrap(), "--log", "warn"])
        .args(["--engine-library", engine_library().to_str().unwrap()])
        .args(["--engine-memory-mb", "1024", "--collect-quota", "0"]);
    command
}

pub(crate) fn create_user(folder: &Path) {
    let mut child = atrium(
        folder,
        &[
            "admin",
            "create-user",
            "--email",
            "a@b.co",
            "--name",
            "A",
            "--organization",
            "O",
            "--password-stdin",
        ],
    )
    .stdin(Stdio::piped())
    .stdout(Stdio::null())
    .spawn()
    .unwrap();
    child.stdin.take().unwrap().write_all(b"correct horse battery\n").unwrap();
    assert!(child.wait().unwrap().success());
}

pub(crate) fn serve(folder: &Path) -> (Running, String) {
    serve_with(&mut atrium(folder, &["serve", "--listen", "127.0.0.1:0"]))
}

pub(crate) fn serve_with(command: &mut Command) -> (Running, String) {
    let mut child = Running::start(command.stdout(Stdio::piped()));
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    (child, first.trim().rsplit("http://").next().unwrap().to_owned())
}

pub(crate) async fn collect_key(folder: &Path) -> String {
    sqlx::any::install_default_drivers();
    let url = atrium::config::sqlite_url(folder).unwrap();
    let mut db = <sqlx::AnyConnection as sqlx::Connection>::connect(&url).await.unwrap();
    sqlx::query_scalar("SELECT value FROM api_keys WHERE kind = 'collect'")
        .fetch_one(&mut db)
        .await
        .unwrap()
}

/// What the senders know: the ids that were acknowledged, and all ids that were sent.
#[derive(Default)]
pub(crate) struct Known {
    pub accepted: HashSet<Uuid>,
    pub sent: HashSet<Uuid>,
    /// Requests that failed or got another answer.
    pub refused: u64,
}

/// Sends batches until `stop` is set. A batch without an answer is sent again, as an SDK would do.
pub(crate) async fn send(
    address: Arc<Mutex<String>>,
    key: String,
    known: Arc<Mutex<Known>>,
    stop: Arc<std::sync::atomic::AtomicBool>,
) {
    let make = |now| (0..40).map(|_| event_at(now, "a")).collect();
    send_made(address, key, known, stop, Duration::ZERO, make).await;
}

/// The same, with messages that the caller makes right before each request, and with a pause after each.
pub(crate) async fn send_made(
    address: Arc<Mutex<String>>,
    key: String,
    known: Arc<Mutex<Known>>,
    stop: Arc<std::sync::atomic::AtomicBool>,
    pause: Duration,
    make: fn(i64) -> Vec<Value>,
) {
    let client = http_client::builder().timeout(Duration::from_secs(5)).build().unwrap();
    let mut pending: Option<Vec<Value>> = None;
    while !stop.load(std::sync::atomic::Ordering::Relaxed) {
        let messages = pending.take().unwrap_or_else(|| {
            let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
            make(i64::try_from(now).unwrap())
        });
        let ids: Vec<Uuid> = messages
            .iter()
            .map(|message| message["data"]["log_id"].as_str().unwrap().parse().unwrap())
            .collect();
        known.lock().unwrap().sent.extend(&ids);
        let url = format!("http://{}/v1/collect", address.lock().unwrap());
        let body = json!({ "app_key": key, "messages": messages });
        match client.post(url).json(&body).send().await {
            Ok(answer) if answer.status() == 200 => {
                known.lock().unwrap().accepted.extend(&ids);
                if !pause.is_zero() {
                    tokio::time::sleep(pause).await;
                }
            }
            _ => {
                known.lock().unwrap().refused += 1;
                pending = Some(messages);
                tokio::time::sleep(Duration::from_millis(30)).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_at_random_moments_loses_and_doubles_nothing() {
    let long = std::env::var_os("LONG_TESTS").is_some();
    let kills = if long { 50 } else { 5 };
    let folder = tempfile::tempdir().unwrap();
    create_user(folder.path());
    let key = collect_key(folder.path()).await;
    let (mut child, first) = serve(folder.path());
    let address = Arc::new(Mutex::new(first));
    let known = Arc::new(Mutex::new(Known::default()));
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let senders: Vec<_> = (0..SENDERS)
        .map(|_| tokio::spawn(send(address.clone(), key.clone(), known.clone(), stop.clone())))
        .collect();
    for _ in 0..kills {
        let pause = 400 + u64::try_from(Uuid::new_v4().as_u128() % 2_200).unwrap();
        tokio::time::sleep(Duration::from_millis(pause)).await;
        child.kill().unwrap();
        child.wait().unwrap();
        let (next, at) = serve(folder.path());
        child = next;
        *address.lock().unwrap() = at;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    for sender in senders {
        sender.await.unwrap();
    }
    let last = address.lock().unwrap().clone();
    let waiting = wait_until_empty(&last).await;
    assert_eq!(waiting, 0, "the backlog drains by itself");
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    child.wait().unwrap();
    let known = std::mem::take(&mut *known.lock().unwrap());
    check(folder.path(), &known).await;
}

pub(crate) async fn wait_until_empty(address: &str) -> i64 {
    let started = Instant::now();
    loop {
        let ready: Value = http_client::local()
            .get(format!("http://{address}/readyz"))
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        let waiting = ready["waiting"].as_i64().unwrap();
        if waiting == 0 || started.elapsed() > Duration::from_secs(120) {
            return waiting;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Every acknowledged id is stored, no id is stored twice, and the rollups and the ledger agree with the
/// rows.
pub(crate) async fn check(folder: &Path, known: &Known) {
    let store = Warehouse::open(Location::Embedded {
        folder: folder.join("events"),
        library: engine_library(),
        program: Some(ATRIUM.into()),
        memory_mb: 1_024,
    });
    store.ready(Duration::from_secs(60)).await.unwrap();
    check_stores(&store, &atrium::config::sqlite_url(folder).unwrap(), known).await;
    store.stop().await;
}

pub(crate) async fn check_stores(store: &Warehouse, database_url: &str, known: &Known) {
    let rows: Vec<Value> =
        store.query("SELECT toString(log_id) AS id FROM events", &[]).await.unwrap();
    let stored: Vec<Uuid> =
        rows.iter().map(|row| row["id"].as_str().unwrap().parse().unwrap()).collect();
    let distinct: HashSet<_> = stored.iter().copied().collect();
    assert_eq!(stored.len(), distinct.len(), "stored twice");
    let missing = known.accepted.difference(&distinct).count();
    assert_eq!(missing, 0, "accepted and missing, of {}", known.accepted.len());
    assert!(distinct.is_subset(&known.sent), "stored and never sent");
    assert!(!stored.is_empty());
    for table in ["totals_15m", "events_15m", "events_1h", "events_1d", "events_1w"] {
        let sum: Vec<Value> =
            store.query(&format!("SELECT sum(events) AS n FROM {table}"), &[]).await.unwrap();
        assert_eq!(sum[0]["n"], json!(stored.len()), "{table}");
    }
    let sum: Vec<Value> = store
        .query("SELECT sum(events) AS n FROM breakdowns_15m WHERE dimension = 'os'", &[])
        .await
        .unwrap();
    assert_eq!(sum[0]["n"], json!(stored.len()));
    sqlx::any::install_default_drivers();
    let mut db = <sqlx::AnyConnection as sqlx::Connection>::connect(database_url).await.unwrap();
    let booked: i64 = sqlx::query_scalar(
        "SELECT CAST(SUM(messages) AS BIGINT) FROM ingest_ledger WHERE outcome = 'accepted'",
    )
    .fetch_one(&mut db)
    .await
    .unwrap();
    assert_eq!(booked, i64::try_from(stored.len()).unwrap(), "the ledger");
}
