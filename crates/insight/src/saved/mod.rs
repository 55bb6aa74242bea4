//! What people keep of their asking: questions (analyses) and sets of people (cohorts), each for
//! oneself or for everybody who asks in the app. Both are kept alike.

pub mod analyses;
mod changes;
pub mod cohorts;
mod content;
mod hidden;
pub mod sizes;
pub mod store;

use std::marker::PhantomData;

use axum::extract::{FromRef, FromRequestParts};
use http::request::Parts;
use serde::Serialize;
use utoipa::ToSchema;

use self::store::{SavedRow, Table};
use atrium_core::error::{Code, Error, Result};
use atrium_core::http::list::Sort;
use atrium_core::http::path::SecondId;
use atrium_core::permissions::{Permission, QueryRun};
use atrium_core::types::Id;
use atrium_tenancy::Tenancy;
use atrium_tenancy::access::{DataApp, InApp};
use atrium_tenancy::orgs::PersonRef;
use atrium_tenancy::store::apps::AppAccess;

/// What is kept: an analysis or a cohort.
pub trait SavedKind: Send + Sync + 'static {
    const TABLE: Table;
    /// Who may keep things for the app, and change what is kept for it.
    const MANAGE: Permission;
    /// How many an app can have, and what is said to one more.
    const MOST: i64;
    const FULL: Code;
    /// In the audit log.
    const NOUN: &'static str;
    const CREATE: &'static str;
    const UPDATE: &'static str;
    const DELETE: &'static str;
}

const SORTS: &[Sort] = &[("name", "saved.name_order"), ("updated_at", "saved.updated_at")];

/// Who looks at what is kept.
#[derive(Clone, Copy)]
struct Reader<'a> {
    /// None for a program.
    user_id: Option<&'a Id>,
    manages: bool,
    pii: bool,
}

impl<'a> Reader<'a> {
    fn of_data<S: SavedKind>(app: &'a DataApp<QueryRun>) -> Self {
        // A program changes nothing, whatever it holds.
        let manages = app.user_id().is_some() && app.holds(S::MANAGE);
        Self { user_id: app.user_id(), manages, pii: app.has_pii() }
    }

    fn of_session<S: SavedKind>(app: &'a InApp<QueryRun>, access: &AppAccess) -> Self {
        let (manages, pii) = (access.holds(S::MANAGE), access.holds(Permission::ProfilePii));
        Self { user_id: Some(app.user_id()), manages, pii }
    }

    /// What is shared is the app's, also for whoever made it.
    fn may_change(&self, row: &SavedRow) -> bool {
        match &row.private_to {
            Some(keeper) => Some(keeper) == self.user_id,
            None => self.manages,
        }
    }
}

/// What an analysis and a cohort tell alike.
#[derive(Serialize, ToSchema)]
pub struct Saved {
    id: Id,
    name: String,
    description: Option<String>,
    /// For everybody who asks in the app; false: the caller's alone.
    shared: bool,
    /// Null once their account is gone.
    created_by: Option<PersonRef>,
    /// Milliseconds since 1970.
    created_at: i64,
    updated_at: i64,
    /// Grows with every change.
    version: i64,
    may_change: bool,
    /// Whether the caller made it.
    mine: bool,
    /// Something in it is not shown, because the caller may not see personal data.
    redacted: bool,
}

impl Saved {
    fn new(row: SavedRow, reader: Reader<'_>, redacted: bool) -> Self {
        Self {
            shared: row.private_to.is_none(),
            may_change: reader.may_change(&row),
            mine: row.created_by.is_some() && row.created_by.as_ref() == reader.user_id,
            id: row.id,
            name: row.name,
            description: row.description,
            created_by: PersonRef::of(row.created_by, row.creator),
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
            version: row.version,
            redacted,
        }
    }
}

/// Something kept that the caller may change, named second in the path: what they do not see is
/// not found, and that is settled before a body is read.
pub struct Changing<S: SavedKind> {
    app: InApp<QueryRun>,
    row: SavedRow,
    kind: PhantomData<S>,
}

impl<S, T: SavedKind> FromRequestParts<S> for Changing<T>
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let atrium = &Tenancy::from_ref(state);
        let app = InApp::<QueryRun>::from_request_parts(parts, state).await?;
        let SecondId(id) = SecondId::from_request_parts(parts, state).await?;
        let row = store::one(&mut *atrium.db.read().await?, T::TABLE, app.id(), &id).await?;
        let row = row.filter(|row| row.is_visible_to(Some(app.user_id()))).ok_or(Code::NotFound)?;
        if !Reader::of_session::<T>(&app, &app.access).may_change(&row) {
            return Err(Code::Forbidden.into());
        }
        Ok(Self { app, row, kind: PhantomData })
    }
}
