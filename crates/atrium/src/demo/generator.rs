//! Generates the events of a plan, day by day and visit by visit, and passes them on in batches.

use std::collections::{HashMap, HashSet};

use warehouse::{EventRow, Kind, MutationIn};

use super::batch::{self, BATCH, Batch, Books, Numbering};
use super::calendar::Day;
use super::chance::Chance;
use super::journeys::{self, Detail, Step};
use super::plan::Plan;
use super::population::PersonId;
use super::properties::{self, Subject};
use super::visits::{self, Visit};
use atrium_collect::collect::message::MessageType;

const SDK_TYPE: &str = "js";
/// Additional visits, which fill up a day, are numbered from here.
const FURTHER: u64 = 1_000;
/// The share of buyers who want a refund, if they come again.
const REGRETTING: f64 = 0.15;

/// Generates all events. `hand_on` returns whether to continue; None if it did not.
pub fn generate(
    plan: &Plan,
    first_batch: u64,
    hand_on: impl FnMut(Batch) -> bool,
) -> Option<Books> {
    let mut generator = Generator {
        plan,
        batch: Batch::new(first_batch, plan.now),
        books: Books::default(),
        numbering: Numbering::default(),
        hand_on,
        wanted: true,
        came: vec![Vec::new(); plan.apps.len()],
        signed_up: HashSet::new(),
        regretted: HashMap::new(),
        path: String::new(),
        properties: String::new(),
    };
    for day in 0..plan.days() {
        for app in 0..plan.apps.len() {
            generator.day(app, day);
            if !generator.wanted {
                return None;
            }
        }
    }
    generator.hand_on();
    generator.wanted.then_some(generator.books)
}

struct Generator<'a, F> {
    plan: &'a Plan,
    batch: Batch,
    books: Books,
    numbering: Numbering,
    hand_on: F,
    wanted: bool,
    /// How many of each day's newcomers actually had a visit, per app.
    came: Vec<Vec<u64>>,
    /// People who sign up only on a later visit and have done so, by app.
    signed_up: HashSet<(usize, PersonId)>,
    /// Purchases for which people want a refund, with their days, by app.
    regretted: HashMap<(usize, PersonId), (usize, Subject)>,
    // Reused for each event, to avoid allocations.
    path: String,
    properties: String,
}

impl<F: FnMut(Batch) -> bool> Generator<'_, F> {
    /// Generates exactly the day's number of events: each person's own visits, then additional ones.
    fn day(&mut self, place: usize, day: usize) {
        let app = &self.plan.apps[place];
        let mut left = app.calendar.days[day].events;
        let people = app.population.on(app.story, &app.calendar, day, &self.came[place]);
        let mut newcomers = 0;
        for id in &people {
            newcomers += u64::from(left > 0 && id.first_day == day);
            let visits = journeys::visits(&mut app.population.visit(*id, day, FURTHER));
            for visit in 0..visits {
                left -= self.visit(place, day, *id, visit, left);
            }
        }
        self.came[place].push(newcomers);
        let mut chance = Chance::of(&[self.plan.seed, place as u64, day as u64]);
        for further in FURTHER + 1.. {
            if left == 0 || !self.wanted {
                return;
            }
            left -= self.visit(place, day, *chance.pick(&people), further, left);
        }
    }

    /// Returns how many events it had.
    fn visit(&mut self, place: usize, day: usize, id: PersonId, number: u64, left: u64) -> u64 {
        let app = &self.plan.apps[place];
        let mut chance = app.population.visit(id, day, number);
        if left == 0 || !self.wanted {
            return 0;
        }
        let (first_of_day, is_signed_up) = (number == 0, self.signed_up.contains(&(place, id)));
        let visit =
            visits::arrive(self.plan, place, day, id, first_of_day, is_signed_up, &mut chance);
        let Some(mut visit) = visit else { return 0 };
        visit.left = left;
        let mut subject = Subject::new(app.story, &mut chance);
        if !visit.came_before {
            subject.origin = visit.person.origin;
        }
        if visit.is_first {
            self.meet_device(&visit, &subject, &mut chance);
        }
        if visit.is_first && !visit.user_id.is_empty() {
            self.meet_user(&visit, &mut chance);
        }
        let mut steps: Vec<Step> = Vec::with_capacity(16);
        journeys::walk(app.story.journey, &mut chance, |step| steps.push(*step));
        if visit.payment_fails(&mut chance) {
            journeys::fail_to_pay(&mut steps);
        }
        let fails = chance.odds(visit.error_odds());
        let fails_at = fails.then(|| chance.below(steps.len() as u64) as usize);
        for (place, step) in steps.iter().enumerate() {
            if visit.is_to_sign_up() && step.event == "checkout" {
                self.sign_up(&mut visit, &mut chance);
            }
            if step.browses {
                subject.turn_to_another(app.story, &mut chance);
            }
            subject.fill(step.path, &mut self.path);
            properties::write(step.detail, app.story, &subject, &mut chance, &mut self.properties);
            self.event(&mut visit, step.event, &mut chance);
            if step.detail == Detail::Order && !visit.is_over() && chance.odds(REGRETTING) {
                self.regretted.insert((visit.place, id), (day, subject.clone()));
            }
            if step.detail == Detail::Page {
                subject.previous = Some(step.path);
            }
            if fails_at == Some(place) {
                properties::error(&visit.release.version, &mut chance, &mut self.properties);
                self.event(&mut visit, "error", &mut chance);
            }
        }
        self.give_back(&mut visit, &mut chance);
        if visit.is_to_sign_up() {
            self.sign_up(&mut visit, &mut chance);
        }
        left - visit.left
    }

    fn event(&mut self, visit: &mut Visit<'_>, event: &str, chance: &mut Chance) {
        if visit.is_over() {
            return;
        }
        let (client, device) = (visit.device.client, &visit.device);
        let row = EventRow {
            app_id: visit.app.id,
            time_ms: visit.at,
            event,
            log_id: batch::uuid(chance),
            device_id: &device.id,
            user_id: &visit.user_id,
            sdk_type: SDK_TYPE,
            sdk_version: visit.sdk_version,
            timezone_offset: visit.day.offset + visit.person.abroad,
            os: client.os,
            language: visit.person.language,
            url_path: &self.path,
            device_type: client.device_type,
            browser: client.browser,
            browser_version: device.version,
            user_agent: &visit.agent,
            client_version: &visit.release.version,
            source: "web",
            properties: &self.properties,
            received_ms: received(visit.at, visit.day, chance),
        };
        self.batch.add_event(&row, &mut self.numbering);
        self.books.add(visit.place, visit.day.number, MessageType::Event, visit.sdk_version);
        visit.left -= 1;
        visit.at += 1_500 + chance.wait(26_000.0) as i64;
        if self.batch.events >= BATCH {
            self.hand_on();
        }
    }

    /// A refund for something bought on an earlier day.
    fn give_back(&mut self, visit: &mut Visit<'_>, chance: &mut Chance) {
        let key = (visit.place, visit.person.id);
        let is_due = |(day, _): &(usize, Subject)| *day < visit.day.number && !visit.is_over();
        if self.regretted.get(&key).is_some_and(is_due)
            && let Some((_, subject)) = self.regretted.remove(&key)
        {
            "/orders".clone_into(&mut self.path);
            properties::refund(visit.app.story, &subject, chance, &mut self.properties);
            self.event(visit, "refund", chance);
        }
    }

    /// From here on people have a user id, even if there is no room left for the event.
    fn sign_up(&mut self, visit: &mut Visit<'_>, chance: &mut Chance) {
        visit.user_id = visits::user_id(&visit.person);
        if visit.person.waits {
            self.signed_up.insert((visit.place, visit.person.id));
        }
        self.meet_user(visit, chance);
        let who = visit.app.population.identity(visit.app.story, &visit.person);
        "/sign-up".clone_into(&mut self.path);
        properties::sign_up(&who, chance, &mut self.properties);
        self.event(visit, "sign_up", chance);
    }

    fn meet_device(&mut self, visit: &Visit<'_>, subject: &Subject, chance: &mut Chance) {
        properties::device(visit.device.model, subject.origin, &mut self.properties);
        let change = change(visit, Kind::Device, &visit.device.id, chance);
        let change = MutationIn { properties: &self.properties, ..change };
        self.batch.add_profile(&[change], self.plan.now);
        self.book(visit, Kind::Device, visit.day);
    }

    /// The profile on signing up, and for some people the day on which they start to pay.
    fn meet_user(&mut self, visit: &Visit<'_>, chance: &mut Chance) {
        let who = visit.app.population.identity(visit.app.story, &visit.person);
        properties::user(&who, &mut self.properties);
        let first = change(visit, Kind::User, &visit.user_id, chance);
        let first = MutationIn { properties: &self.properties, ..first };
        let plan = format!(r#"{{"plan":"{}"}}"#, who.plan);
        let later = visit.day.number + 1 + chance.below(21) as usize;
        let paying = visit.app.calendar.days.get(later).filter(|_| who.plan != "free");
        let second = paying.and_then(|day| {
            let time_ms = day.moment(chance)?;
            let received_ms = received(time_ms, day, chance);
            let log_id = batch::uuid(chance);
            Some((day, MutationIn { time_ms, received_ms, log_id, properties: &plan, ..first }))
        });
        match second {
            Some((day, second)) => {
                self.batch.add_profile(&[first, second], self.plan.now);
                self.book(visit, Kind::User, day);
            }
            None => self.batch.add_profile(&[first], self.plan.now),
        }
        self.book(visit, Kind::User, visit.day);
    }

    fn book(&mut self, visit: &Visit<'_>, kind: Kind, day: &Day) {
        let kind = batch::message_type(kind);
        self.books.add(visit.place, day.number, kind, visit.sdk_version);
    }

    fn hand_on(&mut self) {
        let next = Batch::new(self.batch.number.wrapping_add(1), self.plan.now);
        let full = std::mem::replace(&mut self.batch, next);
        self.wanted = (self.hand_on)(full);
    }
}

fn change<'a>(visit: &Visit<'_>, kind: Kind, id: &'a str, chance: &mut Chance) -> MutationIn<'a> {
    let time_ms = visit.at.min(visit.day.until - 1);
    MutationIn {
        app_id: visit.app.id,
        kind,
        id,
        time_ms,
        log_id: batch::uuid(chance),
        operation: "set",
        properties: "{}",
        received_ms: received(time_ms, visit.day, chance),
    }
}

/// Shortly after the event, on the same day, because the ledger counts by when messages arrive.
fn received(at: i64, day: &Day, chance: &mut Chance) -> i64 {
    (at + 120 + chance.wait(900.0) as i64).min(day.until - 1).max(at)
}
