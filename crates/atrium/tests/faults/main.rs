//! Faults under load. A binary of its own, so that these tests do not slow down the others.

#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod backup;
mod crash;
mod disk;
// The ClickHouse for tests exists for this platform only (`scripts/clickhouse-node`).
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
