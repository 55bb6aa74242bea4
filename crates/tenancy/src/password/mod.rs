//! Passwords: which ones are taken, and how they are kept.

mod common;
mod hasher;
mod strength;

pub use hasher::Hasher;
pub use strength::{check_new, password_fault};
