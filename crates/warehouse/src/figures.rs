//! The store's metrics for Prometheus: statements, their time and failures by kind, and restarts of the
//! embedded engine. The handles are looked up once, because every statement is counted.

use std::time::Instant;

use metrics::{Counter, Histogram};

use crate::error::Error;

/// The kinds of statements: a question that a person waits for, a read of the server's own, rows to
/// store, or any other change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementKind {
    Question,
    Read,
    Insert,
    Change,
}

impl StatementKind {
    pub const ALL: [Self; 4] = [Self::Question, Self::Read, Self::Insert, Self::Change];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Read => "read",
            Self::Insert => "insert",
            Self::Change => "change",
        }
    }
}

/// How a statement failed: the store refused it, or did not answer.
pub const FAILURES: [&str; 2] = ["refused", "unavailable"];

pub(crate) struct Figures([OfKind; 4]);

struct OfKind {
    seconds: Histogram,
    /// In the order of `FAILURES`.
    failed: [Counter; 2],
}

impl Figures {
    pub fn new() -> Self {
        Self(StatementKind::ALL.map(|kind| {
            let kind = kind.as_str();
            OfKind {
                seconds: metrics::histogram!("atrium_event_store_statement_seconds", "kind" => kind),
                failed: FAILURES.map(|reason| {
                    metrics::counter!(
                        "atrium_event_store_statement_failures_total",
                        "kind" => kind,
                        "reason" => reason
                    )
                }),
            }
        }))
    }

    /// Records a statement that was sent at `since` and has just ended.
    pub fn note<T>(&self, kind: StatementKind, since: Instant, outcome: Result<T, &Error>) {
        // In the order of the variants.
        let figures = &self.0[kind as usize];
        figures.seconds.record(since.elapsed().as_secs_f64());
        match outcome.err() {
            None => {}
            Some(Error::Unavailable(_) | Error::ShardLost { .. }) => figures.failed[1].increment(1),
            Some(_) => figures.failed[0].increment(1),
        }
    }
}

/// Counts a restart of the engine.
pub(crate) fn count_restart() {
    metrics::counter!("atrium_engine_restarts_total").increment(1);
}
