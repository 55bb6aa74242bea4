//! Decides which properties get columns in the event store: those for which questions read the most.
//! Uses are collected in memory (`property_uses`), stored every few seconds, and evaluated once a minute
//! by one instance (docs/decisions/0043).

mod store;

use std::collections::HashMap;
use std::time::Duration;

use uuid::Uuid;
use warehouse::PropertyColumn;

use crate::insight::property_uses::Path;
use crate::insight::state::Insight;
use atrium_core::lease::Lease;
use atrium_core::types::Millis;
use store::UseRow;

const READY: Duration = Duration::from_secs(60);
const LEASE: &str = "property_columns";
/// The time after which a use counts half as much.
const HALF_LIFE: i64 = 7 * Millis::DAY;
/// A column is dropped when its use falls below this share of what earned it.
const DROP_BELOW: f64 = 0.02;
/// A new column is kept for at least this many seconds.
const KEEP_FOR: i64 = 14 * 24 * 60 * 60;
/// Another property takes over a column when it is used this many times as much.
const TAKES_OVER: f64 = 4.0;

/// Stores what questions read since the last time.
pub async fn write_uses(atrium: &Insight) -> atrium_core::error::Result<()> {
    let uses = atrium.property_uses.take();
    if uses.is_empty() {
        return Ok(());
    }
    let now = atrium.now();
    let mut tx = atrium.db.write_relaxed().await?;
    for ((app_id, path), rows) in uses {
        let path = serde_json::to_string(&path).unwrap_or_default();
        let before = store::used(&mut tx, &app_id, &path).await?;
        let rows = rows + before.map_or(0.0, |before| before.rows_now(now));
        store::note(&mut tx, &app_id, &path, rows, now).await?;
    }
    tx.commit().await
}

impl UseRow {
    /// Its current weight.
    fn rows_now(&self, now: Millis) -> f64 {
        let halves = (now.0 - self.used_at).max(0) as f64 / HALF_LIFE as f64;
        self.rows_read * 0.5_f64.powf(halves)
    }
}

/// Assigns and drops columns, and has the store fill and clear them. Returns how many changes were
/// started.
pub async fn run_due(atrium: &Insight) -> anyhow::Result<u64> {
    let after = atrium.settings.reads.column_after_rows;
    let has_uses = store::any(&mut *atrium.db.read().await?).await?;
    if after == 0 || !has_uses {
        return Ok(0);
    }
    atrium.warehouse.ready(READY).await?;
    let holder = &atrium.collector.spool.name;
    let Some(lease) = Lease::take(atrium, LEASE, holder).await? else { return Ok(0) };
    let done = lease.during(atrium, keep(atrium, after as f64)).await;
    lease.release(atrium).await?;
    done
}

async fn keep(atrium: &Insight, after: f64) -> anyhow::Result<u64> {
    let (now, warehouse) = (atrium.now(), &atrium.warehouse);
    let seconds = now.0 / Millis::SECOND;
    let mut uses: HashMap<Uuid, Vec<(Path, f64)>> = HashMap::new();
    for row in store::all(&mut *atrium.db.read().await?).await? {
        let Ok(path) = serde_json::from_str(&row.property) else { continue };
        uses.entry(row.app_id.uuid()?).or_default().push((path, row.rows_now(now)));
    }
    let mut begun = 0;
    let columns = warehouse.property_columns().await?;
    for column in columns.iter().filter(|column| column.is_in_use()) {
        let used = uses.get(&column.app_id).map_or(0.0, |uses| used(uses, &column.path));
        if used < after * DROP_BELOW && seconds > column.changed + KEEP_FOR {
            warehouse.drop_property_column(column, seconds).await?;
            begun += 1;
        }
    }
    for (app, mut uses) in uses {
        uses.retain(|(_, rows)| *rows >= after);
        uses.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let of_app = columns.iter().filter(|column| column.app_id == app && column.is_in_use());
        let mut own: Vec<&PropertyColumn> = of_app.collect();
        for (path, rows) in &uses {
            if own.iter().any(|column| column.path == *path) {
                continue;
            }
            if warehouse.add_property_column(app, path, seconds).await?.is_some() {
                begun += 1;
                continue;
            }
            // The least used column makes room, if it is used much less.
            let least = own
                .iter()
                .copied()
                .min_by(|a, b| used(&uses, &a.path).total_cmp(&used(&uses, &b.path)));
            if let Some(least) = least.filter(|least| used(&uses, &least.path) * TAKES_OVER < *rows)
            {
                warehouse.drop_property_column(least, seconds).await?;
                own.retain(|column| column.number != least.number);
                begun += 1;
            }
            break;
        }
    }
    let work = warehouse.property_column_work(seconds).await?;
    if let Some(first) = work.first()
        && warehouse.begin_property_column_work(first).await?
    {
        begun += 1;
    }
    let left: u64 = work.iter().map(|work| work.rows).sum();
    metrics::gauge!("atrium_property_column_rows_left").set(left as f64);
    let mut tx = atrium.db.write_relaxed().await?;
    store::forget(&mut tx, now.plus(-8 * HALF_LIFE)).await?;
    tx.commit().await?;
    Ok(begun)
}

fn used(uses: &[(Path, f64)], path: &Path) -> f64 {
    uses.iter().find(|(it, _)| it == path).map_or(0.0, |(_, rows)| *rows)
}
