//! Apps: organizations own them, and events belong to them.

pub mod explain;
pub mod handlers;
pub mod lifecycle;
pub mod members;
pub mod versions;

use serde::Serialize;
use sqlx::AnyConnection;
use utoipa::ToSchema;

use crate::keys;
use crate::orgs::PersonRef;
use crate::state::Tenancy;
use crate::store::apps::{self as store, AppAccess, AppRow, AppStatus, NewApp};
use crate::store::keys as key_store;
use atrium_core::error::Result;
use atrium_core::permissions::Permission;
use atrium_core::types::{Id, Millis};

/// The name of the first app of every new organization.
pub const FIRST_APP_NAME: &str = "Default";

/// Makes an app together with its API keys, which every app has. False if another app of the organization
/// has the name.
pub async fn insert(atrium: &Tenancy, db: &mut AnyConnection, app: &NewApp) -> Result<bool> {
    if !store::insert(db, app).await? {
        return Ok(false);
    }
    keys::make_for_app(atrium, db, &app.id, Some(&app.created_by), app.at).await?;
    Ok(true)
}

/// An app, as someone with access to it sees it.
#[derive(Debug, Serialize, ToSchema)]
pub struct AppView {
    pub id: Id,
    pub org_id: Id,
    pub name: String,
    pub description: String,
    pub region: String,
    /// Origin and path prefix of its region.
    pub endpoint: String,
    /// Whether that is this instance.
    pub is_local: bool,
    /// IANA name; decides the day boundary of its charts.
    pub timezone: String,
    pub status: AppStatus,
    pub created_by: Option<PersonRef>,
    pub created_at: Millis,
    pub archived_at: Option<Millis>,
    pub deleted_at: Option<Millis>,
    /// When a deleted app is permanently removed.
    pub purge_at: Option<Millis>,
    /// Whether the purge has started; from then on the app cannot be restored.
    pub purge_started: bool,
    /// Members with a role in the app, in addition to the organization's owners and admins.
    pub member_count: i64,
    /// Null if unknown.
    pub events_24h: Option<i64>,
    /// Whether the app ever stored an event. Null in lists.
    pub has_events: Option<bool>,
    /// How many days its events are kept; null to follow the organization.
    pub retention_days: Option<i64>,
    /// The organization's retention in days. Null in lists.
    pub org_retention_days: Option<i64>,
    /// The key that its pages send with their events. Null in lists, and for people who may not view
    /// keys.
    pub collect_key: Option<String>,
    /// The caller's permissions in the app.
    #[schema(value_type = Vec<Permission>)]
    pub permissions: Vec<&'static str>,
}

impl AppView {
    pub fn new(atrium: &Tenancy, row: AppRow, access: &AppAccess) -> Self {
        let console = &atrium.settings.console;
        Self {
            // An app in a region that was removed from the settings is still reachable here.
            endpoint: console
                .endpoint(&row.region)
                .map_or_else(|| atrium.settings.server.link(""), str::to_owned),
            is_local: console.is_local(&row.region),
            status: row.status(),
            created_by: PersonRef::of(row.created_by, row.creator),
            id: row.id,
            org_id: row.org_id,
            name: row.name,
            description: row.description,
            region: row.region,
            timezone: row.timezone,
            created_at: row.created_at,
            archived_at: row.archived_at,
            deleted_at: row.deleted_at,
            purge_at: row.purge_at,
            purge_started: row.purge_started_at.is_some(),
            member_count: row.member_count,
            events_24h: None,
            has_events: None,
            retention_days: row.retention_days,
            org_retention_days: None,
            collect_key: None,
            permissions: access.permissions.iter().map(|it| it.code()).collect(),
        }
    }

    /// Like `new`, with the fields that are filled for a single app but not in lists.
    pub async fn alone(
        atrium: &Tenancy,
        db: &mut AnyConnection,
        row: AppRow,
        access: &AppAccess,
    ) -> Result<Self> {
        let collect_key = match access.holds(Permission::KeyView) {
            true => key_store::collect_key(db, &row.id).await?,
            false => None,
        };
        let org_retention_days = Some(store::org_retention(db, &row.org_id).await?);
        let has_events = Some(versions::has_events(db, &row.id).await?);
        Ok(Self { collect_key, org_retention_days, has_events, ..Self::new(atrium, row, access) })
    }
}
