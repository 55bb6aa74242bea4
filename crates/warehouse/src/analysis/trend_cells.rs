//! A trend by group in one pass over the events: the store counts each value in each bucket, and the
//! cells are combined here. For measures where that is possible, and only if there are not too many
//! values; otherwise the groups are determined first and counted in a second pass (`trend`).

use std::collections::BTreeMap;

use roaring::RoaringBitmap;

use super::groups::{Belongs, Groups, cross_product, labels_of, own_labels};
use super::slot;
use super::trend::{Aggregate, COUNT, SUM, Trend, TrendGroup, TrendMeasure, TrendQuery, with_rest};
use crate::binary::Rows;
use crate::client::Warehouse;
use crate::conditions::GroupBy;
use crate::error::Error;
use crate::owners::Whose;
use crate::rollup_cache::Owners;
use crate::runtime::off_the_runtime;
use crate::statement::{HiddenAs, Statement, elements_of};

/// The maximum number of cells.
const CELLS_MAX: usize = 20_000;
/// The label of all events together. No group has it: other labels begin with their kind.
const WHOLE: &str = "";

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
        self.people |= &other.people;
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

/// How the parts of a cell are combined.
struct Parts {
    amount: &'static str,
    count: &'static str,
    /// The aggregate function over the amounts that exist.
    together: &'static str,
}

impl TrendMeasure {
    /// None if the measure cannot be combined from parts.
    fn parts(&self) -> Option<Parts> {
        let (amount, together) = match self {
            Self::Events | Self::People | Self::PerPerson => {
                return Some(Parts { amount: "0", count: "count()", together: "sum" });
            }
            Self::Number(Aggregate::Sum | Aggregate::Average, _) => {
                return Some(Parts { amount: SUM, count: COUNT, together: "sum" });
            }
            Self::Number(Aggregate::Min, _) => ("minArray(amounts)", "min"),
            Self::Number(Aggregate::Max, _) => ("maxArray(amounts)", "max"),
            Self::Number(..) | Self::Devices | Self::Sessions | Self::Distinct(_) => return None,
        };
        Some(Parts { amount, count: "countArray(amounts)", together })
    }
}

/// The named keys that events are first grouped by, and the expression for the labels derived from them.
/// Labels take longer to compute than anything else, and many events share theirs.
fn keys(
    this: &mut Statement,
    group_by: &[GroupBy],
    hidden_as: HiddenAs,
) -> (Vec<(String, String)>, String) {
    let (mut keys, mut labels) = (Vec::new(), Vec::new());
    for (place, by) in group_by.iter().enumerate() {
        let name = format!("key_{place}");
        match by {
            // With hidden values, the labels depend on whose event it is.
            GroupBy::Event(property) if this.shown.is_none() => {
                labels.push(labels_of(this, property, &elements_of(property, &name), hidden_as));
                keys.push((name, this.stored(property)));
            }
            _ => {
                labels.push(name.clone());
                keys.push((name, own_labels(this, by, hidden_as)));
            }
        }
    }
    (keys, cross_product(&labels, Belongs::ToEach))
}

/// The cells of each label, one for each bucket.
#[derive(Default)]
struct Cells {
    by_label: BTreeMap<String, Vec<Cell>>,
    /// Whether any event has several labels: such groups cannot be added up.
    overlap: bool,
}

impl Cells {
    fn read(answer: &[u8], query: &TrendQuery, owners: &Owners) -> Result<Self, Error> {
        let mut this = Self::default();
        let mut rows = Rows::new(answer);
        while !rows.is_at_end() {
            let (label, start) = (rows.text()?, rows.u32()?);
            let (amount, count) = (rows.f64()?, rows.u64()?);
            let (overlap, people) = (rows.u8()?, rows.bitmap()?);
            this.overlap |= overlap == 1;
            let Some(place) = query.slots.place(start) else { continue };
            let empty = || vec![Cell::default(); query.slots.starts.len()];
            let buckets = this.by_label.entry(label.to_owned()).or_insert_with(empty);
            buckets[place] = Cell { amount, count, people: owners.resolve(people) };
        }
        Ok(this)
    }

    /// The number of people of each label.
    fn sizes(&self) -> Vec<(String, u64)> {
        let people = |cells: &Vec<Cell>| {
            let mut all = RoaringBitmap::new();
            cells.iter().for_each(|cell| all |= &cell.people);
            all.len()
        };
        let own = self.by_label.iter().filter(|(label, _)| *label != WHOLE);
        own.map(|(label, cells)| (label.clone(), people(cells))).collect()
    }

    fn trend<'a>(&self, all: impl Iterator<Item = &'a Vec<Cell>>, query: &TrendQuery) -> Trend {
        let mut points = vec![Cell::default(); query.slots.starts.len()];
        for cells in all {
            let pairs = points.iter_mut().zip(cells);
            pairs.for_each(|(point, cell)| point.add(cell, &query.measure));
        }
        let mut total = Cell::default();
        points.iter().for_each(|point| total.add(point, &query.measure));
        let value = |cell: &Cell| cell.value(&query.measure);
        Trend { total: value(&total), points: points.iter().map(value).collect() }
    }

    /// Everything together. People are known only from the groups.
    fn whole(&mut self, query: &TrendQuery) -> Trend {
        let mut whole = self.by_label.remove(WHOLE).unwrap_or_default();
        whole.resize(query.slots.starts.len(), Cell::default());
        for cells in self.by_label.values() {
            whole.iter_mut().zip(cells).for_each(|(all, cell)| all.people |= &cell.people);
        }
        self.trend([&whole].into_iter(), query)
    }
}

impl Warehouse {
    /// None if it takes more than one pass.
    pub(super) async fn trend_in_one_pass(
        &self,
        query: &TrendQuery,
    ) -> Result<Option<(Trend, Vec<TrendGroup>)>, Error> {
        let mut hidden_as = HiddenAs::Hidden;
        let Some(mut cells) = self.cells(query, hidden_as).await? else { return Ok(None) };
        if Groups::hide_few(&cells.sizes()) {
            hidden_as = HiddenAs::Nothing;
            let Some(again) = self.cells(query, hidden_as).await? else { return Ok(None) };
            cells = again;
        }
        let whole = cells.whole(query);
        let groups = Groups::largest_of(cells.sizes(), &query.group_by, hidden_as);
        let labels = groups.labels();
        if cells.overlap && labels.len() < cells.by_label.len() {
            return Ok(None);
        }
        let of_label = |label| cells.trend(cells.by_label.get(label).into_iter(), query);
        let mut trends: Vec<Trend> = labels.iter().map(of_label).collect();
        let rest = cells.by_label.iter().filter(|(label, _)| !labels.contains(label));
        trends.push(cells.trend(rest.map(|(_, cells)| cells), query));
        Ok(Some((whole, with_rest(query, &groups, trends))))
    }

    async fn cells(&self, query: &TrendQuery, hidden_as: HiddenAs) -> Result<Option<Cells>, Error> {
        let TrendQuery { scope, event, measure, slots, group_by } = query;
        let Some(Parts { amount, count, together }) = measure.parts() else { return Ok(None) };
        let mut this = scope.statement(self);
        let starts = this.bind("Array(UInt32)", slots.starts.clone().into());
        let (keys, labels) = keys(&mut this, group_by, hidden_as);
        let names: Vec<&str> = keys.iter().map(|(name, _)| name.as_str()).collect();
        let names = names.join(", ");
        let keys: Vec<String> = keys.iter().map(|(name, of)| format!("{of} AS {name}")).collect();
        let columns = format!("time, {}{}", keys.join(", "), measure.columns(&mut this));
        // Looking up the owner of each event would take as long as everything else. Usually the people of
        // a cell are found here.
        let is_here = self.joins_here(scope.app).await?;
        let whose = if is_here { Whose::AsSent } else { self.whose() };
        let events = scope.events(&mut this, whose, slots.range(), &[event], &columns);
        // For people the whole is the union of the groups.
        let labels_and_whole = match measure {
            TrendMeasure::People => "labels".to_owned(),
            _ => format!("arrayPushBack(labels, '{WHOLE}')"),
        };
        this.sql = format!(
            "SELECT label, slot, {together}If(amount, counted > 0), sum(counted), \
                 max(toUInt8(length(labels) > 1)), groupBitmapMergeStateIf(who, label != '{WHOLE}') \
             FROM (SELECT *, arrayDistinct({labels}) AS labels, arrayJoin({labels_and_whole}) AS label \
                 FROM (SELECT {names}, {} AS slot, toFloat64({amount}) AS amount, \
                     toUInt64({count}) AS counted, groupBitmapState(person) AS who \
                 FROM {events} GROUP BY {names}, slot)) \
             GROUP BY label, slot",
            slot(&starts)
        );
        let answer = match self.analyze_within(&this, Some(CELLS_MAX)).await {
            Ok(answer) => answer,
            Err(error) if error.is_too_large() || error.is_about_size() => return Ok(None),
            Err(error) => return Err(error),
        };
        let owners = match is_here {
            true => self.current_owners(scope.app).await?,
            false => Owners::default(),
        };
        let query = query.clone();
        off_the_runtime(move || Cells::read(&answer, &query, &owners).map(Some)).await
    }
}
