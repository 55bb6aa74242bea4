//! Stand-ins for other companies' servers (`tests/standins`), in a process that one test has to itself:
//! whatever it makes them do affects no other test. The next test gets the same process, reset.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::running::Running;

/// How long an impatient server waits for a stand-in that hangs: long enough for one that works.
pub const IMPATIENT: Duration = Duration::from_secs(1);

/// Processes that no test is using.
static IDLE: Mutex<Vec<Process>> = Mutex::new(Vec::new());

pub struct Standins {
    process: Option<Process>,
    places: Value,
    /// Whether answers were held back: those may still arrive during the next test.
    hangs: AtomicBool,
}

struct Process {
    /// The stand-ins it runs, separated by commas.
    only: String,
    places: Value,
    /// Ends when its standard input closes.
    _running: Running,
}

impl Process {
    fn start(only: &str) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/standins/run.mjs");
        let mut command = Command::new("node");
        command.arg(script).args(["--only", only]);
        let mut process = Running::start(command.stdin(Stdio::piped()).stdout(Stdio::piped()));
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let places = serde_json::from_str(&line).expect("the stand-ins say where they are");
        Self { only: only.to_owned(), places, _running: process }
    }
}

impl Standins {
    /// `only` names the stand-ins to start, separated by commas.
    pub async fn start(only: &str) -> Self {
        let idle = {
            let mut idle = IDLE.lock().unwrap();
            let found = idle.iter().position(|process| process.only == only);
            found.map(|place| idle.swap_remove(place))
        };
        let is_used = idle.is_some();
        let process = idle.unwrap_or_else(|| Process::start(only));
        let places = process.places.clone();
        let standins = Self { process: Some(process), places, hangs: AtomicBool::new(false) };
        if is_used {
            for name in only.split(',') {
                let name = if name == "dns" { "dns_control" } else { name };
                standins.control(name, "reset", json!({})).await;
            }
        }
        standins
    }

    pub fn place(&self, name: &str) -> &str {
        self.places[name].as_str().unwrap()
    }

    pub async fn control(&self, name: &str, control: &str, body: Value) {
        if control == "hang" {
            self.hangs.store(true, Ordering::Relaxed);
        }
        let url = format!("{}/_control/{control}", self.place(name));
        let answer = client().post(url).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{name} {control}");
    }

    /// Counts of the requests that a stand-in got, and what it received.
    pub async fn seen(&self, name: &str) -> Value {
        let url = format!("{}/_control/seen", self.place(name));
        client().get(url).send().await.unwrap().json().await.unwrap()
    }

    /// The address that this page redirects a browser to.
    pub async fn opened(&self, page: &str) -> String {
        let answer = client().get(page).send().await.unwrap();
        let to = answer.headers().get("location").map(|to| to.to_str().unwrap().to_owned());
        match to {
            Some(to) => to,
            None => panic!("{page} leads nowhere: {}", answer.text().await.unwrap()),
        }
    }
}

impl Drop for Standins {
    fn drop(&mut self) {
        if let Some(process) = self.process.take()
            && !*self.hangs.get_mut()
        {
            IDLE.lock().unwrap().push(process);
        }
    }
}

/// A new client each time: connections belong to the test that opened them, while stand-ins may be shared.
fn client() -> reqwest::Client {
    http_client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap()
}
