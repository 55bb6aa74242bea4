//! Saved questions (analyses) and saved sets of people (cohorts), each private or shared with everyone
//! in the app who may run queries. Both work the same way.

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
use atrium_core::types::{Id, Millis};
use atrium_tenancy::Tenancy;
use atrium_tenancy::access::{DataApp, InApp};
use atrium_tenancy::orgs::PersonRef;
use atrium_tenancy::store::apps::AppAccess;

/// A kind of saved item: an analysis or a cohort.
pub trait SavedKind: Send + Sync + 'static {
    const TABLE: Table;
    /// The permission to share items with the app, and to change shared ones.
    const MANAGE: Permission;
    /// How many an app can have, and the error for one more.
    const MOST: i64;
    const FULL: Code;
    /// The noun and actions in the audit log.
    const NOUN: &'static str;
    const CREATE: &'static str;
    const UPDATE: &'static str;
    const DELETE: &'static str;
}

const SORTS: &[Sort] = &[("name", "saved.name_order"), ("updated_at", "saved.updated_at")];

/// The caller's view of saved items.
#[derive(Clone, Copy)]
struct Reader<'a> {
    /// None for a program.
    user_id: Option<&'a Id>,
    manages: bool,
    pii: bool,
}

impl<'a> Reader<'a> {
    fn of_data<S: SavedKind>(app: &'a DataApp<QueryRun>) -> Self {
        // A program cannot change saved items, whatever permissions it has.
        let manages = app.user_id().is_some() && app.holds(S::MANAGE);
        Self { user_id: app.user_id(), manages, pii: app.has_pii() }
    }

    fn of_session<S: SavedKind>(app: &'a InApp<QueryRun>, access: &AppAccess) -> Self {
        let (manages, pii) = (access.holds(S::MANAGE), access.holds(Permission::ProfilePii));
        Self { user_id: Some(app.user_id()), manages, pii }
    }

    /// A shared item belongs to the app, even for its creator.
    fn may_change(&self, row: &SavedRow) -> bool {
        match &row.private_to {
            Some(keeper) => Some(keeper) == self.user_id,
            None => self.manages,
        }
    }
}

/// The fields that analyses and cohorts have in common.
#[derive(Serialize, ToSchema)]
pub struct Saved {
    id: Id,
    name: String,
    description: Option<String>,
    /// Whether everyone who may run queries in the app sees it, or only the caller.
    shared: bool,
    /// Null once their account is gone.
    created_by: Option<PersonRef>,
    created_at: Millis,
    updated_at: Millis,
    /// Grows with every change.
    version: i64,
    may_change: bool,
    /// Whether the caller made it.
    mine: bool,
    /// Whether something in it is hidden, because the caller may not see personal data.
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
            created_at: row.created_at,
            updated_at: row.updated_at,
            version: row.version,
            redacted,
        }
    }
}

/// A saved item that the caller may change, given by the second id in the path. An item they may not see
/// is not found; this is decided before the body is read.
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
