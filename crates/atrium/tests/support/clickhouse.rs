//! A real ClickHouse server of a test's own, which it may kill (`scripts/clickhouse-node`).

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::running::Running;

const CONFIG: &str = "<clickhouse>
  <users><default><password></password><profile>default</profile><quota>default</quota>
    <networks><ip>127.0.0.1</ip></networks></default></users>
  <profiles><default/></profiles><quotas><default/></quotas>
  <max_server_memory_usage>2000000000</max_server_memory_usage>
</clickhouse>";

pub struct ClickHouse {
    folder: TempDir,
    http_port: u16,
    tcp_port: u16,
    running: Option<Running>,
}

impl ClickHouse {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.xml"), CONFIG).unwrap();
        let free = || std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        // Both at once, or they may be the same.
        let (http, tcp) = (free(), free());
        let port = |listener: &std::net::TcpListener| listener.local_addr().unwrap().port();
        let (http_port, tcp_port) = (port(&http), port(&tcp));
        let mut own = Self { folder, http_port, tcp_port, running: None };
        drop((http, tcp));
        own.begin();
        own
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/atrium", self.http_port)
    }

    fn begin(&mut self) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/clickhouse-node");
        let mut running = Running::start(
            Command::new(script)
                .args(["--http-port", &self.http_port.to_string()])
                .args(["--tcp-port", &self.tcp_port.to_string()])
                .args(["--end-with", &std::process::id().to_string()])
                .args([Path::new("--path"), &self.folder.path().join("data")])
                .args([Path::new("--config"), &self.folder.path().join("config.xml")])
                .stdout(Stdio::piped()),
        );
        let mut line = String::new();
        BufReader::new(running.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n", "ClickHouse does not start");
        self.running = Some(running);
    }

    /// Kills it without a word, and starts it again.
    pub fn crash(&mut self) {
        drop(self.running.take());
        self.begin();
    }
}
