//! A part of the spool on its way into the event store.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use uuid::Uuid;
use warehouse::{Identity, Kind};

use super::ledger::Tally;
use super::recent::MessageId;
use super::record::{self, Record, RecordKind};
use super::spool::{Chunk, FORMAT};

/// A quarter of an hour: what the rollups count in.
const BUCKET_MS: i64 = 15 * 60 * 1_000;

/// Whom an event is about.
pub struct People {
    /// The user, or the device of someone who never said their name.
    pub person: Identity,
    pub device: Identity,
}

pub type Subjects = BTreeMap<(Uuid, Kind), BTreeMap<String, i64>>;

pub struct Batch {
    pub number: u64,
    pub upto: i64,
    buffers: Vec<Vec<u8>>,
    /// Which buffer a record lies in, and the record.
    records: Vec<(usize, Record)>,
    tallies: Vec<Tally>,
}

impl Batch {
    /// Reads a chunk; the second of two records with one id is dropped and booked as such.
    pub fn read(number: u64, chunk: Chunk) -> anyhow::Result<Self> {
        let mut batch = Self {
            number,
            upto: chunk.upto,
            buffers: Vec::new(),
            records: Vec::new(),
            tallies: Vec::new(),
        };
        let mut decoded = Vec::new();
        for group in chunk.groups {
            anyhow::ensure!(
                group.format == FORMAT,
                "the spool holds messages in format {}, which this version does not read",
                group.format
            );
            record::decode(&group.data, &mut decoded)?;
            let buffer = batch.buffers.len();
            batch.records.extend(decoded.drain(..).map(|record| (buffer, record)));
            batch.buffers.push(group.data);
            batch.tallies.push(group.tally);
        }
        let mut seen = HashSet::new();
        batch.drop_where(|record| !seen.insert((record.app, record.log_id)));
        Ok(batch)
    }

    pub fn count(&self) -> usize {
        self.records.len()
    }

    pub fn ids(&self) -> Vec<MessageId> {
        self.records.iter().map(|(_, record)| (record.app, record.log_id)).collect()
    }

    pub fn apps(&self) -> BTreeSet<Uuid> {
        self.records.iter().map(|(_, record)| record.app).collect()
    }

    /// From the earliest to the latest moment that a message names.
    pub fn time_range(&self) -> (i64, i64) {
        let times = || self.records.iter().map(|(_, record)| record.time_ms);
        (times().min().unwrap_or(0), times().max().unwrap_or(0))
    }

    /// Drops what is stored already under another batch and books it as duplicate.
    pub fn drop_known(&mut self, known: &HashSet<MessageId>) {
        self.drop_where(|record| known.contains(&(record.app, record.log_id)));
    }

    /// Forgets about apps that are gone.
    pub fn keep_apps(&mut self, living: &HashSet<Uuid>) {
        self.records.retain(|(_, record)| living.contains(&record.app));
    }

    fn drop_where(&mut self, mut twin: impl FnMut(&Record) -> bool) {
        let mut tally = Tally::default();
        self.records.retain(|(_, record)| {
            let is_twin = twin(record);
            if is_twin {
                let kind = record.kind.message_type();
                tally.move_to_duplicate(record.app, record.day, kind, &record.sdk_version);
            }
            !is_twin
        });
        self.tallies.push(tally);
    }

    pub fn take_tally(&mut self) -> Tally {
        let mut over_limit = Tally::default();
        for (_, record) in self.records.iter().filter(|(_, record)| record.over_limit != 0) {
            over_limit.remark(record.app, record.day, record.over_limit);
        }
        self.tallies.push(over_limit);
        Tally::combine(std::mem::take(&mut self.tallies))
    }

    /// The events with their rows, to be marked.
    pub fn events_mut(&mut self) -> impl Iterator<Item = (&mut Record, &[u8])> {
        let buffers = &self.buffers;
        self.records.iter_mut().filter_map(|(buffer, record)| {
            let row = buffers.get(*buffer)?.get(record.row.clone())?;
            (record.kind == RecordKind::Event).then_some((record, row))
        })
    }

    /// Whom each record is about; None for what is no event.
    pub fn people(&self) -> impl Iterator<Item = Option<People>> {
        self.records.iter().map(|(buffer, record)| {
            if record.kind != RecordKind::Event {
                return None;
            }
            let (device, user) = warehouse::subjects(self.row(*buffer, record)?)?;
            let device = Identity::of(record.app, Kind::Device, device);
            let person = match user {
                [] => device,
                user => Identity::of(record.app, Kind::User, user),
            };
            Some(People { person, device })
        })
    }

    /// The rows of all events but those named, each with the numbers of its person and device.
    pub fn events(&self, but: &HashSet<MessageId>, numbers: &[(u32, u32)]) -> Vec<u8> {
        let mut rows = Vec::new();
        for ((buffer, record), (person, device)) in self.records.iter().zip(numbers) {
            if record.kind == RecordKind::Event
                && !but.contains(&(record.app, record.log_id))
                && let Some(row) = self.row(*buffer, record)
            {
                rows.extend_from_slice(row);
                warehouse::write_numbers_over_limit(*person, *device, record.over_limit, &mut rows);
            }
        }
        rows
    }

    /// The rows of all mutations but those named.
    pub fn mutations(&self, but: &HashSet<MessageId>) -> Vec<u8> {
        let wanted = self.records.iter().filter(|(_, record)| {
            record.kind != RecordKind::Event && !but.contains(&(record.app, record.log_id))
        });
        let rows = wanted.filter_map(|(buffer, record)| self.row(*buffer, record));
        rows.collect::<Vec<_>>().concat()
    }

    fn row(&self, buffer: usize, record: &Record) -> Option<&[u8]> {
        self.buffers.get(buffer)?.get(record.row.clone())
    }

    /// Whose profiles change, per app and kind, and the earliest moment of each one's changes.
    pub fn subjects(&self) -> Subjects {
        let mut subjects = Subjects::new();
        for (_, record) in &self.records {
            let kind = match record.kind {
                RecordKind::Event => continue,
                RecordKind::DeviceMutation => Kind::Device,
                RecordKind::UserMutation => Kind::User,
            };
            let of_app = subjects.entry((record.app, kind)).or_default();
            let first = of_app.entry(record.subject.clone()).or_insert(record.time_ms);
            *first = record.time_ms.min(*first);
        }
        subjects
    }

    /// The quarters of an hour that events lie in, per app.
    pub fn buckets(&self) -> BTreeMap<Uuid, BTreeSet<u32>> {
        let mut buckets = BTreeMap::<_, BTreeSet<u32>>::new();
        for (_, record) in self.records.iter().filter(|(_, r)| r.kind == RecordKind::Event) {
            let start = record.time_ms.div_euclid(BUCKET_MS) * BUCKET_MS / 1_000;
            buckets.entry(record.app).or_default().insert(u32::try_from(start).unwrap_or(0));
        }
        buckets
    }
}
