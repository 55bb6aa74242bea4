//! A closed-loop load generator: a number of keep-alive connections, each sending its next request when
//! the last response is complete. Only ever aimed at loopback.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::sending::Template;

pub struct Outcome {
    pub requests: usize,
    pub seconds: f64,
    /// Microseconds, sorted.
    latencies: Vec<u32>,
}

impl Outcome {
    pub fn per_second(&self) -> f64 {
        self.requests as f64 / self.seconds
    }

    pub fn percentile_ms(&self, percent: f64) -> f64 {
        let last = self.latencies.len().saturating_sub(1);
        let index = ((last as f64) * percent / 100.0).round() as usize;
        f64::from(self.latencies.get(index).copied().unwrap_or(0)) / 1000.0
    }

    pub fn merge(outcomes: Vec<Self>) -> Self {
        let requests = outcomes.iter().map(|outcome| outcome.requests).sum();
        let seconds = outcomes.iter().map(|outcome| outcome.seconds).sum();
        let mut latencies: Vec<u32> = outcomes.into_iter().flat_map(|o| o.latencies).collect();
        latencies.sort_unstable();
        Self { requests, seconds, latencies }
    }
}

/// Sends requests from a template until the time is over.
pub async fn send(
    server: SocketAddr,
    template: &Template,
    connections: usize,
    duration: Duration,
) -> anyhow::Result<Outcome> {
    let until = Until { time: Some(Instant::now() + duration), requests: usize::MAX, pause: None };
    send_until(server, template, connections, until).await
}

/// Like `send`, with a pause after each response: measures latency, not throughput.
pub async fn send_paced(
    server: SocketAddr,
    template: &Template,
    connections: usize,
    duration: Duration,
) -> anyhow::Result<Outcome> {
    let pause = Some(Duration::from_millis(10));
    let until = Until { time: Some(Instant::now() + duration), requests: usize::MAX, pause };
    send_until(server, template, connections, until).await
}

/// Sends this many requests in total.
pub async fn send_count(
    server: SocketAddr,
    template: &Template,
    connections: usize,
    requests: usize,
) -> anyhow::Result<Outcome> {
    let until = Until { time: None, requests: requests / connections, pause: None };
    send_until(server, template, connections, until).await
}

/// When a connection stops.
#[derive(Clone, Copy)]
struct Until {
    time: Option<Instant>,
    requests: usize,
    pause: Option<Duration>,
}

async fn send_until(
    server: SocketAddr,
    template: &Template,
    connections: usize,
    until: Until,
) -> anyhow::Result<Outcome> {
    ensure!(server.ip().is_loopback(), "load is only ever aimed at loopback");
    let started = Instant::now();
    let tasks: Vec<_> = (0..connections)
        .map(|_| tokio::spawn(one_sender(server, template.clone(), until)))
        .collect();
    let mut latencies = Vec::new();
    for task in tasks {
        latencies.extend(task.await??);
    }
    latencies.sort_unstable();
    Ok(Outcome { requests: latencies.len(), seconds: started.elapsed().as_secs_f64(), latencies })
}

async fn one_sender(
    server: SocketAddr,
    mut template: Template,
    until: Until,
) -> anyhow::Result<Vec<u32>> {
    let mut stream = TcpStream::connect(server).await?;
    stream.set_nodelay(true)?;
    let (mut latencies, mut request) = (Vec::new(), Vec::new());
    let mut buffer = vec![0_u8; 16 * 1024];
    while latencies.len() < until.requests && until.time.is_none_or(|end| Instant::now() < end) {
        template.next(&mut request);
        let sent = Instant::now();
        stream.write_all(&request).await?;
        read_answer(&mut stream, &mut buffer).await?;
        latencies.push(u32::try_from(sent.elapsed().as_micros()).unwrap_or(u32::MAX));
        if let Some(pause) = until.pause {
            tokio::time::sleep(pause).await;
        }
    }
    Ok(latencies)
}

async fn read_answer(stream: &mut TcpStream, buffer: &mut [u8]) -> anyhow::Result<()> {
    let mut filled = 0;
    loop {
        let read = stream.read(&mut buffer[filled..]).await?;
        ensure!(read > 0, "the server closed the connection");
        filled += read;
        if let Some(length) = whole_response(&buffer[..filled])?
            && filled >= length
        {
            return Ok(());
        }
    }
}

/// The length of the response, once its head is complete. Anything but 200 is an error.
fn whole_response(bytes: &[u8]) -> anyhow::Result<Option<usize>> {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = std::str::from_utf8(&bytes[..end])?;
    ensure!(
        head.starts_with("HTTP/1.1 200"),
        "answered {}",
        head.lines().next().unwrap_or_default()
    );
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .context("a response without a length")?;
    Ok(Some(end + 4 + length.trim().parse::<usize>()?))
}
