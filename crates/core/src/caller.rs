//! Who makes a request and what it is about, as far as the extractors found out. Read on the way out by
//! the access log and the record of refusals.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::request::Parts;
use parking_lot::Mutex;

use crate::permissions::Permission;
use crate::types::Id;

/// Who calls. Ids only: a log is read by more people than the database.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Who {
    User(Id),
    QueryKey(Id),
    AccessKey(String),
}

impl Who {
    pub fn user_id(&self) -> Option<&str> {
        match self {
            Self::User(id) => Some(id.as_str()),
            Self::QueryKey(_) | Self::AccessKey(_) => None,
        }
    }

    pub fn key_id(&self) -> Option<&str> {
        match self {
            Self::User(_) => None,
            Self::QueryKey(id) => Some(id.as_str()),
            Self::AccessKey(id) => Some(id),
        }
    }
}

/// What a request is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    Org(Id),
    App(Id),
}

#[derive(Clone, Debug, Default)]
pub struct Known {
    pub who: Option<Who>,
    pub target: Option<Target>,
    pub permission: Option<Permission>,
    /// The target may exist, but is hidden from this caller.
    pub hidden: bool,
}

/// A slot in the request that extractors write to and the edge reads.
#[derive(Clone, Default)]
pub struct Caller(Arc<Mutex<Known>>);

impl Caller {
    pub fn of(parts: &Parts) -> Self {
        parts.extensions.get::<Self>().cloned().unwrap_or_default()
    }

    pub fn is(&self, who: Who) {
        self.change(|known| known.who = Some(who));
    }

    pub fn wants(&self, target: Target, permission: Option<Permission>) {
        self.change(|known| (known.target, known.permission) = (Some(target), permission));
    }

    /// Notes that the target was hidden from the caller.
    pub fn was_kept_out(&self) {
        self.change(|known| known.hidden = true);
    }

    pub fn known(&self) -> Known {
        self.0.lock().clone()
    }

    fn change(&self, change: impl FnOnce(&mut Known)) {
        change(&mut self.0.lock());
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(parts))
    }
}
