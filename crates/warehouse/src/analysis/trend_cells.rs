//! A trend in one pass over the events: the store counts each stored value in each bucket, and the cells
//! are combined here. For measures where that is possible, and only if there are not too many values;
//! otherwise the groups are determined first and counted in a second pass (`trend`).
//!
//! The statement stays small, because the store takes longer to plan a large one than to go through a
//! million events.

use std::collections::HashMap;

use roaring::RoaringBitmap;

use super::groups::{BETWEEN, Found, Groups, Rank, labels_of_stored, own_labels};
use super::trend::{Aggregate, Trend, TrendGroup, TrendMeasure, TrendQuery, numbers_of, with_rest};
use crate::binary::Rows;
use crate::client::Warehouse;
use crate::conditions::{GroupBy, Property};
use crate::error::Error;
use crate::owners::Whose;
use crate::rollup_cache::Owners;
use crate::runtime::off_the_runtime;
use crate::statement::{HiddenAs, Statement, number};

/// The maximum number of cells.
const CELLS_MAX: usize = 20_000;

/// An aggregate of some events, to which others can be added.
#[derive(Clone, Debug, Default)]
struct Cell {
    /// A sum, a minimum or a maximum.
    amount: f64,
    /// How many numbers or events it is of.
    count: u64,
    people: RoaringBitmap,
}

impl Cell {
    fn add(&mut self, other: &Self, measure: &TrendMeasure) {
        self.amount = match measure {
            _ if other.count == 0 => self.amount,
            _ if self.count == 0 => other.amount,
            TrendMeasure::Number(Aggregate::Min, _) => self.amount.min(other.amount),
            TrendMeasure::Number(Aggregate::Max, _) => self.amount.max(other.amount),
            _ => self.amount + other.amount,
        };
        self.count += other.count;
        if measure.is_about_people() {
            self.people |= &other.people;
        }
    }

    fn value(&self, measure: &TrendMeasure) -> Option<f64> {
        let (count, people) = (self.count as f64, self.people.len() as f64);
        let of_some = |value: f64| (self.count > 0).then_some(value);
        match measure {
            TrendMeasure::People => Some(people),
            TrendMeasure::PerPerson => of_some(count / people),
            TrendMeasure::Number(Aggregate::Sum, _) => Some(self.amount),
            TrendMeasure::Number(Aggregate::Average, _) => of_some(self.amount / count),
            TrendMeasure::Number(..) => of_some(self.amount),
            _ => Some(count),
        }
    }
}

/// The SQL of a cell, apart from its people.
struct Parts {
    /// Columns of the events.
    columns: String,
    amount: &'static str,
    count: &'static str,
    /// Whether an event has several numbers, which are not counted here.
    has_lists: &'static str,
}

impl TrendMeasure {
    /// None if the measure cannot be combined from cells.
    fn parts(&self, this: &mut Statement) -> Option<Parts> {
        let (property, amount) = match self {
            Self::Events | Self::People | Self::PerPerson => {
                let (columns, amount) = (String::new(), "toFloat64(0)");
                return Some(Parts { columns, amount, count: "count()", has_lists: "toUInt8(0)" });
            }
            Self::Number(Aggregate::Sum | Aggregate::Average, property) => {
                (property, "ifNull(sum(single), 0)")
            }
            Self::Number(Aggregate::Min, property) => (property, "ifNull(min(single), 0)"),
            Self::Number(Aggregate::Max, property) => (property, "ifNull(max(single), 0)"),
            Self::Number(..) | Self::Devices | Self::Sessions | Self::Distinct(_) => return None,
        };
        let columns = match property {
            Property::Path(path) if this.shown.is_none() => {
                let stored = this.stored(property);
                let (quick, value, plain) = match this.quick_number(path) {
                    None => (String::new(), stored, number("value")),
                    // Only what can be something else than this number is read as text.
                    Some((quick, doubtful)) => (
                        format!(", {quick} AS quick, {doubtful} AS doubtful"),
                        format!("if(doubtful, {stored}, '')"),
                        format!("if(doubtful, {}, quick)", number("value")),
                    ),
                };
                format!(
                    "{quick}, {value} AS value, if(isFinite({plain} AS plain), plain, NULL) AS single, \
                     startsWith(value, '[') AS is_list"
                )
            }
            _ => format!(
                ", {} AS amounts, if(length(amounts) = 1, amounts[1], NULL) AS single, \
                 length(amounts) > 1 AS is_list",
                numbers_of(&this.shown_elements(property))
            ),
        };
        Some(Parts { columns, amount, count: "count(single)", has_lists: "max(is_list)" })
    }
}

/// What events are grouped by.
enum Grouped {
    /// The value as it is stored.
    Stored(Property),
    /// The labels derived from it: they depend on whose event it is, or come from elsewhere.
    Labels,
}

impl Grouped {
    /// And the expression for it.
    fn by(this: &mut Statement, by: &GroupBy, hidden_as: HiddenAs) -> (Self, String) {
        match by {
            GroupBy::Event(property) if this.shown.is_none() => {
                let stored = this.stored(property);
                (Self::Stored(property.clone()), format!("toString({stored})"))
            }
            _ => (Self::Labels, own_labels(this, by, hidden_as)),
        }
    }

    /// None if only the store can read the value.
    fn labels(&self, rows: &mut Rows<'_>) -> Result<Option<Vec<String>>, Error> {
        Ok(match self {
            Self::Stored(property) => labels_of_stored(property, rows.text()?),
            Self::Labels => Some(rows.texts()?.map(str::to_owned).collect()),
        })
    }
}

/// Events of one bucket with the same values.
struct CellOf {
    /// Indexes of the labels.
    labels: Vec<usize>,
    bucket: usize,
    events: u64,
    cell: Cell,
}

#[derive(Default)]
struct Cells {
    labels: Vec<String>,
    cells: Vec<CellOf>,
}

impl Cells {
    /// None if it takes more than these cells to answer.
    fn read(
        answer: &[u8],
        query: &TrendQuery,
        grouped: &[Grouped],
        owners: &Owners,
    ) -> Result<Option<Self>, Error> {
        let mut this = Self::default();
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut rows = Rows::new(answer);
        while !rows.is_at_end() {
            let mut labels = Vec::new();
            for (place, grouped) in grouped.iter().enumerate() {
                let Some(own) = grouped.labels(&mut rows)? else { return Ok(None) };
                labels = if place == 0 { own } else { combined(&labels, &own) };
            }
            let start = rows.u32()?;
            let (events, has_lists) = (rows.u64()?, rows.u8()?);
            let (amount, count) = (rows.f64()?, rows.u64()?);
            let people = match query.needs_people() {
                true => owners.resolve(rows.bitmap()?),
                false => RoaringBitmap::new(),
            };
            if has_lists == 1 {
                return Ok(None);
            }
            let Some(bucket) = query.slots.place(start) else { continue };
            let mut index = |label: String| {
                *known.entry(label).or_insert_with_key(|label| {
                    this.labels.push(label.clone());
                    this.labels.len() - 1
                })
            };
            let labels = labels.into_iter().map(&mut index).collect();
            this.cells.push(CellOf {
                labels,
                bucket,
                events,
                cell: Cell { amount, count, people },
            });
        }
        Ok(Some(this))
    }

    /// Each label with what it is ranked by.
    fn found(&self, rank: &Rank) -> Vec<Found> {
        let mut of_labels = vec![(RoaringBitmap::new(), 0, 0.0); self.labels.len()];
        for CellOf { labels, events, cell, .. } in &self.cells {
            for label in labels {
                let (people, events_of_label, amount) = &mut of_labels[*label];
                *people |= &cell.people;
                *events_of_label += events;
                *amount += cell.amount;
            }
        }
        let found = |(label, (people, events, amount)): (&String, (RoaringBitmap, u64, f64))| {
            let rank = match rank {
                Rank::People => people.len() as f64,
                Rank::Events => events as f64,
                Rank::Sum(_) => Rank::of_sum(amount),
            };
            Found { label: label.clone(), people: people.len(), rank }
        };
        self.labels.iter().zip(of_labels).map(found).collect()
    }

    /// Trends of so many groups, by the groups that each cell belongs to.
    fn trends(
        &self,
        query: &TrendQuery,
        count: usize,
        groups_of: impl Fn(&CellOf) -> Vec<usize>,
    ) -> Vec<Trend> {
        let mut points = vec![vec![Cell::default(); query.slots.starts.len()]; count];
        for cell in &self.cells {
            for group in groups_of(cell) {
                points[group][cell.bucket].add(&cell.cell, &query.measure);
            }
        }
        let trend = |points: &Vec<Cell>| {
            let mut total = Cell::default();
            points.iter().for_each(|point| total.add(point, &query.measure));
            let value = |cell: &Cell| cell.value(&query.measure);
            Trend { total: value(&total), points: points.iter().map(value).collect() }
        };
        points.iter().map(trend).collect()
    }

    fn answer(&self, query: &TrendQuery, hidden_as: HiddenAs) -> Answer {
        let whole = self.trends(query, 1, |_| vec![0]).pop().unwrap_or_default();
        if query.group_by.is_empty() {
            return Answer { trends: (whole, Vec::new()), hides_few: false };
        }
        let found = self.found(&query.rank());
        let hides_few = Groups::hide_few(&found);
        let groups = Groups::largest_of(found, &query.group_by, hidden_as);
        let rest = groups.count() - 1;
        let place = |label: &String| groups.labels().iter().position(|kept| kept == label);
        let places: Vec<usize> =
            self.labels.iter().map(|label| place(label).unwrap_or(rest)).collect();
        // An event with several values counts once in the rest.
        let groups_of = |cell: &CellOf| {
            let mut groups: Vec<usize> = cell.labels.iter().map(|label| places[*label]).collect();
            groups.sort_unstable();
            groups.dedup();
            groups
        };
        let trends = self.trends(query, groups.count(), groups_of);
        Answer { trends: (whole, with_rest(query, &groups, trends)), hides_few }
    }
}

struct Answer {
    trends: (Trend, Vec<TrendGroup>),
    /// Whether a hidden group is so small that it could reveal somebody.
    hides_few: bool,
}

/// Every combination of two labels.
fn combined(some: &[String], others: &[String]) -> Vec<String> {
    let with = |one: &String| {
        let one = one.clone();
        others.iter().map(move |other| format!("{one}{BETWEEN}{other}"))
    };
    some.iter().flat_map(with).collect()
}

impl TrendQuery {
    /// A group of hidden values is only shown if it is of several people.
    fn needs_people(&self) -> bool {
        self.measure.is_about_people() || self.scope.hide_personal && !self.group_by.is_empty()
    }
}

impl Warehouse {
    /// None if it takes more than one pass.
    pub(super) async fn trend_in_one_pass(
        &self,
        query: &TrendQuery,
    ) -> Result<Option<(Trend, Vec<TrendGroup>)>, Error> {
        let mut answer = self.cells(query, HiddenAs::Hidden).await?;
        if answer.as_ref().is_some_and(|answer| answer.hides_few) {
            answer = self.cells(query, HiddenAs::Nothing).await?;
        }
        Ok(answer.map(|answer| answer.trends))
    }

    async fn cells(
        &self,
        query: &TrendQuery,
        hidden_as: HiddenAs,
    ) -> Result<Option<Answer>, Error> {
        let TrendQuery { scope, event, measure, slots, group_by, .. } = query;
        let mut this = scope.statement(self);
        let Some(parts) = measure.parts(&mut this) else { return Ok(None) };
        // Looking up the owner of each event would take as long as everything else. Usually the people of
        // a cell are found here.
        let is_here = query.needs_people() && self.joins_here(scope.app).await?;
        let whose = match query.needs_people() && !is_here {
            true => self.whose(),
            false => Whose::AsSent,
        };
        let mut columns = "time".to_owned();
        let (mut keys, mut grouped) = (String::new(), Vec::new());
        for (place, by) in group_by.iter().enumerate() {
            let (own, key) = Grouped::by(&mut this, by, hidden_as);
            columns.push_str(&format!(", {key} AS key_{place}"));
            keys.push_str(&format!("key_{place}, "));
            grouped.push(own);
        }
        columns.push_str(&parts.columns);
        let events = scope.events(&mut this, whose, slots.range(), &[event], &columns);
        let Parts { amount, count, has_lists, .. } = parts;
        let people = if query.needs_people() { ", groupBitmapState(person)" } else { "" };
        this.sql = format!(
            "SELECT {keys}{} AS slot, count(), {has_lists}, {amount}, {count}{people} \
             FROM {events} GROUP BY {keys}slot",
            slots.slot(&mut this)
        );
        let answer = match self.analyze_within(&this, CELLS_MAX).await {
            Ok(answer) => answer,
            Err(error) if error.is_too_large() || error.is_about_size() => return Ok(None),
            Err(error) => return Err(error),
        };
        let owners = match is_here {
            true => self.current_owners(scope.app).await?,
            false => Default::default(),
        };
        let query = query.clone();
        off_the_runtime(move || {
            let cells = Cells::read(&answer, &query, &grouped, &owners)?;
            Ok(cells.map(|cells| cells.answer(&query, hidden_as)))
        })
        .await
    }
}
