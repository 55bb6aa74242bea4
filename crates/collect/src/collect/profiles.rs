//! Keeps profiles up to date with mutations. Those that arrive in order are added to the stored profile;
//! if one arrives late, the profile is rebuilt, so that it takes its place in time.

use std::collections::{BTreeMap, HashSet};

use uuid::Uuid;
use warehouse::{Kind, MutationOf, ProfileRow, ReadUpTo};

use super::batch::Subjects;
use super::fold::Profile;
use crate::collect::state::Collecting;

/// How many profiles' mutations are read at once.
const AT_ONCE: usize = 200;
/// Mutations in memory at once: each can be 32 KB, and a profile may have any number.
const MUTATIONS_AT_ONCE: u64 = 500;

/// A profile being updated.
struct Folding {
    profile: Profile,
    was_truncated: bool,
    row: ProfileRow,
    /// Mutations up to this time are already included.
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
        Self { profile: Profile::default(), was_truncated: false, row, upto_ms: None }
    }

    /// None if the stored profile exceeds the limits and must be rebuilt.
    fn known(row: ProfileRow) -> Option<Self> {
        let profile = Profile::stored(&row.properties)?;
        let was_truncated = profile.is_truncated();
        Some(Self { profile, was_truncated, upto_ms: Some(row.updated_ms), row })
    }

    fn apply(&mut self, MutationOf { mutation, .. }: MutationOf) {
        let given = serde_json::from_str(&mutation.properties).unwrap_or_default();
        self.profile.apply(&mutation.operation, given);
        self.row.deleted = mutation.operation == "delete";
        self.row.updated_ms = mutation.time_ms;
        self.row.last_log_id = mutation.log_id;
    }
}

/// Updates the profiles that a batch is about. `again` means that the batch may have been applied before;
/// then stored profiles cannot be extended.
pub async fn refresh(atrium: &Collecting, subjects: Subjects, again: bool) -> anyhow::Result<()> {
    for ((app, kind), first_changes) in subjects {
        let all: Vec<_> = first_changes.into_iter().collect();
        for some in all.chunks(AT_ONCE) {
            refresh_some(atrium, app, kind, some, again).await?;
        }
    }
    Ok(())
}

async fn refresh_some(
    atrium: &Collecting,
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
    let (mut folding, mut in_order, mut from_scratch) = (BTreeMap::new(), Vec::new(), Vec::new());
    let mut since = i64::MAX;
    for (id, first) in first_changes {
        let known = known.remove(id).filter(|profile| !again && profile.updated_ms < *first);
        match known.and_then(Folding::known) {
            Some(profile) => {
                since = since.min(profile.row.updated_ms);
                in_order.push(id.clone());
                folding.insert(id.clone(), profile);
            }
            None => {
                from_scratch.push(id.clone());
                folding.insert(id.clone(), Folding::new(app, kind, id));
            }
        }
    }
    fold_all(atrium, (app, kind), &in_order, Some(since), &mut folding).await?;
    fold_all(atrium, (app, kind), &from_scratch, None, &mut folding).await?;
    let now = atrium.now().0.unsigned_abs();
    let rows: Vec<_> = folding
        .into_values()
        .map(|Folding { profile, was_truncated, mut row, .. }| {
            if profile.is_truncated() && !was_truncated {
                metrics::counter!("atrium_profiles_truncated_total").increment(1);
            }
            row.properties = profile.into_text();
            row.version = versions.get(&row.id).map_or(now, |version| now.max(version + 1));
            row
        })
        .collect();
    Ok(store.insert_profiles(&rows).await?)
}

/// Applies the mutations of some profiles, in chunks. For each profile they are sorted by time, then by
/// id.
async fn fold_all(
    atrium: &Collecting,
    subject: (Uuid, Kind),
    ids: &[String],
    after_ms: Option<i64>,
    folding: &mut BTreeMap<String, Folding>,
) -> anyhow::Result<()> {
    for ids in warehouse::chunks_of_ids(ids) {
        let (mut upto, mut seen): (Option<ReadUpTo>, _) = (None, HashSet::new());
        loop {
            let some = atrium.warehouse.mutations_after(
                subject,
                &ids,
                after_ms,
                upto.as_ref(),
                MUTATIONS_AT_ONCE,
            );
            let some = some.await?;
            let is_last = (some.len() as u64) < MUTATIONS_AT_ONCE;
            for change in some {
                if upto.as_ref().is_none_or(|upto| upto.id != change.id) {
                    seen.clear();
                }
                let MutationOf { id, mutation } = &change;
                let (time_ms, log_id) = (mutation.time_ms, mutation.log_id);
                upto = Some(ReadUpTo { id: id.clone(), time_ms, log_id });
                // A mutation that was sent twice with different times counts at the earlier one.
                if seen.insert(log_id)
                    && let Some(profile) = folding.get_mut(id)
                    && profile.upto_ms.is_none_or(|known| time_ms > known)
                {
                    profile.apply(change);
                }
            }
            if is_last {
                break;
            }
        }
    }
    Ok(())
}
