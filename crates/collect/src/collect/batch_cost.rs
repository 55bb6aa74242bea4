//! Estimates what a batch will cost the warehouse before it is sent. Rows cost little, but every
//! separately counted value costs an entry with a set of people in each table of counts.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use super::batch::BUCKET_MS;
use super::record::{Record, RecordKind};

/// A row takes memory in the store twice: as received, and as sorted columns.
const ROW_FACTOR: u64 = 2;
/// A value's counts by quarter hour, hour, day and week, each with a set of people. Measured: 1.3 KB for
/// values of 90 characters.
const VALUE_BYTES: u64 = 2_000;
/// A quarter hour: totals in several lengths, and recounting the sessions around it.
const BUCKET_BYTES: u64 = 20_000;
/// An eighth of the engine's memory, because queries and merges run at the same time.
const SHARE_OF_MEMORY: u64 = 8;
const COST_MIN: u64 = 32 << 20;
/// Caps the cost however much memory there is: this many values already take about two seconds.
const COST_MAX: u64 = 192 << 20;

/// The maximum cost of a batch for an engine with this many megabytes.
pub fn limit(memory_mb: u64) -> u64 {
    ((memory_mb << 20) / SHARE_OF_MEMORY).clamp(COST_MIN, COST_MAX)
}

/// Distinguishes values by hashes seeded with the batch's number. Senders cannot aim for collisions, so
/// no stronger hash is needed.
#[derive(Default)]
struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

pub struct Cost {
    seed: u64,
    values: HashSet<u64, BuildHasherDefault<Ready>>,
    buckets: HashSet<i64>,
    bytes: u64,
}

impl Cost {
    pub fn new(seed: u64) -> Self {
        Self { seed, values: HashSet::default(), buckets: HashSet::new(), bytes: 0 }
    }

    pub fn add(&mut self, records: &[Record], data: &[u8]) {
        self.bytes += data.len() as u64 * ROW_FACTOR + 1;
        for record in records.iter().filter(|record| record.kind == RecordKind::Event) {
            let bucket = record.time_ms.div_euclid(BUCKET_MS);
            self.buckets.insert(bucket);
            let row = data.get(record.row.clone()).unwrap_or_default();
            let seed = self.seed ^ bucket.cast_unsigned().wrapping_mul(0x9E37_79B9_7F4A_7C15);
            self.values.extend(warehouse::counted_values(row, seed).into_iter().flatten());
        }
    }

    pub fn total(&self) -> u64 {
        let (values, buckets) = (self.values.len() as u64, self.buckets.len() as u64);
        self.bytes + values * VALUE_BYTES + buckets * BUCKET_BYTES
    }
}
