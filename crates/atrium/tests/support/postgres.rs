//! A PostgreSQL server that belongs to one test, which may kill it. Unlike the shared one it syncs everything
//! to the disk, so that confirmed changes survive.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

pub struct OwnPostgres {
    folder: TempDir,
    port: u16,
}

impl OwnPostgres {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        if is_root() {
            let status = Command::new("chown").arg("postgres").arg(folder.path()).status();
            assert!(status.unwrap().success());
        }
        let own = Self { folder, port };
        assert!(own.run("initdb", &["-U", "atrium", "--auth=trust", "--encoding=UTF8"]));
        assert!(own.begin(), "PostgreSQL does not start");
        own
    }

    pub fn url(&self) -> String {
        format!("postgres://atrium@127.0.0.1:{}/postgres", self.port)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn begin(&self) -> bool {
        let options = format!(
            "-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=100",
            self.port
        );
        let log = self.folder.path().join("log");
        self.run("pg_ctl", &["-w", "-l", log.to_str().unwrap(), "-o", &options, "start"])
    }

    /// Kills it without notice and starts it again.
    pub fn crash(&self) {
        let pid = std::fs::read_to_string(self.data().join("postmaster.pid")).unwrap();
        let pid = pid.lines().next().unwrap();
        assert!(Command::new("kill").args(["-KILL", pid]).status().unwrap().success());
        // The killed server's children end a little later; until then they hold its shared memory.
        let begun = Instant::now();
        while !self.begin() {
            assert!(begun.elapsed() < Duration::from_secs(30), "PostgreSQL does not come back");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn run(&self, program: &str, arguments: &[&str]) -> bool {
        let program = format!("{}/{program}", programs());
        let mut command = match is_root() {
            // PostgreSQL refuses to run as root.
            true => {
                let mut command = Command::new("runuser");
                command.args(["-u", "postgres", "--", &program]);
                command
            }
            false => Command::new(program),
        };
        command.arg("-D").arg(self.data()).args(arguments).current_dir(self.folder.path());
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
    }
}

impl Drop for OwnPostgres {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.run("pg_ctl", &["-m", "immediate", "-w", "stop"]);
            return;
        }
        if let Ok(pid) = std::fs::read_to_string(self.data().join("postmaster.pid")) {
            let _ =
                Command::new("kill").args(["-QUIT", pid.lines().next().unwrap_or("0")]).status();
        }
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout.starts_with(b"0\n")
}

/// The folder with `initdb`; `scripts/with-postgres` searches the same places.
fn programs() -> String {
    let newest = Command::new("sh")
        .args(["-c", "ls -d /usr/lib/postgresql/*/bin /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin 2>/dev/null | sort -V | tail -n 1"])
        .output()
        .unwrap();
    let newest = String::from_utf8(newest.stdout).unwrap();
    match newest.trim() {
        "" => "/usr/bin".to_owned(),
        folder => folder.to_owned(),
    }
}
