//! The engine process and its supervisor: secrets, limits, and how it ends.

use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use url::Url;
use uuid::Uuid;
use warehouse::{Error, Location, State, Warehouse};

use crate::support::{
    ENGINE, Store, at, counted, engine_of, library, make_up, number, same, stored,
};

const WAIT: Duration = Duration::from_secs(60);

/// An engine that the test started itself, in the role of a server.
pub async fn by_hand(folder: &std::path::Path, secret: &str) -> (Child, u16) {
    let mut child = Command::new(ENGINE)
        .arg("engine")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let order = serde_json::json!({
        "secret": secret, "path": folder.join("tables"), "library": library(), "memory_mb": 1024,
        "connections": {"reads": 2, "writes": 1},
    });
    child.stdin.as_mut().unwrap().write_all(format!("{order}\n").as_bytes()).await.unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).await.unwrap();
    let ready: serde_json::Value = serde_json::from_str(&line).unwrap();
    (child, u16::try_from(ready["port"].as_u64().unwrap()).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_used_as_the_engine_is() {
    let folder = tempfile::tempdir().unwrap();
    let (_engine, port) = by_hand(folder.path(), "a secret/+").await;
    let url = Url::parse(&format!("http://someone:a%20secret%2F+@127.0.0.1:{port}/other")).unwrap();
    let store = Store { warehouse: Warehouse::open(Location::Remote { url }), folder };
    assert_eq!(store.warehouse.state(), State::Starting);
    store.warehouse.ready(WAIT).await.unwrap();
    assert_eq!(store.warehouse.state(), State::Up);
    let events = make_up(1, 500, &[Uuid::new_v4()]);
    store.insert(1, &events).await;
    same(&stored(&store.warehouse).await, &counted(&events));
    let sql = "SELECT count() AS n FROM other.events";
    assert_eq!(number(&store.warehouse, sql, &[]).await, 500);

    // A wrong secret is refused, and the refusal is not mistaken for an exception of the engine.
    for address in [format!("http://x:wrong@127.0.0.1:{port}"), format!("http://127.0.0.1:{port}")]
    {
        let other = Warehouse::open(Location::Remote { url: Url::parse(&address).unwrap() });
        let error = other.query::<()>("SELECT 1", &[]).await.unwrap_err();
        assert!(matches!(&error, Error::Unavailable(words) if words.contains("403")), "{error}");
        assert!(matches!(other.state(), State::Down { .. }));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_engine_ends_when_its_parent_does() {
    let folder = tempfile::tempdir().unwrap();
    let (mut engine, port) = by_hand(folder.path(), "s").await;
    let url = Url::parse(&format!("http://u:s@127.0.0.1:{port}")).unwrap();
    let warehouse = Warehouse::open(Location::Remote { url });
    warehouse.ready(WAIT).await.unwrap();

    // Signals to the whole process group are for the parent to handle.
    let pid = engine.id().unwrap().to_string();
    for signal in ["-TERM", "-INT"] {
        assert!(Command::new("kill").args([signal, &pid]).status().await.unwrap().success());
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    warehouse.query::<serde_json::Value>("SELECT 1", &[]).await.unwrap();

    // Also in the middle of a statement.
    let slow = warehouse.clone();
    let question = tokio::spawn(async move {
        slow.query::<serde_json::Value>(
            "SELECT max(sipHash64(number)) FROM numbers(100000000000)",
            &[],
        )
        .await
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let started = Instant::now();
    drop(engine.stdin.take());
    let status =
        tokio::time::timeout(Duration::from_secs(5), engine.wait()).await.unwrap().unwrap();
    assert!(status.success(), "{status}");
    assert!(started.elapsed() >= Duration::from_secs(1), "the statement was given time");
    assert!(question.await.unwrap().is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_secret_is_nowhere_to_be_seen() {
    let store = Store::open().await;
    let pid = store.engine_pid();
    let arguments = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap();
    assert_eq!(arguments.split('\0').nth(1), Some("engine"));
    assert_eq!(arguments.split('\0').count(), 3, "{arguments:?}");
    let environment = std::fs::read_to_string(format!("/proc/{pid}/environ")).unwrap();
    assert_eq!(environment, "TZ=UTC\0");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_greedy_question_is_refused_and_the_engine_lives() {
    let store = Store::with_memory(600).await;
    let before = store.warehouse.generation();
    let greedy = "SELECT length(groupArray(number)) AS n FROM numbers(1000000000)";
    let error = store.warehouse.query::<serde_json::Value>(greedy, &[]).await.unwrap_err();
    assert_eq!(error.code(), Some(241), "{error}");
    assert!(error.may_pass());
    assert_eq!(number(&store.warehouse, "SELECT 1 AS n", &[]).await, 1);
    assert_eq!(store.warehouse.generation(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_are_bounded_and_change_nothing() {
    let store = Store::open().await;
    let refused = |sql: &'static str| {
        let warehouse = store.warehouse.clone();
        async move { warehouse.query::<serde_json::Value>(sql, &[]).await.unwrap_err() }
    };
    assert_eq!(refused("INSERT INTO events (event) VALUES ('x')").await.code(), Some(164));
    assert_eq!(
        refused("SELECT * FROM file('/etc/passwd', 'LineAsString')").await.code(),
        Some(164)
    );
    assert_eq!(refused("SELECT 1 SETTINGS readonly = 0").await.code(), Some(164));
    assert_eq!(refused("SELECT nothing").await.code(), Some(47));
    let impatient = store.warehouse.patient(Duration::from_secs(1));
    let slow = "SELECT max(sipHash64(number)) FROM numbers(100000000000)";
    let error = impatient.query::<serde_json::Value>(slow, &[]).await.unwrap_err();
    assert_eq!(error.code(), Some(159), "{error}");
    let many = warehouse::Param::Uuids(vec![Uuid::nil(); 5000]);
    let error =
        store.warehouse.query::<()>("SELECT {a:Array(UUID)}", &[("a", many)]).await.unwrap_err();
    assert!(!error.may_pass());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_hangs_is_replaced() {
    let store = Store::open().await;
    let before = store.warehouse.generation();
    // Stopped, but not ended: it no longer answers, as if it were stuck.
    let pid = store.engine_pid().to_string();
    assert!(Command::new("kill").args(["-STOP", &pid]).status().await.unwrap().success());
    let started = Instant::now();
    let impatient = store.warehouse.patient(Duration::from_secs(1));
    let error = impatient.query::<serde_json::Value>("SELECT 1", &[]).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable(_)), "{error}");
    while store.warehouse.generation() <= before {
        assert!(started.elapsed() < Duration::from_secs(40), "{:?}", store.warehouse.state());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(number(&store.warehouse, "SELECT 1 AS n", &[]).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_cannot_start_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let warehouse = Warehouse::open(Location::Embedded {
        folder: folder.path().to_owned(),
        library: folder.path().join("libchdb.so"),
        program: Some(ENGINE.into()),
        memory_mb: 512,
    });
    let error = warehouse.ready(Duration::from_secs(3)).await.unwrap_err();
    assert!(error.to_string().contains("library cannot be loaded"), "{error}");
    let State::Down { since, .. } = warehouse.state() else { panic!("{:?}", warehouse.state()) };
    assert!(since.elapsed() > Duration::from_secs(1), "one outage, not one for each attempt");
    warehouse.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_stored_is_there_after_a_stop() {
    let store = Store::open().await;
    let events = make_up(5, 1000, &[Uuid::new_v4()]);
    store.insert(1, &events).await;
    let started = Instant::now();
    store.warehouse.stop().await;
    assert!(started.elapsed() < Duration::from_secs(5), "an idle engine ends at once");
    assert_eq!(engine_of(store.folder.path()), None);
    assert!(store.warehouse.query::<()>("SELECT 1", &[]).await.is_err());

    let again = Warehouse::open(at(store.folder.path(), 1024));
    again.ready(WAIT).await.unwrap();
    same(&stored(&again).await, &counted(&events));
    again.stop().await;
}
