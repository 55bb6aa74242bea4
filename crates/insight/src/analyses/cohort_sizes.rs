//! The sizes of cohorts from day to day: measured once a day by one instance, both for callers who may
//! see personal data and for the others.

use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use jiff::tz::TimeZone;
use serde::Serialize;
use tokio::time::Instant;
use utoipa::ToSchema;

use super::asker::Asker;
use crate::insight::dates::date_of;
use crate::insight::state::Insight;
use crate::saved::sizes::{self, MeasuredCohort, SizeRow};
use crate::saved::store::visible_cohort;
use atrium_core::error::{Code, Fault, Result};
use atrium_core::fair_queue::Caller;
use atrium_core::http::json::Data;
use atrium_core::http::path::SecondId;
use atrium_core::lease::Lease;
use atrium_core::permissions::{Permission, QueryRun};
use atrium_core::types::{Id, Millis};
use atrium_tenancy::access::DataApp;

const LEASE: &str = "cohort_sizes";
const READY: Duration = Duration::from_secs(60);
/// The time limit of a run; cohorts left over are measured in the next one.
const RUN_FOR: Duration = Duration::from_secs(240);
const DAYS_SHOWN: i64 = 90;
const KEPT_FOR: i64 = 100 * Millis::DAY;

/// Measures the cohorts that have no size yet for the current day of their app. Returns how many there
/// were.
pub async fn run_due(atrium: &Insight) -> anyhow::Result<u64> {
    if due(atrium).await?.is_empty() {
        return Ok(0);
    }
    atrium.warehouse.ready(READY).await?;
    let holder = &atrium.collector.spool.name;
    let Some(lease) = Lease::take(atrium, LEASE, holder).await? else { return Ok(0) };
    let done = lease.during(atrium, measure_all(atrium)).await;
    lease.release(atrium).await?;
    done
}

/// The cohorts to measure, each with the current date in its app's time zone.
async fn due(atrium: &Insight) -> Result<Vec<(MeasuredCohort, String)>> {
    let now = atrium.now();
    let all = sizes::cohorts(&mut *atrium.db.read().await?).await?;
    let with_day = all.into_iter().map(|cohort| {
        let zone = TimeZone::get(&cohort.timezone).unwrap_or(TimeZone::UTC);
        (cohort, date_of(now, &zone).to_string())
    });
    let is_due = |(cohort, day): &(MeasuredCohort, String)| cohort.last_day.as_ref() != Some(day);
    Ok(with_day.filter(is_due).collect())
}

async fn measure_all(atrium: &Insight) -> anyhow::Result<u64> {
    let (until, mut done) = (Instant::now() + RUN_FOR, 0);
    for (cohort, day) in due(atrium).await? {
        if Instant::now() > until {
            break;
        }
        let size = measured(atrium, &cohort, day).await?;
        let mut tx = atrium.db.write_relaxed().await?;
        sizes::note(&mut tx, &cohort, &size, atrium.now()).await?;
        tx.commit().await?;
        done += 1;
    }
    let mut tx = atrium.db.write_relaxed().await?;
    sizes::forget_before(&mut tx, atrium.now().plus(-KEPT_FOR)).await?;
    tx.commit().await?;
    Ok(done)
}

/// A cohort that is too expensive or was deleted is recorded as unknown, so that it is not tried again
/// before tomorrow. If the store is unavailable that is an error, and it is tried again.
async fn measured(atrium: &Insight, cohort: &MeasuredCohort, day: String) -> Result<SizeRow> {
    let mut reads_profiles = false;
    let mut size = async |pii: bool| -> Result<i64> {
        let holds = |permission| pii || permission != Permission::ProfilePii;
        let app = (&cohort.app_id, cohort.timezone.as_str());
        let caller = Caller::program(&cohort.org_id, &cohort.app_id);
        let asker = Asker::new(atrium, app, caller, holds, cohort.private_to.as_ref()).await?;
        let people = asker.cohort_or_not_found(&cohort.id).await;
        reads_profiles |= asker.reads_profiles();
        Ok(i64::try_from(people?.count()).unwrap_or(i64::MAX))
    };
    let or_unknown = |found: Result<i64>| match found {
        Ok(people) => Ok(Some(people)),
        Err(error) if passes(error.status()) => Err(error),
        Err(_) => Ok(None),
    };
    let (people, people_shown) = (or_unknown(size(true).await)?, or_unknown(size(false).await)?);
    let reads_profiles = i64::from(reads_profiles);
    Ok(SizeRow { day, people, people_shown, reads_profiles })
}

fn passes(status: StatusCode) -> bool {
    status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CohortSizes {
    /// One for each day on which it was measured, the oldest first; at most 90.
    sizes: Vec<DaySize>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct DaySize {
    /// In the app's time zone.
    date: String,
    people: i64,
}

/// How many people a cohort had, day by day.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/cohorts/{cohort_id}/sizes",
    operation_id = "cohort_sizes",
    tag = "analysis",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path), ("cohort_id" = Id, Path)),
    responses((status = 200, body = Data<CohortSizes>), (status = 422))
)]
pub async fn cohort_sizes(
    State(atrium): State<Insight>,
    app: DataApp<QueryRun>,
    SecondId(cohort_id): SecondId,
) -> Result<Data<CohortSizes>> {
    let mut db = atrium.db.read().await?;
    let cohort = visible_cohort(&mut db, app.id(), &cohort_id, app.user_id()).await?;
    if cohort.is_none() {
        return Err(Code::NotFound.into());
    }
    let rows = sizes::latest(&mut db, &cohort_id, DAYS_SHOWN).await?;
    if rows.iter().any(|row| row.reads_profiles == 1) && !app.holds(Permission::ProfileView) {
        return Err(Fault::new(Code::PersonalData).into());
    }
    let pii = app.holds(Permission::ProfilePii);
    let shown = |row: SizeRow| {
        let people = if pii { row.people } else { row.people_shown };
        people.map(|people| DaySize { date: row.day, people })
    };
    Ok(Data(CohortSizes { sizes: rows.into_iter().rev().filter_map(shown).collect() }))
}
