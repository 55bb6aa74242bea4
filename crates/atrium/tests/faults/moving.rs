//! A server under load is moved from SQLite and the embedded event store to PostgreSQL and ClickHouse, on one
//! server and on two shards. Moves are killed halfway; the commands are those of docs/operating.md.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uuid::Uuid;
use warehouse::{Location, Warehouse};

use super::backup::until_loaded;
use super::crash::{
    Known, atrium, check_stores, collect_key, create_user, send_made, serve, serve_with,
    wait_until_empty,
};
use super::figures::equal_plain_counts;
use super::fleet::any;
use crate::support::authenticator::Authenticator;
use crate::support::clickhouse::{ClickHouse, Shards};
use crate::support::running::Running;
use crate::support::sender::{AccessKey, PATH, Signing, event_at, nonce};
use crate::support::{Actor, PASSWORD, databases};

const EMAIL: &str = "a@b.co";
/// Between two requests with forty messages each. At full speed most of this test's time goes into sending and
/// loading.
const PAUSE: Duration = Duration::from_millis(20);

/// The target of a move, as the program's options name it.
#[derive(Clone)]
struct Goal {
    database: String,
    warehouse: String,
}

impl Goal {
    /// The command from the handbook, for this folder.
    fn moving(&self, folder: &Path) -> Command {
        let handbook = include_str!("../../../../docs/operating.md");
        let (_, chapter) = handbook.split_once("\n## Move to PostgreSQL and ClickHouse\n").unwrap();
        let chapter = chapter.split("\n## ").next().unwrap();
        for variable in ["ATRIUM_MOVE_DATABASE=", "ATRIUM_MOVE_WAREHOUSE="] {
            assert!(chapter.contains(&format!("\nexport {variable}")), "{variable}");
        }
        let line = chapter.lines().find(|line| line.starts_with("atrium move ")).unwrap();
        let words = line.strip_suffix(" --data-dir /var/lib/atrium").unwrap();
        let mut command = atrium(folder, &words.split_whitespace().skip(1).collect::<Vec<_>>());
        command
            .env("ATRIUM_MOVE_DATABASE", &self.database)
            .env("ATRIUM_MOVE_WAREHOUSE", &self.warehouse);
        command
    }

    /// A server with the new settings.
    fn serving(&self, folder: &Path) -> Command {
        let mut command = atrium(folder, &["serve", "--listen", "127.0.0.1:0"]);
        command
            .env("ATRIUM_DATABASE_URL", &self.database)
            .env("ATRIUM_WAREHOUSE_URL", &self.warehouse);
        command
    }

    fn store(&self) -> Warehouse {
        Warehouse::open(Location::Remote { url: self.warehouse.parse().unwrap() })
    }
}

fn refused(mut command: Command) -> String {
    let Output { status, stderr, .. } = command.output().unwrap();
    let said = String::from_utf8_lossy(&stderr).into_owned();
    assert!(!status.success(), "{said}");
    said
}

async fn rows_in(store: &Warehouse, table: &str) -> u64 {
    let counted = store.query::<Value>(&format!("SELECT count() AS n FROM {table}"), &[]).await;
    counted.map_or(0, |rows| rows[0]["n"].as_u64().unwrap())
}

/// Events of two days, by people who switch between devices.
fn messages(now: i64) -> Vec<Value> {
    let message = |at: usize| {
        let name = ["page_view", "a", "b"][any(3)];
        let age = if at.is_multiple_of(4) { any(2 * 86_400_000) } else { 0 };
        let mut event = event_at(now - i64::try_from(age).unwrap(), name);
        event["data"]["device_id"] = json!(format!("device {}", any(60)));
        let user = if any(2) == 0 { String::new() } else { format!("user {}", any(20)) };
        event["data"]["user_id"] = json!(user);
        event
    };
    (0..40).map(message).collect()
}

/// How many of the accepted messages are in the event store.
async fn loaded(address: &str, known: &Mutex<Known>) -> i64 {
    let accepted = i64::try_from(known.lock().unwrap().accepted.len()).unwrap();
    let ready = http_client::local().get(format!("http://{address}/readyz")).send().await.unwrap();
    let ready: Value = ready.json().await.unwrap();
    accepted - ready["waiting"].as_i64().unwrap()
}

/// Polls until the condition holds.
async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !is_so().await {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Kills a move once the target has rows of this table.
async fn killed_half_way(goal: &Goal, folder: &Path, table: &str) {
    let mut moving =
        Running::start(goal.moving(folder).stdout(Stdio::null()).stderr(Stdio::null()));
    let store = goal.store();
    until("nothing is there", async || rows_in(&store, table).await > 0).await;
    assert!(moving.try_wait().unwrap().is_none(), "it was over before it could be killed");
    moving.kill().unwrap();
    moving.wait().unwrap();
}

/// Things a person has that were made at one server and are used at another.
struct Belongings {
    phone: Authenticator,
    access_key: AccessKey,
    app: String,
}

fn page(address: &str) -> String {
    format!("http://{}", address.replace("127.0.0.1", "localhost"))
}

async fn options_of(actor: &Actor, path: &str) -> Value {
    actor.post(path, json!({})).await.body["data"]["publicKey"].clone()
}

async fn belongings(address: &str) -> Belongings {
    let jane = Actor::new(&format!("http://{address}"));
    assert_eq!(jane.login(EMAIL, PASSWORD).await.status, 200);
    let current = jane.get("/api/v1/current").await;
    let app = current.body["data"]["last_app"]["app_id"].as_str().unwrap().to_owned();
    let mut phone = Authenticator::new(&page(address), 1);
    let credential = phone.create(&options_of(&jane, "/api/v1/current/passkeys/options").await);
    let passkey = json!({ "name": "My phone", "credential": credential });
    assert_eq!(jane.post("/api/v1/current/passkeys", passkey).await.status, 200);
    let made =
        jane.post(&format!("/api/v1/apps/{app}/access-keys"), json!({ "name": "server" })).await;
    let text = |field: &str| made.body["data"][field].as_str().unwrap().to_owned();
    Belongings { phone, access_key: AccessKey { id: text("id"), secret: text("secret") }, app }
}

impl Belongings {
    async fn work_at(&mut self, address: &str) {
        let url = format!("http://{address}");
        assert_eq!(Actor::new(&url).login(EMAIL, PASSWORD).await.status, 200);
        self.phone.origin = page(address);
        let browser = Actor::new(&url);
        let challenge = options_of(&browser, "/api/v1/login/passkey/options").await;
        let credential = json!({ "credential": self.phone.get(&challenge) });
        assert_eq!(browser.post("/api/v1/login/passkey", credential).await.status, 200);
        let keys = browser.get(&format!("/api/v1/apps/{}/access-keys", self.app)).await;
        assert_eq!(keys.body["data"]["items"][0]["name"], "server", "{keys:?}");
    }

    /// Sends one event, signed as a server would sign it.
    async fn send(&self, address: &str) -> Uuid {
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
        let event = event_at(i64::try_from(now).unwrap(), "signed");
        let id = event["data"]["log_id"].as_str().unwrap().parse().unwrap();
        let body = serde_json::to_vec(&json!({ "messages": [event] })).unwrap();
        let signing = Signing {
            method: "POST",
            path: PATH.to_owned(),
            nonce: nonce(),
            timestamp: i64::try_from(now).unwrap(),
        };
        let answer = http_client::local()
            .post(format!("http://{address}{PATH}"))
            .header("content-type", "application/json")
            .header("x-access-key-id", &self.access_key.id)
            .header("x-timestamp", signing.timestamp.to_string())
            .header("x-nonce", &signing.nonce)
            .header("x-signature", self.access_key.sign(&signing, &body))
            .body(body)
            .send();
        assert_eq!(answer.await.unwrap().status(), 200);
        id
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_under_load_takes_everything_along() {
    let clickhouse = ClickHouse::start();
    move_under_load(clickhouse.url(), &["events"]).await;
}

/// The second kill comes while the shards compute the counts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_under_load_into_two_shards_takes_everything_along() {
    let shards = Shards::start(2);
    move_under_load(shards.url("atrium"), &["events", "totals_15m"]).await;
}

/// Moves an instance under load. The command is killed once for each of these tables, when the target has
/// rows of it.
async fn move_under_load(warehouse: String, kills: &[&str]) {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("data");
    let goal = Goal { database: databases::empty_postgres().await, warehouse };
    create_user(&folder);
    let key = collect_key(&folder).await;
    let (mut child, old) = serve(&folder);
    let mut belongings = belongings(&old).await;
    let address = Arc::new(Mutex::new(old.clone()));
    let known = Arc::new(Mutex::new(Known::default()));
    let stop = Arc::new(AtomicBool::new(false));
    // Over a thousand messages a second, or with `LONG_TESTS=1` as many as the server takes.
    let pause = if std::env::var_os("LONG_TESTS").is_some() { Duration::ZERO } else { PAUSE };
    let (to, known_by, ends) = (address.clone(), known.clone(), stop.clone());
    let sender = tokio::spawn(send_made(to, key, known_by, ends, pause, messages));
    until_loaded(&address, &known).await;

    for table in kills {
        killed_half_way(&goal, &folder, table).await;
    }
    let said = refused(goal.serving(&folder));
    assert!(said.contains("a move to this database is not finished"), "{said}");
    let before = loaded(&old, &known).await;
    until("the old server goes on", async || loaded(&old, &known).await > before).await;

    let Output { status, stdout, stderr } = goal.moving(&folder).output().unwrap();
    let said = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{said}");
    let report: Value = serde_json::from_slice(&stdout).unwrap();
    assert!(report["events"].as_u64() > Some(0), "{report}");
    assert!(report["audit_entries"].as_u64() > Some(0), "{report}");
    let listed = std::fs::read_to_string(report["comparison"].as_str().unwrap()).unwrap();
    assert!(listed.contains(&format!("events\tevents\t{}\t20", belongings.app)), "{listed}");
    assert!(!listed.contains("false"), "{listed}");

    // The old server still accepts messages, which the new one will load, but no more changes.
    let accepted = known.lock().unwrap().accepted.len();
    until("it takes messages", async || known.lock().unwrap().accepted.len() > accepted).await;
    let login = Actor::new(&format!("http://{old}")).login(EMAIL, PASSWORD).await;
    assert_eq!((login.status, login.code()), (503, "instance_moved"), "{login:?}");
    assert!(!login.header("retry-after").is_empty());
    let ready = http_client::local().get(format!("http://{old}/readyz")).send().await.unwrap();
    assert_eq!(ready.status(), 200);
    let stored = rows_in(&goal.store(), "events").await;
    assert_eq!(report["events"].as_u64(), Some(stored));
    stop.store(true, Ordering::Relaxed);
    sender.await.unwrap();
    assert_eq!(known.lock().unwrap().refused, 0, "no message was refused at any time");
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    child.wait().unwrap();
    let said = refused(atrium(&folder, &["serve", "--listen", "127.0.0.1:0"]));
    assert!(said.contains("was moved to 127.0.0.1"), "{said}");

    let (mut child, new) = serve_with(&mut goal.serving(&folder));
    belongings.work_at(&new).await;
    let signed = belongings.send(&new).await;
    assert_eq!(wait_until_empty(&new).await, 0, "what waited is loaded");
    let mut known = std::mem::take(&mut *known.lock().unwrap());
    known.accepted.insert(signed);
    known.sent.insert(signed);
    check_stores(&goal.store(), &goal.database, &known).await;
    equal_plain_counts(&goal.store()).await;
    let mut doctor = atrium(&folder, &["doctor"]);
    doctor.env("ATRIUM_DATABASE_URL", &goal.database).env("ATRIUM_WAREHOUSE_URL", &goal.warehouse);
    let said = String::from_utf8(doctor.output().unwrap().stdout).unwrap();
    assert!(said.contains("all chains verified"), "{said}");
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    child.wait().unwrap();
}
