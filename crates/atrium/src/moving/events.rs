//! Copies the rows of one event store into another. The two stores are compared by partition, app and
//! day, and the days that differ are copied again: so an interrupted copy continues where it stopped,
//! and later changes are found without having been recorded. The shards of a cluster get the rows that
//! belong to them, and compute counts from those themselves (`counts`).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use anyhow::{Context, ensure};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use tokio::sync::mpsc;
use uuid::Uuid;
use warehouse::{Day, Figure, Figures, Partition, Piece, TransferTable, Warehouse};

use super::comparison::{Comparison, Line};
use crate::backup::Progress;
use atrium_core::types::Millis;

/// How many pieces of a stream are buffered.
const PIECES: usize = 8;
/// How long message ids are needed; they expire a day later.
const IDS_KEPT: i64 = 7 * Millis::DAY;

/// One of the two stores, with its known figures. A partition whose parts have not changed has the same
/// figures.
struct Store {
    warehouse: Warehouse,
    known: HashMap<(String, String), Known>,
}

struct Known {
    parts: Vec<String>,
    since: String,
    figures: Arc<Figures>,
}

impl Store {
    fn new(warehouse: Warehouse) -> Self {
        Self { warehouse, known: HashMap::new() }
    }

    async fn partitions(
        &self,
        table: &TransferTable,
    ) -> anyhow::Result<BTreeMap<String, Partition>> {
        let found = self.warehouse.partitions(&table.name).await?;
        Ok(found.into_iter().map(|partition| (partition.id.clone(), partition)).collect())
    }

    async fn figures(
        &mut self,
        table: &TransferTable,
        partition: Option<&Partition>,
        since: &str,
    ) -> anyhow::Result<Arc<Figures>> {
        let Some(partition) = partition else { return Ok(Arc::default()) };
        let key = (table.name.clone(), partition.id.clone());
        let known = self.known.get(&key);
        if let Some(known) = known.filter(|it| it.parts == partition.parts && it.since == since) {
            return Ok(known.figures.clone());
        }
        let figures = self.warehouse.figures(table, &partition.id, since).await;
        let figures = Arc::new(figures.with_context(|| table.name.clone())?);
        let (parts, since) = (partition.parts.clone(), since.to_owned());
        self.known.insert(key, Known { parts, since, figures: figures.clone() });
        Ok(figures)
    }
}

pub struct Copying {
    /// None if nothing was ever stored.
    here: Option<Store>,
    there: Store,
    pub(super) tables: Vec<TransferTable>,
}

/// A partition in both stores.
pub(super) struct Pair {
    id: String,
    partition: Option<Partition>,
    pub here: Arc<Figures>,
    pub there: Arc<Figures>,
}

impl Copying {
    pub async fn begin(here: Option<Warehouse>, there: Warehouse) -> anyhow::Result<Self> {
        let tables = there.transfer_tables().await?;
        if let Some(here) = &here {
            let names = |tables: &[TransferTable]| -> BTreeSet<String> {
                tables.iter().map(|table| table.name.clone()).collect()
            };
            let own = here.transfer_tables().await?;
            ensure!(names(&own) == names(&tables), "the two event stores have different tables");
            // Shards compute all counts, and would be compared with incomplete ones.
            ensure!(
                !there.is_cluster() || here.recounts_left().await?.is_empty(),
                "the server is still counting hours after an upgrade: run the move again when \
                 that is done"
            );
        }
        Ok(Self { here: here.map(Store::new), there: Store::new(there), tables })
    }

    /// Copies every day that differs. Returns how many bytes were copied.
    pub async fn pass(
        &mut self,
        now: Millis,
        what: &str,
        progress: &mut Progress,
    ) -> anyhow::Result<u64> {
        let since = since(now)?;
        let copied_tables: Vec<TransferTable> =
            self.tables.iter().filter(|table| table.is_copied()).cloned().collect();
        let mut total = 0;
        if let Some(here) = &self.here {
            for table in &copied_tables {
                total += here.partitions(table).await?.values().map(|it| it.bytes).sum::<u64>();
            }
        }
        progress.begin(what, total);
        let mut copied = 0;
        for table in copied_tables {
            for pair in self.pairs(&table, &since).await? {
                let bytes = pair.partition.as_ref().map_or(0, |partition| partition.bytes);
                let mut shown = 0;
                for day in differing(&pair.here, &pair.there) {
                    let day = Day { table: &table, partition: &pair.id, day: &day, since: &since };
                    let mut note = |piece: u64| {
                        let piece = piece.min(bytes - shown);
                        shown += piece;
                        progress.add(piece);
                    };
                    let work = self.copy(day, &pair, &mut note).await;
                    copied += work.with_context(|| format!("{} {}", table.name, day.day))?;
                }
                progress.add(bytes - shown);
            }
        }
        self.count(&since, progress).await?;
        Ok(copied)
    }

    /// Compares both stores by table, app and day.
    pub async fn compare(&mut self, now: Millis) -> anyhow::Result<Comparison> {
        let since = since(now)?;
        let mut comparison = Comparison::default();
        // The list of pending recounts is not compared: it may differ.
        let is_compared =
            |table: &&TransferTable| table.is_copied() || table.counted_from().is_some();
        let tables: Vec<TransferTable> = self.tables.iter().filter(is_compared).cloned().collect();
        for table in tables {
            for pair in self.pairs(&table, &since).await? {
                let keys: BTreeSet<&(Uuid, String)> =
                    pair.here.keys().chain(pair.there.keys()).collect();
                for key in keys {
                    let of = |figures: &Figures| figures.get(key).copied().unwrap_or_default();
                    let (here, there): (Figure, Figure) = (of(&pair.here), of(&pair.there));
                    comparison.lines.push(Line {
                        table: table.name.clone(),
                        app: key.0,
                        day: key.1.clone(),
                        here: here.rows,
                        there: there.rows,
                        is_same: here == there,
                    });
                }
            }
        }
        Ok(comparison)
    }

    pub(super) fn there(&self) -> &Warehouse {
        &self.there.warehouse
    }

    pub(super) async fn pairs(
        &mut self,
        table: &TransferTable,
        since: &str,
    ) -> anyhow::Result<Vec<Pair>> {
        let mut here = match &self.here {
            Some(store) => store.partitions(table).await?,
            None => BTreeMap::new(),
        };
        let there = self.there.partitions(table).await?;
        let ids: BTreeSet<String> = here.keys().chain(there.keys()).cloned().collect();
        let mut pairs = Vec::new();
        for id in ids {
            let partition = here.remove(&id);
            let own = match &mut self.here {
                Some(store) => store.figures(table, partition.as_ref(), since).await?,
                None => Arc::default(),
            };
            let theirs = self.there.figures(table, there.get(&id), since).await?;
            pairs.push(Pair { id, partition, here: own, there: theirs });
        }
        Ok(pairs)
    }

    /// Replaces the rows of a day.
    async fn copy(
        &self,
        day: Day<'_>,
        pair: &Pair,
        note: &mut impl FnMut(u64),
    ) -> anyhow::Result<u64> {
        if has_day(&pair.there, day.day) {
            self.there.warehouse.remove_day(day).await?;
        }
        let (Some(here), Some(partition)) = (&self.here, &pair.partition) else { return Ok(0) };
        if !has_day(&pair.here, day.day) {
            return Ok(0);
        }
        let shards = self.there.warehouse.shards().await?;
        let slices = here.warehouse.slices(day, partition, shards.len()).await?;
        let mut bytes = 0;
        for (number, shard) in shards.iter().enumerate() {
            for slice in 0..slices {
                let piece = Piece { slice: (slice, slices), shard: (number, shards.len()) };
                bytes += carry(&here.warehouse, shard, day, piece, note).await?;
            }
        }
        Ok(bytes)
    }
}

/// Copies one piece of a day. Returns how many bytes it had.
async fn carry(
    here: &Warehouse,
    there: &Warehouse,
    day: Day<'_>,
    piece: Piece,
    note: &mut impl FnMut(u64),
) -> anyhow::Result<u64> {
    let mut bytes = 0;
    let mut rows = here.rows_of_day(day, piece).await?;
    let (sender, receiver) = mpsc::channel(PIECES);
    let reading = async {
        while let Some(piece) = rows.chunk().await? {
            let length = piece.len() as u64;
            // The receiver is gone, and reports the reason itself.
            if sender.send(Ok(piece)).await.is_err() {
                break;
            }
            bytes += length;
            note(length);
        }
        drop(sender);
        Ok::<_, warehouse::Error>(())
    };
    let storing = there.import(&day.table.name, receiver);
    let (read, stored) = tokio::join!(reading, storing);
    stored?;
    read?;
    Ok(bytes)
}

/// The first day whose ids are copied: earlier ones may expire in one store before the other.
fn since(now: Millis) -> anyhow::Result<String> {
    let first = Timestamp::from_millisecond(now.plus(-IDS_KEPT).0)?;
    Ok(first.to_zoned(TimeZone::UTC).strftime("%F").to_string())
}

fn has_day(figures: &Figures, day: &str) -> bool {
    figures.keys().any(|(_, known)| known == day)
}

fn differing(here: &Figures, there: &Figures) -> BTreeSet<String> {
    places(here, there).into_iter().map(|(_, day)| day).collect()
}

/// The apps and days that differ.
pub(super) fn places(here: &Figures, there: &Figures) -> BTreeSet<(Uuid, String)> {
    let differs = |key: &&(Uuid, String)| here.get(*key) != there.get(*key);
    here.keys().chain(there.keys()).filter(differs).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_that_differs_for_one_app_is_copied_anew() {
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let figures = |all: &[(Uuid, &str, u64, u64)]| -> Figures {
            let entry = |(app, day, rows, hash): &(Uuid, &str, u64, u64)| {
                ((*app, (*day).to_owned()), Figure { rows: *rows, hash: *hash })
            };
            all.iter().map(entry).collect()
        };
        let here = figures(&[(one, "a", 1, 7), (two, "a", 1, 7), (one, "b", 2, 8)]);
        assert!(differing(&here, &here).is_empty());
        let there = figures(&[(one, "a", 1, 7), (two, "a", 1, 9), (one, "b", 2, 8)]);
        assert_eq!(Vec::from_iter(differing(&here, &there)), ["a"], "other rows, as many");
        let there = figures(&[(one, "a", 1, 7), (two, "a", 1, 7), (one, "c", 1, 1)]);
        assert_eq!(Vec::from_iter(differing(&here, &there)), ["b", "c"], "missing and left over");
    }

    #[test]
    fn ids_of_a_week_are_copied() {
        assert_eq!(since(Millis(1_795_000_000_000)).unwrap(), "2026-11-11");
    }
}
