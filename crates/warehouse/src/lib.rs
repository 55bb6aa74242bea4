//! The event store: ClickHouse, embedded on one machine or a server of its own beyond that, behind
//! one client. `docs/decisions/0012-event-store.md` says why.
//!
//! `client` talks to either, `embedded` and `engine` are the two ends of the embedded one, `schema`
//! brings the tables up to date, and the rest are the questions and changes that have a name.
//! Nothing here knows about HTTP handlers or the metadata database.

mod client;
mod embedded;
pub mod engine;
mod error;
mod events;
mod loading;
mod location;
mod params;
mod profiles;
mod rows;
mod schema;
mod upkeep;

pub use client::{Insert, Warehouse};
pub use embedded::State;
pub use error::Error;
pub use loading::MutationOf;
pub use location::Location;
pub use params::Param;
pub use profiles::{Kind, MutationRow, ProfileRow};
pub use rows::{
    EventRow, LogIdRow, MutationIn, event_insert, log_id_insert, mutation_insert, write_event,
    write_log_id, write_mutation,
};
