//! The warehouse with the real engine, each test in a folder of its own.

#![allow(clippy::unwrap_used)]

mod completion;
mod copies;
mod crash;
mod cut;
mod engine;
mod explore;
mod hanging_up;
mod loading;
mod over_limit;
mod overall;
mod plain;
mod shown;
mod support;
mod template;
mod transfer;
mod upkeep;
