//! Dates of a time zone, as moments.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::types::Millis;

/// From the first moment of `start` to the first one after `end`, in the zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub start: Date,
    pub end: Date,
    pub from: Millis,
    pub to: Millis,
}

impl Range {
    /// None for a range that ends before it begins, or that lies beyond what can be counted.
    pub fn new(start: Date, end: Date, zone: &TimeZone) -> Option<Self> {
        // The event store counts seconds in 32 bits, from 1970 to 2106.
        if end < start || start.year() < 1971 || end.year() > 2100 {
            return None;
        }
        let from = first_moment(start, zone)?;
        let to = first_moment(end.tomorrow().ok()?, zone)?;
        Some(Self { start, end, from, to })
    }

    /// As many days right before it.
    pub fn before(&self, zone: &TimeZone) -> Option<Self> {
        let days = self.start.until(self.end).ok()?.get_days() + 1;
        let back = jiff::Span::new().days(days);
        Self::new(self.start.checked_sub(back).ok()?, self.end.checked_sub(back).ok()?, zone)
    }

    /// The same dates a year earlier; 29 February becomes the 28th.
    pub fn year_before(&self, zone: &TimeZone) -> Option<Self> {
        let year = jiff::Span::new().years(1);
        Self::new(self.start.checked_sub(year).ok()?, self.end.checked_sub(year).ok()?, zone)
    }
}

/// Where midnight is skipped by a change of clocks, the day begins when the clocks go on.
fn first_moment(date: Date, zone: &TimeZone) -> Option<Millis> {
    let start = date.to_zoned(zone.clone()).ok()?.start_of_day().ok()?;
    Some(Millis(start.timestamp().as_millisecond()))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    #[test]
    fn a_day_is_as_long_as_the_clocks_say() {
        let hours = |day: Date, name: &str| {
            let range = Range::new(day, day, &zone(name)).unwrap();
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
        let range = Range::new(date(2026, 3, 1), date(2026, 3, 7), &utc).unwrap();
        let before = range.before(&utc).unwrap();
        assert_eq!((before.start, before.end), (date(2026, 2, 22), date(2026, 2, 28)));
        let leap = Range::new(date(2024, 2, 29), date(2024, 2, 29), &utc).unwrap();
        assert_eq!(leap.year_before(&utc).unwrap().start, date(2023, 2, 28));
        assert!(Range::new(date(2026, 3, 2), date(2026, 3, 1), &utc).is_none());
    }
}
