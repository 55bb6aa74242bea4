//! Funnels: how far people get through several steps, and how long it takes them.
//!
//! A person's attempt starts with the first step, within the range, and has the window's time for the
//! other steps, even beyond the end of the range. Only the attempt that got furthest counts; among
//! several, the one that got there first, and of its events the latest ones that led there. One event is
//! at most one step. Events of the same millisecond are taken in the order of the steps.

use std::collections::BTreeMap;
use std::ops::Range;

use bytes::Bytes;

use super::Scope;
use super::groups::{Grouping, Groups};
use super::slots::Slots;
use crate::binary::Rows;
use crate::client::Warehouse;
use crate::conditions::{EventChoice, GroupBy, People};
use crate::error::Error;
use crate::explore::Key;
use crate::owners::Whose;
use crate::params::Param;
use crate::rollup_cache::Owners;
use crate::runtime::off_the_runtime;
use crate::statement::Statement;

pub const STEPS_MAX: usize = 10;
/// The bits of an event that is only the first step.
const FIRST: u16 = 1;
/// The bit of an event that excludes the person.
const EXCLUDES: u16 = 1 << STEPS_MAX;

#[derive(Clone, Debug)]
pub struct FunnelQuery {
    pub scope: Scope,
    pub steps: Vec<EventChoice>,
    /// People who did one of these, from the start of the range until the last window ends, are not
    /// counted.
    pub exclude: Option<EventChoice>,
    pub order: FunnelOrder,
    pub window_ms: i64,
    /// The buckets in which attempts start.
    pub slots: Slots,
    /// The end of the events to read.
    pub until_ms: i64,
    /// Properties of the first step, at most two.
    pub group_by: Vec<GroupBy>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunnelOrder {
    /// Anything may happen between two steps.
    Loose,
    /// None of the funnel's events may happen between two steps.
    Strict,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunnelStep {
    pub people: u64,
    /// The time from the step before, for people who made this one; None if nobody did, and for the
    /// first.
    pub median_ms: Option<i64>,
    pub p90_ms: Option<i64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FunnelGroup {
    /// One for each property.
    pub values: Vec<Key>,
    pub steps: Vec<FunnelStep>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Funnel {
    pub steps: Vec<FunnelStep>,
    /// The largest first, the rest last. Empty without a breakdown.
    pub groups: Vec<FunnelGroup>,
    /// How many people started in each bucket, and how many of those completed all steps.
    pub over_time: Vec<(u64, u64)>,
    /// The time from the first step to the last for everyone who completed all, in ascending order.
    pub durations_ms: Vec<i64>,
}

/// A figure of a funnel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunnelFigure {
    /// Counted from 0.
    pub step: usize,
    /// Selects people who made the step before but not this one, instead of those who made it.
    pub dropped: bool,
    pub group: Option<Vec<Key>>,
    /// The index of the bucket in which they started.
    pub bucket: Option<usize>,
}

/// The attempt of a person that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    /// When each step was made.
    pub times: Vec<i64>,
    /// The group of the first step.
    pub group: u8,
}

impl Attempt {
    /// The bucket in which it started.
    fn bucket(&self, query: &FunnelQuery) -> Option<usize> {
        let start = u64::try_from(self.times[0] / 1_000).unwrap_or(0);
        query.slots.starts.partition_point(|slot| *slot <= start).checked_sub(1)
    }
}

/// One event of a person: its time, the steps that it matches as bits, and its group.
pub(crate) type Moment = (i64, u16, u8);

/// In statements a moment is one number: the group in its lowest eight bits, the steps above them, then
/// the time.
const STEP: i64 = 1 << 8;
const MILLISECOND: i64 = STEP << (STEPS_MAX + 1);

fn unpacked(moment: i64) -> Moment {
    let rest = moment.rem_euclid(MILLISECOND);
    (moment.div_euclid(MILLISECOND), (rest / STEP) as u16, (rest % STEP) as u8)
}

impl FunnelQuery {
    fn range(&self) -> super::Range {
        let (from, to) = self.slots.range();
        (from, to.saturating_add(self.window_ms).saturating_add(1).min(self.until_ms).max(from))
    }

    /// A subquery for the moments, each with its `person`.
    fn moments(&self, this: &mut Statement, groups: Option<&Groups>, whose: Whose) -> String {
        let choices: Vec<&EventChoice> = self.steps.iter().chain(&self.exclude).collect();
        let group = groups.map_or("toUInt8(0)".to_owned(), |groups| groups.place(this));
        // All relevant data of an event as one number: there are many, and numbers are fast to collect.
        let columns = format!(
            "toUnixTimestamp64Milli(time) * {MILLISECOND} + toInt64({}) * {STEP} + {group} AS moment",
            self.bits(this)
        );
        self.scope.events(this, whose, self.range(), &choices, &columns)
    }

    /// An expression for the steps that an event matches.
    fn bits(&self, this: &mut Statement) -> String {
        let steps = self.steps.iter().enumerate().map(|(step, choice)| (1 << step, choice));
        let all: Vec<(u16, &EventChoice)> =
            steps.chain(self.exclude.iter().map(|choice| (EXCLUDES, choice))).collect();
        // Looking up a name once takes less time than comparing it with those of each step.
        let mut of_names: BTreeMap<String, u16> = BTreeMap::new();
        let mut others = Vec::new();
        for (bit, choice) in all {
            match &choice.names {
                Some(names) if choice.is_by_name() && this.shown.is_none() => {
                    names.iter().for_each(|it| *of_names.entry(it.clone()).or_default() |= bit);
                }
                _ => others.push(format!("if({}, {bit}, 0)", this.is_chosen(choice))),
            }
        }
        if !of_names.is_empty() {
            let bits: Vec<String> = of_names.values().map(u16::to_string).collect();
            let names = this.bind("Array(String)", Param::Texts(of_names.into_keys().collect()));
            others.push(format!("transform(event, {names}, [{}], 0)", bits.join(", ")));
        }
        others.join(" + ")
    }

    fn of_people(&self, store: &Warehouse, groups: Option<&Groups>) -> Statement {
        let mut this = self.scope.statement(store);
        let moments = self.moments(&mut this, groups, store.whose());
        let end = this.bind("Int64", self.slots.range().1.into());
        let (others, excludes) = (MILLISECOND - 2 * STEP, i64::from(EXCLUDES) * STEP);
        // For people who only did the first step, its first occurrence is enough.
        this.sql = format!(
            "SELECT person, \
                if((bitAnd(groupBitOr(moment), {others}) AS others) = 0, [min(moment)], groupArray(moment)) \
             FROM {moments} GROUP BY person \
             HAVING bitAnd(others, {excludes}) = 0 \
                AND countIf(bitAnd(moment, {STEP}) != 0 AND moment < {end} * {MILLISECOND}) > 0"
        );
        this
    }

    fn as_sent(&self, store: &Warehouse, groups: Option<&Groups>) -> Statement {
        let mut this = self.scope.statement(store);
        let moments = self.moments(&mut this, groups, Whose::AsSent);
        this.sql = format!("SELECT person, moment FROM {moments}");
        this
    }
}

impl Warehouse {
    pub async fn funnel(&self, query: &FunnelQuery) -> Result<Funnel, Error> {
        let groups = self.funnel_groups(query).await?;
        let attempts = self.attempts(query, groups.as_ref()).await?;
        let attempts = attempts.into_iter().map(|(_, attempt)| attempt).collect();
        Ok(summed_up(attempts, query, groups.as_ref()))
    }

    /// The people behind a figure. None if there is no such figure.
    pub async fn funnel_people(
        &self,
        query: &FunnelQuery,
        figure: &FunnelFigure,
    ) -> Result<Option<People>, Error> {
        let FunnelFigure { step, dropped, group, bucket } = figure;
        let is_bucket = bucket.is_none_or(|place| place < query.slots.starts.len());
        if *step >= query.steps.len() || *dropped && *step == 0 || !is_bucket {
            return Ok(None);
        }
        let groups = self.funnel_groups(query).await?;
        let place = match (group, &groups) {
            (None, _) => None,
            (Some(values), Some(groups)) => match groups.place_of(values) {
                Some(place) => Some(place),
                None => return Ok(None),
            },
            (Some(_), None) => return Ok(None),
        };
        let is_wanted = |attempt: &Attempt| {
            let made = attempt.times.len();
            let is_in_group = place.is_none_or(|place| usize::from(attempt.group) == place);
            let is_in_bucket = bucket.is_none_or(|place| attempt.bucket(query) == Some(place));
            is_in_group && is_in_bucket && if *dropped { made == *step } else { made > *step }
        };
        let attempts = self.attempts(query, groups.as_ref()).await?;
        let people = attempts.iter().filter(|(_, attempt)| is_wanted(attempt));
        Ok(Some(People::of(people.map(|(person, _)| *person).collect())))
    }

    async fn funnel_groups(&self, query: &FunnelQuery) -> Result<Option<Groups>, Error> {
        match (query.group_by.as_slice(), query.steps.first()) {
            (by @ [_, ..], Some(first)) => {
                let (scope, range) = (&query.scope, query.slots.range());
                self.groups(scope, first, range, &Grouping::of_people(by)).await.map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The attempt of each person that counts.
    async fn attempts(
        &self,
        query: &FunnelQuery,
        groups: Option<&Groups>,
    ) -> Result<Vec<(u32, Attempt)>, Error> {
        let as_sent = self.moments_as_sent(query, groups).await?;
        let query = query.clone();
        match as_sent {
            Some(answer) => {
                let owners = self.current_owners(query.scope.app).await?;
                off_the_runtime(move || Ok(Moments::as_sent(answer, &owners)?.attempts(&query)))
                    .await
            }
            None => {
                let answer = self.analyze(&query.of_people(self, groups)).await?;
                off_the_runtime(move || Ok(Moments::of_people(&answer)?.attempts(&query))).await
            }
        }
    }

    /// Joining each event with its device's owner, and collecting those of each person, takes as long as
    /// everything else. None if the app is too large to do that here.
    async fn moments_as_sent(
        &self,
        query: &FunnelQuery,
        groups: Option<&Groups>,
    ) -> Result<Option<Bytes>, Error> {
        if !self.joins_here(query.scope.app).await? {
            return Ok(None);
        }
        match self.analyze_blocks(&query.as_sent(self, groups)).await {
            Ok(answer) => Ok(Some(answer)),
            Err(error) if error.is_too_large() || error.is_about_size() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The moments of everyone.
struct Moments {
    all: Vec<i64>,
    /// Whose they are: one person's next to each other.
    of_people: Vec<(u32, Range<usize>)>,
}

impl Moments {
    fn of_people(answer: &[u8]) -> Result<Self, Error> {
        let mut rows = Rows::new(answer);
        let (mut all, mut of_people) = (Vec::new(), Vec::new());
        while !rows.is_at_end() {
            let (person, start) = (rows.u32()?, all.len());
            all.extend(rows.i64s()?);
            of_people.push((person, start..all.len()));
        }
        Ok(Self { all, of_people })
    }

    /// Of numbers as they were stored.
    fn as_sent(answer: Bytes, owners: &Owners) -> Result<Self, Error> {
        let mut rows = Rows::new(&answer);
        let mut stored: Vec<(u32, i64)> = Vec::new();
        while !rows.is_at_end() {
            let (numbers, moments) = rows.block()?;
            let number = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
            let moment = |bytes: &[u8; 8]| i64::from_le_bytes(*bytes);
            stored.extend(numbers.iter().map(number).zip(moments.iter().map(moment)));
        }
        drop(answer);
        radsort::sort_by_key(&mut stored, |(number, _)| *number);
        let (mut all, mut of_people) = (Vec::with_capacity(stored.len()), Vec::new());
        for moments in stored.chunk_by(|(one, _), (other, _)| one == other) {
            let (number, start) = (moments[0].0, all.len());
            all.extend(moments.iter().map(|(_, moment)| *moment));
            of_people.push((owners.owner_of(number).unwrap_or(number), start..all.len()));
        }
        of_people.sort_unstable_by_key(|(person, _)| *person);
        Ok(Self { all, of_people })
    }

    fn attempts(&self, query: &FunnelQuery) -> Vec<(u32, Attempt)> {
        let (mut attempts, mut packed, mut moments) = (Vec::new(), Vec::new(), Vec::new());
        for numbers in self.of_people.chunk_by(|(one, _), (other, _)| one == other) {
            packed.clear();
            numbers.iter().for_each(|(_, own)| packed.extend_from_slice(&self.all[own.clone()]));
            packed.sort_unstable();
            moments.clear();
            moments.extend(packed.iter().copied().map(unpacked));
            if moments.iter().any(|(_, steps, _)| steps & EXCLUDES != 0) {
                continue;
            }
            let person = numbers[0].0;
            attempts.extend(furthest(&moments, query).map(|attempt| (person, attempt)));
        }
        attempts
    }
}

/// The attempt that counts. The moments are in ascending order.
pub(crate) fn furthest(moments: &[Moment], query: &FunnelQuery) -> Option<Attempt> {
    let (count, end) = (query.steps.len(), query.slots.range().1);
    // For each number of completed steps, the attempt that made the last of them latest: it has the most
    // time left for the others.
    let mut open: [Option<OpenAttempt>; STEPS_MAX] = [None; STEPS_MAX];
    let mut best: Option<OpenAttempt> = None;
    for (place, (at, steps, group)) in moments.iter().enumerate() {
        // Of first steps in a row, the last one replaces the others.
        let next = moments.get(place + 1).filter(|_| *steps == FIRST && best.is_some());
        if next.is_some_and(|(at, steps, _)| *steps == FIRST && *at < end) {
            continue;
        }
        let previous = match query.order {
            FunnelOrder::Loose => None,
            // An event that does not continue an attempt ends it.
            FunnelOrder::Strict => Some(std::mem::take(&mut open)),
        };
        // From the last step to the first, so that an event cannot be two steps of one attempt.
        for step in (0..count).rev().filter(|step| steps & (1 << step) != 0) {
            let made = if step == 0 {
                (*at < end).then_some(OpenAttempt {
                    times: [*at; STEPS_MAX],
                    made: 1,
                    group: *group,
                })
            } else {
                let before = previous.as_ref().unwrap_or(&open)[step - 1];
                before.filter(|before| at - before.times[0] <= query.window_ms).map(|mut after| {
                    after.times[step] = *at;
                    after.made = step + 1;
                    after
                })
            };
            let Some(made) = made else { continue };
            if best.is_none_or(|best| made.made > best.made) {
                best = Some(made);
            }
            open[step] = Some(made);
        }
    }
    best.map(|best| Attempt { times: best.times[..best.made].to_vec(), group: best.group })
}

/// An attempt that may continue. There are many for each that counts, so they are not allocated
/// individually.
#[derive(Clone, Copy)]
struct OpenAttempt {
    times: [i64; STEPS_MAX],
    /// How many steps were made.
    made: usize,
    group: u8,
}

fn summed_up(attempts: Vec<Attempt>, query: &FunnelQuery, groups: Option<&Groups>) -> Funnel {
    let count = query.steps.len();
    let mut over_time = vec![(0, 0); query.slots.starts.len()];
    let mut durations_ms = Vec::new();
    for attempt in &attempts {
        let times = &attempt.times;
        if let Some((began, made_it)) =
            attempt.bucket(query).and_then(|place| over_time.get_mut(place))
        {
            *began += 1;
            *made_it += u64::from(times.len() == count);
        }
        if times.len() == count {
            durations_ms.push(times[count - 1] - times[0]);
        }
    }
    durations_ms.sort_unstable();
    let of_group = |place: usize| {
        let own = attempts.iter().filter(|attempt| usize::from(attempt.group) == place);
        steps_of(own, count)
    };
    let groups = groups.map_or(Vec::new(), |groups| {
        let all = (0..groups.count()).map(|place| (groups.values(place), of_group(place)));
        let all = all.filter(|(_, steps)| steps.first().is_some_and(|step| step.people > 0));
        all.map(|(values, steps)| FunnelGroup { values, steps }).collect()
    });
    Funnel { steps: steps_of(attempts.iter(), count), groups, over_time, durations_ms }
}

fn steps_of<'a>(attempts: impl Iterator<Item = &'a Attempt>, count: usize) -> Vec<FunnelStep> {
    let mut people = vec![0; count];
    let mut times: Vec<Vec<i64>> = vec![Vec::new(); count];
    for attempt in attempts {
        for (step, at) in attempt.times.iter().enumerate() {
            people[step] += 1;
            if let Some(before) = step.checked_sub(1) {
                times[step].push(at - attempt.times[before]);
            }
        }
    }
    let step = |(people, mut times): (u64, Vec<i64>)| {
        times.sort_unstable();
        FunnelStep { people, median_ms: quantile(&times, 5), p90_ms: quantile(&times, 9) }
    };
    people.into_iter().zip(times).map(step).collect()
}

/// Linear interpolation between the two nearest values, in integers. The numbers are in ascending order.
fn quantile(numbers: &[i64], tenths: usize) -> Option<i64> {
    let last = numbers.len().checked_sub(1)?;
    let (place, rest) = (last * tenths / 10, (last * tenths % 10) as i64);
    let (below, above) = (numbers[place], numbers[(place + 1).min(last)]);
    Some(below + (above - below) * rest / 10)
}
