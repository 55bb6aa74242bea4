//! Ids of other people in what is shown. The warehouse knows which texts are ids.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use uuid::Uuid;
use warehouse::shown::{could_be_id, whole_part};
use warehouse::{Error, Identity, Kind, Warehouse};

/// Texts in an answer that are ids of the app's people or devices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Others(BTreeSet<String>);

impl Others {
    /// Picks the ids among some texts.
    pub async fn among(
        store: &Warehouse,
        apps: &[Uuid],
        texts: BTreeSet<String>,
    ) -> Result<Self, Error> {
        let identities = |text: &str| {
            let of = |app: &Uuid, kind| Identity::of(*app, kind, text.as_bytes());
            let both = |app| [of(app, Kind::User), of(app, Kind::Device)];
            apps.iter().flat_map(both).collect::<Vec<_>>()
        };
        let all: Vec<Identity> = texts.iter().flat_map(|text| identities(text)).collect();
        let known = store.person_ids(&all).await?;
        let is_id = |text: &String| identities(text).iter().any(|one| known.contains_key(one));
        Ok(Self(texts.into_iter().filter(is_id).collect()))
    }

    /// If the warehouse cannot be queried, everything that could be an id counts as one.
    pub fn all(texts: BTreeSet<String>) -> Self {
        Self(texts.into_iter().collect())
    }

    /// Approximate memory use.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(|text| text.len() + 48).sum()
    }

    pub fn contains(&self, text: &str) -> bool {
        self.0.contains(text)
    }
}

impl<const N: usize> From<[&str; N]> for Others {
    fn from(texts: [&str; N]) -> Self {
        Self(texts.into_iter().map(str::to_owned).collect())
    }
}

fn add(text: &str, texts: &mut BTreeSet<String>) {
    if could_be_id(text) && !texts.contains(text) {
        texts.insert(text.to_owned());
    }
}

/// Collects names and values of properties that could be someone's id.
pub fn candidates(properties: &Map<String, Value>, texts: &mut BTreeSet<String>) {
    for (name, value) in properties {
        add(name, texts);
        value_candidates(value, texts);
    }
}

fn value_candidates(value: &Value, texts: &mut BTreeSet<String>) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::String(text) => add(text, texts),
        Value::Number(number) => add(&whole_part(number), texts),
        Value::Array(list) => list.iter().for_each(|value| value_candidates(value, texts)),
        Value::Object(map) => candidates(map, texts),
    }
}

/// The same for the parts of a path, or for a name.
pub fn path_candidates(path: &str, texts: &mut BTreeSet<String>) {
    for part in super::local(path).split('/') {
        add(part, texts);
        add(&percent_decode_str(part).decode_utf8_lossy(), texts);
    }
}
