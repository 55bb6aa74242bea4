//! Sets of people who did something, by bucket of time.

use roaring::RoaringBitmap;

use super::{Range, Scope, slot};
use crate::binary::Rows;
use crate::client::Warehouse;
use crate::conditions::{EventChoice, People};
use crate::error::Error;
use crate::statement::Statement;

/// Consecutive buckets: the Unix time at which each starts, and at which the last one ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    pub starts: Vec<u64>,
    pub end: u64,
}

impl Slots {
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
        let slot = slot(&starts);
        let (whose, range) = (self.whose(), slots.range());
        let people = scope.people_by(&mut this, whose, range, &[choice], ("slot", &slot));
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
