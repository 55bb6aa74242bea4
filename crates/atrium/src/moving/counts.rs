//! Counts from events in a cluster, where each shard counts its own. Where their sum differs from the
//! old store, an app's day is recounted from all existing events; so an interrupted copy cannot count
//! anything twice.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use uuid::Uuid;
use warehouse::{CountedFrom, TransferTable};

use super::events::{Copying, places};
use crate::backup::Progress;

/// Days of apps, by the Unix times at which they start.
type Days = BTreeMap<Uuid, BTreeSet<u32>>;

impl Copying {
    /// Has the shards count the days that differ. Does nothing if all tables are copied.
    pub(super) async fn count(
        &mut self,
        since: &str,
        progress: &mut Progress,
    ) -> anyhow::Result<()> {
        let (mut days, tables) = (Days::new(), self.counted(CountedFrom::Events));
        for table in &tables {
            self.add_differing(table, since, &mut days).await?;
        }
        if !tables.is_empty() {
            progress.begin_count("counting days of apps on the shards", length(&days));
        }
        for (app, days) in &days {
            let days: Vec<u32> = days.iter().copied().collect();
            let counted = self.there().count_days(*app, &days).await;
            counted.with_context(|| format!("counting app {app}"))?;
            progress.add(days.len() as u64);
        }
        // Longer buckets were recounted along with those, but a week may differ although none of its
        // days do.
        for table in self.counted(CountedFrom::Quarters) {
            let mut days = Days::new();
            self.add_differing(&table, since, &mut days).await?;
            for (app, days) in days {
                let days: Vec<u32> = days.into_iter().collect();
                let counted = self.there().count_longer(&table, app, &days).await;
                counted.with_context(|| format!("counting {} of app {app}", table.name))?;
            }
        }
        Ok(())
    }

    fn counted(&self, from: CountedFrom) -> Vec<TransferTable> {
        let tables = self.tables.iter();
        tables.filter(|table| table.counted_from() == Some(from)).cloned().collect()
    }

    async fn add_differing(
        &mut self,
        table: &TransferTable,
        since: &str,
        days: &mut Days,
    ) -> anyhow::Result<()> {
        for pair in self.pairs(table, since).await? {
            for (app, day) in places(&pair.here, &pair.there) {
                days.entry(app).or_default().insert(start_of(&day)?);
            }
        }
        Ok(())
    }
}

fn length(days: &Days) -> u64 {
    days.values().map(|days| days.len() as u64).sum()
}

fn start_of(day: &str) -> anyhow::Result<u32> {
    let date: Date = day.parse().with_context(|| format!("no day: {day:?}"))?;
    Ok(u32::try_from(date.to_zoned(TimeZone::UTC)?.timestamp().as_second())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_starts_at_midnight_in_utc() {
        assert_eq!(start_of("1970-01-02").unwrap(), 86_400);
        assert_eq!(start_of("2026-11-17").unwrap(), 1_794_873_600);
        assert!(start_of("").is_err());
    }
}
