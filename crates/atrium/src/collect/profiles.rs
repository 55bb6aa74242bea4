//! Keeps profiles in step with mutations. What came in order is added to what is known; where
//! something came late, everything is put together anew, so that it takes its place in time.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use uuid::Uuid;
use warehouse::{Kind, MutationOf, ProfileRow};

use super::batch::Subjects;
use super::fold;
use crate::app::AppState;

/// Whose mutations are read at once.
const AT_ONCE: usize = 200;

/// A profile on its way to its next state.
struct Folding {
    properties: Map<String, Value>,
    row: ProfileRow,
    /// What is not later than this is in it already.
    upto_ms: Option<i64>,
}

impl Folding {
    fn new(app: Uuid, kind: Kind, id: &str) -> Self {
        let row = ProfileRow {
            app_id: app,
            kind,
            id: id.to_owned(),
            properties: String::new(),
            updated_ms: 0,
            last_log_id: Uuid::nil(),
            deleted: false,
            version: 0,
        };
        Self { properties: Map::new(), row, upto_ms: None }
    }

    fn known(row: ProfileRow) -> Self {
        let properties = serde_json::from_str(&row.properties).unwrap_or_default();
        Self { properties, upto_ms: Some(row.updated_ms), row }
    }

    fn apply(&mut self, MutationOf { mutation, .. }: MutationOf) {
        let given = serde_json::from_str(&mutation.properties).unwrap_or_default();
        fold::apply(&mut self.properties, &mutation.operation, given);
        self.row.deleted = mutation.operation == "delete";
        self.row.updated_ms = mutation.time_ms;
        self.row.last_log_id = mutation.log_id;
    }
}

/// Brings the profiles up to date of those whom a batch is about. `again` when the batch may have
/// been applied before: then nothing that is known can be added to.
pub async fn refresh(atrium: &AppState, subjects: Subjects, again: bool) -> anyhow::Result<()> {
    for ((app, kind), first_changes) in subjects {
        let all: Vec<_> = first_changes.into_iter().collect();
        for some in all.chunks(AT_ONCE) {
            refresh_some(atrium, app, kind, some, again).await?;
        }
    }
    Ok(())
}

async fn refresh_some(
    atrium: &AppState,
    app: Uuid,
    kind: Kind,
    first_changes: &[(String, i64)],
    again: bool,
) -> anyhow::Result<()> {
    let store = &atrium.warehouse;
    let ids: Vec<_> = first_changes.iter().map(|(id, _)| id.clone()).collect();
    let known = store.profiles(app, kind, &ids).await?;
    let versions: BTreeMap<_, _> =
        known.iter().map(|profile| (profile.id.clone(), profile.version)).collect();
    let mut known: BTreeMap<_, _> =
        known.into_iter().map(|profile| (profile.id.clone(), profile)).collect();
    let (mut folding, mut in_order, mut anew) = (BTreeMap::new(), Vec::new(), Vec::new());
    let mut since = i64::MAX;
    for (id, first) in first_changes {
        match known.remove(id).filter(|profile| !again && profile.updated_ms < *first) {
            Some(profile) => {
                since = since.min(profile.updated_ms);
                in_order.push(id.clone());
                folding.insert(id.clone(), Folding::known(profile));
            }
            None => {
                anew.push(id.clone());
                folding.insert(id.clone(), Folding::new(app, kind, id));
            }
        }
    }
    let mut mutations = store.mutations_of_many(app, kind, &in_order, Some(since)).await?;
    mutations.extend(store.mutations_of_many(app, kind, &anew, None).await?);
    // Each one's come in the order of their time, then of their id.
    for mutation in mutations {
        if let Some(profile) = folding.get_mut(&mutation.id)
            && profile.upto_ms.is_none_or(|upto| mutation.mutation.time_ms > upto)
        {
            profile.apply(mutation);
        }
    }
    let now = atrium.now().0.unsigned_abs();
    let rows: Vec<_> = folding
        .into_values()
        .map(|Folding { properties, mut row, .. }| {
            row.properties = Value::Object(properties).to_string();
            row.version = versions.get(&row.id).map_or(now, |version| now.max(version + 1));
            row
        })
        .collect();
    Ok(store.insert_profiles(&rows).await?)
}
