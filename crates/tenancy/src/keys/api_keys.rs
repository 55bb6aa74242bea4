//! An app's two API keys: view them, reset them, end the previous value.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{KeyMaker, KindInPath, generate};
use crate::access::InApp;
use crate::orgs::PersonRef;
use crate::state::Tenancy;
use crate::store::keys::{self as store, ApiKeyKind, ApiKeyRow, MadeApiKey};
use atrium_core::audit::{self, Event};
use atrium_core::db::Write;
use atrium_core::error::{Code, Error, Result};
use atrium_core::http::json::{Data, Done, Json};
use atrium_core::http::page::Items;
use atrium_core::permissions::{KeyManage, KeyView};
use atrium_core::text::Checks;
use atrium_core::types::{Id, Millis};

const GRACE_HOURS: i64 = 24;
const MOST_GRACE_HOURS: i64 = 168;

#[derive(Serialize, ToSchema)]
pub struct ApiKey {
    kind: ApiKeyKind,
    /// `collect` in full; `query` masked, except in the answer that creates it.
    key: String,
    created_at: Millis,
    created_by: Option<PersonRef>,
    last_used_at: Option<Millis>,
    last_used_ip: Option<String>,
    /// How many addresses used it in the last seven days; 50 means that many or more.
    addresses: i64,
    /// The previous value, while it still works.
    previous: Option<PreviousKey>,
}

#[derive(Serialize, ToSchema)]
pub struct PreviousKey {
    valid_until: Millis,
    last_used_at: Option<Millis>,
    last_used_ip: Option<String>,
    /// How many addresses used it in the last seven days; 50 means that many or more.
    addresses: i64,
}

impl ApiKey {
    /// Picks the key of a kind from the app's working values.
    fn find(kind: ApiKeyKind, rows: &[ApiKeyRow]) -> Option<Self> {
        let of_kind = || rows.iter().filter(|row| row.is(kind));
        let current = of_kind().find(|row| row.valid_until.is_none())?;
        let previous = of_kind().find_map(|row| {
            Some(PreviousKey {
                valid_until: row.valid_until?,
                last_used_at: row.last_used_at,
                last_used_ip: row.last_used_ip.clone(),
                addresses: row.addresses,
            })
        });
        Some(Self {
            kind,
            key: current.value.clone().unwrap_or_else(|| current.hint.clone()),
            created_at: current.created_at,
            created_by: PersonRef::of(current.created_by.clone(), current.creator.clone()),
            last_used_at: current.last_used_at,
            last_used_ip: current.last_used_ip.clone(),
            addresses: current.addresses,
            previous,
        })
    }
}

fn items(items: Vec<ApiKey>) -> Data<Items<ApiKey>> {
    let total = i64::try_from(items.len()).unwrap_or(i64::MAX);
    Data(Items { items, total })
}

/// The app's two API keys, with when and from where each was last used.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/api-keys",
    operation_id = "api_key_list",
    tag = "key",
    security(("session" = [])),
    params(("id" = Id, Path)),
    responses((status = 200, body = Data<Items<ApiKey>>))
)]
pub async fn api_key_list(
    State(atrium): State<Tenancy>,
    app: InApp<KeyView>,
) -> Result<Data<Items<ApiKey>>> {
    let mut db = atrium.db.read().await?;
    let rows = store::api_keys(&mut db, app.id(), atrium.now()).await?;
    Ok(items(ApiKeyKind::ALL.iter().filter_map(|kind| ApiKey::find(*kind, &rows)).collect()))
}

#[derive(Deserialize, ToSchema)]
pub struct ApiKeyReset {
    #[schema(min_items = 1, max_items = 2)]
    kinds: Vec<ApiKeyKind>,
    /// How long the previous values keep working; 24 by default, 0 ends them at once.
    #[schema(minimum = 0, maximum = 168, default = 24)]
    grace_hours: Option<i64>,
}

/// Gives API keys new values and returns them, `query` in full only this once. The previous values keep
/// working for `grace_hours`; values that an earlier reset left working end at once.
#[utoipa::path(
    put,
    path = "/api/v1/apps/{id}/api-keys",
    operation_id = "api_key_reset",
    tag = "key",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = ApiKeyReset,
    responses((status = 200, body = Data<Items<ApiKey>>))
)]
pub async fn api_key_reset(
    State(atrium): State<Tenancy>,
    maker: KeyMaker,
    Json(input): Json<ApiKeyReset>,
) -> Result<Data<Items<ApiKey>>> {
    let grace = input.grace_hours.unwrap_or(GRACE_HOURS);
    let mut checks = Checks::default();
    checks.length("kinds", input.kinds.len(), 1, ApiKeyKind::ALL.len());
    checks.range("grace_hours", grace, 0, MOST_GRACE_HOURS);
    checks.finish()?;
    let kinds: Vec<_> =
        ApiKeyKind::ALL.into_iter().filter(|kind| input.kinds.contains(kind)).collect();
    let mut tx = atrium.db.write().await?;
    let app = maker.lock_and_recheck(&mut tx).await?;
    // Only now: after waiting for someone else's reset, an earlier time would end its values before they
    // began.
    let now = atrium.now();
    retire(&mut tx, &app.id, &kinds, now, now.plus(grace * Millis::HOUR)).await?;
    let mut made = Vec::new();
    for kind in kinds {
        let (id, key) = (atrium.new_id(), generate::api_key(&atrium, kind));
        let by = Some(maker.0.user_id());
        if !store::insert_api_key(&mut tx, &id, &app.id, &key, by, now).await? {
            return Err(Error::unavailable(anyhow::anyhow!("an API key was made meanwhile")));
        }
        made.push((id, key));
    }
    for (id, key) in &made {
        put_on_record(&mut tx, &maker, id, key.kind, grace).await?;
    }
    let rows = store::api_keys(&mut tx, &app.id, now).await?;
    tx.commit().await?;
    let view = |(_, made): (Id, MadeApiKey)| {
        ApiKey::find(made.kind, &rows).map(|found| ApiKey { key: made.value, ..found })
    };
    Ok(items(made.into_iter().filter_map(view).collect()))
}

/// Sets the end of the current values, and ends those at once that already had one.
async fn retire(
    tx: &mut Write,
    app_id: &Id,
    kinds: &[ApiKeyKind],
    now: Millis,
    until: Millis,
) -> Result<()> {
    let rows = store::api_keys(tx, app_id, now).await?;
    for row in rows.iter().filter(|row| kinds.iter().any(|kind| row.is(*kind))) {
        let end = if row.valid_until.is_none() { until } else { now };
        store::end_api_key(tx, &row.id, end).await?;
    }
    Ok(())
}

/// Handing out the secret key gets its own entry, so that one filter of the log finds everyone who has
/// seen a secret.
async fn put_on_record(
    tx: &mut Write,
    maker: &KeyMaker,
    id: &Id,
    kind: ApiKeyKind,
    grace_hours: i64,
) -> Result<()> {
    let app = &maker.0;
    let event = |action| Event::new(action, "api_key", id).in_org(&app.app.org_id).in_app(app.id());
    let details = json!({ "name": kind, "grace_hours": grace_hours });
    audit::append(tx, &app.actor(), event("api_key.reset").with(details)).await?;
    if kind == ApiKeyKind::Query {
        let revealed = event("key.reveal").with(json!({ "name": kind }));
        audit::append(tx, &app.actor(), revealed).await?;
    }
    Ok(())
}

/// Ends the grace period of the previous value: it stops working at once.
#[utoipa::path(
    delete,
    path = "/api/v1/apps/{id}/api-keys/{kind}/previous",
    operation_id = "api_key_drop_previous",
    tag = "key",
    security(("session" = [])),
    params(("id" = Id, Path), ("kind" = ApiKeyKind, Path)),
    responses((status = 200, body = Data<Done>))
)]
pub async fn api_key_drop_previous(
    State(atrium): State<Tenancy>,
    app: InApp<KeyManage>,
    KindInPath(kind): KindInPath,
) -> Result<Data<Done>> {
    let mut tx = atrium.db.write().await?;
    app.lock_and_recheck_active(&mut tx).await?;
    let now = atrium.now();
    let rows = store::api_keys(&mut tx, app.id(), now).await?;
    let previous = rows.iter().find(|row| row.is(kind) && row.valid_until.is_some());
    let previous = previous.ok_or(Code::NotFound)?;
    store::end_api_key(&mut tx, &previous.id, now).await?;
    let event = Event::new("api_key.drop_previous", "api_key", &previous.id);
    let event = event.in_org(&app.app.org_id).in_app(app.id());
    let details = json!({ "name": kind, "valid_until": previous.valid_until });
    audit::append(&mut tx, &app.actor(), event.with(details)).await?;
    tx.commit().await?;
    Ok(Data(Done {}))
}
