//! The audit log as a file, streamed one page at a time, so that memory use does not depend on its
//! length.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{AppendHeaders, IntoResponse, Response};
use futures_util::stream;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use serde::Deserialize;
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use super::handlers::{AuditEntry, AuditFilter};
use super::reading::{self, AuditScope, Filter};
use crate::access::{InApp, InOrg};
use crate::state::Tenancy;
use atrium_core::audit::{Actor, Event, append};
use atrium_core::error::{Error, Result};
use atrium_core::http::csv_cell::plain;
use atrium_core::http::json::Query;
use atrium_core::locale::Locale;
use atrium_core::permissions::{AuditExport, OrgAuditView};
use atrium_core::types::{Id, Millis};

const PAGE: i64 = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    Csv,
    Ndjson,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ExportQuery {
    #[param(inline)]
    format: ExportFormat,
}

/// The organization's audit log as a file, oldest first.
#[utoipa::path(
    get,
    path = "/api/v1/orgs/{id}/audit-logs/export",
    operation_id = "org_audit_export",
    tag = "audit",
    security(("session" = [])),
    params(("id" = Id, Path), ExportQuery, AuditFilter),
    responses((status = 200, description = "A file in the requested format", content(
        (String = "text/csv"), (String = "application/x-ndjson")
    )))
)]
pub async fn org_audit_export(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgAuditView>,
    locale: Locale,
    Query(query): Query<ExportQuery>,
    Query(filter): Query<AuditFilter>,
) -> Result<Response> {
    let event = Event::new("audit.export", "org", org.id()).in_org(org.id());
    let owner = Owner::Org(org.id().clone());
    export(atrium, org.actor(), event, owner, locale, query.format, filter.check()?).await
}

/// The app's audit log as a file, oldest first.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/audit-logs/export",
    operation_id = "app_audit_export",
    tag = "audit",
    security(("session" = [])),
    params(("id" = Id, Path), ExportQuery, AuditFilter),
    responses((status = 200, description = "A file in the requested format", content(
        (String = "text/csv"), (String = "application/x-ndjson")
    )))
)]
pub async fn app_audit_export(
    State(atrium): State<Tenancy>,
    app: InApp<AuditExport>,
    locale: Locale,
    Query(query): Query<ExportQuery>,
    Query(filter): Query<AuditFilter>,
) -> Result<Response> {
    let event = Event::new("audit.export", "app", app.id());
    let event = event.in_org(&app.app.org_id).in_app(app.id());
    let owner = Owner::App(app.id().clone());
    export(atrium, app.actor(), event, owner, locale, query.format, filter.check()?).await
}

enum Owner {
    Org(Id),
    App(Id),
}

impl Owner {
    fn scope(&self) -> AuditScope<'_> {
        match self {
            Self::Org(id) => AuditScope::Org(id),
            Self::App(id) => AuditScope::App(id),
        }
    }
}

/// The position of an export.
struct Walk {
    atrium: Tenancy,
    owner: Owner,
    filter: Filter,
    locale: Locale,
    format: ExportFormat,
    last: (Millis, String),
    begun: bool,
}

async fn export(
    atrium: Tenancy,
    actor: Actor,
    event: Event,
    owner: Owner,
    locale: Locale,
    format: ExportFormat,
    mut filter: Filter,
) -> Result<Response> {
    let mut tx = atrium.db.write_uncached().await?;
    let details = json!({
        "format": format, "actor": filter.actor, "action": filter.action_pattern,
        "target": filter.target, "from": filter.from,
    });
    append(&mut tx, &actor, event.with(details)).await?;
    tx.commit().await?;
    // Entries written during the export are not included.
    filter.to = Millis(filter.to.0.min(atrium.now().0.saturating_add(1)));
    let (mime, name) = match format {
        ExportFormat::Csv => ("text/csv; charset=utf-8", "audit-log.csv"),
        ExportFormat::Ndjson => ("application/x-ndjson", "audit-log.ndjson"),
    };
    let last = (Millis(i64::MIN), String::new());
    let walk = Walk { atrium, owner, filter, locale, format, last, begun: false };
    let body = Body::from_stream(stream::try_unfold(walk, next));
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers =
        AppendHeaders([(CONTENT_TYPE, mime.to_owned()), (CONTENT_DISPOSITION, disposition)]);
    Ok((headers, body).into_response())
}

async fn next(mut walk: Walk) -> Result<Option<(Bytes, Walk)>> {
    let rows = {
        let mut db = walk.atrium.db.read().await?;
        let last = (walk.last.0, walk.last.1.as_str());
        reading::after(&mut db, &walk.owner.scope(), &walk.filter, last, PAGE).await?
    };
    let Some(end) = rows.last().map(|row| (row.at, row.id.to_string())) else {
        if walk.begun {
            return Ok(None);
        }
        walk.begun = true;
        return Ok(Some((chunk(Vec::new(), &walk, true)?, walk)));
    };
    let entries = rows.into_iter().map(|row| AuditEntry::new(row, walk.locale)).collect();
    let text = chunk(entries, &walk, !walk.begun)?;
    walk.begun = true;
    walk.last = end;
    Ok(Some((text, walk)))
}

fn chunk(entries: Vec<AuditEntry>, walk: &Walk, first: bool) -> Result<Bytes> {
    let mut text = Vec::new();
    match walk.format {
        ExportFormat::Ndjson => {
            for entry in &entries {
                serde_json::to_writer(&mut text, entry).map_err(Error::internal)?;
                text.push(b'\n');
            }
        }
        ExportFormat::Csv => {
            if first {
                // Makes spreadsheets read Chinese correctly.
                text.extend("\u{feff}".as_bytes());
            }
            let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(text);
            if first {
                writer.write_record(COLUMNS).map_err(Error::internal)?;
            }
            for entry in &entries {
                writer.write_record(record(entry)).map_err(Error::internal)?;
            }
            text = writer.into_inner().map_err(|error| Error::internal(error.into_error()))?;
        }
    }
    Ok(text.into())
}

const COLUMNS: [&str; 14] = [
    "at",
    "actor_kind",
    "actor_name",
    "actor_email",
    "action",
    "action_name",
    "target_kind",
    "target_id",
    "target_name",
    "app_id",
    "app_name",
    "details",
    "ip",
    "user_agent",
];

fn record(entry: &AuditEntry) -> [String; 14] {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    [
        entry.at.to_string(),
        entry.actor.kind.clone(),
        text(&entry.actor.name),
        text(&entry.actor.email),
        entry.action.clone(),
        entry.action_name.clone(),
        entry.target.kind.clone(),
        text(&entry.target.id),
        text(&entry.target.name),
        entry.app_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        text(&entry.app_name),
        entry.details.to_string(),
        text(&entry.ip),
        text(&entry.user_agent),
    ]
    .map(|cell| plain(&cell))
}
