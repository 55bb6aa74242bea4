//! The server when something goes wrong under load: apart from the others, so that they do not take
//! each other's time.

#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod crash;
mod disk;
mod fleet;
mod fuzz;
mod outage;
