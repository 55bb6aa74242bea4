//! `POST /orgs/{id}/data-overall`: the dashboard in one answer, or in parts, over the apps the caller
//! may see.

mod answer;
pub mod export;
mod figures;
mod pages;
mod request;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ingest::Ingest;
use super::range::Granularity;
use crate::insight::state::Insight;
use atrium_core::error::Result;
use atrium_core::http::json::{Data, Json};
use atrium_core::locale::Locale;
use atrium_core::types::Id;
use atrium_tenancy::access::DataOrg;
use figures::{Breakdowns, EventFigures, OfApp, SeriesPoint, Totals};
use pages::Pages;

/// What figures are compared with.
// The aliases are what the first analyses were saved with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Compare {
    /// The same number of days right before.
    #[serde(alias = "previous")]
    PreviousPeriod,
    /// The same dates a year earlier.
    #[serde(alias = "year")]
    PreviousYear,
    #[default]
    None,
}

/// A part of the answer. A page that requests each part separately does not wait for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    Totals,
    Series,
    Apps,
    TopEvents,
    Breakdowns,
    Pages,
    Ingest,
}

#[derive(Deserialize, ToSchema)]
pub struct OverallBody {
    /// A date in the time zone, included.
    #[schema(example = "2026-11-01")]
    pub start: String,
    /// A date in the time zone, included; it may lie ahead.
    pub end: String,
    #[serde(default)]
    pub granularity: Granularity,
    /// Default: all active apps that the caller may see.
    pub app_ids: Option<Vec<Id>>,
    #[serde(default)]
    pub compare: Compare,
    /// IANA name; the organization's unless given.
    pub timezone: Option<String>,
    /// What to answer; everything unless given.
    pub parts: Option<Vec<Part>>,
}

#[derive(Serialize, ToSchema)]
pub struct PreviousRange {
    start: String,
    end: String,
    /// The end of the part of it that is compared, in milliseconds since 1970: the same time of the
    /// same day as the range's own `compared_until`. Null while nothing can be compared.
    compared_until: Option<i64>,
}

/// The requested range, with defaults filled in.
#[derive(Serialize, ToSchema)]
pub struct AskedRange {
    start: String,
    end: String,
    timezone: String,
    granularity: Granularity,
    /// Whether the range is not over yet: its figures are so far.
    partial: bool,
    /// The end of the compared part, in milliseconds since 1970: the end of the range, or of the last
    /// quarter of an hour that is over. Null without a comparison and until the first quarter of an hour
    /// of the range is over.
    compared_until: Option<i64>,
    /// Null without a comparison.
    previous: Option<PreviousRange>,
}

#[derive(Serialize, ToSchema)]
pub struct SeenApp {
    id: Id,
    name: String,
}

#[derive(Serialize, ToSchema)]
pub struct Overall {
    range: AskedRange,
    /// The apps that were counted, in the order of their names.
    apps_seen: Vec<SeenApp>,
    /// Whether the caller may export from all of them.
    can_export: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    totals: Option<Totals>,
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<Vec<SeriesPoint>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    apps: Option<Vec<OfApp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_events: Option<Vec<EventFigures>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    breakdowns: Option<Breakdowns>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<Pages>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ingest: Option<Ingest>,
}

/// What happened in an organization's apps between two dates.
#[utoipa::path(
    post,
    path = "/api/v1/orgs/{id}/data-overall",
    operation_id = "data_overall",
    tag = "data",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path)),
    request_body = OverallBody,
    responses((status = 200, body = Data<Overall>))
)]
pub async fn data_overall(
    State(atrium): State<Insight>,
    org: DataOrg,
    locale: Locale,
    Json(body): Json<OverallBody>,
) -> Result<Data<Overall>> {
    let request = request::read(&atrium, &org, &body).await?;
    Ok(Data(answer::give(&atrium, &request, locale).await?))
}
