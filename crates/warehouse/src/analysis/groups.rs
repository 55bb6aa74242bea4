//! Groups by the values of one or two properties: the largest are told apart, the others are one.

use super::{Range, Scope};
use crate::binary::Rows;
use crate::client::Warehouse;
use crate::conditions::{EventChoice, Property};
use crate::error::Error;
use crate::explore::{GROUPS_MAX, Key};
use crate::params::Param;
use crate::shown::PEOPLE_MIN;
use crate::statement::{HIDDEN, HiddenAs, Statement, TEXT};

/// Between the labels of two properties: no value has a zero byte.
const BETWEEN: char = '\0';

/// The groups that are told apart, the largest first.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    properties: Vec<Property>,
    /// What each is called in statements: the kind and the text of each value.
    labels: Vec<String>,
    hidden_as: HiddenAs,
}

/// Which of its values an event with several belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Belongs {
    ToFirst,
    ToEach,
}

impl Groups {
    /// The largest of these labels, each with the number of its people.
    pub fn largest_of(
        mut found: Vec<(String, u64)>,
        properties: &[Property],
        hidden_as: HiddenAs,
    ) -> Self {
        found.sort_by(|(a, of_a), (b, of_b)| of_b.cmp(of_a).then_with(|| a.cmp(b)));
        found.truncate(GROUPS_MAX);
        let labels = found.into_iter().map(|(label, _)| label).collect();
        Self { properties: properties.to_vec(), labels, hidden_as }
    }

    /// Whether one of these labels hides something of few people, which would tell who has it.
    pub fn hide_few(found: &[(String, u64)]) -> bool {
        let hides = |label: &str| label.split(BETWEEN).any(|it| key_of(it) == Key::Hidden);
        found.iter().any(|(label, people)| *people < PEOPLE_MIN && hides(label))
    }

    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// How many there are, the rest included.
    pub fn count(&self) -> usize {
        self.labels.len() + 1
    }

    /// The values of a place; the last is the rest.
    pub fn values(&self, place: usize) -> Vec<Key> {
        match self.labels.get(place) {
            Some(label) => label.split(BETWEEN).map(key_of).collect(),
            None => vec![Key::Rest; self.properties.len()],
        }
    }

    /// Which group has these values, each of them or none the rest.
    pub fn place_of(&self, values: &[Key]) -> Option<usize> {
        (0..self.count()).find(|place| self.values(*place) == values)
    }

    /// The places of the groups that an event belongs to, as a list.
    pub fn places(&self, this: &mut Statement, belongs: Belongs) -> String {
        let labels = labels(this, &self.properties, self.hidden_as, belongs);
        let known = this.bind("Array(String)", Param::Texts(self.labels.clone()));
        let rest = self.labels.len();
        format!(
            "arrayDistinct(arrayMap(label -> toUInt8(if(has({known}, label), \
             indexOf({known}, label) - 1, {rest})), {labels}))"
        )
    }

    /// The one place of an event that belongs to its first value.
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

/// What the groups of an event are called, as a list.
pub(super) fn labels(
    this: &mut Statement,
    properties: &[Property],
    hidden_as: HiddenAs,
    belongs: Belongs,
) -> String {
    let elements: Vec<String> = properties.iter().map(|it| this.elements(it)).collect();
    labels_of(this, properties, &elements, hidden_as, belongs)
}

/// The same, where these are the elements of the properties.
pub(super) fn labels_of(
    this: &Statement,
    properties: &[Property],
    elements: &[String],
    hidden_as: HiddenAs,
    belongs: Belongs,
) -> String {
    let mut all = "['']".to_owned();
    for (place, (property, elements)) in properties.iter().zip(elements).enumerate() {
        let keys = this.keys(property, hidden_as);
        let keys = match belongs {
            Belongs::ToFirst => format!("arraySlice({keys}, 1, 1)"),
            Belongs::ToEach => keys,
        };
        // `keys` speaks of `looked_at`.
        let own = format!(
            "arrayMap(looked_at -> arrayMap(key -> concat(toString(key.1), key.2), {keys}), \
             [{elements}])[1]"
        );
        all = match place {
            0 => own,
            _ => format!(
                "arrayFlatten(arrayMap(one -> arrayMap(other -> concat(one, '\\0', other), {own}), {all}))"
            ),
        };
    }
    all
}

impl Warehouse {
    /// The values with which most people did one of the chosen events.
    pub(super) async fn groups(
        &self,
        scope: &Scope,
        choice: &EventChoice,
        range: Range,
        properties: &[Property],
        belongs: Belongs,
    ) -> Result<Groups, Error> {
        let ask = |hidden_as| self.largest(scope, choice, range, properties, belongs, hidden_as);
        let mut hidden_as = HiddenAs::Hidden;
        let mut found = ask(hidden_as).await?;
        if Groups::hide_few(&found) {
            hidden_as = HiddenAs::Nothing;
            found = ask(hidden_as).await?;
        }
        // Hidden ones come first whatever their size, to be looked at.
        Ok(Groups::largest_of(found, properties, hidden_as))
    }

    async fn largest(
        &self,
        scope: &Scope,
        choice: &EventChoice,
        range: Range,
        properties: &[Property],
        belongs: Belongs,
        hidden_as: HiddenAs,
    ) -> Result<Vec<(String, u64)>, Error> {
        let mut this = scope.statement(self);
        let labels = labels(&mut this, properties, hidden_as, belongs);
        let columns = format!("arrayDistinct({labels}) AS labels");
        let events = scope.events(&mut this, self.whose(), range, &[choice], &columns);
        // Those that hide something: all of them, as far as they could be of few.
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
