//! Ten thousand connections from one client: some are served, the rest are told why not, and everyone else is
//! served throughout.

use std::net::SocketAddr;
use std::time::Duration;

use crate::support::{Store, TestServer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n";

async fn connect_from(source: [u8; 4], server: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((source, 0)))?;
    socket.connect(server).await
}

/// The status of one request, or 0 if the connection broke.
async fn status(stream: &mut TcpStream) -> u16 {
    let mut answer = [0_u8; 1024];
    let exchange = async {
        stream.write_all(REQUEST).await.ok()?;
        let length = stream.read(&mut answer).await.ok()?;
        std::str::from_utf8(&answer[..length]).ok()?.split(' ').nth(1)?.parse().ok()
    };
    tokio::time::timeout(Duration::from_secs(20), exchange).await.ok().flatten().unwrap_or(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_connections_of_one_client_leave_room_for_others() {
    // Both ends of every connection live in this process.
    let files = rlimit::increase_nofile_limit(u64::MAX).unwrap();
    let wanted = usize::try_from(files).unwrap().saturating_sub(500).min(20_000) / 2;
    let wanted = wanted.min(10_000);
    let server =
        TestServer::start_with(Store::Sqlite, |raw| raw.max_connections = Some(4_000)).await;
    let address: SocketAddr = server.url.trim_start_matches("http://").parse().unwrap();

    let (mut served, mut refused, mut open) = (0, 0, Vec::new());
    for _ in 0..wanted {
        let mut stream = connect_from([127, 0, 0, 2], address).await.unwrap();
        match status(&mut stream).await {
            200 => served += 1,
            503 => refused += 1,
            other => panic!("answered {other} after {served} served and {refused} refused"),
        }
        open.push(stream);
    }
    assert_eq!((served, refused), (1_000, wanted - 1_000));

    let mut neighbor = connect_from([127, 0, 0, 3], address).await.unwrap();
    assert_eq!(status(&mut neighbor).await, 200);
    for stream in open.iter_mut().take(1_000) {
        assert_eq!(status(stream).await, 200, "those let in are served on");
    }
    drop(open);
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut back = connect_from([127, 0, 0, 2], address).await.unwrap();
    assert_eq!(status(&mut back).await, 200);
}

/// The client's receive buffer is small, so that the server soon notices that nothing is read.
async fn connect_with_little_room(server: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    socket.connect(server).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_who_asks_and_does_not_read_is_cut_off() {
    let server =
        TestServer::start_with(Store::Sqlite, |raw| raw.write_timeout_seconds = Some(1)).await;
    let address: SocketAddr = server.url.trim_start_matches("http://").parse().unwrap();
    let request = b"GET /api/v1/openapi.json HTTP/1.1\r\nhost: a\r\n\r\n".repeat(100);
    let mut stuck = connect_with_little_room(address).await;
    stuck.write_all(&request).await.unwrap();
    let started = std::time::Instant::now();
    // A connection that is still open takes bytes or has a full buffer; one that has ended returns an error.
    loop {
        match stuck.try_write(b"GET ") {
            Err(error) if error.kind() != std::io::ErrorKind::WouldBlock => break,
            _ => tokio::time::sleep(Duration::from_millis(20)).await,
        }
        assert!(started.elapsed() < Duration::from_secs(20), "it is still served");
    }

    // A client that reads gets the whole answer, and the one that was cut off blocks nobody.
    let mut reader = connect_with_little_room(address).await;
    let last = b"GET /api/v1/openapi.json HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    reader.write_all(last).await.unwrap();
    let mut answers = Vec::new();
    reader.read_to_end(&mut answers).await.unwrap();
    let whole = String::from_utf8_lossy(&answers);
    assert!(whole.starts_with("HTTP/1.1 200") && whole.ends_with('}'), "{}", whole.len());
}
