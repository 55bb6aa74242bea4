//! Apps with the number of their events: the list, one app, and the impact of archiving or deleting one.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::insight;
use crate::insight::state::Insight;
use atrium_core::error::Result;
use atrium_core::fair_queue::Class;
use atrium_core::http::json::{Data, Query};
use atrium_core::http::list::{ListQuery, Sort};
use atrium_core::http::page::Items;
use atrium_core::permissions::{AppView as ViewApp, OrgView};
use atrium_core::types::Id;
use atrium_tenancy::access::{InApp, InOrg};
use atrium_tenancy::apps::AppView;
use atrium_tenancy::store::apps::{self as store, AppStatus};
use atrium_tenancy::store::keys;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AppFilter {
    /// Active ones unless given.
    status: Option<AppStatus>,
}

const SORTS: &[Sort] = &[
    ("name", "name_order"),
    ("created_at", "created_at"),
    ("member_count", "member_count"),
    ("archived_at", "COALESCE(archived_at, 0)"),
    ("deleted_at", "COALESCE(deleted_at, 0)"),
    ("purge_at", "COALESCE(purge_at, 0)"),
];

/// The apps of an organization that the caller may see.
#[utoipa::path(
    get,
    path = "/api/v1/orgs/{id}/apps",
    operation_id = "app_list",
    tag = "app",
    security(("session" = [])),
    params(("id" = Id, Path), ListQuery, AppFilter),
    responses((status = 200, body = Data<Items<AppView>>))
)]
pub async fn app_list(
    State(atrium): State<Insight>,
    org: InOrg<OrgView>,
    Query(query): Query<ListQuery>,
    Query(filter): Query<AppFilter>,
) -> Result<Data<Items<AppView>>> {
    let listing = query.check(SORTS, "id")?;
    let status = filter.status.unwrap_or(AppStatus::Active);
    let mut db = atrium.db.read().await?;
    let (rows, total) = store::list(&mut db, org.id(), org.user_id(), status, &listing).await?;
    drop(db);
    let mut items: Vec<_> =
        rows.into_iter().map(|(row, access)| AppView::new(&atrium, row, &access)).collect();
    insight::count_events(&atrium, org.reader(Class::Dashboard), &mut items).await;
    Ok(Data(Items { items, total }))
}

/// One app.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}",
    operation_id = "app_view",
    tag = "app",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<AppView>))
)]
pub async fn app_view(State(atrium): State<Insight>, app: InApp<ViewApp>) -> Result<Data<AppView>> {
    let caller = app.reader(Class::Dashboard);
    let mut db = atrium.db.read().await?;
    let view = AppView::alone(&atrium, &mut db, app.app, &app.access).await?;
    drop(db);
    let mut views = [view];
    insight::count_events(&atrium, caller, &mut views).await;
    let [view] = views;
    Ok(Data(view))
}

/// What archiving or deleting would hit.
#[derive(Serialize, ToSchema)]
pub struct AppImpact {
    /// Members with a role in the app.
    members: i64,
    /// Keys that would stop working: API keys, values in their grace period, access keys.
    live_keys: i64,
    /// Null where it is not known.
    events_24h: Option<i64>,
}

/// What archiving or deleting the app would hit, to be shown before anyone does.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/impact",
    operation_id = "app_impact",
    tag = "app",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<AppImpact>))
)]
pub async fn app_impact(
    State(atrium): State<Insight>,
    app: InApp<ViewApp>,
) -> Result<Data<AppImpact>> {
    let mut db = atrium.db.read().await?;
    let live_keys = keys::count_live(&mut db, app.id(), atrium.now()).await?;
    drop(db);
    let caller = app.reader(Class::Dashboard);
    let counts = insight::events_24h(&atrium, caller, std::slice::from_ref(app.id())).await;
    let events_24h = counts.and_then(|counts| counts.get(app.id()).copied());
    Ok(Data(AppImpact { members: app.app.member_count, live_keys, events_24h }))
}
