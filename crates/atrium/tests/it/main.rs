//! The server through its own doors. One binary: linking one for each file took longer than running
//! them.

#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod account_flows;
mod account_life;
mod accounts;
mod adversary;
mod apps;
mod audit;
mod authorization;
mod chat;
mod collect;
mod connections;
mod contract;
mod database;
mod demo;
mod engagement;
mod explore;
mod former;
mod http;
mod ingest;
mod keys;
mod live;
mod mail;
mod orgs;
mod overall;
mod passkeys;
mod people;
mod personal;
mod process;
mod reports;
mod second_factor;
mod sso;
mod workspace;
