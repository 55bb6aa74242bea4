//! Retention: of the people who did one event in a day, week or month, how many did another a number of
//! days, weeks or months later.

use roaring::RoaringBitmap;

use super::Scope;
use super::groups::{Grouping, Groups};
use super::sets::Sets;
use super::slots::Slots;
use crate::binary::Rows;
use crate::client::Warehouse;
use crate::conditions::{EventChoice, GroupBy, People};
use crate::error::Error;
use crate::explore::Key;

#[derive(Clone, Debug)]
pub struct RetentionQuery {
    pub scope: Scope,
    pub first: EventChoice,
    /// Whether only a person's first time ever counts.
    pub first_ever: bool,
    pub returning: EventChoice,
    /// The buckets of the cohorts, followed by those after the last cohort.
    pub slots: Slots,
    /// How many of the buckets are cohorts.
    pub cohorts: usize,
    /// How many buckets after its own a cohort is followed for.
    pub units: usize,
    pub mode: RetentionMode,
    /// Properties of the first event, at most two.
    pub group_by: Vec<GroupBy>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetentionMode {
    Exactly,
    OnOrAfter,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetentionCohort {
    pub size: u64,
    /// How many returned in its own bucket and in each following one that was requested.
    pub returned: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetentionGroup {
    /// One for each property.
    pub values: Vec<Key>,
    pub cohorts: Vec<RetentionCohort>,
}

impl RetentionQuery {
    /// The buckets of the cohorts.
    fn own_slots(&self) -> Slots {
        let starts = &self.slots.starts;
        let count = self.cohorts.min(starts.len());
        let end = starts.get(count).copied().unwrap_or(self.slots.end);
        Slots { starts: starts[..count].to_vec(), end }
    }

    fn counted(&self, first: &Sets, returning: &Sets) -> Vec<RetentionCohort> {
        let cohort = |(place, who): (usize, &RoaringBitmap)| {
            let last = (place + self.units).min(returning.len().saturating_sub(1));
            let mut later = RoaringBitmap::new();
            let mut returned: Vec<u64> = Vec::new();
            for set in returning[place..=last].iter().rev() {
                returned.push(match self.mode {
                    RetentionMode::Exactly => who.intersection_len(set),
                    RetentionMode::OnOrAfter => {
                        later |= set;
                        who.intersection_len(&later)
                    }
                });
            }
            returned.reverse();
            RetentionCohort { size: who.len(), returned }
        };
        first.iter().enumerate().map(cohort).collect()
    }
}

/// A figure of an answer about retention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetentionFigure {
    pub cohort: usize,
    /// None for the whole cohort.
    pub unit: Option<usize>,
    pub group: Option<Vec<Key>>,
}

impl Warehouse {
    /// The people behind a figure. None if there is no such figure.
    pub async fn retention_people(
        &self,
        query: &RetentionQuery,
        figure: &RetentionFigure,
    ) -> Result<Option<People>, Error> {
        let own = query.own_slots();
        if figure.cohort >= own.starts.len() {
            return Ok(None);
        }
        let cohorts = match &figure.group {
            None => self.all_cohorts(query, &own).await?,
            Some(values) => {
                let (scope, by) = (&query.scope, &query.group_by);
                let by = Grouping::of_people(by);
                let groups = self.groups(scope, &query.first, own.range(), &by).await?;
                let Some(place) = groups.place_of(values) else { return Ok(None) };
                self.cohorts_by_group(query, &own, &groups).await?.swap_remove(place)
            }
        };
        let who = &cohorts[figure.cohort];
        let Some(unit) = figure.unit else { return Ok(Some(People::of(who.clone()))) };
        let returning = self.active(&query.scope, &query.returning, &query.slots).await?;
        let (first, last) = (figure.cohort + unit, figure.cohort + query.units);
        if unit > query.units || first >= returning.len() {
            return Ok(None);
        }
        let last = match query.mode {
            RetentionMode::Exactly => first,
            RetentionMode::OnOrAfter => last.min(returning.len() - 1),
        };
        let mut back = RoaringBitmap::new();
        returning[first..=last].iter().for_each(|set| back |= set);
        Ok(Some(People::of(who & back)))
    }

    async fn all_cohorts(&self, query: &RetentionQuery, own: &Slots) -> Result<Sets, Error> {
        match query.first_ever {
            true => self.first_ever(&query.scope, &query.first, own).await,
            false => self.active(&query.scope, &query.first, own).await,
        }
    }

    async fn cohorts_and_returning(
        &self,
        query: &RetentionQuery,
        own: &Slots,
    ) -> Result<(Sets, Sets), Error> {
        let RetentionQuery { scope, first, returning, slots, .. } = query;
        if query.first_ever {
            let returning = self.active(scope, returning, slots);
            return tokio::try_join!(self.all_cohorts(query, own), returning);
        }
        let (mut cohorts, returning) = self.both_active(scope, [first, returning], slots).await?;
        cohorts.truncate(own.starts.len());
        Ok((cohorts, returning))
    }

    /// First all people together, then by group, if requested.
    pub async fn retention(
        &self,
        query: &RetentionQuery,
    ) -> Result<(Vec<RetentionCohort>, Vec<RetentionGroup>), Error> {
        let RetentionQuery { scope, first, .. } = query;
        let own = query.own_slots();
        if own.starts.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let (cohorts, returning) = self.cohorts_and_returning(query, &own).await?;
        let whole = query.counted(&cohorts, &returning);
        if query.group_by.is_empty() {
            return Ok((whole, Vec::new()));
        }
        let by = Grouping::of_people(&query.group_by);
        let groups = self.groups(scope, first, own.range(), &by).await?;
        let by_group = self.cohorts_by_group(query, &own, &groups).await?;
        let by_group = by_group.iter().enumerate().map(|(place, cohorts)| RetentionGroup {
            values: groups.values(place),
            cohorts: query.counted(cohorts, &returning),
        });
        let is_any = |group: &RetentionGroup| group.cohorts.iter().any(|cohort| cohort.size > 0);
        Ok((whole, by_group.filter(is_any).collect()))
    }

    async fn cohorts_by_group(
        &self,
        query: &RetentionQuery,
        own: &Slots,
        groups: &Groups,
    ) -> Result<Vec<Sets>, Error> {
        let mut this = query.scope.statement(self);
        let slot = own.slot(&mut this);
        let place = groups.place(&mut this);
        let ((from, to), whose) = (own.range(), self.whose());
        let events = |this: &mut _, range, columns: &str| {
            query.scope.events(this, whose, range, &[&query.first], columns)
        };
        let rows = if query.first_ever {
            let all = events(&mut this, (0, to), &format!("time AS at, {place} AS place"));
            let from = this.bind("Int64", from.into());
            format!(
                "(SELECT person, min(at) AS time, argMin(place, (at, place)) AS belongs FROM {all} \
                 GROUP BY person HAVING time >= fromUnixTimestamp64Milli({from}, 'UTC'))"
            )
        } else {
            events(&mut this, (from, to), &format!("time, {place} AS belongs"))
        };
        this.sql = format!(
            "SELECT {slot} AS slot, belongs, groupBitmapState(person) FROM {rows} \
             GROUP BY slot, belongs"
        );
        let answer = self.analyze(&this).await?;
        let mut found = vec![vec![RoaringBitmap::new(); own.starts.len()]; groups.count()];
        let mut rows = Rows::new(&answer);
        while !rows.is_at_end() {
            let (start, group, set) = (rows.u32()?, rows.u8()?, rows.bitmap()?);
            if let Some(place) = own.place(start) {
                found[usize::from(group).min(groups.count() - 1)][place] |= set;
            }
        }
        Ok(found)
    }
}
