//! The rows of people, organizations, apps, roles and keys, and their SQL, in one file or folder per
//! slice. Nothing here knows handlers or the state, so a slice may use the rows of any other.

pub mod accounts;
pub mod apps;
pub mod chat;
pub mod factors;
pub mod keys;
pub mod notifications;
pub mod orgs;
pub mod roles;
pub mod sso;
