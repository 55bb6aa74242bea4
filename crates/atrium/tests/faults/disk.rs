//! The program on a disk of its own that fills up, and on a read-only one. These tests need the right to
//! mount; without it they say so and end.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::crash::{ATRIUM, atrium, collect_key, create_user, serve};
use crate::support::engine_library;
use crate::support::sender::event_at;
use serde_json::{Value, json};
use warehouse::{Location, Warehouse};

/// A small disk in memory, mounted until this is dropped.
pub(crate) struct Disk {
    folder: PathBuf,
    /// The folder that it is mounted on, if the disk made one. Removed after the disk.
    _own: Option<tempfile::TempDir>,
}

impl Disk {
    fn mount(megabytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let disk = Self::mount_at(folder.path(), megabytes)?;
        Some(disk.with(folder))
    }

    fn with(mut self, own: tempfile::TempDir) -> Self {
        self._own = Some(own);
        self
    }

    /// Mounts a disk on this folder.
    pub fn mount_at(folder: &Path, megabytes: u32) -> Option<Self> {
        let size = format!("size={megabytes}m,mode=0700");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "atrium-test"]).arg(folder);
        let mounted = mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        if !mounted {
            eprintln!("skipped: this test needs the right to mount a file system (root)");
            return None;
        }
        Some(Self { folder: folder.to_owned(), _own: None })
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn remount(&self, how: &str) {
        let options = format!("remount,{how}");
        let status =
            Command::new("mount").args(["-o", &options]).arg(&self.folder).status().unwrap();
        assert!(status.success());
    }

    /// Takes all the space there is, to the last page.
    pub fn fill(&self) -> PathBuf {
        let ballast = self.folder.join("ballast");
        let mut file = std::fs::File::create(&ballast).unwrap();
        for size in [1 << 20, 4_096] {
            let block = vec![7_u8; size];
            while file.write_all(&block).is_ok() {}
        }
        ballast
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.folder).status();
    }
}

struct Client {
    client: reqwest::Client,
    address: String,
    key: String,
    accepted: usize,
}

impl Client {
    async fn post(&self, path: &str, body: &Value) -> (u16, String, Value) {
        let url = format!("http://{}{path}", self.address);
        let answer = self.client.post(url).json(body).send().await.unwrap();
        let wait = answer.headers().get("retry-after").map(|it| it.to_str().unwrap().to_owned());
        (answer.status().as_u16(), wait.unwrap_or_default(), answer.json().await.unwrap())
    }

    async fn login(&self) -> (u16, String, Value) {
        self.post(
            "/api/v1/login",
            &json!({ "email": "a@b.co", "password": "correct horse battery" }),
        )
        .await
    }

    async fn collect(&mut self) -> (u16, String, Value) {
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
        let now = i64::try_from(now).unwrap();
        let messages: Vec<_> = (0..300).map(|_| event_at(now, "a")).collect();
        let answer =
            self.post("/v1/collect", &json!({ "app_key": self.key, "messages": messages })).await;
        if answer.0 == 200 {
            self.accepted += 300;
        }
        answer
    }

    async fn ready(&self) -> (u16, Value) {
        let url = format!("http://{}/readyz", self.address);
        let answer = self.client.get(url).send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    async fn until(&self, what: &str, is_so: impl Fn(u16, &Value) -> bool) {
        let started = Instant::now();
        loop {
            let (status, ready) = self.ready().await;
            if is_so(status, &ready) {
                return;
            }
            assert!(started.elapsed() < Duration::from_secs(120), "{what}: {status} {ready}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

fn is_disk_full((status, wait, body): &(u16, String, Value)) -> bool {
    assert!(*status == 200 || *status == 503, "{status} {body}");
    if *status == 503 {
        assert_eq!(body["errors"][0]["code"], "disk_full", "{body}");
        assert!(!wait.is_empty());
    }
    *status == 503
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_heals_by_itself() {
    let Some(disk) = Disk::mount(192) else { return };
    create_user(&disk.data());
    let key = collect_key(&disk.data()).await;
    let (mut child, address) = serve(&disk.data());
    let mut client = Client { client: http_client::local(), address, key, accepted: 0 };
    assert_eq!(client.collect().await.0, 200);
    client.until("the store has it", |_, ready| ready["waiting"] == 0).await;
    for _ in 0..2 {
        let ballast = disk.fill();
        // Messages may still fit into free space inside the files; after that the disk is full.
        let mut tries = 0;
        while !is_disk_full(&client.collect().await) {
            tries += 1;
            assert!(tries < 200, "the spool never noticed");
        }
        let mut tries = 0;
        while !is_disk_full(&client.login().await) {
            tries += 1;
            assert!(tries < 200, "the database never noticed");
        }
        assert!(is_disk_full(&client.collect().await) && is_disk_full(&client.login().await));
        let (status, ready) = client.ready().await;
        assert_eq!(status, 503, "{ready}");
        assert_eq!(
            (&ready["spool"], &ready["database"]),
            (&json!("disk_full"), &json!("disk_full"))
        );
        std::fs::remove_file(ballast).unwrap();
        client.until("it is ready again", |status, _| status == 200).await;
        assert_eq!(client.login().await.0, 200);
        let answer = client.collect().await;
        assert_eq!(answer.0, 200, "{}", answer.2);
        client.until("the backlog drains", |_, ready| ready["waiting"] == 0).await;
    }
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    child.wait().unwrap();
    assert_eq!(stored(&disk.data()).await, i64::try_from(client.accepted).unwrap());
}

/// The number of stored events; fails if one is stored twice.
async fn stored(folder: &Path) -> i64 {
    let store = Warehouse::open(Location::Embedded {
        folder: folder.join("events"),
        library: engine_library(),
        program: Some(ATRIUM.into()),
        memory_mb: 1_024,
    });
    store.ready(Duration::from_secs(60)).await.unwrap();
    let sql = "SELECT toInt64(count()) AS n, toInt64(uniqExact(log_id)) AS ids FROM events";
    let rows: Vec<Value> = store.query(sql, &[]).await.unwrap();
    store.stop().await;
    assert_eq!(rows[0]["n"], rows[0]["ids"], "stored twice");
    rows[0]["n"].as_i64().unwrap()
}

/// A disk with open files cannot be remounted read-only, so a server meets one only at its start.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_only_disk_is_refused_with_a_sentence() {
    let Some(disk) = Disk::mount(64) else { return };
    create_user(&disk.data());
    disk.remount("ro");
    let folder = disk.data();
    let refused = atrium(&folder, &["serve", "--listen", "127.0.0.1:0"]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success());
    assert!(said.contains(&folder.display().to_string()) && said.contains("read-only"), "{said}");
    let doctor = atrium(&folder, &["doctor"]).output().unwrap();
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(!doctor.status.success(), "{said}");
    let line = said.lines().find(|line| line.contains("data_dir")).unwrap();
    assert!(line.starts_with("FAILURE") && line.contains("read-only"), "{said}");
    disk.remount("rw");
    let (mut child, address) = serve(&folder);
    assert_eq!(
        http_client::local().get(format!("http://{address}/readyz")).send().await.unwrap().status(),
        200
    );
    child.kill().unwrap();
    child.wait().unwrap();
}
