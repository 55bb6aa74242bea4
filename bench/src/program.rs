//! The program under test, started as an operator would start it, in its own folder.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use warehouse::{Location, Warehouse};

use crate::both;

const EMAIL: &str = "bench@example.com";
const PASSWORD: &str = "correct horse battery";

pub struct Program {
    child: Child,
    pub address: SocketAddr,
    pub account: Account,
    pub collect_key: String,
    pub access_key: (String, String),
    pub folder: tempfile::TempDir,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A signed-in person who owns a team with an app.
#[derive(Clone)]
pub struct Account {
    client: reqwest::Client,
    address: SocketAddr,
    pub org: String,
    pub app: String,
}

impl Account {
    async fn sign_in(address: SocketAddr) -> anyhow::Result<Self> {
        let client = http_client::builder().cookie_store(true).build()?;
        let mut account = Self { client, address, org: String::new(), app: String::new() };
        account.post("/login", &json!({ "email": EMAIL, "password": PASSWORD })).await?;
        account.org = text(&account.get("/orgs").await?["data"]["items"][0]["id"]);
        let apps = account.get(&format!("/orgs/{}/apps", account.org)).await?;
        // Sorted by name: a benchmark's own apps may come before the account's first.
        let apps = apps["data"]["items"].as_array().context("apps")?;
        let first = apps.iter().find(|app| app["name"] == "Default").context("the first app")?;
        account.app = text(&first["id"]);
        Ok(account)
    }

    pub async fn get(&self, path: &str) -> anyhow::Result<Value> {
        let request = self.client.get(format!("http://{}/api/v1{path}", self.address));
        Ok(request.send().await?.error_for_status()?.json().await?)
    }

    pub async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        let request = self.client.post(format!("http://{}/api/v1{path}", self.address));
        Ok(request.json(body).send().await?.error_for_status()?.json().await?)
    }
}

impl Account {
    /// Creates another app and returns its id.
    pub async fn new_app(&self, name: &str) -> anyhow::Result<String> {
        let body = json!({ "name": name, "region": "local", "timezone": "UTC" });
        let made = self.post(&format!("/orgs/{}/apps", self.org), &body).await?;
        Ok(text(&made["data"]["id"]))
    }

    pub async fn collect_key(&self, app: &str) -> anyhow::Result<String> {
        let keys = self.get(&format!("/apps/{app}/api-keys")).await?;
        let items = keys["data"]["items"].as_array().context("keys")?;
        let collect = items.iter().find(|key| key["kind"] == "collect").context("a collect key")?;
        Ok(text(&collect["key"]))
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl Program {
    pub async fn start(program: &str) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        create_user(program, folder.path(), &[])?;
        Self::start_in(program, folder).await
    }

    /// This many instances on one database and one store, which `settings` name.
    pub async fn fleet(
        program: &str,
        instances: usize,
        settings: &[(&str, String)],
    ) -> anyhow::Result<Vec<Self>> {
        let first = tempfile::tempdir()?;
        create_user(program, first.path(), settings)?;
        let key = first.path().join("master.key");
        let mut fleet = vec![Self::start_with(program, first, settings).await?];
        for _ in 1..instances {
            let folder = tempfile::tempdir()?;
            // Including its permissions: a key that others can read is refused.
            std::fs::copy(&key, folder.path().join("master.key"))?;
            fleet.push(Self::start_with(program, folder, settings).await?);
        }
        Ok(fleet)
    }

    /// Ends the server and keeps its folder.
    pub fn end(mut self) -> anyhow::Result<tempfile::TempDir> {
        let folder = std::mem::replace(&mut self.folder, tempfile::tempdir()?);
        drop(self);
        Ok(folder)
    }

    pub async fn start_in(program: &str, folder: tempfile::TempDir) -> anyhow::Result<Self> {
        Self::start_with(program, folder, &[]).await
    }

    async fn start_with(
        program: &str,
        folder: tempfile::TempDir,
        settings: &[(&str, String)],
    ) -> anyhow::Result<Self> {
        let mut child = Command::new(program)
            .args(["serve", "--listen", "127.0.0.1:0", "--log", "warn", "--collect-quota", "0"])
            .arg("--data-dir")
            .arg(folder.path())
            .envs(settings.iter().map(|(name, value)| (*name, value.as_str())))
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("stdout")?).read_line(&mut line)?;
        let address = line.trim().rsplit("http://").next().unwrap_or_default().parse()?;
        let account = Account::sign_in(address).await?;
        let (collect_key, access_key) = keys(&account).await?;
        Ok(Self { child, address, account, collect_key, access_key, folder })
    }

    /// CPU seconds of the server and of its engine so far.
    pub fn cpu_seconds(&self) -> anyhow::Result<f64> {
        let mut ticks = 0;
        for pid in self.processes() {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
            let rest = stat.rsplit(") ").next().context("stat")?;
            let fields: Vec<&str> = rest.split(' ').collect();
            ticks += fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
        }
        Ok(ticks as f64 / 100.0)
    }

    /// Resident memory in megabytes: the server's, and its engine's.
    pub fn memory_mb(&self) -> anyhow::Result<(f64, f64)> {
        let mut sizes = Vec::new();
        for pid in self.processes() {
            sizes.push(memory(pid, "VmRSS:")?);
        }
        Ok((sizes[0], sizes.iter().skip(1).sum()))
    }

    /// The peak memory of the server itself, in megabytes.
    pub fn peak_memory_mb(&self) -> anyhow::Result<f64> {
        memory(self.child.id(), "VmHWM:")
    }

    /// Resets the peak memory recorded by the kernel.
    pub fn forget_peaks(&self) -> anyhow::Result<()> {
        for pid in self.processes() {
            std::fs::write(format!("/proc/{pid}/clear_refs"), "5")?;
        }
        Ok(())
    }

    /// The peak memory since then, in megabytes: the server's, and its engine's.
    pub fn peaks_mb(&self) -> anyhow::Result<(f64, f64)> {
        let mut peaks = Vec::new();
        for pid in self.processes() {
            peaks.push(memory(pid, "VmHWM:")?);
        }
        Ok((peaks[0], peaks.iter().skip(1).sum()))
    }

    /// The server, then its children.
    fn processes(&self) -> Vec<u32> {
        let pid = self.child.id();
        let mut all = vec![pid];
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        for task in tasks {
            let children =
                std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            all.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
        all
    }

    /// Waits until the spool is empty.
    pub async fn drained(&self) -> anyhow::Result<()> {
        for _ in 0..6_000 {
            let answer = both::get_with(self.address, "/readyz", "").await?;
            let body = answer.split("\r\n\r\n").nth(1).unwrap_or_default();
            if serde_json::from_str::<Value>(body)?["waiting"] == 0 {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        anyhow::bail!("the spool did not drain")
    }
}

/// A value from a process's status about its memory, in megabytes.
fn memory(pid: u32, name: &'static str) -> anyhow::Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.context(name)?.trim().trim_end_matches(" kB");
    Ok(kilobytes.parse::<f64>()? / 1024.0)
}

/// The engine's library next to the program.
pub fn library(program: &str) -> anyhow::Result<PathBuf> {
    let folder = Path::new(program).parent().context("a program in a folder")?.join("lib");
    let found = ["libchdb.so", "libchdb.dylib"].map(|name| folder.join(name));
    found.into_iter().find(|file| file.exists()).context("make build brings the engine")
}

/// The event store of a data folder whose server has ended.
pub fn open_store(program: &str, folder: &Path) -> anyhow::Result<Warehouse> {
    Ok(Warehouse::open(Location::Embedded {
        folder: folder.join("events"),
        library: library(program)?,
        program: Some(program.into()),
        memory_mb: 4_096,
    }))
}

/// Waits until the engine has finished merging: real events would not have come all at once.
pub async fn at_rest(store: &Warehouse) -> anyhow::Result<()> {
    let (mut quiet, until) = (0, Instant::now() + Duration::from_secs(120));
    while quiet < 3 && Instant::now() < until {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let merges = store.bytes("SELECT count() FROM system.merges FORMAT TSV", &[]).await?;
        quiet = if merges.trim_ascii() == b"0" { quiet + 1 } else { 0 };
    }
    Ok(())
}

fn create_user(program: &str, folder: &Path, settings: &[(&str, String)]) -> anyhow::Result<()> {
    let mut child = Command::new(program)
        .args(["admin", "create-user", "--email", EMAIL, "--name", "B", "--organization", "B"])
        .args(["--password-stdin", "--data-dir"])
        .arg(folder)
        .envs(settings.iter().map(|(name, value)| (*name, value.as_str())))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    child.stdin.take().context("stdin")?.write_all(PASSWORD.as_bytes())?;
    ensure!(child.wait()?.success(), "an account could not be made");
    Ok(())
}

async fn keys(account: &Account) -> anyhow::Result<(String, (String, String))> {
    let app = &account.app;
    let collect = account.collect_key(app).await?;
    // Each start creates a key, and names must be unique.
    let name = json!({ "name": format!("bench {}", account.address.port()) });
    let made = account.post(&format!("/apps/{app}/access-keys"), &name).await?;
    Ok((collect, (text(&made["data"]["id"]), text(&made["data"]["secret"]))))
}
