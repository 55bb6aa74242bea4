//! Where events are stored, and what may wait on the way there.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use url::Url;

use super::RawSettings;
use super::cardinality::Limits;
use crate::outbound::guard::Guard;

#[derive(Clone, Debug)]
pub struct EventSettings {
    /// None: the embedded store.
    pub warehouse_url: Option<Url>,
    pub engine_library: PathBuf,
    /// The program to start as the engine; this one, except in tests.
    pub engine_program: Option<PathBuf>,
    pub engine_memory_mb: u64,
    pub spool_max: u64,
    /// What an app may send within a minute.
    pub budgets: BudgetLimits,
    /// How long messages of known keys are accepted while the database is down.
    pub collect_without_database: Duration,
    /// How many names and values are counted separately.
    pub limits: Limits,
}

/// Messages a minute that an app may send; 0 for no limit.
#[derive(Clone, Copy, Debug)]
pub struct BudgetLimits {
    /// Accepted unsigned messages of an app; the same number of signed ones is allowed on top.
    pub messages: u64,
    /// Rejected unsigned messages of an app.
    pub rejected: u64,
    /// The share of both that a single address may use, from 1 to 100.
    pub address_percent: u64,
}

pub(super) fn events(raw: &RawSettings) -> anyhow::Result<EventSettings> {
    let warehouse_url = match &raw.warehouse_url {
        // Do not repeat the value: it may hold a password.
        Some(text) => {
            let url = Url::parse(text).ok();
            let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
            let url = url.filter(|url| Guard::Operator.allows_url(url));
            let url = url
                .context("warehouse_url: must look like http://user:password@host:8123/database")?;
            let addresses =
                warehouse::addresses(&url).map_err(|wrong| anyhow!("warehouse_url: {wrong}"))?;
            if !addresses.iter().all(|url| Guard::Operator.allows_url(url)) {
                bail!("warehouse_url: a shard has an address that is not allowed");
            }
            Some(url)
        }
        None => None,
    };
    let spool_max_mb = raw.spool_max_mb.unwrap_or(4_096);
    if spool_max_mb == 0 {
        bail!("spool_max_mb: must be at least 1");
    }
    let engine_memory_mb = raw.engine_memory_mb.unwrap_or_else(half_of_memory);
    if engine_memory_mb < 256 {
        bail!("engine_memory_mb: the event store needs at least 256");
    }
    Ok(EventSettings {
        warehouse_url,
        engine_library: raw.engine_library.clone().unwrap_or_else(library_beside_program),
        engine_program: None,
        engine_memory_mb,
        spool_max: spool_max_mb << 20,
        budgets: budgets(raw)?,
        collect_without_database: collect_without_database(raw)?,
        limits: Limits {
            event_names: limit("max_event_names", raw.max_event_names, 2_000)?,
            property_names: limit("max_property_names", raw.max_property_names, 5_000)?,
            field_values: limit("max_field_values", raw.max_field_values, 1_000)?,
            pages: limit("max_pages", raw.max_pages, 5_000)?,
        },
    })
}

/// Bounded because a key revoked during the outage stays usable for as long.
const WITHOUT_DATABASE_MAX: u64 = 24 * 60;

fn collect_without_database(raw: &RawSettings) -> anyhow::Result<Duration> {
    let minutes = raw.collect_without_database.unwrap_or(15);
    if minutes > WITHOUT_DATABASE_MAX {
        bail!("collect_without_database: must be at most {WITHOUT_DATABASE_MAX} minutes");
    }
    Ok(Duration::from_secs(minutes * 60))
}

fn budgets(raw: &RawSettings) -> anyhow::Result<BudgetLimits> {
    let address_percent = raw.collect_address_share.unwrap_or(25);
    if !(1..=100).contains(&address_percent) {
        bail!("collect_address_share: {address_percent} is not between 1 and 100");
    }
    Ok(BudgetLimits {
        messages: raw.collect_quota.unwrap_or(600_000),
        rejected: raw.collect_rejected_quota.unwrap_or(60_000),
        address_percent,
    })
}

/// Bounded because every counted value costs memory: the limits cannot be switched off this way.
const LIMIT_MAX: u64 = 100_000;

fn limit(name: &str, given: Option<u64>, default: usize) -> anyhow::Result<usize> {
    match given {
        None => Ok(default),
        Some(count @ 1..=LIMIT_MAX) => Ok(usize::try_from(count)?),
        Some(_) => bail!("{name}: must be between 1 and {LIMIT_MAX}"),
    }
}

fn library_beside_program() -> PathBuf {
    let name = if cfg!(target_os = "macos") { "libchdb.dylib" } else { "libchdb.so" };
    let program = std::env::current_exe().unwrap_or_default();
    program.parent().unwrap_or(Path::new(".")).join("lib").join(name)
}

/// Half of the machine's memory; where that is unknown, what a small machine would have.
fn half_of_memory() -> u64 {
    let total = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()
    });
    total.map_or(2_048, |kilobytes| kilobytes / 1_024 / 2).max(256)
}
