//! What will be generated, determined before the first event: the same for the same seed, time, apps and
//! size.

use uuid::Uuid;

use super::calendar::{self, Calendar};
use super::chance::Chance;
use super::population::Population;
use super::stories::{STORIES, Story};
use atrium_core::types::Millis;

pub struct Plan {
    pub seed: u64,
    pub events: u64,
    pub now: Millis,
    pub apps: Vec<PlannedApp>,
}

pub struct PlannedApp {
    pub id: Uuid,
    pub story: &'static Story,
    pub calendar: Calendar,
    pub population: Population,
}

/// Random streams that belong to no person.
const CALENDAR: u64 = 1;
const LEDGER: u64 = 2;

impl Plan {
    /// One app for each of the stories, in order.
    pub fn new(
        seed: u64,
        events: u64,
        days: usize,
        now: Millis,
        ids: &[Uuid],
    ) -> anyhow::Result<Self> {
        let mut calendars = Vec::with_capacity(STORIES.len());
        for (place, story) in STORIES.iter().enumerate() {
            let mut chance = Chance::of(&[seed, CALENDAR, place as u64]);
            calendars.push(Calendar::new(story, days, now, &mut chance)?);
        }
        calendar::deal(&mut calendars, events);
        let apps = ids
            .iter()
            .zip(&STORIES)
            .zip(calendars)
            .enumerate()
            .map(|(place, ((id, story), calendar))| {
                let population = Population::new(seed, place, story, &calendar);
                PlannedApp { id: *id, story, calendar, population }
            })
            .collect();
        Ok(Self { seed, events, now, apps })
    }

    pub fn days(&self) -> usize {
        self.apps.first().map_or(0, |app| app.calendar.days.len())
    }

    /// The date of an app's day in the ledger's form.
    pub fn date(&self, app: usize, day: usize) -> i32 {
        self.apps[app].calendar.days[day].since_1970
    }

    pub fn ledger_chance(&self) -> Chance {
        Chance::of(&[self.seed, LEDGER])
    }
}
