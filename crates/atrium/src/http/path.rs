//! Ids in paths. What is no id names nothing, so it is not found rather than malformed.

use axum::extract::{FromRequestParts, Path};
use http::request::Parts;

use crate::error::{Code, Error, Result};
use crate::types::Id;

/// The one id of a path.
pub struct PathId(pub Id);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let text = Path::<String>::from_request_parts(parts, state).await;
        let id = text.ok().and_then(|Path(text)| Id::parse(&text));
        id.map(Self).ok_or_else(|| Code::NotFound.into())
    }
}
