//! The event store with the real engine, each test in a folder of its own.

#![allow(clippy::unwrap_used)]

mod crash;
mod cut;
mod engine;
mod explore;
mod loading;
mod overall;
mod plain;
mod shown;
mod support;
mod upkeep;
