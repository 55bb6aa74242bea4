//! The health of the fleet, for operators.

use std::time::Duration;

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::problems::{self, Problem, Severity};
use super::runs::Job;
use super::store::{JobRunRow, LeaseRow};
use super::{Fleet, Instance, InstanceState, heartbeat};
use crate::app::AppState;
use atrium_core::error::Result;
use atrium_core::http::json::Data;
use atrium_core::types::Millis;
use atrium_tenancy::session::Operator;

/// A page about slowness must not be slow itself.
const ASK_LIMIT: Duration = Duration::from_secs(3);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    Ok,
    Warning,
    Failure,
}

#[derive(Serialize, ToSchema)]
pub struct InstanceHealth {
    status: HealthStatus,
    /// The time of these findings, by the database's clock, like all times here.
    at: Millis,
    /// The worst first.
    problems: Vec<Problem>,
    /// Instances with a sign of life within the last day, the oldest first.
    instances: Vec<FleetInstance>,
    leases: Vec<FleetLease>,
    /// The latest run of each job on each instance, the latest first.
    job_runs: Vec<JobRun>,
    /// The latest backup; null if there is none.
    backup: Option<JobRun>,
    database: StoreHealth,
    /// As seen by the answering instance.
    event_stores: Vec<StoreHealth>,
}

#[derive(Serialize, ToSchema)]
pub struct FleetInstance {
    id: String,
    version: String,
    started_at: Millis,
    seen_at: Millis,
    /// Whether its signs of life are recent.
    alive: bool,
    /// Whether it is the instance that answers this request.
    answering: bool,
    state: InstanceState,
}

#[derive(Serialize, ToSchema)]
pub struct FleetLease {
    name: String,
    /// The instance that holds it or held it last; a part of an instance is given after a slash.
    holder: String,
    /// Null if it is free.
    held_until: Option<Millis>,
}

#[derive(Clone, Serialize, ToSchema)]
pub struct JobRun {
    job: String,
    instance: String,
    started_at: Millis,
    duration_ms: i64,
    /// Null if it succeeded.
    error: Option<String>,
    /// When it last succeeded on this instance.
    succeeded_at: Option<Millis>,
}

#[derive(Serialize, ToSchema)]
pub struct StoreHealth {
    /// What it is, and where: `PostgreSQL`, `ClickHouse (embedded)`, `ClickHouse at db.internal`.
    name: String,
    reachable: bool,
    /// Null if it does not answer.
    version: Option<String>,
    bytes: Option<i64>,
    /// Why it does not answer.
    error: Option<String>,
}

/// The health of every instance, who holds which lease, and problems that need attention.
#[utoipa::path(
    get,
    path = "/api/v1/instance/health",
    operation_id = "instance_health_view",
    tag = "instance",
    security(("session" = [])),
    responses((status = 200, body = Data<InstanceHealth>), (status = 403))
)]
pub async fn instance_health_view(
    State(atrium): State<AppState>,
    _: Operator,
) -> Result<Data<InstanceHealth>> {
    let fleet = Fleet::read(&mut *atrium.db.read().await?).await?;
    let (database, event_store) = tokio::join!(database(&atrium), event_store(&atrium));
    let now = atrium.now();
    let problems = problems::find(&fleet, now);
    let own = heartbeat::id(&atrium);
    let job_runs: Vec<JobRun> = fleet.runs.into_iter().map(JobRun::from).collect();
    Ok(Data(InstanceHealth {
        status: match problems.first().map(|worst| worst.severity) {
            None => HealthStatus::Ok,
            Some(Severity::Warning) => HealthStatus::Warning,
            Some(Severity::Failure) => HealthStatus::Failure,
        },
        at: now,
        problems,
        instances: fleet.instances.into_iter().map(|it| FleetInstance::of(it, own, now)).collect(),
        leases: fleet.leases.into_iter().map(|it| FleetLease::of(it, now)).collect(),
        backup: job_runs.iter().find(|run| run.job == Job::Backup.as_str()).cloned(),
        job_runs,
        database,
        event_stores: vec![event_store],
    }))
}

impl FleetInstance {
    fn of(instance: Instance, own: &str, now: Millis) -> Self {
        let Instance { id, version, started_at, seen_at, state } = instance;
        let alive = now.since(seen_at) <= problems::SILENT_FOR;
        let answering = id == own;
        Self { id, version, started_at, seen_at, alive, answering, state }
    }
}

impl FleetLease {
    fn of(lease: LeaseRow, now: Millis) -> Self {
        let LeaseRow { name, holder, held_until } = lease;
        Self { name, holder, held_until: Some(held_until).filter(|until| *until > now) }
    }
}

impl From<JobRunRow> for JobRun {
    fn from(row: JobRunRow) -> Self {
        let JobRunRow { job, instance, started_at, duration_ms, error, succeeded_at } = row;
        Self { job, instance, started_at, duration_ms, error, succeeded_at }
    }
}

impl StoreHealth {
    fn new(name: String, asked: std::result::Result<(String, i64), String>) -> Self {
        let reachable = asked.is_ok();
        let (version, bytes, error) = match asked {
            Ok((version, bytes)) => (Some(version), Some(bytes), None),
            Err(error) => (None, None, Some(error)),
        };
        Self { name, reachable, version, bytes, error }
    }
}

async fn database(atrium: &AppState) -> StoreHealth {
    let name = atrium.db.dialect().name().to_owned();
    let asked = match tokio::time::timeout(ASK_LIMIT, atrium.db.about()).await {
        Ok(Ok(about)) => Ok((about.version, about.bytes)),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("it did not answer in time".to_owned()),
    };
    StoreHealth::new(name, asked)
}

async fn event_store(atrium: &AppState) -> StoreHealth {
    let place = match &atrium.settings.events.warehouse_url {
        Some(url) => format!("at {}", url.host_str().unwrap_or_default()),
        None => "(embedded)".to_owned(),
    };
    let name = format!("ClickHouse {place}");
    // Does not start a store only to look at it.
    if !atrium.warehouse.is_up() {
        return StoreHealth::new(name, Err(atrium.warehouse.describe()));
    }
    let store = atrium.warehouse.patient(ASK_LIMIT);
    let asked = match tokio::time::timeout(ASK_LIMIT, store.about()).await {
        Ok(asked) => asked.map_err(|error| error.to_string()),
        Err(_) => Err("it did not answer in time".to_owned()),
    };
    StoreHealth::new(name, asked)
}
