//! Everything between the socket and a handler: extractors, middleware, static files. Knows no
//! resource.

pub mod access_log;
mod client;
pub mod connections;
pub mod cookies;
pub mod cors;
pub(crate) mod cross_site;
pub mod csv_cell;
pub mod edge;
pub mod envelope;
pub mod json;
pub mod list;
pub mod page;
pub mod path;
pub mod redirect;
pub(crate) mod request_id;
pub mod security_headers;
mod unread;
pub mod user_agent;

/// The version of the console, which is also the path its assets are served under. The server and the
/// console's build read it from the same file.
pub const CLIENT_VERSION: &str = include_str!("../../../../client-version").trim_ascii();
