//! An app's life cycle: archiving, deleting and restoring it.

use axum::extract::State;
use serde_json::json;
use sqlx::AnyConnection;

use super::AppView;
use crate::access::InApp;
use crate::notifications::{self, Notice};
use crate::orgs::handlers::TypedName;
use crate::state::Tenancy;
use crate::store::apps::{self as store, AppAccess, AppRow, AppStatus};
use atrium_core::audit::{self, Event};
use atrium_core::db::Write;
use atrium_core::error::{Code, Fault, Result};
use atrium_core::http::json::{Data, Json};
use atrium_core::permissions::{AppArchive, AppDelete, Grant};
use atrium_core::types::{Id, Millis};

/// How long a deleted app can be restored.
pub const KEEP: i64 = 30 * Millis::DAY;

/// Archives an app: it stops collecting at once, and everything in it stays readable.
#[utoipa::path(
    post,
    path = "/api/v1/apps/{id}/archive",
    operation_id = "app_archive",
    tag = "app",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<AppView>))
)]
pub async fn app_archive(
    State(atrium): State<Tenancy>,
    app: InApp<AppArchive>,
) -> Result<Data<AppView>> {
    let mut tx = atrium.db.write().await?;
    let (row, access) = app.lock_and_recheck(&mut tx).await?;
    if row.status() != AppStatus::Active {
        return Err(Code::AppNotActive.into());
    }
    store::set_archived(&mut tx, app.id(), Some(atrium.now())).await?;
    finish(&atrium, tx, &app, access, "app.archive", AppStatus::Archived).await
}

/// Takes an app out of the archive: it collects again.
#[utoipa::path(
    post,
    path = "/api/v1/apps/{id}/unarchive",
    operation_id = "app_unarchive",
    tag = "app",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<AppView>))
)]
pub async fn app_unarchive(
    State(atrium): State<Tenancy>,
    app: InApp<AppArchive>,
) -> Result<Data<AppView>> {
    let mut tx = atrium.db.write().await?;
    let (row, access) = app.lock_and_recheck(&mut tx).await?;
    if row.status() != AppStatus::Archived {
        return Err(Code::AppNotArchived.into());
    }
    store::set_archived(&mut tx, app.id(), None).await?;
    finish(&atrium, tx, &app, access, "app.unarchive", AppStatus::Active).await
}

/// Deletes an app. For thirty days it can be restored, then it is gone for good.
#[utoipa::path(
    delete,
    path = "/api/v1/apps/{id}",
    operation_id = "app_delete",
    tag = "app",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = TypedName,
    responses((status = 200, body = Data<AppView>))
)]
pub async fn app_delete(
    State(atrium): State<Tenancy>,
    app: InApp<AppDelete>,
    Json(input): Json<TypedName>,
) -> Result<Data<AppView>> {
    let now = atrium.now();
    let mut tx = atrium.db.write().await?;
    let (row, access) = app.lock_and_recheck(&mut tx).await?;
    if row.status() == AppStatus::Deleted {
        return Err(Code::AppNotActive.into());
    }
    if input.name.trim() != row.name {
        return Err(Fault::new(Code::WrongName).on("name").into());
    }
    store::set_deleted(&mut tx, app.id(), now, now.plus(KEEP)).await?;
    finish(&atrium, tx, &app, access, "app.delete", AppStatus::Deleted).await
}

/// Restores a deleted app to its previous state.
#[utoipa::path(
    post,
    path = "/api/v1/apps/{id}/restore",
    operation_id = "app_restore",
    tag = "app",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<AppView>))
)]
pub async fn app_restore(
    State(atrium): State<Tenancy>,
    app: InApp<AppDelete>,
) -> Result<Data<AppView>> {
    let mut tx = atrium.db.write().await?;
    let (row, access) = app.lock_and_recheck(&mut tx).await?;
    if row.status() != AppStatus::Deleted {
        return Err(Code::AppNotDeleted.into());
    }
    if row.purge_started_at.is_some() {
        return Err(Code::PurgeStarted.into());
    }
    if !store::undelete(&mut tx, app.id()).await? {
        return Err(Fault::new(Code::AppNameTaken).on("name").into());
    }
    let after = row.archived_at.map_or(AppStatus::Active, |_| AppStatus::Archived);
    finish(&atrium, tx, &app, access, "app.restore", after).await
}

/// Records the change, notifies everyone who reaches the app, and returns the app as it is now.
async fn finish<G: Grant>(
    atrium: &Tenancy,
    mut tx: Write,
    app: &InApp<G>,
    access: AppAccess,
    action: &'static str,
    after: AppStatus,
) -> Result<Data<AppView>> {
    let AppRow { org_id, name, .. } = &app.app;
    let event = Event::new(action, "app", app.id()).in_org(org_id).in_app(app.id());
    let details = json!({ "name": name, "before": app.app.status(), "after": after });
    audit::append(&mut tx, &app.actor(), event.with(details)).await?;
    let notice = Notice::AppMoved {
        org_id: org_id.clone(),
        app: name.clone(),
        by: app.signed_in.user().name.clone(),
        action: action.to_owned(),
    };
    for user_id in store::audience(&mut tx, app.id(), org_id, app.user_id()).await? {
        notifications::notify_id(atrium, &mut tx, &user_id, &notice).await?;
    }
    let row = view_row(&mut tx, app.id(), app.user_id()).await?;
    let view = AppView::alone(atrium, &mut tx, row, &access).await?;
    tx.commit().await?;
    atrium.outbox.wake();
    Ok(Data(view))
}

async fn view_row(db: &mut AnyConnection, app_id: &Id, user_id: &Id) -> Result<AppRow> {
    let found = store::for_user(db, app_id, user_id).await?;
    Ok(found.ok_or(Code::AccessChanged)?.0)
}
