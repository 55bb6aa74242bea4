//! An app's access keys: list, create, change, delete, and where a key is used.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use serde_with::rust::double_option;
use utoipa::ToSchema;

use super::reminders::Stage;
use super::{AccessKeyInPath, KeyMaker, generate};
use crate::access::InApp;
use crate::orgs::PersonRef;
use crate::state::Tenancy;
use crate::store::keys::{self as store, AccessKeyRow, NewAccessKey};
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Fault, Result};
use atrium_core::http::json::{Data, Done, Json, Query};
use atrium_core::http::list::{ListQuery, Sort};
use atrium_core::http::page::Items;
use atrium_core::permissions::{Grant, KeyManage, KeyView};
use atrium_core::text::Checks;
use atrium_core::types::{Id, Millis};

const MOST: i64 = 10;
const NAME_MAX: usize = 100;
/// How many addresses of a key are shown.
const ADDRESSES_SHOWN: i64 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccessKeyState {
    Active,
    /// Switched off, whether or not it has expired.
    Disabled,
    Expired,
}

#[derive(Serialize, ToSchema)]
pub struct AccessKey {
    id: String,
    name: String,
    enabled: bool,
    /// Whether a call signed with it would be accepted.
    state: AccessKeyState,
    created_at: Millis,
    created_by: Option<PersonRef>,
    expires_at: Option<Millis>,
    last_used_at: Option<Millis>,
    last_used_ip: Option<String>,
    /// How many addresses used it in the last seven days; 50 means that many or more.
    addresses: i64,
}

impl AccessKey {
    fn new(row: AccessKeyRow, now: Millis) -> Self {
        let expired = row.expires_at.is_some_and(|at| at <= now);
        let state = match (row.enabled == 1, expired) {
            (false, _) => AccessKeyState::Disabled,
            (true, true) => AccessKeyState::Expired,
            (true, false) => AccessKeyState::Active,
        };
        Self {
            id: row.id,
            name: row.name,
            enabled: row.enabled == 1,
            state,
            created_at: row.created_at,
            created_by: PersonRef::of(row.created_by, row.creator),
            expires_at: row.expires_at,
            last_used_at: row.last_used_at,
            last_used_ip: row.last_used_ip,
            addresses: row.addresses,
        }
    }
}

const SORTS: &[Sort] = &[
    ("name", "keys.name_order"),
    ("created_at", "keys.created_at"),
    ("last_used_at", "COALESCE(keys.last_used_at, 0)"),
    // Keys without an end sort last.
    ("expires_at", "COALESCE(keys.expires_at, 9223372036854775807)"),
];

/// The app's access keys. There are never more than ten.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/access-keys",
    operation_id = "access_key_list",
    tag = "key",
    security(("session" = [])),
    params(("id" = Id, Path), ListQuery),
    responses((status = 200, body = Data<Items<AccessKey>>))
)]
pub async fn access_key_list(
    State(atrium): State<Tenancy>,
    app: InApp<KeyView>,
    Query(query): Query<ListQuery>,
) -> Result<Data<Items<AccessKey>>> {
    let (listing, now) = (query.check(SORTS, "keys.id")?, atrium.now());
    let mut db = atrium.db.read().await?;
    let (rows, total) = store::access_keys(&mut db, app.id(), now, &listing).await?;
    let items = rows.into_iter().map(|row| AccessKey::new(row, now)).collect();
    Ok(Data(Items { items, total }))
}

#[derive(Deserialize, ToSchema)]
pub struct NewAccessKeyBody {
    #[schema(min_length = 1, max_length = 100)]
    name: String,
    /// RFC 3339, in the future; a key without one works until it is disabled or deleted.
    #[schema(format = DateTime)]
    expires_at: Option<String>,
}

/// A new key and, only this once, its secret.
#[derive(Serialize, ToSchema)]
pub struct CreatedAccessKey {
    #[serde(flatten)]
    key: AccessKey,
    /// Never shown again.
    secret: String,
}

/// Makes an access key. Its secret is only in this answer.
#[utoipa::path(
    post,
    path = "/api/v1/apps/{id}/access-keys",
    operation_id = "access_key_create",
    tag = "key",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = NewAccessKeyBody,
    responses((status = 200, body = Data<CreatedAccessKey>))
)]
pub async fn access_key_create(
    State(atrium): State<Tenancy>,
    maker: KeyMaker,
    Json(input): Json<NewAccessKeyBody>,
) -> Result<Data<CreatedAccessKey>> {
    let now = atrium.now();
    let mut checks = Checks::default();
    let name = checks.name_up_to("name", &input.name, NAME_MAX);
    let expires_at = input.expires_at.and_then(|text| expiry(&mut checks, &text, now));
    checks.finish()?;
    let (app, made) = (&maker.0, generate::access_key(&atrium)?);
    let mut tx = atrium.db.write().await?;
    maker.lock_and_recheck(&mut tx).await?;
    if store::count_access_keys(&mut tx, app.id()).await? >= MOST {
        return Err(Fault::new(Code::TooManyKeys).with("max", MOST).into());
    }
    let key = NewAccessKey {
        made: &made,
        app_id: app.id(),
        name: &name,
        created_by: app.user_id(),
        at: now,
        expires_at,
        reminded: Stage::passed(expires_at, now),
    };
    if !store::insert_access_key(&mut tx, key).await? {
        return Err(Fault::new(Code::KeyNameTaken).on("name").into());
    }
    let details = json!({ "name": name, "expires_at": expires_at });
    audit::append(&mut tx, &app.actor(), event(app, "key.create", &made.id, details)).await?;
    let revealed = event(app, "key.reveal", &made.id, json!({ "name": name }));
    audit::append(&mut tx, &app.actor(), revealed).await?;
    let row = store::access_key(&mut tx, app.id(), &made.id, now).await?.ok_or(Code::NotFound)?;
    tx.commit().await?;
    Ok(Data(CreatedAccessKey { key: AccessKey::new(row, now), secret: made.secret }))
}

/// When a key expires; an impossible time is a fault.
fn expiry(checks: &mut Checks, text: &str, now: Millis) -> Option<Millis> {
    let at = text.trim().parse::<jiff::Timestamp>().ok();
    let at = at.map(|at| Millis(at.as_millisecond()));
    match at {
        None => checks.fail(Fault::new(Code::BadMoment).on("expires_at")),
        Some(at) if at <= now => checks.fail(Fault::new(Code::ExpiryInPast).on("expires_at")),
        Some(_) => {}
    }
    at
}

fn event<G: Grant>(app: &InApp<G>, action: &'static str, id: &str, details: Value) -> Event {
    let event = Event::new(action, "access_key", &id);
    event.in_org(&app.app.org_id).in_app(app.id()).with(details)
}

#[derive(Deserialize, ToSchema)]
pub struct AccessKeyUpdate {
    #[schema(min_length = 1, max_length = 100)]
    name: Option<String>,
    enabled: Option<bool>,
    /// RFC 3339, in the future; null removes the end.
    #[serde(default, deserialize_with = "double_option::deserialize")]
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Option<String>>,
}

/// Changes an access key; omitted fields stay as they are. The change applies from the next call signed
/// with it.
#[utoipa::path(
    put,
    path = "/api/v1/apps/{id}/access-keys/{key_id}",
    operation_id = "access_key_update",
    tag = "key",
    security(("session" = [])),
    params(("id" = Id, Path), ("key_id" = String, Path)),
    request_body = AccessKeyUpdate,
    responses((status = 200, body = Data<AccessKey>))
)]
pub async fn access_key_update(
    State(atrium): State<Tenancy>,
    app: InApp<KeyManage>,
    AccessKeyInPath(id): AccessKeyInPath,
    Json(input): Json<AccessKeyUpdate>,
) -> Result<Data<AccessKey>> {
    let now = atrium.now();
    let mut checks = Checks::default();
    let name = input.name.map(|name| checks.name_up_to("name", &name, NAME_MAX));
    let expires_at =
        input.expires_at.map(|end| end.and_then(|text| expiry(&mut checks, &text, now)));
    checks.finish()?;
    let mut tx = atrium.db.write().await?;
    app.lock_and_recheck_active(&mut tx).await?;
    let before = store::access_key(&mut tx, app.id(), &id, now).await?.ok_or(Code::NotFound)?;
    let name = name.unwrap_or_else(|| before.name.clone());
    let expires_at = expires_at.unwrap_or(before.expires_at);
    if name != before.name && !store::rename_access_key(&mut tx, app.id(), &id, &name).await? {
        return Err(Fault::new(Code::KeyNameTaken).on("name").into());
    }
    if expires_at != before.expires_at {
        store::set_expiry(&mut tx, &id, expires_at, Stage::passed(expires_at, now)).await?;
    }
    if name != before.name || expires_at != before.expires_at {
        let details = json!({
            "name": name,
            "before": { "name": before.name, "expires_at": before.expires_at },
            "after": { "name": name, "expires_at": expires_at },
        });
        audit::append(&mut tx, &app.actor(), event(&app, "key.update", &id, details)).await?;
    }
    if let Some(enabled) = input.enabled.filter(|enabled| *enabled != (before.enabled == 1)) {
        store::set_enabled(&mut tx, &id, enabled).await?;
        let action = if enabled { "key.enable" } else { "key.disable" };
        let event = event(&app, action, &id, json!({ "name": name }));
        audit::append(&mut tx, &app.actor(), event).await?;
    }
    let row = store::access_key(&mut tx, app.id(), &id, now).await?.ok_or(Code::NotFound)?;
    tx.commit().await?;
    Ok(Data(AccessKey::new(row, now)))
}

/// Deletes an access key: what it signs is refused from now on.
#[utoipa::path(
    delete,
    path = "/api/v1/apps/{id}/access-keys/{key_id}",
    operation_id = "access_key_delete",
    tag = "key",
    security(("session" = [])),
    params(("id" = Id, Path), ("key_id" = String, Path)),
    responses((status = 200, body = Data<Done>))
)]
pub async fn access_key_delete(
    State(atrium): State<Tenancy>,
    app: InApp<KeyManage>,
    AccessKeyInPath(id): AccessKeyInPath,
) -> Result<Data<Done>> {
    let now = atrium.now();
    let mut tx = atrium.db.write().await?;
    app.lock_and_recheck_active(&mut tx).await?;
    let before = store::access_key(&mut tx, app.id(), &id, now).await?.ok_or(Code::NotFound)?;
    store::delete_access_key(&mut tx, &id).await?;
    let details = json!({ "name": before.name, "last_used_at": before.last_used_at });
    audit::append(&mut tx, &app.actor(), event(&app, "key.delete", &id, details)).await?;
    tx.commit().await?;
    Ok(Data(Done {}))
}

#[derive(Serialize, ToSchema)]
pub struct AccessKeyUse {
    last_used_at: Option<Millis>,
    last_used_ip: Option<String>,
    /// Up to twenty of the last thirty days, newest first.
    addresses: Vec<UsedFrom>,
    /// Messages sent by calls signed with it in the last seven days; null if unknown.
    messages_7d: Option<i64>,
}

#[derive(Serialize, ToSchema)]
pub struct UsedFrom {
    ip: String,
    last_used_at: Millis,
}

/// Where an access key is used: what disabling or deleting it would affect.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/access-keys/{key_id}/use",
    operation_id = "access_key_use",
    tag = "key",
    security(("session" = [])),
    params(("id" = Id, Path), ("key_id" = String, Path)),
    responses((status = 200, body = Data<AccessKeyUse>))
)]
pub async fn access_key_use(
    State(atrium): State<Tenancy>,
    app: InApp<KeyView>,
    AccessKeyInPath(id): AccessKeyInPath,
) -> Result<Data<AccessKeyUse>> {
    let mut db = atrium.db.read().await?;
    let key = store::access_key(&mut db, app.id(), &id, atrium.now()).await?;
    let key = key.ok_or(Code::NotFound)?;
    let rows = store::addresses(&mut db, &id, ADDRESSES_SHOWN).await?;
    let view = |row: store::AddressRow| UsedFrom { ip: row.ip, last_used_at: row.last_used_at };
    Ok(Data(AccessKeyUse {
        last_used_at: key.last_used_at,
        last_used_ip: key.last_used_ip,
        addresses: rows.into_iter().map(view).collect(),
        messages_7d: None,
    }))
}
