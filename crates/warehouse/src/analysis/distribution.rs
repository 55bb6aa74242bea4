//! Distributions: how often people did something, on how many days, or with which amounts.

use super::slots::Slots;
use super::{Range, Scope};
use crate::binary::Rows;
use crate::client::Warehouse;
use crate::conditions::{EventChoice, People, Property};
use crate::error::Error;
use crate::statement::{Statement, number};

#[derive(Clone, Debug)]
pub struct DistributionQuery {
    pub scope: Scope,
    pub event: EventChoice,
    pub of: Quantity,
    pub range: Range,
    /// Where bins begin, in ascending order; the last one has no end, and values below the first are
    /// left out.
    pub edges: Vec<f64>,
}

#[derive(Clone, Debug)]
pub enum Quantity {
    /// Events of each person.
    Times,
    /// Distinct days of each person.
    Days(Slots),
    /// A number that events carry: people who did it with an amount in the bin.
    Property(Property),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bin {
    pub people: u64,
    pub events: u64,
}

/// What to return for each bin.
#[derive(Clone, Copy)]
enum Wanted {
    Counts,
    People,
}

impl Warehouse {
    /// One bin for each edge.
    pub async fn distribution(&self, query: &DistributionQuery) -> Result<Vec<Bin>, Error> {
        let answer = self.analyze(&self.bins(query, Wanted::Counts)).await?;
        let mut bins = vec![Bin::default(); query.edges.len()];
        let mut rows = Rows::new(&answer);
        while !rows.is_at_end() {
            let (place, people, events) = (rows.u32()?, rows.u64()?, rows.u64()?);
            if let Some(bin) = place_of(place).and_then(|place| bins.get_mut(place)) {
                *bin = Bin { people, events };
            }
        }
        Ok(bins)
    }

    /// The people in a bin, by its index.
    pub async fn distribution_people(
        &self,
        query: &DistributionQuery,
        wanted: usize,
    ) -> Result<People, Error> {
        // Everyone who did it at all: nothing needs to be counted.
        if let (Quantity::Times, [1.0], 0) = (&query.of, query.edges.as_slice(), wanted)
            && let Some(all) = Slots::one(query.range)
        {
            let mut sets = self.active(&query.scope, &query.event, &all).await?;
            return Ok(People::of(sets.swap_remove(0)));
        }
        let answer = self.analyze(&self.bins(query, Wanted::People)).await?;
        let mut rows = Rows::new(&answer);
        while !rows.is_at_end() {
            let (place, people) = (rows.u32()?, rows.bitmap()?);
            if place_of(place) == Some(wanted) {
                return Ok(People::of(people));
            }
        }
        Ok(People::default())
    }

    fn bins(&self, query: &DistributionQuery, of_bin: Wanted) -> Statement {
        let DistributionQuery { scope, event, of, range, edges } = query;
        let whose = self.whose();
        let mut this = scope.statement(self);
        let bounds = this.bind("Array(Float64)", crate::params::Param::Floats(edges.clone()));
        // The last edge that is not above the amount, counted from 1; 0 if all are.
        let bin = |amount: &str| {
            format!("toUInt32(arrayCount(edge -> edge <= toFloat64({amount}), {bounds}))")
        };
        this.sql = match of {
            Quantity::Property(property) => {
                let numbers = format!(
                    "arrayFilter(n -> isFinite(n), arrayMap(e -> {}, {})) AS amounts",
                    number("e"),
                    this.shown_elements(property)
                );
                let events = scope.events(&mut this, whose, *range, &[event], &numbers);
                let figures = match of_bin {
                    Wanted::Counts => "toUInt64(groupBitmap(person)), count()",
                    Wanted::People => "groupBitmapState(person)",
                };
                format!(
                    "SELECT bin, {figures} FROM (\
                         SELECT person, arrayJoin(arrayDistinct(arrayMap(n -> {}, amounts))) AS bin \
                         FROM {events}) GROUP BY bin",
                    bin("assumeNotNull(n)")
                )
            }
            Quantity::Times | Quantity::Days(_) => {
                let (day, amount) = match of {
                    Quantity::Days(days) => (Some(days.slot(&mut this)), "uniqExact(day)"),
                    _ => (None, "sum(times)"),
                };
                let keys: Vec<_> = day.iter().map(|day| ("day", day.as_str())).collect();
                let counted = (keys.as_slice(), [("times", "count()")].as_slice());
                let people = scope.people(&mut this, whose, *range, &[event], counted);
                let figures = match of_bin {
                    Wanted::Counts => "count(), sum(events)",
                    Wanted::People => "groupBitmapState(person)",
                };
                format!(
                    "SELECT {} AS bin, {figures} FROM (\
                         SELECT person, {amount} AS amount, sum(times) AS events FROM {people} GROUP BY person) \
                     GROUP BY bin",
                    bin("amount")
                )
            }
        };
        this
    }
}

/// Bins are counted from 1; 0 stands for values below the first.
fn place_of(bin: u32) -> Option<usize> {
    usize::try_from(bin).ok()?.checked_sub(1)
}
