//! The app that a person opened last, to which the console takes them next time.

use axum::extract::State;
use serde::Deserialize;
use utoipa::ToSchema;

use super::store;
use crate::insight::state::Insight;
use atrium_core::error::{Code, Result};
use atrium_core::http::json::{Data, Done, Json};
use atrium_core::permissions::Permission;
use atrium_core::types::Id;
use atrium_tenancy::session::SignedIn;

#[derive(Deserialize, ToSchema)]
pub struct LastAppBody {
    app_id: Id,
}

/// Records which app the person opened.
#[utoipa::path(
    put,
    path = "/api/v1/current/last-app",
    operation_id = "last_app_update",
    tag = "account",
    security(("session" = [])),
    request_body = LastAppBody,
    responses((status = 200, body = Data<Done>), (status = 404))
)]
pub async fn last_app_update(
    State(atrium): State<Insight>,
    signed_in: SignedIn,
    Json(input): Json<LastAppBody>,
) -> Result<Data<Done>> {
    let user = signed_in.user();
    let mut db = atrium.db.read().await?;
    let found = atrium_tenancy::store::apps::for_user(&mut db, &input.app_id, &user.id).await?;
    drop(db);
    let (app, access, requirements) = found.ok_or(Code::NotFound)?;
    if app.deleted_at.is_some() || !access.holds(Permission::AppView) {
        return Err(Code::NotFound.into());
    }
    requirements.check(&signed_in, &app.org_id)?;
    let is_new = user.last_app.as_ref().is_none_or(|last| last.app_id != app.id);
    // An archived app is never the landing page.
    if is_new && app.archived_at.is_none() {
        // A normal write, because cached sessions include the last app.
        let mut tx = atrium.db.write().await?;
        store::set_last_app(&mut tx, &user.id, &app.id).await?;
        tx.commit().await?;
    }
    Ok(Data(Done {}))
}
