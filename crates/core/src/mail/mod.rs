//! Mail: what a mail says, and how one is sent. The outbox says when.

pub mod templates;
mod transport;

pub use templates::Letter;
pub use transport::{MailCheck, Transport};
