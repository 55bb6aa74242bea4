//! Archives of an instance, and instances restored from archives.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::people::by;
use crate::support::authenticator::Authenticator;
use crate::support::clickhouse::Shards;
use crate::support::databases;
use crate::support::sender::{event, mutation};
use crate::support::{Actor, Answer, Store, TestServer, engine_library, in_both_sizes};
use atrium::audit::{self, Actor as By};
use atrium::backup::{self, Options, Progress, Report, Source, restore, schedule};
use atrium::collect::loader::{self, Turn};
use atrium::config::{BackupSettings, RawSettings, Settings, sqlite_url};
use atrium::types::Millis;
use serde_json::{Value, json};
use tempfile::TempDir;

const JANE: &str = "jane@example.com";

fn options(output: &Path) -> Options {
    Options { output: output.to_owned(), since: None, include_master_key: false }
}

async fn make(server: &TestServer, options: &Options) -> anyhow::Result<Report> {
    let settings = &server.atrium.settings;
    let source = match settings.events.warehouse_url {
        Some(_) => Source::Server,
        None if settings.stores.data_dir.join("events").exists() => Source::Engine,
        None => Source::Nothing,
    };
    backup::make(&server.atrium, options, source, &By::operator(), Progress::Silent).await
}

async fn load(server: &TestServer) {
    while loader::turn(&server.atrium, &server.atrium.collector.spool).await.unwrap() != Turn::Idle
    {
    }
}

/// Folders and databases where an instance like the server's can be restored.
struct Elsewhere {
    folder: Arc<TempDir>,
    raw: RawSettings,
    store: Store,
}

impl Elsewhere {
    async fn than(server: &TestServer) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let database_url = match server.store {
            Store::Sqlite => sqlite_url(folder.path()).unwrap(),
            Store::Postgres => databases::empty_postgres().await,
        };
        // Another database on the same server.
        let warehouse_url = server.atrium.settings.events.warehouse_url.clone().map(|mut url| {
            url.set_path(&format!("/restored_{}", uuid::Uuid::new_v4().simple()));
            url.to_string()
        });
        let raw = RawSettings {
            data_dir: Some(folder.path().to_owned()),
            database_url: Some(database_url),
            warehouse_url,
            engine_library: Some(engine_library()),
            engine_memory_mb: Some(1_024),
            ..Default::default()
        };
        Self { folder, raw, store: server.store }
    }

    async fn restore(&self, files: &[&Path]) -> anyhow::Result<restore::Report> {
        let mut settings = Settings::check(self.raw.clone()).unwrap();
        settings.events.engine_program = Some(env!("CARGO_BIN_EXE_atrium").into());
        let files = files.iter().map(PathBuf::from).collect();
        restore::run(settings, &restore::Options { files }).await
    }

    async fn refused(&self, files: &[&Path]) -> String {
        let refused = format!("{:#}", self.restore(files).await.unwrap_err());
        let left: Vec<_> = std::fs::read_dir(self.folder.path()).unwrap().collect();
        assert!(left.len() <= 1, "{left:?} after {refused}");
        refused
    }

    fn put_key_of(&self, server: &TestServer) {
        let to = self.folder.path().join("master.key");
        std::fs::copy(server.folder().join("master.key"), to).unwrap();
    }

    async fn serve(&self) -> TestServer {
        let warehouse_url = self.raw.warehouse_url.clone();
        let url = self.raw.database_url.clone().unwrap();
        let change = |raw: &mut RawSettings| raw.warehouse_url = warehouse_url;
        TestServer::on(self.store, url, self.folder.clone(), change).await
    }
}

async fn number(server: &TestServer, sql: &str) -> u64 {
    let warehouse = &server.atrium.warehouse;
    warehouse.ready(std::time::Duration::from_secs(60)).await.unwrap();
    let rows: Vec<Value> = warehouse.query(sql, &[]).await.unwrap();
    rows[0]["n"].as_u64().unwrap()
}

async fn options_of(actor: &Actor, path: &str) -> Value {
    actor.post(path, json!({})).await.body["data"]["publicKey"].clone()
}

async fn sign_in_by_passkey(browser: &Actor, phone: &mut Authenticator) -> Answer {
    let credential = phone.get(&options_of(browser, "/api/v1/login/passkey/options").await);
    browser.post("/api/v1/login/passkey", json!({ "credential": credential })).await
}

/// Makes an archive of the server, restores it, and checks that the new instance has everything.
async fn works_elsewhere(server: &TestServer) -> (TempDir, TestServer) {
    let jane = server.owner(JANE).await;
    let current = jane.get("/api/v1/current").await;
    let app = current.body["data"]["last_app"]["app_id"].as_str().unwrap().to_owned();
    let key = server.collect_key(&app).await;
    let access_key = server.access_key(&jane, &app).await;
    let mut phone = Authenticator::new(&server.url.replace("127.0.0.1", "localhost"), 1);
    let wanted = options_of(&jane, "/api/v1/current/passkeys/options").await;
    let credential = phone.create(&wanted);
    let passkey = json!({ "name": "My phone", "credential": credential });
    assert_eq!(jane.post("/api/v1/current/passkeys", passkey).await.status, 200);
    // Twice, so that there is more than one part; the rest waits in the spool.
    for _ in 0..2 {
        let by = |device| by("", &format!("device {device}"), event(server, "a"));
        let some: Vec<_> = (0..20).map(by).collect();
        assert_eq!(server.collect(&key, json!(some)).await.status, 200);
        let profile = mutation(server, "UserMutation", "set", "user-1", json!({ "plan": "pro" }));
        assert_eq!(server.collect_signed(&access_key, json!([profile])).await.status, 200);
        load(server).await;
    }
    let waiting: Vec<_> = (0..7).map(|_| event(server, "b")).collect();
    assert_eq!(server.collect(&key, json!(waiting)).await.status, 200);

    let archives = tempfile::tempdir().unwrap();
    let file = archives.path().join("a.tar");
    let made = make(server, &options(&file)).await.unwrap();
    assert_eq!((made.events, made.waiting), (40, 7));
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let left = std::fs::read_dir(archives.path()).unwrap().count();
    assert_eq!(left, 1, "nothing but the archive");
    assert!(
        format!("{:#}", make(server, &options(&file)).await.unwrap_err())
            .contains("already exists")
    );

    let elsewhere = Elsewhere::than(server).await;
    elsewhere.put_key_of(server);
    let restored = elsewhere.restore(&[&file]).await.unwrap();
    assert_eq!((restored.events, restored.waiting, restored.rows), (40, 7, made.rows));
    assert!(restored.audit_entries > Some(0));
    let again = elsewhere.restore(&[&file]).await.unwrap_err();
    assert!(format!("{again:#}").contains("is not empty"), "{again:#}");

    let other = elsewhere.serve().await;
    assert_eq!(number(&other, "SELECT count() AS n FROM events").await, 40);
    load(&other).await;
    for sql in [
        "SELECT count() AS n FROM events",
        "SELECT uniqExact(log_id) AS n FROM events",
        "SELECT sum(events) AS n FROM totals_15m",
        "SELECT sum(events) AS n FROM events_1d",
    ] {
        assert_eq!(number(&other, sql).await, 47, "{sql}");
    }
    let profiles = "SELECT countIf(properties LIKE '%pro%') AS n FROM profiles FINAL";
    let kept = number(server, profiles).await;
    assert!(kept > 0 && number(&other, profiles).await == kept, "{kept}");
    let booked =
        "SELECT CAST(SUM(messages) AS BIGINT) FROM ingest_ledger WHERE outcome = 'accepted'";
    assert_eq!(other.count(booked).await, 47 + 2, "events and profiles");
    let jane = other.signed_in(JANE).await;
    assert_eq!(jane.get(&format!("/api/v1/apps/{app}/access-keys")).await.status, 200);
    phone.origin = other.url.replace("127.0.0.1", "localhost");
    assert_eq!(sign_in_by_passkey(&other.anonymous(), &mut phone).await.status, 200);
    let signed = other.collect_signed(&access_key, json!([event(&other, "c")])).await;
    assert_eq!(signed.status, 200, "{signed:?}");
    load(&other).await;
    assert_eq!(number(&other, "SELECT sum(events) AS n FROM totals_15m").await, 48);
    let mut db = other.atrium.db.read().await.unwrap();
    let (_, faults) = audit::verify(&mut db, &other.atrium.keyring).await.unwrap();
    assert_eq!(faults, []);
    drop(db);
    (archives, other)
}

in_both_sizes! {
    async fn what_was_there_works_elsewhere(server: TestServer) {
        works_elsewhere(&server).await;
    }
}

async fn events_of_shards(server: &TestServer) -> Vec<u64> {
    let mut events = Vec::new();
    for shard in server.atrium.warehouse.shards().await.unwrap() {
        let sql = "SELECT count() AS n FROM events WHERE event = 'a'";
        let rows: Vec<Value> = shard.query(sql, &[]).await.unwrap();
        events.push(rows[0]["n"].as_u64().unwrap());
    }
    events
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_is_restored_shard_by_shard() {
    let shards = Shards::start(2);
    let url = shards.url("atrium");
    let server = TestServer::start_with(Store::Postgres, |raw| raw.warehouse_url = Some(url)).await;
    let (archives, other) = works_elsewhere(&server).await;
    let events = events_of_shards(&server).await;
    assert!(events.iter().all(|events| *events > 0), "{events:?}");
    assert_eq!(events_of_shards(&other).await, events, "rows lie where they belong");

    // With fewer shards, rows would not be on the shard where they belong.
    let mut elsewhere = Elsewhere::than(&server).await;
    let one = elsewhere.raw.warehouse_url.as_ref().unwrap().replace("?cluster=main", "");
    elsewhere.raw.warehouse_url = Some(one);
    let said = elsewhere.refused(&[&archives.path().join("a.tar")]).await;
    assert!(said.contains("of a cluster of 2 shards, but this is one server"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_increment_leaves_out_what_the_one_before_has() {
    let server = TestServer::start_with_engine(Store::Sqlite).await;
    let team = server.team("one").await;
    let key = server.collect_key(team.app_id.as_str()).await;
    let archives = tempfile::tempdir().unwrap();
    let file = |name: &str| archives.path().join(name);
    let mut since = None;
    let mut sizes = Vec::new();
    // Large enough that events are most of the archive.
    for (count, name) in [(3_000, "full"), (1, "second"), (1, "third")] {
        let some: Vec<_> = (0..count).map(|_| event(&server, "a")).collect();
        for some in some.chunks(500) {
            assert_eq!(server.collect(&key, json!(some)).await.status, 200);
        }
        load(&server).await;
        let made = make(&server, &Options { since, ..options(&file(name)) }).await.unwrap();
        sizes.push(made.bytes);
        since = Some(file(name));
    }
    make(&server, &options(&file("other"))).await.unwrap();
    let entries = |name: &str| {
        let listed = std::process::Command::new("tar").arg("-tf").arg(file(name)).output().unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        listed.lines().filter(|line| line.starts_with("events/")).count()
    };
    assert!(sizes[1] < sizes[0] && entries("second") < entries("other"), "{sizes:?}");
    let elsewhere = Elsewhere::than(&server).await;
    elsewhere.put_key_of(&server);
    let refused = elsewhere.refused(&[&file("third")]).await;
    assert!(refused.contains("needs the archive"), "{refused}");
    let refused = elsewhere.refused(&[&file("full"), &file("other")]).await;
    assert!(refused.contains("is not part of this restore"), "{refused}");
    let all = ["full", "second", "third"].map(&file);
    let files: Vec<&Path> = all.iter().map(PathBuf::as_path).collect();
    assert_eq!(elsewhere.restore(&files).await.unwrap().events, 3_002);
    let whole = Elsewhere::than(&server).await;
    whole.put_key_of(&server);
    assert_eq!(whole.restore(&[&file("other")]).await.unwrap().events, 3_002);
    let (one, two) = (elsewhere.serve().await, whole.serve().await);
    for sql in [
        "SELECT sum(cityHash64(*)) AS n FROM events",
        "SELECT sum(events) AS n FROM totals_15m",
        "SELECT sum(events) AS n FROM breakdowns_1d",
        "SELECT sum(no) AS n FROM identities",
    ] {
        assert_eq!(number(&one, sql).await, number(&two, sql).await, "{sql}");
    }
}

/// An archive of an instance without events, which is quick to make.
async fn small(server: &TestServer, name: &str, with_key: bool) -> PathBuf {
    let file = server.folder().join(name);
    let options = Options { include_master_key: with_key, ..options(&file) };
    make(server, &options).await.unwrap();
    file
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_archive_is_refused_by_name() {
    let server = TestServer::start(Store::Sqlite).await;
    server.account(JANE).await;
    let file = small(&server, "a.tar", false).await;
    let whole = std::fs::read(&file).unwrap();
    let elsewhere = Elsewhere::than(&server).await;
    elsewhere.put_key_of(&server);
    let bent = server.folder().join("bent.tar");
    let refused = async |bytes: &[u8]| {
        std::fs::write(&bent, bytes).unwrap();
        elsewhere.refused(&[&bent]).await
    };
    let mut flipped = whole.clone();
    flipped[1_000] ^= 1;
    let said = refused(&flipped).await;
    assert!(said.contains("bent.tar is damaged: database.sqlite.zst has changed"), "{said}");
    let said = refused(&whole[..whole.len() / 2]).await;
    assert!(said.contains("bent.tar") && said.contains("truncated"), "{said}");
    let said = refused(b"not an archive").await;
    assert!(said.contains("bent.tar"), "{said}");
    let change = |from: &str, to: &str| {
        let text = String::from_utf8_lossy(&whole);
        let place = whole.windows(from.len()).position(|it| it == from.as_bytes());
        let place = place.unwrap_or_else(|| panic!("{from} in {text}"));
        let mut changed = whole.clone();
        changed[place..place + from.len()].copy_from_slice(to.as_bytes());
        changed
    };
    let said = refused(&change("\"users\": 1", "\"users\": 2")).await;
    assert!(said.contains("manifest.json is damaged"), "{said}");
    let said = refused(&change("database.sqlite.zst", "datebase.sqlite.zst")).await;
    assert!(said.contains("it is damaged"), "{said}");
    // The same folder accepts the unchanged archive.
    elsewhere.restore(&[&file]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_key_is_left_out_unless_it_is_asked_for() {
    let server = TestServer::start(Store::Sqlite).await;
    server.account(JANE).await;
    let (without, with) =
        (small(&server, "without.tar", false).await, small(&server, "with.tar", true).await);
    let key = std::fs::read(server.folder().join("master.key")).unwrap();

    let elsewhere = Elsewhere::than(&server).await;
    let other_key = "MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI=\n";
    std::fs::write(elsewhere.folder.path().join("master.key"), other_key).unwrap();
    for file in [&without, &with] {
        let said = elsewhere.refused(&[file]).await;
        assert!(said.contains("an instance with a different key"), "{said}");
    }
    std::fs::remove_file(elsewhere.folder.path().join("master.key")).unwrap();
    let restored = elsewhere.restore(&[&without]).await.unwrap();
    assert_eq!((restored.master_key, restored.audit_entries), (restore::KeyState::Missing, None));
    let settings = Settings::check(elsewhere.raw.clone()).unwrap();
    let started = atrium::app::AppState::start(settings, server.clock.clone()).await;
    let said = format!("{:#}", started.err().unwrap());
    assert!(said.contains("bring that key back"), "{said}");
    elsewhere.put_key_of(&server);
    elsewhere.serve().await.signed_in(JANE).await;

    let elsewhere = Elsewhere::than(&server).await;
    let restored = elsewhere.restore(&[&with]).await.unwrap();
    assert_eq!(restored.master_key, restore::KeyState::Restored);
    assert!(restored.audit_entries > Some(0));
    assert_eq!(std::fs::read(elsewhere.folder.path().join("master.key")).unwrap(), key);
    elsewhere.serve().await.signed_in(JANE).await;
    let noted = "SELECT COUNT(*) FROM audit_entries WHERE action = 'instance.backup' \
                 AND actor_kind = 'operator' AND details LIKE '%\"master_key\":true%'";
    assert_eq!(server.count(noted).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_audit_log_that_does_not_hold_is_not_restored() {
    let server = TestServer::start(Store::Sqlite).await;
    server.account(JANE).await;
    server.execute("UPDATE audit_entries SET ip = $1 WHERE seq = 1", "10.0.0.1").await;
    let file = small(&server, "a.tar", true).await;
    let elsewhere = Elsewhere::than(&server).await;
    let said = elsewhere.refused(&[&file]).await;
    assert!(said.contains("the audit log fails verification"), "{said}");
    assert_eq!(std::fs::read_dir(elsewhere.folder.path()).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_schedule_makes_them_in_time_and_keeps_some() {
    let server = TestServer::start(Store::Postgres).await;
    let folder = tempfile::tempdir().unwrap();
    let settings =
        BackupSettings { folder: folder.path().join("made"), every: 6 * Millis::HOUR, keep: 2 };
    let run = async || schedule::run_due(&server.atrium, &settings).await.unwrap();
    let first = run().await.unwrap().file;
    assert!(run().await.is_none(), "it is not time");
    let foreign = settings.folder.join("mine.tar");
    std::fs::write(&foreign, "").unwrap();
    let second_instance = server.second_instance().await;
    server.clock.advance(6 * Millis::HOUR);
    second_instance.clock.advance(6 * Millis::HOUR);
    let second = run().await.unwrap().file;
    second_instance.clock.advance(10 * Millis::SECOND);
    let elsewhere = BackupSettings { folder: folder.path().join("elsewhere"), ..settings.clone() };
    let other = schedule::run_due(&second_instance.atrium, &elsewhere).await.unwrap();
    assert!(other.is_none(), "another instance makes them");
    assert!(first.exists() && second.exists());
    server.clock.advance(6 * Millis::HOUR);
    let before = server.atrium.now().0 / 1_000;
    let third = run().await.unwrap().file;
    assert!(!first.exists() && second.exists() && third.exists() && foreign.exists());
    let metrics = server.atrium.metrics.render();
    let timestamp = metrics
        .lines()
        .find_map(|line| line.strip_prefix("atrium_backup_last_success_timestamp_seconds "))
        .unwrap();
    let timestamp: f64 = timestamp.parse().unwrap();
    assert!((before..=server.atrium.now().0 / 1_000).contains(&(timestamp as i64)), "{timestamp}");
    // A backup that fails removes no existing archive.
    server.clock.advance(6 * Millis::HOUR);
    let blocked = BackupSettings { keep: 1, ..settings.clone() };
    let lock = std::fs::File::create(server.folder().join("backup.lock")).unwrap();
    lock.lock().unwrap();
    let said = schedule::run_due(&server.atrium, &blocked).await.unwrap_err();
    assert!(format!("{said:#}").contains("another backup"), "{said:#}");
    assert!(second.exists() && third.exists());
    drop(lock);
    second_instance.clock.advance(13 * Millis::HOUR);
    let other = schedule::run_due(&second_instance.atrium, &elsewhere).await.unwrap();
    assert!(other.is_some(), "the other instance is gone");
}
