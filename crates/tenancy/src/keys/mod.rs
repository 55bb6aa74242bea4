//! Keys: what programs use in place of a password. An app has two API keys, one that names it when data
//! is sent and one for reading, and up to ten access keys, which sign calls between servers. Here keys
//! are created, looked up, renewed and removed; the collector and the readers use them.

pub mod access_keys;
pub mod api_keys;
pub mod generate;
pub mod reminders;
mod uses;

use axum::extract::{FromRef, FromRequestParts, RawPathParams};
use http::request::Parts;
use sqlx::AnyConnection;

use crate::access::InApp;
use crate::state::Tenancy;
use crate::store::apps::AppRow;
use crate::store::keys::{self as store, ApiKeyKind};
use crate::store::orgs;
use atrium_core::error::{Code, Error, Result};
use atrium_core::http::path::PathId;
use atrium_core::permissions::{KeyManage, Permission};
use atrium_core::types::{Id, Millis};

pub use uses::{record_uses, sweep};

/// An access key with its secret, for checking signatures. Not `Debug`: a secret that cannot be printed
/// ends up in no log.
#[derive(Clone)]
pub struct SigningKey {
    pub id: String,
    pub app_id: Id,
    /// The bytes of the text that was handed out.
    pub secret: Vec<u8>,
    pub enabled: bool,
    pub expires_at: Option<Millis>,
}

/// An access key with its secret. The caller must check whether it is enabled and not expired.
pub async fn by_access_key(
    atrium: &Tenancy,
    db: &mut AnyConnection,
    id: &str,
) -> Result<Option<SigningKey>> {
    if !generate::is_access_key_id(id) {
        return Ok(None);
    }
    let Some(row) = store::sealed_key(db, id).await? else { return Ok(None) };
    Ok(Some(SigningKey {
        secret: generate::open_secret(atrium, &row.id, &row.secret_sealed)?,
        id: row.id,
        app_id: row.app_id,
        enabled: row.enabled == 1,
        expires_at: row.expires_at,
    }))
}

/// Someone who may make a key and see its value, and has recently proved who they are.
pub struct KeyMaker(InApp<KeyManage>);

impl KeyMaker {
    /// Locks organization and app until the transaction ends, and checks again. The organization too:
    /// someone being removed from it must not leave with a key made meanwhile.
    async fn lock_and_recheck(&self, db: &mut AnyConnection) -> Result<AppRow> {
        orgs::lock(db, &self.0.app.org_id).await?;
        let (app, access) = self.0.lock_and_recheck_active(db).await?;
        if access.holds(Permission::KeyReveal) { Ok(app) } else { Err(Code::AccessChanged.into()) }
    }
}

impl<S> FromRequestParts<S> for KeyMaker
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let atrium = &Tenancy::from_ref(state);
        let app = InApp::<KeyManage>::from_request_parts(parts, state).await?;
        if !app.access.holds(Permission::KeyReveal) {
            return Err(Code::Forbidden.into());
        }
        app.signed_in.want_recent(atrium)?;
        Ok(Self(app))
    }
}

/// An access key of the app, named second in the path.
pub struct AccessKeyInPath(String);

impl<S> FromRequestParts<S> for AccessKeyInPath
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let atrium = &Tenancy::from_ref(state);
        let PathId(app_id) = PathId::from_request_parts(parts, state).await?;
        let id = second(parts, atrium).await?;
        // Our ids have only one spelling, so the database need not be queried for others.
        if !generate::is_access_key_id(&id) {
            return Err(Code::NotFound.into());
        }
        let mut db = atrium.db.read().await?;
        let found = store::access_key(&mut db, &app_id, &id, atrium.now()).await?;
        found.map(|_| Self(id)).ok_or_else(|| Code::NotFound.into())
    }
}

/// A kind of API key, named second in the path.
pub struct KindInPath(ApiKeyKind);

impl<S> FromRequestParts<S> for KindInPath
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let atrium = &Tenancy::from_ref(state);
        let kind = ApiKeyKind::parse(&second(parts, atrium).await?);
        kind.map(Self).ok_or_else(|| Code::NotFound.into())
    }
}

async fn second(parts: &mut Parts, atrium: &Tenancy) -> Result<String> {
    let params = RawPathParams::from_request_parts(parts, atrium).await.ok();
    let second = params.and_then(|params| params.iter().nth(1).map(|(_, text)| text.to_owned()));
    second.ok_or_else(|| Code::NotFound.into())
}

/// Gives a new app its two API keys. The query key's value is discarded: anyone who wants to read resets
/// it and gets the new one, so that no value exists that nobody asked for.
pub async fn make_for_app(
    atrium: &Tenancy,
    db: &mut AnyConnection,
    app_id: &Id,
    created_by: Option<&Id>,
    at: Millis,
) -> Result<()> {
    for kind in ApiKeyKind::ALL {
        let made = generate::api_key(atrium, kind);
        let id = atrium.new_id();
        store::insert_api_key(db, &id, app_id, &made, created_by, at).await?;
    }
    Ok(())
}

/// Gives apps of earlier versions the keys they lack. Several instances may do this at once: if two make
/// the same key, one of them backs off.
pub async fn fill_missing(atrium: &Tenancy) -> Result<u64> {
    let mut filled = 0;
    loop {
        let lacking = store::apps_without_keys(&mut *atrium.db.read().await?).await?;
        if lacking.is_empty() {
            return Ok(filled);
        }
        let mut tx = atrium.db.write().await?;
        for app_id in &lacking {
            make_for_app(atrium, &mut tx, app_id, None, atrium.now()).await?;
            filled += 1;
        }
        tx.commit().await?;
    }
}
