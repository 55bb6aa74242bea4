//! How many people use an app, and whether they come back.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures_util::future::try_join;
use jiff::Span;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use warehouse::{Activity, Cohort, Days};

use super::{Class, warehouse_error};
use crate::insight::dates::{Dates, date_of, seconds};
use crate::insight::elapsed::counted_until;
use crate::insight::errors::ready;
use crate::insight::kept::{self, Key};
use crate::insight::range::{Granularity, Range};
use crate::insight::state::Insight;
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::fair_queue::Reader;
use atrium_core::http::json::{Data, Query};
use atrium_core::permissions::DashboardView;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::access::DataApp;

const DAYS_MAX: i32 = 180;
/// How many days before the first one count toward its month.
const LEAD: i32 = 29;
/// How many days after the last one its cohort is followed.
const AFTER: i32 = 30;
/// How many days the mean in stickiness covers: those of the month it is compared with.
const MONTH: usize = 30;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EngagementQuery {
    /// A date in the time zone, included.
    #[param(example = "2026-11-01")]
    start: String,
    /// A date in the time zone, included; days in the future are left out.
    end: String,
    /// IANA name; the app's unless given.
    timezone: Option<String>,
    /// A date before the start: retention covers people who were new from then on, so that those of a
    /// short range have had time to come back.
    cohorts_from: Option<String>,
}

/// Distinct people; events that a device sent without a user belong to the first user who was signed in
/// on it.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct ActivePeople {
    /// On the day.
    dau: u64,
    /// In the seven days that end with it.
    wau: u64,
    /// In the thirty days that end with it.
    mau: u64,
}

/// The people of one day.
#[derive(Debug, Serialize, ToSchema)]
pub struct ActiveDay {
    date: String,
    #[serde(flatten)]
    people: ActivePeople,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct EngagedDay {
    date: String,
    /// Whether it is not over yet: its figures are so far.
    partial: bool,
    #[serde(flatten)]
    people: ActivePeople,
    /// People whose first event ever is on this day.
    new_users: u64,
    /// The others of the day.
    returning_users: u64,
}

/// The people who were new on a day, and how many of them were active exactly this many days later; null
/// while that day is not over.
#[derive(Debug, Serialize, ToSchema)]
pub struct RetainedCohort {
    date: String,
    size: u64,
    day1: Option<u64>,
    day7: Option<u64>,
    day30: Option<u64>,
}

/// The share of new people who came back, over all cohorts whose day is over.
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
    /// The mean of the daily people divided by those of the month that ends with the last whole day;
    /// over the days of the range, at most the last thirty.
    stickiness: Option<f64>,
    /// The last day of the range that is over; yesterday if the range is today alone.
    last_whole_day: Option<ActiveDay>,
    /// Today so far; null if the range does not include it.
    so_far: Option<ActiveDay>,
    /// For the last day of the range that is not in the future; so far, if that is today.
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
    State(atrium): State<Insight>,
    app: DataApp<DashboardView>,
    Query(query): Query<EngagementQuery>,
) -> Result<Response> {
    let zone = query.timezone.as_deref().unwrap_or(&app.app.timezone);
    let text = format!("engagement {} {} {zone} {:?}", query.start, query.end, query.cohorts_from);
    let key = Key::of(&atrium, app.id(), text, false, false, atrium.now()).await?;
    let reader = atrium.reads.reader(app.reader(Class::Dashboard));
    let asking = answer(&atrium, &app, &query, zone, reader.clone());
    let kept = kept::once(&atrium.kept, key, &reader, asking).await?;
    Ok(Data(&*kept).into_response())
}

async fn answer(
    atrium: &Insight,
    app: &DataApp<DashboardView>,
    query: &EngagementQuery,
    zone: &str,
    reader: Arc<Reader>,
) -> Result<Engagement> {
    let dates = Dates::read(&query.start, &query.end, zone)?;
    let now = atrium.now();
    let asked = Asked::new(&dates, query.cohorts_from.as_deref(), date_of(now, &dates.zone))?;
    if asked.end < asked.start {
        return Ok(asked.answer(&[], &[]));
    }
    ready(atrium).await?;
    let store = atrium.warehouse.behind(reader);
    let app = app.id().uuid()?;
    let around = |from: Date, to: Date| days_between(from, to, &dates.zone, now);
    let looked_back = around(asked.people_from.saturating_sub(Span::new().days(LEAD)), asked.end)?;
    let cohort_days = around(asked.cohorts_from, asked.end)?.starts.len();
    let looked_ahead =
        around(asked.cohorts_from, asked.end.saturating_add(Span::new().days(AFTER)))?;
    let (activity, cohorts) =
        try_join(store.activity(app, &looked_back), store.cohorts(app, &looked_ahead, cohort_days))
            .await
            .map_err(warehouse_error)?;
    let lead = LEAD.unsigned_abs() as usize;
    let mut people = vec![ActivePeople::default(); looked_back.starts.len() - lead];
    for Activity { day, dau, wau, mau } in activity {
        if let Some(people) = people.get_mut(day - lead) {
            *people = ActivePeople { dau, wau, mau };
        }
    }
    Ok(asked.answer(&people, &cohorts))
}

/// Consecutive days in the form that the warehouse takes. Future days have no people.
fn days_between(start: Date, end: Date, zone: &TimeZone, now: Millis) -> Result<Days> {
    let range = Range::new(start, end, zone).ok_or(Code::BadRange)?;
    let cuts = Dates { range, zone: zone.clone() }.cuts(Granularity::Day)?;
    let mut starts: Vec<u64> = cuts.into_iter().map(seconds).collect();
    starts.pop();
    Ok(Days { starts, end: seconds(counted_until(&range, now)) })
}

/// The days of a request.
struct Asked {
    start: Date,
    /// The last day that is not in the future.
    end: Date,
    today: Date,
    /// The first day whose people are counted: yesterday, if the range is today alone.
    people_from: Date,
    cohorts_from: Date,
}

impl Asked {
    fn new(dates: &Dates, cohorts_from: Option<&str>, today: Date) -> Result<Self> {
        let Range { start, end, .. } = dates.range;
        let earlier = cohorts_from.map(str::parse::<Date>).transpose();
        let earlier = earlier
            .map_err(|_| Error::invalid(vec![Fault::new(Code::BadMoment).on("cohorts_from")]))?;
        // There are no new people in the future.
        let earlier = earlier.filter(|earlier| *earlier < start && start <= today);
        let cohorts_from = earlier.unwrap_or(start);
        for (first, field) in [(start, "end"), (cohorts_from, "cohorts_from")] {
            if days_from(first, end) >= DAYS_MAX {
                let fault = Fault::new(Code::OutOfRange).on(field);
                return Err(Error::invalid(vec![fault.with("min", 1).with("max", DAYS_MAX)]));
            }
        }
        let yesterday = today.saturating_sub(Span::new().days(1));
        Ok(Self {
            start,
            end: end.min(today),
            today,
            people_from: start.min(yesterday),
            cohorts_from,
        })
    }

    /// `people` has one entry for each day from `people_from` on.
    fn answer(&self, people: &[ActivePeople], cohorts: &[Cohort]) -> Engagement {
        let dates =
            |first: Date| (0..).map(move |day: i64| first.saturating_add(Span::new().days(day)));
        let counted: Vec<(Date, ActivePeople)> =
            dates(self.people_from).zip(people.iter().copied()).collect();
        let new_on = |date: Date| {
            let day = usize::try_from(days_from(self.cohorts_from, date)).ok()?;
            cohorts.iter().find(|cohort| cohort.day == day)
        };
        let days = counted.iter().filter(|(date, _)| *date >= self.start).map(|(date, people)| {
            let new_users = new_on(*date).map_or(0, |cohort| cohort.size);
            EngagedDay {
                date: date.to_string(),
                partial: *date == self.today,
                people: *people,
                new_users,
                returning_users: people.dau.saturating_sub(new_users),
            }
        });
        let born = dates(self.cohorts_from).take_while(|date| *date <= self.end);
        let retained = born.map(|date| self.retained(date, new_on(date)));
        let is_over = |(date, _): &&(Date, ActivePeople)| *date < self.today;
        let day = |(date, people): &(Date, ActivePeople)| ActiveDay {
            date: date.to_string(),
            people: *people,
        };
        let whole: Vec<ActivePeople> = counted.iter().filter(is_over).map(|(_, it)| *it).collect();
        Engagement {
            days: days.collect(),
            stickiness: stickiness(&whole),
            last_whole_day: counted.iter().rfind(is_over).map(day),
            so_far: counted.last().filter(|(date, _)| *date == self.today).map(day),
            today: people.last().copied().unwrap_or_default(),
            retention: Retention::of(retained.collect()),
        }
    }

    fn retained(&self, date: Date, new: Option<&Cohort>) -> RetainedCohort {
        let came = |after: i32, count: fn(&Cohort) -> u64| {
            let is_over = date.saturating_add(Span::new().days(after)) < self.today;
            is_over.then(|| new.map_or(0, count))
        };
        RetainedCohort {
            date: date.to_string(),
            size: new.map_or(0, |cohort| cohort.size),
            day1: came(1, |cohort| cohort.day1),
            day7: came(7, |cohort| cohort.day7),
            day30: came(30, |cohort| cohort.day30),
        }
    }
}

/// How many days one date is after another.
fn days_from(first: Date, date: Date) -> i32 {
    first.until(date).map_or(0, |span| span.get_days())
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
