//! What a shorter retention would remove, shown before anyone chooses it.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::insight::errors::{warehouse_error, warehouse_for};
use crate::insight::state::Insight;
use atrium_core::error::Result;
use atrium_core::fair_queue::{Caller, Class};
use atrium_core::http::json::{Data, Query};
use atrium_core::permissions::{AppUpdate, OrgUpdate};
use atrium_core::text::Checks;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::access::{InApp, InOrg};
use atrium_tenancy::store::apps as store;

/// Counts and retention work in quarters of an hour.
const BUCKET: i64 = 15 * Millis::MINUTE;
/// The year 2000: older than anything that the collector ever accepted.
const BEGINNING: i64 = 946_684_800_000;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RetentionQuery {
    /// How many days events would be kept.
    #[param(minimum = 1, maximum = 3650)]
    days: i64,
}

#[derive(Serialize, ToSchema)]
pub struct RetentionImpact {
    /// Events that are already older than that.
    events: u64,
}

/// How many events would be removed if the app kept them for this many days.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/retention-impact",
    operation_id = "app_retention_impact",
    tag = "app",
    security(("session" = [])),
    params(("id" = Id, Path), RetentionQuery),
    responses((status = 200, body = Data<RetentionImpact>), (status = 429), (status = 503))
)]
pub async fn app_retention_impact(
    State(atrium): State<Insight>,
    app: InApp<AppUpdate>,
    Query(query): Query<RetentionQuery>,
) -> Result<Data<RetentionImpact>> {
    let apps = std::slice::from_ref(app.id());
    older(&atrium, app.reader(Class::Dashboard), apps, query.days).await
}

/// How many events would be removed if the organization kept them for this many days. Apps with their
/// own setting keep that.
#[utoipa::path(
    get,
    path = "/api/v1/orgs/{id}/retention-impact",
    operation_id = "org_retention_impact",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path), RetentionQuery),
    responses((status = 200, body = Data<RetentionImpact>), (status = 429), (status = 503))
)]
pub async fn org_retention_impact(
    State(atrium): State<Insight>,
    org: InOrg<OrgUpdate>,
    Query(query): Query<RetentionQuery>,
) -> Result<Data<RetentionImpact>> {
    let apps = store::without_retention(&mut *atrium.db.read().await?, org.id()).await?;
    older(&atrium, org.reader(Class::Dashboard), &apps, query.days).await
}

async fn older(
    atrium: &Insight,
    caller: Caller,
    apps: &[Id],
    days: i64,
) -> Result<Data<RetentionImpact>> {
    let mut checks = Checks::default();
    checks.range("days", days, 1, 3_650);
    checks.finish()?;
    let ids: Vec<Uuid> = apps.iter().map(Id::uuid).collect::<Result<_>>()?;
    let cut = atrium.now().plus(-days * Millis::DAY).0.div_euclid(BUCKET) * BUCKET;
    let store = warehouse_for(atrium, caller).await?;
    let counts = store.count_events(&ids, BEGINNING, cut).await.map_err(warehouse_error)?;
    Ok(Data(RetentionImpact { events: counts.values().sum() }))
}
