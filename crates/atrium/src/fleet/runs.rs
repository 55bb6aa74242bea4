//! Runs of jobs and how they are reported: in the log, in `/metrics`, and in the table with the latest
//! run of every instance that the operator's page shows.

use std::fmt::Display;

use tokio::time::Instant;

use super::heartbeat;
use super::store::{self, JobRunRow};
use crate::app::AppState;
use atrium_core::error::Result;
use atrium_core::types::Millis;

/// The rest of a longer error is of no use to people.
const ERROR_MAX: usize = 500;

macro_rules! jobs {
    ($($variant:ident = $name:literal, $done:literal;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Job { $($variant),+ }

        impl Job {
            pub const ALL: &[Job] = &[$(Job::$variant),+];

            /// Its name in metrics, rows and the console, which has a text for each.
            pub fn as_str(self) -> &'static str {
                match self { $(Job::$variant => $name),+ }
            }

            /// What it did, for the log.
            fn done(self) -> &'static str {
                match self { $(Job::$variant => $done),+ }
            }
        }
    };
}

jobs! {
    Purge = "purge", "removed deleted apps for good";
    KeyReminders = "key_reminders", "sent reminders about expiring keys";
    SweepAccounts = "sweep_accounts", "removed expired sign-in data";
    SweepKeys = "sweep_keys", "removed old keys";
    SweepSamples = "sweep_samples", "removed old samples";
    SweepNames = "sweep_names", "removed names and values that are no longer sent";
    SweepReports = "sweep_reports", "removed old error reports";
    TidyBuilds = "tidy_builds", "removed the console's files of old builds";
    Retention = "retention", "removed events past their retention";
    Alerts = "alerts", "sent notifications about incoming data";
    Erasures = "erasures", "processed erasure requests";
    Recount = "recount", "counted events stored before a table existed";
    PropertyColumns = "property_columns", "added or removed property columns";
    CohortSizes = "cohort_sizes", "measured cohorts";
    Backup = "backup", "made a backup";
}

/// Runs the work and reports the outcome. Retrying is up to the caller.
pub async fn run<E: Display>(
    atrium: &AppState,
    job: Job,
    work: impl Future<Output = std::result::Result<u64, E>>,
) {
    let begun = Begun::now(atrium);
    let outcome = work.await;
    record(atrium, job, begun, outcome).await;
}

/// When a run began.
pub struct Begun {
    at: Millis,
    since: Instant,
}

impl Begun {
    pub fn now(atrium: &AppState) -> Self {
        Self { at: atrium.now(), since: Instant::now() }
    }
}

/// Reports the outcome of a run.
pub async fn record<E: Display>(
    atrium: &AppState,
    job: Job,
    Begun { at: started_at, since }: Begun,
    outcome: std::result::Result<u64, E>,
) {
    let name = job.as_str();
    let took = since.elapsed();
    let ending = if outcome.is_ok() { "ok" } else { "failed" };
    metrics::counter!("atrium_job_runs_total", "task" => name, "outcome" => ending).increment(1);
    metrics::histogram!("atrium_job_seconds", "task" => name).record(took.as_secs_f64());
    let finished_at = atrium.now();
    let error = match outcome {
        Ok(count) => {
            if count > 0 {
                tracing::info!(count, "{}", job.done());
            }
            metrics::gauge!("atrium_job_last_success_timestamp_seconds", "task" => name)
                .set(finished_at.0 as f64 / Millis::SECOND as f64);
            None
        }
        Err(error) => {
            // With its causes, if the error type has any.
            let error = format!("{error:#}");
            tracing::warn!(job = name, error, "a job failed and will be retried");
            Some(error.chars().filter(|c| *c != '\0').take(ERROR_MAX).collect())
        }
    };
    let row = JobRunRow {
        job: name.to_owned(),
        instance: heartbeat::id(atrium).to_owned(),
        started_at,
        duration_ms: i64::try_from(took.as_millis()).unwrap_or(i64::MAX),
        succeeded_at: error.is_none().then_some(finished_at),
        error,
    };
    if let Err(error) = note(atrium, &row).await {
        tracing::warn!(%error, job = name, "could not record the outcome of a job");
    }
}

async fn note(atrium: &AppState, row: &JobRunRow) -> Result<()> {
    let mut tx = atrium.db.write_relaxed().await?;
    store::note_run(&mut tx, row).await?;
    tx.commit().await
}
