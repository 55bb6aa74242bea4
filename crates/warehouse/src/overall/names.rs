//! The most frequent events, and the most frequent values of device properties.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::future::try_join_all;
use uuid::Uuid;

use super::{BreakdownValue, moments};
use crate::app_size::BySize;
use crate::breakdowns::{BREAKDOWNS, EVENTS, PAGES, Sum, Sums, Table};
use crate::catalog::EventCount;
use crate::client::Warehouse;
use crate::error::Error;
use crate::joined::NameGroup;
use crate::over_limit::OTHER;
use crate::rollup_cache::{Name, Owners, Part, RollupCache};
use crate::runtime::off_the_runtime;
use crate::versions::Versions;

/// The counts of a group of names.
struct Ranked {
    group: NameGroup,
    events: u64,
    persons: u64,
}

/// How often each name occurred, in all apps together.
type Events = BTreeMap<Name, u64>;

impl Warehouse {
    /// The most frequent events, and how many persons did each. Events over the limits of their apps
    /// follow last, as one entry in addition to `most`.
    pub async fn top_events(
        &self,
        apps: &[Uuid],
        from_ms: i64,
        to_ms: i64,
        most: usize,
        versions: &Versions,
    ) -> Result<Vec<EventCount>, Error> {
        let Some(cuts) = moments(apps, &[from_ms, to_ms]) else { return Ok(Vec::new()) };
        let cache = &self.rollup_caches().events;
        let rank = |events: &Events| top_names(events, most);
        let ranked = self.ranked(&EVENTS, cache, apps, [cuts[0], cuts[1]], rank, versions).await?;
        let count = |Ranked { group, events, persons }| {
            let NameGroup::One((event, _)) = group else { return None };
            Some(EventCount { event: event.into(), events, persons })
        };
        Ok(ranked.into_iter().filter_map(count).collect())
    }

    /// The most frequent values of each dimension, followed by the sum of all others.
    pub async fn breakdowns(
        &self,
        apps: &[Uuid],
        from_ms: i64,
        to_ms: i64,
        most: usize,
        versions: &Versions,
    ) -> Result<Vec<BreakdownValue>, Error> {
        let Some(cuts) = moments(apps, &[from_ms, to_ms]) else { return Ok(Vec::new()) };
        let cache = &self.rollup_caches().breakdowns;
        let rank = |events: &Events| top_values(events, most);
        let ranked =
            self.ranked(&BREAKDOWNS, cache, apps, [cuts[0], cuts[1]], rank, versions).await?;
        Ok(ranked.into_iter().map(BreakdownValue::from).collect())
    }

    /// The most viewed pages, the most frequent entry and exit pages, and the referring sites with the
    /// most page views; each followed by the sum of all others. `shown` maps a page or site (with its
    /// dimension) to the text to display; those with the same text are counted as one.
    pub async fn pages(
        &self,
        apps: &[Uuid],
        from_ms: i64,
        to_ms: i64,
        most: usize,
        shown: impl Fn(&str, &str) -> String,
        versions: &Versions,
    ) -> Result<Vec<BreakdownValue>, Error> {
        let Some(cuts) = moments(apps, &[from_ms, to_ms]) else { return Ok(Vec::new()) };
        let cache = &self.rollup_caches().pages;
        let rank = |events: &Events| top_shown(events, most, &shown);
        let ranked = self.ranked(&PAGES, cache, apps, [cuts[0], cuts[1]], rank, versions).await?;
        Ok(ranked.into_iter().map(BreakdownValue::from).collect())
    }

    /// All pages and sites of a range as they are stored, with their dimension.
    pub async fn page_names(
        &self,
        apps: &[Uuid],
        from_ms: i64,
        to_ms: i64,
        versions: &Versions,
    ) -> Result<Vec<(String, String)>, Error> {
        let Some(cuts) = moments(apps, &[from_ms, to_ms]) else { return Ok(Vec::new()) };
        let (cache, cuts) = (&self.rollup_caches().pages, [cuts[0], cuts[1]]);
        let mut attempt = self.attempt(apps, cuts[1] - cuts[0]).await?;
        loop {
            let asked = self.events_by_size(&PAGES, cache, &attempt.by_size, cuts, versions);
            match Box::pin(asked).await {
                Err(error) => attempt.failed(error)?,
                Ok((_, events)) => {
                    let names = events.into_keys().filter(|(_, value)| &**value != OTHER);
                    return Ok(names.map(|(one, other)| (one.into(), other.into())).collect());
                }
            }
        }
    }

    async fn ranked(
        &self,
        table: &'static Table,
        cache: &RollupCache<Vec<Part>>,
        apps: &[Uuid],
        cuts: [u32; 2],
        rank: impl Fn(&Events) -> Vec<NameGroup>,
        versions: &Versions,
    ) -> Result<Vec<Ranked>, Error> {
        let mut attempt = self.attempt(apps, cuts[1] - cuts[0]).await?;
        loop {
            let by_size = &attempt.by_size;
            let asked = self.ranked_by_size(table, cache, by_size, cuts, &rank, versions);
            match Box::pin(asked).await {
                Err(error) => attempt.failed(error)?,
                found => return found,
            }
        }
    }

    /// The groups of names can be formed only when the events of all apps are known.
    async fn ranked_by_size(
        &self,
        table: &'static Table,
        cache: &RollupCache<Vec<Part>>,
        by_size: &BySize,
        cuts: [u32; 2],
        rank: impl Fn(&Events) -> Vec<NameGroup>,
        versions: &Versions,
    ) -> Result<Vec<Ranked>, Error> {
        let ((small, events), owners) = tokio::try_join!(
            self.events_by_size(table, cache, by_size, cuts, versions),
            self.owners(&by_size.small, versions),
        )?;
        let groups = rank(&events);
        let large = by_size.large.iter().map(|app| self.joined_persons(table, *app, cuts, &groups));
        let large = try_join_all(large).await?;
        let (groups, small) = off_the_runtime(move || {
            let small = persons_of(&groups, small, &owners);
            Ok((groups, small))
        })
        .await?;
        let ranked = events_of(&groups, events).into_iter().zip(groups).enumerate();
        let ranked = ranked.map(|(place, (events, group))| {
            let persons = small[place] + large.iter().map(|of_app| of_app[place]).sum::<u64>();
            Ranked { group, events, persons }
        });
        Ok(ranked.collect())
    }

    /// The sums of small apps, and how often each name occurred in all apps.
    async fn events_by_size(
        &self,
        table: &'static Table,
        cache: &RollupCache<Vec<Part>>,
        by_size: &BySize,
        cuts: [u32; 2],
        versions: &Versions,
    ) -> Result<(Sums, Events), Error> {
        let large = by_size.large.iter().map(|app| self.joined_names(table, *app, cuts));
        let (small, large) = tokio::try_join!(
            self.breakdown_sums(table, cache, &by_size.small, cuts, versions),
            try_join_all(large)
        )?;
        let mut events: Events =
            small.iter().map(|(name, sum)| (name.clone(), sum.events)).collect();
        for (name, more) in large.into_iter().flatten() {
            *events.entry(name).or_default() += more;
        }
        // Names whose events were all taken back are dropped.
        events.retain(|_, count| count.cast_signed() > 0);
        Ok((small, events))
    }
}

impl From<Ranked> for BreakdownValue {
    fn from(Ranked { group, events, persons }: Ranked) -> Self {
        let ((dimension, value), is_rest) = match group {
            NameGroup::One(name) | NameGroup::Several(name, _) => (name, false),
            NameGroup::Rest(dimension) => ((dimension, Box::default()), true),
        };
        let (dimension, value) = (dimension.into(), value.into());
        Self { dimension, value, is_rest, events, persons }
    }
}

/// Names with equal counts are ordered by name.
fn top_names(events: &Events, most: usize) -> Vec<NameGroup> {
    let (other, mut named): (Vec<_>, Vec<_>) =
        events.iter().partition(|((name, _), _)| &**name == OTHER);
    named.sort_by_key(|(_, events)| Reverse(**events));
    named.truncate(most);
    named.into_iter().chain(other).map(|(name, _)| NameGroup::One(name.clone())).collect()
}

/// Values over the limits of the apps are part of the rest.
fn top_values(events: &Events, most: usize) -> Vec<NameGroup> {
    top_shown(events, most, |_, value| value.to_owned())
}

/// The same for values that are displayed as other texts, several possibly as one.
fn top_shown(events: &Events, most: usize, shown: impl Fn(&str, &str) -> String) -> Vec<NameGroup> {
    let mut dimensions: BTreeMap<&str, BTreeMap<String, (u64, Vec<Name>)>> = BTreeMap::new();
    let mut is_over: BTreeSet<&str> = BTreeSet::new();
    for (name, events) in events {
        let values = dimensions.entry(&name.0).or_default();
        if &*name.1 == OTHER {
            is_over.insert(&name.0);
            continue;
        }
        let (sum, names) = values.entry(shown(&name.0, &name.1)).or_default();
        *sum += events;
        names.push(name.clone());
    }
    let mut groups = Vec::new();
    for (dimension, values) in dimensions {
        let count = values.len();
        let mut named: Vec<_> = values.into_iter().collect();
        named.sort_by_key(|(_, (events, _))| Reverse(*events));
        named.truncate(most);
        let has_rest = named.len() < count || is_over.contains(dimension);
        groups.extend(named.into_iter().map(|(value, (_, names))| {
            NameGroup::Several((dimension.into(), value.into()), names)
        }));
        groups.extend(has_rest.then(|| NameGroup::Rest(dimension.into())));
    }
    groups
}

/// Adds the counts of names to their groups.
fn grouped<T, U: Default>(
    groups: &[NameGroup],
    named: impl IntoIterator<Item = (Name, T)>,
    mut add: impl FnMut(&mut U, T),
) -> Vec<U> {
    let mut places: BTreeMap<&Name, usize> = BTreeMap::new();
    let mut rests: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, group) in groups.iter().enumerate() {
        match group {
            NameGroup::One(name) => drop(places.insert(name, place)),
            NameGroup::Several(_, names) => places.extend(names.iter().map(|name| (name, place))),
            NameGroup::Rest(first) => drop(rests.insert(first, place)),
        }
    }
    let mut grouped: Vec<U> = groups.iter().map(|_| U::default()).collect();
    for (name, what) in named {
        if let Some(place) = places.get(&name).or_else(|| rests.get(&*name.0)) {
            add(&mut grouped[*place], what);
        }
    }
    grouped
}

fn events_of(groups: &[NameGroup], events: Events) -> Vec<u64> {
    grouped(groups, events, |sum: &mut u64, more| *sum += more)
}

fn persons_of(groups: &[NameGroup], sums: Sums, owners: &[Arc<Owners>]) -> Vec<u64> {
    let sums = grouped(groups, sums, |sum: &mut Sum, more| sum.add(more));
    sums.iter().map(|sum| sum.persons(owners)).collect()
}
