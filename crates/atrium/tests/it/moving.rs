//! What an instance can be moved into, and what stays at the old place.

use std::time::{Duration, Instant};

use crate::support::sender::event;
use crate::support::{RemoteEngine, Store, TestServer, databases, engine_library};
use atrium::app::AppState;
use atrium::config::{RawSettings, Settings};
use atrium::db::transfer::Standstill;
use atrium::db::transfer_marker::{self, Found};
use atrium::db::{Db, sqlite_file};
use atrium::lease::Lease;
use atrium::moving::{self, Options, Report};
use atrium::types::Clock;
use serde_json::json;
use warehouse::{Location, TransferState, Warehouse};

const JANE: &str = "jane@example.com";
/// Every character that PostgreSQL's COPY escapes.
const ODD: &str = "tab\t back\\slash \\N line\nfeed \r\u{8}\u{b}\u{c} 'quote' \"汉字\" ";

async fn moved(server: &TestServer, database: &str, warehouse: &str) -> anyhow::Result<Report> {
    let raw = RawSettings { engine_library: Some(engine_library()), ..server.raw_settings() };
    let options = Options {
        database: Some(database.to_owned()),
        warehouse: Some(warehouse.to_owned()),
        to: None,
    };
    moving::run(Settings::check(raw).unwrap(), &options).await
}

async fn refused(server: &TestServer, database: &str, warehouse: &str) -> String {
    format!("{:#}", moved(server, database, warehouse).await.unwrap_err())
}

/// An empty database on the engine.
fn empty_on(engine: &RemoteEngine) -> String {
    let mut url = engine.url();
    url.set_path(&format!("/moved_{}", uuid::Uuid::new_v4().simple()));
    url.to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_moves_into_what_is_empty_and_stays_there() {
    let server = TestServer::start(Store::Sqlite).await;
    let jane = server.owner(JANE).await;
    server.execute("UPDATE users SET name = $1", ODD).await;
    let engine = RemoteEngine::start().await;
    let (empty, free) = (databases::empty_postgres().await, empty_on(&engine));

    let said = refused(&server, &databases::postgres().await, &free).await;
    assert!(said.contains("--database: not empty"), "{said}");
    let said = refused(&server, &empty, engine.url().as_str()).await;
    assert!(said.contains("--warehouse: not empty"), "{said}");
    let others = databases::empty_postgres().await;
    transfer_marker::begin(&others, "another").await.unwrap();
    let said = refused(&server, &others, &free).await;
    assert!(said.contains("--database: another instance"), "{said}");
    assert_eq!(transfer_marker::look(&empty).await.unwrap(), Found::Empty, "nothing was begun");

    let report = moved(&server, &empty, &free).await.unwrap();
    assert_eq!((report.events, report.rows > Some(0)), (Some(0), true), "{report:?}");
    assert!(report.audit_entries > 0, "{report:?}");

    // The old instance accepts messages but no changes.
    let renamed = jane.put("/api/v1/current/profile", json!({ "name": "Jane" })).await;
    assert_eq!((renamed.status, renamed.code()), (503, "instance_moved"), "{renamed:?}");
    let seen = jane.get("/api/v1/current").await;
    assert_eq!(seen.status, 200, "{seen:?}");
    let app = seen.body["data"]["last_app"]["app_id"].as_str().unwrap();
    let key = server.collect_key(app).await;
    assert_eq!(server.collect(&key, json!([event(&server, "a")])).await.status, 200);
    let ready = server.anonymous().get("/readyz").await;
    assert_eq!(ready.status, 200, "{ready:?}");
    assert!(ready.body["database"].as_str().unwrap().starts_with("moved"), "{ready:?}");
    let start = AppState::start(Settings::check(server.raw_settings()).unwrap(), Clock::default());
    let said = format!("{:#}", start.await.err().unwrap());
    assert!(said.contains("was moved to"), "{said}");

    // The new instance has everything, down to the last character.
    let new = |raw: RawSettings| RawSettings { database_url: Some(empty.clone()), ..raw };
    let there = Settings::check(new(server.raw_settings())).unwrap();
    let there = AppState::start(there, Clock::default()).await.unwrap();
    let name: String = sqlx::query_scalar("SELECT name FROM users")
        .fetch_one(&mut *there.db.read().await.unwrap())
        .await
        .unwrap();
    assert_eq!(name, ODD);
    there.db.close().await;
    let said = refused(&server, &empty, &free).await;
    assert!(said.contains("was moved to"), "it is there already: {said}");

    // As if the move had been killed before it could record that everything was copied.
    let id = hex::encode(&server.atrium.keyring.derive("move")[..8]);
    transfer_marker::begin(&empty, &id).await.unwrap();
    let start =
        AppState::start(Settings::check(new(server.raw_settings())).unwrap(), Clock::default());
    let said = format!("{:#}", start.await.err().unwrap());
    assert!(said.contains("is not finished"), "{said}");
    moved(&server, &empty, &free).await.unwrap();
    assert!(matches!(transfer_marker::look(&empty).await.unwrap(), Found::Used(_)));
}

/// A move that is broken off after each of its steps, and started again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_was_left_half_way_is_gone_on_with() {
    let engine = RemoteEngine::start().await;
    let url = empty_on(&engine).parse().unwrap();
    let store = Warehouse::open(Location::Remote { url });
    let views = async || -> i64 {
        let sql = "SELECT toInt64(count()) AS n FROM system.tables \
                   WHERE database = currentDatabase() AND engine = 'MaterializedView'";
        let rows: Vec<serde_json::Value> = store.query(sql, &[]).await.unwrap();
        rows[0]["n"].as_i64().unwrap()
    };
    let wait = Duration::from_secs(60);
    assert_eq!(store.transfer_state().await.unwrap(), TransferState::Empty);
    store.begin_transfer("one", wait).await.unwrap();
    assert_eq!(store.transfer_state().await.unwrap(), TransferState::Begun("one".to_owned()));
    assert_eq!(views().await, 0);
    // Broken off before it was recorded that all tables exist: they are made again.
    store.execute("TRUNCATE TABLE move_in_progress", &[]).await.unwrap();
    store.execute("DROP TABLE events_1d", &[]).await.unwrap();
    store.begin_transfer("one", wait).await.unwrap();
    assert_eq!(views().await, 0);
    store.complete_transfer().await.unwrap();
    let all = views().await;
    assert!(all > 10, "{all}");
    // Broken off after the views were restored: they are removed again, and restored again.
    store.begin_transfer("one", wait).await.unwrap();
    assert_eq!(views().await, 0);
    store.complete_transfer().await.unwrap();
    store.complete_transfer().await.unwrap();
    assert_eq!(views().await, all);
    store.end_transfer().await.unwrap();
    assert!(matches!(store.transfer_state().await.unwrap(), TransferState::Used(_)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_database_is_copied_changes_wait_and_messages_do_not() {
    let server = TestServer::start(Store::Sqlite).await;
    let jane = server.owner(JANE).await;
    let app = jane.get("/api/v1/current").await.body["data"]["last_app"]["app_id"].clone();
    let key = server.collect_key(app.as_str().unwrap()).await;
    let file = sqlite_file(server.database_url()).unwrap();
    let lost = Standstill::of(&file, ("nobody", 1)).await;
    assert!(lost.is_err(), "without the leases others would load meanwhile");
    let lease = Lease::take(&server.atrium, "loader/0", "mover").await.unwrap().unwrap();
    let held = (lease.holder(), lease.fences().len());
    let standstill = Standstill::of(&file, held).await.unwrap();
    let begun = Instant::now();
    assert_eq!(server.collect(&key, json!([event(&server, "a")])).await.status, 200);
    assert!(begun.elapsed() < Duration::from_secs(4), "it waits for nobody");
    let renamed = jane.put("/api/v1/current/profile", json!({ "name": "Jane" })).await;
    assert_eq!((renamed.status, renamed.header("retry-after")), (503, "5"), "{renamed:?}");
    // The copying process is killed.
    drop(standstill);
    let renamed = jane.put("/api/v1/current/profile", json!({ "name": "Jane" })).await;
    assert_eq!(renamed.status, 200, "{renamed:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_that_refer_to_nothing_are_not_moved() {
    let server = TestServer::start(Store::Sqlite).await;
    server.account(JANE).await;
    let file = sqlite_file(server.database_url()).unwrap();
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection
        .execute_batch("PRAGMA foreign_keys = OFF; UPDATE org_members SET user_id = 'nobody'")
        .unwrap();
    let target = databases::empty_postgres().await;
    let db = Db::open(&target).await.unwrap();
    db.migrate(|| Ok(())).await.unwrap();
    db.close().await;
    let lease = Lease::take(&server.atrium, "loader/0", "mover").await.unwrap().unwrap();
    let standstill = Standstill::of(&file, (lease.holder(), 1)).await.unwrap();
    let said = format!("{:#}", standstill.copy_to(&target).await.unwrap_err());
    assert!(said.contains("org_members refers to rows that no longer exist"), "{said}");
    let db = Db::open(&target).await.unwrap();
    let users = async || -> i64 {
        let sql = "SELECT COUNT(*) FROM users";
        sqlx::query_scalar(sql).fetch_one(&mut *db.read().await.unwrap()).await.unwrap()
    };
    assert_eq!(users().await, 0, "wholly or not at all");
    drop(standstill);
    // With the row repaired, it is copied. A second copy, as after a kill before the first was recorded,
    // gives the same.
    connection.execute_batch("UPDATE org_members SET user_id = (SELECT id FROM users)").unwrap();
    let standstill = Standstill::of(&file, (lease.holder(), 1)).await.unwrap();
    let copied = standstill.copy_to(&target).await.unwrap();
    assert_eq!(standstill.copy_to(&target).await.unwrap(), copied);
    assert_eq!(users().await, 1);
}
