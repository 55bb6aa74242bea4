//! The table itself, in the order of the dashboard.

use super::Figure;
use super::Kind::{self, Counter, Gauge, Histogram};
use crate::fleet::measure::LEASES;
use crate::fleet::runs::Job;
use crate::reports;
use crate::reports::envelope::Kind as ReportKind;
use atrium_collect::collect::figures as collecting;
use atrium_core::db::POOLS;
use atrium_core::fair_queue::{self, Class};
use atrium_core::http::cors;
use atrium_core::metrics::RESPONSE_CLASSES;
use atrium_core::outbox::Channel;
use atrium_tenancy::sign_in_figures as sign_ins;
use warehouse::{STATEMENT_FAILURES, StatementKind};

pub fn all() -> Vec<Figure> {
    [instance(), traffic(), collecting(), loading(), reading(), sign_in(), stores(), jobs()]
        .into_iter()
        .flatten()
        .collect()
}

fn figure(kind: Kind, name: &'static str, help: &'static str) -> Figure {
    Figure::new(kind, name, help)
}

fn instance() -> Vec<Figure> {
    vec![
        figure(
            Gauge,
            "atrium_build_info",
            "Always 1. The labels give the running version and the build of its console",
        )
        .by("version", [])
        .by("build", []),
        figure(
            Gauge,
            "atrium_start_timestamp_seconds",
            "When this instance started, in seconds since 1970",
        ),
        figure(
            Gauge,
            "atrium_instances",
            "Instances on this database that were seen in the last minute (`seen`), or in the \
             last day but not since (`lost`)",
        )
        .by("state", ["seen", "lost"]),
        figure(
            Gauge,
            "atrium_clock_offset_seconds",
            "Seconds by which this machine's clock is ahead of PostgreSQL's; 0 with SQLite",
        ),
        figure(
            Gauge,
            "atrium_disk_free_bytes",
            "Free space on the disk that holds the data folder",
        ),
        figure(Gauge, "atrium_disk_bytes", "Size of the disk that holds the data folder"),
        figure(
            Gauge,
            "atrium_resident_bytes",
            "Resident memory of this server and of its embedded event store; 0 where Linux does \
             not report it",
        )
        .by("process", ["server", "engine"]),
    ]
}

fn traffic() -> Vec<Figure> {
    let probes = ["/healthz", "/readyz", "/metrics", cors::PATH];
    vec![
        figure(
            Counter,
            "atrium_http_requests_total",
            "Requests by method, route, and status; a combination appears with its first request",
        )
        .by("method", ["GET"])
        .by("route", probes)
        .by("status", ["200"]),
        figure(
            Histogram,
            "atrium_http_request_seconds",
            "How long requests took; a route appears with its first request",
        )
        .by("method", ["GET"])
        .by("route", probes),
        figure(
            Counter,
            "atrium_http_responses_total",
            "All responses by the first digit of their status",
        )
        .by("class", RESPONSE_CLASSES),
        figure(Gauge, "atrium_connections_open", "Open connections"),
        figure(
            Counter,
            "atrium_connections_refused_total",
            "Connections refused because there were too many, in total or from one address",
        ),
        figure(
            Counter,
            "atrium_connections_unread_total",
            "Clients disconnected because they did not read their response",
        ),
    ]
}

fn collecting() -> Vec<Figure> {
    vec![
        figure(
            Counter,
            "atrium_collect_messages_total",
            "Messages received, by their outcome on arrival",
        )
        .by("outcome", collecting::OUTCOMES),
        figure(Counter, "atrium_collect_rejected_total", "Rejected messages by reason")
            .by("reason", collecting::reasons()),
        figure(
            Counter,
            "atrium_collect_requests_refused_unread_total",
            "Requests refused unread because their address had sent nothing but invalid messages",
        ),
        figure(Gauge, "atrium_spool_messages", "Messages waiting for the event store"),
        figure(Gauge, "atrium_spool_bytes", "Bytes waiting for the event store"),
        figure(
            Gauge,
            "atrium_spool_limit_bytes",
            "Bytes that may wait before the collector answers 503",
        ),
        figure(
            Gauge,
            "atrium_spool_oldest_seconds",
            "Age of the oldest waiting message; 0 if none is waiting",
        ),
        figure(
            Gauge,
            "atrium_spool_set_aside_messages",
            "Messages that could not be stored and are kept in the spool",
        ),
    ]
}

fn loading() -> Vec<Figure> {
    vec![
        figure(Counter, "atrium_loaded_messages_total", "Messages that reached the event store"),
        figure(
            Histogram,
            "atrium_loader_batch_seconds",
            "How long batches took from the spool into the event store, not counting failed ones",
        ),
        figure(Counter, "atrium_loader_failures_total", "Batches that could not be stored"),
        figure(
            Gauge,
            "atrium_loader_degraded",
            "1 if loading failed three times in a row or a message has waited for a minute",
        ),
        figure(
            Gauge,
            "atrium_loader_troubled_apps",
            "Apps that are loaded separately because some of their messages failed",
        ),
        figure(
            Counter,
            "atrium_set_aside_messages_total",
            "Messages that could not be stored and were set aside",
        ),
        figure(
            Counter,
            "atrium_profiles_truncated_total",
            "Profiles that had no room for everything that was sent",
        ),
        figure(
            Gauge,
            "atrium_recount_parts_left",
            "Parts of earlier events that a new release still has to count, as last seen by this \
             instance",
        ),
        figure(
            Gauge,
            "atrium_property_column_rows_left",
            "Event values that still have to be written to or cleared from property columns, as \
             last seen by this instance",
        ),
        figure(
            Gauge,
            "atrium_leases_held",
            "Leases held by this instance, for work that only one instance does at a time",
        )
        .by("lease", LEASES),
        figure(
            Gauge,
            "atrium_leases_stuck",
            "Leases held by instances that are no longer seen, across all instances",
        ),
    ]
}

fn reading() -> Vec<Figure> {
    let classes = Class::ALL.map(Class::as_str);
    vec![
        figure(Gauge, "atrium_reads_running", "Reads currently running for a person or a program")
            .by("class", classes),
        figure(Gauge, "atrium_reads_waiting", "Reads waiting for their turn").by("class", classes),
        figure(Histogram, "atrium_read_wait_seconds", "How long reads waited for their turn")
            .by("class", classes),
        figure(
            Counter,
            "atrium_reads_refused_total",
            "Reads that were refused: the caller had too many waiting (429), or the wait was too \
             long (503)",
        )
        .by("class", classes)
        .by("reason", fair_queue::REFUSALS),
    ]
}

fn sign_in() -> Vec<Figure> {
    vec![
        figure(
            Counter,
            "atrium_sign_ins_total",
            "Sign-in attempts by method and outcome; `second_step` means that the first step succeeded",
        )
        .by("method", sign_ins::METHODS)
        .by("outcome", sign_ins::OUTCOMES),
    ]
}

fn stores() -> Vec<Figure> {
    let kinds = StatementKind::ALL.map(StatementKind::as_str);
    vec![
        figure(
            Gauge,
            "atrium_database_away_seconds",
            "How long the metadata database has been unreachable; 0 while it responds",
        ),
        figure(Gauge, "atrium_event_store_up", "1 while the event store responds"),
        figure(
            Histogram,
            "atrium_event_store_statement_seconds",
            "How long statements took: reads that a caller is waiting for (`question`), the \
             server's own reads (`read`), and writes (`insert`, `change`)",
        )
        .by("kind", kinds),
        figure(
            Counter,
            "atrium_event_store_statement_failures_total",
            "Statements that the event store refused or did not answer",
        )
        .by("kind", kinds)
        .by("reason", STATEMENT_FAILURES),
        figure(
            Counter,
            "atrium_engine_restarts_total",
            "How often the embedded event store stopped and was restarted",
        ),
        figure(
            Gauge,
            "atrium_database_connections",
            "Connections to the metadata database: one pool with PostgreSQL (`shared`), two with \
             SQLite",
        )
        .by("pool", POOLS)
        .by("state", ["idle", "in_use"]),
        figure(
            Gauge,
            "atrium_database_connections_max",
            "Maximum connections of the pool; 0 if there is no such pool",
        )
        .by("pool", POOLS),
    ]
}

fn jobs() -> Vec<Figure> {
    let jobs: Vec<_> = Job::ALL.iter().map(|job| job.as_str()).collect();
    let channels = Channel::ALL.map(Channel::as_str);
    vec![
        figure(Counter, "atrium_job_runs_total", "Runs of background jobs by outcome")
            .by("task", jobs.clone())
            .by("outcome", ["ok", "failed"]),
        figure(Histogram, "atrium_job_seconds", "How long runs of background jobs took")
            .by("task", jobs.clone()),
        figure(
            Gauge,
            "atrium_job_last_success_timestamp_seconds",
            "When a job last succeeded on this instance, in seconds since 1970; 0 if not since \
             the instance started",
        )
        .by("task", jobs),
        figure(
            Gauge,
            "atrium_backup_last_success_timestamp_seconds",
            "When the latest automatic backup was made, in seconds since 1970; 0 on instances \
             that make none",
        ),
        figure(Counter, "atrium_outbox_sent_total", "Mails and messages sent")
            .by("channel", channels),
        figure(Counter, "atrium_outbox_failed_total", "Failed attempts to send")
            .by("channel", channels),
        figure(Counter, "atrium_outbox_lost_total", "Mails and messages that were given up on")
            .by("channel", channels),
        figure(Gauge, "atrium_outbox_messages", "Mails and messages waiting, on all instances")
            .by("channel", channels),
        figure(Gauge, "atrium_outbox_oldest_seconds", "Age of the oldest waiting one")
            .by("channel", channels),
        figure(Counter, "atrium_error_reports_total", "Errors reported by browsers")
            .by("kind", ReportKind::ALL.map(ReportKind::as_str))
            .by("outcome", reports::OUTCOMES),
    ]
}
