//! Who the people of an app are, when each came for the first time, and who comes on a day. Nobody
//! is kept in memory: everything about a person follows from their number.

use super::calendar::{Calendar, Day};
use super::chance::Chance;
use super::clients::{self, Client};
use super::goods::{self, Origin};
use super::journeys;
use super::names::{self, Identity};
use super::stories::{Story, Surface};

/// A day needs a little more than its people would do of themselves; the rest are further visits.
const NEEDED: f64 = 1.04;
const MOST_ODDS: f64 = 0.95;
/// How many of the new ones come for a coupon, where there are any, and how many of those who would
/// come again do, after that and after beginning with the bad release.
const LURED: f64 = 0.22;
const BACK_WHEN_LURED: f64 = 0.25;
const BACK_WHEN_SPOILED: f64 = 0.2;
/// How many of those who sign up do not until they come again.
const WAITING: f64 = 0.4;

/// What streams of chance are for.
const ABOUT: u64 = 1;
const COMES: u64 = 2;
const DEVICE: u64 = 3;
const WHO: u64 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PersonId {
    /// The day they first came.
    pub first_day: usize,
    /// Which of the people of that day.
    pub index: u64,
}

pub struct Population {
    /// The demo's seed and the app's place: what its people differ by from another's.
    seed: [u64; 2],
    /// How many came for the first time on each day, and how many before it.
    newcomers: Vec<u64>,
    before: Vec<u64>,
}

pub struct Person {
    pub id: PersonId,
    /// Unique in the app.
    pub number: u64,
    pub signs_up: bool,
    /// But not on their first day.
    pub waits: bool,
    /// Where they came from for the first time.
    pub origin: &'static Origin,
    /// Has the app on a second device too.
    pub two_devices: bool,
    pub language: &'static str,
    /// Hours that their own clock is ahead of the app's.
    pub abroad: f32,
    /// How long they keep an old version, of those who keep one longest.
    pub inertia: f64,
}

pub struct Device {
    pub id: String,
    pub client: &'static Client,
    pub version: &'static str,
    pub model: &'static str,
}

impl Population {
    /// As many people as the days' events need, with those who come back counted in.
    pub fn new(seed: u64, app: usize, story: &Story, calendar: &Calendar) -> Self {
        let seed = [seed, app as u64];
        let each = journeys::events_per_day(story.journey) * NEEDED;
        let mut chance = Chance::of(&[seed[0], seed[1], ABOUT]);
        let (mut newcomers, mut before, mut sum) = (Vec::new(), Vec::new(), 0);
        for day in &calendar.days {
            let wanted = day.events as f64 / each;
            let back: f64 = newcomers
                .iter()
                .enumerate()
                .map(|(first, count)| {
                    *count as f64 * back_odds(story, calendar, first, day) * average_faith(story)
                })
                .sum();
            let count = chance.round((wanted - back).max(wanted * 0.03));
            // Someone must be there to do what is dealt to the day.
            let count = if day.events > 0 && sum == 0 { count.max(1) } else { count };
            before.push(sum);
            newcomers.push(count);
            sum += count;
        }
        Self { seed, newcomers, before }
    }

    /// Who comes on a day: those who come for the first time, then the others in no order. `came` says
    /// how many newcomers there were on each day before. Where nobody would come, the last one does.
    pub fn on(
        &self,
        story: &Story,
        calendar: &Calendar,
        day: usize,
        came: &[u64],
    ) -> Vec<PersonId> {
        let mut people: Vec<_> =
            (0..self.newcomers[day]).map(|index| PersonId { first_day: day, index }).collect();
        let newcomers = people.len();
        for (first_day, count) in came.iter().enumerate() {
            let odds = back_odds(story, calendar, first_day, &calendar.days[day]);
            for index in 0..*count {
                let id = PersonId { first_day, index };
                let mut chance = self.chance(COMES, id, day as u64);
                let (faith, _) = character(story, &mut self.chance(ABOUT, id, 0));
                if chance.odds((odds * faith).min(MOST_ODDS)) {
                    people.push(id);
                }
            }
        }
        self.chance(COMES, PersonId { first_day: day, index: u64::MAX }, 0)
            .shuffle(&mut people[newcomers..]);
        if people.is_empty() {
            let last = came.iter().rposition(|count| *count > 0);
            people.extend(last.map(|first_day| PersonId { first_day, index: 0 }));
        }
        people
    }

    pub fn person(&self, story: &Story, id: PersonId) -> Person {
        let mut chance = self.chance(ABOUT, id, 0);
        let (_, coupons) = character(story, &mut chance);
        Person {
            id,
            number: 100_001 + self.before[id.first_day] + id.index,
            signs_up: chance.odds(story.sign_up),
            waits: chance.odds(WAITING) && story.begins_anonymous(),
            origin: coupons.unwrap_or_else(|| chance.weighted(goods::origins(story.market))),
            two_devices: chance.odds(0.2) && story.surface != Surface::Phone,
            language: chance.weighted::<&str>(clients::languages(story.market)),
            abroad: *chance.weighted(&[(95.0, 0.0), (3.0, 1.0), (2.0, -1.0)]),
            inertia: chance.unit(),
        }
    }

    /// One of a person's devices: the first, or their second.
    pub fn device(&self, story: &Story, id: PersonId, second: bool) -> Device {
        let mut chance = self.chance(DEVICE, id, u64::from(second));
        let on_phone = chance.odds(clients::on_phones(story.surface));
        let shares =
            if on_phone { clients::phones(story.market) } else { clients::computers(story.market) };
        let client = chance.weighted(shares);
        // Most have a version of the last weeks.
        let age = (chance.wait(0.7) as usize).min(client.versions.len() - 1);
        Device {
            id: super::batch::uuid(&mut chance).hyphenated().to_string(),
            client,
            version: client.versions[age],
            model: chance.pick::<&str>(client.models),
        }
    }

    /// What is known of someone who signed up.
    pub fn identity(&self, story: &Story, person: &Person) -> Identity {
        names::identity(story.market, person.number, &mut self.chance(WHO, person.id, 0))
    }

    /// The stream of one visit.
    pub fn visit(&self, id: PersonId, day: usize, visit: u64) -> Chance {
        let [seed, app] = self.seed;
        Chance::of(&[seed, app, id.first_day as u64, id.index, day as u64, visit])
    }

    fn chance(&self, what: u64, id: PersonId, which: u64) -> Chance {
        let [seed, app] = self.seed;
        Chance::of(&[seed, app, id.first_day as u64, id.index, what << 32 | which])
    }
}

/// How faithful someone is, and the coupons that they came for: what a stream about them begins with.
/// Some are more faithful than others, and stay so.
fn character(story: &Story, chance: &mut Chance) -> (f64, Option<&'static Origin>) {
    let (faith, is_lured) = (0.5 + chance.unit(), chance.odds(LURED));
    match story.trouble.as_ref().filter(|_| is_lured) {
        Some(trouble) => (faith * BACK_WHEN_LURED, Some(trouble.coupons)),
        None => (faith, None),
    }
}

fn average_faith(story: &Story) -> f64 {
    if story.trouble.is_some() { 1.0 - LURED * (1.0 - BACK_WHEN_LURED) } else { 1.0 }
}

/// How likely someone of average faith is to come on a day.
fn back_odds(story: &Story, calendar: &Calendar, first_day: usize, day: &Day) -> f64 {
    let spoiled = if calendar.spoiled.contains(&first_day) { BACK_WHEN_SPOILED } else { 1.0 };
    story.back_after(day.number - first_day) * day.busy * spoiled
}
