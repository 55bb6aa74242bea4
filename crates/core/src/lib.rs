//! What every part of Atrium stands on: types, errors, settings, database, HTTP plumbing, permissions,
//! the audit log, notices and the outbound queues. Knows no resource.

pub mod audit;
pub mod config;
pub mod db;
pub mod error;
pub mod fair_queue;
pub mod folder;
pub mod http;
pub mod keyring;
pub mod lease;
pub mod logging;
pub mod metrics;
pub mod names;
pub mod notices;
pub mod outbound;
pub mod permissions;
mod state;
pub mod timezone;
pub mod types;

pub use state::Core;
