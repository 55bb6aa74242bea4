//! How much of a range is over. An unfinished range is never compared with a whole one, but with the
//! period before up to the same time of the same day.
//!
//! Counts are kept by the quarter of an hour, so both sides are compared up to the last one that is
//! over. They are compared by wall clock time and not by hours passed: a day on which clocks change is
//! an hour shorter or longer, and ten o'clock is compared with ten o'clock.

use jiff::civil::{Date, DateTime};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Span, Timestamp};

use super::range::{QUARTER, Range, whole_quarter};
use atrium_core::types::Millis;

/// The moments up to which two ranges are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    pub until: Millis,
    pub before_until: Millis,
}

/// The end of what can be counted of a range. Clients' clocks may be some minutes fast; events beyond
/// the next quarter of an hour count only when their time has come.
pub fn counted_until(range: &Range, now: Millis) -> Millis {
    whole_quarter(now).plus(QUARTER).clamp(range.from, range.to)
}

/// Both ranges as a whole if the first is over; None until its first quarter of an hour is over.
pub fn compared(range: &Range, before: &Range, now: Millis, zone: &TimeZone) -> Option<Compared> {
    if now >= range.to {
        return Some(Compared { until: range.to, before_until: before.to });
    }
    let until = whole_quarter(now);
    if until <= range.from {
        return None;
    }
    let before_until = same_time(until, range.start, before, zone)?;
    Some(Compared { until, before_until })
}

/// The moment in the other range that is as many days after its start as `at` is after `start`, at the
/// same time of day.
fn same_time(at: Millis, start: Date, other: &Range, zone: &TimeZone) -> Option<Millis> {
    let clock = furthest_clock(Timestamp::from_millisecond(at.0).ok()?, zone)?;
    let days = start.until(clock.date()).ok()?.get_days();
    let date = other.start.checked_add(Span::new().days(days)).ok()?;
    if date > other.end {
        return Some(other.to);
    }
    let moment = first_shown(date.to_datetime(clock.time()), zone)?;
    let moment = whole_quarter(Millis(moment.as_millisecond()));
    Some(moment.clamp(other.from, other.to))
}

/// What clocks show, or what they showed before they were set back: a repeated hour does not move the
/// time back.
fn furthest_clock(at: Timestamp, zone: &TimeZone) -> Option<DateTime> {
    let shown = zone.to_datetime(at);
    let Some(change) = last_change(at, zone) else { return Some(shown) };
    let before = zone.to_offset(change.checked_sub(SignedDuration::from_secs(1)).ok()?);
    Some(shown.max(before.to_datetime(change)))
}

/// When clocks show this time first; if they skip it, the moment at which they do.
fn first_shown(clock: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    let moments = zone.to_ambiguous_timestamp(clock);
    match moments.offset() {
        AmbiguousOffset::Gap { before, .. } => last_change(before.to_timestamp(clock).ok()?, zone),
        _ => moments.earlier().ok(),
    }
}

fn last_change(at: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let after = at.checked_add(SignedDuration::from_secs(1)).ok()?;
    Some(zone.preceding(after).next()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    fn range(start: &str, end: &str, name: &str) -> Range {
        Range::new(start.parse().unwrap(), end.parse().unwrap(), &zone(name)).unwrap()
    }

    fn moment(text: &str) -> Millis {
        Millis(text.parse::<Timestamp>().unwrap().as_millisecond())
    }

    /// The moments up to which a range and the days before it are compared.
    fn until(range: &Range, now: &str, name: &str) -> Option<(String, String)> {
        let zone = zone(name);
        let before = range.before(&zone).unwrap();
        let shown = |at: Millis| {
            let at = Timestamp::from_millisecond(at.0).unwrap().to_zoned(zone.clone());
            at.strftime("%m-%d %H:%M %:z").to_string()
        };
        let compared = compared(range, &before, moment(now), &zone)?;
        Some((shown(compared.until), shown(compared.before_until)))
    }

    fn pair(until: &str, before: &str) -> Option<(String, String)> {
        Some((until.to_owned(), before.to_owned()))
    }

    #[test]
    fn both_sides_end_at_the_last_quarter_that_is_over() {
        let name = "Asia/Shanghai";
        let week = range("2026-03-09", "2026-03-15", name);
        let ask = |now: &str| until(&week, now, name);
        assert_eq!(ask("2026-03-15T02:00:00Z"), pair("03-15 10:00 +08:00", "03-08 10:00 +08:00"));
        assert_eq!(ask("2026-03-15T15:50:00Z"), pair("03-15 23:45 +08:00", "03-08 23:45 +08:00"));
        assert_eq!(ask("2026-03-14T16:10:00Z"), pair("03-15 00:00 +08:00", "03-08 00:00 +08:00"));
        // Once it is over, whole ranges are compared.
        let whole = pair("03-16 00:00 +08:00", "03-09 00:00 +08:00");
        assert_eq!(ask("2026-03-15T16:00:00Z"), whole);
        assert_eq!(ask("2026-08-01T00:00:00Z"), whole);
        // Nothing of it is over yet.
        assert_eq!(ask("2026-03-08T16:14:59Z"), None);
        assert_eq!(ask("2026-01-01T00:00:00Z"), None);
    }

    #[test]
    fn a_time_of_day_is_compared_with_the_same_on_days_of_23_and_25_hours() {
        let name = "Europe/Berlin";
        // Clocks go from 02:00 to 03:00.
        let short = range("2026-03-29", "2026-03-29", name);
        let ask = |now: &str| until(&short, now, name);
        assert_eq!(ask("2026-03-29T08:00:00Z"), pair("03-29 10:00 +02:00", "03-28 10:00 +01:00"));
        assert_eq!(ask("2026-03-29T00:50:00Z"), pair("03-29 01:45 +01:00", "03-28 01:45 +01:00"));
        assert_eq!(ask("2026-03-29T01:00:00Z"), pair("03-29 03:00 +02:00", "03-28 03:00 +01:00"));
        // The day after: the skipped hour is not waited for.
        let next = range("2026-03-30", "2026-03-30", name);
        let ask = |now: &str| until(&next, now, name);
        assert_eq!(ask("2026-03-30T00:30:00Z"), pair("03-30 02:30 +02:00", "03-29 03:00 +02:00"));
        assert_eq!(ask("2026-03-30T01:15:00Z"), pair("03-30 03:15 +02:00", "03-29 03:15 +02:00"));
        // From 03:00 back to 02:00: the end of the compared part never moves back.
        let long = range("2026-10-25", "2026-10-25", name);
        let ask = |now: &str| until(&long, now, name);
        assert_eq!(ask("2026-10-25T00:50:00Z"), pair("10-25 02:45 +02:00", "10-24 02:45 +02:00"));
        assert_eq!(ask("2026-10-25T01:20:00Z"), pair("10-25 02:15 +01:00", "10-24 03:00 +02:00"));
        assert_eq!(ask("2026-10-25T02:20:00Z"), pair("10-25 03:15 +01:00", "10-24 03:15 +02:00"));
        // The day after: the first occurrence of the repeated hour, and both once it is over.
        let next = range("2026-10-26", "2026-10-26", name);
        let ask = |now: &str| until(&next, now, name);
        assert_eq!(ask("2026-10-26T01:30:00Z"), pair("10-26 02:30 +01:00", "10-25 02:30 +02:00"));
        assert_eq!(ask("2026-10-26T02:00:00Z"), pair("10-26 03:00 +01:00", "10-25 03:00 +01:00"));
    }

    #[test]
    fn the_cut_only_moves_on() {
        for (name, day) in [
            ("Europe/Berlin", "2026-03-29"),
            ("Europe/Berlin", "2026-03-30"),
            ("Europe/Berlin", "2026-10-25"),
            ("Europe/Berlin", "2026-10-26"),
            ("Australia/Lord_Howe", "2026-04-05"),
            ("America/Sao_Paulo", "2018-11-04"),
            ("America/Sao_Paulo", "2018-02-17"),
        ] {
            let (zone, day) = (zone(name), range(day, day, name));
            let before = day.before(&zone).unwrap();
            let mut last = before.from;
            let quarters = (day.from.0 + QUARTER..=day.to.0).step_by(QUARTER as usize);
            for now in quarters.map(Millis) {
                let found = compared(&day, &before, now, &zone).unwrap();
                assert!(found.before_until >= last, "{name} {now:?}");
                last = found.before_until;
            }
            assert_eq!(last, before.to, "{name}");
        }
    }

    #[test]
    fn a_year_before_is_cut_after_as_many_days() {
        let utc = zone("UTC");
        let cut = |start: &str, end: &str, now: &str| {
            let range = range(start, end, "UTC");
            let before = range.year_before(&utc).unwrap();
            compared(&range, &before, moment(now), &utc).unwrap().before_until
        };
        let in_march = cut("2026-03-01", "2026-03-31", "2026-03-10T10:07:00Z");
        assert_eq!(in_march, moment("2025-03-10T10:00:00Z"));
        // February had a day less: all of it.
        let in_leap_year = cut("2024-02-01", "2024-02-29", "2024-02-29T10:00:00Z");
        assert_eq!(in_leap_year, moment("2023-03-01T00:00:00Z"));
    }

    #[test]
    fn what_lies_ahead_waits_for_its_time() {
        let day = range("2026-03-10", "2026-03-10", "UTC");
        let ask = |now: &str| counted_until(&day, moment(now));
        assert_eq!(ask("2026-03-10T09:59:59Z"), moment("2026-03-10T10:00:00Z"));
        assert_eq!(ask("2026-03-10T10:00:00Z"), moment("2026-03-10T10:15:00Z"));
        assert_eq!(ask("2026-03-09T12:00:00Z"), day.from);
        assert_eq!(ask("2026-03-12T00:00:00Z"), day.to);
    }
}
