//! The accept loop: bounded connections, slow clients cut off (those that do not send and, in
//! `unread.rs`, those that do not read), and a shutdown that lets running requests finish.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use parking_lot::Mutex;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

use super::unread::Unread;
use crate::client::network_of;

/// How long a client may take to send a request's head, and how long an idle connection is kept:
/// browsers reuse theirs within a minute or not at all.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);
const MAX_HEAD_BYTES: usize = 64 * 1024;
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(30);

const TOO_MANY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n\
content-type: application/json\r\ncontent-length: 110\r\n\r\n\
{\"message\":\"Too many connections.\",\"errors\":[{\"error\":\"Too many connections.\",\
\"code\":\"too_many_connections\"}]}";

#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    pub total: usize,
    /// Limit for a single address, so that one client cannot keep all others out. A proxy's address
    /// stands for many people, so only the total applies to it.
    pub per_address: usize,
    /// How long an answer may stay unread before the client is cut off.
    pub write_timeout: Duration,
}

impl ConnectionLimits {
    /// As many as the process's open-file limit allows, after raising that limit as far as possible.
    pub fn for_this_process(max_connections: usize, write_timeout: Duration) -> Self {
        let files = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(1024);
        let files = usize::try_from(files).unwrap_or(usize::MAX);
        let total = max_connections.min(files.saturating_sub(256)).max(64);
        Self { total, per_address: (total / 4).max(32), write_timeout }
    }
}

/// Serves until `stop` resolves, then lets running requests finish.
pub async fn serve<Handle, Answer>(
    listener: TcpListener,
    handle: Handle,
    limits: ConnectionLimits,
    is_proxy: impl Fn(&IpAddr) -> bool,
    stop: impl Future<Output = ()>,
) where
    Handle: Fn(Request) -> Answer + Clone + Send + Sync + 'static,
    Answer: Future<Output = Response> + Send + 'static,
{
    let open = OpenConnections::default();
    let graceful = GracefulShutdown::new();
    // HTTP/1 only: browsers speak HTTP/2 only over TLS, which is the reverse proxy's job.
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(MAX_HEAD_BYTES);

    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of file handles, or the connection vanished: pause rather than spin.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let address = peer.ip().to_canonical();
        let per_address = if is_proxy(&address) { limits.total } else { limits.per_address };
        let Some(place) = open.enter(network_of(address), limits.total, per_address) else {
            metrics::counter!("atrium_connections_refused_total").increment(1);
            tokio::spawn(refuse(stream));
            continue;
        };
        let _ = stream.set_nodelay(true);
        let handle = handle.clone();
        let service = hyper::service::service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(axum::body::Body::new);
            request.extensions_mut().insert(ConnectInfo::<SocketAddr>(peer));
            let response = handle(request);
            async move { Ok::<_, Infallible>(response.await) }
        });
        let stream = TokioIo::new(Unread::new(stream, limits.write_timeout));
        let connection = server.serve_connection(stream, service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // Clients that hang up, send garbage or time out end here; none of it is worth reporting.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    if tokio::time::timeout(SHUTDOWN_TIMEOUT, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests were still running 30 s after the server was told to stop");
    }
}

async fn refuse(mut stream: TcpStream) {
    let _ = tokio::time::timeout(Duration::from_secs(1), async {
        stream.write_all(TOO_MANY).await?;
        stream.shutdown().await?;
        // Closing with unread bytes would reset the connection before the client reads the answer.
        let mut unread = tokio::io::sink();
        tokio::io::copy(&mut stream, &mut unread).await
    })
    .await;
}

#[derive(Clone, Default)]
struct OpenConnections {
    counts: Arc<Mutex<Counts>>,
}

#[derive(Default)]
struct Counts {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// A connection's place among the open ones; dropping it frees the place.
struct Place {
    open: OpenConnections,
    address: IpAddr,
}

impl OpenConnections {
    fn counts(&self) -> parking_lot::MutexGuard<'_, Counts> {
        self.counts.lock()
    }

    fn enter(&self, address: IpAddr, total: usize, per_address: usize) -> Option<Place> {
        let mut counts = self.counts();
        let of_address = counts.by_address.get(&address).copied().unwrap_or(0);
        if counts.total >= total || of_address >= per_address {
            return None;
        }
        counts.total += 1;
        counts.by_address.insert(address, of_address + 1);
        metrics::gauge!("atrium_connections_open").set(counts.total as f64);
        Some(Place { open: self.clone(), address })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.open.counts();
        counts.total -= 1;
        if let Some(count) = counts.by_address.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.by_address.remove(&self.address);
            }
        }
        metrics::gauge!("atrium_connections_open").set(counts.total as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_per_address_and_in_total() {
        let open = OpenConnections::default();
        let (a, b) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let first = open.enter(a, 3, 2).unwrap();
        let _second = open.enter(a, 3, 2).unwrap();
        assert!(open.enter(a, 3, 2).is_none());
        let _third = open.enter(b, 3, 2).unwrap();
        assert!(open.enter(b, 3, 2).is_none());
        drop(first);
        assert!(open.enter(a, 3, 2).is_some());
    }

    #[test]
    fn the_refusal_is_a_whole_response() {
        let text = std::str::from_utf8(TOO_MANY).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}", body.len())), "{}", body.len());
        serde_json::from_str::<serde_json::Value>(body).unwrap();
    }
}
