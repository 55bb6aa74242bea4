//! Sets of people who did something, by bucket of time.

use roaring::RoaringBitmap;

use super::Scope;
use super::slots::Slots;
use crate::binary::Rows;
use crate::client::Warehouse;
use crate::conditions::{Condition, EventChoice, People};
use crate::error::Error;
use crate::owners::Whose;
use crate::runtime::off_the_runtime;
use crate::statement::Statement;

/// One set for each bucket.
pub(super) type Sets = Vec<RoaringBitmap>;

/// Each person in the earliest bucket of theirs, unless they are known from before.
fn first_of_each(sets: &Sets, before: RoaringBitmap) -> Sets {
    let mut known = before;
    let firsts = sets.iter().map(|people| {
        let new = people - &known;
        known |= people;
        new
    });
    firsts.collect()
}

/// A condition without those about people that all events must meet: sets are cheaper to intersect here
/// than to look up for each event.
#[derive(Default)]
struct OnlyOf {
    among: Vec<People>,
    not_among: Vec<People>,
}

impl OnlyOf {
    fn take(&mut self, condition: &Condition) -> Condition {
        match condition {
            Condition::Among(people) => self.among.push(people.clone()),
            Condition::All(all) => {
                return Condition::All(all.iter().map(|part| self.take(part)).collect());
            }
            Condition::Not(part) => match part.as_ref() {
                Condition::Among(people) => self.not_among.push(people.clone()),
                _ => return condition.clone(),
            },
            _ => return condition.clone(),
        }
        Condition::default()
    }

    fn of(&self, mut people: RoaringBitmap) -> RoaringBitmap {
        self.among.iter().for_each(|those| people &= &*those.0);
        self.not_among.iter().for_each(|those| people -= &*those.0);
        people
    }
}

impl Warehouse {
    /// The people who did one of the chosen events in each of the buckets.
    pub(super) async fn active(
        &self,
        scope: &Scope,
        choice: &EventChoice,
        slots: &Slots,
    ) -> Result<Sets, Error> {
        if self.joins_here(scope.app).await? {
            let mut only = OnlyOf::default();
            let condition = only.take(&scope.condition);
            let scope = Scope { condition, ..scope.clone() };
            let choice = EventChoice {
                names: choice.names.clone(),
                condition: only.take(&choice.condition),
            };
            let mut this = scope.statement(self);
            let slot = slots.slot(&mut this);
            let events = scope.events(&mut this, Whose::AsSent, slots.range(), &[&choice], "time");
            this.sql = format!(
                "SELECT {slot} AS slot, groupBitmapState(person) FROM {events} GROUP BY slot"
            );
            // One after the other: a caller may have only so many statements at once.
            let [sets] = self.sets_of(this, slots).await?;
            let owners = self.current_owners(scope.app).await?;
            let resolve = move |set| only.of(owners.resolve(set));
            return off_the_runtime(move || Ok(sets.into_iter().map(resolve).collect())).await;
        }
        let mut this = scope.statement(self);
        let (slot, range) = (slots.slot(&mut this), slots.range());
        let people = scope.people_by(&mut this, self.whose(), range, &[choice], ("slot", &slot));
        this.sql = format!("SELECT slot, groupBitmapState(person) FROM {people} GROUP BY slot");
        let [sets] = self.sets_of(this, slots).await?;
        Ok(sets)
    }

    /// The people who did one thing and those who did another, in each of the buckets.
    pub(super) async fn both_active(
        &self,
        scope: &Scope,
        [one, other]: [&EventChoice; 2],
        slots: &Slots,
    ) -> Result<(Sets, Sets), Error> {
        if one == other {
            let sets = self.active(scope, one, slots).await?;
            return Ok((sets.clone(), sets));
        }
        if !self.joins_here(scope.app).await? {
            let (one, other) = (self.active(scope, one, slots), self.active(scope, other, slots));
            return tokio::try_join!(one, other);
        }
        // In one pass over the events.
        let mut only = OnlyOf::default();
        let condition = only.take(&scope.condition);
        let scope = Scope { condition, ..scope.clone() };
        let mut this = scope.statement(self);
        let slot = slots.slot(&mut this);
        let columns =
            format!("time, {} AS one, {} AS other", this.is_chosen(one), this.is_chosen(other));
        let events = scope.events(&mut this, Whose::AsSent, slots.range(), &[one, other], &columns);
        this.sql = format!(
            "SELECT {slot} AS slot, groupBitmapStateIf(person, one), \
                 groupBitmapStateIf(person, other) \
             FROM {events} GROUP BY slot"
        );
        let both: [Sets; 2] = self.sets_of(this, slots).await?;
        let owners = self.current_owners(scope.app).await?;
        let resolve = move |set| only.of(owners.resolve(set));
        off_the_runtime(move || {
            Ok(both.map(|sets| sets.into_iter().map(&resolve).collect()).into())
        })
        .await
    }

    /// The people who did one of the chosen events in each of the buckets, and those of them who had never
    /// done it before.
    pub(super) async fn active_and_first(
        &self,
        scope: &Scope,
        choice: &EventChoice,
        slots: &Slots,
    ) -> Result<(Sets, Sets), Error> {
        if !self.joins_here(scope.app).await? {
            let first = self.first_by_person(scope, choice, slots);
            return tokio::try_join!(self.active(scope, choice, slots), first);
        }
        let mut active = self.active(scope, choice, &slots.with_before()).await?;
        off_the_runtime(move || {
            let before = active.remove(0);
            let first = first_of_each(&active, before);
            Ok((active, first))
        })
        .await
    }

    /// The people who did one of the chosen events for the first time ever in each of the buckets.
    pub(super) async fn first_ever(
        &self,
        scope: &Scope,
        choice: &EventChoice,
        slots: &Slots,
    ) -> Result<Sets, Error> {
        match self.joins_here(scope.app).await? {
            true => Ok(self.active_and_first(scope, choice, slots).await?.1),
            false => self.first_by_person(scope, choice, slots).await,
        }
    }

    /// The same from each person's first time: the store joins the people, of whom there are many.
    async fn first_by_person(
        &self,
        scope: &Scope,
        choice: &EventChoice,
        slots: &Slots,
    ) -> Result<Sets, Error> {
        let mut this = scope.statement(self);
        let (from, to) = slots.range();
        let first = [("first", "min(time)")];
        let people = scope.people(&mut this, self.whose(), (0, to), &[choice], (&[], &first));
        let from = this.bind("Int64", from.into());
        this.sql = format!(
            "SELECT {} AS slot, groupBitmapState(person) FROM (\
                 SELECT person, min(first) AS time FROM {people} GROUP BY person) \
             WHERE time >= fromUnixTimestamp64Milli({from}, 'UTC') GROUP BY slot",
            slots.slot(&mut this)
        );
        let [sets] = self.sets_of(this, slots).await?;
        Ok(sets)
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

    /// The answer to a statement that asks for N sets of each bucket.
    async fn sets_of<const N: usize>(
        &self,
        statement: Statement,
        slots: &Slots,
    ) -> Result<[Sets; N], Error> {
        let mut all = std::array::from_fn(|_| vec![RoaringBitmap::new(); slots.starts.len()]);
        let answer = self.analyze(&statement).await?;
        let mut rows = Rows::new(&answer);
        while !rows.is_at_end() {
            let place = slots.place(rows.u32()?);
            for sets in &mut all {
                let set = rows.bitmap()?;
                if let Some(place) = place {
                    sets[place] |= set;
                }
            }
        }
        Ok(all)
    }
}
