//! Groups by the values of one or two properties, or by membership in a cohort: the largest are kept,
//! and the others are combined.

use serde_json::value::RawValue;

use super::{Range, Scope};
use crate::binary::Rows;
use crate::client::Warehouse;
use crate::conditions::{EventChoice, GroupBy, IN_COHORT, NOT_IN_COHORT, Property};
use crate::error::Error;
use crate::explore::{GROUPS_MAX, Key};
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

impl Groups {
    /// Keeps the largest of these labels, given with the numbers of their people.
    pub fn largest_of(
        mut found: Vec<(String, u64)>,
        group_by: &[GroupBy],
        hidden_as: HiddenAs,
    ) -> Self {
        found.sort_by(|(a, of_a), (b, of_b)| of_b.cmp(of_a).then_with(|| a.cmp(b)));
        found.truncate(GROUPS_MAX);
        let labels = found.into_iter().map(|(label, _)| label).collect();
        Self { group_by: group_by.to_vec(), labels, hidden_as }
    }

    /// Whether one of these labels hides a value of only a few people, which could reveal them.
    pub fn hide_few(found: &[(String, u64)]) -> bool {
        let hides = |label: &str| label.split(BETWEEN).any(|it| key_of(it) == Key::Hidden);
        found.iter().any(|(label, people)| *people < PEOPLE_MIN && hides(label))
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
    /// The groups with the most people who did the chosen event.
    pub(super) async fn groups(
        &self,
        scope: &Scope,
        choice: &EventChoice,
        range: Range,
        group_by: &[GroupBy],
        belongs: Belongs,
    ) -> Result<Groups, Error> {
        let ask = |hidden_as| self.largest(scope, choice, range, group_by, belongs, hidden_as);
        let mut hidden_as = HiddenAs::Hidden;
        let mut found = ask(hidden_as).await?;
        if Groups::hide_few(&found) {
            hidden_as = HiddenAs::Nothing;
            found = ask(hidden_as).await?;
        }
        // Hidden labels come first whatever their size, to be checked, so they are sorted again.
        Ok(Groups::largest_of(found, group_by, hidden_as))
    }

    async fn largest(
        &self,
        scope: &Scope,
        choice: &EventChoice,
        range: Range,
        group_by: &[GroupBy],
        belongs: Belongs,
        hidden_as: HiddenAs,
    ) -> Result<Vec<(String, u64)>, Error> {
        let mut this = scope.statement(self);
        let labels = labels(&mut this, group_by, hidden_as, belongs);
        let columns = format!("arrayDistinct({labels}) AS labels");
        let events = scope.events(&mut this, self.whose(), range, &[choice], &columns);
        // Hidden labels that could be of few people come first, so that none of them is missed.
        let hides =
            format!("(startsWith(label, '{HIDDEN}') OR position(label, '\\0{HIDDEN}') > 0)");
        this.sql = format!(
            "SELECT label, toUInt64(groupBitmap(person)) AS people \
             FROM (SELECT person, arrayJoin(labels) AS label FROM {events}) GROUP BY label \
             ORDER BY {hides} AND people < {PEOPLE_MIN} DESC, {hides} DESC, people DESC, label \
             LIMIT {}",
            GROUPS_MAX + 1
        );
        let answer = self.analyze(&this).await?;
        let mut rows = Rows::new(&answer);
        let mut found = Vec::new();
        while !rows.is_at_end() {
            found.push((rows.text()?.to_owned(), rows.u64()?));
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
