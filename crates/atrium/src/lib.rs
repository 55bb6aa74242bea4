//! Atrium: the console's API, its sessions and its stores. `docs/ARCHITECTURE.md` walks through a
//! request file by file.

mod account_export;
pub mod app;
pub mod backup;
pub mod console;
mod contract;
pub mod demo;
pub mod figures;
pub mod first_start;
pub mod fleet;
pub mod instance;
pub mod jobs;
pub mod moving;
pub mod reports;
pub mod router;
pub mod server;

// For the commands in main.rs, the benchmarks and the integration tests, which use only this crate.
pub use atrium_collect::{collect, erasures};
pub use atrium_core::{
    audit, clock_sync, config, db, error, fair_queue, folder, http, key_rotation, keyring, lease,
    locale, logging, metrics, outbound, outbox, permissions, types,
};
pub use atrium_insight::{analyses, columns};
pub use atrium_tenancy::{
    accounts, apps, audit_log, chat, chat_vendor, key_uses, keys, notifications, orgs, roles, sso,
    store, token,
};
