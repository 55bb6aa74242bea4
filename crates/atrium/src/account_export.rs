//! Everything the instance stores about a person, as a download for that person.

use axum::extract::State;
use axum::response::IntoResponse;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use serde_json::{Value, json};

use crate::app::AppState;
use crate::reports;
use atrium_core::audit::{self, Event};
use atrium_core::db::page::Page;
use atrium_core::error::{Code, Error, Result};
use atrium_core::locale::Locale;
use atrium_insight::saved::store as saved;
use atrium_tenancy::notifications;
use atrium_tenancy::session::{self, RecentlySignedIn};
use atrium_tenancy::store::{accounts, chat, factors, orgs, sso};

/// The limit for lists that may be long; the newest are included.
const MOST: Page = Page { limit: 10_000, offset: 0 };

/// Everything stored about the person, as a JSON file. Secrets and hashes are not included.
#[utoipa::path(
    get,
    path = "/api/v1/current/export",
    operation_id = "account_export",
    tag = "account",
    security(("session" = [])),
    responses((status = 200, description = "A JSON file", content_type = "application/json"), (status = 403))
)]
pub async fn account_export(
    State(atrium): State<AppState>,
    RecentlySignedIn(signed_in): RecentlySignedIn,
    locale: Locale,
) -> Result<impl IntoResponse> {
    let user = signed_in.user();
    let mut tx = atrium.db.write_uncached().await?;
    let event = Event::new("account.export", "user", &user.id);
    audit::append(&mut tx, &signed_in.actor(), event).await?;
    tx.commit().await?;

    let mut db = atrium.db.read().await?;
    let profile = session::current_user(&atrium, &mut db, &user.id, signed_in.shown()).await?;
    let profile = profile.ok_or(Code::NotSignedIn)?;
    let (sessions, _) = accounts::sessions_of(&mut db, &user.id, MOST).await?;
    let sessions: Vec<Value> = sessions
        .iter()
        .map(|row| {
            json!({
                "id": row.id, "created_at": row.created_at, "last_seen_at": row.last_seen_at,
                "ip": row.ip, "user_agent": row.user_agent,
            })
        })
        .collect();
    let passkeys = factors::passkeys(&mut db, &user.id).await?;
    let passkeys: Vec<Value> = passkeys
        .iter()
        .map(|row| {
            json!({
                "id": row.id, "name": row.name, "created_at": row.created_at,
                "last_used_at": row.last_used_at,
            })
        })
        .collect();
    let bound = chat::bindings(&mut db, &user.id).await?;
    let bound: Vec<Value> = bound
        .iter()
        .map(|row| {
            json!({
                "provider": row.provider, "company": row.tenant, "id": row.subject,
                "union_id": row.union_id, "name": row.name, "bound_at": row.bound_at,
            })
        })
        .collect();
    let (reports, recordings) = reports::store::of_person(&mut db, &user.id, MOST).await?;
    let reports: Vec<Value> = reports
        .iter()
        .map(|row| {
            json!({
                "id": row.id, "at": row.at, "kind": row.kind, "message": row.message,
                "route": row.route, "browser": row.browser,
            })
        })
        .collect();
    let file = json!({
        "exported_at": atrium.now(),
        "account": profile,
        "organizations": orgs::memberships(&mut db, &user.id).await?,
        "sessions": sessions,
        "passkeys": passkeys,
        "single_sign_on": sso::identities_of(&mut db, &user.id).await?,
        "bound_accounts": bound,
        // Without their content, which may be about others.
        "saved_analyses": saved::made_by(&mut db, saved::ANALYSES, &user.id, MOST).await?,
        "cohorts": saved::made_by(&mut db, saved::COHORTS, &user.id, MOST).await?,
        "error_reports": { "items": reports, "recordings": recordings },
        "notifications":
            notifications::handlers::all_of(&mut db, &user.id, locale, MOST).await?,
        "activity": audit::by_actor(&mut db, &user.id, MOST).await?,
    });
    let text = serde_json::to_vec_pretty(&file).map_err(Error::internal)?;
    // These replace the body's default headers.
    let headers = [
        (CONTENT_TYPE, "application/json"),
        (CONTENT_DISPOSITION, "attachment; filename=\"atrium-my-data.json\""),
    ];
    Ok((headers, text))
}
