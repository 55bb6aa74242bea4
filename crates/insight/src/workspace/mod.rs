//! The workspace of an app: who uses it, its events and their properties, questions about them, live
//! messages, its users and devices.
//!
//! Everything that shows data sent by applications goes through `personal` for callers who may not see
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
pub use explore_query::{FilterValue, Operator, filter_values};
pub(crate) use explore_query::{event_fault, filter, property, settle};

use crate::insight::errors::{warehouse_error, warehouse_for};
use atrium_core::fair_queue::Class;

/// The properties of an event or a profile, as they are stored.
fn properties_of(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}
