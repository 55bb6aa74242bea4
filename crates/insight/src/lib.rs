//! Answers questions about events: the dashboard, the workspace of an app, and saved analyses and
//! cohorts.

pub mod analyses;
pub mod columns;
pub mod insight;
pub mod saved;
pub mod workspace;

pub use insight::state::Insight;
