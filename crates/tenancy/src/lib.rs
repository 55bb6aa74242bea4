//! People, organizations, apps, roles and keys: accounts and sessions, single sign-on, work chat,
//! members, and who may do what. Imports between modules go one way, in the order given in
//! `docs/ARCHITECTURE.md`.

pub mod access;
pub mod accounts;
pub mod apps;
pub mod audit_log;
pub mod chat;
pub mod chat_vendor;
mod current_user;
pub mod key_uses;
pub mod keys;
pub mod notification_types;
pub mod notifications;
pub mod orgs;
mod password;
mod privileged_mfa;
mod relying_party;
pub mod roles;
mod rules;
pub mod session;
mod session_cache;
pub mod sign_in_failure;
pub mod sign_in_figures;
pub mod sso;
pub mod sso_provider;
mod state;
pub mod store;
mod throttle;
pub mod token;

pub use state::Tenancy;
