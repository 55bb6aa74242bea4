//! Problems of a fleet. One set of rules for `atrium doctor`, the operator's page and the metrics.

use std::collections::HashSet;

use serde::Serialize;
use utoipa::ToSchema;

use super::store::JobRunRow;
use super::{Fleet, Instance};
use atrium_core::lease;
use atrium_core::types::Millis;

/// Four missed signs of life.
pub const SILENT_FOR: i64 = Millis::MINUTE;
pub const BACKLOG_SECONDS: i64 = 300;
/// Beyond this, somebody should correct the clock, although the database's is used instead.
pub const SKEW_MS: i64 = 5 * Millis::SECOND;
/// Ten times a lease's duration.
const LEASE_AT_MOST: i64 = 10 * lease::DURATION;
const LITTLE_ROOM: u64 = 1 << 30;
const LITTLE_ROOM_PERCENT: u64 = 10;
const NO_ROOM: u64 = 16 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Warning,
    Failure,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProblemCode {
    /// An instance has shown no sign of life for more than a minute. `amount`: seconds.
    InstanceLost,
    /// A lease is held by a lost instance. `amount`: seconds until it is free.
    LeaseStuck,
    /// A lease is held far longer than any should be. `amount`: seconds until it is free.
    LeaseTooLong,
    /// The oldest message of an instance has been waiting for long. `amount`: seconds.
    Backlog,
    /// The spool accepts nothing.
    SpoolDown,
    /// An instance cannot reach the event store.
    EventStoreDown,
    /// The disk of an instance is nearly full. `amount`: free bytes.
    DiskLow,
    /// The clock of an instance is wrong. `amount`: milliseconds by which it is fast.
    ClockSkew,
    /// The last run of a job failed.
    JobFailed,
}

/// A problem that needs attention.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Problem {
    pub code: ProblemCode,
    pub severity: Severity,
    /// The instance; for a job its name, and for leases the work they are for.
    pub subject: String,
    /// Details as reported: a reason, or a lease's holder.
    pub detail: Option<String>,
    pub amount: Option<i64>,
}

impl Problem {
    fn new(code: ProblemCode, severity: Severity, subject: &str) -> Self {
        Self { code, severity, subject: subject.to_owned(), detail: None, amount: None }
    }

    fn amount(self, amount: i64) -> Self {
        Self { amount: Some(amount), ..self }
    }

    fn detail(self, detail: &str) -> Self {
        Self { detail: Some(detail.to_owned()), ..self }
    }
}

/// Enough free space is a tenth of the disk, and a gigabyte.
pub fn judge_room(free: u64, size: u64) -> Option<Severity> {
    let part = u128::from(size) * u128::from(LITTLE_ROOM_PERCENT) / 100;
    match free {
        free if free < NO_ROOM => Some(Severity::Failure),
        free if free < LITTLE_ROOM || u128::from(free) < part => Some(Severity::Warning),
        _ => None,
    }
}

/// `now` is by the database's clock, like everything that instances report.
pub fn find(fleet: &Fleet, now: Millis) -> Vec<Problem> {
    let mut found = Vec::new();
    for instance in &fleet.instances {
        of_instance(instance, now, &mut found);
    }
    of_leases(fleet, now, &mut found);
    of_jobs(&fleet.runs, &mut found);
    found.sort_by_key(|problem| std::cmp::Reverse(problem.severity));
    found
}

fn of_instance(instance: &Instance, now: Millis, found: &mut Vec<Problem>) {
    use {ProblemCode as Code, Severity::*};
    let state = &instance.state;
    let silent = now.since(instance.seen_at);
    if silent > SILENT_FOR {
        let lost = Problem::new(Code::InstanceLost, Failure, &instance.id);
        // Its last reported state is out of date.
        return found.push(lost.amount(silent / Millis::SECOND));
    }
    if let Some(seconds) = state.oldest_waiting_seconds.filter(|it| *it > BACKLOG_SECONDS) {
        found.push(Problem::new(Code::Backlog, Failure, &instance.id).amount(seconds));
    }
    if !matches!(state.spool.as_str(), "" | "ok") {
        found.push(Problem::new(Code::SpoolDown, Failure, &instance.id).detail(&state.spool));
    }
    if let Some(reason) = state.event_store.strip_prefix("down: ") {
        found.push(Problem::new(Code::EventStoreDown, Failure, &instance.id).detail(reason));
    }
    if let (Some(free), Some(size)) = (state.disk_free_bytes, state.disk_bytes)
        && let Some(severity) = judge_room(free, size)
    {
        let left = i64::try_from(free).unwrap_or(i64::MAX);
        found.push(Problem::new(Code::DiskLow, severity, &instance.id).amount(left));
    }
    if state.clock_offset_ms.abs() > SKEW_MS {
        let skew = Problem::new(Code::ClockSkew, Warning, &instance.id);
        found.push(skew.amount(state.clock_offset_ms));
    }
}

/// Reports once for each kind of work and holder: loading alone has a lease for every partition.
fn of_leases(fleet: &Fleet, now: Millis, found: &mut Vec<Problem>) {
    let mut reported = HashSet::new();
    for lease in fleet.leases.iter().filter(|lease| lease.held_until > now) {
        let left = lease.held_until.since(now);
        let is_lost = |holder: &Instance| now.since(holder.seen_at) > SILENT_FOR;
        let code = if fleet.holder(lease).is_some_and(is_lost) {
            ProblemCode::LeaseStuck
        } else if left > LEASE_AT_MOST {
            ProblemCode::LeaseTooLong
        } else {
            continue;
        };
        let holder = lease.holder.split('/').next().unwrap_or_default();
        if reported.insert((lease.work(), holder)) {
            let problem = Problem::new(code, Severity::Failure, lease.work());
            found.push(problem.detail(holder).amount(left / Millis::SECOND));
        }
    }
}

/// Only the latest run of a job counts, wherever it was: another instance may have succeeded after a
/// failure.
fn of_jobs(runs: &[JobRunRow], found: &mut Vec<Problem>) {
    let mut seen = HashSet::new();
    for run in runs.iter().filter(|run| seen.insert(run.job.as_str())) {
        if let Some(error) = &run.error {
            let problem = Problem::new(ProblemCode::JobFailed, Severity::Warning, &run.job);
            found.push(problem.detail(error));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::InstanceState;
    use crate::fleet::store::LeaseRow;

    const NOW: Millis = Millis(1_800_000_000_000);

    fn instance(id: &str, change: impl FnOnce(&mut Instance)) -> Instance {
        let state = InstanceState {
            spool: "ok".to_owned(),
            event_store: "ok".to_owned(),
            disk_free_bytes: Some(50 << 30),
            disk_bytes: Some(100 << 30),
            ..Default::default()
        };
        let mut instance = Instance {
            id: id.to_owned(),
            version: "v1".to_owned(),
            started_at: NOW,
            seen_at: NOW.plus(-15 * Millis::SECOND),
            state,
        };
        change(&mut instance);
        instance
    }

    fn lease(holder: &str, left: i64) -> LeaseRow {
        let (name, holder) = ("loader/3".to_owned(), holder.to_owned());
        LeaseRow { name, holder, held_until: NOW.plus(left) }
    }

    fn run(at: i64, instance: &str, error: Option<&str>) -> JobRunRow {
        JobRunRow {
            job: "purge".to_owned(),
            instance: instance.to_owned(),
            started_at: NOW.plus(at),
            duration_ms: 3,
            error: error.map(str::to_owned),
            succeeded_at: None,
        }
    }

    fn codes(fleet: &Fleet) -> Vec<ProblemCode> {
        find(fleet, NOW).into_iter().map(|problem| problem.code).collect()
    }

    fn of(change: impl FnOnce(&mut Instance)) -> Vec<ProblemCode> {
        let instances = vec![instance("a", change)];
        codes(&Fleet { instances, leases: Vec::new(), runs: Vec::new() })
    }

    #[test]
    fn a_healthy_instance_has_none() {
        assert_eq!(of(|_| {}), []);
        assert_eq!(of(|it| it.seen_at = NOW.plus(-SILENT_FOR)), []);
        assert_eq!(of(|it| it.state.oldest_waiting_seconds = Some(BACKLOG_SECONDS)), []);
        assert_eq!(of(|it| it.state.clock_offset_ms = -SKEW_MS), []);
        assert_eq!(of(|it| it.state.event_store = "starting".to_owned()), []);
        // Data that another version does not report is no problem.
        assert_eq!(of(|it| it.state = InstanceState::default()), []);
    }

    #[test]
    fn each_trouble_is_found() {
        use ProblemCode::*;
        assert_eq!(of(|it| it.seen_at = NOW.plus(-SILENT_FOR - 1)), [InstanceLost]);
        assert_eq!(of(|it| it.state.oldest_waiting_seconds = Some(301)), [Backlog]);
        assert_eq!(of(|it| it.state.spool = "disk_full".to_owned()), [SpoolDown]);
        assert_eq!(of(|it| it.state.event_store = "down: gone".to_owned()), [EventStoreDown]);
        assert_eq!(of(|it| it.state.disk_free_bytes = Some(9 << 30)), [DiskLow]);
        assert_eq!(of(|it| it.state.clock_offset_ms = 5_001), [ClockSkew]);
        assert_eq!(of(|it| it.state.clock_offset_ms = -5_001), [ClockSkew]);
    }

    #[test]
    fn what_a_lost_instance_said_before_does_not_count() {
        let lost = of(|it| {
            it.seen_at = NOW.plus(-Millis::HOUR);
            it.state.oldest_waiting_seconds = Some(9_999);
        });
        assert_eq!(lost, [ProblemCode::InstanceLost]);
    }

    #[test]
    fn room_is_a_tenth_and_a_gigabyte() {
        let gb = 1 << 30;
        assert_eq!(judge_room(10 * gb, 100 * gb), None);
        assert_eq!(judge_room(10 * gb - 1, 100 * gb), Some(Severity::Warning));
        assert_eq!(judge_room(gb, 5 * gb), None);
        assert_eq!(judge_room(gb - 1, 5 * gb), Some(Severity::Warning));
        assert_eq!(judge_room(NO_ROOM - 1, 5 * gb), Some(Severity::Failure));
    }

    #[test]
    fn a_lease_is_stuck_with_a_lost_holder_until_it_expires() {
        let lost = |it: &mut Instance| it.seen_at = NOW.plus(-2 * Millis::MINUTE);
        let with = |change: fn(&mut Instance), holder: &str, left| {
            let instances = vec![instance("a", change)];
            let leases = vec![lease(holder, left)];
            let fleet = Fleet { instances, leases, runs: Vec::new() };
            let mut codes = codes(&fleet);
            codes.retain(|code| *code != ProblemCode::InstanceLost);
            codes
        };
        let lost: fn(&mut Instance) = lost;
        assert_eq!(with(lost, "a", 1), [ProblemCode::LeaseStuck]);
        assert_eq!(with(lost, "a/upkeep", 1), [ProblemCode::LeaseStuck]);
        let leases = vec![lease("a", 1), lease("a/upkeep", 2)];
        let instances = vec![instance("a", lost)];
        let found = find(&Fleet { instances, leases, runs: Vec::new() }, NOW);
        assert_eq!((found.len(), found[1].subject.as_str()), (2, "loader"), "{found:?}");
        assert_eq!(with(lost, "a", 0), []);
        assert_eq!(with(lost, "ab", 1), []);
        assert_eq!(with(|_| {}, "a", LEASE_AT_MOST), []);
        assert_eq!(with(|_| {}, "a", LEASE_AT_MOST + 1), [ProblemCode::LeaseTooLong]);
    }

    #[test]
    fn of_a_job_the_latest_run_counts() {
        let with = |runs| codes(&Fleet { instances: Vec::new(), leases: Vec::new(), runs });
        let (good, bad) = (run(0, "a", None), run(-5, "b", Some("no room")));
        assert_eq!(with(vec![good, bad]), []);
        let (bad, good) = (run(0, "b", Some("no room")), run(-5, "a", None));
        assert_eq!(with(vec![bad, good]), [ProblemCode::JobFailed]);
    }
}
