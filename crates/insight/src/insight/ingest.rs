//! How an app's data is arriving: the ledger, in numbers and words.

use axum::extract::State;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use utoipa::{IntoParams, ToSchema};

use crate::insight::state::Insight;
use atrium_collect::collect::cardinality::{self, Limit, Limits};
use atrium_collect::collect::samples::{Sample, latest as samples};
use atrium_collect::collect::{ledger, loading, reason};
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::fair_queue::{Caller, Class};
use atrium_core::http::json::{Data, Query};
use atrium_core::locale::Locale;
use atrium_core::permissions::DashboardView;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::access::InApp;

const DAYS_MAX: i32 = 90;

/// What arrived, and what became of it.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Ingest {
    pub accepted: i64,
    pub duplicate: i64,
    /// All rejected ones together.
    pub rejected: i64,
    pub reasons: Vec<Rejected>,
    /// For how many seconds the oldest message has been waiting to be stored, on this instance;
    /// null where none has waited for long.
    pub delay_seconds: Option<i64>,
    /// Accepted messages that went over a limit of their app. They are stored.
    pub over_limit: Vec<OverLimit>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct OverLimit {
    pub limit: Limit,
    /// In the language of the request.
    pub name: String,
    /// How many different values an app may have counted separately on one day.
    pub max: usize,
    pub count: i64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Rejected {
    /// Its code; never changes.
    #[schema(value_type = reason::Reason)]
    pub reason: String,
    /// In the language of the request.
    pub name: String,
    pub count: i64,
    /// Recent examples of such messages.
    pub samples: Vec<Sample>,
}

/// What arrived for some apps between two days, both included, and how long the oldest waiting message
/// has waited.
pub async fn look(
    atrium: &Insight,
    apps: &[Id],
    from: &str,
    to: &str,
    locale: Locale,
) -> Result<Ingest> {
    let mut db = atrium.db.read().await?;
    let limits = &atrium.settings.events.limits;
    let ingest = sums(&mut db, apps, from, to, locale, limits).await?;
    drop(db);
    let apps = apps.iter().map(Id::uuid).collect::<Result<_>>()?;
    Ok(Ingest { delay_seconds: loading::delay(atrium, apps).await, ..ingest })
}

/// Sums of the ledger.
async fn sums(
    db: &mut AnyConnection,
    apps: &[Id],
    from: &str,
    to: &str,
    locale: Locale,
    limits: &Limits,
) -> Result<Ingest> {
    let mut ingest = Ingest::default();
    for (outcome, count) in ledger::sums(db, apps, from, to).await? {
        match outcome.as_str() {
            ledger::ACCEPTED => ingest.accepted = count,
            ledger::DUPLICATE => ingest.duplicate = count,
            reason => {
                ingest.rejected += count;
                let name = reason::words(reason, locale);
                let (reason, samples) = (reason.to_owned(), Vec::new());
                ingest.reasons.push(Rejected { reason, name, count, samples });
            }
        }
    }
    let over_limit = cardinality::store::over_limit(db, apps, from, to).await?;
    let listed = over_limit.into_iter().map(|(limit, count)| {
        let name = limit.words(locale).to_owned();
        OverLimit { limit, name, max: limits.of(limit), count }
    });
    ingest.over_limit = listed.collect();
    ingest.reasons.sort_by_key(|rejected| -rejected.count);
    if !ingest.reasons.is_empty() {
        let mut samples = samples(db, apps).await?;
        for rejected in &mut ingest.reasons {
            rejected.samples = samples.remove(&rejected.reason).unwrap_or_default();
        }
    }
    Ok(ingest)
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct IngestQuery {
    /// Days up to today, in the app's time zone.
    #[param(minimum = 1, maximum = 90, default = 7)]
    days: Option<i32>,
}

#[derive(Serialize, ToSchema)]
pub struct AppIngest {
    #[serde(flatten)]
    ingest: Ingest,
    /// When the last event happened; null where there is none, or the event store cannot say.
    last_event_at: Option<Millis>,
    spool: SpoolState,
}

#[derive(Serialize, ToSchema)]
pub struct SpoolState {
    /// Messages of all apps that wait for the event store, on this instance.
    pending: i64,
}

/// How this app's data has been arriving lately.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/ingest",
    operation_id = "app_ingest_view",
    tag = "data",
    security(("session" = [])),
    params(("id" = Id, Path), IngestQuery),
    responses((status = 200, body = Data<AppIngest>))
)]
pub async fn app_ingest_view(
    State(atrium): State<Insight>,
    app: InApp<DashboardView>,
    locale: Locale,
    Query(query): Query<IngestQuery>,
) -> Result<Data<AppIngest>> {
    let days = query.days.unwrap_or(7);
    if !(1..=DAYS_MAX).contains(&days) {
        let fault = Fault::new(Code::OutOfRange).on("days").with("min", 1).with("max", DAYS_MAX);
        return Err(Error::invalid(vec![fault]));
    }
    let zone = TimeZone::get(&app.app.timezone).unwrap_or(TimeZone::UTC);
    let now = jiff::Timestamp::from_millisecond(atrium.now().0).map_err(Error::internal)?;
    let today = now.to_zoned(zone).date();
    let first = today.saturating_sub(jiff::Span::new().days(days - 1));
    let apps = [app.id().clone()];
    let ingest = look(&atrium, &apps, &first.to_string(), &today.to_string(), locale).await?;
    let caller = app.reader(Class::Dashboard);
    let last_event_at = last_event(&atrium, caller, app.id()).await;
    let pending = atrium.collector.spool.usage().messages();
    Ok(Data(AppIngest { ingest, last_event_at, spool: SpoolState { pending } }))
}

async fn last_event(atrium: &Insight, caller: Caller, app_id: &Id) -> Option<Millis> {
    let app = app_id.uuid().ok()?;
    if !atrium.warehouse.is_up() {
        return None;
    }
    let apps = [app];
    let store = atrium.warehouse.behind(atrium.reads.reader(caller));
    let asking = store.last_event(&apps);
    let found = tokio::time::timeout(super::TIMEOUT, asking).await.ok()?.ok()?;
    found.get(&app).map(|at| Millis(*at))
}
