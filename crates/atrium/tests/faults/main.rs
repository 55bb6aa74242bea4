//! The server when something goes wrong under load: apart from the others, so that they do not take
//! each other's time.

#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod backup;
mod crash;
mod disk;
// There is a ClickHouse to test with for this platform only (`scripts/clickhouse-node`).
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod figures;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod fleet;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod fleet_disk;
mod fuzz;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod moving;
mod outage;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod upgrade;
