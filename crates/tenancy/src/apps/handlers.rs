//! Apps: list, create, view, change; and what the caller may do in one.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_with::rust::double_option;
use utoipa::ToSchema;

use super::AppView;
use crate::access::{InApp, InOrg};
use crate::roles::RoleRef;
use crate::state::Tenancy;
use crate::store::apps::{self as store, AppAccess, NewApp, Via};
use crate::store::orgs;
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Fault, Result};
use atrium_core::http::json::{Data, Json};
use atrium_core::locale::Locale;
use atrium_core::permissions::{AppUpdate, AppView as ViewApp, OrgAppCreate, Permission};
use atrium_core::text::Checks;
use atrium_core::types::Id;

const DESCRIPTION_MAX: usize = 500;
/// How many days events can be kept, the same as for organizations.
const RETENTION: std::ops::RangeInclusive<i64> = 1..=3_650;
/// Maximum number of apps per organization, including deleted ones until they are purged.
const MOST: i64 = 5_000;

#[derive(Deserialize, ToSchema)]
pub struct NewAppBody {
    name: String,
    /// One of GET /app-zones.
    region: String,
    /// IANA name.
    timezone: String,
    description: Option<String>,
}

/// Makes an app.
#[utoipa::path(
    post,
    path = "/api/v1/orgs/{id}/apps",
    operation_id = "app_create",
    tag = "app",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = NewAppBody,
    responses((status = 200, body = Data<AppView>))
)]
pub async fn app_create(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgAppCreate>,
    Json(input): Json<NewAppBody>,
) -> Result<Data<AppView>> {
    let mut checks = Checks::default();
    let name = checks.name("name", &input.name);
    let description = input.description.as_deref().unwrap_or_default();
    let description = checks.text("description", description, DESCRIPTION_MAX);
    checks.timezone("timezone", &input.timezone);
    if atrium.settings.console.endpoint(&input.region).is_none() {
        checks.fail(Fault::new(Code::BadRegion).on("region"));
    }
    checks.finish()?;
    let app = NewApp {
        id: atrium.new_id(),
        org_id: org.id().clone(),
        name,
        description,
        region: input.region,
        timezone: input.timezone,
        created_by: org.user_id().clone(),
        at: atrium.now(),
    };
    let mut tx = atrium.db.write().await?;
    let (_, role) = org.lock_and_recheck(&mut tx).await?;
    if orgs::count_apps(&mut tx, org.id()).await? >= MOST {
        return Err(Fault::new(Code::TooManyApps).with("max", MOST).into());
    }
    if !super::insert(&atrium, &mut tx, &app).await? {
        return Err(Fault::new(Code::AppNameTaken).on("name").into());
    }
    let event = Event::new("app.create", "app", &app.id).in_org(org.id()).in_app(&app.id);
    let details = json!({ "name": app.name, "region": app.region, "timezone": app.timezone });
    audit::append(&mut tx, &org.actor(), event.with(details)).await?;
    let row = store::for_user(&mut tx, &app.id, org.user_id()).await?.ok_or(Code::NotFound)?.0;
    let access = AppAccess::through_org(role);
    let view = AppView::alone(&atrium, &mut tx, row, &access).await?;
    tx.commit().await?;
    Ok(Data(view))
}

#[derive(Deserialize, ToSchema)]
pub struct AppUpdateBody {
    name: Option<String>,
    description: Option<String>,
    /// IANA name.
    timezone: Option<String>,
    /// Days that events are kept, or null to follow the organization.
    #[serde(default, deserialize_with = "double_option::deserialize")]
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 3650)]
    retention_days: Option<Option<i64>>,
}

/// Changes an active app; omitted fields stay as they are.
#[utoipa::path(
    put,
    path = "/api/v1/apps/{id}",
    operation_id = "app_update",
    tag = "app",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = AppUpdateBody,
    responses((status = 200, body = Data<AppView>))
)]
pub async fn app_update(
    State(atrium): State<Tenancy>,
    app: InApp<AppUpdate>,
    Json(input): Json<AppUpdateBody>,
) -> Result<Data<AppView>> {
    let mut checks = Checks::default();
    let name = input.name.map(|name| checks.name("name", &name));
    let description =
        input.description.map(|text| checks.text("description", &text, DESCRIPTION_MAX));
    if let Some(timezone) = &input.timezone {
        checks.timezone("timezone", timezone);
    }
    if let Some(Some(days)) = input.retention_days
        && !RETENTION.contains(&days)
    {
        let fault = Fault::new(Code::OutOfRange).on("retention_days");
        checks.fail(fault.with("min", RETENTION.start()).with("max", RETENTION.end()));
    }
    checks.finish()?;
    let mut tx = atrium.db.write().await?;
    let (before, _) = app.lock_and_recheck_active(&mut tx).await?;
    let kept = input.retention_days.unwrap_or(before.retention_days);
    if kept != before.retention_days {
        store::set_retention(&mut tx, app.id(), kept).await?;
    }
    let name = name.unwrap_or_else(|| before.name.clone());
    let description = description.unwrap_or_else(|| before.description.clone());
    let timezone = input.timezone.unwrap_or_else(|| before.timezone.clone());
    if !store::update(&mut tx, app.id(), &name, &description, &timezone).await? {
        return Err(Fault::new(Code::AppNameTaken).on("name").into());
    }
    let event = Event::new("app.update", "app", app.id()).in_org(&before.org_id).in_app(app.id());
    let event = event.with(json!({
        "before": { "name": before.name, "description": before.description, "timezone": before.timezone,
            "retention_days": before.retention_days },
        "after": { "name": name, "description": description, "timezone": timezone,
            "retention_days": kept },
    }));
    audit::append(&mut tx, &app.actor(), event).await?;
    let found = store::for_user(&mut tx, app.id(), app.user_id()).await?;
    let (row, access, _) = found.ok_or(Code::NotFound)?;
    let view = AppView::alone(&atrium, &mut tx, row, &access).await?;
    tx.commit().await?;
    Ok(Data(view))
}

#[derive(Serialize, ToSchema)]
pub struct MyRole {
    /// Null for people who reach the app through the organization.
    role: Option<RoleRef>,
    #[schema(value_type = Vec<Permission>)]
    permissions: Vec<&'static str>,
    via: ViaKind,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ViaKind {
    Organization,
    App,
}

impl From<&Via> for ViaKind {
    fn from(via: &Via) -> Self {
        match via {
            Via::Organization(_) => Self::Organization,
            Via::Builtin(_) | Via::Custom { .. } => Self::App,
        }
    }
}

/// The caller's role in the app, and what they may do.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/role",
    operation_id = "app_role_view",
    tag = "app",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<MyRole>))
)]
pub async fn app_role_view(app: InApp<ViewApp>, locale: Locale) -> Data<MyRole> {
    let role = match &app.access.via {
        Via::Organization(_) => None,
        Via::Builtin(role) => Some(RoleRef::builtin(*role, locale)),
        Via::Custom { id, name } => Some(RoleRef { id: id.clone(), key: None, name: name.clone() }),
    };
    let permissions = app.access.permissions.iter().map(|it| it.code()).collect();
    Data(MyRole { role, permissions, via: ViaKind::from(&app.access.via) })
}
