//! The figures of the dashboard, and how they are put together from what the event store counts.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use warehouse::{Counts, EventCount, Share};

use super::question::CountedApp;
use crate::types::{Id, Millis};

/// A figure, what it was before, and by how much of that it changed.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Figure {
    pub value: u64,
    /// Null without a comparison.
    pub previous: Option<u64>,
    /// Null where there is nothing to compare with.
    pub change: Option<f64>,
}

impl Figure {
    fn new(value: u64, previous: Option<u64>) -> Self {
        let change = previous.filter(|before| *before > 0).map(|before| {
            let (value, before) = (value as f64, before as f64);
            (value - before) / before
        });
        Self { value, previous, change }
    }
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Totals {
    pub events: Figure,
    pub page_views: Figure,
    /// Distinct users, or devices where no user was told.
    pub active_users: Figure,
    pub active_devices: Figure,
    /// Devices whose first event ever in the app lies in the range.
    pub new_devices: Figure,
    /// Runs of one device's events without a gap of more than half an hour.
    pub sessions: Figure,
}

impl Totals {
    pub fn new(now: Counts, before: Option<Counts>) -> Self {
        let figure = |of: fn(&Counts) -> u64| Figure::new(of(&now), before.as_ref().map(of));
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

/// All apps together: a person counts once in each.
pub fn sum(counted: &HashMap<Uuid, Counts>) -> Counts {
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
    /// Of all events of the range, from 0 to 1.
    pub share: f64,
}

pub fn of_apps(
    apps: &[CountedApp],
    now: &HashMap<Uuid, Counts>,
    before: Option<&HashMap<Uuid, Counts>>,
) -> Vec<OfApp> {
    let all = sum(now).events;
    let of = |totals: &HashMap<Uuid, Counts>, app: &CountedApp| {
        totals.get(&app.uuid).copied().unwrap_or_default()
    };
    apps.iter()
        .map(|app| {
            let own = of(now, app);
            OfApp {
                id: app.id.clone(),
                name: app.name.clone(),
                totals: Totals::new(own, before.map(|before| of(before, app))),
                share: if all == 0 { 0.0 } else { own.events as f64 / all as f64 },
            }
        })
        .collect()
}

/// What happened in one bucket.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Bucket {
    /// When it begins, in milliseconds since 1970.
    pub time: i64,
    pub events: u64,
    pub page_views: u64,
    pub active_users: u64,
    pub active_devices: u64,
    pub new_devices: u64,
    /// Those that began in it.
    pub sessions: u64,
}

impl Bucket {
    pub fn new(start: Millis, counts: Counts) -> Self {
        Self {
            time: start.0,
            events: counts.events,
            page_views: counts.page_views,
            active_users: counts.persons,
            active_devices: counts.devices,
            new_devices: counts.new_devices,
            sessions: counts.sessions,
        }
    }
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct SeriesPoint {
    #[serde(flatten)]
    pub bucket: Bucket,
    /// The bucket in the same place of the range compared with.
    pub previous: Option<Bucket>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct EventFigures {
    pub event: String,
    pub events: u64,
    pub users: u64,
    /// All whose names are over the limits of their apps, together; the last one.
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
    /// Empty where the sender told none.
    pub value: String,
    pub events: u64,
    pub users: u64,
    /// All that are not among the first ten or are over the limits of their apps, together.
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
    pub fn new<'a>(shares: impl Iterator<Item = &'a Share>) -> Self {
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
