//! Which shards answer. A store that lacks a shard cannot count anything, so errors name the lost shard,
//! and it is watched until it is back. A hung shard accepts statements and answers none: while a
//! statement waits, its shard has to answer a small probe now and then, which it does however busy it
//! is.

use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::{join_all, select_all};
use tokio::time::Instant;

use crate::answer::{Failure, receive};
use crate::call::Call;
use crate::embedded::State;
use crate::error::Error;

use super::Warehouse;
use super::shards::Cluster;

/// How long a shard may take to say that it is there.
const LOOK_LIMIT: Duration = Duration::from_secs(2);
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// How long a statement waits before its shard is probed, and again after each probe.
const LOOK_AFTER: Duration = Duration::from_secs(2);
/// How long a shard may take to answer the probe before it counts as hanging.
const SILENCE_MAX: Duration = Duration::from_secs(8);

/// Codes with which a server reports that it cannot reach another, or lost it halfway.
const ABOUT_ANOTHER: &[i32] = &[
    32,   // ATTEMPT_TO_READ_AFTER_EOF
    159,  // TIMEOUT_EXCEEDED
    209,  // SOCKET_TIMEOUT
    210,  // NETWORK_ERROR
    279,  // ALL_CONNECTION_TRIES_FAILED
    1000, // POCO_EXCEPTION
];
const ATTEMPT_TO_READ_AFTER_EOF: i32 = 32;

/// The health of a shard, for operators.
#[derive(Clone, Debug)]
pub struct ShardHealth {
    /// From 1 on.
    pub number: usize,
    pub host: String,
    /// Its version, or why it did not answer.
    pub asked: Result<String, String>,
}

impl Cluster {
    /// The first shard that is known to be lost.
    pub fn lost(&self) -> Option<State> {
        self.known_shards().iter().enumerate().find_map(|(at, shard)| match shard.state() {
            State::Down { since, reason } => {
                let reason = format!("shard {} ({}): {reason}", at + 1, shard.source().host());
                Some(State::Down { since, reason })
            }
            _ => None,
        })
    }
}

impl Warehouse {
    /// The health of each shard. Empty where the store is on one server.
    pub async fn shard_health(&self) -> Result<Vec<ShardHealth>, Error> {
        if !self.is_cluster() {
            return Ok(Vec::new());
        }
        let shards = self.shards().await?.into_iter().enumerate().map(|(at, shard)| async move {
            let asked = shard.look("SELECT version()").await.map_err(|error| match error {
                Error::ShardLost { reason, .. } => reason,
                other => other.to_string(),
            });
            ShardHealth { number: at + 1, host: shard.source().host(), asked }
        });
        Ok(join_all(shards).await)
    }

    /// Says which shard a failure is about, if it is about one.
    pub(crate) async fn blame(&self, error: Error) -> Error {
        if let Some(shard) = self.names().shard.as_ref()
            && let Error::Unavailable(reason) = error
        {
            self.watch();
            return Error::ShardLost { shard: shard.number, host: self.source().host(), reason };
        }
        let Some(cluster) = self.cluster() else { return error };
        let is_suspect = match &error {
            Error::Unavailable(_) => true,
            Error::Refused { code, .. } => ABOUT_ANOTHER.contains(code),
            _ => false,
        };
        if !is_suspect {
            return error;
        }
        let looks = cluster.known_shards().iter().map(|shard| shard.look("SELECT 1"));
        let lost = join_all(looks).await.into_iter().find_map(Result::err);
        match (lost, error) {
            (Some(lost), _) => lost,
            // Questions send no rows whose end could be missing, so it was the connection to a shard
            // that ended; that shard is already back.
            (None, Error::Refused { code: ATTEMPT_TO_READ_AFTER_EOF, message }) => {
                Error::Unavailable(message)
            }
            (None, error) => error,
        }
    }

    /// Waits for an answer for as long as the shards involved answer probes. What becomes of the
    /// statement otherwise is unknown, as after any lost connection.
    ///
    /// Boxed: callers nest deeply, and all their futures share one stack.
    pub(super) fn unless_lost<'a, T: 'a>(
        &'a self,
        answer: impl Future<Output = Result<T, Failure>> + Send + 'a,
    ) -> Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>> {
        let shards = match (self.cluster(), &self.names().shard) {
            (Some(cluster), _) => cluster.known_shards(),
            (None, Some(_)) => std::slice::from_ref(self),
            (None, None) => &[],
        };
        if shards.is_empty() {
            return Box::pin(answer);
        }
        let silences = select_all(shards.iter().map(|shard| Box::pin(shard.silence())));
        Box::pin(async move {
            tokio::select! {
                biased;
                outcome = answer => outcome,
                (lost, ..) = silences => Err(Failure { error: lost, timed_out: false }),
            }
        })
    }

    /// Comes to an end when a shard hangs.
    async fn silence(&self) -> Error {
        let is_watched = || self.source().watched().is_some_and(|it| it.load(Ordering::Relaxed));
        loop {
            // A shard that is already being watched was lost before, and gets less patience.
            let (pause, patience) = match is_watched() {
                true => (Duration::ZERO, LOOK_LIMIT),
                false => (LOOK_AFTER, SILENCE_MAX),
            };
            tokio::time::sleep(pause).await;
            if !self.answers_within(patience).await {
                let reason = format!("it has not answered for {} seconds", patience.as_secs());
                let error = Error::Unavailable(reason.clone());
                self.source().note(&Err(Failure { error, timed_out: true }), 0);
                return Box::pin(self.blame(Error::Unavailable(reason))).await;
            }
            if is_watched() {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        }
    }

    /// Whether it answers at all, even if only that it has too much to do.
    async fn answers_within(&self, patience: Duration) -> bool {
        let (sql, begun) = ("SELECT 1", Instant::now());
        let mut call = Call::new(sql, &[], patience);
        call.in_database = false;
        loop {
            let left = patience.saturating_sub(begun.elapsed());
            let Ok((request, _)) = self.prepare(&call) else { return true };
            let outcome = receive(request.timeout(left).body(sql)).await;
            if !matches!(outcome, Err(Failure { error: Error::Unavailable(_), .. })) {
                return true;
            }
            if begun.elapsed() + LOOK_AGAIN >= patience {
                return false;
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// Asks a shard something small, within `LOOK_LIMIT`.
    async fn look(&self, sql: &str) -> Result<String, Error> {
        let mut call = Call::new(sql, &[], LOOK_LIMIT);
        call.in_database = false;
        let (request, generation) = self.prepare(&call)?;
        let outcome = receive(request.timeout(LOOK_LIMIT).body(sql.to_owned())).await;
        self.source().note(&outcome, generation);
        match outcome {
            Ok(answer) => Ok(String::from_utf8_lossy(&answer).trim().to_owned()),
            Err(failure) => Err(Box::pin(self.blame(failure.error)).await),
        }
    }

    /// Probes a lost shard until it is back: no other statement is sent to it meanwhile that would show
    /// it.
    fn watch(&self) {
        let Some(watched) = self.source().watched() else { return };
        if watched.swap(true, Ordering::Relaxed) {
            return;
        }
        let shard = self.weak();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(LOOK_AGAIN).await;
                let Some(shard) = shard.upgrade() else { return };
                if shard.look("SELECT 1").await.is_ok() {
                    tracing::info!(shard = shard.source().host(), "a lost shard is back");
                    if let Some(watched) = shard.source().watched() {
                        watched.store(false, Ordering::Relaxed);
                    }
                    return;
                }
            }
        });
    }
}
