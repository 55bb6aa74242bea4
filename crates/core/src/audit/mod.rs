//! The audit log: who did what to what, as hash chains in which every entry carries the hash of the
//! previous one. Entries are appended in the transaction that makes the change.

pub mod refusals;
mod store;

use std::net::IpAddr;

use serde::Serialize;
use serde_json::Value;

pub use store::{ChainFault, append, by_actor, verify};

use crate::client::Client;
use crate::types::Id;

#[derive(Clone, Debug)]
pub struct Actor {
    pub kind: ActorKind,
    pub ip: Option<IpAddr>,
    pub user_agent: Option<String>,
}

#[derive(Clone, Debug)]
pub enum ActorKind {
    User(Id),
    /// A program, by the id of its key.
    Key(String),
    /// Nobody is signed in yet, e.g. a setup link or a wrong password.
    Anonymous,
    /// The command line on the server itself.
    Operator,
    /// A background job.
    System,
}

impl Actor {
    pub fn user(id: Id, client: &Client) -> Self {
        Self::of(ActorKind::User(id), client)
    }

    pub fn anonymous(client: &Client) -> Self {
        Self::of(ActorKind::Anonymous, client)
    }

    pub fn operator() -> Self {
        Self { kind: ActorKind::Operator, ip: None, user_agent: None }
    }

    pub fn system() -> Self {
        Self { kind: ActorKind::System, ip: None, user_agent: None }
    }

    pub fn of(kind: ActorKind, client: &Client) -> Self {
        Self { kind, ip: Some(client.ip), user_agent: Some(client.user_agent.clone()) }
    }

    fn kind_and_id(&self) -> (&'static str, Option<&str>) {
        match &self.kind {
            ActorKind::User(id) => ("user", Some(id.as_str())),
            ActorKind::Key(id) => ("key", Some(id)),
            ActorKind::Anonymous => ("anonymous", None),
            ActorKind::Operator => ("operator", None),
            ActorKind::System => ("system", None),
        }
    }
}

/// One audited event. `details` holds the values before and after, never a secret.
#[derive(Clone, Debug)]
pub struct Event {
    pub action: &'static str,
    pub org_id: Option<Id>,
    pub app_id: Option<Id>,
    pub target_kind: &'static str,
    pub target_id: Option<String>,
    pub details: Value,
}

impl Event {
    /// An event whose target belongs to the instance itself, such as a user.
    pub fn new(
        action: &'static str,
        target_kind: &'static str,
        target_id: &(impl ToString + ?Sized),
    ) -> Self {
        let target_id = Some(target_id.to_string());
        Self { target_id, ..Self::without_target(action, target_kind) }
    }

    /// An attempt whose target does not exist here.
    pub fn without_target(action: &'static str, target_kind: &'static str) -> Self {
        Self {
            action,
            org_id: None,
            app_id: None,
            target_kind,
            target_id: None,
            details: Value::Object(serde_json::Map::new()),
        }
    }

    pub fn in_org(mut self, org_id: &Id) -> Self {
        self.org_id = Some(org_id.clone());
        self
    }

    pub fn in_app(mut self, app_id: &Id) -> Self {
        self.app_id = Some(app_id.clone());
        self
    }

    pub fn with(mut self, details: impl Serialize) -> Self {
        self.details = serde_json::to_value(details).unwrap_or_default();
        self
    }
}
