//! How fast one, two and three instances load into one store. On a machine with few cores the store and
//! the instances compete for them, so this is measured twice: with the store as it is, and with one that
//! delays each insert without using the processor, as a store with its own cores would.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use sqlx::Connection;

use crate::load;
use crate::program::Program;
use crate::sending::Template;

const EVENTS: usize = 600_000;
const BATCH: usize = 50;
const CONNECTIONS: usize = 8;
/// Enough apps that every instance gets its share of the partitions.
const APPS: usize = 32;
const SLOW: Duration = Duration::from_millis(1_500);

pub async fn measure(program: &str) -> anyhow::Result<()> {
    let database = std::env::var("TEST_POSTGRES_URL").context("run by scripts/with-postgres")?;
    let clickhouse = ClickHouse::start()?;
    for (name, slow) in [("as it is", Duration::ZERO), ("that takes 1.5 s an insert", SLOW)] {
        let store = slow_store(clickhouse.port, slow).await?;
        println!("loading {EVENTS} events of {APPS} apps into a store {name}");
        let mut one = None;
        for instances in 1..=3 {
            let name = format!("bench_{instances}_{}", slow.as_millis());
            create_database(&database, &name).await?;
            let settings = [
                ("ATRIUM_DATABASE_URL", format!("{database}/{name}")),
                ("ATRIUM_WAREHOUSE_URL", format!("http://{store}/{name}")),
            ];
            let fleet = Program::fleet(program, instances, &settings).await?;
            let rate = loaded(&fleet).await?;
            let ratio = rate / *one.get_or_insert(rate);
            let goal = if instances == 2 { "  (goal ≥ 1.60 where CPU allows)" } else { "" };
            println!(
                "  {instances} instances         {rate:>8.0} events/s  ratio {ratio:.2}{goal}"
            );
        }
    }
    Ok(())
}

async fn create_database(server: &str, name: &str) -> anyhow::Result<()> {
    sqlx::any::install_default_drivers();
    let mut connection = sqlx::AnyConnection::connect(&format!("{server}/postgres")).await?;
    let sql = format!("CREATE DATABASE {name}");
    sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await?;
    Ok(())
}

/// Events stored per second, from the first request to the last batch.
async fn loaded(fleet: &[Program]) -> anyhow::Result<f64> {
    let account = &fleet[0].account;
    let mut keys = vec![fleet[0].collect_key.clone()];
    for number in 1..APPS {
        let app = account.new_app(&format!("App {number}")).await?;
        keys.push(account.collect_key(&app).await?);
    }
    // Tables are created and leases distributed before the clock starts.
    for (server, key) in fleet.iter().cycle().zip(&keys) {
        load::send_count(server.address, &Template::new(key, BATCH, None), 1, 1).await?;
    }
    drained(fleet).await?;
    let each = EVENTS / BATCH / APPS;
    let started = Instant::now();
    let sends = keys.iter().zip(fleet.iter().cycle()).map(|(key, server)| {
        let (address, template) = (server.address, Template::new(key, BATCH, None));
        tokio::spawn(async move { load::send_count(address, &template, 1, each).await })
    });
    let mut sends: Vec<_> = sends.collect();
    for some in sends.chunks_mut(CONNECTIONS) {
        for send in some {
            send.await??;
        }
    }
    drained(fleet).await?;
    Ok((each * BATCH * APPS) as f64 / started.elapsed().as_secs_f64())
}

async fn drained(fleet: &[Program]) -> anyhow::Result<()> {
    for server in fleet {
        server.drained().await?;
    }
    Ok(())
}

/// A proxy in front of ClickHouse that delays each insert of events.
async fn slow_store(port: u16, slow: Duration) -> anyhow::Result<std::net::SocketAddr> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let store = Arc::new(SlowStore { client: http_client::local(), port, slow });
    let router = axum::Router::new()
        .fallback(pass_on)
        .layer(axum::extract::DefaultBodyLimit::disable())
        .with_state(store);
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(address)
}

struct SlowStore {
    client: reqwest::Client,
    port: u16,
    slow: Duration,
}

async fn pass_on(
    State(store): State<Arc<SlowStore>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let asked = format!("{uri}");
    if asked.contains("INSERT+INTO+events") || asked.contains("INSERT%20INTO%20events") {
        tokio::time::sleep(store.slow).await;
    }
    let url = format!("http://127.0.0.1:{}{asked}", store.port);
    let request = store.client.request(method, url).headers(headers).body(body);
    let Ok(answer) = request.send().await else {
        return StatusCode::BAD_GATEWAY.into_response();
    };
    let (status, headers) = (answer.status(), answer.headers().clone());
    let Ok(body) = answer.bytes().await else {
        return StatusCode::BAD_GATEWAY.into_response();
    };
    let mut response = (status, body).into_response();
    // Only `x-` headers are passed on; the others are about the connection.
    let named = headers.into_iter().filter_map(|(name, value)| Some((name?, value)));
    response.headers_mut().extend(named.filter(|(name, _)| name.as_str().starts_with("x-")));
    response
}

struct ClickHouse {
    child: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl ClickHouse {
    fn start() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let free = || std::net::TcpListener::bind("127.0.0.1:0");
        let (http, tcp) = (free()?, free()?);
        let (port, tcp_port) = (http.local_addr()?.port(), tcp.local_addr()?.port());
        drop((http, tcp));
        let mut child = Command::new("scripts/clickhouse-node")
            .args(["--http-port", &port.to_string(), "--tcp-port", &tcp_port.to_string()])
            .args(["--end-with", &std::process::id().to_string(), "--path"])
            .arg(folder.path())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let stdout = child.stdout.take().context("stdout")?;
        std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line)?;
        anyhow::ensure!(line == "ready\n", "ClickHouse does not start");
        Ok(Self { child, port, _folder: folder })
    }
}

impl Drop for ClickHouse {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
