//! Disk faults: what recovers by itself, what is set aside, and what is refused with an explanation.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use super::process::{Server, atrium, output, post, profile, text};
use crate::support::sender::{event, event_at};
use crate::support::{PASSWORD, Store, TestServer, engine_library};
use atrium::collect::loader::Partitions;
use atrium::collect::spool::Wanted;
use serde_json::{Value, json};

/// SQLite's own size limit gives the same error as a full disk.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_database_heals_by_itself() {
    let server = TestServer::start(Store::Sqlite).await;
    server.account("jane@example.com").await;
    let db = &server.atrium.db;
    for round in 0..3 {
        let mut tx = db.write_uncached().await.unwrap();
        sqlx::raw_sql("PRAGMA max_page_count = 1").execute(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
        let full = loop {
            let mut tx = db.write_uncached().await.unwrap();
            let written = sqlx::query("INSERT INTO throttles (scope, window_start, failures, blocked_until) VALUES ($1, 0, 0, 0)")
                .bind(format!("{}{}", uuid::Uuid::new_v4(), "x".repeat(3_000)))
                .execute(&mut *tx)
                .await;
            match written {
                Ok(_) => tx.commit().await.unwrap(),
                Err(error) => break atrium::error::Error::from(error),
            }
        };
        assert_eq!(full.code().unwrap().as_str(), "disk_full", "{full}");
        assert_eq!(full.status().as_u16(), 503);
        let answer = server.anonymous().login("jane@example.com", PASSWORD).await;
        assert_eq!(answer.status, 200, "round {round}: {answer:?}");
        assert_eq!(server.anonymous().get("/readyz").await.status, 200);
    }
}

/// A connection that was opened while the disk was read-only stays read-only, so it is replaced.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_cannot_write_is_replaced() {
    let server = TestServer::start(Store::Sqlite).await;
    server.account("jane@example.com").await;
    let mut tx = server.atrium.db.write_uncached().await.unwrap();
    sqlx::raw_sql("PRAGMA query_only = ON").execute(&mut *tx).await.unwrap();
    drop(tx);
    let answer = server.anonymous().login("jane@example.com", PASSWORD).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// Copies the content of a database's write-ahead log into the file.
fn checkpoint(file: &Path) {
    let connection = rusqlite::Connection::open(file).unwrap();
    connection.busy_timeout(Duration::from_secs(5)).unwrap();
    let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
    let busy: i64 = connection.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(busy, 0);
}

/// Overwrites some pages in the middle of a spool.
fn ruin(spool: &Path) {
    checkpoint(spool);
    let mut bytes = std::fs::read(spool).unwrap();
    let middle = bytes.len() / 2 / 16_384 * 16_384;
    assert!(middle > 4 * 16_384, "{} bytes", bytes.len());
    bytes[middle..middle + 3 * 16_384].fill(0xff);
    // The same file, not a new one: the server has this one open.
    use std::os::unix::fs::FileExt;
    let file = std::fs::OpenOptions::new().write(true).open(spool).unwrap();
    file.write_all_at(&bytes, 0).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damage_that_is_met_while_running_is_set_aside() {
    let server = TestServer::start(Store::Sqlite).await;
    let team = server.team("one").await;
    let key = server.collect_key(team.app_id.as_str()).await;
    for _ in 0..30 {
        let batch: Vec<_> = (0..50).map(|_| event(&server, "a")).collect();
        assert_eq!(server.collect(&key, json!(batch)).await.status, 200);
    }
    let spool = &server.atrium.collector.spool;
    ruin(&server.folder().join("spool/1/spool.db"));
    let everything = || Wanted::AllBut(BTreeSet::new(), Partitions::ALL);
    assert!(spool.take(everything(), i64::MAX, Default::default()).await.is_err());
    let groups = spool.take(everything(), i64::MAX, Default::default()).await.unwrap();
    assert!(groups.len() >= 20 && groups.len() < 30, "{}", groups.len());
    let kept = spool.usage().messages();
    assert_eq!(kept, i64::try_from(groups.len()).unwrap() * 50);
    assert!(server.folder().join("spool/1/spool.db.damaged-1").exists());
    let answer = server.collect(&key, json!([event(&server, "a")])).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(spool.usage().messages(), kept + 1);
    let ready = server.anonymous().get("/readyz").await;
    assert_eq!(ready.status, 200);
    assert!(ready.body["storage"].as_str().unwrap().starts_with("degraded"), "{ready:?}");
}

/// A server without a warehouse, so that accepted messages wait in its spool.
fn serve(folder: &Path) -> Server {
    Server::start(folder, &["--engine-library", "/no/such/library.so"])
}

fn set_up(server: &Server, folder: &Path) -> String {
    let token = server.setup_link().unwrap().rsplit('/').next().unwrap().to_owned();
    let answer = server.request(&post("/api/v1/register/profile", &profile(&token)));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let database = rusqlite::Connection::open(folder.join("atrium.db")).unwrap();
    let sql = "SELECT value FROM api_keys WHERE kind = 'collect'";
    database.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn collect(server: &Server, key: &str, count: usize) {
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
    let now = i64::try_from(now).unwrap();
    let messages: Vec<_> = (0..count).map(|_| event_at(now, "a")).collect();
    let body = json!({ "app_key": key, "messages": messages }).to_string();
    let answer = server.request(&post("/v1/collect", &body));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

fn ready(server: &Server) -> Value {
    let answer = server.request("GET /readyz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap()
}

fn stop(server: Server, signal: &str) -> String {
    server.signal(signal);
    server.finish().1
}

/// Starts a server that must refuse to start, and returns what it says.
fn refused(folder: &Path) -> String {
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--engine-library", "/no/such/library.so"];
    let mut command = Command::new("timeout");
    let program = atrium(folder, &arguments);
    command.arg("60").arg(program.get_program()).args(program.get_args());
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert_eq!(status.code(), Some(1), "{}", text(&stdout));
    assert!(!text(&stdout).contains("emailValidator"), "no setup link: {}", text(&stdout));
    text(&stderr)
}

#[test]
fn a_damaged_spool_is_set_aside_at_start_and_the_server_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path());
    let key = set_up(&server, folder.path());
    for _ in 0..30 {
        collect(&server, &key, 50);
    }
    stop(server, "-KILL");
    let file = folder.path().join("spool/1/spool.db");
    ruin(&file);
    let server = serve(folder.path());
    let state = ready(&server);
    let waiting = state["waiting"].as_i64().unwrap();
    assert!((1_000..1_500).contains(&waiting) && waiting % 50 == 0, "{state}");
    assert!(state["storage"].as_str().unwrap().starts_with("degraded"), "{state}");
    collect(&server, &key, 1);
    assert_eq!(ready(&server)["waiting"].as_i64().unwrap(), waiting + 1);
    let doctor = text(&output(folder.path(), &["doctor"]).stdout);
    let log = stop(server, "-TERM");
    for report in [&log, &doctor] {
        assert!(report.contains(&format!("{} was damaged", file.display())), "{report}");
        assert!(report.contains(&format!("{waiting} messages of 1500 that waited")), "{report}");
    }
    // The damaged file is kept; the state is healthy once the operator deletes the note.
    assert!(folder.path().join("spool/1/spool.db.damaged-1").exists());
    std::fs::remove_file(folder.path().join("spool/1/spool.db.damaged-1.txt")).unwrap();
    let server = serve(folder.path());
    assert_eq!(ready(&server)["storage"], "ok");
    assert_eq!(ready(&server)["waiting"].as_i64().unwrap(), waiting + 1);
    stop(server, "-TERM");
    // A file that is not a database at all does not stop the server either.
    let _ = std::fs::remove_file(folder.path().join("spool/1/spool.db-wal"));
    std::fs::write(&file, "not a database ".repeat(4_000)).unwrap();
    let server = serve(folder.path());
    collect(&server, &key, 1);
    assert_eq!(ready(&server)["waiting"], 1);
    stop(server, "-TERM");
}

#[test]
fn a_log_that_was_dropped_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path());
    let key = set_up(&server, folder.path());
    for _ in 0..10 {
        collect(&server, &key, 10);
    }
    stop(server, "-KILL");
    let log: PathBuf = folder.path().join("spool/1/spool.db-wal");
    let mut bytes = std::fs::read(&log).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 100].fill(0xff);
    std::fs::write(&log, &bytes).unwrap();
    let server = serve(folder.path());
    let state = ready(&server);
    assert!(state["waiting"].as_i64().unwrap() < 100, "{state}");
    assert!(state["storage"].as_str().unwrap().starts_with("degraded"), "{state}");
    collect(&server, &key, 1);
    let said = stop(server, "-TERM");
    assert!(said.contains("spool.db lost the end of its log"), "{said}");
    assert!(said.contains("(100 messages were waiting"), "{said}");
    assert_eq!(std::fs::read(folder.path().join("spool/1/spool.db.damaged-1-wal")).unwrap(), bytes);
    // A log that ends where it should gives no message.
    let server = serve(folder.path());
    assert!(!stop(server, "-TERM").contains("lost the end"));
}

#[test]
fn a_lost_database_does_not_look_like_a_new_instance() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("atrium.db");
    let server = serve(folder.path());
    set_up(&server, folder.path());
    stop(server, "-TERM");
    checkpoint(&database);
    let whole = std::fs::read(&database).unwrap();
    for part in ["atrium.db", "atrium.db-wal", "atrium.db-shm"] {
        let _ = std::fs::remove_file(folder.path().join(part));
    }
    let said = refused(folder.path());
    assert!(said.contains(&format!("{} is missing", database.display())), "{said}");
    assert!(said.contains("master.key") && said.contains("start-anew"), "{said}");
    assert!(!database.exists(), "nothing was made");
    let doctor = output(folder.path(), &["doctor"]);
    assert!(!doctor.status.success() && text(&doctor.stdout).contains("is missing"));
    // An empty file is not a database either.
    std::fs::write(&database, "").unwrap();
    assert!(refused(folder.path()).contains("atrium.db is missing or empty"));
    // With the file restored, everything is as before.
    std::fs::write(&database, &whole).unwrap();
    let server = serve(folder.path());
    assert!(server.setup_link().is_none());
    stop(server, "-TERM");
    // Or the operator starts over.
    let in_use = output(folder.path(), &["admin", "start-anew"]);
    assert!(!in_use.status.success(), "there are accounts");
    for part in ["atrium.db", "atrium.db-wal", "atrium.db-shm"] {
        let _ = std::fs::remove_file(folder.path().join(part));
    }
    let anew = output(folder.path(), &["admin", "start-anew"]);
    assert!(anew.status.success(), "{}", text(&anew.stderr));
    let server = serve(folder.path());
    assert!(server.setup_link().is_some());
    stop(server, "-TERM");
}

/// The file is there and has its tables, but the account was in the log that is gone.
#[test]
fn a_database_without_its_log_does_not_look_like_a_new_instance() {
    let folder = tempfile::tempdir().unwrap();
    assert!(output(folder.path(), &["migrate"]).status.success());
    let database = folder.path().join("atrium.db");
    checkpoint(&database);
    let before = std::fs::read(&database).unwrap();
    let server = serve(folder.path());
    set_up(&server, folder.path());
    // A stopped server moves the log into the database; the log is removed after that.
    stop(server, "-TERM");
    for part in ["atrium.db-wal", "atrium.db-shm"] {
        let _ = std::fs::remove_file(folder.path().join(part));
    }
    std::fs::write(&database, before).unwrap();
    let said = refused(folder.path());
    assert!(said.contains("atrium.db holds no account"), "{said}");
    assert!(said.contains("start-anew"), "{said}");
}

#[test]
fn a_damaged_database_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path());
    set_up(&server, folder.path());
    stop(server, "-TERM");
    let database = folder.path().join("atrium.db");
    checkpoint(&database);
    let whole = std::fs::read(&database).unwrap();
    let mut bytes = whole.clone();
    let middle = bytes.len() / 2 / 4_096 * 4_096;
    bytes[middle..middle + 4_096].fill(0xff);
    std::fs::write(&database, bytes).unwrap();
    let said = refused(folder.path());
    assert!(said.contains(&format!("{} is damaged", database.display())), "{said}");
    let doctor = output(folder.path(), &["doctor"]);
    assert!(!doctor.status.success());
    assert!(text(&doctor.stdout).contains("atrium.db is damaged"), "{}", text(&doctor.stdout));
    std::fs::write(&database, whole).unwrap();
    stop(serve(folder.path()), "-TERM");
}

#[test]
fn a_key_that_others_can_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(output(folder.path(), &["migrate"]).status.success());
    let key = folder.path().join("master.key");
    for mode in [0o644, 0o640, 0o604] {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
        let said = refused(folder.path());
        assert!(said.contains(&key.display().to_string()) && said.contains("chmod 600"), "{said}");
    }
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    stop(serve(folder.path()), "-TERM");
}

#[test]
fn a_second_server_on_one_folder_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let library = engine_library();
    let library = library.to_str().unwrap();
    let first = Server::start(folder.path(), &["--engine-library", library]);
    let started = Instant::now();
    while ready(&first)["events"] != "ok" {
        assert!(started.elapsed() < Duration::from_secs(60), "{}", ready(&first));
        std::thread::sleep(Duration::from_millis(100));
    }
    let doctor = text(&output(folder.path(), &["doctor"]).stdout);
    assert!(doctor.contains("1 is running on this data folder"), "{doctor}");
    let second = Server::start(folder.path(), &["--engine-library", library]);
    let said = second.printed().join("\n");
    assert!(said.contains("Another server uses") && said.contains("warehouse_url"), "{said}");
    let doctor = text(&output(folder.path(), &["doctor"]).stdout);
    assert!(doctor.contains("2 are running on"), "{doctor}");
    stop(second, "-TERM");
    stop(first, "-TERM");
    let alone = Server::start(folder.path(), &["--engine-library", library]);
    assert!(!alone.printed().join("\n").contains("Another server"));
    stop(alone, "-TERM");
}
