//! Answering questions about events: the dashboard, and the workspace of an app.

pub mod insight;
mod state;
pub mod workspace;

pub use state::Insight;
