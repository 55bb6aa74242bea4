//! How many people use an app, and whether they come back.

use axum::extract::State;
use futures_util::future::try_join;
use jiff::Span;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use warehouse::{Activity, Cohort, Days};

use super::{Class, event_store, refused, uuid};
use crate::access::DataApp;
use crate::app::AppState;
use crate::error::{Code, Error, Fault, Result};
use crate::http::json::{Data, Query};
use crate::insight::dates::{Dates, date_of, seconds};
use crate::insight::range::{Granularity, Range};
use crate::permissions::DashboardView;
use crate::types::Id;

const DAYS_MAX: i32 = 180;
/// Days before the first one that its month looks back on.
const LEAD: i32 = 29;
/// Days after the last one that its cohort is looked at.
const AFTER: i32 = 30;
/// Days that the mean of stickiness covers: those of the month it is compared with.
const MONTH: usize = 30;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EngagementQuery {
    /// A date in the time zone, included.
    #[param(example = "2026-11-01")]
    start: String,
    /// A date in the time zone, included; what lies ahead is left out.
    end: String,
    /// IANA name; the app's unless told.
    timezone: Option<String>,
}

/// Distinct people; one counts by user id, or by device where nobody is signed in.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct ActivePeople {
    /// On the day.
    dau: u64,
    /// In the seven days that end with it.
    wau: u64,
    /// In the thirty days that end with it.
    mau: u64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct EngagedDay {
    date: String,
    #[serde(flatten)]
    people: ActivePeople,
    /// Those whose first event ever is on this day.
    new_users: u64,
    /// The others of the day.
    returning_users: u64,
}

/// Those who were new on a day, and how many of them came exactly so many days later; null while
/// that day is not over.
#[derive(Debug, Serialize, ToSchema)]
pub struct RetainedCohort {
    date: String,
    size: u64,
    day1: Option<u64>,
    day7: Option<u64>,
    day30: Option<u64>,
}

/// How many of the new ones came back: ratios over all cohorts whose day is over.
#[derive(Debug, Serialize, ToSchema)]
pub struct Retention {
    cohorts: Vec<RetainedCohort>,
    day1: Option<f64>,
    day7: Option<f64>,
    day30: Option<f64>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Engagement {
    days: Vec<EngagedDay>,
    /// The mean of the days' people over those of the month that ends with the last whole day; of the
    /// days of the range, the last thirty.
    stickiness: Option<f64>,
    /// Of the last day of the range that does not lie ahead.
    today: ActivePeople,
    retention: Retention,
}

/// How many people use the app, and whether they come back.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/engagement",
    operation_id = "engagement_view",
    tag = "workspace",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path), EngagementQuery),
    responses((status = 200, body = Data<Engagement>))
)]
pub async fn engagement_view(
    State(atrium): State<AppState>,
    app: DataApp<DashboardView>,
    Query(query): Query<EngagementQuery>,
) -> Result<Data<Engagement>> {
    let zone = query.timezone.as_deref().unwrap_or(&app.app.timezone);
    let dates = Dates::read(&query.start, &query.end, zone)?;
    if dates.days()? > DAYS_MAX {
        let fault = Fault::new(Code::OutOfRange).on("end").with("min", 1).with("max", DAYS_MAX);
        return Err(Error::invalid(vec![fault]));
    }
    let today = date_of(atrium.now(), &dates.zone);
    let start = dates.range.start;
    let end = dates.range.end.min(today);
    if end < start {
        return Ok(Data(Engagement::of(&[], &[], start, today)));
    }
    let store = event_store(&atrium, app.reader(Class::Dashboard)).await?;
    let app = uuid(app.id())?;
    let around = |from: Date, to: Date| days_between(from, to, &dates);
    let looked_back = around(start.saturating_sub(Span::new().days(LEAD)), end)?;
    let looked_ahead = around(start, end.saturating_add(Span::new().days(AFTER)))?;
    let count = looked_back.starts.len() - LEAD.unsigned_abs() as usize;
    let asked =
        try_join(store.activity(app, &looked_back), store.cohorts(app, &looked_ahead, count));
    let (activity, cohorts) = asked.await.map_err(refused)?;
    let mut people = vec![ActivePeople::default(); count];
    for Activity { day, dau, wau, mau } in activity {
        if let Some(people) = people.get_mut(day - LEAD.unsigned_abs() as usize) {
            *people = ActivePeople { dau, wau, mau };
        }
    }
    Ok(Data(Engagement::of(&people, &cohorts, start, today)))
}

/// Days in a row, as the event store takes them.
fn days_between(start: Date, end: Date, dates: &Dates) -> Result<Days> {
    let range = Range::new(start, end, &dates.zone).ok_or(Code::BadRange)?;
    let cuts = Dates { range, zone: dates.zone.clone() }.cuts(Granularity::Day)?;
    let mut starts: Vec<u64> = cuts.into_iter().map(seconds).collect();
    let end = starts.pop().unwrap_or_default();
    Ok(Days { starts, end })
}

impl Engagement {
    /// `people` has one entry for each day from `start` on.
    fn of(people: &[ActivePeople], cohorts: &[Cohort], start: Date, today: Date) -> Self {
        let date =
            |day: usize| start.saturating_add(Span::new().days(i64::try_from(day).unwrap_or(0)));
        let is_over = |day: usize| date(day) < today;
        let new = |day: usize| cohorts.iter().find(|cohort| cohort.day == day);
        let days = people.iter().enumerate().map(|(day, people)| {
            let new_users = new(day).map_or(0, |cohort| cohort.size);
            EngagedDay {
                date: date(day).to_string(),
                people: *people,
                new_users,
                returning_users: people.dau.saturating_sub(new_users),
            }
        });
        let cohorts = (0..people.len()).map(|day| {
            let came = |after: usize, count: fn(&Cohort) -> u64| {
                is_over(day + after).then(|| new(day).map_or(0, count))
            };
            RetainedCohort {
                date: date(day).to_string(),
                size: new(day).map_or(0, |cohort| cohort.size),
                day1: came(1, |cohort| cohort.day1),
                day7: came(7, |cohort| cohort.day7),
                day30: came(30, |cohort| cohort.day30),
            }
        });
        let whole = (0..people.len()).filter(|day| is_over(*day)).count();
        Self {
            days: days.collect(),
            stickiness: stickiness(&people[..whole]),
            today: people.last().copied().unwrap_or_default(),
            retention: Retention::of(cohorts.collect()),
        }
    }
}

fn stickiness(whole_days: &[ActivePeople]) -> Option<f64> {
    let month = &whole_days[whole_days.len().saturating_sub(MONTH)..];
    let mau = month.last().map(|last| last.mau).filter(|mau| *mau > 0)?;
    let sum: u64 = month.iter().map(|day| day.dau).sum();
    Some(sum as f64 / month.len() as f64 / mau as f64)
}

impl Retention {
    fn of(cohorts: Vec<RetainedCohort>) -> Self {
        let ratio = |came: fn(&RetainedCohort) -> Option<u64>| {
            let known = || cohorts.iter().filter_map(|cohort| Some((cohort.size, came(cohort)?)));
            let size: u64 = known().map(|(size, _)| size).sum();
            let came: u64 = known().map(|(_, came)| came).sum();
            (size > 0).then(|| came as f64 / size as f64)
        };
        let (day1, day7, day30) = (ratio(|it| it.day1), ratio(|it| it.day7), ratio(|it| it.day30));
        Self { cohorts, day1, day7, day30 }
    }
}
