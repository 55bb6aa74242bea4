//! The console's errors, for operators.

use axum::extract::State;
use axum::response::IntoResponse;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::event::{self, Breadcrumb, Exception};
use super::{replay, store};
use atrium_core::Core;
use atrium_core::audit::{self, Event};
use atrium_core::db::page::Page;
use atrium_core::error::{Code, Result};
use atrium_core::http::json::{Data, Done, Query};
use atrium_core::http::list::{ListQuery, Sort};
use atrium_core::http::page::{Items, PageQuery};
use atrium_core::http::path::PathId;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::orgs::PersonRef;
use atrium_tenancy::session::Operator;

/// Errors of one kind.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorGroup {
    id: Id,
    /// What was thrown: `TypeError`.
    kind: String,
    /// The message of the latest report.
    message: String,
    /// How many reports there were, including deleted ones.
    reports: i64,
    /// How many signed-in people encountered it.
    people: i64,
    first_seen_at: Millis,
    last_seen_at: Millis,
}

impl From<store::GroupRow> for ErrorGroup {
    fn from(row: store::GroupRow) -> Self {
        Self {
            id: row.id,
            kind: row.kind,
            message: row.message,
            reports: row.reports,
            people: row.people,
            first_seen_at: row.first_seen_at,
            last_seen_at: row.last_seen_at,
        }
    }
}

/// One occurrence.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorReport {
    id: Id,
    at: Millis,
    /// Null if nobody was signed in.
    person: Option<PersonRef>,
    /// The pattern of the route it happened on.
    route: String,
    /// The client version.
    release: String,
    browser: String,
    /// Whether there is a recording of what was on screen.
    has_replay: bool,
}

impl From<&store::ReportRow> for ErrorReport {
    fn from(row: &store::ReportRow) -> Self {
        Self {
            id: row.id.clone(),
            at: row.at,
            person: PersonRef::of(row.user_id.clone(), row.person.clone()),
            route: row.route.clone(),
            release: row.release.clone(),
            browser: row.browser.clone(),
            has_replay: row.pieces > 0,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorGroupDetail {
    group: ErrorGroup,
    /// Null if no report is stored anymore.
    latest: Option<ErrorReportDetail>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorReportDetail {
    report: ErrorReport,
    /// The thrown one first, then what caused it.
    exceptions: Vec<Exception>,
    /// What happened before the error, the latest first.
    breadcrumbs: Vec<Breadcrumb>,
}

impl From<&store::ReportRow> for ErrorReportDetail {
    fn from(row: &store::ReportRow) -> Self {
        let value: Value = serde_json::from_str(&row.event).unwrap_or_default();
        Self {
            report: row.into(),
            exceptions: event::exceptions(&value),
            breadcrumbs: event::breadcrumbs(&value),
        }
    }
}

const SORTS: &[Sort] = &[
    ("last_seen_at", "last_seen_at"),
    ("first_seen_at", "first_seen_at"),
    ("reports", "reports"),
    ("people", "people"),
];

/// Errors of the console in people's browsers, grouped by kind.
#[utoipa::path(
    get,
    path = "/api/v1/error-groups",
    operation_id = "error_group_list",
    tag = "instance",
    security(("session" = [])),
    params(ListQuery),
    responses((status = 200, body = Data<Items<ErrorGroup>>), (status = 403))
)]
pub async fn error_group_list(
    State(atrium): State<Core>,
    _operator: Operator,
    Query(query): Query<ListQuery>,
) -> Result<Data<Items<ErrorGroup>>> {
    let listing = query.check(SORTS, "id")?;
    let mut db = atrium.db.read().await?;
    let (rows, total) = store::groups(&mut db, &listing).await?;
    Ok(Data(Items { items: rows.into_iter().map(ErrorGroup::from).collect(), total }))
}

/// Errors of one kind, and the latest of them in full.
#[utoipa::path(
    get,
    path = "/api/v1/error-groups/{id}",
    operation_id = "error_group_view",
    tag = "instance",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<ErrorGroupDetail>), (status = 403))
)]
pub async fn error_group_view(
    State(atrium): State<Core>,
    _operator: Operator,
    PathId(id): PathId,
) -> Result<Data<ErrorGroupDetail>> {
    const LATEST: Page = Page { limit: 1, offset: 0 };
    let mut db = atrium.db.read().await?;
    let group = store::group(&mut db, &id).await?.ok_or(Code::NotFound)?;
    let (rows, _) = store::reports(&mut db, &id, LATEST).await?;
    let latest = rows.first().map(ErrorReportDetail::from);
    Ok(Data(ErrorGroupDetail { group: group.into(), latest }))
}

/// The occurrences of errors of one kind, the latest first.
#[utoipa::path(
    get,
    path = "/api/v1/error-groups/{id}/reports",
    operation_id = "error_report_list",
    tag = "instance",
    security(("session" = [])),
    params(("id" = Id, Path), PageQuery),
    responses((status = 200, body = Data<Items<ErrorReport>>), (status = 403))
)]
pub async fn error_report_list(
    State(atrium): State<Core>,
    _operator: Operator,
    PathId(id): PathId,
    Query(query): Query<PageQuery>,
) -> Result<Data<Items<ErrorReport>>> {
    let page = query.check()?;
    let mut db = atrium.db.read().await?;
    store::group(&mut db, &id).await?.ok_or(Code::NotFound)?;
    let (rows, total) = store::reports(&mut db, &id, page).await?;
    Ok(Data(Items { items: rows.iter().map(ErrorReport::from).collect(), total }))
}

/// Deletes a group with its reports and recordings. It reappears when the error happens again.
#[utoipa::path(
    delete,
    path = "/api/v1/error-groups/{id}",
    operation_id = "error_group_delete",
    tag = "instance",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<Done>))
)]
pub async fn error_group_delete(
    State(atrium): State<Core>,
    operator: Operator,
    PathId(id): PathId,
) -> Result<Data<Done>> {
    let mut tx = atrium.db.write_uncached().await?;
    let group = store::group(&mut tx, &id).await?.ok_or(Code::NotFound)?;
    if !store::delete_group(&mut tx, &id).await? {
        return Err(Code::NotFound.into());
    }
    let event = Event::new("error.delete", "error_group", &id);
    let event = event.with(json!({ "kind": group.kind, "reports": group.reports }));
    audit::append(&mut tx, &operator.actor(), event).await?;
    tx.commit().await?;
    Ok(Data(Done {}))
}

/// The recording of a person's screen around an error, as a file. Access is audited.
#[utoipa::path(
    get,
    path = "/api/v1/error-reports/{id}/replay",
    operation_id = "error_replay_view",
    tag = "instance",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, description = "A JSON file", content_type = "application/json"), (status = 403))
)]
pub async fn error_replay_view(
    State(atrium): State<Core>,
    operator: Operator,
    PathId(id): PathId,
) -> Result<impl IntoResponse> {
    let mut tx = atrium.db.write_uncached().await?;
    let report = store::report(&mut tx, &id).await?.ok_or(Code::NotFound)?;
    let (Some(replay_id), Some(user_id)) = (report.replay_id, report.user_id) else {
        return Err(Code::NotFound.into());
    };
    let pieces = store::pieces(&mut tx, &replay_id, &user_id).await?;
    if pieces.is_empty() {
        return Err(Code::NotFound.into());
    }
    let event = Event::new("error.replay", "user", &user_id).with(json!({ "report": id }));
    audit::append(&mut tx, &operator.actor(), event).await?;
    tx.commit().await?;
    let file = tokio::task::block_in_place(|| replay::file(&replay_id, &pieces))?;
    let name = format!("attachment; filename=\"atrium-replay-{replay_id}.json\"");
    let headers = [(CONTENT_TYPE, "application/json".to_owned()), (CONTENT_DISPOSITION, name)];
    Ok((headers, file))
}
