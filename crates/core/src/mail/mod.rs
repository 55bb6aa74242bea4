//! Mail: what it says, and how it is sent. The outbox decides when.

pub mod templates;
mod transport;

pub use templates::Letter;
pub use transport::{MailCheck, Transport};
