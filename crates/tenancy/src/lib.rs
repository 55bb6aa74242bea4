//! People, organizations, apps, roles and keys: accounts and sessions, single sign-on, work chat, members,
//! and who may do what.

pub mod access;
pub mod accounts;
pub mod apps;
pub mod audit_log;
pub mod chat;
pub mod keys;
pub mod notifications;
pub mod orgs;
pub mod roles;
mod rules;
pub mod sso;
mod state;

pub use state::Tenancy;
