//! Calls to other parties, and the addresses they may go to.

pub mod guard;
pub mod web;
