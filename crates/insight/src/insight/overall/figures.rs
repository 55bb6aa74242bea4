//! The figures of the dashboard, and how they are computed from the warehouse's counts.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use warehouse::{BreakdownValue, Counts, EventCount};

use super::request::CountedApp;
use atrium_core::types::{Id, Millis};

/// A figure, its previous value, and the relative change. An unfinished range is compared up to
/// `compared_until` on both sides.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Figure {
    /// For the range; so far, if it is not over.
    pub value: u64,
    /// For the compared part of the range: equal to `value` if the range is over. Null without a
    /// comparison and until the first quarter of an hour of the range is over.
    pub compared: Option<u64>,
    /// For the same part of the range compared with; null whenever `compared` is.
    pub previous: Option<u64>,
    /// From `previous` to `compared`; null if there is nothing to compare with.
    pub change: Option<f64>,
}

impl Figure {
    fn new(value: u64, compared: Option<(u64, u64)>) -> Self {
        let change = compared.filter(|(_, before)| *before > 0).map(|(now, before)| {
            let (now, before) = (now as f64, before as f64);
            (now - before) / before
        });
        let (compared, previous) = compared.unzip();
        Self { value, compared, previous, change }
    }
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Totals {
    pub events: Figure,
    pub page_views: Figure,
    /// Distinct users, or devices where no user was sent.
    pub active_users: Figure,
    pub active_devices: Figure,
    /// Devices whose first event ever in the app lies in the range.
    pub new_devices: Figure,
    /// Runs of one device's events without a gap of more than half an hour.
    pub sessions: Figure,
}

impl Totals {
    /// For these counts, and for the compared parts of now and before.
    fn new(counted: Counts, compared: Option<(Counts, Counts)>) -> Self {
        let figure = |of: fn(&Counts) -> u64| {
            Figure::new(of(&counted), compared.map(|(now, before)| (of(&now), of(&before))))
        };
        Self {
            events: figure(|counts| counts.events),
            page_views: figure(|counts| counts.page_views),
            active_users: figure(|counts| counts.persons),
            active_devices: figure(|counts| counts.devices),
            new_devices: figure(|counts| counts.new_devices),
            sessions: figure(|counts| counts.sessions),
        }
    }
}

pub type ByApp = HashMap<Uuid, Counts>;

/// The counts of the same part of two ranges.
#[derive(Clone, Copy)]
pub struct Both<'a> {
    pub now: &'a ByApp,
    pub before: &'a ByApp,
}

pub fn totals(counted: &ByApp, compared: Option<Both>) -> Totals {
    Totals::new(sum(counted), compared.map(|it| (sum(it.now), sum(it.before))))
}

/// All apps together: a person counts once in each app.
fn sum(counted: &ByApp) -> Counts {
    counted.values().fold(Counts::default(), |mut sum, one| {
        sum += *one;
        sum
    })
}

#[derive(Debug, Serialize, ToSchema)]
pub struct OfApp {
    pub id: Id,
    pub name: String,
    #[serde(flatten)]
    pub totals: Totals,
    /// Its share of all events of the range, from 0 to 1.
    pub share: f64,
}

pub fn of_apps(apps: &[CountedApp], counted: &ByApp, compared: Option<Both>) -> Vec<OfApp> {
    let all = sum(counted).events;
    let of = |counts: &ByApp, app: &CountedApp| counts.get(&app.uuid).copied().unwrap_or_default();
    apps.iter()
        .map(|app| {
            let own = of(counted, app);
            let compared = compared.map(|it| (of(it.now, app), of(it.before, app)));
            OfApp {
                id: app.id.clone(),
                name: app.name.clone(),
                totals: Totals::new(own, compared),
                share: if all == 0 { 0.0 } else { own.events as f64 / all as f64 },
            }
        })
        .collect()
}

/// What happened in one bucket. For a bucket that lies ahead every figure is null.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Bucket {
    /// When it begins, in milliseconds since 1970.
    pub time: i64,
    /// Whether it has begun and is not over: its figures are so far.
    pub partial: bool,
    pub events: Option<u64>,
    pub page_views: Option<u64>,
    pub active_users: Option<u64>,
    pub active_devices: Option<u64>,
    pub new_devices: Option<u64>,
    /// Sessions that began in it.
    pub sessions: Option<u64>,
    #[serde(skip)]
    pub ahead: bool,
}

impl Bucket {
    pub fn new(start: Millis, end: Millis, counts: Counts, now: Millis) -> Self {
        let ahead = now < start;
        let count = |count: u64| (!ahead).then_some(count);
        Self {
            time: start.0,
            partial: !ahead && now < end,
            events: count(counts.events),
            page_views: count(counts.page_views),
            active_users: count(counts.persons),
            active_devices: count(counts.devices),
            new_devices: count(counts.new_devices),
            sessions: count(counts.sessions),
            ahead,
        }
    }
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct SeriesPoint {
    #[serde(flatten)]
    pub bucket: Bucket,
    /// The bucket in the same place of the range compared with, as a whole.
    pub previous: Option<Bucket>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct EventFigures {
    pub event: String,
    pub events: u64,
    pub users: u64,
    /// Whether this is the sum of all events whose names are over the limits of their apps; it comes
    /// last.
    pub other: bool,
}

impl From<&EventCount> for EventFigures {
    fn from(count: &EventCount) -> Self {
        let other = count.is_other();
        let event = if other { "other".to_owned() } else { count.event.clone() };
        Self { event, events: count.events, users: count.persons, other }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ValueFigures {
    /// Empty if the sender gave none.
    pub value: String,
    pub events: u64,
    pub users: u64,
    /// Whether this is the sum of all values that are not among the first ten or are over the limits of
    /// their apps.
    pub other: bool,
}

#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Breakdowns {
    pub os: Vec<ValueFigures>,
    pub browser: Vec<ValueFigures>,
    pub device_type: Vec<ValueFigures>,
    pub language: Vec<ValueFigures>,
}

impl Breakdowns {
    pub fn new<'a>(shares: impl Iterator<Item = &'a BreakdownValue>) -> Self {
        let mut breakdowns = Self::default();
        for share in shares {
            let list = match share.dimension.as_str() {
                "os" => &mut breakdowns.os,
                "browser" => &mut breakdowns.browser,
                "device_type" => &mut breakdowns.device_type,
                "language" => &mut breakdowns.language,
                _ => continue,
            };
            let other = share.is_rest;
            let value = if other { "other".to_owned() } else { share.value.clone() };
            list.push(ValueFigures { value, events: share.events, users: share.persons, other });
        }
        breakdowns
    }
}
