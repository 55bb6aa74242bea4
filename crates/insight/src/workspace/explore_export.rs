//! The answer to a question as a file.

use axum::extract::State;
use axum::response::Response;
use serde_json::json;

use super::Class;
use super::explore::{ExploreGroup, answer};
use super::explore_query::ExploreBody;
use crate::insight::csv::{self, moment};
use crate::insight::state::Insight;
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Result};
use atrium_core::http::json::Json;
use atrium_core::locale::Locale;
use atrium_core::permissions::{EventExport, Permission};
use atrium_core::types::Id;
use atrium_tenancy::access::InApp;

/// The answer to a question as a CSV file: a row for each time, a column for each group.
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
    State(atrium): State<Insight>,
    app: InApp<EventExport>,
    locale: Locale,
    Json(body): Json<ExploreBody>,
) -> Result<Response> {
    // People who may restore a deleted app can see it, but not its data.
    if app.app.deleted_at.is_some() {
        return Err(Code::NotFound.into());
    }
    if !app.access.holds(Permission::QueryRun) {
        return Err(Code::Forbidden.into());
    }
    let pii = app.access.holds(Permission::ProfilePii);
    let ready = body.ready(app.id().uuid()?, &app.app.timezone, pii, atrium.now())?;
    let found = answer(&atrium, app.reader(Class::AdHoc), &ready, pii).await?;
    let mut tx = atrium.db.write_uncached().await?;
    let event = Event::new("data.exported", "app", app.id()).in_org(&app.app.org_id);
    let event = event.in_app(app.id()).with(json!({
        "table": "explore", "event": body.event, "measure": body.measure,
        "group_by": body.group_by, "start": ready.dates.range.start.to_string(),
        "end": ready.dates.range.end.to_string(),
    }));
    audit::append(&mut tx, &app.actor(), event).await?;
    tx.commit().await?;
    let words = Words::of(locale);
    let head = |group: &ExploreGroup| match body.group_by {
        Some(_) => words.group(group),
        None => words.value.to_owned(),
    };
    let heads = std::iter::once(words.time.to_owned()).chain(found.groups.iter().map(head));
    let heads = heads.chain([words.note.to_owned()]);
    let line = |(index, time): (usize, &i64)| {
        let points = found.groups.iter().map(|group| number(&group.points, index));
        let note = csv::note(found.partial == Some(*time), locale);
        let time = moment(*time, body.granularity, &ready.dates.zone);
        std::iter::once(time).chain(points).chain([note]).collect()
    };
    let lines: Vec<Vec<String>> = found.times.iter().enumerate().map(line).collect();
    csv::file("explore", &heads.collect::<Vec<_>>(), &lines)
}

/// Empty for times that lie ahead.
fn number(points: &[Option<f64>], index: usize) -> String {
    points.get(index).copied().flatten().map(|point| point.to_string()).unwrap_or_default()
}

struct Words {
    time: &'static str,
    value: &'static str,
    not_set: &'static str,
    other: &'static str,
    redacted: &'static str,
    note: &'static str,
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
                note: csv::NOTE.0,
            },
            Locale::EnUs => Self {
                time: "Time",
                value: "Value",
                not_set: "(not set)",
                other: "Other",
                redacted: "(hidden)",
                note: csv::NOTE.1,
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
