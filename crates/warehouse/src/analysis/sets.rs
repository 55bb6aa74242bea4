//! Sets of people who did something, by bucket of time.

use roaring::RoaringBitmap;

use super::{Range, Scope, slot};
use crate::binary::Rows;
use crate::client::Warehouse;
use crate::conditions::{EventChoice, People};
use crate::error::Error;
use crate::owners::Whose;
use crate::rollup_cache::Owners;
use crate::runtime::off_the_runtime;
use crate::statement::Statement;

/// Consecutive buckets: the Unix time at which each starts, and at which the last one ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    pub starts: Vec<u64>,
    pub end: u64,
}

impl Slots {
    /// A range as one bucket; None if it does not begin and end with a second.
    pub(super) fn one((from, to): Range) -> Option<Self> {
        let seconds = |ms: i64| u64::try_from(ms / 1_000).ok().filter(|_| ms % 1_000 == 0);
        Some(Self { starts: vec![seconds(from)?], end: seconds(to)? })
    }

    /// Only the bucket at an index.
    pub fn only(&self, place: usize) -> Option<Self> {
        let start = *self.starts.get(place)?;
        let end = self.starts.get(place + 1).copied().unwrap_or(self.end);
        Some(Self { starts: vec![start], end })
    }

    pub(super) fn range(&self) -> Range {
        let from = self.starts.first().copied().unwrap_or(self.end);
        let ms = |seconds: u64| i64::try_from(seconds).unwrap_or(i64::MAX / 1_000) * 1_000;
        (ms(from), ms(self.end))
    }

    /// The index of the bucket that starts at a Unix time.
    pub(super) fn place(&self, start: u32) -> Option<usize> {
        self.starts.binary_search(&u64::from(start)).ok()
    }
}

/// One set for each bucket.
pub(super) type Sets = Vec<RoaringBitmap>;

/// Each person in the earliest bucket that has a number of theirs; without the first bucket.
fn first_of_each(sets: Sets, owners: &Owners) -> Sets {
    let mut known = RoaringBitmap::new();
    let firsts = sets.into_iter().map(|numbers| {
        let people = owners.resolve(numbers) - &known;
        known |= &people;
        people
    });
    firsts.skip(1).collect()
}

impl Warehouse {
    /// The people who did one of the chosen events in each of the buckets.
    pub(super) async fn active(
        &self,
        scope: &Scope,
        choice: &EventChoice,
        slots: &Slots,
    ) -> Result<Sets, Error> {
        let mut this = scope.statement(self);
        let starts = this.bind("Array(UInt32)", slots.starts.clone().into());
        let (slot, range) = (slot(&starts), slots.range());
        if self.joins_here(scope.app).await? {
            let events = scope.events(&mut this, Whose::AsSent, range, &[choice], "time");
            this.sql = format!(
                "SELECT {slot} AS slot, groupBitmapState(person) FROM {events} GROUP BY slot"
            );
            // One after the other: a caller may have only so many statements at once.
            let sets = self.sets_of(this, slots).await?;
            let owners = self.current_owners(scope.app).await?;
            let resolve = move || Ok(sets.into_iter().map(|set| owners.resolve(set)).collect());
            return off_the_runtime(resolve).await;
        }
        let people = scope.people_by(&mut this, self.whose(), range, &[choice], ("slot", &slot));
        this.sql = format!("SELECT slot, groupBitmapState(person) FROM {people} GROUP BY slot");
        self.sets_of(this, slots).await
    }

    /// The people who did one of the chosen events for the first time ever in each of the buckets.
    pub(super) async fn first_ever(
        &self,
        scope: &Scope,
        choice: &EventChoice,
        slots: &Slots,
    ) -> Result<Sets, Error> {
        let mut this = scope.statement(self);
        let (from, to) = slots.range();
        let starts = this.bind("Array(UInt32)", slots.starts.clone().into());
        if self.joins_here(scope.app).await? {
            let events = scope.events(&mut this, Whose::AsSent, (0, to), &[choice], "time AS at");
            let from = this.bind("Int64", from.into());
            // The first set is of those who did it before the range.
            this.sql = format!(
                "SELECT if(time < fromUnixTimestamp64Milli({from}, 'UTC'), 0, {}) AS slot, \
                     groupBitmapState(person) \
                 FROM (SELECT person, min(at) AS time FROM {events} GROUP BY person) GROUP BY slot",
                slot(&starts)
            );
            let all = Slots { starts: [&[0], slots.starts.as_slice()].concat(), end: slots.end };
            let sets = self.sets_of(this, &all).await?;
            let owners = self.current_owners(scope.app).await?;
            return off_the_runtime(move || Ok(first_of_each(sets, &owners))).await;
        }
        let first = [("first", "min(time)")];
        let people = scope.people(&mut this, self.whose(), (0, to), &[choice], (&[], &first));
        let from = this.bind("Int64", from.into());
        this.sql = format!(
            "SELECT {} AS slot, groupBitmapState(person) FROM (\
                 SELECT person, min(first) AS time FROM {people} GROUP BY person) \
             WHERE time >= fromUnixTimestamp64Milli({from}, 'UTC') GROUP BY slot",
            slot(&starts)
        );
        self.sets_of(this, slots).await
    }

    /// The answer to a statement that asks for one set of people.
    pub(super) async fn one_set(&self, statement: &Statement) -> Result<People, Error> {
        let answer = self.analyze(statement).await?;
        let mut rows = Rows::new(&answer);
        let mut people = RoaringBitmap::new();
        while !rows.is_at_end() {
            people |= rows.bitmap()?;
        }
        Ok(People::of(people))
    }

    async fn sets_of(&self, statement: Statement, slots: &Slots) -> Result<Sets, Error> {
        let mut sets = vec![RoaringBitmap::new(); slots.starts.len()];
        let answer = self.analyze(&statement).await?;
        let mut rows = Rows::new(&answer);
        while !rows.is_at_end() {
            let (start, set) = (rows.u32()?, rows.bitmap()?);
            if let Some(place) = slots.place(start) {
                sets[place] |= set;
            }
        }
        Ok(sets)
    }
}
