//! Groups by the value of a property: the largest are told apart, the others are one.

use super::{Range, Scope};
use crate::binary::Rows;
use crate::client::Warehouse;
use crate::conditions::{EventChoice, Property};
use crate::error::Error;
use crate::explore::{GROUPS_MAX, Key};
use crate::params::Param;
use crate::shown::PEOPLE_MIN;
use crate::statement::{HIDDEN, HiddenAs, NOT_SET, Statement, TEXT};

/// The groups that are told apart, the largest first.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    property: Property,
    pub keys: Vec<Key>,
    hidden_as: HiddenAs,
}

impl Groups {
    /// How many there are, the rest included.
    pub fn count(&self) -> usize {
        self.keys.len() + 1
    }

    /// The key of a place; the last is the rest.
    pub fn key(&self, place: usize) -> Key {
        self.keys.get(place).cloned().unwrap_or(Key::Rest)
    }

    /// The group that an event belongs to, as its place in a column of `events`: that of the first of
    /// its values, where it has several.
    pub fn place(&self, this: &mut Statement) -> String {
        let first = first_key(this, &self.property, self.hidden_as);
        let kinds = self.keys.iter().map(|key| match key {
            Key::Text(_) => u64::from(TEXT),
            Key::Hidden => u64::from(HIDDEN),
            Key::NotSet | Key::Rest => u64::from(NOT_SET),
        });
        let kinds = this.bind("Array(UInt8)", Param::UInts(kinds.collect()));
        let texts = self.keys.iter().map(|key| match key {
            Key::Text(text) => text.clone(),
            _ => String::new(),
        });
        let texts = this.bind("Array(String)", Param::Texts(texts.collect()));
        let rest = self.keys.len();
        format!(
            "toUInt8(arrayElement(arrayMap(place -> if(place = 0, {rest}, place - 1), \
             [indexOf(arrayZip({kinds}, {texts}), {first})]), 1))"
        )
    }
}

fn first_key(this: &mut Statement, property: &Property, hidden_as: HiddenAs) -> String {
    let elements = this.elements(property);
    let keys = this.keys(property, hidden_as);
    // `keys` speaks of `looked_at`.
    format!("arrayElement(arrayMap(looked_at -> {keys}, [{elements}])[1], 1)")
}

impl Warehouse {
    /// The values with which most people did one of the chosen events.
    pub(super) async fn groups(
        &self,
        scope: &Scope,
        choice: &EventChoice,
        range: Range,
        property: &Property,
    ) -> Result<Groups, Error> {
        let mut hidden_as = HiddenAs::Hidden;
        let mut found = self.largest(scope, choice, range, property, hidden_as).await?;
        // A group of few would tell who has something to hide.
        if found.iter().any(|(key, people)| *key == Key::Hidden && *people < PEOPLE_MIN) {
            hidden_as = HiddenAs::Nothing;
            found = self.largest(scope, choice, range, property, hidden_as).await?;
        }
        let mut found: Vec<(Key, u64)> = found;
        // The hidden one comes first whatever its size, to be looked at.
        found.sort_by(|(_, a), (_, b)| b.cmp(a));
        found.truncate(GROUPS_MAX);
        let keys = found.into_iter().map(|(key, _)| key).collect();
        Ok(Groups { property: property.clone(), keys, hidden_as })
    }

    async fn largest(
        &self,
        scope: &Scope,
        choice: &EventChoice,
        range: Range,
        property: &Property,
        hidden_as: HiddenAs,
    ) -> Result<Vec<(Key, u64)>, Error> {
        let mut this = scope.statement();
        let key = format!("{} AS belongs", first_key(&mut this, property, hidden_as));
        let events = scope.events(&mut this, self.whose(), range, &[choice], &key);
        this.sql = format!(
            "SELECT belongs.1, belongs.2, toUInt64(groupBitmap(person)) AS people FROM {events} \
             GROUP BY belongs ORDER BY belongs.1 = {HIDDEN} DESC, people DESC, belongs LIMIT {}",
            GROUPS_MAX + 1
        );
        let answer = self.analyze(&this).await?;
        let mut rows = Rows::new(&answer);
        let mut found = Vec::new();
        while !rows.is_at_end() {
            let (kind, value, people) = (rows.u8()?, rows.text()?.to_owned(), rows.u64()?);
            let key = match kind {
                TEXT => Key::Text(value),
                HIDDEN => Key::Hidden,
                _ => Key::NotSet,
            };
            found.push((key, people));
        }
        Ok(found)
    }
}
