//! Rows for the warehouse, and the ledger entries for them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use uuid::Uuid;
use warehouse::{EventRow, Identity, Kind, LogIdRow, MessageKey, MutationIn, ProfileRow};

use super::chance::Chance;
use atrium_collect::collect::fold;
use atrium_collect::collect::ledger::{Outcome, Tally};
use atrium_collect::collect::message::{Label, MessageType};
use atrium_collect::collect::reason::Reason;
use atrium_core::types::Millis;

/// The store prefers large parts; memory holds at most three batches.
pub const BATCH: u64 = 100_000;
/// For how long the store recognizes duplicates; newer messages are recorded there.
const REMEMBERED: i64 = 8 * Millis::DAY;
/// The length of the store's shortest buckets, in seconds.
const QUARTER: i64 = 900;

#[derive(Default)]
pub struct Batch {
    pub number: u64,
    /// How many events there are.
    pub events: u64,
    pub event_rows: Vec<u8>,
    pub mutation_rows: Vec<u8>,
    pub log_ids: Vec<u8>,
    pub profiles: Vec<ProfileRow>,
    /// Devices and users that occur for the first time.
    pub numbers: Vec<(Identity, u32)>,
    /// The quarters of an hour with events, by the Unix times at which they start.
    pub quarters: BTreeMap<Uuid, BTreeSet<u32>>,
    /// Ids of earlier messages are not recorded.
    pub remembered_since: i64,
}

impl Batch {
    pub fn new(number: u64, now: Millis) -> Self {
        Self { number, remembered_since: now.0 - REMEMBERED, ..Self::default() }
    }

    pub fn add_event(&mut self, row: &EventRow<'_>, numbering: &mut Numbering) {
        warehouse::write_event(row, &mut self.event_rows);
        let identity = |kind, id: &str| Identity::of(row.app_id, kind, id.as_bytes());
        let device = numbering.of(identity(Kind::Device, row.device_id), &mut self.numbers);
        let person = match row.user_id {
            "" => device,
            user => numbering.of(identity(Kind::User, user), &mut self.numbers),
        };
        warehouse::write_person_ids(person, device, &mut self.event_rows);
        let quarter = row.time_ms.div_euclid(QUARTER * Millis::SECOND) * QUARTER;
        let quarters = self.quarters.entry(row.app_id).or_default();
        quarters.insert(u32::try_from(quarter).unwrap_or(0));
        self.events += 1;
        self.remember((row.app_id, row.time_ms, row.log_id), row.received_ms);
    }

    /// All changes of one device or user, oldest first, and the resulting profile.
    pub fn add_profile(&mut self, changes: &[MutationIn<'_>], now: Millis) {
        let mut profile = fold::Profile::default();
        for change in changes {
            warehouse::write_mutation(change, &mut self.mutation_rows);
            self.remember((change.app_id, change.time_ms, change.log_id), change.received_ms);
            let given = serde_json::from_str(change.properties).unwrap_or_default();
            profile.apply(change.operation, given);
        }
        let Some(last) = changes.last() else { return };
        self.profiles.push(ProfileRow {
            app_id: last.app_id,
            kind: last.kind,
            id: last.id.to_owned(),
            properties: profile.into_text(),
            updated_ms: last.time_ms,
            last_log_id: last.log_id,
            deleted: false,
            version: now.0.unsigned_abs(),
        });
    }

    fn remember(&mut self, (app_id, time_ms, log_id): MessageKey, received_ms: i64) {
        if received_ms < self.remembered_since {
            return;
        }
        let received = u32::try_from(received_ms / 1_000).unwrap_or(0);
        let row = LogIdRow { app_id, time_ms, log_id, received, batch: self.number };
        warehouse::write_log_id(&row, &mut self.log_ids);
    }
}

/// Numbers for devices and users as the loader would assign them: in each app from 1 on.
#[derive(Default)]
pub struct Numbering {
    known: HashMap<Identity, u32>,
    last: HashMap<Uuid, u32>,
}

impl Numbering {
    fn of(&mut self, identity: Identity, new: &mut Vec<(Identity, u32)>) -> u32 {
        *self.known.entry(identity).or_insert_with(|| {
            let last = self.last.entry(identity.app).or_default();
            *last += 1;
            new.push((identity, *last));
            *last
        })
    }
}

pub fn uuid(chance: &mut Chance) -> Uuid {
    let random = (u128::from(chance.next()) << 64) | u128::from(chance.next());
    uuid::Builder::from_random_bytes(random.to_be_bytes()).into_uuid()
}

pub fn message_type(kind: Kind) -> MessageType {
    match kind {
        Kind::Device => MessageType::DeviceMutation,
        Kind::User => MessageType::UserMutation,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    day: usize,
    app: usize,
    kind: MessageType,
    sdk_version: &'static str,
}

/// How many messages were accepted, by the dimensions of the ledger.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Books(BTreeMap<Line, u64>);

impl Books {
    pub fn add(&mut self, app: usize, day: usize, kind: MessageType, sdk_version: &'static str) {
        *self.0.entry(Line { day, app, kind, sdk_version }).or_default() += 1;
    }

    pub fn accepted(&self, app: usize, kind: MessageType) -> u64 {
        let lines = self.0.iter().filter(|(line, _)| line.app == app && line.kind == kind);
        lines.map(|(_, count)| count).sum()
    }

    /// A tally for each day: besides accepted messages, some duplicates and some that were rejected.
    /// `date` gives the ledger's day for a day of an app.
    pub fn tallies(
        &self,
        apps: &[Uuid],
        date: impl Fn(usize, usize) -> i32,
        chance: &mut Chance,
    ) -> Vec<Tally> {
        let mut tallies = BTreeMap::<usize, Tally>::new();
        for (line, count) in &self.0 {
            let (app, day) = (apps[line.app], date(line.app, line.day));
            let label = Label { kind: line.kind, sdk_version: line.sdk_version.to_owned() };
            let tally = tallies.entry(line.day).or_default();
            let mut book = |label: &Label, outcome, count: u64| {
                if count > 0 {
                    tally.add(app, day, label, outcome, count.cast_signed());
                }
            };
            book(&label, Outcome::Accepted, *count);
            let count = *count as f64;
            book(&label, Outcome::Duplicate, chance.round(count * 0.004));
            if line.kind == MessageType::Event {
                for (rate, reason) in REJECTED {
                    book(&label, Outcome::Rejected(*reason), chance.round(count * rate));
                }
            }
        }
        tallies.into_values().collect()
    }
}

/// How many of a day's events are refused, and why.
const REJECTED: &[(f64, Reason)] = &[
    (0.0012, Reason::TimestampOutOfRange),
    (0.0008, Reason::BadProperties),
    (0.0006, Reason::BadDeviceId),
    (0.0004, Reason::BadField),
    (0.0001, Reason::MessageTooLarge),
];
