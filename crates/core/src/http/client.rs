//! The caller as an argument of a handler.

use std::convert::Infallible;

use axum::extract::{FromRef, FromRequestParts};
use http::request::Parts;

use crate::client::Client;
use crate::state::Core;

impl Client {
    /// The client that `edge` found; computed here for requests that did not come through it.
    pub fn of_parts(parts: &Parts, atrium: &Core) -> Self {
        parts.extensions.get::<Self>().cloned().unwrap_or_else(|| {
            let trusted = &atrium.settings.server.trusted_proxies;
            Self::of(&parts.extensions, &parts.headers, trusted)
        })
    }
}

impl<S> FromRequestParts<S> for Client
where
    Core: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let atrium = &Core::from_ref(state);
        Ok(Self::of_parts(parts, atrium))
    }
}
