//! An app's days: how many events each gets, at which hours, and what is special about it.

use std::ops::Range;

use anyhow::Context;
use jiff::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;

use super::chance::Chance;
use super::stories::Story;
use atrium_core::types::Millis;

/// Hours in which hardly anything arrives on the day of the outage.
const OUTAGE_HOURS: Range<usize> = 10..18;
const OUTAGE_LEFT: f64 = 0.06;
/// A demo shorter than this has no outage, and no release but the first.
const SHORT: usize = 14;

pub struct Day {
    pub number: usize,
    /// The date, as the ledger counts it: days since 1970.
    pub since_1970: i32,
    /// The end of the day, or now.
    pub until: i64,
    /// Hours that the zone is ahead of UTC.
    pub offset: f32,
    /// How likely people are to come, relative to an average day of the week.
    pub busy: f64,
    /// How many events it gets.
    pub events: u64,
    hours: Vec<Hour>,
}

struct Hour {
    start: i64,
    length: i64,
    weight: f64,
}

/// A version of the app, and when it came out.
pub struct Release {
    pub version: String,
    /// The number of the day.
    day: usize,
    pub at: i64,
}

pub struct Calendar {
    pub days: Vec<Day>,
    /// Oldest first; the first was out before the first day.
    pub releases: Vec<Release>,
    /// The days of the bad release, which spoils the app for people who first use it then.
    pub spoiled: Range<usize>,
    /// The weight of each day when events are distributed.
    weights: Vec<f64>,
}

impl Calendar {
    pub fn new(
        story: &Story,
        days: usize,
        now: Millis,
        chance: &mut Chance,
    ) -> anyhow::Result<Self> {
        let zone = TimeZone::get(story.zone)?;
        let today = Timestamp::from_millisecond(now.0)?.to_zoned(zone.clone()).date();
        let outage = (days >= SHORT).then_some(days * (61 + 9 * story.team) / 100);
        let mut calendar =
            Self { days: Vec::new(), releases: Vec::new(), spoiled: 0..0, weights: Vec::new() };
        for number in 0..days {
            let back = i32::try_from(days - 1 - number)?;
            let date = today.checked_sub(jiff::Span::new().days(back))?;
            let mut rhythm = *story.rhythm;
            if outage == Some(number) {
                rhythm[OUTAGE_HOURS].iter_mut().for_each(|weight| *weight *= OUTAGE_LEFT);
            }
            let hours = hours(date, &zone, &rhythm, now)?;
            let open: f64 = hours.iter().map(|hour| hour.weight).sum();
            let open = open / story.rhythm.iter().sum::<f64>();
            let mood = 0.94 + 0.12 * chance.unit();
            let busy = on_weekday(story, date) * open * mood;
            let next = first_moment(date.tomorrow()?, &zone)?;
            calendar.weights.push(story.share * growth(number, days) * busy);
            calendar.days.push(Day {
                number,
                since_1970: since_1970(date)?,
                until: next.min(now.0),
                offset: offset(date, &zone)?,
                busy: busy / average_weekday(story),
                events: 0,
                hours,
            });
        }
        calendar.releases = releases(story, &calendar.days, chance);
        calendar.spoiled = spoiled(story, &calendar.releases);
        Ok(calendar)
    }

    /// The latest version released by then.
    pub fn version_at(&self, moment: i64) -> &Release {
        let later = self.releases.partition_point(|release| release.at <= moment);
        &self.releases[later.max(1) - 1]
    }
}

/// Distributes exactly this many events to all days of all apps, by their weights.
pub fn deal(calendars: &mut [Calendar], events: u64) {
    // Rounding makes the sum of fractions slightly less than the whole; this factor ensures that the
    // last event is dealt.
    const NUDGE: f64 = 1.0 + 1e-12;
    let all: f64 = calendars.iter().flat_map(|calendar| &calendar.weights).sum();
    let (mut before, mut dealt) = (0.0, 0);
    for calendar in calendars {
        for (day, weight) in calendar.days.iter_mut().zip(&calendar.weights) {
            before += weight;
            let upto = (before / all * NUDGE * events as f64).floor() as u64;
            day.events = upto.min(events) - dealt;
            dealt += day.events;
        }
    }
}

impl Day {
    /// A random moment of the day, by its rhythm. None on a day that has hardly begun.
    pub fn moment(&self, chance: &mut Chance) -> Option<i64> {
        let mut left = chance.unit() * self.hours.iter().map(|hour| hour.weight).sum::<f64>();
        let hour = self.hours.iter().filter(|hour| hour.length > 0).find(|hour| {
            left -= hour.weight;
            left < 0.0
        })?;
        Some(hour.start + (chance.unit() * hour.length as f64) as i64)
    }

    /// The same, after another moment of the day.
    pub fn moment_after(&self, earlier: i64, chance: &mut Chance) -> Option<i64> {
        for _ in 0..4 {
            let moment = self.moment(chance)?;
            if moment > earlier {
                return Some(moment);
            }
        }
        // Hardly anything is left of the day.
        Some(earlier + (chance.unit() * (self.until - earlier) as f64) as i64)
    }
}

/// The hours of a date, as far as they have passed.
fn hours(
    date: Date,
    zone: &TimeZone,
    rhythm: &[f64; 24],
    now: Millis,
) -> anyhow::Result<Vec<Hour>> {
    let end = first_moment(date.tomorrow()?, zone)?;
    let mut starts = Vec::with_capacity(25);
    for hour in 0..24 {
        // An hour that the clocks skip starts with the next one, and so has no length.
        let start = date.at(hour, 0, 0, 0).to_zoned(zone.clone())?;
        starts.push(start.timestamp().as_millisecond());
    }
    starts.push(end);
    let hour = |(place, weight): (usize, &f64)| {
        let (start, end) = (starts[place], starts[place + 1]);
        let length = (end.min(now.0) - start).max(0);
        let passed = length as f64 / (end - start).max(1) as f64;
        Hour { start, length, weight: weight * passed }
    };
    Ok(rhythm.iter().enumerate().map(hour).collect())
}

fn first_moment(date: Date, zone: &TimeZone) -> anyhow::Result<i64> {
    Ok(date.to_zoned(zone.clone())?.start_of_day()?.timestamp().as_millisecond())
}

fn offset(date: Date, zone: &TimeZone) -> anyhow::Result<f32> {
    let noon = date.at(12, 0, 0, 0).to_zoned(zone.clone())?;
    Ok(noon.offset().seconds() as f32 / 3_600.0)
}

fn since_1970(date: Date) -> anyhow::Result<i32> {
    let days = jiff::civil::date(1970, 1, 1).until(date)?.get_days();
    Ok(days)
}

/// A slow start, then steady growth, as in a popular app.
fn growth(number: usize, days: usize) -> f64 {
    let (number, days) = (number as f64, days as f64);
    let start = 1.0 - 0.7 * (-number * 18.0 / days).exp();
    start * (0.36 + 0.64 * number / days)
}

fn on_weekday(story: &Story, date: Date) -> f64 {
    match date.weekday() {
        Weekday::Saturday => story.weekend[0],
        Weekday::Sunday => story.weekend[1],
        _ => 1.0,
    }
}

fn average_weekday(story: &Story) -> f64 {
    (5.0 + story.weekend[0] + story.weekend[1]) / 7.0
}

/// A new version about every three weeks, in the morning.
fn releases(story: &Story, days: &[Day], chance: &mut Chance) -> Vec<Release> {
    let version = |minor: usize| format!("{}.{minor}.0", story.major);
    let mut minor = 2 + chance.below(6) as usize;
    let mut releases = vec![Release { version: version(minor), day: 0, at: i64::MIN }];
    let mut day = 8 + chance.below(8) as usize;
    while day + 1 < days.len() && days.len() >= SHORT {
        minor += 1;
        let start = days[day].hours[10].start;
        let at = start + chance.below(Millis::HOUR.unsigned_abs()).cast_signed();
        releases.push(Release { version: version(minor), day, at });
        day += 17 + chance.below(8) as usize;
    }
    releases
}

/// From the day of the bad release up to that of the next one, which fixes it. Empty if there is no time
/// before or after to compare with.
fn spoiled(story: &Story, releases: &[Release]) -> Range<usize> {
    let bad = releases.len() / 2;
    match (&story.trouble, releases.get(bad), releases.get(bad + 1)) {
        (Some(_), Some(bad), Some(next)) if bad.day > 0 => bad.day..next.day,
        _ => 0..0,
    }
}

/// The start of a demo of this many days, in any time zone.
pub fn beginning(days: usize, now: Millis) -> anyhow::Result<Millis> {
    let days = i64::try_from(days).context("days")?;
    Ok(now.plus(-(days + 1) * Millis::DAY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::stories::STORIES;

    /// 10:20 in Berlin, four weeks after its clocks went back.
    const NOW: Millis = Millis(1_763_889_600_000);

    fn calendars(days: usize) -> Vec<Calendar> {
        let calendar = |story| Calendar::new(story, days, NOW, &mut Chance::of(&[1])).unwrap();
        STORIES.iter().map(calendar).collect()
    }

    #[test]
    fn every_event_is_dealt_to_a_day() {
        for events in [1, 7, 500, 123_457] {
            let mut calendars = calendars(90);
            deal(&mut calendars, events);
            let dealt: u64 = calendars.iter().flat_map(|c| &c.days).map(|day| day.events).sum();
            assert_eq!(dealt, events);
        }
    }

    #[test]
    fn nothing_lies_beyond_now_or_its_day() {
        for calendar in calendars(60) {
            let mut chance = Chance::of(&[2]);
            for day in &calendar.days {
                for _ in 0..50 {
                    let moment = day.moment(&mut chance).unwrap();
                    assert!(moment < day.until && moment >= day.hours[0].start);
                }
            }
            assert_eq!(calendar.days.last().unwrap().until, NOW.0);
        }
    }

    #[test]
    fn days_follow_the_clocks_of_the_zone() {
        let calendar = &calendars(90)[3];
        let day = |date: Date| {
            let wanted = since_1970(date).unwrap();
            calendar.days.iter().find(|day| day.since_1970 == wanted).unwrap()
        };
        let changing = day(jiff::civil::date(2025, 10, 26));
        assert_eq!(changing.until - changing.hours[0].start, 25 * Millis::HOUR);
        assert_eq!(day(jiff::civil::date(2025, 10, 1)).offset, 2.0);
        assert_eq!(day(jiff::civil::date(2025, 11, 1)).offset, 1.0);
    }

    #[test]
    fn versions_come_one_after_the_other() {
        let calendar = &calendars(90)[0];
        assert!(calendar.releases.len() >= 4, "{}", calendar.releases.len());
        assert!(calendar.releases.windows(2).all(|pair| pair[0].at < pair[1].at));
        assert_eq!(calendar.version_at(i64::MIN).version, calendar.releases[0].version);
        let last = calendar.releases.last().unwrap();
        assert_eq!(calendar.version_at(NOW.0).version, last.version);
    }

    #[test]
    fn one_release_of_a_troubled_app_is_bad_and_the_next_one_mends_it() {
        for (calendar, story) in calendars(90).iter().zip(&STORIES) {
            let days = &calendar.spoiled;
            assert_eq!(days.is_empty(), story.trouble.is_none(), "{}", story.name);
            let noon =
                |day: usize| &calendar.version_at(calendar.days[day].hours[12].start).version;
            if story.trouble.is_some() {
                assert_eq!(noon(days.start), noon(days.end - 1));
                assert_ne!(noon(days.start), noon(days.start - 1));
                assert_ne!(noon(days.end - 1), noon(days.end));
            }
        }
        assert!(calendars(7).iter().all(|calendar| calendar.spoiled.is_empty()));
    }
}
