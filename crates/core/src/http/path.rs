//! Ids in paths. Text that is not an id names nothing, so the answer is "not found" rather than
//! "malformed".

use axum::extract::{FromRequestParts, RawPathParams};
use http::request::Parts;

use crate::error::{Code, Error, Result};
use crate::types::Id;

/// The only id of a path, or the first of two.
pub struct PathId(pub Id);

/// The second id of a path: `/orgs/{id}/members/{user_id}`.
pub struct SecondId(pub Id);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        nth(parts, state, 0).await.map(Self)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for SecondId {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        nth(parts, state, 1).await.map(Self)
    }
}

async fn nth<S: Send + Sync>(parts: &mut Parts, state: &S, index: usize) -> Result<Id> {
    let params = RawPathParams::from_request_parts(parts, state).await;
    let id = params
        .ok()
        .and_then(|params| params.iter().nth(index).and_then(|(_, text)| Id::parse(text)));
    id.ok_or_else(|| Code::NotFound.into())
}
