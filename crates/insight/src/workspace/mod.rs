//! The application workspace: who uses an app, what its events carry, questions about them, messages
//! as they come in, its users and devices.
//!
//! Everything that shows what applications sent goes through `personal` for those who may not see
//! personal data.

pub mod engagement;
pub mod events;
pub mod explore;
pub mod explore_export;
mod explore_query;
pub mod last_app;
pub mod live;
mod live_history;
pub mod live_message;
pub mod metadata;
pub mod profile;
pub mod profiles;
pub mod properties;
mod pseudonym;
mod shorten;
mod store;
mod value_type;

use serde_json::{Map, Value};

pub(crate) use explore::redact;
pub use explore_query::Operator;
pub(crate) use explore_query::{event_fault, filter, property, settle};

use crate::insight::errors::{warehouse_error, warehouse_for};
use atrium_core::fair_queue::Class;

/// The properties of an event or a profile, as they are stored.
fn properties_of(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}
