//! A rolling upgrade: two instances of the previous release on one PostgreSQL and one ClickHouse are replaced
//! one after the other, while events come in and a person looks at the dashboard. Every request is answered,
//! at the second try at the latest, and every figure is exact before, during and after.
//!
//! With `LONG_TESTS=1` the previous release really is that one (`scripts/previous-release`); otherwise this
//! program plays both parts.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;
use warehouse::{Location, Warehouse};

use crate::crash::ATRIUM;
use crate::fleet::{Instance, any, drain, messages};
use crate::support::clickhouse::ClickHouse;
use crate::support::postgres::OwnPostgres;
use crate::support::{Actor, PASSWORD};
use atrium::db::Db;
use atrium::types::Clock;

const SENDERS: usize = 3;
const EMAIL: &str = "owner@example.com";

fn previous_release() -> PathBuf {
    if std::env::var_os("LONG_TESTS").is_none() {
        return ATRIUM.into();
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/previous-release");
    let printed = Command::new(script).stderr(Stdio::inherit()).output().unwrap();
    assert!(printed.status.success(), "the release before cannot be built");
    String::from_utf8(printed.stdout).unwrap().trim().into()
}

/// The people and programs that use the fleet, and what they know.
#[derive(Clone)]
struct Users {
    addresses: Vec<Arc<Mutex<Option<String>>>>,
    actor: Actor,
    org: String,
    key: String,
    accepted: Arc<Mutex<HashSet<Uuid>>>,
}

impl Users {
    /// Like a load balancer: sends the request to one instance, and if that fails to the other.
    async fn request(&self, make: impl Fn(&Actor) -> RequestBuilder) -> Response {
        let first = any(self.addresses.len());
        let mut failures = Vec::new();
        for at in 0..self.addresses.len() {
            let place = &self.addresses[(first + at) % self.addresses.len()];
            let Some(address) = place.lock().unwrap().clone() else { continue };
            let actor = self.actor.at(&format!("http://{address}"));
            match make(&actor).timeout(Duration::from_secs(20)).send().await {
                Ok(answer) if answer.status().as_u16() < 500 => return answer,
                Ok(answer) => {
                    failures.push(format!("{} {:?}", answer.status(), answer.text().await))
                }
                Err(error) => failures.push(format!("{error:?}")),
            }
        }
        panic!("no instance answered: {failures:?}");
    }

    async fn send(self, stop: Arc<AtomicBool>) {
        while !stop.load(Ordering::Relaxed) {
            let messages = messages();
            let ids: Vec<Uuid> = messages
                .iter()
                .map(|message| message["data"]["log_id"].as_str().unwrap().parse().unwrap())
                .collect();
            let body = json!({ "app_key": self.key, "messages": messages });
            let answer =
                self.request(|at| at.request(Method::POST, "/v1/collect").json(&body)).await;
            assert_eq!(answer.status(), 200);
            self.accepted.lock().unwrap().extend(ids);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn look(self, stop: Arc<AtomicBool>) {
        while !stop.load(Ordering::Relaxed) {
            let answer = self.request(|at| at.request(Method::GET, "/api/v1/current")).await;
            assert_eq!(answer.status(), 200);
            self.dashboard().await;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    async fn dashboard(&self) -> [u64; 5] {
        let answer = self.request(|at| self.ask(at)).await;
        assert_eq!(answer.status(), 200);
        figures(&answer.json().await.unwrap())
    }

    fn ask(&self, at: &Actor) -> RequestBuilder {
        let now = jiff::Timestamp::from_millisecond(Clock::default().now().0).unwrap();
        let today = now.to_zoned(jiff::tz::TimeZone::UTC).date();
        // A test may run past midnight.
        let [start, end] =
            [today.yesterday(), today.tomorrow()].map(|day| day.unwrap().to_string());
        let body = json!({ "start": start, "end": end, "timezone": "UTC", "parts": ["totals"] });
        at.request(Method::POST, &format!("/api/v1/orgs/{}/data-overall", self.org)).json(&body)
    }
}

fn figures(answer: &Value) -> [u64; 5] {
    let names = ["events", "active_users", "active_devices", "new_devices", "sessions"];
    names.map(|name| answer["data"]["totals"][name]["value"].as_u64().unwrap())
}

struct Upgrade {
    fleet: [Instance; 2],
    store: Warehouse,
    users: Users,
    // Declared last, because the instances must end before their stores.
    _stores: (OwnPostgres, ClickHouse),
}

impl Upgrade {
    /// Two instances of the previous release, which made the tables.
    async fn start() -> Self {
        let stores = (OwnPostgres::start(), ClickHouse::start());
        let urls = (stores.0.url(), stores.1.url());
        let program = previous_release();
        let mut fleet = [(); 2].map(|()| Instance::prepare(program.clone(), urls.clone()));
        let org = create_user(&fleet[0]);
        fleet[1].take_key(&fleet[0].folder.path().join("master.key"));
        fleet.iter_mut().for_each(Instance::start);
        let addresses = fleet.each_ref().map(|instance| instance.address.clone()).to_vec();
        let first = addresses[0].lock().unwrap().clone().unwrap();
        let actor = Actor::new(&format!("http://{first}"));
        assert_eq!(actor.login(EMAIL, PASSWORD).await.status, 200);
        let db = Db::open(&urls.0).await.unwrap();
        let key = "SELECT value FROM api_keys WHERE kind = 'collect'";
        let key: String =
            sqlx::query_scalar(key).fetch_one(&mut *db.read().await.unwrap()).await.unwrap();
        let store = Location::Remote { url: Url::parse(&urls.1).unwrap() };
        let users = Users { addresses, actor, org, key, accepted: Arc::default() };
        Self { fleet, store: Warehouse::open(store), users, _stores: stores }
    }

    /// Keeps the fleet in use while `work` runs, and checks everything afterwards.
    async fn during(&mut self, what: &str, work: impl AsyncFnOnce(&mut [Instance; 2])) {
        let stop = Arc::new(AtomicBool::new(false));
        let sending = (0..SENDERS).map(|_| tokio::spawn(self.users.clone().send(stop.clone())));
        let mut running: Vec<_> = sending.collect();
        running.push(tokio::spawn(self.users.clone().look(stop.clone())));
        self.until_loaded(1).await;
        work(&mut self.fleet).await;
        // Both instances have accepted and loaded something.
        self.until_loaded(500).await;
        stop.store(true, Ordering::Relaxed);
        for user in running {
            user.await.unwrap();
        }
        for instance in &self.fleet {
            drain(instance).await;
        }
        self.check(what).await;
    }

    async fn until_loaded(&self, more: u64) {
        let count = || async {
            // There are no tables until the first start is complete.
            let counted = plain(&self.store, "count() FROM events").await;
            counted.unwrap_or(0)
        };
        let (before, begun) = (count().await, Instant::now());
        while count().await < before + more {
            assert!(begun.elapsed() < Duration::from_secs(60), "nothing is loaded");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Every accepted message is stored once, and every instance shows what plain counting gives.
    async fn check(&self, what: &str) {
        let sql = "SELECT toString(log_id) AS id FROM events";
        let rows: Vec<Value> = self.store.query(sql, &[]).await.unwrap();
        let stored: HashSet<Uuid> =
            rows.iter().map(|row| row["id"].as_str().unwrap().parse().unwrap()).collect();
        assert_eq!(stored.len(), rows.len(), "{what}: stored twice");
        assert_eq!(stored, *self.users.accepted.lock().unwrap(), "{what}: accepted and stored");
        let events = plain(&self.store, "count() FROM events").await.unwrap();
        let devices = plain(&self.store, "uniqExact(device_id) FROM events").await.unwrap();
        // Nobody has signed in, and nobody has been away for half an hour.
        let counted = [events, devices, devices, devices, devices];
        for instance in &self.fleet {
            let address = instance.address.lock().unwrap().clone().unwrap();
            let at = self.users.actor.at(&format!("http://{address}"));
            let answer = at.send(self.users.ask(&at)).await;
            assert_eq!(answer.status, 200, "{what}: {answer:?}");
            assert_eq!(figures(&answer.body), counted, "{what}");
        }
    }
}

async fn plain(store: &Warehouse, what: &str) -> Result<u64, warehouse::Error> {
    let (value, rest) = what.split_once(" FROM ").unwrap();
    let sql = format!("SELECT toUInt64({value}) AS n FROM {rest}");
    let rows: Vec<Value> = store.query(&sql, &[]).await?;
    Ok(rows[0]["n"].as_u64().unwrap())
}

/// Makes the account; returns the id of its organization.
fn create_user(instance: &Instance) -> String {
    let words =
        ["admin", "create-user", "--email", EMAIL, "--name", "Owner", "--organization", "One"];
    let arguments = [&words[..], &["--password-stdin"]].concat();
    let mut child = instance.with(&arguments).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("{PASSWORD}\n").as_bytes()).unwrap();
    let made = child.wait_with_output().unwrap();
    assert!(made.status.success());
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    made["org_id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instances_are_upgraded_one_after_the_other() {
    let mut upgrade = Upgrade::start().await;
    upgrade.during("the release before", async |_| {}).await;
    let replace = async |instance: &mut Instance| {
        instance.program = ATRIUM.into();
        instance.restart("-TERM").await;
    };
    upgrade.during("both releases", async |fleet| replace(&mut fleet[0]).await).await;
    upgrade.during("the new release", async |fleet| replace(&mut fleet[1]).await).await;
    are_outdated(&mut upgrade).await;
}

/// A later release removes something that this one needs: this one ends by itself, and does not start again.
async fn are_outdated(upgrade: &mut Upgrade) {
    let (postgres, _) = &upgrade._stores;
    let db = Db::open(&postgres.url()).await.unwrap();
    let later = "INSERT INTO schema_migrations (version, name, checksum, oldest_program) \
                 VALUES (9999, 'later', '', 9998)";
    sqlx::query(later).execute(&mut *db.read().await.unwrap()).await.unwrap();
    for instance in &mut upgrade.fleet {
        let mut running = instance.running.take().unwrap();
        let begun = Instant::now();
        let ended = loop {
            if let Some(status) = running.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "it goes on");
            tokio::time::sleep(Duration::from_millis(100)).await;
        };
        assert!(!ended.success());
        let refused = instance.with(&["serve", "--listen", "127.0.0.1:0"]).output().unwrap();
        let words = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success() && words.contains("migration 9999"), "{words}");
    }
}
