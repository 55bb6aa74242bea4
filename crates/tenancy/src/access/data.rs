//! Who may read data: a person with a session, or a program with the app's query key as a bearer token.
//! If there is a token, it decides, whatever cookie comes with it.

use std::marker::PhantomData;

use axum::extract::{FromRef, FromRequestParts};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::request::Parts;

use super::{InApp, InOrg};
use crate::state::Tenancy;
use crate::store::apps::{self as app_store, AppRow};
use crate::store::keys;
use crate::store::orgs::{self as org_store, OrgRow};
use atrium_core::caller::{Caller, Target, Who};
use atrium_core::client::Client;
use atrium_core::error::{Code, Error, Result};
use atrium_core::fair_queue::{Caller as QueueCaller, Class};
use atrium_core::http::path::PathId;
use atrium_core::permissions::{Grant, OrgView, Permission, QUERY_KEY};
use atrium_core::types::Id;

/// A person or program with a permission in the app in the path.
pub struct DataApp<G: Grant> {
    pub app: AppRow,
    permissions: Vec<Permission>,
    /// None for a program.
    user_id: Option<Id>,
    grant: PhantomData<G>,
}

impl<G: Grant> DataApp<G> {
    pub fn id(&self) -> &Id {
        &self.app.id
    }

    /// None for a program.
    pub fn user_id(&self) -> Option<&Id> {
        self.user_id.as_ref()
    }

    /// The identity under which the caller queues for the warehouse; all programs of an app share one.
    pub fn reader(&self, class: Class) -> QueueCaller {
        match &self.user_id {
            Some(user) => QueueCaller::person(class, &self.app.org_id, user).in_app(&self.app.id),
            None => QueueCaller::program(&self.app.org_id, &self.app.id),
        }
    }

    pub fn holds(&self, permission: Permission) -> bool {
        self.permissions.contains(&permission)
    }

    /// Whether personal data may be shown.
    pub fn has_pii(&self) -> bool {
        self.holds(Permission::ProfilePii)
    }
}

impl<S, G: Grant> FromRequestParts<S> for DataApp<G>
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let atrium = &Tenancy::from_ref(state);
        let Some(app) = app_of_key(parts, atrium).await? else {
            let InApp { app, access, signed_in, .. } =
                InApp::<G>::from_request_parts(parts, state).await?;
            // People who may restore a deleted app can see the app, but not its data.
            if app.deleted_at.is_some() {
                return Err(Code::NotFound.into());
            }
            let (permissions, user_id) = (access.permissions, Some(signed_in.user().id.clone()));
            return Ok(Self { app, permissions, user_id, grant: PhantomData });
        };
        let PathId(id) = PathId::from_request_parts(parts, state).await?;
        let caller = Caller::of(parts);
        caller.wants(Target::App(id.clone()), Some(G::PERMISSION));
        if app.id != id {
            caller.was_kept_out();
            return Err(Code::NotFound.into());
        }
        if !QUERY_KEY.contains(&G::PERMISSION) {
            return Err(Code::Forbidden.into());
        }
        let permissions = QUERY_KEY.to_vec();
        Ok(Self { app, permissions, user_id: None, grant: PhantomData })
    }
}

/// A member of the organization in the path, or a program that reads one of its apps.
pub struct DataOrg {
    pub org: OrgRow,
    reader: Reader,
}

enum Reader {
    Person(Id),
    Program(Box<AppRow>),
}

/// An app whose figures may be read.
pub struct ReadableApp {
    pub id: Id,
    pub name: String,
    pub is_active: bool,
    permissions: Vec<Permission>,
}

impl ReadableApp {
    pub fn holds(&self, permission: Permission) -> bool {
        self.permissions.contains(&permission)
    }
}

impl DataOrg {
    pub fn id(&self) -> &Id {
        &self.org.id
    }

    /// The identity under which the caller queues for the warehouse.
    pub fn reader(&self) -> QueueCaller {
        match &self.reader {
            Reader::Person(user) => QueueCaller::person(Class::Dashboard, self.id(), user),
            Reader::Program(app) => QueueCaller::program(self.id(), &app.id),
        }
    }

    /// The apps the caller reaches in the organization, including archived ones, sorted by name. A
    /// program's own app counts as active: it could mean no other.
    pub async fn apps(&self, atrium: &Tenancy) -> Result<Vec<ReadableApp>> {
        match &self.reader {
            Reader::Person(user_id) => {
                let mut db = atrium.db.read().await?;
                let apps = app_store::living_for_user(&mut db, self.id(), user_id).await?;
                let readable = apps.into_iter().map(|(app, access)| ReadableApp {
                    id: app.id,
                    name: app.name,
                    is_active: app.archived_at.is_none(),
                    permissions: access.permissions,
                });
                Ok(readable.collect())
            }
            Reader::Program(app) => Ok(vec![ReadableApp {
                id: app.id.clone(),
                name: app.name.clone(),
                is_active: true,
                permissions: QUERY_KEY.to_vec(),
            }]),
        }
    }
}

impl From<InOrg<OrgView>> for DataOrg {
    fn from(InOrg { org, signed_in, .. }: InOrg<OrgView>) -> Self {
        Self { org, reader: Reader::Person(signed_in.user().id.clone()) }
    }
}

impl<S> FromRequestParts<S> for DataOrg
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let atrium = &Tenancy::from_ref(state);
        let Some(app) = app_of_key(parts, atrium).await? else {
            return InOrg::<OrgView>::from_request_parts(parts, state).await.map(Self::from);
        };
        let PathId(id) = PathId::from_request_parts(parts, state).await?;
        let caller = Caller::of(parts);
        caller.wants(Target::Org(id.clone()), Some(Permission::OrgView));
        let mut db = atrium.db.read().await?;
        let org = org_store::by_id(&mut db, &id).await?.filter(|org| org.id == app.org_id);
        let Some(org) = org else {
            caller.was_kept_out();
            return Err(Code::NotFound.into());
        };
        Ok(Self { org, reader: Reader::Program(Box::new(app)) })
    }
}

/// The app that a bearer token belongs to; None if the request carries no token.
async fn app_of_key(parts: &Parts, atrium: &Tenancy) -> Result<Option<AppRow>> {
    let Some(value) = bearer(&parts.headers) else { return Ok(None) };
    let now = atrium.now();
    let mut db = atrium.db.read().await?;
    let key = keys::by_query_key(&mut db, value).await?;
    let key = key.filter(|key| key.valid_until.is_none_or(|until| now < until));
    let key = key.ok_or(Code::BadQueryKey)?;
    Caller::of(parts).is(Who::QueryKey(key.key_id.clone()));
    let client = Client::of_parts(parts, atrium);
    atrium.key_uses.note(key.key_id.as_str(), client.ip, now);
    let app = app_store::by_id(&mut db, &key.app_id).await?;
    app.filter(|app| app.deleted_at.is_none()).map(Some).ok_or_else(|| Code::NotFound.into())
}

/// The text after `Bearer`. If it is unreadable it is not one of our keys, but still a token.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut words = headers.get(AUTHORIZATION)?.as_bytes().splitn(2, |byte| *byte == b' ');
    if !words.next()?.eq_ignore_ascii_case(b"bearer") {
        return None;
    }
    let token = std::str::from_utf8(words.next().unwrap_or_default());
    Some(token.unwrap_or_default().trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bearer_token_is_a_token() {
        let read = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, value.parse().unwrap());
            bearer(&headers).map(str::to_owned)
        };
        assert_eq!(read("Bearer qk_a"), Some("qk_a".to_owned()));
        assert_eq!(read("bearer  qk_a"), Some("qk_a".to_owned()));
        assert_eq!(read("Bearer"), Some(String::new()));
        assert_eq!(read("Basic dXNlcg=="), None);
        assert_eq!(read("Bear"), None);
        assert_eq!(bearer(&HeaderMap::new()), None);
    }
}
