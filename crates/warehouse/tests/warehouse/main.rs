//! The event store with the real engine, each test in a folder of its own.

#![allow(clippy::unwrap_used)]

mod crash;
mod engine;
mod loading;
mod support;
mod upkeep;
