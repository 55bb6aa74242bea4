//! The engine process: libchdb behind a small HTTP server on loopback. The server runs it as a child
//! process, so that a crash in the library costs only a restart of the child.
//!
//! The child gets its configuration as one line of JSON on stdin, never in arguments or environment
//! variables, where other users of the machine could read it. It ends when stdin closes, which the
//! system ensures even when the parent is killed.

mod cancel;
mod chdb;
mod http;
mod pool;
mod statement;

use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

use chdb::Chdb;
pub use pool::QUEUE_WAIT;

/// How long the engine of a server that was killed may still take to end.
const LOCK_WAIT: Duration = Duration::from_secs(30);
/// How long statements may keep running after stdin has closed.
const LAST_WORDS: Duration = Duration::from_secs(3);
/// Locked by the engine, so that there is one per folder.
const LOCK_FILE: &str = "engine.lock";

/// The prefix of the engine's settings for the threads that merge and delete.
const POOL: &str = "background_processing_pool";

/// The error of a statement that was not run because too many are waiting.
pub(crate) const BUSY: &str = "too many statements are waiting";

/// The engine's configuration: the line on stdin.
#[derive(Serialize, Deserialize)]
pub struct Order {
    /// Every request must carry it as `X-ClickHouse-Key`.
    pub secret: String,
    /// The folder of the tables.
    pub path: PathBuf,
    /// libchdb.so.
    pub library: PathBuf,
    /// For the whole engine.
    pub memory_mb: u64,
    pub connections: Connections,
}

/// How many statements may run at once.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Connections {
    pub reads: usize,
    pub writes: usize,
}

/// The line on stdout.
#[derive(Serialize, Deserialize)]
pub struct Ready {
    pub port: u16,
}

/// The whole life of an engine process.
pub fn main() -> ExitCode {
    match run() {
        Ok(never) => match never {},
        Err(reason) => {
            let _ = writeln!(std::io::stderr(), "{reason}");
            // `main` must not return: the library may be loaded already.
            chdb::end_process(1)
        }
    }
}

fn run() -> Result<std::convert::Infallible, String> {
    let (mut order, parent) = read_order()?;
    // The working directory changes below.
    let absolute = |path: &Path| std::path::absolute(path).map_err(|error| error.to_string());
    order.path = absolute(&order.path)?;
    order.library = absolute(&order.library)?;
    let _lock = lock(&order.path)?;
    let chdb = Chdb::load(&order.library)
        .map_err(|error| format!("the engine's library cannot be loaded: {error}"))?;
    let path_argument = format!("--path={}", order.path.display());
    // Held to the end, because the engine closes with its last session.
    let anchor = chdb.connect(&boot_arguments(&order, &path_argument)?)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| format!("no runtime: {error}"))?;
    let service = Arc::new(http::Service {
        secret: order.secret,
        defaults: defaults(order.memory_mb),
        incoming: incoming(&order.path)?,
        reads: pool::Pool::new(chdb.clone(), path_argument.clone(), order.connections.reads.max(1))
            .ending_with_callers(),
        writes: pool::Pool::new(chdb.clone(), path_argument, order.connections.writes.max(1)),
    });
    runtime.block_on(serve(service.clone(), parent))?;
    let closing = async { tokio::join!(service.reads.close(), service.writes.close()) };
    let quiet = runtime.block_on(async { tokio::time::timeout(LAST_WORDS, closing).await.is_ok() });
    // Closing the engine while a statement runs would abort. In that case the process just ends, which a
    // MergeTree survives as it survives a power cut.
    if quiet {
        drop(anchor);
        chdb.shutdown();
    }
    chdb::end_process(0)
}

/// Answers until the parent closes our stdin.
async fn serve(
    service: Arc<http::Service>,
    parent: impl Read + Send + 'static,
) -> Result<(), String> {
    // A Ctrl-C in a terminal reaches the whole process group, but the parent decides when the engine
    // ends.
    let failed = |error: std::io::Error| format!("signals: {error}");
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    tokio::spawn(async move {
        loop {
            tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
        }
    });
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(|error| error.to_string())?;
    let port = listener.local_addr().map_err(|error| error.to_string())?.port();
    announce(&Ready { port })?;
    let (gone, is_gone) = oneshot::channel();
    std::thread::spawn(move || {
        wait_for_end(parent);
        let _ = gone.send(());
    });
    tokio::select! {
        () = http::serve(listener, service) => {}
        _ = is_gone => {}
    }
    Ok(())
}

/// Reads the order, then replaces stdin with /dev/null: the library reads stdin when an INSERT comes
/// without data, and would consume the end of input that we wait for.
fn read_order() -> Result<(Order, BufReader<File>), String> {
    let failed = |error: std::io::Error| format!("stdin: {error}");
    let own = std::io::stdin().as_fd().try_clone_to_owned().map_err(failed)?;
    let nothing = File::open("/dev/null").map_err(failed)?;
    rustix::stdio::dup2_stdin(&nothing).map_err(|error| failed(error.into()))?;
    let mut parent = BufReader::new(File::from(own));
    let mut line = String::new();
    parent.read_line(&mut line).map_err(failed)?;
    let order = serde_json::from_str(&line).map_err(|_| {
        "this is the part of the server that stores events; the server starts it itself".to_owned()
    })?;
    Ok((order, parent))
}

/// Writes the port to stdout, then redirects stdout to stderr: the parent reads only that one line, and
/// anything the library prints belongs with its other messages.
fn announce(ready: &Ready) -> Result<(), String> {
    let line = serde_json::to_string(ready).map_err(|error| error.to_string())?;
    let mut out = std::io::stdout();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .map_err(|error| format!("stdout: {error}"))?;
    rustix::stdio::dup2_stdout(std::io::stderr().as_fd())
        .map_err(|error| format!("stdout: {error}"))
}

fn wait_for_end(mut parent: impl Read) {
    let mut nothing = [0_u8; 64];
    while !matches!(parent.read(&mut nothing), Ok(0) | Err(_)) {}
}

/// Two engines on one folder would destroy it. The lock is released when the process ends, however that
/// happens.
fn lock(path: &Path) -> Result<File, String> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("{} cannot be created: {error}", folder.display()))?;
    let name = folder.join(LOCK_FILE);
    let file = File::create(&name).map_err(|error| format!("{}: {error}", name.display()))?;
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if started.elapsed() < LOCK_WAIT => {
                std::thread::sleep(Duration::from_millis(50));
            }
            Err(error) => {
                return Err(format!("{} is in use by another engine: {error}", folder.display()));
            }
        }
    }
}

/// Whether an engine runs on a store's folder. Takes no lock that lasts.
pub fn is_running(folder: &Path) -> bool {
    File::open(folder.join(LOCK_FILE))
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Creates an empty folder for the data of INSERTs. Files already there were left by an engine that was
/// killed.
fn incoming(path: &Path) -> Result<PathBuf, String> {
    let folder = path.with_file_name("incoming");
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    std::fs::create_dir_all(&folder).map_err(failed)?;
    folder.canonicalize().map_err(failed)
}

/// The arguments of the first connection, which are the engine's configuration.
fn boot_arguments(order: &Order, path_argument: &str) -> Result<Vec<String>, String> {
    let parent = order.path.parent().unwrap_or(&order.path);
    // Otherwise the library would load a config.xml from the working directory.
    std::env::set_current_dir(parent).map_err(|error| format!("{}: {error}", parent.display()))?;
    let memory = order.memory_mb << 20;
    Ok(vec![
        path_argument.to_owned(),
        format!("--max_server_memory_usage={memory}"),
        // The caches are part of the same memory, and grow to their limits.
        format!("--mark_cache_size={}", memory / 16),
        format!("--uncompressed_cache_size={}", 0),
        // A DELETE that collides with a merge is retried after this time. By default the engine waits up
        // to a second longer, for each of the tables that a person is erased from.
        format!("--{POOL}_task_sleep_seconds_when_no_work_random_part=0"),
        format!("--{POOL}_thread_sleep_seconds_if_nothing_to_do=0.01"),
    ])
}

/// Settings of every session. One statement may take most of the memory, but not all: inserts must
/// continue even next to the most expensive question.
fn defaults(memory_mb: u64) -> Vec<(String, String)> {
    let memory = memory_mb << 20;
    vec![("max_memory_usage".to_owned(), (memory / 4 * 3).to_string())]
}
