//! Three instances on one PostgreSQL and two shards of ClickHouse, under load. Some are killed, told to
//! end, or stopped for longer than a lease lasts, the database and a shard are killed and a shard is stopped
//! too, one instance has a clock that is an hour ahead and another a disk that runs full: loading goes on, and
//! nothing is lost or doubled.
//!
//! Half a minute here, ten minutes with `LONG_TESTS=1`.

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use uuid::Uuid;

use crate::crash::ATRIUM;
use crate::disk::Disk;
use crate::figures::equal_plain_counts;
use crate::fleet_disk::fill_a_disk;
use crate::support::clickhouse::Shards;
use crate::support::postgres::OwnPostgres;
use crate::support::running::Running;
use crate::support::sender::event_at;
use crate::support::world::Team;
use crate::support::{Actor, Store, TestServer};
use atrium::app::AppState;
use atrium::config::RawSettings;

const INSTANCES: usize = 3;
const SENDERS: usize = 4;
const DEVICES: u128 = 60;
/// Of the instance whose disk runs full.
const DISK_MB: u32 = 48;
/// How long nothing at all may be loaded.
const STILL_MAX: Duration = Duration::from_secs(45);
/// How long a signed-in person may have to retry while the database and one instance are up.
const RETRIED_MAX: Duration = Duration::from_secs(15);

/// One of the fleet: the program and what it comes back with after a crash.
pub(crate) struct Instance {
    /// Which program it runs; the next start may be of another.
    pub program: PathBuf,
    /// What its folder is on, where that may run full. Goes before the folder.
    pub disk: Option<Disk>,
    pub folder: TempDir,
    database: String,
    store: String,
    has_wrong_clock: bool,
    pub running: Option<Running>,
    pub address: Arc<Mutex<Option<String>>>,
}

impl Instance {
    /// By its number: one has a small disk, and one a clock that is wrong.
    fn new(server: &TestServer, urls: (String, String), number: usize) -> Self {
        let mut instance = Self::prepare(ATRIUM.into(), urls);
        instance.has_wrong_clock = number == 2;
        if number == 1 {
            instance.disk = Disk::mount_at(instance.folder.path(), DISK_MB);
        }
        instance.take_key(&server.folder().join("master.key"));
        instance.start();
        instance
    }

    /// One that is still to be started.
    pub fn prepare(program: PathBuf, (database, store): (String, String)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (has_wrong_clock, running, address) = (false, None, Arc::default());
        let disk = None;
        Self { program, disk, folder, database, store, has_wrong_clock, running, address }
    }

    /// All instances have the same.
    pub fn take_key(&self, key: &Path) {
        std::fs::copy(key, self.folder.path().join("master.key")).unwrap();
    }

    pub fn start(&mut self) {
        let mut running = Running::start(&mut self.command());
        let mut first = String::new();
        BufReader::new(running.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let address = first.trim().rsplit("http://").next().unwrap().to_owned();
        assert!(address.starts_with("127."), "it did not start: {first:?}");
        *self.address.lock().unwrap() = Some(address);
        self.running = Some(running);
    }

    fn signal(&self, signal: &str) {
        let id = self.running.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    /// Ends it and starts it anew.
    pub async fn restart(&mut self, signal: &str) {
        self.signal(signal);
        *self.address.lock().unwrap() = None;
        let mut running = self.running.take().unwrap();
        tokio::task::spawn_blocking(move || running.wait().unwrap()).await.unwrap();
        self.start();
    }

    /// The program on the same stores.
    pub fn with(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .args(["--data-dir", self.folder.path().to_str().unwrap(), "--log", "warn"])
            .env("ATRIUM_DATABASE_URL", &self.database)
            .env("ATRIUM_WAREHOUSE_URL", &self.store)
            .stdout(Stdio::piped());
        command
    }

    fn command(&self) -> Command {
        let mut command = self.with(&["serve", "--listen", "127.0.0.1:0", "--collect-quota", "0"]);
        if let (true, Some(library)) = (self.has_wrong_clock, faketime()) {
            command
                .env("LD_PRELOAD", library)
                .env("FAKETIME", "+1h")
                .env("DONT_FAKE_MONOTONIC", "1");
        }
        command
    }
}

/// What makes a program believe in another time, where `scripts/install-test-tools` brings it.
fn faketime() -> Option<PathBuf> {
    let places = std::fs::read_dir("/usr/lib").ok()?;
    let file = |place: std::fs::DirEntry| place.path().join("faketime/libfaketime.so.1");
    places.flatten().map(file).find(|file| file.exists())
}

#[derive(Default)]
pub(crate) struct Known {
    pub accepted: HashSet<Uuid>,
    pub sent: HashSet<Uuid>,
}

struct Sender {
    addresses: Vec<Arc<Mutex<Option<String>>>>,
    keys: Vec<String>,
    known: Arc<Mutex<Known>>,
    stop: Arc<AtomicBool>,
}

impl Sender {
    /// Sends to any instance; what got no answer goes to another, which may be the second to have it.
    async fn send(self) {
        let client = http_client::builder().timeout(Duration::from_secs(3)).build().unwrap();
        let mut pending: Option<(String, Vec<Value>)> = None;
        while !self.stop.load(Ordering::Relaxed) {
            let (key, messages) = pending.take().unwrap_or_else(|| (self.key(), messages()));
            let ids: Vec<Uuid> = messages
                .iter()
                .map(|message| message["data"]["log_id"].as_str().unwrap().parse().unwrap())
                .collect();
            self.known.lock().unwrap().sent.extend(&ids);
            let at = any(self.addresses.len());
            let address = self.addresses[at].lock().unwrap().clone();
            let body = json!({ "app_key": key, "messages": messages });
            let answer = match address {
                Some(at) => {
                    client.post(format!("http://{at}/v1/collect")).json(&body).send().await.ok()
                }
                None => None,
            };
            if answer.is_some_and(|answer| answer.status() == 200) {
                self.known.lock().unwrap().accepted.extend(&ids);
            } else {
                pending = Some((key, messages));
            }
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
    }

    fn key(&self) -> String {
        self.keys[any(self.keys.len())].clone()
    }
}

pub(crate) fn any(count: usize) -> usize {
    usize::try_from(Uuid::new_v4().as_u128() % count as u128).unwrap()
}

pub(crate) fn messages() -> Vec<Value> {
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
    let message = |_| {
        let mut event = event_at(i64::try_from(now).unwrap(), "a");
        event["data"]["device_id"] =
            json!(format!("device {}", Uuid::new_v4().as_u128() % DEVICES));
        event["data"]["user_id"] = json!("");
        if any(2) == 0 {
            event["data"]["event"] = json!("page_view");
        }
        event
    };
    (0..20).map(message).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fleet_goes_on_whatever_happens_to_some_of_it() {
    let long = std::env::var_os("LONG_TESTS").is_some();
    let lasts = Duration::from_secs(if long { 600 } else { 30 });
    let (postgres, mut shards) = (OwnPostgres::start(), Shards::start(2));
    let urls = (postgres.url(), shards.url("atrium"));
    let change = |raw: &mut RawSettings| {
        raw.database_url = Some(urls.0.clone());
        raw.warehouse_url = Some(urls.1.clone());
    };
    let server = TestServer::start_with(Store::Postgres, change).await;
    server.atrium.warehouse.ready(Duration::from_secs(60)).await.unwrap();
    let (mut keys, mut teams) = (Vec::new(), Vec::new());
    for name in ["one", "two", "three", "four"] {
        let team = server.team(name).await;
        keys.push(server.collect_key(team.app_id.as_str()).await);
        teams.push(team);
    }
    let mut fleet: Vec<Instance> =
        (0..INSTANCES).map(|number| Instance::new(&server, urls.clone(), number)).collect();
    let known = Arc::new(Mutex::new(Known::default()));
    let stop = Arc::new(AtomicBool::new(false));
    let addresses: Vec<_> = fleet.iter().map(|instance| instance.address.clone()).collect();
    let senders: Vec<_> = (0..SENDERS)
        .map(|_| {
            let (addresses, keys) = (addresses.clone(), keys.clone());
            tokio::spawn(
                Sender { addresses, keys, known: known.clone(), stop: stop.clone() }.send(),
            )
        })
        .collect();
    let database_down = Arc::new(AtomicBool::new(false));
    let person = Person {
        actor: teams[0].actor("owner").at(""),
        addresses: addresses.clone(),
        database_down: database_down.clone(),
    };
    let person = tokio::spawn(person.look_around(stop.clone()));
    let watching = tokio::spawn(longest_stillness(server.atrium.clone(), stop.clone()));
    let begun = Instant::now();
    while begun.elapsed() < lasts {
        // One is stopped for longer than its leases last, and the others come and go meanwhile.
        fleet[0].signal("-STOP");
        let stopped = Instant::now();
        for turn in 0.. {
            let pause = 500 + any(3_500) as u64;
            tokio::time::sleep(Duration::from_millis(pause)).await;
            shards.revive();
            let other = &mut fleet[1 + any(INSTANCES - 1)];
            match turn % 5 {
                0 => {
                    // A shard that does not answer meanwhile is no reason to stop either.
                    let shard = shards.shard(any(2));
                    shard.signal("-STOP");
                    other.restart("-KILL").await;
                    shard.signal("-CONT");
                }
                1 => {
                    database_down.store(true, Ordering::Relaxed);
                    postgres.crash();
                    database_down.store(false, Ordering::Relaxed);
                }
                2 => other.restart("-TERM").await,
                3 => fill_a_disk(&fleet[1..], &keys[0], &known).await,
                _ => shards.shard(any(2)).crash(),
            }
            if stopped.elapsed() > Duration::from_secs(35) {
                break;
            }
        }
        fleet[0].signal("-CONT");
        fleet.rotate_left(1);
    }
    stop.store(true, Ordering::Relaxed);
    for sender in senders {
        sender.await.unwrap();
    }
    let still = watching.await.unwrap();
    assert!(still <= STILL_MAX, "nothing was loaded for {still:?}");
    for instance in &fleet {
        // One may end by itself a moment after another was killed.
        drain_while(instance, || shards.revive()).await;
    }
    let known = std::mem::take(&mut *known.lock().unwrap());
    let retried = person.await.unwrap();
    assert!(retried <= RETRIED_MAX, "a signed-in person had to retry for {retried:?}");
    check(&server, &known).await;
    for team in &teams {
        dashboard_equals_plain_counts(&server, team).await;
    }
    lose_a_shard(&server, &teams[0], &mut shards).await;
}

/// A signed-in person behind a load balancer that sends each request to the next instance.
struct Person {
    actor: Actor,
    addresses: Vec<Arc<Mutex<Option<String>>>>,
    database_down: Arc<AtomicBool>,
}

impl Person {
    /// Returns the longest time without an answer while the database was up. Whatever happens, the person
    /// is never signed out or refused.
    async fn look_around(self, stop: Arc<AtomicBool>) -> Duration {
        let (mut since, mut longest) = (Instant::now(), Duration::ZERO);
        for address in self.addresses.iter().cycle() {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let address = address.lock().unwrap().clone();
            let answer = match address {
                Some(at) => {
                    let actor = self.actor.at(&format!("http://{at}"));
                    let request = actor.request(Method::GET, "/api/v1/current");
                    request.timeout(Duration::from_secs(3)).send().await.ok()
                }
                None => None,
            };
            let status = answer.map(|answer| answer.status().as_u16());
            assert!(matches!(status, None | Some(200 | 503)), "{status:?}");
            let database_down = self.database_down.load(Ordering::Relaxed);
            if !database_down {
                longest = longest.max(since.elapsed());
            }
            if database_down || status == Some(200) {
                since = Instant::now();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        longest
    }
}

/// The dashboard shows afterwards what a plain count gives.
async fn dashboard_equals_plain_counts(server: &TestServer, team: &Team) {
    let now = jiff::Timestamp::from_millisecond(server.atrium.now().0).unwrap();
    let today = now.to_zoned(jiff::tz::TimeZone::UTC).date();
    // It may have been yesterday when the first were sent.
    let (start, end) = (today.yesterday().unwrap(), today.tomorrow().unwrap());
    let body = json!({ "start": start.to_string(), "end": end.to_string(), "granularity": "day",
        "timezone": "UTC" });
    let path = format!("/api/v1/orgs/{}/data-overall", team.org_id);
    let answer = team.actor("owner").post(&path, body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    for (figure, counted) in [
        ("events", "count()"),
        ("page_views", "countIf(event = 'page_view')"),
        ("active_users", "uniqExact(device_id)"),
        ("active_devices", "uniqExact(device_id)"),
    ] {
        let what = format!("{counted} FROM events WHERE app_id = '{}'", team.app_id);
        let counted = try_number(&server.atrium, &what).await.unwrap();
        assert_eq!(answer.body["data"]["totals"][figure]["value"], counted, "{figure}");
    }
}

/// Without one of the shards there are no figures, and it is said which one is missing.
async fn lose_a_shard(server: &TestServer, team: &Team, shards: &mut Shards) {
    let now = jiff::Timestamp::from_millisecond(server.atrium.now().0).unwrap();
    let today = now.to_zoned(jiff::tz::TimeZone::UTC).date().to_string();
    let body = json!({ "start": today, "end": today, "granularity": "day", "timezone": "UTC" });
    let path = format!("/api/v1/orgs/{}/data-overall", team.org_id);
    let ask = async || team.actor("owner").post(&path, body.clone()).await;
    shards.shard(1).kill();
    let answer = ask().await;
    assert_eq!((answer.status, answer.code()), (503, "shard_lost"), "{answer:?}");
    assert!(answer.body["message"].as_str().unwrap().contains('2'), "{answer:?}");
    let ready = server.anonymous().get("/readyz").await;
    assert!(ready.body["events"].as_str().unwrap().contains("shard 2 ("), "{ready:?}");
    shards.shard(1).begin();
    let begun = Instant::now();
    loop {
        let answer = ask().await;
        if answer.status == 200 {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{answer:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// The longest time in which nothing was loaded, by counting what is stored.
async fn longest_stillness(atrium: AppState, stop: Arc<AtomicBool>) -> Duration {
    let (mut stored, mut since, mut longest) = (0, Instant::now(), Duration::ZERO);
    while !stop.load(Ordering::Relaxed) {
        // The store may be away just now.
        let now = try_number(&atrium, "count() FROM events").await.unwrap_or(stored);
        if now > stored {
            (stored, since) = (now, Instant::now());
        }
        longest = longest.max(since.elapsed());
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    longest
}

async fn try_number(atrium: &AppState, what: &str) -> Result<i64, warehouse::Error> {
    let (value, rest) = what.split_once(" FROM ").unwrap();
    let sql = format!("SELECT toInt64({value}) AS n FROM {rest}");
    let rows: Vec<Value> = atrium.warehouse.query(&sql, &[]).await?;
    Ok(rows[0]["n"].as_i64().unwrap())
}

pub(crate) async fn drain(instance: &Instance) {
    drain_while(instance, || {}).await;
}

async fn drain_while(instance: &Instance, mut meanwhile: impl FnMut()) {
    let address = instance.address.lock().unwrap().clone().unwrap();
    let begun = Instant::now();
    loop {
        meanwhile();
        let ready: Value = http_client::local()
            .get(format!("http://{address}/readyz"))
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        if ready["waiting"] == 0 {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "it never ends: {ready}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// What was acknowledged is stored once, and every figure is that of a plain count.
async fn check(server: &TestServer, known: &Known) {
    let rows: Vec<Value> = server
        .atrium
        .warehouse
        .query("SELECT toString(log_id) AS id FROM events", &[])
        .await
        .unwrap();
    let stored: Vec<Uuid> =
        rows.iter().map(|row| row["id"].as_str().unwrap().parse().unwrap()).collect();
    let distinct: HashSet<_> = stored.iter().copied().collect();
    assert_eq!(stored.len(), distinct.len(), "stored twice");
    assert_eq!(known.accepted.difference(&distinct).count(), 0, "accepted and missing");
    assert!(distinct.is_subset(&known.sent), "stored and never sent");
    assert!(!stored.is_empty());
    equal_plain_counts(&server.atrium.warehouse).await;
    let count = i64::try_from(stored.len()).unwrap();
    let booked =
        "SELECT CAST(SUM(messages) AS BIGINT) FROM ingest_ledger WHERE outcome = 'accepted'";
    assert_eq!(server.count(booked).await, count, "the ledger");
}
