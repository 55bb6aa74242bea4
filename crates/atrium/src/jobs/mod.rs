//! Background jobs. Every job may run on several instances at once.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::app::AppState;
use crate::backup::schedule;
use crate::first_start;
use crate::fleet::runs::{self, Job};
use crate::fleet::{heartbeat, measure, outdated};
use crate::reports;
use atrium_collect::Collecting;
use atrium_collect::collect::{alerts, cardinality, loader, recount, samples, upkeep};
use atrium_collect::erasures;
use atrium_collect::erasures::purge;
use atrium_core::Core;
use atrium_core::chat_provider::Provider;
use atrium_core::clock_sync;
use atrium_core::key_rotation;
use atrium_core::outbox::{self, mail};
use atrium_insight::analyses::cohort_sizes;
use atrium_insight::columns;
use atrium_tenancy::Tenancy;
use atrium_tenancy::accounts;
use atrium_tenancy::audit_log::refusals;
use atrium_tenancy::keys;
use atrium_tenancy::notifications::chat_outbox;

const HOURLY: Duration = Duration::from_secs(60 * 60);
const ALERTS: Duration = Duration::from_secs(5 * 60);
const ERASURES: Duration = Duration::from_secs(60);
const UPKEEP: Duration = Duration::from_secs(10);
const RECOUNTS: Duration = Duration::from_secs(30);
const COLUMNS: Duration = Duration::from_secs(60);
const COHORTS: Duration = Duration::from_secs(10 * 60);

/// How long the loader may take to finish its batch when the server ends.
const LAST_BATCH: Duration = Duration::from_secs(20);

/// The running jobs.
pub struct Jobs {
    stop: oneshot::Sender<()>,
    loader: JoinHandle<()>,
}

impl Jobs {
    /// Lets the loader finish its batch. All other jobs can be interrupted.
    pub async fn stop(self) {
        let _ = self.stop.send(());
        if tokio::time::timeout(LAST_BATCH, self.loader).await.is_err() {
            tracing::warn!(
                "the last batch is not finished; it will be continued at the next start"
            );
        }
    }
}

/// Starts the background work; it ends with the process.
pub fn start(atrium: &AppState) -> Jobs {
    let (stop, stopped) = oneshot::channel();
    let stopped = async {
        if stopped.await.is_err() {
            // The sender is gone, so nothing can stop it.
            std::future::pending().await
        }
    };
    let loader = tokio::spawn(loader::run(Collecting::clone(atrium), stopped));
    tokio::spawn(key_rotation::follow(Core::clone(atrium)));
    tokio::spawn(mail::run(Core::clone(atrium)));
    for provider in Provider::ALL.into_iter().filter(|it| atrium.chat.is_configured(*it)) {
        tokio::spawn(chat_outbox::run(Tenancy::clone(atrium), provider));
    }
    tokio::spawn(live(atrium.clone()));
    tokio::spawn(hourly(atrium.clone()));
    tokio::spawn(watch_data(atrium.clone()));
    tokio::spawn(erase(atrium.clone()));
    tokio::spawn(recount_events(atrium.clone()));
    tokio::spawn(keep_columns(atrium.clone()));
    tokio::spawn(measure_cohorts(atrium.clone()));
    tokio::spawn(keep_up(atrium.clone()));
    tokio::spawn(schedule::run(atrium.clone()));
    Jobs { stop, loader }
}

/// Regularly writes a sign of life, and checks whether this program may keep running.
async fn live(atrium: AppState) {
    let mut ticks = tokio::time::interval(heartbeat::EVERY);
    loop {
        ticks.tick().await;
        if let Err(error) = heartbeat::beat(&atrium).await {
            tracing::warn!(%error, "could not record in the database that this instance is alive");
        }
        if let Some(reason) = outdated::reason(&atrium).await {
            tracing::error!(
                reason,
                "this version is too old for the stores, which a newer one has changed"
            );
            atrium.outdated.send_replace(Some(reason));
            return;
        }
    }
}

async fn hourly(atrium: AppState) {
    let mut ticks = tokio::time::interval(HOURLY);
    let mut hours = 0;
    loop {
        ticks.tick().await;
        runs::run(&atrium, Job::Purge, purge::run_due(&atrium)).await;
        runs::run(&atrium, Job::KeyReminders, keys::reminders::run_due(&atrium)).await;
        runs::run(&atrium, Job::SweepAccounts, accounts::sweep(&atrium)).await;
        runs::run(&atrium, Job::SweepKeys, keys::sweep(&atrium)).await;
        runs::run(&atrium, Job::SweepSamples, samples::sweep(&atrium)).await;
        runs::run(&atrium, Job::SweepNames, cardinality::sweep(&atrium)).await;
        let reports = reports::sweep(&atrium, atrium.reports.as_deref());
        runs::run(&atrium, Job::SweepReports, reports).await;
        let builds = atrium.previous_builds.clone().clean_up(atrium.now());
        runs::run(&atrium, Job::TidyBuilds, builds).await;
        // This rewrites a part of the store, so it runs once a day, and at the start.
        if hours % 24 == 0 {
            runs::run(&atrium, Job::Retention, upkeep::retain(&atrium)).await;
        }
        hours += 1;
    }
}

async fn watch_data(atrium: AppState) {
    let mut watch = alerts::Watch::default();
    let mut ticks = tokio::time::interval(ALERTS);
    loop {
        ticks.tick().await;
        runs::run(&atrium, Job::Alerts, watch.look(&atrium)).await;
    }
}

async fn erase(atrium: AppState) {
    loop {
        let asked = atrium.wake.erasures.notified();
        runs::run(&atrium, Job::Erasures, erasures::run::run_due(&atrium)).await;
        let _ = tokio::time::timeout(ERASURES, asked).await;
    }
}

/// Recounts that a new release needs; usually none.
async fn recount_events(atrium: AppState) {
    let mut ticks = tokio::time::interval(RECOUNTS);
    while !atrium.warehouse.is_everything_counted() {
        ticks.tick().await;
        runs::run(&atrium, Job::Recount, recount::run_due(&atrium)).await;
    }
}

/// Maintains columns for frequently queried properties.
async fn keep_columns(atrium: AppState) {
    let mut ticks = tokio::time::interval(COLUMNS);
    loop {
        ticks.tick().await;
        runs::run(&atrium, Job::PropertyColumns, columns::run_due(&atrium)).await;
    }
}

/// Measures each cohort after midnight, and new ones soon after they are created.
async fn measure_cohorts(atrium: AppState) {
    let mut ticks = tokio::time::interval(COHORTS);
    loop {
        ticks.tick().await;
        runs::run(&atrium, Job::CohortSizes, cohort_sizes::run_due(&atrium)).await;
    }
}

async fn keep_up(atrium: AppState) {
    let mut ticks = tokio::time::interval(UPKEEP);
    loop {
        ticks.tick().await;
        atrium.metrics.upkeep();
        if let Err(error) = clock_sync::sync(&atrium.db, &atrium.clock).await {
            tracing::warn!(%error, "could not compare the clock with the database's");
        }
        upkeep::measure(&atrium).await;
        if let Err(error) = outbox::measure(&atrium).await {
            tracing::warn!(%error, "could not measure the outbox");
        }
        if let Err(error) = measure::measure(&atrium).await {
            tracing::warn!(%error, "could not measure this instance's resources");
        }
        atrium.collector.spool.probe().await;
        if let Err(error) = first_start::remember(&atrium).await {
            tracing::warn!(%error, "could not record the state of the database");
        }
        if let Err(error) = upkeep::write_uses(&atrium).await {
            tracing::warn!(%error, "could not record the uses of keys");
        }
        if let Err(error) = columns::write_uses(&atrium).await {
            tracing::warn!(%error, "could not record what queries have read");
        }
        if let Err(error) = samples::write(&atrium).await {
            tracing::warn!(%error, "could not record samples of rejected messages");
        }
        if let Err(error) = refusals::write_due(&atrium).await {
            tracing::warn!(%error, "could not write refused access to the audit log");
        }
    }
}
