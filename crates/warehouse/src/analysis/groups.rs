//! Groups by the values of one or two properties, or by membership in a cohort: the largest are kept,
//! and the others are combined.

use serde_json::value::RawValue;

use super::trend::{SUM, additive};
use super::{Range, Scope};
use crate::binary::Rows;
use crate::client::Warehouse;
use crate::conditions::{EventChoice, GroupBy, IN_COHORT, NOT_IN_COHORT, Property};
use crate::error::Error;
use crate::explore::{GROUPS_MAX, Key};
use crate::owners::Whose;
use crate::params::Param;
use crate::shown::PEOPLE_MIN;
use crate::statement::{HIDDEN, HiddenAs, NOT_SET, Statement, TEXT, VALUE_MAX};

/// Separates the labels of two properties: no value contains a zero byte.
pub(super) const BETWEEN: char = '\0';

/// The groups that are kept, the largest first.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    group_by: Vec<GroupBy>,
    /// Their labels in statements: the kind and the text of each value.
    labels: Vec<String>,
    hidden_as: HiddenAs,
}

/// Which groups an event with several values belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Belongs {
    ToFirst,
    ToEach,
}

/// How groups are made, and which of them are the largest.
#[derive(Clone, Debug)]
pub(super) struct Grouping<'a> {
    pub by: &'a [GroupBy],
    pub belongs: Belongs,
    pub rank: Rank,
}

impl<'a> Grouping<'a> {
    /// Groups of people.
    pub fn of_people(by: &'a [GroupBy]) -> Self {
        Self { by, belongs: Belongs::ToFirst, rank: Rank::People }
    }
}

/// What groups are ranked by.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rank {
    People,
    Events,
    /// The sum of a property's numbers.
    Sum(Property),
}

impl Rank {
    /// The digits of sums that do not depend on the order of the numbers.
    pub fn of_sum(sum: f64) -> f64 {
        f64::from(sum as f32)
    }
}

/// A label that was found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub label: String,
    /// Only counted where groups are ranked by it, or values hidden.
    pub people: u64,
    pub rank: f64,
}

impl Groups {
    /// Keeps the largest of these labels.
    pub fn largest_of(mut found: Vec<Found>, group_by: &[GroupBy], hidden_as: HiddenAs) -> Self {
        found.sort_by(|a, b| b.rank.total_cmp(&a.rank).then_with(|| a.label.cmp(&b.label)));
        found.truncate(GROUPS_MAX);
        let labels = found.into_iter().map(|found| found.label).collect();
        Self { group_by: group_by.to_vec(), labels, hidden_as }
    }

    /// Whether one of these labels hides a value of only a few people, which could reveal them.
    pub fn hide_few(found: &[Found]) -> bool {
        let hides = |label: &str| label.split(BETWEEN).any(|it| key_of(it) == Key::Hidden);
        found.iter().any(|it| it.people < PEOPLE_MIN && hides(&it.label))
    }

    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The number of groups, including the rest.
    pub fn count(&self) -> usize {
        self.labels.len() + 1
    }

    /// The values of a group; the last is the rest.
    pub fn values(&self, place: usize) -> Vec<Key> {
        match self.labels.get(place) {
            Some(label) => label.split(BETWEEN).map(key_of).collect(),
            None => vec![Key::Rest; self.group_by.len()],
        }
    }

    /// The index of the group with these values; if all are `Rest`, that of the rest.
    pub fn place_of(&self, values: &[Key]) -> Option<usize> {
        (0..self.count()).find(|place| self.values(*place) == values)
    }

    /// An expression for the indexes of the groups that an event belongs to, as a list.
    pub fn places(&self, this: &mut Statement, belongs: Belongs) -> String {
        let labels = labels(this, &self.group_by, self.hidden_as, belongs);
        let known = this.bind("Array(String)", Param::Texts(self.labels.clone()));
        let rest = self.labels.len();
        format!(
            "arrayDistinct(arrayMap(label -> toUInt8(if(has({known}, label), \
             indexOf({known}, label) - 1, {rest})), {labels}))"
        )
    }

    /// An expression for the group of an event's first value.
    pub fn place(&self, this: &mut Statement) -> String {
        format!("arrayElement({}, 1)", self.places(this, Belongs::ToFirst))
    }
}

fn key_of(label: &str) -> Key {
    let (kind, text) = label.split_at_checked(1).unwrap_or_default();
    match kind.parse() {
        Ok(TEXT) => Key::Text(text.to_owned()),
        Ok(HIDDEN) => Key::Hidden,
        _ => Key::NotSet,
    }
}

/// An expression for the labels of an event's groups, as a list.
pub(super) fn labels(
    this: &mut Statement,
    group_by: &[GroupBy],
    hidden_as: HiddenAs,
    belongs: Belongs,
) -> String {
    let own: Vec<String> = group_by.iter().map(|by| own_labels(this, by, hidden_as)).collect();
    cross_product(&own, belongs)
}

/// An expression for an event's labels by one entry of the breakdown, as a list.
pub(super) fn own_labels(this: &mut Statement, by: &GroupBy, hidden_as: HiddenAs) -> String {
    match by {
        GroupBy::Event(property) => {
            let elements = this.elements(property);
            labels_of(this, property, &elements, hidden_as)
        }
        GroupBy::Profile(kind, path) => this.profile_labels(*kind, path, hidden_as),
        GroupBy::Cohort(people) => {
            let is_among = this.is_among(people);
            format!("[if({is_among}, '{TEXT}{IN_COHORT}', '{TEXT}{NOT_IN_COHORT}')]")
        }
    }
}

/// An expression for the labels of these elements of a property.
pub(super) fn labels_of(
    this: &Statement,
    property: &Property,
    elements: &str,
    hidden_as: HiddenAs,
) -> String {
    let keys = this.keys(property, elements, hidden_as);
    format!("arrayMap(key -> concat(toString(key.1), key.2), {keys})")
}

/// The same for a property as it is stored, in this process. None if the value cannot be read here.
pub(super) fn labels_of_stored(property: &Property, stored: &str) -> Option<Vec<String>> {
    let elements = match property {
        Property::Path(_) if stored.starts_with('[') => {
            let listed: Vec<&RawValue> = serde_json::from_str(stored).ok()?;
            listed.into_iter().map(RawValue::get).collect()
        }
        _ => vec![stored],
    };
    let is_any = |element: &&str| match property {
        Property::Column(_) => !element.is_empty(),
        Property::Path(_) => !element.is_empty() && *element != "null",
    };
    let text = |element: &str| match (property, element.chars().next()) {
        (Property::Path(_), Some('"')) => serde_json::from_str(element).ok(),
        (Property::Path(_), Some('{' | '[')) => Some("{…}".to_owned()),
        _ => Some(element.to_owned()),
    };
    let label = |text: String| {
        let kept: String = text.chars().take(VALUE_MAX).collect();
        format!("{TEXT}{kept}")
    };
    let labels = elements.into_iter().filter(is_any).map(|element| text(element).map(label));
    let labels: Vec<String> = labels.collect::<Option<_>>()?;
    Some(if labels.is_empty() { vec![NOT_SET.to_string()] } else { labels })
}

/// Every combination of the labels of all entries.
pub(super) fn cross_product(all: &[String], belongs: Belongs) -> String {
    let own = all.iter().map(|labels| match belongs {
        Belongs::ToFirst => format!("arraySlice({labels}, 1, 1)"),
        Belongs::ToEach => labels.clone(),
    });
    let together = |one: String, other: String| {
        format!(
            "arrayFlatten(arrayMap(one -> arrayMap(other -> concat(one, '\\0', other), {other}), {one}))"
        )
    };
    own.reduce(together).unwrap_or_else(|| "['']".to_owned())
}

impl Warehouse {
    /// The largest groups of the chosen event.
    pub(super) async fn groups(
        &self,
        scope: &Scope,
        choice: &EventChoice,
        range: Range,
        grouping: &Grouping<'_>,
    ) -> Result<Groups, Error> {
        let ask = |hidden_as| self.largest(scope, choice, range, grouping, hidden_as);
        let mut hidden_as = HiddenAs::Hidden;
        let mut found = ask(hidden_as).await?;
        if Groups::hide_few(&found) {
            hidden_as = HiddenAs::Nothing;
            found = ask(hidden_as).await?;
        }
        // Hidden labels come first whatever their size, to be checked, so they are sorted again.
        Ok(Groups::largest_of(found, grouping.by, hidden_as))
    }

    async fn largest(
        &self,
        scope: &Scope,
        choice: &EventChoice,
        range: Range,
        grouping: &Grouping<'_>,
        hidden_as: HiddenAs,
    ) -> Result<Vec<Found>, Error> {
        let Grouping { by, belongs, rank } = grouping;
        let mut this = scope.statement(self);
        let labels = labels(&mut this, by, hidden_as, *belongs);
        let (numbers, rank) = match rank {
            Rank::People => (String::new(), "toFloat64(people)".to_owned()),
            Rank::Events => (String::new(), "toFloat64(count())".to_owned()),
            Rank::Sum(property) => {
                (additive(&mut this, property), format!("toFloat64(toFloat32({SUM}))"))
            }
        };
        let counts_people = grouping.rank == Rank::People || scope.hide_personal;
        let (people, whose) = match counts_people {
            true => ("groupBitmap(person)", self.whose()),
            false => ("0", Whose::AsSent),
        };
        let columns = format!("arrayDistinct({labels}) AS labels{numbers}");
        let events = scope.events(&mut this, whose, range, &[choice], &columns);
        // Hidden labels that could be of few people come first, so that none of them is missed.
        let hides =
            format!("(startsWith(label, '{HIDDEN}') OR position(label, '\\0{HIDDEN}') > 0)");
        this.sql = format!(
            "SELECT label, toUInt64({people}) AS people, {rank} AS rank \
             FROM (SELECT *, arrayJoin(labels) AS label FROM {events}) GROUP BY label \
             ORDER BY {hides} AND people < {PEOPLE_MIN} DESC, {hides} DESC, rank DESC, label \
             LIMIT {}",
            GROUPS_MAX + 1
        );
        let answer = self.analyze(&this).await?;
        let mut rows = Rows::new(&answer);
        let mut found = Vec::new();
        while !rows.is_at_end() {
            let label = rows.text()?.to_owned();
            found.push(Found { label, people: rows.u64()?, rank: rows.f64()? });
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conditions::Column;

    #[test]
    fn labels_of_stored_values() {
        let long = "长".repeat(VALUE_MAX + 1);
        for (stored, expected) in [
            ("", vec!["0"]),
            ("null", vec!["0"]),
            ("[]", vec!["0"]),
            ("[null]", vec!["0"]),
            ("\"\"", vec!["1"]),
            ("\"a \\\"b\\\" \\u00e9 😀\"", vec!["1a \"b\" é 😀"]),
            ("1.50", vec!["11.50"]),
            ("true", vec!["1true"]),
            ("{\"a\":1}", vec!["1{…}"]),
            ("[1,\"x\",null,[2],{\"a\":[]}]", vec!["11", "1x", "1{…}", "1{…}"]),
            (&format!("\"{long}\""), vec![&format!("1{}", "长".repeat(VALUE_MAX))]),
        ] {
            let found = labels_of_stored(&Property::Path(Vec::new()), stored).unwrap();
            assert_eq!(found, expected, "{stored}");
        }
        // Half of a pair, which is no text in Rust.
        assert_eq!(labels_of_stored(&Property::Path(Vec::new()), "\"\\ud83d\""), None);
        let of_column = |stored| labels_of_stored(&Property::Column(Column::Os), stored).unwrap();
        assert_eq!(of_column(""), ["0"]);
        assert_eq!(of_column("null"), ["1null"]);
        assert_eq!(of_column("[1]"), ["1[1]"]);
    }
}
