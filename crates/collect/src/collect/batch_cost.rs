//! What a batch will cost the warehouse, estimated before it is sent. Rows cost little; every
//! value that gets counts of its own costs an entry, with a set of people, in each table of counts.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use super::batch::BUCKET_MS;
use super::record::{Record, RecordKind};

/// A row in the store's memory: as it comes, and as sorted columns.
const ROW_FACTOR: u64 = 2;
/// A value's counts by the quarter, the hour, the day and the week, each with a set of people: 1.3 KB
/// were measured with values of 90 characters.
const VALUE_BYTES: u64 = 2_000;
/// A quarter of an hour: totals in several lengths, and sessions around it counted anew.
const BUCKET_BYTES: u64 = 20_000;
/// An eighth of the engine's memory: questions are asked beside it, and parts are merged.
const SHARE_OF_MEMORY: u64 = 8;
const COST_MIN: u64 = 32 << 20;
/// However much memory there is, so many values take some two seconds.
const COST_MAX: u64 = 192 << 20;

/// What a batch may cost with an engine of so many megabytes.
pub fn limit(memory_mb: u64) -> u64 {
    ((memory_mb << 20) / SHARE_OF_MEMORY).clamp(COST_MIN, COST_MAX)
}

/// Values are told apart by hashes that are seeded with the batch's number: senders cannot aim at
/// them, so that nothing more needs to be done to them.
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
