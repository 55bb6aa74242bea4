//! Real ClickHouse servers of a test's own, which it may kill (`scripts/clickhouse-node`). The
//! warehouse's tests use this too.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::running::Running;

const CONFIG: &str = "<clickhouse>
  <users><default><password></password><profile>default</profile><quota>default</quota>
    <networks><ip>127.0.0.1</ip></networks></default></users>
  <profiles><default/></profiles><quotas><default/></quotas>
  <max_server_memory_usage>2000000000</max_server_memory_usage>
  <remote_servers><main>{shards}</main></remote_servers>
</clickhouse>";

const SHARD: &str = "<shard><replica><host>127.0.0.1</host><port>{port}</port></replica></shard>";

/// One server. Its folder goes with the process that started it.
pub struct ClickHouse {
    folder: PathBuf,
    http_port: u16,
    tcp_port: u16,
    running: Option<Running>,
}

/// The shards of a cluster.
pub struct Shards(Vec<ClickHouse>);

impl Shards {
    pub fn start(count: usize) -> Self {
        // All at once, or some may be the same.
        let free = || TcpListener::bind("127.0.0.1:0").unwrap();
        let listeners: Vec<_> = (0..count).map(|_| (free(), free())).collect();
        let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
        let ports: Vec<(u16, u16)> =
            listeners.iter().map(|(http, tcp)| (port(http), port(tcp))).collect();
        drop(listeners);
        let shards: String =
            ports.iter().map(|(_, tcp)| SHARD.replace("{port}", &tcp.to_string())).collect();
        let mut all: Vec<ClickHouse> =
            ports.into_iter().map(|(http, tcp)| ClickHouse::new(http, tcp, &shards)).collect();
        for one in &mut all {
            one.launch();
        }
        for one in &mut all {
            one.wait();
        }
        Self(all)
    }

    /// Where a store over all of them is, in a database.
    pub fn url(&self, database: &str) -> String {
        let shards: Vec<String> =
            self.0.iter().map(|one| format!("127.0.0.1:{}", one.http_port)).collect();
        let first = &shards[0];
        format!("http://{first}/{database}?cluster=main&shards={}", shards.join(","))
    }

    /// One of them, by its place.
    pub fn shard(&mut self, at: usize) -> &mut ClickHouse {
        &mut self.0[at]
    }
}

impl ClickHouse {
    fn new(http_port: u16, tcp_port: u16, shards: &str) -> Self {
        let folder = tempfile::tempdir().unwrap().keep();
        std::fs::write(folder.join("config.xml"), CONFIG.replace("{shards}", shards)).unwrap();
        Self { folder, http_port, tcp_port, running: None }
    }

    /// One by itself.
    pub fn start() -> Self {
        Shards::start(1).0.remove(0)
    }

    /// Where a store on this server alone is.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/atrium", self.http_port)
    }

    fn launch(&mut self) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/clickhouse-node");
        self.running = Some(Running::start(
            Command::new(script)
                .args(["--http-port", &self.http_port.to_string()])
                .args(["--tcp-port", &self.tcp_port.to_string()])
                .args(["--end-with", &std::process::id().to_string()])
                .arg("--path")
                .arg(self.folder.join("data"))
                .arg("--config")
                .arg(self.folder.join("config.xml"))
                .arg("--remove")
                .arg(&self.folder)
                .stdout(Stdio::piped()),
        ));
    }

    fn wait(&mut self) {
        let mut line = String::new();
        let stdout = self.running.as_mut().unwrap().stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n", "ClickHouse does not start");
    }

    /// Kills it without a word.
    pub fn kill(&mut self) {
        drop(self.running.take());
    }

    /// Starts it with what it had.
    pub fn begin(&mut self) {
        self.launch();
        self.wait();
    }

    /// Kills it, and starts it again.
    pub fn crash(&mut self) {
        self.kill();
        self.begin();
    }
}

impl Drop for ClickHouse {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
