//! Tests of the warehouse with the real engine, each in its own folder.

#![allow(clippy::unwrap_used)]

// The program's tests use the rest of it.
mod analyses;
mod breakdowns;
#[allow(dead_code)]
#[path = "../../../atrium/tests/support/clickhouse.rs"]
mod clickhouse;
mod completion;
mod copies;
mod crash;
mod cut;
mod deck;
mod engine;
mod explore;
mod hanging_up;
mod hung_shard;
mod loading;
mod over_limit;
mod overall;
mod pages;
mod people;
mod plain;
mod plain_analyses;
mod plain_pages;
mod plain_trend;
mod property_columns;
#[path = "../../../atrium/tests/support/running.rs"]
mod running;
mod shards;
mod shards_answers;
mod shown;
mod support;
mod template;
mod transfer;
mod transfer_shards;
mod trends;
mod upgrade;
mod upkeep;
