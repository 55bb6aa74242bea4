//! Passwords: which ones are accepted, and how they are stored.

mod common;
mod hasher;
mod strength;

pub use hasher::Hasher;
pub use strength::{check_new, password_fault};
