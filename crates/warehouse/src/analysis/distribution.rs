//! How often people did something, on how many days, or with which amounts.

use super::sets::Slots;
use super::{Range, Scope, slot};
use crate::binary::Rows;
use crate::client::Warehouse;
use crate::conditions::{EventChoice, People, Property};
use crate::error::Error;
use crate::statement::{NUMBER, Statement};

#[derive(Clone, Debug)]
pub struct DistributionQuery {
    pub scope: Scope,
    pub event: EventChoice,
    pub of: Quantity,
    pub range: Range,
    /// Where bins begin, in order; the last one has no end, and what lies before the first is left out.
    pub edges: Vec<f64>,
}

#[derive(Clone, Debug)]
pub enum Quantity {
    /// Events of each person.
    Times,
    /// Different days of each person.
    Days(Slots),
    /// A number that events carry: whoever did it with an amount in the bin.
    Property(Property),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bin {
    pub people: u64,
    pub events: u64,
}

/// What is told of each bin.
#[derive(Clone, Copy)]
enum Told {
    Counts,
    People,
}

impl Warehouse {
    /// One bin for each edge.
    pub async fn distribution(&self, query: &DistributionQuery) -> Result<Vec<Bin>, Error> {
        let answer = self.analyze(&self.bins(query, Told::Counts)).await?;
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

    /// Who is in the bin of a place.
    pub async fn distribution_people(
        &self,
        query: &DistributionQuery,
        wanted: usize,
    ) -> Result<People, Error> {
        let answer = self.analyze(&self.bins(query, Told::People)).await?;
        let mut rows = Rows::new(&answer);
        while !rows.is_at_end() {
            let (place, people) = (rows.u32()?, rows.bitmap()?);
            if place_of(place) == Some(wanted) {
                return Ok(People::of(people));
            }
        }
        Ok(People::default())
    }

    fn bins(&self, query: &DistributionQuery, told: Told) -> Statement {
        let DistributionQuery { scope, event, of, range, edges } = query;
        let whose = self.whose();
        let mut this = scope.statement(self);
        let bounds = this.bind("Array(Float64)", crate::params::Param::Floats(edges.clone()));
        // The last edge that is not above it, counted from 1; 0 where all are.
        let bin = |amount: &str| {
            format!("toUInt32(arrayCount(edge -> edge <= toFloat64({amount}), {bounds}))")
        };
        this.sql = match of {
            Quantity::Property(property) => {
                let numbers = format!(
                    "arrayFilter(n -> isFinite(n), arrayMap(e -> {NUMBER}, {})) AS amounts",
                    this.shown_elements(property)
                );
                let events = scope.events(&mut this, whose, *range, &[event], &numbers);
                let told = match told {
                    Told::Counts => "toUInt64(groupBitmap(person)), count()",
                    Told::People => "groupBitmapState(person)",
                };
                format!(
                    "SELECT bin, {told} FROM (\
                         SELECT person, arrayJoin(arrayDistinct(arrayMap(n -> {}, amounts))) AS bin \
                         FROM {events}) GROUP BY bin",
                    bin("assumeNotNull(n)")
                )
            }
            Quantity::Times | Quantity::Days(_) => {
                let (columns, amount) = match of {
                    Quantity::Days(days) => {
                        let starts = this.bind("Array(UInt32)", days.starts.clone().into());
                        (format!("{} AS day", slot(&starts)), "uniqExact(day)")
                    }
                    _ => ("1 AS one".to_owned(), "count()"),
                };
                let events = scope.events(&mut this, whose, *range, &[event], &columns);
                let told = match told {
                    Told::Counts => "count(), sum(events)",
                    Told::People => "groupBitmapState(person)",
                };
                format!(
                    "SELECT {} AS bin, {told} FROM (\
                         SELECT person, {amount} AS amount, count() AS events FROM {events} GROUP BY person) \
                     GROUP BY bin",
                    bin("amount")
                )
            }
        };
        this
    }
}

/// Bins are counted from 1; 0 is what lies before the first.
fn place_of(bin: u32) -> Option<usize> {
    usize::try_from(bin).ok()?.checked_sub(1)
}
