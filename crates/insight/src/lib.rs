//! Answering questions about events: the dashboard, and the workspace of an app.

pub mod analyses;
pub mod insight;
pub mod workspace;

pub use insight::state::Insight;
