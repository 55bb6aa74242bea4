//! People, organizations, apps, roles and keys: accounts and sessions, single sign-on, work chat, members,
//! and who may do what.

pub mod access;
pub mod accounts;
pub mod apps;
pub mod audit_log;
pub mod chat;
pub mod chat_vendor;
pub mod key_uses;
pub mod keys;
pub mod notification_types;
pub mod notifications;
pub mod orgs;
mod password;
mod relying_party;
pub mod roles;
mod rules;
pub mod sign_in_failure;
pub mod sso;
pub mod sso_provider;
mod state;
mod throttle;
pub mod token;

pub use state::Tenancy;
