//! Converts dates of a time zone to moments. All time zone arithmetic is here: the warehouse only ever
//! gets moments.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use atrium_core::types::Millis;

/// The warehouse counts by quarters of an hour. In every zone days start at one, except in a few that
/// kept local solar time into the seventies: those are moved back to the quarter before.
pub const QUARTER: i64 = 15 * Millis::MINUTE;

/// From the first moment of `start` to the first one after `end`, in a time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub start: Date,
    pub end: Date,
    pub from: Millis,
    pub to: Millis,
}

impl Range {
    /// None for a range that ends before it begins, or that is outside of what can be counted.
    pub fn new(start: Date, end: Date, zone: &TimeZone) -> Option<Self> {
        // The warehouse counts seconds in 32 bits, from 1970 to 2106.
        if end < start || start.year() < 1971 || end.year() > 2100 {
            return None;
        }
        let from = first_moment(start, zone)?;
        let to = first_moment(end.tomorrow().ok()?, zone)?;
        Some(Self { start, end, from, to })
    }

    /// The same number of days right before it.
    pub fn before(&self, zone: &TimeZone) -> Option<Self> {
        let days = self.start.until(self.end).ok()?.get_days() + 1;
        let back = Span::new().days(days);
        Self::new(self.start.checked_sub(back).ok()?, self.end.checked_sub(back).ok()?, zone)
    }

    /// The same dates a year earlier; 29 February becomes the 28th.
    pub fn year_before(&self, zone: &TimeZone) -> Option<Self> {
        let year = Span::new().years(1);
        Self::new(self.start.checked_sub(year).ok()?, self.end.checked_sub(year).ok()?, zone)
    }

    /// The starts of its buckets, followed by the end of the last one. Weeks and months that extend
    /// beyond the range are cut off at it. None if there are more than `most`.
    pub fn cuts(
        &self,
        granularity: Granularity,
        zone: &TimeZone,
        most: usize,
    ) -> Option<Vec<Millis>> {
        let mut cuts = vec![self.from];
        let (mut date, mut last) = (self.start, self.from);
        while last < self.to {
            last = match granularity {
                Granularity::Hour => next_hour(last, zone)?,
                _ => {
                    date = granularity.next(date)?;
                    first_moment(date, zone)?
                }
            };
            last = last.min(self.to);
            cuts.push(last);
            if cuts.len() > most + 1 {
                return None;
            }
        }
        // A day that a zone skipped altogether would be an empty bucket.
        cuts.dedup();
        Some(cuts)
    }
}

/// How long a bucket is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Granularity {
    Hour,
    #[default]
    Day,
    /// From Monday.
    Week,
    Month,
}

impl Granularity {
    /// The first date of the next bucket.
    fn next(self, date: Date) -> Option<Date> {
        match self {
            Self::Hour | Self::Day => date.tomorrow().ok(),
            Self::Week => date.nth_weekday(1, Weekday::Monday).ok(),
            Self::Month => date.last_of_month().tomorrow().ok(),
        }
    }
}

/// The start of a day. If a clock change skips midnight, the day starts at the change.
fn first_moment(date: Date, zone: &TimeZone) -> Option<Millis> {
    let start = date.to_zoned(zone.clone()).ok()?.start_of_day().ok()?;
    Some(whole_quarter(Millis(start.timestamp().as_millisecond())))
}

/// When the clock next shows a full hour or is changed: a repeated hour is two buckets.
fn next_hour(at: Millis, zone: &TimeZone) -> Option<Millis> {
    let at = Timestamp::from_millisecond(at.0).ok()?;
    let offset = zone.to_offset(at);
    let shown = at.as_second() + i64::from(offset.seconds());
    let full = at.as_second() + 3_600 - shown.rem_euclid(3_600);
    let changed = zone
        .following(at)
        .take_while(|change| change.timestamp().as_second() < full)
        .find(|change| change.offset() != offset);
    let next = changed.map_or(full, |change| change.timestamp().as_second());
    let next = whole_quarter(Millis(next * Millis::SECOND));
    Some(if next.0 > at.as_millisecond() { next } else { next.plus(QUARTER) })
}

pub fn whole_quarter(at: Millis) -> Millis {
    Millis(at.0.div_euclid(QUARTER) * QUARTER)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    fn range(start: Date, end: Date, name: &str) -> Range {
        Range::new(start, end, &zone(name)).unwrap()
    }

    /// How long each bucket is, in minutes.
    fn minutes(start: Date, end: Date, name: &str, granularity: Granularity) -> Vec<i64> {
        let cuts = range(start, end, name).cuts(granularity, &zone(name), 2_000).unwrap();
        cuts.windows(2).map(|pair| pair[1].since(pair[0]) / Millis::MINUTE).collect()
    }

    #[test]
    fn a_day_is_as_long_as_the_clocks_say() {
        let hours = |day: Date, name: &str| {
            let range = range(day, day, name);
            range.to.since(range.from) / Millis::HOUR
        };
        assert_eq!(hours(date(2026, 3, 29), "Europe/Berlin"), 23);
        assert_eq!(hours(date(2026, 10, 25), "Europe/Berlin"), 25);
        assert_eq!(hours(date(2026, 6, 1), "Asia/Shanghai"), 24);
        // Midnight does not exist on this day.
        assert_eq!(hours(date(2018, 11, 4), "America/Sao_Paulo"), 23);
    }

    #[test]
    fn the_period_before_is_as_many_days() {
        let utc = zone("UTC");
        let week = range(date(2026, 3, 1), date(2026, 3, 7), "UTC");
        let before = week.before(&utc).unwrap();
        assert_eq!((before.start, before.end), (date(2026, 2, 22), date(2026, 2, 28)));
        let leap = range(date(2024, 2, 29), date(2024, 2, 29), "UTC");
        assert_eq!(leap.year_before(&utc).unwrap().start, date(2023, 2, 28));
        assert!(Range::new(date(2026, 3, 2), date(2026, 3, 1), &utc).is_none());
    }

    #[test]
    fn hours_follow_the_clock() {
        let hours = |day: Date, name: &str| minutes(day, day, name, Granularity::Hour);
        assert_eq!(hours(date(2026, 6, 1), "Asia/Kathmandu"), [60; 24]);
        assert_eq!(hours(date(2026, 3, 29), "Europe/Berlin"), [60; 23]);
        assert_eq!(hours(date(2026, 10, 25), "Europe/Berlin"), [60; 25]);
        // Half an hour is skipped, and comes twice.
        let mut short = vec![60; 24];
        short[2] = 30;
        assert_eq!(hours(date(2026, 10, 4), "Australia/Lord_Howe"), short);
        let mut long = vec![60; 25];
        long[2] = 30;
        assert_eq!(hours(date(2026, 4, 5), "Australia/Lord_Howe"), long);
        // 00:00 to 01:00 does not exist.
        assert_eq!(hours(date(2018, 11, 4), "America/Sao_Paulo"), [60; 23]);
    }

    #[test]
    fn days_weeks_and_months_are_cut_off_at_the_range() {
        let (start, end) = (date(2026, 3, 25), date(2026, 4, 7));
        let days = minutes(start, end, "Europe/Berlin", Granularity::Day);
        assert_eq!((days.len(), days[4]), (14, 23 * 60));
        let in_days = |granularity| -> Vec<i64> {
            let lengths = minutes(start, end, "Asia/Kolkata", granularity);
            lengths.into_iter().map(|length| length / (24 * 60)).collect()
        };
        // From a Wednesday to a Tuesday.
        assert_eq!(in_days(Granularity::Week), [5, 7, 2]);
        assert_eq!(in_days(Granularity::Month), [7, 7]);
    }

    #[test]
    fn a_day_that_was_left_out_is_no_bucket() {
        let (start, end) = (date(2011, 12, 29), date(2011, 12, 31));
        assert_eq!(minutes(start, end, "Pacific/Apia", Granularity::Day), [24 * 60, 24 * 60]);
    }

    #[test]
    fn days_that_begin_off_the_quarter_are_moved_to_one() {
        // 44 minutes and 30 seconds behind, until January 1972.
        let days = minutes(date(1971, 6, 1), date(1971, 6, 2), "Africa/Monrovia", Granularity::Day);
        assert_eq!(days, [24 * 60, 24 * 60]);
        let hours =
            minutes(date(1972, 1, 6), date(1972, 1, 8), "Africa/Monrovia", Granularity::Hour);
        assert!(hours.iter().all(|length| *length > 0 && length % 15 == 0), "{hours:?}");
    }

    #[test]
    fn too_many_buckets_are_none() {
        let utc = zone("UTC");
        let long = range(date(2026, 1, 1), date(2026, 3, 31), "UTC");
        assert!(long.cuts(Granularity::Hour, &utc, 2_000).is_none());
        assert!(long.cuts(Granularity::Hour, &utc, 2_160).is_some());
    }
}
