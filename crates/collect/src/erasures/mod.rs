//! Erasing one end user: all events and the profile of one user_id or device_id, requested in the console
//! and carried out in the background.

pub mod handlers;
pub mod purge;
pub mod run;
mod saved;
pub(crate) mod store;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What an id names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SubjectKind {
    User,
    Device,
}

impl SubjectKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Device => "device",
        }
    }

    pub fn parse(text: &str) -> Self {
        if text == "device" { Self::Device } else { Self::User }
    }
}

/// How far an erasure is.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErasureState {
    Pending,
    Running,
    Done,
    Failed,
}

impl ErasureState {
    pub fn parse(text: &str) -> Self {
        match text {
            "pending" => Self::Pending,
            "done" => Self::Done,
            "failed" => Self::Failed,
            _ => Self::Running,
        }
    }
}

/// What remains of an id that nobody needs to read anymore: enough to recognize one's own request.
pub fn mask(subject: &str) -> String {
    let shown = if subject.chars().count() > 4 { 2 } else { 0 };
    let shown: String = subject.chars().take(shown).collect();
    format!("{shown}…")
}
