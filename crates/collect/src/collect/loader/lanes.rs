//! Decides what is loaded next. Most apps share batches. What failed becomes a lane of its own: it is
//! tried in ever smaller parts, one step at a time, each followed by a batch of the others. An app that
//! had to be split off is then loaded by itself, in small batches at first.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::time::Duration;

use tokio::time::Instant;
use uuid::Uuid;

use super::super::spool::Attempt;
use super::batch_size::{BatchSize, MESSAGES_MAX};
use super::partitions::{PartitionTurns, Partitions};

/// The batch size with which an app that was split off starts over.
const TROUBLED_MIN: i64 = 5_000;
const RETRY_FIRST: Duration = Duration::from_secs(1);
const RETRY_LAST: Duration = Duration::from_secs(30);
/// Every waiting app gets a turn within this many.
const TURNS_REMEMBERED: u64 = 1_000;
/// Beyond this many parts, failures caused by circumstances lead to no further splitting.
const PARTS_FEW: usize = 8;

/// A part that is retried after it failed or was interrupted by a crash: one range of each of some apps,
/// all begun under one number.
#[derive(Clone, Debug)]
pub struct Part {
    pub batch: u64,
    pub attempts: Vec<Attempt>,
    pub failures: u32,
    /// The value of `Lanes::stored` at the first failure, to tell whether others succeed.
    stored_before: u64,
    due: Option<Instant>,
    /// Only a single message is left of it: its app continues without it.
    pub is_single: bool,
}

impl Part {
    pub fn new(batch: u64, attempts: Vec<Attempt>) -> Self {
        Self { batch, attempts, failures: 0, stored_before: 0, due: None, is_single: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// What failed or was interrupted.
    Again,
    /// All apps that gave no trouble.
    Together,
    /// One app that did.
    Alone,
}

pub struct Lanes {
    parts: VecDeque<Part>,
    /// Apps that are loaded separately, with their maximum batch size.
    troubled: BTreeMap<Uuid, i64>,
    last: Lane,
    /// Which of the other two lanes had the last turn that was not shared.
    last_apart: Lane,
    last_alone: Option<Uuid>,
    /// An app's last turn, as a growing number.
    turns: HashMap<Uuid, u64>,
    turn: u64,
    pub batch_size: BatchSize,
    /// Grows whenever something is stored.
    stored: u64,
    pub partition_turns: PartitionTurns,
}

impl Default for Lanes {
    fn default() -> Self {
        Self {
            parts: VecDeque::new(),
            troubled: BTreeMap::new(),
            last: Lane::Together,
            last_apart: Lane::Alone,
            last_alone: None,
            turns: HashMap::new(),
            turn: 0,
            batch_size: BatchSize::default(),
            stored: 0,
            partition_turns: PartitionTurns::default(),
        }
    }
}

impl Lanes {
    /// The lanes in the order in which to ask them for work. Every second turn is the shared lane's.
    pub fn order(&self) -> [Lane; 3] {
        let apart = match self.last_apart {
            Lane::Alone => [Lane::Again, Lane::Alone],
            _ => [Lane::Alone, Lane::Again],
        };
        match self.last {
            Lane::Together => [apart[0], apart[1], Lane::Together],
            _ => [Lane::Together, apart[0], apart[1]],
        }
    }

    pub fn served(&mut self, lane: Lane) {
        self.last = lane;
        if lane != Lane::Together {
            self.last_apart = lane;
        }
    }

    /// Adds the spool's unfinished attempts, and drops what is no longer there.
    pub fn take_up(&mut self, attempts: Vec<Attempt>) {
        let begun: HashSet<(Uuid, i64)> = attempts.iter().map(|it| (it.app, it.upto)).collect();
        for part in &mut self.parts {
            part.attempts.retain(|attempt| begun.contains(&(attempt.app, attempt.upto)));
        }
        self.parts.retain(|part| !part.attempts.is_empty());
        let known: HashSet<(Uuid, i64)> =
            self.parts.iter().flat_map(|part| &part.attempts).map(|it| (it.app, it.upto)).collect();
        // Each part has only one range per app, because they are booked by app.
        let mut new = BTreeMap::<(u64, usize), Vec<Attempt>>::new();
        let mut places = BTreeMap::<(u64, Uuid), usize>::new();
        let mut attempts = attempts;
        attempts.sort_unstable();
        for attempt in attempts.into_iter().filter(|it| !known.contains(&(it.app, it.upto))) {
            let place = places.entry((attempt.batch, attempt.app)).or_default();
            new.entry((attempt.batch, *place)).or_default().push(attempt);
            *place += 1;
        }
        self.parts.extend(new.into_iter().map(|((batch, _), some)| Part::new(batch, some)));
    }

    /// The ranges in these partitions of the next part that is due. The rest of it stays.
    pub fn due(&mut self, held: Partitions) -> Option<Part> {
        let now = Instant::now();
        let is_held = |attempt: &Attempt| held.contains(attempt.app);
        let place = self.parts.iter().position(|part| {
            part.due.is_none_or(|due| due <= now) && part.attempts.iter().any(is_held)
        })?;
        let mut part = self.parts.remove(place)?;
        let (own, rest) = part.attempts.into_iter().partition(is_held);
        part.attempts = rest;
        let own = Part { attempts: own, ..part.clone() };
        if !part.attempts.is_empty() {
            self.parts.insert(place, part);
        }
        Some(own)
    }

    /// How long until a part is due, if there is one.
    pub fn wait(&self) -> Option<Duration> {
        let now = Instant::now();
        let due = self.parts.iter().map(|part| part.due.unwrap_or(now)).min()?;
        Some(due.saturating_duration_since(now))
    }

    /// Retries these at the next opportunity, the light part before the heavy one: it holds more apps
    /// that did nothing wrong.
    pub fn put_first(&mut self, light: Part, heavy: Part) {
        self.parts.push_front(heavy);
        self.parts.push_front(light);
    }

    pub fn put_back(&mut self, part: Part) {
        if !part.attempts.is_empty() {
            self.parts.push_back(part);
        }
    }

    /// Counts a failure. The part then has to wait, longer each time up to a limit.
    pub fn failed(&mut self, part: &mut Part) {
        if part.failures == 0 {
            part.stored_before = self.stored;
        }
        part.failures += 1;
        part.due = Some(Instant::now() + pause_after(part.failures));
    }

    /// Whether something else was stored since the part first failed.
    pub fn others_are_stored(&self, part: &Part) -> bool {
        self.stored > part.stored_before
    }

    pub fn are_few(&self) -> bool {
        self.parts.len() < PARTS_FEW
    }

    /// Apps that wait for one of their parts, and those loaded separately.
    pub fn apart(&self) -> BTreeSet<Uuid> {
        self.waiting().chain(self.troubled.keys().copied()).collect()
    }

    fn waiting(&self) -> impl Iterator<Item = Uuid> {
        let parts = self.parts.iter().filter(|part| !part.is_single);
        parts.flat_map(|part| part.attempts.iter().map(|attempt| attempt.app))
    }

    /// The apps that are loaded by themselves and can be now, the next in turn first.
    pub fn alone(&self) -> Vec<Uuid> {
        let waiting: BTreeSet<Uuid> = self.waiting().collect();
        let is_free = |app: &&Uuid| !waiting.contains(app);
        let after = |app: &&Uuid| self.last_alone.is_none_or(|last| **app > last);
        let (later, sooner): (Vec<_>, Vec<_>) =
            self.troubled.keys().filter(is_free).partition(after);
        later.into_iter().chain(sooner).copied().collect()
    }

    pub fn served_alone(&mut self, app: Uuid) {
        self.last_alone = Some(app);
    }

    pub fn turns(&self) -> HashMap<Uuid, u64> {
        self.turns.clone()
    }

    /// Gives these apps their turn. Turns from long ago are forgotten, as if they had never been.
    pub fn take_turns(&mut self, apps: impl IntoIterator<Item = Uuid>) {
        self.turn += 1;
        let turn = self.turn;
        self.turns.extend(apps.into_iter().map(|app| (app, turn)));
        self.turns.retain(|_, last| *last + TURNS_REMEMBERED > turn);
    }

    /// The maximum batch size: of the shared lane, or of one app loaded by itself.
    pub fn messages_max(&self, alone: Option<Uuid>) -> i64 {
        let own = alone.and_then(|app| self.troubled.get(&app)).copied();
        own.unwrap_or(i64::MAX).min(self.batch_size.max())
    }

    /// From now on the app is loaded by itself.
    pub fn set_apart(&mut self, app: Uuid) {
        self.troubled.insert(app, TROUBLED_MIN);
    }

    /// Something was stored. The batch size of an app loaded by itself doubles until it reaches that of
    /// the shared lane, which the app then rejoins.
    pub fn stored(&mut self, alone: Option<Uuid>) {
        self.stored += 1;
        if let Some(app) = alone
            && let Some(limit) = self.troubled.get_mut(&app)
        {
            *limit *= 2;
            if *limit >= MESSAGES_MAX {
                self.troubled.remove(&app);
            }
        }
    }

    pub fn troubled(&self) -> usize {
        self.apart().len()
    }
}

fn pause_after(failures: u32) -> Duration {
    (RETRY_FIRST * 2_u32.pow(failures.clamp(1, 16) - 1)).min(RETRY_LAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(app: u128, upto: i64, batch: u64) -> Attempt {
        Attempt { app: Uuid::from_u128(app), upto, batch }
    }

    #[test]
    fn what_was_begun_is_taken_up_once_and_forgotten_when_it_is_gone() {
        let mut lanes = Lanes::default();
        let all = vec![attempt(1, 10, 7), attempt(2, 20, 7), attempt(1, 15, 7), attempt(3, 5, 8)];
        lanes.take_up(all.clone());
        lanes.take_up(all.clone());
        let parts: Vec<_> = lanes.parts.iter().map(|part| part.attempts.clone()).collect();
        assert_eq!(parts, [vec![all[0], all[1]], vec![all[2]], vec![all[3]]]);
        lanes.take_up(vec![attempt(2, 20, 7)]);
        assert_eq!(lanes.parts.len(), 1);
        assert_eq!(lanes.apart(), BTreeSet::from([Uuid::from_u128(2)]));
    }

    #[test]
    fn what_fails_waits_longer_each_time_and_at_most_half_a_minute() {
        let mut lanes = Lanes::default();
        let mut part = Part::new(1, vec![attempt(1, 1, 1)]);
        lanes.failed(&mut part);
        lanes.put_back(part);
        assert!(lanes.due(Partitions::ALL).is_none() && lanes.wait().is_some());
        let waits: Vec<u64> = (1..=8).map(|failures| pause_after(failures).as_secs()).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30, 30]);
    }

    #[test]
    fn a_part_is_tried_as_far_as_its_partitions_are_held() {
        let mut lanes = Lanes::default();
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let attempt = |app| Attempt { app, upto: 5, batch: 7 };
        lanes.put_back(Part::new(7, vec![attempt(one), attempt(two)]));
        let only = |app: Uuid| [app].into_iter().collect::<Partitions>();
        assert!(lanes.due(only(Uuid::from_u128(3))).is_none());
        assert_eq!(lanes.due(only(two)).unwrap().attempts, [attempt(two)]);
        assert!(lanes.apart().contains(&one) && !lanes.apart().contains(&two));
        assert_eq!(lanes.due(Partitions::ALL).unwrap().attempts, [attempt(one)]);
        assert!(lanes.due(Partitions::ALL).is_none());
    }

    #[test]
    fn the_lanes_take_turns() {
        let mut lanes = Lanes::default();
        let mut seen = Vec::new();
        for _ in 0..5 {
            let lane = lanes.order()[0];
            seen.push(lane);
            lanes.served(lane);
        }
        let shared = Lane::Together;
        assert_eq!(seen, [Lane::Again, shared, Lane::Alone, shared, Lane::Again]);
    }

    #[test]
    fn an_app_that_gave_trouble_comes_back_by_and_by() {
        let mut lanes = Lanes::default();
        let app = Uuid::from_u128(1);
        lanes.set_apart(app);
        assert_eq!(lanes.alone(), [app]);
        let mut batches = 0;
        while lanes.troubled() > 0 {
            assert!(lanes.messages_max(Some(app)) >= TROUBLED_MIN);
            lanes.stored(Some(app));
            batches += 1;
        }
        assert_eq!(batches, 5);
    }
}
