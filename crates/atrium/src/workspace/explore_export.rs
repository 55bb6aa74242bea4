//! The answer to a question as a file.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::json;

use super::explore::{Exploration, ExploreGroup, answer};
use super::question::ExploreBody;
use super::uuid;
use crate::access::InApp;
use crate::app::AppState;
use crate::audit::export::plain;
use crate::audit::{self, Event};
use crate::error::{Code, Error, Result};
use crate::http::json::Json;
use crate::http::locale::Locale;
use crate::insight::range::Granularity;
use crate::permissions::{EventExport, Permission};
use crate::types::Id;

/// The answer to a question as a CSV file: a line for each time, a column for each group.
#[utoipa::path(
    post,
    path = "/api/v1/apps/{id}/explore/export",
    operation_id = "explore_export",
    tag = "workspace",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = ExploreBody,
    responses((status = 200, description = "A CSV file", content_type = "text/csv"))
)]
pub async fn explore_export(
    State(atrium): State<AppState>,
    app: InApp<EventExport>,
    locale: Locale,
    Json(body): Json<ExploreBody>,
) -> Result<Response> {
    // Those who could restore it see a deleted app, but nobody sees its data.
    if app.app.deleted_at.is_some() {
        return Err(Code::NotFound.into());
    }
    if !app.access.holds(Permission::QueryRun) {
        return Err(Code::Forbidden.into());
    }
    let pii = app.access.holds(Permission::ProfilePii);
    let ready = body.ready(uuid(app.id())?, &app.app.timezone, pii)?;
    let found = answer(&atrium, &ready, pii).await?;
    let mut tx = atrium.db.write_apart().await?;
    let event = Event::new("data.exported", "app", app.id()).in_org(&app.app.org_id);
    let event = event.in_app(app.id()).with(json!({
        "table": "explore", "event": body.event, "measure": body.measure,
        "group_by": body.group_by, "start": ready.dates.range.start.to_string(),
        "end": ready.dates.range.end.to_string(),
    }));
    audit::append(&atrium, &mut tx, &app.actor(), event).await?;
    tx.commit().await?;
    let is_grouped = body.group_by.is_some();
    let text = sheet(&found, is_grouped, body.granularity, &ready.dates.zone, locale)?;
    let headers = [
        (CONTENT_TYPE, "text/csv; charset=utf-8"),
        (CONTENT_DISPOSITION, "attachment; filename=\"explore.csv\""),
    ];
    Ok((headers, axum::body::Body::from(text)).into_response())
}

fn sheet(
    found: &Exploration,
    is_grouped: bool,
    granularity: Granularity,
    zone: &TimeZone,
    locale: Locale,
) -> Result<Vec<u8>> {
    // So that a spreadsheet reads Chinese as Chinese.
    let mut writer = csv::Writer::from_writer("\u{feff}".as_bytes().to_vec());
    let words = Words::of(locale);
    let head =
        |group: &ExploreGroup| if is_grouped { words.group(group) } else { words.value.into() };
    let heads = std::iter::once(words.time.to_owned()).chain(found.groups.iter().map(head));
    writer.write_record(heads.map(|cell| plain(&cell))).map_err(Error::internal)?;
    for (index, time) in found.times.iter().enumerate() {
        let points = found.groups.iter().map(|group| number(&group.points, index));
        let line = std::iter::once(moment(*time, granularity, zone)).chain(points);
        writer.write_record(line).map_err(Error::internal)?;
    }
    writer.into_inner().map_err(|error| Error::internal(error.into_error()))
}

fn number(points: &[f64], index: usize) -> String {
    points.get(index).copied().unwrap_or_default().to_string()
}

fn moment(time: i64, granularity: Granularity, zone: &TimeZone) -> String {
    let at = Timestamp::from_millisecond(time).unwrap_or_default().to_zoned(zone.clone());
    match granularity {
        Granularity::Hour => at.strftime("%Y-%m-%d %H:%M").to_string(),
        _ => at.date().to_string(),
    }
}

struct Words {
    time: &'static str,
    value: &'static str,
    not_set: &'static str,
    other: &'static str,
    redacted: &'static str,
}

impl Words {
    fn of(locale: Locale) -> Self {
        match locale {
            Locale::ZhCn => Self {
                time: "时间",
                value: "数值",
                not_set: "（未设置）",
                other: "其他",
                redacted: "（已隐藏）",
            },
            Locale::EnUs => Self {
                time: "Time",
                value: "Value",
                not_set: "(not set)",
                other: "Other",
                redacted: "(hidden)",
            },
        }
    }

    fn group(&self, group: &ExploreGroup) -> String {
        match &group.value {
            Some(value) => value.clone(),
            None if group.other => self.other.to_owned(),
            None if group.redacted => self.redacted.to_owned(),
            None => self.not_set.to_owned(),
        }
    }
}
