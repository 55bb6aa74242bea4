//! Applications: what organizations own and events belong to.

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

/// Every new organization begins with one app of this name.
pub const FIRST_APP_NAME: &str = "Default";

/// Makes an app together with its API keys: there is no app without. False when another app of the
/// organization has the name.
pub async fn insert(atrium: &Tenancy, db: &mut AnyConnection, app: &NewApp) -> Result<bool> {
    if !store::insert(db, app).await? {
        return Ok(false);
    }
    keys::make_for_app(atrium, db, &app.id, Some(&app.created_by), app.at).await?;
    Ok(true)
}

/// An app, as someone who may see it does.
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
    /// When a deleted app is gone for good.
    pub purge_at: Option<Millis>,
    /// From then on it cannot be restored.
    pub purge_started: bool,
    /// Members with a role in the app; owners and admins of the organization come on top.
    pub member_count: i64,
    /// Null where it is not known.
    pub events_24h: Option<i64>,
    /// Whether an event of it was ever stored. Null in lists.
    pub has_events: Option<bool>,
    /// How long its events are kept; null for as long as the organization says.
    pub retention_days: Option<i64>,
    /// What the organization says. Null in lists.
    pub org_retention_days: Option<i64>,
    /// What its pages send with their events. Null in lists, and for those who may not view keys.
    pub collect_key: Option<String>,
    /// What the caller may do in it.
    #[schema(value_type = Vec<Permission>)]
    pub permissions: Vec<&'static str>,
}

impl AppView {
    pub fn new(atrium: &Tenancy, row: AppRow, access: &AppAccess) -> Self {
        let console = &atrium.settings.console;
        Self {
            // An app whose region left the settings is still reachable here.
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

    /// Like `new`, with what is told of one app and not of a list of them.
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
