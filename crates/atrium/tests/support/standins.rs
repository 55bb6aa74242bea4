//! Stand-ins for other companies' servers (`tests/standins`), in a process of their own for each
//! test: what one test has them do is nobody else's business.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::running::Running;

pub struct Standins {
    /// They end with its standard input.
    _process: Running,
    places: Value,
}

impl Standins {
    /// `only` names those to start, with commas between them.
    pub fn start(only: &str) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/standins/run.mjs");
        let mut command = Command::new("node");
        command.arg(script).args(["--only", only]);
        let mut process = Running::start(command.stdin(Stdio::piped()).stdout(Stdio::piped()));
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let places = serde_json::from_str(&line).expect("the stand-ins say where they are");
        Self { _process: process, places }
    }

    pub fn place(&self, name: &str) -> &str {
        self.places[name].as_str().unwrap()
    }

    pub async fn control(&self, name: &str, control: &str, body: Value) {
        let url = format!("{}/_control/{control}", self.place(name));
        let answer = client().post(url).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{name} {control}");
    }

    /// What it was asked, counted, and what it received.
    pub async fn seen(&self, name: &str) -> Value {
        let url = format!("{}/_control/seen", self.place(name));
        client().get(url).send().await.unwrap().json().await.unwrap()
    }

    /// Where it sends the browser that opens this page.
    pub async fn opened(&self, page: &str) -> String {
        let answer = client().get(page).send().await.unwrap();
        let to = answer.headers().get("location").map(|to| to.to_str().unwrap().to_owned());
        match to {
            Some(to) => to,
            None => panic!("{page} leads nowhere: {}", answer.text().await.unwrap()),
        }
    }
}

/// A fresh one each time: connections belong to the test that opened them, stand-ins may be shared.
fn client() -> reqwest::Client {
    reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap()
}
