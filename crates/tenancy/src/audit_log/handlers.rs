//! Reading the audit log of an organization or an app.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::reading::{self, AuditRow, AuditScope, Filter};
use super::texts;
use crate::access::{InApp, InOrg};
use crate::state::Tenancy;
use atrium_core::error::{Code, Fault, Result};
use atrium_core::http::json::{Data, Query};
use atrium_core::http::list::pattern;
use atrium_core::http::page::{Items, PageQuery};
use atrium_core::http::user_agent;
use atrium_core::locale::Locale;
use atrium_core::permissions::{AuditView, OrgAuditView};
use atrium_core::text::Checks;
use atrium_core::types::{Id, Millis};

/// Which entries are requested.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuditFilter {
    /// By whom: a person's id, or words of a name or address. For words, `total` counts only up to
    /// 10,000.
    actor: Option<String>,
    /// Which action: a full name, or a prefix such as `app.`.
    action: Option<String>,
    /// The id of the target.
    target: Option<String>,
    /// The start: a time (RFC 3339) or a day.
    from: Option<String>,
    /// The end: a time, or a day, which is included.
    to: Option<String>,
}

impl AuditFilter {
    pub fn check(&self) -> Result<Filter> {
        let text = |value: &Option<String>| value.as_deref().unwrap_or_default().trim().to_owned();
        let (actor, action, target) = (text(&self.actor), text(&self.action), text(&self.target));
        let mut checks = Checks::default();
        for (field, value) in [("actor", &actor), ("action", &action), ("target", &target)] {
            checks.text(field, value, 200);
        }
        checks.finish()?;
        Ok(Filter {
            actor_pattern: pattern(&actor),
            actor,
            // Only the prefix, so that an index can be used.
            action_pattern: pattern(&action).trim_start_matches('%').to_owned(),
            target,
            from: moment("from", self.from.as_deref(), false)?.unwrap_or(Millis(0)),
            to: moment("to", self.to.as_deref(), true)?.unwrap_or(Millis(i64::MAX)),
        })
    }
}

/// A time, or the start of a day in UTC; for a day that is included, its end.
fn moment(field: &'static str, text: Option<&str>, included: bool) -> Result<Option<Millis>> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Ok(Some(Millis(at.as_millisecond())));
    }
    let day = text.parse::<jiff::civil::Date>().ok();
    let start = day.and_then(|day| day.to_zoned(jiff::tz::TimeZone::UTC).ok());
    let start = start.ok_or_else(|| Fault::new(Code::BadMoment).on(field))?;
    let start = Millis(start.timestamp().as_millisecond());
    Ok(Some(if included { start.plus(Millis::DAY) } else { start }))
}

#[derive(Serialize, ToSchema)]
pub struct AuditEntry {
    pub id: Id,
    pub at: Millis,
    pub actor: AuditActor,
    pub action: String,
    /// In words, in the language of the request.
    pub action_name: String,
    pub target: AuditTarget,
    pub app_id: Option<Id>,
    /// Null if the entry concerns no app, or one whose data was purged.
    pub app_name: Option<String>,
    /// What changed; never a secret.
    #[schema(value_type = Object)]
    pub details: Value,
    pub ip: Option<String>,
    /// In words: "Chrome on macOS".
    pub user_agent: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct AuditActor {
    /// user, key (a program), operator (the command line), system, anonymous.
    pub kind: String,
    pub id: Option<Id>,
    /// Null if the account no longer exists.
    pub name: Option<String>,
    pub email: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct AuditTarget {
    pub kind: String,
    pub id: Option<String>,
    pub name: Option<String>,
}

impl AuditEntry {
    pub fn new(row: AuditRow, locale: Locale) -> Self {
        let details: Value = serde_json::from_str(&row.details).unwrap_or_default();
        // A deleted target keeps the name it had when this was written.
        let written = details["name"].as_str().or_else(|| details["email"].as_str());
        Self {
            id: row.id,
            at: row.at,
            actor: AuditActor {
                kind: row.actor_kind,
                id: row.actor_id,
                name: row.actor_name,
                email: row.actor_email,
            },
            action_name: texts::name(&row.action, locale),
            action: row.action,
            target: AuditTarget {
                name: row.target_name.or_else(|| written.map(str::to_owned)),
                kind: row.target_kind,
                id: row.target_id,
            },
            app_id: row.app_id,
            app_name: row.app_name,
            details,
            ip: row.ip,
            user_agent: row.user_agent.map(|agent| user_agent::in_words(&agent)),
        }
    }
}

async fn list(
    atrium: &Tenancy,
    scope: AuditScope<'_>,
    locale: Locale,
    page: &PageQuery,
    filter: &AuditFilter,
) -> Result<Data<Items<AuditEntry>>> {
    let (page, filter) = (page.check()?, filter.check()?);
    let mut db = atrium.db.read().await?;
    let (rows, total) = reading::list(&mut db, &scope, &filter, page).await?;
    let items = rows.into_iter().map(|row| AuditEntry::new(row, locale)).collect();
    Ok(Data(Items { items, total }))
}

/// What was done in an organization and its apps, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/orgs/{id}/audit-logs",
    operation_id = "org_audit_list",
    tag = "audit",
    security(("session" = [])),
    params(("id" = Id, Path), PageQuery, AuditFilter),
    responses((status = 200, body = Data<Items<AuditEntry>>))
)]
pub async fn org_audit_list(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgAuditView>,
    locale: Locale,
    Query(page): Query<PageQuery>,
    Query(filter): Query<AuditFilter>,
) -> Result<Data<Items<AuditEntry>>> {
    list(&atrium, AuditScope::Org(org.id()), locale, &page, &filter).await
}

/// What was done in an app, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/audit-logs",
    operation_id = "app_audit_list",
    tag = "audit",
    security(("session" = [])),
    params(("id" = Id, Path), PageQuery, AuditFilter),
    responses((status = 200, body = Data<Items<AuditEntry>>))
)]
pub async fn app_audit_list(
    State(atrium): State<Tenancy>,
    app: InApp<AuditView>,
    locale: Locale,
    Query(page): Query<PageQuery>,
    Query(filter): Query<AuditFilter>,
) -> Result<Data<Items<AuditEntry>>> {
    list(&atrium, AuditScope::App(app.id()), locale, &page, &filter).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_day_is_included() {
        let at = |text, included| moment("to", Some(text), included).unwrap().unwrap().to_string();
        assert_eq!(at("2026-03-01", false), "2026-03-01T00:00:00.000Z");
        assert_eq!(at("2026-03-01", true), "2026-03-02T00:00:00.000Z");
        assert_eq!(at("2026-03-01T08:00:00+08:00", true), "2026-03-01T00:00:00.000Z");
        assert!(moment("to", Some("yesterday"), true).is_err());
        assert!(moment("to", Some(" "), true).unwrap().is_none());
    }
}
