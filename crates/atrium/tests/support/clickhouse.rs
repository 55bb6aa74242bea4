//! Real ClickHouse servers that belong to one test, which may kill them (`scripts/clickhouse-node`). The
//! warehouse's tests use this too.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::running::Running;

/// Background work starts as quickly as in the embedded engine. Nothing is compiled to machine code: for a few
/// thousand rows that takes longer than interpreting them.
const CONFIG: &str = "<clickhouse>
  <users_config>{file}</users_config>
  <users><default><password></password><profile>default</profile><quota>default</quota>
    <networks><ip>127.0.0.0/8</ip></networks></default></users>
  <profiles><default>
    <compile_expressions>0</compile_expressions>
    <compile_aggregate_expressions>0</compile_aggregate_expressions>
    <compile_sort_description>0</compile_sort_description>
  </default></profiles><quotas><default/></quotas>
  <max_server_memory_usage>2000000000</max_server_memory_usage>
  <background_processing_pool_task_sleep_seconds_when_no_work_random_part>0</background_processing_pool_task_sleep_seconds_when_no_work_random_part>
  <background_processing_pool_thread_sleep_seconds_if_nothing_to_do>0.01</background_processing_pool_thread_sleep_seconds_if_nothing_to_do>
  <remote_servers><main>{shards}</main></remote_servers>
</clickhouse>";

const SHARD: &str = "<shard><replica><host>{host}</host><port>{port}</port></replica></shard>";

/// One server. Its folder is removed with the process that started it.
pub struct ClickHouse {
    folder: PathBuf,
    host: String,
    http_port: u16,
    tcp_port: u16,
    running: Option<Running>,
}

/// The shards of a cluster.
pub struct Shards(Vec<ClickHouse>);

impl Shards {
    /// Each shard has its own loopback address, and all use the same HTTP port, as they would on machines of
    /// their own. ClickHouse uses that port for its own server too, so the addresses have to differ.
    pub fn start(count: usize) -> Self {
        // Reserved at the same time, or some may be equal.
        let free = || TcpListener::bind("127.0.0.1:0").unwrap();
        let (http, listeners): (_, Vec<_>) = (free(), (0..count).map(|_| free()).collect());
        let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
        let (http_port, ports) = (port(&http), listeners.iter().map(port).collect::<Vec<_>>());
        drop((http, listeners));
        let hosts = (1..).map(|at| format!("127.0.0.{at}"));
        let places: Vec<(String, u16)> = hosts.zip(ports).collect();
        let shard = |(host, port): &(String, u16)| {
            SHARD.replace("{host}", host).replace("{port}", &port.to_string())
        };
        let shards: String = places.iter().map(shard).collect();
        let own = |(host, tcp_port)| ClickHouse::new(host, http_port, tcp_port, &shards);
        let mut all: Vec<ClickHouse> = places.into_iter().map(own).collect();
        for one in &mut all {
            one.launch();
        }
        for one in &mut all {
            one.wait();
        }
        Self(all)
    }

    /// The URL of a store across all shards, in this database.
    pub fn url(&self, database: &str) -> String {
        let ClickHouse { host, http_port, .. } = &self.0[0];
        format!("http://{host}:{http_port}/{database}?cluster=main")
    }

    /// Restarts servers that ended by themselves, as a service manager would. The library is not a server,
    /// and one of them was seen to end when another was killed.
    pub fn revive(&mut self) {
        for one in &mut self.0 {
            let ended = one.running.as_mut().and_then(|running| running.try_wait().unwrap());
            if let Some(ended) = ended {
                eprintln!("the ClickHouse at {} ended by itself: {ended}", one.host);
                one.crash();
            }
        }
    }

    /// One of the shards, by its place.
    pub fn shard(&mut self, at: usize) -> &mut ClickHouse {
        &mut self.0[at]
    }
}

impl ClickHouse {
    fn new(host: String, http_port: u16, tcp_port: u16, shards: &str) -> Self {
        let folder = tempfile::tempdir().unwrap().keep();
        let file = folder.join("config.xml");
        let config = CONFIG.replace("{file}", file.to_str().unwrap()).replace("{shards}", shards);
        std::fs::write(file, config).unwrap();
        Self { folder, host, http_port, tcp_port, running: None }
    }

    /// A single server.
    pub fn start() -> Self {
        Shards::start(1).0.remove(0)
    }

    /// The URL of a store on this server alone.
    pub fn url(&self) -> String {
        format!("http://{}:{}/atrium", self.host, self.http_port)
    }

    fn launch(&mut self) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/clickhouse-node");
        self.running = Some(Running::start(
            Command::new(script)
                .args(["--host", &self.host])
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

    /// Kills it without notice.
    pub fn kill(&mut self) {
        drop(self.running.take());
    }

    /// Sends the process a signal, such as `-STOP`.
    pub fn signal(&self, signal: &str) {
        let id = self.running.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    /// Starts it with the data that it had.
    pub fn begin(&mut self) {
        self.launch();
        self.wait();
    }

    /// Kills it and starts it again.
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
