//! A table of the dashboard as a file.

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::figures::{EventFigures, Figure, Totals, ValueFigures};
use super::pages::VisitFigures;
use super::request::{self, OverallRequest};
use super::{Overall, OverallBody, Part, answer};
use crate::insight::csv::{self, moment};
use crate::insight::state::Insight;
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Result};
use atrium_core::http::json::Json;
use atrium_core::locale::Locale;
use atrium_core::permissions::OrgView;
use atrium_core::types::Id;
use atrium_tenancy::access::{DataOrg, InOrg};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Table {
    Series,
    Apps,
    TopEvents,
    Os,
    Browser,
    DeviceType,
    Language,
    Pages,
    EntryPages,
    ExitPages,
    Sites,
    Ingest,
}

impl Table {
    fn part(self) -> Part {
        match self {
            Self::Series => Part::Series,
            Self::Apps => Part::Apps,
            Self::TopEvents => Part::TopEvents,
            Self::Os | Self::Browser | Self::DeviceType | Self::Language => Part::Breakdowns,
            Self::Pages | Self::EntryPages | Self::ExitPages | Self::Sites => Part::Pages,
            Self::Ingest => Part::Ingest,
        }
    }
}

#[derive(Deserialize, ToSchema)]
pub struct ExportBody {
    #[serde(flatten)]
    overall: OverallBody,
    table: Table,
}

/// One table of the dashboard as a CSV file.
#[utoipa::path(
    post,
    path = "/api/v1/orgs/{id}/data-overall/export",
    operation_id = "data_overall_export",
    tag = "data",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = ExportBody,
    responses((status = 200, description = "A CSV file", content_type = "text/csv"))
)]
pub async fn data_overall_export(
    State(atrium): State<Insight>,
    org: InOrg<OrgView>,
    locale: Locale,
    Json(body): Json<ExportBody>,
) -> Result<Response> {
    // A file can be passed on, so a person must be accountable for it: query keys cannot export.
    let (actor, org) = (org.actor(), DataOrg::from(org));
    let ExportBody { mut overall, table } = body;
    overall.parts = Some(vec![table.part()]);
    let request = request::read(&atrium, &org, &overall).await?;
    if !request.can_export {
        return Err(Code::Forbidden.into());
    }
    let found = answer::give(&atrium, &request, locale).await?;
    let range = &request.now.range;
    let app_ids = request.app_ids();
    let event = Event::new("data.exported", "org", org.id()).in_org(org.id()).with(json!({
        "table": table, "start": range.start.to_string(), "end": range.end.to_string(),
        "apps": app_ids,
    }));
    let mut tx = atrium.db.write_uncached().await?;
    audit::append(&mut tx, &actor, event).await?;
    tx.commit().await?;
    let (heads, lines) = match table {
        Table::Series => series(&found, &request, locale),
        Table::Apps => apps(&found),
        Table::TopEvents => top_events(&found, locale),
        Table::Ingest => ingest(&found),
        Table::Pages | Table::EntryPages | Table::ExitPages | Table::Sites => {
            pages(&found, table, locale)
        }
        values => breakdown(&found, values, locale),
    };
    let head = |(zh, en): &(&str, &str)| match locale {
        Locale::ZhCn => (*zh).to_owned(),
        Locale::EnUs => (*en).to_owned(),
    };
    csv::file("data-overall", &heads.iter().map(head).collect::<Vec<_>>(), &lines)
}

type Line = Vec<String>;
type Heads = Vec<(&'static str, &'static str)>;

const EVENTS: (&str, &str) = ("事件数", "Events");
const PAGE_VIEWS: (&str, &str) = ("浏览量", "Page views");
const USERS: (&str, &str) = ("活跃用户", "Active users");
const DEVICES: (&str, &str) = ("活跃设备", "Active devices");
const NEW_DEVICES: (&str, &str) = ("新设备", "New devices");
const SESSIONS: (&str, &str) = ("会话数", "Sessions");
const COUNT: (&str, &str) = ("条数", "Messages");

/// Buckets that lie ahead have no figures, and the one that is not over is marked.
fn series(found: &Overall, request: &OverallRequest, locale: Locale) -> (Heads, Vec<Line>) {
    let heads = vec![
        ("时间", "Time"),
        EVENTS,
        PAGE_VIEWS,
        USERS,
        DEVICES,
        NEW_DEVICES,
        SESSIONS,
        csv::NOTE,
    ];
    let lines = found.series.iter().flatten().map(|point| {
        let bucket = &point.bucket;
        let count = |count: Option<u64>| count.map(|it| it.to_string()).unwrap_or_default();
        vec![
            moment(bucket.time, request.granularity, &request.zone),
            count(bucket.events),
            count(bucket.page_views),
            count(bucket.active_users),
            count(bucket.active_devices),
            count(bucket.new_devices),
            count(bucket.sessions),
            csv::note(bucket.partial, locale),
        ]
    });
    (heads, lines.collect())
}

fn apps(found: &Overall) -> (Heads, Vec<Line>) {
    let heads = vec![
        ("应用 ID", "App id"),
        ("应用", "App"),
        EVENTS,
        ("占比", "Share"),
        PAGE_VIEWS,
        USERS,
        DEVICES,
        NEW_DEVICES,
        SESSIONS,
    ];
    let value = |figure: &Figure| figure.value.to_string();
    let lines = found.apps.iter().flatten().map(|app| {
        let Totals { events, page_views, active_users, active_devices, new_devices, sessions } =
            &app.totals;
        vec![
            app.id.to_string(),
            app.name.clone(),
            value(events),
            format!("{:.4}", app.share),
            value(page_views),
            value(active_users),
            value(active_devices),
            value(new_devices),
            value(sessions),
        ]
    });
    (heads, lines.collect())
}

fn top_events(found: &Overall, locale: Locale) -> (Heads, Vec<Line>) {
    let name = |one: &EventFigures| match (one.other, locale) {
        (true, Locale::ZhCn) => "其他".to_owned(),
        (true, Locale::EnUs) => "Other".to_owned(),
        (false, _) => one.event.clone(),
    };
    let lines = found.top_events.iter().flatten();
    let lines = lines.map(|one| vec![name(one), one.events.to_string(), one.users.to_string()]);
    (vec![("事件", "Event"), EVENTS, USERS], lines.collect())
}

fn breakdown(found: &Overall, table: Table, locale: Locale) -> (Heads, Vec<Line>) {
    let Some(breakdowns) = &found.breakdowns else { return (Heads::new(), Vec::new()) };
    let (head, values) = match table {
        Table::Os => (("操作系统", "Operating system"), &breakdowns.os),
        Table::Browser => (("浏览器", "Browser"), &breakdowns.browser),
        Table::DeviceType => (("设备类型", "Device type"), &breakdowns.device_type),
        _ => (("语言", "Language"), &breakdowns.language),
    };
    let name = |one: &ValueFigures| match (locale, one.other, one.value.as_str()) {
        (Locale::ZhCn, true, _) => "其他".to_owned(),
        (Locale::EnUs, true, _) => "Other".to_owned(),
        (Locale::ZhCn, false, "") => "未知".to_owned(),
        (Locale::EnUs, false, "") => "Unknown".to_owned(),
        (_, false, value) => value.to_owned(),
    };
    let lines = values.iter();
    let lines = lines.map(|one| vec![name(one), one.events.to_string(), one.users.to_string()]);
    (vec![head, EVENTS, USERS], lines.collect())
}

fn pages(found: &Overall, table: Table, locale: Locale) -> (Heads, Vec<Line>) {
    const PAGE: (&str, &str) = ("页面", "Page");
    const VISITS: (&str, &str) = ("访问次数", "Visits");
    let Some(pages) = &found.pages else { return (Heads::new(), Vec::new()) };
    let name = |name: &str, other: bool, none: (&str, &str)| match (locale, other, name) {
        (Locale::ZhCn, true, _) => "其他".to_owned(),
        (Locale::EnUs, true, _) => "Other".to_owned(),
        (Locale::ZhCn, false, "") => none.0.to_owned(),
        (Locale::EnUs, false, "") => none.1.to_owned(),
        (_, false, name) => name.to_owned(),
    };
    let unknown = ("未知", "Unknown");
    let visits = |list: &[VisitFigures]| {
        let line =
            |one: &VisitFigures| vec![name(&one.page, one.other, unknown), one.visits.to_string()];
        (vec![PAGE, VISITS], list.iter().map(line).collect())
    };
    match table {
        Table::EntryPages => visits(&pages.entries),
        Table::ExitPages => visits(&pages.exits),
        Table::Sites => {
            let lines = pages.sites.iter().map(|one| {
                let site = name(&one.site, one.other, ("直接访问或未知", "Direct or unknown"));
                vec![site, one.page_views.to_string(), one.users.to_string()]
            });
            (vec![("来源网站", "Referring site"), PAGE_VIEWS, USERS], lines.collect())
        }
        _ => {
            let lines = pages.top.iter().map(|one| {
                let page = name(&one.page, one.other, unknown);
                vec![page, one.page_views.to_string(), one.users.to_string()]
            });
            (vec![PAGE, PAGE_VIEWS, USERS], lines.collect())
        }
    }
}

fn ingest(found: &Overall) -> (Heads, Vec<Line>) {
    let heads = vec![("结果", "Outcome"), ("说明", "What it is"), COUNT];
    let Some(ingest) = &found.ingest else { return (heads, Vec::new()) };
    let mut lines = vec![
        vec!["accepted".to_owned(), String::new(), ingest.accepted.to_string()],
        vec!["duplicate".to_owned(), String::new(), ingest.duplicate.to_string()],
    ];
    lines.extend(ingest.reasons.iter().map(|rejected| {
        vec![rejected.reason.clone(), rejected.name.clone(), rejected.count.to_string()]
    }));
    // These are among the accepted ones.
    lines.extend(ingest.over_limit.iter().map(|over| {
        let outcome = format!("accepted_over_{}", over.limit.as_str());
        vec![outcome, over.name.clone(), over.count.to_string()]
    }));
    (heads, lines)
}
