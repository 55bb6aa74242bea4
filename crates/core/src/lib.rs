//! The foundation of every part of Atrium: types, errors, settings, database, HTTP plumbing,
//! permissions, the audit log, notices and the outbound queues. Knows no resource.

pub mod audit;
pub mod caller;
pub mod chat_provider;
pub mod client;
pub mod clock_sync;
pub mod config;
pub mod db;
pub mod error;
pub mod fair_queue;
pub mod folder;
pub mod http;
pub mod key_rotation;
pub mod keyring;
pub mod lease;
pub mod locale;
pub mod logging;
pub mod machine;
pub mod mail;
pub mod metrics;
pub mod names;
pub mod notices;
pub mod outbound;
pub mod outbox;
pub mod permissions;
mod state;
pub mod text;
pub mod timezone;
pub mod types;

pub use state::Core;
