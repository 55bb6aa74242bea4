//! The people of an app: when each came first, and who comes on a day. No person is kept in memory:
//! everything about them is derived from their number.

use super::calendar::{Calendar, Day};
use super::chance::Chance;
use super::clients::{self, Client};
use super::goods::{self, Origin};
use super::journeys;
use super::names::{self, Identity};
use super::stories::{Story, Surface};

/// How many more events a day gets than its people cause on average; the rest become additional visits.
const NEEDED: f64 = 1.04;
const MOST_ODDS: f64 = 0.95;
/// The share of newcomers who come for a coupon, where there are any; and the factors for coming again
/// after that, and after starting with the bad release.
const LURED: f64 = 0.22;
const BACK_WHEN_LURED: f64 = 0.25;
const BACK_WHEN_SPOILED: f64 = 0.2;
/// The share of those signing up who do so only on a later visit.
const WAITING: f64 = 0.4;

/// Random streams by purpose.
const ABOUT: u64 = 1;
const COMES: u64 = 2;
const DEVICE: u64 = 3;
const WHO: u64 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PersonId {
    /// The day they first came.
    pub first_day: usize,
    /// Their index among the newcomers of that day.
    pub index: u64,
}

pub struct Population {
    /// The demo's seed and the app's index, which distinguish its people from those of others.
    seed: [u64; 2],
    /// How many newcomers each day has, and how many there were before it.
    newcomers: Vec<u64>,
    before: Vec<u64>,
}

pub struct Person {
    pub id: PersonId,
    /// Unique in the app.
    pub number: u64,
    pub signs_up: bool,
    /// Whether they sign up only after their first day.
    pub waits: bool,
    /// The origin of their first visit.
    pub origin: &'static Origin,
    /// Whether they also use a second device.
    pub two_devices: bool,
    pub language: &'static str,
    /// By how many hours their clock is ahead of the app's.
    pub abroad: f32,
    /// How long they keep an old version, relative to those who keep it longest.
    pub inertia: f64,
}

pub struct Device {
    pub id: String,
    pub client: &'static Client,
    pub version: &'static str,
    pub model: &'static str,
}

impl Population {
    /// As many people as the days' events need, taking returning people into account.
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
            // Somebody must be there to cause the day's events.
            let count = if day.events > 0 && sum == 0 { count.max(1) } else { count };
            before.push(sum);
            newcomers.push(count);
            sum += count;
        }
        Self { seed, newcomers, before }
    }

    /// The people of a day: the newcomers, then the others in no particular order. `came` has the actual
    /// number of newcomers on each day before. If nobody would come, the last one does.
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
        // Most have a recent version.
        let age = (chance.wait(0.7) as usize).min(client.versions.len() - 1);
        Device {
            id: super::batch::uuid(&mut chance).hyphenated().to_string(),
            client,
            version: client.versions[age],
            model: chance.pick::<&str>(client.models),
        }
    }

    /// The identity of a person who has signed up.
    pub fn identity(&self, story: &Story, person: &Person) -> Identity {
        names::identity(story.market, person.number, &mut self.chance(WHO, person.id, 0))
    }

    /// The random stream of one visit.
    pub fn visit(&self, id: PersonId, day: usize, visit: u64) -> Chance {
        let [seed, app] = self.seed;
        Chance::of(&[seed, app, id.first_day as u64, id.index, day as u64, visit])
    }

    fn chance(&self, what: u64, id: PersonId, which: u64) -> Chance {
        let [seed, app] = self.seed;
        Chance::of(&[seed, app, id.first_day as u64, id.index, what << 32 | which])
    }
}

/// A person's loyalty, and the coupons that they came for. Every random stream about a person starts
/// with this, so that it stays the same.
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

/// How likely a person of average loyalty is to come on a day.
fn back_odds(story: &Story, calendar: &Calendar, first_day: usize, day: &Day) -> f64 {
    let spoiled = if calendar.spoiled.contains(&first_day) { BACK_WHEN_SPOILED } else { 1.0 };
    story.back_after(day.number - first_day) * day.busy * spoiled
}
