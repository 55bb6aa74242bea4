//! Where statements are sent: the embedded engine, or a server. Tracks its state.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use bytes::Bytes;
use parking_lot::Mutex;
use reqwest::header::HeaderMap;
use url::Url;

use crate::answer::Failure;
use crate::embedded::{Embedded, State};
use crate::error::Error;
use crate::location::Server;

/// The target of statements.
pub(crate) enum Source {
    Embedded(Embedded),
    Remote(Box<Remote>),
    /// The address is invalid, for this reason.
    Unusable(String),
}

pub(crate) struct Remote {
    server: Server,
    state: Mutex<State>,
    /// Whether a task is probing it until it is back.
    is_watched: AtomicBool,
}

impl Source {
    pub fn remote(server: Server) -> Self {
        let (state, is_watched) = (Mutex::new(State::Starting), AtomicBool::new(false));
        Self::Remote(Box::new(Remote { server, state, is_watched }))
    }

    pub fn embedded(&self) -> Option<&Embedded> {
        match self {
            Self::Embedded(embedded) => Some(embedded),
            Self::Remote(_) | Self::Unusable(_) => None,
        }
    }

    /// Its state, as far as it is known without asking.
    pub fn state(&self) -> State {
        match self {
            Self::Embedded(embedded) => embedded.state(),
            Self::Remote(remote) => remote.state.lock().clone(),
            Self::Unusable(reason) => State::Down { since: Instant::now(), reason: reason.clone() },
        }
    }

    /// A server's host and port, for messages.
    pub fn host(&self) -> String {
        match self {
            Self::Remote(remote) => remote.server.host_and_port(),
            Self::Embedded(_) | Self::Unusable(_) => String::new(),
        }
    }

    /// Set while a task is probing a server until it is back.
    pub fn watched(&self) -> Option<&AtomicBool> {
        match self {
            Self::Remote(remote) => Some(&remote.is_watched),
            Self::Embedded(_) | Self::Unusable(_) => None,
        }
    }

    /// Where to send a statement now.
    pub fn target(&self) -> Result<(Url, HeaderMap, u64), Error> {
        let unusable = |_| Error::Unavailable("its address or password cannot be sent".to_owned());
        let mut headers = HeaderMap::new();
        match self {
            Self::Embedded(embedded) => {
                let address = embedded.address().ok_or_else(|| why_not(self.state()))?;
                let url = Url::parse(&format!("http://127.0.0.1:{}/", address.port))
                    .map_err(|error| Error::Unavailable(error.to_string()))?;
                headers.insert("x-clickhouse-key", address.secret.parse().map_err(unusable)?);
                Ok((url, headers, address.generation))
            }
            Self::Unusable(reason) => Err(Error::Setup(reason.clone())),
            Self::Remote(remote) => {
                let server = &remote.server;
                headers.insert("x-clickhouse-user", server.user.parse().map_err(unusable)?);
                headers.insert("x-clickhouse-key", server.password.parse().map_err(unusable)?);
                Ok((server.url.clone(), headers, 0))
            }
        }
    }

    /// Updates the state by the outcome of a statement.
    pub fn note(&self, outcome: &Result<Bytes, Failure>, generation: u64) {
        match (self, outcome) {
            (Self::Embedded(embedded), Err(Failure { timed_out: true, error })) => {
                embedded.hangs(generation, error.to_string());
            }
            (Self::Embedded(_) | Self::Unusable(_), _) => {}
            // Already recorded where it was detected, and it may be about another server.
            (Self::Remote(_), Err(Failure { error: Error::ShardLost { .. }, .. })) => {}
            (Self::Remote(remote), outcome) => {
                let mut state = remote.state.lock();
                *state = match outcome {
                    Err(Failure { error: Error::Unavailable(reason), .. }) => {
                        let since = match &*state {
                            State::Down { since, .. } => *since,
                            _ => Instant::now(),
                        };
                        State::Down { since, reason: reason.clone() }
                    }
                    _ => State::Up,
                };
            }
        }
    }
}

pub(crate) fn why_not(state: State) -> Error {
    Error::Unavailable(match state {
        State::Starting => "it is starting".to_owned(),
        State::Up => "it did not answer in time".to_owned(),
        State::Down { reason, .. } => reason,
    })
}

/// The resident memory of a process, as Linux reports it.
pub fn resident_bytes(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}
