//! `POST /orgs/{id}/data-overall`: the dashboard in one answer, over the apps the caller may see.

use std::collections::HashSet;

use axum::extract::State;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::ingest::{self, Ingest};
use super::range::Range;
use crate::access::InOrg;
use crate::app::AppState;
use crate::error::{Code, Error, Fault, Result};
use crate::http::json::{Data, Json};
use crate::http::locale::Locale;
use crate::permissions::{OrgView, Permission};
use crate::types::Id;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Compare {
    PreviousPeriod,
    PreviousYear,
    #[default]
    None,
}

#[derive(Deserialize, ToSchema)]
pub struct OverallBody {
    /// A date in the time zone, included.
    #[schema(example = "2026-11-01")]
    start: String,
    /// A date in the time zone, included; it may lie ahead.
    end: String,
    /// Default: all active apps that the caller may see.
    app_ids: Option<Vec<Id>>,
    #[serde(default)]
    compare: Compare,
    /// IANA name; the organisation's unless told.
    timezone: Option<String>,
}

/// A figure, what it was before, and by how much of that it changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct Figure {
    value: u64,
    /// Null without a comparison.
    previous: Option<u64>,
    /// Null where there is nothing to compare with.
    change: Option<f64>,
}

impl Figure {
    fn new(value: u64, previous: Option<u64>) -> Self {
        let change = previous.filter(|before| *before > 0).map(|before| {
            let (value, before) = (value as f64, before as f64);
            (value - before) / before
        });
        Self { value, previous, change }
    }
}

#[derive(Serialize, ToSchema)]
pub struct Totals {
    events: Figure,
}

#[derive(Serialize, ToSchema)]
pub struct Overall {
    totals: Totals,
    ingest: Ingest,
}

/// What happened in an organisation's apps between two dates.
#[utoipa::path(
    post,
    path = "/api/v1/orgs/{id}/data-overall",
    operation_id = "data_overall",
    tag = "data",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = OverallBody,
    responses((status = 200, body = Data<Overall>))
)]
pub async fn data_overall(
    State(atrium): State<AppState>,
    org: InOrg<OrgView>,
    locale: Locale,
    Json(body): Json<OverallBody>,
) -> Result<Data<Overall>> {
    let (range, zone) = read_range(&body, &org.org.timezone)?;
    let apps = visible_apps(&atrium, &org, body.app_ids.as_deref()).await?;
    let before = match body.compare {
        Compare::None => None,
        Compare::PreviousPeriod => range.before(&zone),
        Compare::PreviousYear => range.year_before(&zone),
    };
    let events = count(&atrium, &apps, range).await?;
    let previous = match before {
        Some(before) => Some(count(&atrium, &apps, before).await?),
        None => None,
    };
    let (from, to) = (range.start.to_string(), range.end.to_string());
    let mut db = atrium.db.read().await?;
    let ingest = ingest::sums(&mut db, &apps, &from, &to, locale).await?;
    Ok(Data(Overall { totals: Totals { events: Figure::new(events, previous) }, ingest }))
}

fn read_range(body: &OverallBody, org_zone: &str) -> Result<(Range, TimeZone)> {
    let mut faults = Vec::new();
    let name = body.timezone.as_deref().unwrap_or(org_zone);
    let zone = TimeZone::get(name).ok();
    if zone.is_none() {
        faults.push(Fault::new(Code::BadTimezone).on("timezone"));
    }
    let mut date = |field: &'static str, text: &str| {
        let date = text.parse::<Date>().ok();
        if date.is_none() {
            faults.push(Fault::new(Code::BadMoment).on(field));
        }
        date
    };
    let (start, end) = (date("start", &body.start), date("end", &body.end));
    if let (Some(start), Some(end), Some(zone)) = (start, end, zone) {
        match Range::new(start, end, &zone) {
            Some(range) => return Ok((range, zone)),
            None => faults.push(Fault::new(Code::BadRange).on("end")),
        }
    }
    Err(Error::invalid(faults))
}

/// The apps asked for, of those whose figures the caller may see. One they may not see is left out
/// as one that does not exist would be.
async fn visible_apps(
    atrium: &AppState,
    org: &InOrg<OrgView>,
    wanted: Option<&[Id]>,
) -> Result<Vec<Id>> {
    let mut db = atrium.db.read().await?;
    let seen = crate::apps::store::active_for_user(&mut db, org.id(), org.user_id()).await?;
    let wanted: Option<HashSet<_>> = wanted.map(|ids| ids.iter().collect());
    Ok(seen
        .into_iter()
        .filter(|(_, access)| access.holds(Permission::DashboardView))
        .map(|(id, _)| id)
        .filter(|id| wanted.as_ref().is_none_or(|wanted| wanted.contains(id)))
        .collect())
}

async fn count(atrium: &AppState, apps: &[Id], range: Range) -> Result<u64> {
    let ids: Vec<_> = apps.iter().filter_map(|id| Uuid::try_parse(id.as_str()).ok()).collect();
    if ids.is_empty() {
        return Ok(0);
    }
    let counts = atrium.warehouse.count_events(&ids, range.from.0, range.to.0).await;
    Ok(counts.map_err(Error::unavailable)?.values().sum())
}
