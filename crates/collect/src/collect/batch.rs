//! A part of the spool on its way to the warehouse.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use uuid::Uuid;
use warehouse::{Identity, Kind, MessageKey};

use super::batch_choice::{Choice, Room};
use super::dedup::MessageId;
use super::figures::BatchTimer;
use super::ledger::{Outcome, Tally};
use super::record::{self, Record, RecordKind};
use super::spool::{Attempt, FORMAT, Group, Range};

/// A quarter of an hour, the unit of the rollups.
pub const BUCKET_MS: i64 = 15 * 60 * 1_000;

/// Whom an event is about.
pub struct People {
    /// The user, or the device if its user never identified themselves.
    pub person: Identity,
    pub device: Identity,
    pub time_ms: i64,
}

/// A user was signed in on a device, given by its number.
pub struct SignIn {
    pub app: Uuid,
    pub device: u32,
    pub time_ms: i64,
}

pub type Subjects = BTreeMap<(Uuid, Kind), BTreeMap<String, i64>>;

#[derive(Default)]
pub struct Batch {
    pub number: u64,
    /// Unreadable groups, each of which blocks its app.
    pub unreadable: Vec<(Group, String)>,
    /// The groups in this batch, by app.
    ranges: BTreeMap<Uuid, Range>,
    buffers: Vec<Vec<u8>>,
    /// Each record, with the index of the buffer it lies in.
    records: Vec<(usize, Record)>,
    tallies: Vec<Tally>,
    /// Those that may have given a device a new owner.
    pub sign_ins: Vec<SignIn>,
    timer: BatchTimer,
}

/// How groups become a batch.
struct Reading {
    batch: Batch,
    seen: HashSet<MessageId>,
    /// Apps that are closed to further groups: later messages must not be stored before earlier ones.
    closed: BTreeSet<Uuid>,
}

impl Reading {
    fn new(number: u64) -> Self {
        let batch = Batch { number, ..Batch::default() };
        Self { batch, seen: HashSet::new(), closed: BTreeSet::new() }
    }

    /// Whether one of the messages is already in this batch. In a batch of its own a repeat would be
    /// recognized as stored, but not while this batch is split again and again because something in it
    /// fails.
    fn has_duplicate(&self, records: &[Record]) -> bool {
        records.iter().any(|record| self.seen.contains(&(record.app, record.log_id)))
    }

    fn keep(&mut self, group: Group, records: Vec<Record>) {
        let Self { batch, seen, .. } = self;
        let range = batch.ranges.entry(group.app).or_insert(Range {
            app: group.app,
            after: group.seq - 1,
            upto: group.seq,
        });
        range.upto = group.seq;
        let buffer = batch.buffers.len();
        batch.tallies.push(group.tally);
        let mut duplicates = Tally::default();
        for record in records {
            if seen.insert((record.app, record.log_id)) {
                batch.records.push((buffer, record));
            } else {
                let (kind, version) = (record.kind.message_type(), &record.sdk_version);
                duplicates.move_from_accepted(
                    record.app,
                    record.day,
                    kind,
                    version,
                    Outcome::Duplicate,
                );
            }
        }
        batch.tallies.push(duplicates);
        batch.buffers.push(group.data);
    }

    /// Takes no more from an app whose next group cannot be read. A group in a later version's format
    /// waits for that version; a damaged one must be set aside.
    fn close(&mut self, group: Group) {
        let at_head = self.closed.insert(group.app) && !self.batch.ranges.contains_key(&group.app);
        if group.format != FORMAT {
            tracing::error!(
                format = group.format,
                "the spool contains messages that only a newer version can read"
            );
        } else if at_head && let Err(error) = record::decode(&group.data, &mut Vec::new()) {
            self.batch.unreadable.push((group, error.to_string()));
        }
    }

    fn finish(self) -> Batch {
        self.batch
    }
}

impl Batch {
    /// Makes a batch of untried groups, no larger than the store can take at once. The remaining groups
    /// are left for a later batch.
    pub fn fresh(number: u64, groups: Vec<Group>, room: Room) -> Self {
        let mut reading = Reading::new(number);
        let stuck = Choice::new(number, groups, room).each(|group, records| {
            let is_new = !reading.has_duplicate(&records);
            if is_new {
                reading.keep(group, records);
            }
            is_new
        });
        for group in stuck {
            reading.close(group);
        }
        reading.finish()
    }

    /// Reads all groups of a batch that was begun earlier.
    pub fn begun(number: u64, groups: Vec<Group>) -> Self {
        let mut reading = Reading::new(number);
        for group in groups {
            let mut records = Vec::new();
            let is_known = group.format == FORMAT && !reading.closed.contains(&group.app);
            if is_known && record::decode(&group.data, &mut records).is_ok() {
                reading.keep(group, records);
            } else {
                reading.close(group);
            }
        }
        reading.finish()
    }

    /// What must be recorded before loading starts.
    pub fn attempts(&self) -> Vec<Attempt> {
        let batch = self.number;
        self.ranges
            .values()
            .map(|Range { app, upto, .. }| Attempt { app: *app, upto: *upto, batch })
            .collect()
    }

    pub fn ranges(&self) -> Vec<Range> {
        self.ranges.values().copied().collect()
    }

    /// For a batch that was begun earlier: it covers exactly its attempts, even if nothing is left of
    /// them.
    pub fn keep_attempts(&mut self, attempts: &[Attempt]) {
        for Attempt { app, upto, .. } in attempts {
            let whole = Range { app: *app, after: upto - 1, upto: *upto };
            self.ranges.entry(*app).or_insert(whole).upto = *upto;
        }
    }

    /// The number of messages of each app.
    pub fn weights(&self) -> BTreeMap<Uuid, usize> {
        let mut weights = BTreeMap::new();
        for (_, record) in &self.records {
            *weights.entry(record.app).or_default() += 1;
        }
        weights
    }

    /// Books all its messages under an outcome other than accepted.
    pub fn reject(&mut self, outcome: Outcome) {
        self.move_where(outcome, |_| true);
    }

    pub fn count(&self) -> usize {
        self.records.len()
    }

    pub fn ids(&self) -> Vec<MessageKey> {
        let id = |(_, record): &(usize, Record)| (record.app, record.time_ms, record.log_id);
        self.records.iter().map(id).collect()
    }

    pub fn apps(&self) -> BTreeSet<Uuid> {
        self.records.iter().map(|(_, record)| record.app).collect()
    }

    /// The earliest and the latest time in any message.
    pub fn time_range(&self) -> (i64, i64) {
        let times = || self.records.iter().map(|(_, record)| record.time_ms);
        (times().min().unwrap_or(0), times().max().unwrap_or(0))
    }

    /// Drops messages that are already stored under another batch, and books them as duplicates.
    pub fn drop_known(&mut self, known: &HashSet<MessageId>) {
        self.move_where(Outcome::Duplicate, |record| known.contains(&(record.app, record.log_id)));
    }

    /// Drops messages of apps that no longer exist.
    pub fn keep_apps(&mut self, living: &HashSet<Uuid>) {
        self.records.retain(|(_, record)| living.contains(&record.app));
    }

    /// Drops messages that were counted as accepted, and counts them under another outcome.
    fn move_where(&mut self, outcome: Outcome, mut is_meant: impl FnMut(&Record) -> bool) {
        let mut tally = Tally::default();
        self.records.retain(|(_, record)| {
            let meant = is_meant(record);
            if meant {
                let (kind, version) = (record.kind.message_type(), &record.sdk_version);
                tally.move_from_accepted(record.app, record.day, kind, version, outcome);
            }
            !meant
        });
        self.tallies.push(tally);
    }

    /// The counts to book once the whole batch is stored. Also reports how long that took.
    pub fn take_tally(&mut self) -> Tally {
        self.timer.stored();
        let mut over_limit = Tally::default();
        for (_, record) in self.records.iter().filter(|(_, record)| record.over_limit != 0) {
            over_limit.remark(record.app, record.day, record.over_limit);
        }
        self.tallies.push(over_limit);
        Tally::combine(std::mem::take(&mut self.tallies))
    }

    /// The events with their rows, for marking.
    pub fn events_mut(&mut self) -> impl Iterator<Item = (&mut Record, &[u8])> {
        let buffers = &self.buffers;
        self.records.iter_mut().filter_map(|(buffer, record)| {
            let row = buffers.get(*buffer)?.get(record.row.clone())?;
            (record.kind == RecordKind::Event).then_some((record, row))
        })
    }

    /// Whom each record is about; None if it is not an event.
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
            Some(People { person, device, time_ms: record.time_ms })
        })
    }

    /// The rows of all events except those in `but`, each with the numbers of its person and device.
    pub fn events(&self, but: &HashSet<MessageId>, ids: &[(u32, u32)]) -> Vec<u8> {
        let mut rows = Vec::new();
        for ((buffer, record), (person, device)) in self.records.iter().zip(ids) {
            if record.kind == RecordKind::Event
                && !but.contains(&(record.app, record.log_id))
                && let Some(row) = self.row(*buffer, record)
            {
                rows.extend_from_slice(row);
                warehouse::write_person_ids_over_limit(
                    *person,
                    *device,
                    record.over_limit,
                    &mut rows,
                );
            }
        }
        rows
    }

    /// The rows of all mutations except those in `but`.
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

    /// Whose profiles change, per app and kind, with the earliest time of each one's changes.
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

    /// The quarter hours that contain events, per app.
    pub fn buckets(&self) -> BTreeMap<Uuid, BTreeSet<u32>> {
        let mut buckets = BTreeMap::<_, BTreeSet<u32>>::new();
        for (_, record) in self.records.iter().filter(|(_, r)| r.kind == RecordKind::Event) {
            let start = record.time_ms.div_euclid(BUCKET_MS) * BUCKET_MS / 1_000;
            buckets.entry(record.app).or_default().insert(u32::try_from(start).unwrap_or(0));
        }
        buckets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(messages: u64, cost: u64) -> Room {
        Room { messages, cost }
    }

    fn group(app: u128, seq: i64, values: std::ops::Range<u32>) -> Group {
        let app = Uuid::from_u128(app);
        let mut data = Vec::new();
        for value in values.clone() {
            let (text, log_id) = (format!("value {value}"), Uuid::from_u128(value.into()));
            let mut row = Vec::new();
            let event = warehouse::EventRow {
                app_id: app,
                time_ms: 0,
                event: &text,
                log_id,
                device_id: "",
                user_id: "",
                sdk_type: "",
                sdk_version: "",
                timezone_offset: 0.0,
                os: &text,
                language: &text,
                url_path: "",
                device_type: &text,
                browser: &text,
                browser_version: "",
                user_agent: "",
                client_version: "",
                source: "",
                properties: "",
                received_ms: 0,
            };
            warehouse::write_event(&event, &mut row);
            let record = Record {
                kind: RecordKind::Event,
                app,
                log_id,
                time_ms: 0,
                day: 0,
                sdk_version: String::new(),
                subject: String::new(),
                row: 0..row.len(),
                over_limit: 0,
            };
            record.encode(&row, &mut data);
        }
        let messages = i64::try_from(values.len()).unwrap();
        Group { app, seq, at: 1, format: FORMAT, messages, tally: Tally::default(), data }
    }

    #[test]
    fn a_batch_is_no_more_than_the_store_can_take() {
        let groups = || {
            let mut groups: Vec<_> = (0..10)
                .map(|place| group(1, place.into(), place * 100..place * 100 + 100))
                .collect();
            groups.push(group(2, 11, 0..1));
            groups
        };
        let all = Batch::fresh(1, groups(), room(u64::MAX, u64::MAX));
        assert_eq!(all.count(), 1_001);
        // A hundred messages with five new values each: about a megabyte.
        let some = Batch::fresh(1, groups(), room(u64::MAX, 8 << 20));
        let weights = some.weights();
        assert_eq!(weights[&Uuid::from_u128(2)], 1, "another app finds room");
        assert!((200..900).contains(&weights[&Uuid::from_u128(1)]), "{weights:?}");
        // The end is left out, and stays in the spool.
        let taken = i64::try_from(weights[&Uuid::from_u128(1)]).unwrap() / 100;
        assert_eq!(some.ranges()[0].upto, taken - 1);
        let least = Batch::fresh(1, groups(), room(u64::MAX, 1));
        assert_eq!(least.count(), 100, "one group is always taken");
    }

    #[test]
    fn a_backlog_leaves_room_for_everybody_and_takes_turns() {
        // One app's groups exceed what a whole batch may take, which happens when the store is slow; two
        // other apps have sent a message each.
        let groups = |first: u128, second: u128| {
            let mut all = vec![group(first, 1, 0..1_000), group(first, 2, 1_000..2_000)];
            all.extend([group(second, 3, 0..1_000), group(8, 4, 0..1), group(9, 5, 0..1)]);
            all
        };
        let batch = Batch::fresh(1, groups(1, 2), room(1_000, u64::MAX));
        let weights = |batch: &Batch| batch.weights().into_values().collect::<Vec<_>>();
        assert_eq!(weights(&batch), [1_000, 1, 1], "the first of the heavy ones, and the others");
        let next = Batch::fresh(1, groups(2, 1), room(1_000, u64::MAX));
        assert_eq!(next.ranges()[0].app, Uuid::from_u128(2));
        let roomy = Batch::fresh(1, groups(1, 2), room(4_000, u64::MAX));
        assert_eq!(weights(&roomy), [2_000, 1_000, 1, 1], "what room is left is filled");
        // A trickle of small groups keeps its share beside a backlog.
        let mut trickle = vec![group(1, 1, 0..1_000)];
        trickle.extend((2..500).map(|at| group(2, i64::from(at), at..at + 1)));
        let batch = Batch::fresh(1, trickle, room(1_000, u64::MAX));
        assert_eq!(weights(&batch), [1_000, 498]);
    }

    #[test]
    fn a_message_that_comes_twice_waits_for_the_next_batch() {
        let groups = vec![group(1, 1, 0..10), group(1, 2, 5..6), group(1, 3, 20..30)];
        let batch = Batch::fresh(1, groups, room(u64::MAX, u64::MAX));
        assert_eq!((batch.count(), batch.ranges()[0].upto), (10, 1));
    }
}
