//! Events and persons of a large app by name. First all names are ranked by their events, which are
//! plain numbers; then sets of people are joined only for the names that are shown, and once for all the
//! rest.

use std::collections::BTreeMap;

use super::list;
use crate::app_size::AppSize;
use crate::binary::Rows;
use crate::breakdowns::Table;
use crate::buckets::{between, rows_about};
use crate::client::Warehouse;
use crate::error::Error;
use crate::params::literals;
use crate::rollup_cache::Name;
use crate::sets::people_by;

/// Names that are counted as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NameGroup {
    One(Name),
    /// All of these, combined under one name.
    Several(Name, Vec<Name>),
    /// All with this first name that have no group of their own.
    Rest(Box<str>),
}

impl Warehouse {
    /// How many events each name has between two cuts.
    pub(crate) async fn joined_names(
        &self,
        table: &'static Table,
        app: AppSize,
        cuts: [u32; 2],
    ) -> Result<BTreeMap<Name, u64>, Error> {
        let [first, second] = table.names;
        let columns = format!("{first} AS one, {second} AS other, sum(events) AS number");
        let rows = self.rows_of(table, app, cuts, &columns, "1 GROUP BY one, other");
        let sql = format!("SELECT one, other, sum(number) FROM ({rows}) GROUP BY one, other");
        let answer = self.binary_counts(&sql).await?;
        let mut found = BTreeMap::new();
        let mut rows = Rows::new(&answer);
        while !rows.is_at_end() {
            let name = (rows.text()?.into(), rows.text()?.into());
            found.insert(name, rows.u64()?);
        }
        Ok(found)
    }

    /// How many people there are in each of the groups, between two cuts.
    pub(crate) async fn joined_persons(
        &self,
        table: &'static Table,
        app: AppSize,
        cuts: [u32; 2],
        groups: &[NameGroup],
    ) -> Result<Vec<u64>, Error> {
        let mut persons = vec![0; groups.len()];
        let group = group_of(table, groups);
        let places: Vec<u32> = (1..).take(groups.len()).collect();
        let whose = self.whose_of(app.id).await?;
        for some in places.chunks(app.at_once(1)) {
            let columns = format!("{group} AS place, groupBitmapMergeState(people) AS who");
            let wanted = format!("has({}, place) GROUP BY place", list(some.iter().copied()));
            let rows = self.rows_of(table, app, cuts, &columns, &wanted);
            let rows = format!("(SELECT toUInt32(place) AS group, who FROM ({rows}))");
            let sql = people_by("group", &rows, false, whose, &literals([app.id]));
            let answer = self.binary_joined(&sql).await?;
            let mut rows = Rows::new(&answer);
            while !rows.is_at_end() {
                let (place, count) = (rows.u32()?, rows.u64()?);
                let index = usize::try_from(place).ok().and_then(|place| place.checked_sub(1));
                if let Some(persons) = index.and_then(|index| persons.get_mut(index)) {
                    *persons = count;
                }
            }
        }
        Ok(persons)
    }

    /// The rows between two cuts, joined within each table and on each shard.
    fn rows_of(
        &self,
        table: &'static Table,
        app: AppSize,
        [from, to]: [u32; 2],
        columns: &str,
        wanted: &str,
    ) -> String {
        let is_counted = |table: &str| self.schema_state().is_counted(table);
        let buckets = between(&[from, to], table.tables.map(|table| table.length));
        let app = literals([app.id]);
        let select = |(table, condition): (&str, String)| {
            format!(
                "SELECT {columns} FROM {table} WHERE app_id = {app} AND {condition} AND {wanted}"
            )
        };
        let rows = rows_about(&table.tables, is_counted, &buckets).into_iter().map(select);
        rows.collect::<Vec<_>>().join(" UNION ALL ")
    }
}

/// An expression for the group of a row, counted from 1; 0 if it is in none.
fn group_of(table: &Table, groups: &[NameGroup]) -> String {
    let [first, second] = table.names;
    let (mut names, mut rests) = (Places::default(), Places::default());
    // First names contain no zero bytes, so two different names never give the same text.
    let text = |(first, second): &Name| format!("{first}\0{second}");
    for (place, group) in (1..).zip(groups) {
        match group {
            NameGroup::One(name) => names.add(&text(name), place),
            NameGroup::Several(_, all) => all.iter().for_each(|it| names.add(&text(it), place)),
            NameGroup::Rest(first) => rests.add(first, place),
        }
    }
    let rest = rests.look_up(first, "0");
    names.look_up(&format!(r"concat({first}, '\0', {second})"), &rest)
}

/// Texts, and the index of the group that each belongs to.
#[derive(Default)]
struct Places {
    texts: Vec<String>,
    places: Vec<u32>,
}

impl Places {
    fn add(&mut self, text: &str, place: u32) {
        // Names come from outside: as hexadecimal they cannot be parsed as part of the statement.
        self.texts.push(format!("unhex('{}')", hex::encode(text)));
        self.places.push(place);
    }

    fn look_up(&self, text: &str, otherwise: &str) -> String {
        if self.texts.is_empty() {
            return otherwise.to_owned();
        }
        let (texts, places) = (self.texts.join(", "), list(self.places.iter().copied()));
        format!("transform(toString({text}), [{texts}], {places}, {otherwise})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::breakdowns::{BREAKDOWNS, EVENTS};

    #[test]
    fn names_are_no_part_of_the_statement() {
        let one = |first: &str, second: &str| NameGroup::One((first.into(), second.into()));
        let sql = group_of(&EVENTS, &[one("it's", ""), one("\\", "")]);
        let expected = r"transform(toString(concat(event, '\0', '')), \
                         [unhex('6974277300'), unhex('5c00')], [1, 2], 0)";
        assert_eq!(sql, expected.replace("\\\n                         ", ""));
        let sql = group_of(&BREAKDOWNS, &[one("os", "x"), NameGroup::Rest("os".into())]);
        assert!(
            sql.ends_with("[1], transform(toString(dimension), [unhex('6f73')], [2], 0))"),
            "{sql}"
        );
        assert_eq!(group_of(&EVENTS, &[]), "0");
    }
}
