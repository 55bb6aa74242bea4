//! The rows of people, organizations, apps, roles and keys, and the SQL that reads and writes them: a file
//! or a folder a slice. Nothing here knows a handler or the state, so a slice may use the rows of any other.

pub mod accounts;
pub mod apps;
pub mod chat;
pub mod factors;
pub mod keys;
pub mod notifications;
pub mod orgs;
pub mod roles;
pub mod sso;
