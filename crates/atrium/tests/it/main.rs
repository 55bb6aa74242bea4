//! The server through its own doors. One binary: linking one for each file took longer than running
//! them.

#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod access_log;
mod account_flows;
mod account_life;
mod accounts;
mod adoption;
mod adversary;
mod analyses;
mod apps;
mod audit;
mod authorization;
mod backup;
mod bounded;
mod breakdowns;
mod budgets;
mod cardinality;
mod chat;
mod collect;
mod connections;
mod contract;
mod database;
mod demo;
mod disk;
mod ended_sessions;
mod engagement;
mod erasures;
mod explore;
mod figures;
mod fleet;
mod http;
mod ingest;
mod keys;
mod links;
mod live;
mod loaders;
mod loading;
mod mail;
mod moving;
mod one_person;
mod orgs;
mod overall;
mod pages;
mod passkeys;
mod passwords;
mod people;
mod personal;
mod previous_builds;
mod privileged;
mod process;
mod property_columns;
mod readers;
mod refusals;
mod reports;
mod roles;
mod rotation;
mod saved;
mod second_factor;
mod so_far;
mod sso;
mod upgrade;
mod workspace;
