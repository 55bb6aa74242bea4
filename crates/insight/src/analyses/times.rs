//! Converts dates to the buckets that the event store counts by.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, ToSpan};
use warehouse::analysis::Slots;

use super::body::{Bucket, Unit};
use crate::insight::dates::{Dates, seconds};
use crate::insight::elapsed::counted_until;
use crate::insight::range::{Granularity, Range};
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::types::Millis;

const MINUTES_MAX: i64 = 2 * 24 * 60 + 120;

/// Consecutive buckets.
#[derive(Clone, Debug)]
pub struct Buckets {
    /// Where each begins, and at the end where the last one ends.
    pub cuts: Vec<Millis>,
    /// How many have begun.
    pub begun: usize,
    /// The end of what can be counted.
    pub counted_until: Millis,
    pub now: Millis,
}

impl Buckets {
    pub fn of(dates: &Dates, granularity: Bucket, now: Millis) -> Result<Self> {
        Self::of_range(dates, &dates.range, granularity, now)
    }

    pub fn of_range(
        dates: &Dates,
        range: &Range,
        granularity: Bucket,
        now: Millis,
    ) -> Result<Self> {
        let cuts = match granularity {
            Bucket::Minute => minutes(range)?,
            Bucket::Hour => dates.cuts_of(range, Granularity::Hour)?,
            Bucket::Day => dates.cuts_of(range, Granularity::Day)?,
            Bucket::Week => dates.cuts_of(range, Granularity::Week)?,
            Bucket::Month => dates.cuts_of(range, Granularity::Month)?,
        };
        Ok(Self::new(cuts, counted_until(range, now), now))
    }

    fn new(cuts: Vec<Millis>, counted_until: Millis, now: Millis) -> Self {
        let begun = cuts[..cuts.len() - 1].partition_point(|time| *time <= now);
        Self { cuts, begun, counted_until, now }
    }

    /// When each begins, including those that lie ahead.
    pub fn times(&self) -> Vec<i64> {
        self.cuts[..self.cuts.len() - 1].iter().map(|time| time.0).collect()
    }

    /// The start of the bucket that has begun and is not over.
    pub fn partial(&self) -> Option<i64> {
        let last = self.begun.checked_sub(1)?;
        (self.now < self.cuts[last + 1]).then(|| self.cuts[last].0)
    }

    /// The buckets that have begun, in the form that the store takes.
    pub fn slots(&self) -> Slots {
        // Events with times in the future count only when that time has come.
        let end = self.cuts[self.begun].min(self.counted_until.max(self.cuts[0]));
        let starts = self.cuts[..self.begun].iter().copied().map(seconds).collect();
        Slots { starts, end: seconds(end) }
    }
}

fn minutes(range: &Range) -> Result<Vec<Millis>> {
    let count = range.to.since(range.from) / Millis::MINUTE;
    if count > MINUTES_MAX {
        let fault = Fault::new(Code::TooManyBuckets).on("granularity").with("max", MINUTES_MAX);
        return Err(Error::invalid(vec![fault]));
    }
    Ok((0..=count).map(|minute| range.from.plus(minute * Millis::MINUTE)).collect())
}

impl Unit {
    pub fn bucket(self) -> Bucket {
        match self {
            Self::Day => Bucket::Day,
            Self::Week => Bucket::Week,
            Self::Month => Bucket::Month,
        }
    }

    fn span(self, count: i64) -> Span {
        match self {
            Self::Day => count.days(),
            Self::Week => count.weeks(),
            Self::Month => count.months(),
        }
    }

    fn first(self, date: Date) -> Option<Date> {
        match self {
            Self::Day => Some(date),
            Self::Week if date.weekday() == Weekday::Monday => Some(date),
            Self::Week => date.nth_weekday(-1, Weekday::Monday).ok(),
            Self::Month => Some(date.first_of_month()),
        }
    }

    fn last(self, date: Date) -> Option<Date> {
        match self {
            Self::Day => Some(date),
            Self::Week if date.weekday() == Weekday::Sunday => Some(date),
            Self::Week => date.nth_weekday(1, Weekday::Sunday).ok(),
            Self::Month => Some(date.last_of_month()),
        }
    }

    /// The range widened to whole units, plus some more units before and after it.
    pub fn widened(self, range: &Range, zone: &TimeZone, before: i64, after: i64) -> Option<Range> {
        let start = self.first(range.start)?.checked_sub(self.span(before)).ok()?;
        let last = self.first(range.end)?.checked_add(self.span(after)).ok()?;
        Range::new(start, self.last(last)?, zone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates(start: &str, end: &str, zone: &str) -> Dates {
        Dates::read(start, end, zone).unwrap()
    }

    fn at(text: &str) -> Millis {
        Millis(text.parse::<jiff::Timestamp>().unwrap().as_millisecond())
    }

    #[test]
    fn minutes_end_with_the_one_that_it_is() {
        let day = dates("2026-03-02", "2026-03-02", "UTC");
        let now = at("2026-03-02T10:07:30Z");
        let buckets = Buckets::of(&day, Bucket::Minute, now).unwrap();
        assert_eq!((buckets.times().len(), buckets.begun), (1_440, 608));
        assert_eq!(buckets.partial(), Some(at("2026-03-02T10:07:00Z").0));
        assert_eq!(buckets.slots().end, seconds(at("2026-03-02T10:08:00Z")));
        let week = dates("2026-03-02", "2026-03-08", "UTC");
        assert!(Buckets::of(&week, Bucket::Minute, now).is_err());
        // A day of 25 hours, twice.
        let long = dates("2026-10-25", "2026-10-26", "Europe/Berlin");
        assert_eq!(Buckets::of(&long, Bucket::Minute, now).unwrap().times().len(), 49 * 60);
    }

    #[test]
    fn a_range_that_lies_ahead_has_nothing_to_count() {
        let day = dates("2026-03-02", "2026-03-02", "UTC");
        let buckets = Buckets::of(&day, Bucket::Day, at("2026-03-01T10:00:00Z")).unwrap();
        assert_eq!((buckets.begun, buckets.partial()), (0, None));
        assert!(buckets.slots().starts.is_empty());
    }

    #[test]
    fn units_are_whole() {
        let zone = TimeZone::get("Asia/Shanghai").unwrap();
        let range = dates("2026-03-04", "2026-03-10", "Asia/Shanghai").range;
        let of = |unit: Unit, before, after| {
            let wide = unit.widened(&range, &zone, before, after).unwrap();
            (wide.start.to_string(), wide.end.to_string())
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(of(Unit::Day, 1, 2), pair("2026-03-03", "2026-03-12"));
        assert_eq!(of(Unit::Week, 0, 0), pair("2026-03-02", "2026-03-15"));
        assert_eq!(of(Unit::Week, 1, 1), pair("2026-02-23", "2026-03-22"));
        assert_eq!(of(Unit::Month, 1, 0), pair("2026-02-01", "2026-03-31"));
        assert_eq!(of(Unit::Month, 0, 11), pair("2026-03-01", "2027-02-28"));
    }
}
