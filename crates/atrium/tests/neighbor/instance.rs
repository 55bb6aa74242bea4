//! The program as a process, with two unrelated teams.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::running::Running;
use crate::support::{PASSWORD, RemoteEngine, Store, databases, engine_library};

const ATRIUM: &str = env!("CARGO_BIN_EXE_atrium");

pub struct Instance {
    pub url: String,
    _process: Running,
    _engine: Option<RemoteEngine>,
    _folder: TempDir,
}

/// A signed-in person, and the app of their team.
pub struct Member {
    pub client: reqwest::Client,
    pub url: String,
    pub org: String,
    pub app: String,
    pub collect_key: String,
}

impl Instance {
    pub async fn start(store: Store) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = vec![
            ("--data-dir", folder.path().to_str().unwrap().to_owned()),
            ("--log", "warn".to_owned()),
            ("--engine-library", engine_library().to_str().unwrap().to_owned()),
            ("--engine-memory-mb", "1024".to_owned()),
            // The attacker has one address here, and would have many.
            ("--collect-address-share", "100".to_owned()),
        ];
        let mut engine = None;
        if store == Store::Postgres {
            let remote = RemoteEngine::start().await;
            settings.push(("--database-url", databases::postgres().await));
            settings.push(("--warehouse-url", remote.url().to_string()));
            engine = Some(remote);
        }
        for email in ["owner@noisy.test", "owner@quiet.test"] {
            create_user(&settings, email);
        }
        let (process, url) = serve(&settings);
        Self { url, _process: process, _engine: engine, _folder: folder }
    }

    /// A person who calls from an address of their own.
    pub async fn member(&self, email: &str, address: [u8; 4]) -> Member {
        let from = std::net::IpAddr::from(address);
        let client = http_client::builder().cookie_store(true).local_address(from);
        let client = client.build().unwrap();
        let login = json!({ "email": email, "password": PASSWORD });
        let answer = client.post(format!("{}/api/v1/login", self.url)).json(&login).send().await;
        assert_eq!(answer.unwrap().status(), 200);
        let mut member = Member {
            client,
            url: self.url.clone(),
            org: String::new(),
            app: String::new(),
            collect_key: String::new(),
        };
        member.org = member.first("/api/v1/orgs").await;
        member.app = member.first(&format!("/api/v1/orgs/{}/apps", member.org)).await;
        member.collect_key = member.collect_key_of(&member.app).await;
        member
    }
}

impl Member {
    pub async fn get(&self, path: &str) -> Value {
        let answer = self.client.get(format!("{}{path}", self.url)).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().await.unwrap()
    }

    async fn first(&self, path: &str) -> String {
        self.get(path).await["data"]["items"][0]["id"].as_str().unwrap().to_owned()
    }

    async fn collect_key_of(&self, app: &str) -> String {
        let keys = self.get(&format!("/api/v1/apps/{app}/api-keys")).await;
        let keys = keys["data"]["items"].as_array().unwrap().clone();
        let collect = keys.iter().find(|key| key["kind"] == "collect").unwrap();
        collect["key"].as_str().unwrap().to_owned()
    }

    /// Makes another app of the team; returns its id and its public key.
    pub async fn create_app(&self, name: &str) -> (String, String) {
        let url = format!("{}/api/v1/orgs/{}/apps", self.url, self.org);
        let body = json!({ "name": name, "timezone": "UTC", "region": "local" });
        let answer = self.client.post(url).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{name}");
        let made: Value = answer.json().await.unwrap();
        let id = made["data"]["id"].as_str().unwrap().to_owned();
        let collect_key = self.collect_key_of(&id).await;
        (id, collect_key)
    }

    /// Resets and returns the app's query key: it is shown only then.
    pub async fn query_key(&self) -> String {
        let url = format!("{}/api/v1/apps/{}/api-keys", self.url, self.app);
        let body = json!({ "kinds": ["query"], "grace_hours": 0 });
        let answer = self.client.put(url).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let made: Value = answer.json().await.unwrap();
        let items = made["data"]["items"].as_array().unwrap();
        let query = items.iter().find(|key| key["kind"] == "query").unwrap();
        query["key"].as_str().unwrap().to_owned()
    }
}

fn command(settings: &[(&str, String)], arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("ATRIUM_BIN").unwrap_or_else(|| ATRIUM.into()));
    command.env_remove("ATRIUM_BIN").args(arguments);
    for (name, value) in settings {
        command.args([*name, value]);
    }
    command
}

fn create_user(settings: &[(&str, String)], email: &str) {
    let organization = email.split_once('@').unwrap().1;
    let arguments = [
        &["admin", "create-user", "--email", email, "--name", "Owner"][..],
        &["--organization", organization, "--password-stdin"],
    ]
    .concat();
    let mut child =
        command(settings, &arguments).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let stdin = child.stdin.as_mut().unwrap();
    stdin.write_all(format!("{PASSWORD}\n").as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

fn serve(settings: &[(&str, String)]) -> (Running, String) {
    let arguments = ["serve", "--listen", "127.0.0.1:0"];
    let mut process = Running::start(command(settings, &arguments).stdout(Stdio::piped()));
    let mut first = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let address = first.trim().rsplit("http://").next().unwrap();
    (process, format!("http://{address}"))
}
