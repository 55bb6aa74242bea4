//! Atrium: the console's API, its sessions and its stores. `docs/ARCHITECTURE.md` walks through a
//! request file by file.

pub mod access;
pub mod accounts;
pub mod app;
pub mod apps;
pub mod audit;
pub mod chat;
pub mod collect;
pub mod config;
mod contract;
pub mod db;
pub mod demo;
pub mod erasures;
pub mod error;
pub mod folder;
pub mod http;
pub mod insight;
pub mod instance;
pub mod jobs;
pub mod keyring;
pub mod keys;
pub mod logging;
pub mod metrics;
pub mod notifications;
pub mod orgs;
pub mod outbound;
pub mod permissions;
pub mod reports;
pub mod roles;
pub mod router;
pub mod server;
pub mod sso;
pub mod timezone;
pub mod types;
pub mod workspace;
