//! The answer to a question as a file.

use axum::extract::State;
use axum::response::Response;
use serde_json::json;

use super::asker::Asker;
use super::body::Question;
use super::export_tables::Tables;
use crate::insight::csv;
use crate::insight::state::Insight;
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Result};
use atrium_core::http::json::Json;
use atrium_core::locale::Locale;
use atrium_core::permissions::{EventExport, Permission};
use atrium_core::types::Id;
use atrium_tenancy::access::InApp;

/// The answer to a question as a CSV file.
#[utoipa::path(
    post,
    path = "/api/v1/apps/{id}/analyses/run/export",
    operation_id = "analysis_export",
    tag = "analysis",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = Question,
    responses((status = 200, description = "A CSV file", content_type = "text/csv"))
)]
pub async fn analysis_export(
    State(atrium): State<Insight>,
    app: InApp<EventExport>,
    locale: Locale,
    Json(question): Json<Question>,
) -> Result<Response> {
    // People who may restore a deleted app can see it, but not its data.
    if app.app.deleted_at.is_some() {
        return Err(Code::NotFound.into());
    }
    if !app.access.holds(Permission::QueryRun) {
        return Err(Code::Forbidden.into());
    }
    let asker = Asker::of_session(&atrium, &app).await?;
    let answer = asker.answer(&question).await?;
    let common = question.common();
    let mut tx = atrium.db.write_uncached().await?;
    let event = Event::new("data.exported", "app", app.id()).in_org(&app.app.org_id);
    let event = event.in_app(app.id()).with(json!({
        "table": question.kind(), "start": common.start, "end": common.end,
    }));
    audit::append(&mut tx, &app.actor(), event).await?;
    tx.commit().await?;
    let cohorts = asker.cohort_names(question.breakdown()).await?;
    let tables = Tables::of(&question, &cohorts, asker.zone_of(common), locale);
    let (heads, lines) = tables.table(&answer.figures);
    csv::file(question.kind(), &heads, &lines)
}
