//! What an attacker can do with an app's public key, its query key and an access key of their own.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::instance::{Instance, Member};

const MESSAGES: usize = 1_000;
/// The number of requests of each kind that are waiting for an answer at any time.
const FLOODS: usize = 3;
const EXPLORERS: usize = 12;
const DEAF: usize = 20;
/// More than a minute's quota.
const MOST: u64 = 700_000;
const PAUSE: Duration = Duration::from_millis(50);

pub struct Attack {
    tasks: Vec<JoinHandle<()>>,
    shared: Arc<Shared>,
}

struct Shared {
    member: Member,
    query_key: String,
    over: AtomicBool,
    sent: AtomicU64,
    accepted: AtomicU64,
    explored: AtomicU64,
    refused: AtomicU64,
}

/// The result of the attack.
#[derive(Debug)]
pub struct Done {
    pub accepted: u64,
    pub explored: u64,
    #[expect(dead_code, reason = "it is printed")]
    pub refused: u64,
}

impl Attack {
    pub async fn start(instance: &Instance) -> Self {
        let member = instance.member("owner@noisy.test", [127, 0, 0, 1]).await;
        let query_key = member.query_key().await;
        let shared = Arc::new(Shared {
            member,
            query_key,
            over: AtomicBool::new(false),
            sent: AtomicU64::new(0),
            accepted: AtomicU64::new(0),
            explored: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        });
        let mut tasks = Vec::new();
        for _ in 0..FLOODS {
            tasks.push(tokio::spawn(flood(shared.clone())));
        }
        for _ in 0..EXPLORERS {
            tasks.push(tokio::spawn(explore(shared.clone())));
        }
        tasks.push(tokio::spawn(junk(shared.clone())));
        tasks.push(tokio::spawn(properties(shared.clone())));
        for _ in 0..DEAF {
            tasks.push(tokio::spawn(never_read(shared.clone())));
        }
        Self { tasks, shared }
    }

    pub async fn stop(self) -> Done {
        self.shared.over.store(true, Ordering::Relaxed);
        for task in self.tasks {
            task.abort();
            let _ = task.await;
        }
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Done {
            accepted: count(&self.shared.accepted),
            explored: count(&self.shared.explored),
            refused: count(&self.shared.refused),
        }
    }
}

impl Shared {
    fn goes_on(&self) -> bool {
        !self.over.load(Ordering::Relaxed)
    }

    async fn collect(&self, messages: &str) -> Option<Value> {
        let body =
            format!(r#"{{"app_key":"{}","messages":[{messages}]}}"#, self.member.collect_key);
        let request = self.member.client.post(format!("{}/v1/collect", self.member.url));
        let answer =
            request.header("content-type", "application/json").body(body).send().await.ok()?;
        match answer.status().as_u16() {
            200 => answer.json().await.ok(),
            _ => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(PAUSE).await;
                None
            }
        }
    }
}

fn now() -> i64 {
    i64::try_from(std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap()
}

/// An event with new values in every counted field, spread over half a year, and with new property names.
/// Written as text: an attacker's CPU time is not the server's, but here they share a machine.
fn distinct(number: u64, nonce: u64, into: &mut String) {
    let at = now() - i64::try_from(number % 15_000).unwrap() * 1_000_000;
    let value = format!("{number}-{nonce:x}");
    let is_wide = number.is_multiple_of(20);
    let name = if is_wide { "wide" } else { value.as_str() };
    write!(
        into,
        r#"{{"type":"Event","data":{{"log_id":"{nonce:08x}-0000-4000-8000-{number:012x}","event":"{name}",
        "timestamp":{at},"device_id":"{value}","user_id":"{value}","sdk_type":"js","sdk_version":"0.2.4",
        "os":"os-{value}","language":"language-{value}","device_type":"type-{value}",
        "browser":"browser-{value}","url_path":"/pricing","properties":{{"#
    )
    .unwrap();
    for place in 0..if is_wide { 50 } else { 0 } {
        let comma = if place == 0 { "" } else { "," };
        write!(into, r#"{comma}"p{value}-{place}":{place}"#).unwrap();
    }
    into.push_str("}}}");
}

async fn flood(shared: Arc<Shared>) {
    let nonce = u64::from(Uuid::new_v4().as_fields().0);
    while shared.goes_on() && shared.sent.load(Ordering::Relaxed) < MOST {
        let first = shared.sent.fetch_add(MESSAGES as u64, Ordering::Relaxed);
        let mut messages = String::new();
        for number in first..first + MESSAGES as u64 {
            if number > first {
                messages.push(',');
            }
            distinct(number, nonce, &mut messages);
        }
        if let Some(answer) = shared.collect(&messages).await {
            let accepted = answer["data"]["accepted"].as_u64().unwrap_or(0);
            shared.accepted.fetch_add(accepted, Ordering::Relaxed);
        }
    }
}

async fn junk(shared: Arc<Shared>) {
    let messages = vec![r#"{"type":"Nonsense","data":{"a":"b"}}"#; MESSAGES].join(",");
    while shared.goes_on() {
        shared.collect(&messages).await;
        tokio::time::sleep(PAUSE).await;
    }
}

/// Questions that read everything, each different from the one before.
async fn explore(shared: Arc<Shared>) {
    while shared.goes_on() {
        let value = Uuid::new_v4().to_string();
        let filter =
            json!({ "property": "$url_path", "operator": "not_contains", "values": [value] });
        let body = json!({ "start": date(170), "end": date(0), "granularity": "day",
            "measure": "users", "group_by": "$browser", "filters": [filter] });
        let url = format!("{}/api/v1/apps/{}/explore", shared.member.url, shared.member.app);
        let request = http_client::local().post(url).bearer_auth(&shared.query_key);
        match request.json(&body).send().await.map(|answer| answer.status().as_u16()) {
            Ok(200) => drop(shared.explored.fetch_add(1, Ordering::Relaxed)),
            _ => {
                shared.refused.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

fn date(days_ago: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(now() - days_ago * 24 * 60 * 60 * 1_000).unwrap();
    at.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}

async fn properties(shared: Arc<Shared>) {
    while shared.goes_on() {
        let app = &shared.member.app;
        let url = format!("{}/api/v1/apps/{app}/event-properties?event=wide", shared.member.url);
        if shared.member.client.get(url).send().await.is_err() {
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// Sends requests and never reads the answers.
async fn never_read(shared: Arc<Shared>) {
    let address = shared.member.url.trim_start_matches("http://").to_owned();
    let Ok(mut stream) = TcpStream::connect(&address).await else { return };
    let app = &shared.member.app;
    let request = format!(
        "GET /api/v1/apps/{app}/event-properties?event=wide HTTP/1.1\r\nhost: {address}\r\n\
         authorization: Bearer {}\r\n\r\n",
        shared.query_key
    );
    while shared.goes_on() && stream.write_all(request.as_bytes()).await.is_ok() {
        tokio::time::sleep(PAUSE * 20).await;
    }
}
