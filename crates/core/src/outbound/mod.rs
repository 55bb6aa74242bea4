//! Calls to other parties, and which addresses they may go to.

pub mod guard;
pub mod web;
