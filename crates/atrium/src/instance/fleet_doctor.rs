//! The findings of `atrium doctor` about all instances on the database, by the rules of the operator's
//! page.

use super::doctor::Finding;
use crate::fleet::problems::{self, Problem, ProblemCode, Severity};
use crate::fleet::{Fleet, Instance};
use atrium_core::clock_sync;
use atrium_core::db::Db;
use atrium_core::error::Result;
use atrium_core::types::{Clock, Millis};

const FLEET: &str = "instances";
const CLOCK: &str = "clock";

pub async fn examine(db: &Db) -> Vec<Finding> {
    match look(db).await {
        Ok(findings) => findings,
        Err(error) => {
            let advice = "Look at the database's own log";
            vec![Finding::failure(FLEET, error.to_string(), advice)]
        }
    }
}

async fn look(db: &Db) -> Result<Vec<Finding>> {
    let clock = Clock::default();
    let behind = clock_sync::measure(db, &clock).await?.unwrap_or(0);
    let (now, offset) = (clock.now().plus(behind), -behind);
    let fleet = Fleet::read(&mut *db.read().await?).await?;
    let mut findings = vec![own_clock(offset), summary(&fleet, now)];
    let found = problems::find(&fleet, now);
    findings.extend(found.iter().map(|problem| finding(&fleet, problem)));
    Ok(findings)
}

fn own_clock(offset: i64) -> Finding {
    let text = format!("this machine's is {}", apart(offset));
    if offset.abs() <= problems::SKEW_MS {
        Finding::ok(CLOCK, text)
    } else {
        Finding::warning(CLOCK, text, ADVICE_CLOCK)
    }
}

fn apart(offset: i64) -> String {
    let way = if offset < 0 { "behind" } else { "ahead of" };
    format!("{} ms {way} the database's", offset.abs())
}

fn summary(fleet: &Fleet, now: Millis) -> Finding {
    let alive = |it: &&Instance| now.since(it.seen_at) <= problems::SILENT_FOR;
    let mut versions: Vec<_> =
        fleet.instances.iter().filter(alive).map(|it| it.version.as_str()).collect();
    let count = versions.len();
    versions.sort_unstable();
    versions.dedup();
    match count {
        0 => Finding::ok(FLEET, "none is running"),
        1 => Finding::ok(FLEET, format!("1 is running, {}", versions.join(", "))),
        count => Finding::ok(FLEET, format!("{count} are running, {}", versions.join(", "))),
    }
}

const ADVICE_CLOCK: &str = "Synchronize the clocks of that machine and of the database with NTP (`timedatectl set-ntp true`); until then, instances use the database's";

fn finding(fleet: &Fleet, problem: &Problem) -> Finding {
    let (what, text, advice) = words(fleet, problem);
    match problem.severity {
        Severity::Warning => Finding::warning(what, text, advice),
        Severity::Failure => Finding::failure(what, text, advice),
    }
}

fn words(fleet: &Fleet, problem: &Problem) -> (&'static str, String, &'static str) {
    let Problem { code, subject, detail, amount, .. } = problem;
    let (amount, detail) = (amount.unwrap_or(0), detail.as_deref().unwrap_or_default());
    let instance = || name(fleet, subject);
    match code {
        ProblemCode::InstanceLost => (
            FLEET,
            format!("{} was last seen {amount} s ago", instance()),
            "Start it again; the messages in its spool are loaded then. If it is gone for good, \
             attach its data folder to another instance and run `atrium spool adopt`",
        ),
        ProblemCode::LeaseStuck => (
            "lease",
            format!(
                "{subject} is held by {}, which is gone, for {amount} s more",
                name(fleet, detail)
            ),
            "Start that instance again; if the lease stays, delete its row from the table leases",
        ),
        ProblemCode::LeaseTooLong => (
            "lease",
            format!(
                "{subject} is held by {} for {amount} s more, longer than any lease lasts",
                name(fleet, detail)
            ),
            "A clock was wrong when it was taken: stop that instance and delete the lease's row \
             from the table leases",
        ),
        ProblemCode::Backlog => (
            "backlog",
            format!("the oldest message of {} has waited for {amount} s", instance()),
            "See its log for \"loading events failed\", and check that the event store is \
             reachable and has free space",
        ),
        ProblemCode::SpoolDown => (
            "spool",
            format!("{} does not accept events: {detail}", instance()),
            "Free up space on its disk or mount it read-write; a full spool drains on its own \
             once the event store is back",
        ),
        ProblemCode::EventStoreDown => (
            "events",
            format!("{} cannot reach the event store: {detail}", instance()),
            "Check that it is running and that this instance can reach it; meanwhile, events wait \
             in the spool",
        ),
        ProblemCode::DiskLow => (
            "disk",
            format!("{} MB are free for {}", amount >> 20, instance()),
            "Free up space or enlarge the disk before it is full",
        ),
        ProblemCode::ClockSkew => {
            (CLOCK, format!("the clock of {} is {}", instance(), apart(amount)), ADVICE_CLOCK)
        }
        ProblemCode::JobFailed => (
            "job",
            format!("{subject} failed: {detail}"),
            "It is retried automatically; see the log of that instance",
        ),
    }
}

/// An instance with its machine's name, which people recognize more easily than its id.
fn name(fleet: &Fleet, holder: &str) -> String {
    let id = holder.split('/').next().unwrap_or_default();
    let known = fleet.instances.iter().find(|instance| instance.id == id);
    match known.map(|instance| instance.state.host.as_str()) {
        Some(host) if !host.is_empty() => format!("{host} ({holder})"),
        _ => holder.to_owned(),
    }
}
