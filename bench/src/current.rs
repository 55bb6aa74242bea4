//! GET /current with a session, against a bare axum handler that answers the same bytes from the
//! same process.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context;
use atrium::accounts::create::{self, NewAccount};
use atrium::app::AppState;
use atrium::config::{RawSettings, Settings};
use atrium::http::locale::Locale;
use atrium::types::Clock;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

use crate::load::{self, Outcome};

const CONNECTIONS: usize = 64;
const ROUNDS: usize = 6;
const SLICE: Duration = Duration::from_secs(2);
const LOGIN: &str = r#"{"email":"bench@example.com","password":"bench bench bench"}"#;

/// The process under load: Atrium on one port, the bare handler on another. Prints both ports.
pub async fn serve_both(folder: &str) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let raw = RawSettings {
        listen: Some("127.0.0.1:0".to_owned()),
        data_dir: Some(folder.into()),
        ..Default::default()
    };
    let settings = Settings::check(raw)?.listening_on(listener.local_addr()?);
    atrium::logging::start(&settings.log)?;
    let state = AppState::start(settings, Clock::default()).await?;
    let account = NewAccount {
        email: "bench@example.com".to_owned(),
        name: "Bench".to_owned(),
        password: "bench bench bench".to_owned(),
        organization: "Bench".to_owned(),
        locale: Locale::EnUs,
        timezone: None,
    };
    create::by_operator(&state, account).await?;

    let bare_listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{} {}", listener.local_addr()?, bare_listener.local_addr()?);
    let answer: serde_json::Value = serde_json::json!({ "data": "x".repeat(700) });
    let bare = axum::Router::new()
        .route("/", axum::routing::get(move || async move { axum::Json(answer) }));
    tokio::spawn(async move { axum::serve(bare_listener, bare).await });
    atrium::server::run(listener, &state, std::future::pending()).await;
    Ok(())
}

pub async fn measure() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let mut child = Command::new(std::env::current_exe()?)
        .arg("serve-both")
        .arg(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().context("no output")?).read_line(&mut line).await?;
    let (server, bare) = line.trim().split_once(' ').context("two addresses")?;
    let (server, bare): (SocketAddr, SocketAddr) = (server.parse()?, bare.parse()?);

    let cookie = sign_in(server).await?;
    let current = format!("GET /api/v1/current HTTP/1.1\r\nhost: a\r\ncookie: {cookie}\r\n\r\n");
    let plain = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
    load::run(server, &current, CONNECTIONS, SLICE / 2).await?;
    load::run(bare, plain, CONNECTIONS, SLICE / 2).await?;
    // Taken in turns, so that a busy moment of the machine hits both alike.
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(load::run(server, &current, CONNECTIONS, SLICE).await?);
        theirs.push(load::run(bare, plain, CONNECTIONS, SLICE).await?);
    }
    let (ours, theirs) = (Outcome::merge(ours), Outcome::merge(theirs));
    child.kill().await?;

    println!("GET /current with a session, {CONNECTIONS} connections");
    println!("  bare axum handler   {:>8.0} requests/s", theirs.per_second());
    println!("  GET /current        {:>8.0} requests/s", ours.per_second());
    println!(
        "  ratio               {:>8.2}  (goal ≥ 0.50)",
        ours.per_second() / theirs.per_second()
    );
    println!(
        "  p50 {:.2} ms, p99 {:.2} ms  (goal: p99 < 10 ms; bare p99 {:.2} ms)",
        ours.percentile_ms(50.0),
        ours.percentile_ms(99.0),
        theirs.percentile_ms(99.0)
    );
    Ok(())
}

async fn sign_in(server: SocketAddr) -> anyhow::Result<String> {
    let mut stream = TcpStream::connect(server).await?;
    let request = format!(
        "POST /api/v1/login HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{LOGIN}",
        LOGIN.len()
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let cookie = answer.split("set-cookie: ").nth(1).and_then(|rest| rest.split(';').next());
    Ok(cookie.context("no session cookie")?.to_owned())
}
