//! Keeps an engine process running: starts it, watches it, ends it when it hangs, starts it again.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::address_file::AddressFile;
use crate::engine::{Connections, Order, Ready};
use crate::figures;

const START_LIMIT: Duration = Duration::from_secs(60);
const STOP_LIMIT: Duration = Duration::from_secs(5);
const LAST_LINE_LIMIT: Duration = Duration::from_secs(1);
const PING_EVERY: Duration = Duration::from_secs(5);
const PING_LIMIT: Duration = Duration::from_secs(10);
const BACK_OFF_MAX: Duration = Duration::from_secs(30);
/// An engine that has lived this long is restarted without delay.
const HEALTHY_AFTER: Duration = Duration::from_secs(60);
/// The server's fair queue decides how many statements read at once; this bound is above what that and
/// the loader's own questions ever use. Connections are opened as needed.
const CONNECTIONS: Connections = Connections { reads: 72, writes: 2 };

/// The state of the store, for health checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    Starting,
    Up,
    Down { since: Instant, reason: String },
}

/// What the supervisor needs to start an engine.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The store's folder, which holds the lock and the tables.
    pub folder: PathBuf,
    /// libchdb.so.
    pub library: PathBuf,
    /// The program to run as the engine; this program, if None.
    pub program: Option<PathBuf>,
    pub memory_mb: u64,
}

/// The address of the running engine.
#[derive(Clone)]
pub struct Address {
    pub port: u16,
    pub secret: String,
    /// Grows with every start: two answers of the same generation came from the same process.
    pub generation: u64,
    pub pid: Option<u32>,
}

#[derive(Clone)]
struct Status {
    state: State,
    address: Option<Address>,
}

enum Message {
    /// The engine of this generation does not answer.
    Hangs {
        generation: u64,
        reason: String,
    },
    Stop,
}

/// The supervisor's handle. The engine lives until `stop`, or until the last handle is gone.
#[derive(Clone)]
pub struct Embedded {
    status: watch::Receiver<Status>,
    messages: mpsc::Sender<Message>,
}

impl Embedded {
    /// Starts the supervisor and returns at once. Must be called within a runtime.
    pub fn start(plan: Plan) -> Self {
        let (status, watched) = watch::channel(Status { state: State::Starting, address: None });
        let (messages, inbox) = mpsc::channel(16);
        tokio::spawn(Supervisor { plan, status, inbox, generation: 0 }.run());
        Self { status: watched, messages }
    }

    pub fn state(&self) -> State {
        self.status.borrow().state.clone()
    }

    pub fn address(&self) -> Option<Address> {
        self.status.borrow().address.clone()
    }

    /// Waits until an engine answers, or the supervisor has ended.
    pub async fn up(&self) {
        let mut status = self.status.clone();
        // An error means that the supervisor has ended: then the state says so.
        let _ = status.wait_for(|status| status.address.is_some()).await;
    }

    /// Reports that a statement got no answer within its limit.
    pub fn hangs(&self, generation: u64, reason: String) {
        // A full inbox means that the supervisor already knows.
        let _ = self.messages.try_send(Message::Hangs { generation, reason });
    }

    /// Gives the engine a moment to end by itself, then kills it.
    pub async fn stop(&self) {
        if self.messages.send(Message::Stop).await.is_ok() {
            self.messages.closed().await;
        }
    }
}

struct Supervisor {
    plan: Plan,
    status: watch::Sender<Status>,
    inbox: mpsc::Receiver<Message>,
    generation: u64,
}

/// Why the watch over an engine ended.
enum End {
    Stopped,
    Failed(String),
}

impl Supervisor {
    async fn run(mut self) {
        let mut back_off = Duration::ZERO;
        loop {
            let started = Instant::now();
            let reason = match self.one_life().await {
                End::Stopped => break self.down("stopped".to_owned()),
                End::Failed(reason) => reason,
            };
            tracing::warn!(target: "engine", %reason, "the engine stopped and is being restarted");
            figures::count_restart();
            self.down(reason);
            if started.elapsed() >= HEALTHY_AFTER {
                back_off = Duration::ZERO;
            }
            if timeout(back_off, told_to_stop(&mut self.inbox)).await.is_ok() {
                break self.down("stopped".to_owned());
            }
            back_off = (back_off * 2).clamp(Duration::from_secs(1), BACK_OFF_MAX);
        }
    }

    fn down(&self, reason: String) {
        self.status.send_modify(|status| {
            // A series of failed starts is one outage.
            let since = match &status.state {
                State::Down { since, .. } => *since,
                _ => Instant::now(),
            };
            *status = Status { state: State::Down { since, reason }, address: None };
        });
    }

    async fn one_life(&mut self) -> End {
        self.generation += 1;
        let secret = secret();
        let mut child = match self.spawn() {
            Ok(child) => child,
            Err(error) => return End::Failed(format!("the engine cannot be started: {error}")),
        };
        let last_line = collect_stderr(&mut child);
        let greeted = tokio::select! {
            greeted = timeout(START_LIMIT, greet(&self.plan, &mut child, &secret)) => greeted,
            () = told_to_stop(&mut self.inbox) => {
                kill(&mut child).await;
                return End::Stopped;
            }
        };
        let late = || Err("it did not start in time".to_owned());
        let (stdin, port) = match greeted.unwrap_or_else(|_| late()) {
            Ok(greeted) => greeted,
            Err(reason) => {
                kill(&mut child).await;
                return End::Failed(last_line.with(&reason).await);
            }
        };
        let address = Address { port, secret, generation: self.generation, pid: child.id() };
        let _file = AddressFile::write(&self.plan.folder, port, &address.secret).inspect_err(
            |error| tracing::warn!(target: "engine", %error, "commands cannot find the engine"),
        );
        tracing::info!(target: "engine", generation = self.generation, "the engine is up");
        self.status.send_replace(Status { state: State::Up, address: Some(address.clone()) });
        self.watch(child, stdin, &address, last_line).await
    }

    fn spawn(&self) -> std::io::Result<Child> {
        std::fs::create_dir_all(&self.plan.folder)?;
        let program = match &self.plan.program {
            Some(program) => program.clone(),
            None => std::env::current_exe()?,
        };
        Command::new(program)
            .arg("engine")
            // The engine must not see our environment: it may hold secrets, and the library reads a
            // configuration from the home folder.
            .env_clear()
            .env("TZ", "UTC")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
    }

    async fn watch(
        &mut self,
        mut child: Child,
        stdin: ChildStdin,
        address: &Address,
        last_line: LastLine,
    ) -> End {
        let ping = ping_for_ever(address.clone());
        tokio::pin!(ping);
        loop {
            tokio::select! {
                status = child.wait() => {
                    let how = status.map_or_else(|error| error.to_string(), |status| status.to_string());
                    return End::Failed(last_line.with(&how).await);
                }
                reason = &mut ping => {
                    kill(&mut child).await;
                    return End::Failed(reason);
                }
                message = self.inbox.recv() => match message {
                    Some(Message::Hangs { generation, reason }) if generation == self.generation => {
                        kill(&mut child).await;
                        return End::Failed(reason);
                    }
                    Some(Message::Hangs { .. }) => {}
                    None | Some(Message::Stop) => {
                        drop(stdin);
                        if timeout(STOP_LIMIT, child.wait()).await.is_err() {
                            kill(&mut child).await;
                        }
                        return End::Stopped;
                    }
                },
            }
        }
    }
}

/// Resolves when the engine is no longer wanted.
async fn told_to_stop(inbox: &mut mpsc::Receiver<Message>) {
    while let Some(Message::Hangs { .. }) = inbox.recv().await {}
}

/// Gives the engine its order and waits for its port.
async fn greet(plan: &Plan, child: &mut Child, secret: &str) -> Result<(ChildStdin, u16), String> {
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("it has no pipes".to_owned());
    };
    let order = Order {
        secret: secret.to_owned(),
        path: plan.folder.join("tables"),
        library: plan.library.clone(),
        memory_mb: plan.memory_mb,
        connections: CONNECTIONS,
    };
    let mut line = serde_json::to_string(&order).map_err(|error| error.to_string())?;
    line.push('\n');
    stdin.write_all(line.as_bytes()).await.map_err(|error| error.to_string())?;
    let mut answer = String::new();
    BufReader::new(stdout).read_line(&mut answer).await.map_err(|error| error.to_string())?;
    let ready: Ready = serde_json::from_str(&answer)
        .map_err(|_| "it stopped before it could answer".to_owned())?;
    Ok((stdin, ready.port))
}

/// Also waits for the process to end, so that its lock is free when the next one starts.
async fn kill(child: &mut Child) {
    if let Err(error) = child.kill().await {
        tracing::warn!(target: "engine", %error, "the engine cannot be killed");
    }
}

/// Resolves with the reason when the engine's server no longer answers.
async fn ping_for_ever(address: Address) -> String {
    let client = http_client::local();
    let url = format!("http://127.0.0.1:{}/ping", address.port);
    loop {
        sleep(PING_EVERY).await;
        let answer = client.get(&url).header("x-clickhouse-key", &address.secret).send();
        match timeout(PING_LIMIT, answer).await {
            Ok(Ok(response)) if response.status().is_success() => {}
            Ok(Ok(response)) => return format!("it answered a ping with {}", response.status()),
            Ok(Err(error)) => return format!("a ping failed: {error}"),
            Err(_) => return "it did not answer a ping in time".to_owned(),
        }
    }
}

/// The last line an engine wrote to stderr, usually the reason why it ended.
struct LastLine {
    last: Arc<Mutex<String>>,
    reading: Option<JoinHandle<()>>,
}

impl LastLine {
    /// Adds the last line to a reason. To be called once the engine has ended; its output may still be
    /// in the pipe.
    async fn with(self, reason: &str) -> String {
        if let Some(reading) = self.reading {
            let _ = timeout(LAST_LINE_LIMIT, reading).await;
        }
        let last = self.last.lock();
        if last.is_empty() { reason.to_owned() } else { format!("{reason}: {last}") }
    }
}

fn collect_stderr(child: &mut Child) -> LastLine {
    let last = Arc::new(Mutex::default());
    let reading = child.stderr.take().map(|stderr| {
        let last = last.clone();
        tokio::spawn(async move {
            let mut lines = BufReader::new(stderr).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                tracing::warn!(target: "engine", "{line}");
                *last.lock() = line;
            }
        })
    });
    LastLine { last, reading }
}

/// Generated for every engine and known only to it and to us; `address_file` passes it to commands of
/// our own user.
#[expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "no test wants to know this secret"
)]
fn secret() -> String {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).expect("the system's random generator works");
    hex::encode(bytes)
}
