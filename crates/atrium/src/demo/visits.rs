//! One visit of one person: who comes, when, with which device, and what is known about them by then.

use super::calendar::{Day, Release};
use super::chance::Chance;
use super::plan::{Plan, PlannedApp};
use super::population::{Device, Person, PersonId};
use super::stories::Surface;
use atrium_core::types::Millis;

const SDK_BEFORE: &str = "0.2.3";
const SDK_NOW: &str = "0.2.4";
/// How long a new version has more errors.
const FRESH: i64 = 30 * Millis::HOUR;
/// The share of payments that fail, where they do.
const PAYMENTS_FAILING: f64 = 0.88;

/// A visit in progress.
pub struct Visit<'a> {
    pub place: usize,
    pub app: &'a PlannedApp,
    pub day: &'a Day,
    pub person: Person,
    pub device: Device,
    pub agent: String,
    pub release: &'a Release,
    pub sdk_version: &'static str,
    /// Empty until they are signed in.
    pub user_id: String,
    /// Whether they came on an earlier day.
    pub came_before: bool,
    /// Whether it is their first visit ever.
    pub is_first: bool,
    pub at: i64,
    /// How many events of the day are left.
    pub left: u64,
}

impl Visit<'_> {
    pub fn is_over(&self) -> bool {
        self.left == 0 || self.at >= self.day.until
    }

    /// Whether they sign up during this visit.
    pub fn is_to_sign_up(&self) -> bool {
        let Person { signs_up, waits, .. } = self.person;
        signs_up && self.user_id.is_empty() && (self.came_before || !waits)
    }

    pub fn payment_fails(&self, chance: &mut Chance) -> bool {
        let trouble = self.app.story.trouble.as_ref();
        let here = trouble.is_some_and(|trouble| trouble.browser == self.device.client.browser);
        here && chance.odds(PAYMENTS_FAILING)
    }

    /// New versions have more errors.
    pub fn error_odds(&self) -> f64 {
        if self.at.saturating_sub(self.release.at) < FRESH { 0.16 } else { 0.012 }
    }
}

/// None on a day that has no hours yet. `is_signed_up` only matters for people who sign up on a later
/// visit.
pub fn arrive<'a>(
    plan: &'a Plan,
    place: usize,
    day: usize,
    id: PersonId,
    first_of_day: bool,
    is_signed_up: bool,
    chance: &mut Chance,
) -> Option<Visit<'a>> {
    let app = &plan.apps[place];
    let (story, day) = (app.story, &app.calendar.days[day]);
    let person = app.population.person(story, id);
    let came_before = id.first_day < day.number;
    let at = if came_before || first_of_day {
        day.moment(chance)?
    } else {
        // The same random moment as that of the first visit.
        day.moment_after(day.moment(&mut app.population.visit(id, day.number, 0))?, chance)?
    };
    let second = person.two_devices && came_before && chance.odds(0.3);
    let device = app.population.device(story, id, second);
    let is_first = first_of_day && !came_before;
    let is_known = match story.begins_anonymous() {
        true if person.waits => is_signed_up,
        true => person.signs_up && !is_first,
        false => person.signs_up,
    };
    Some(Visit {
        place,
        app,
        day,
        agent: device.client.agent.replace("{}", device.version),
        device,
        release: app.calendar.version_at(at - patience(story.surface, person.inertia)),
        sdk_version: sdk_version(day.number, plan.days(), person.inertia),
        user_id: if is_known { user_id(&person) } else { String::new() },
        person,
        came_before,
        is_first,
        at,
        left: 0,
    })
}

pub fn user_id(person: &Person) -> String {
    format!("u{}", person.number)
}

/// How long a person keeps the previous version.
fn patience(surface: Surface, inertia: f64) -> i64 {
    let hours = match surface {
        Surface::Web => 5.0 * inertia,
        Surface::Desk => 2.0 * inertia,
        // Phones ask, and some people postpone for weeks.
        Surface::Phone => -60.0 * (1.0 - inertia).ln(),
    };
    (hours * Millis::HOUR as f64) as i64
}

/// Pages adopt a new SDK at their own pace, in the second half of the demo.
fn sdk_version(day: usize, days: usize, inertia: f64) -> &'static str {
    if day as f64 + inertia * 8.0 > days as f64 * 0.55 { SDK_NOW } else { SDK_BEFORE }
}
