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
            "Always 1. The labels say which version runs, and which build of its console",
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
            "Instances on this database that gave a sign of life within a minute (`seen`), or within a \
             day and not since (`lost`)",
        )
        .by("state", ["seen", "lost"]),
        figure(
            Gauge,
            "atrium_clock_offset_seconds",
            "How far this machine's clock is ahead of PostgreSQL's; 0 with SQLite",
        ),
        figure(Gauge, "atrium_disk_free_bytes", "What is left on the disk of the data folder"),
        figure(Gauge, "atrium_disk_bytes", "The size of the disk of the data folder"),
        figure(
            Gauge,
            "atrium_resident_bytes",
            "Memory of this server and of its embedded event store; 0 where Linux does not say",
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
            "Requests by method, route and status; a combination appears with its first request",
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
            "All answers by the first digit of their status",
        )
        .by("class", RESPONSE_CLASSES),
        figure(Gauge, "atrium_connections_open", "Open connections"),
        figure(
            Counter,
            "atrium_connections_refused_total",
            "Connections that were refused because there were too many, in total or of one address",
        ),
        figure(
            Counter,
            "atrium_connections_unread_total",
            "Clients that were disconnected because they did not read their answer",
        ),
    ]
}

fn collecting() -> Vec<Figure> {
    vec![
        figure(
            Counter,
            "atrium_collect_messages_total",
            "Messages that came, by what became of them when they came",
        )
        .by("outcome", collecting::OUTCOMES),
        figure(Counter, "atrium_collect_rejected_total", "Messages that were rejected, by reason")
            .by("reason", collecting::reasons()),
        figure(
            Counter,
            "atrium_collect_requests_refused_unread_total",
            "Requests of addresses that had sent nothing but rubbish, refused unread",
        ),
        figure(Gauge, "atrium_spool_messages", "Messages that wait for the event store"),
        figure(Gauge, "atrium_spool_bytes", "Bytes that wait for the event store"),
        figure(
            Gauge,
            "atrium_spool_limit_bytes",
            "Bytes that may wait before the collector answers 503",
        ),
        figure(
            Gauge,
            "atrium_spool_oldest_seconds",
            "Age of the oldest message that waits; 0 where none does",
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
            "How long batches took from the spool into the event store; those that failed are not in it",
        ),
        figure(Counter, "atrium_loader_failures_total", "Batches that could not be stored"),
        figure(
            Gauge,
            "atrium_loader_degraded",
            "1 where loading failed three times in a row, or a message has waited for a minute",
        ),
        figure(
            Gauge,
            "atrium_loader_troubled_apps",
            "Apps that are loaded apart because something of theirs failed",
        ),
        figure(
            Counter,
            "atrium_set_aside_messages_total",
            "Messages that could not be stored and were set aside",
        ),
        figure(
            Counter,
            "atrium_profiles_truncated_total",
            "Profiles that had no room for all that was sent",
        ),
        figure(
            Gauge,
            "atrium_recount_parts_left",
            "Parts of earlier events that a new release has still to count, as this instance last saw it",
        ),
        figure(
            Gauge,
            "atrium_property_column_rows_left",
            "Values of events that columns of properties are still to be filled with or cleared of, as this instance last saw it",
        ),
        figure(
            Gauge,
            "atrium_leases_held",
            "Leases that this instance holds: the work that one instance at a time does",
        )
        .by("lease", LEASES),
        figure(
            Gauge,
            "atrium_leases_stuck",
            "Work of all instances whose lease is held by one that gives no sign of life any more",
        ),
    ]
}

fn reading() -> Vec<Figure> {
    let classes = Class::ALL.map(Class::as_str);
    vec![
        figure(Gauge, "atrium_reads_running", "Statements that read for somebody just now")
            .by("class", classes),
        figure(Gauge, "atrium_reads_waiting", "Statements that wait for their turn")
            .by("class", classes),
        figure(Histogram, "atrium_read_wait_seconds", "How long statements waited for their turn")
            .by("class", classes),
        figure(
            Counter,
            "atrium_reads_refused_total",
            "Statements that got no turn: the caller had too many (429), or it took too long (503)",
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
            "Tries to sign in by method and outcome; `second_step` is a first step that was right",
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
            "For how long the metadata database has been away; 0 while it answers",
        ),
        figure(Gauge, "atrium_event_store_up", "1 while the event store answers"),
        figure(
            Histogram,
            "atrium_event_store_statement_seconds",
            "How long statements took: of somebody who waits (`question`), of the server itself \
             (`read`), and those that store or change something (`insert`, `change`)",
        )
        .by("kind", kinds),
        figure(
            Counter,
            "atrium_event_store_statement_failures_total",
            "Statements that the event store refused, or did not answer",
        )
        .by("kind", kinds)
        .by("reason", STATEMENT_FAILURES),
        figure(
            Counter,
            "atrium_engine_restarts_total",
            "How often the embedded event store ended and was started again",
        ),
        figure(
            Gauge,
            "atrium_database_connections",
            "Connections to the metadata database: one pool with PostgreSQL (`shared`), two with SQLite",
        )
        .by("pool", POOLS)
        .by("state", ["idle", "in_use"]),
        figure(
            Gauge,
            "atrium_database_connections_max",
            "Most connections of the pool; 0 where there is no such pool",
        )
        .by("pool", POOLS),
    ]
}

fn jobs() -> Vec<Figure> {
    let jobs: Vec<_> = Job::ALL.iter().map(|job| job.as_str()).collect();
    let channels = Channel::ALL.map(Channel::as_str);
    vec![
        figure(Counter, "atrium_job_runs_total", "Runs of background jobs by how they ended")
            .by("task", jobs.clone())
            .by("outcome", ["ok", "failed"]),
        figure(Histogram, "atrium_job_seconds", "How long runs of background jobs took")
            .by("task", jobs.clone()),
        figure(
            Gauge,
            "atrium_job_last_success_timestamp_seconds",
            "When a job last went well on this instance since it started, in seconds since 1970",
        )
        .by("task", jobs),
        figure(
            Gauge,
            "atrium_backup_last_success_timestamp_seconds",
            "When the latest automatic backup was made, in seconds since 1970; 0 on instances that make none",
        ),
        figure(Counter, "atrium_outbox_sent_total", "Mails and messages that went out")
            .by("channel", channels),
        figure(Counter, "atrium_outbox_failed_total", "Tries to send that failed")
            .by("channel", channels),
        figure(Counter, "atrium_outbox_lost_total", "Mails and messages that were given up")
            .by("channel", channels),
        figure(Gauge, "atrium_outbox_messages", "Mails and messages that wait, on all instances")
            .by("channel", channels),
        figure(Gauge, "atrium_outbox_oldest_seconds", "Age of the oldest that waits")
            .by("channel", channels),
        figure(Counter, "atrium_error_reports_total", "Errors that browsers reported")
            .by("kind", ReportKind::ALL.map(ReportKind::as_str))
            .by("outcome", reports::OUTCOMES),
    ]
}
