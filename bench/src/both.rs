//! The process under load: Atrium on one port and bare handlers on another, in one process and so on an
//! equal footing.

use std::net::SocketAddr;
use std::process::Stdio;

use anyhow::{Context, ensure};
use atrium::accounts::create::{self, NewAccount};
use atrium::app::AppState;
use atrium::config::{RawSettings, Settings};
use atrium::locale::Locale;
use atrium::types::Clock;
use axum::routing;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpSocket};
use tokio::process::{Child, Command};

pub const PASSWORD: &str = "correct horse battery";

/// Runs in the child: creates the accounts, prints both addresses, and serves until it is killed.
pub async fn serve(folder: &str, accounts: usize) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let raw = RawSettings {
        listen: Some("127.0.0.1:0".to_owned()),
        data_dir: Some(folder.into()),
        ..Default::default()
    };
    let settings = Settings::check(raw)?.listening_on(listener.local_addr()?);
    atrium::logging::start(&settings.log)?;
    let state = AppState::start(settings, Clock::default()).await?;
    for n in 0..accounts {
        let account = NewAccount {
            email: email(n),
            name: "Bench".to_owned(),
            password: PASSWORD.to_owned(),
            organization: Some("Bench".to_owned()),
            locale: Locale::EnUs,
            timezone: None,
        };
        create::by_operator(&state, account).await?;
    }
    let bare_listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{} {}", listener.local_addr()?, bare_listener.local_addr()?);

    let answer = serde_json::json!({ "data": "x".repeat(700) });
    let hash = state.hasher.hash(PASSWORD.to_owned()).await?;
    let hasher = state.hasher.clone();
    let one_hash = move || async move {
        let matches = hasher.verify(PASSWORD.to_owned(), Some(hash)).await;
        format!("{}", matches.unwrap_or(false))
    };
    let bare = axum::Router::new()
        .route("/", routing::get(move || async move { axum::Json(answer) }))
        .route("/hash", routing::get(one_hash))
        .route("/v1/collect", routing::post(|_: axum::body::Bytes| async { "ok" }));
    tokio::spawn(async move { axum::serve(bare_listener, bare).await });
    atrium::server::run(listener, &state, std::future::pending()).await;
    Ok(())
}

fn email(n: usize) -> String {
    format!("bench{n}@example.com")
}

/// The child process, from the parent's side. It ends when this value is dropped.
pub struct Both {
    pub server: SocketAddr,
    pub bare: SocketAddr,
    child: Child,
    _folder: TempDir,
}

impl Both {
    pub async fn start(accounts: usize) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve-both")
            .arg(folder.path())
            .arg(accounts.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("no output")?).read_line(&mut line).await?;
        let (server, bare) = line.trim().split_once(' ').context("two addresses")?;
        Ok(Self { server: server.parse()?, bare: bare.parse()?, child, _folder: folder })
    }

    /// The child's peak memory.
    pub fn peak_megabytes(&self) -> anyhow::Result<f64> {
        crate::startup::memory_megabytes(self.child.id().context("the child is gone")?, "VmHWM:")
    }
}

/// Signs in the n-th account from a loopback address; returns the session cookie.
pub async fn sign_in(server: SocketAddr, source: [u8; 4], n: usize) -> anyhow::Result<String> {
    let body = serde_json::json!({ "email": email(n), "password": PASSWORD }).to_string();
    let request = format!(
        "POST /api/v1/login HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = exchange(server, source, &request).await?;
    let cookie = answer.split("set-cookie: ").nth(1).and_then(|rest| rest.split(';').next());
    Ok(cookie.context("no session cookie")?.to_owned())
}

pub async fn get(server: SocketAddr, path: &str) -> anyhow::Result<()> {
    let request = format!("GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    exchange(server, [127, 0, 0, 1], &request).await.map(drop)
}

pub async fn get_with(server: SocketAddr, path: &str, cookie: &str) -> anyhow::Result<String> {
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncookie: {cookie}\r\n\r\n");
    exchange(server, [127, 0, 0, 1], &request).await
}

async fn exchange(server: SocketAddr, source: [u8; 4], request: &str) -> anyhow::Result<String> {
    ensure!(server.ip().is_loopback(), "load is only ever aimed at loopback");
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((source, 0)))?;
    let mut stream = socket.connect(server).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let head = answer.lines().next().unwrap_or_default();
    ensure!(head.starts_with("HTTP/1.1 200"), "answered {head}");
    Ok(answer)
}
